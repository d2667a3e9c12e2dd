"""Honest play of any length leaves a ledger that `verify` accepts: beside its writer, after it, and after a kill."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sabot_gateway.ledger import Ledger, audit

WRITER = """
import sys, time
from pathlib import Path
sys.path[:0] = {path!r}
from ledger_entries import play
from sabot_gateway.ledger import Ledger
ledger = Ledger(Path(sys.argv[1]))
commits, size = int(sys.argv[2]), int(sys.argv[3])
entries = [entry for shoe in range(1, commits * size // 600 + 2) for entry in play(shoe * 1000, shoe, 100)]
for turn in range(commits):
    ledger.append(entries[turn * size : (turn + 1) * size])
    ledger.move_cursor("mqtt", ledger.last_seq())
    print(ledger.last_seq(), flush=True)
if sys.argv[4] == "close":
    ledger.close()
else:
    sys.stdin.read()
"""


def writer(path: Path, commits: int, size: int, end: str = "close") -> subprocess.Popen[bytes]:
    """A process that appends `commits` groups of `size` entries, then closes the ledger, or waits to be killed."""
    code = WRITER.format(path=[str(Path(__file__).parent), *sys.path])
    command = [sys.executable, "-c", code, str(path), str(commits), str(size), end]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def lines(process: subprocess.Popen[bytes], count: int) -> int:
    """Wait for so many commits; the last entry that is durable."""
    assert process.stdout is not None
    found = [process.stdout.readline() for _ in range(count)]
    return int(found[-1])


@pytest.mark.parametrize("size", [3, 20])
def test_verify_accepts_a_ledger_beside_its_writer_and_after_it(tmp_path: Path, size: int) -> None:
    path, commits = tmp_path / "ledger.db", 1500
    process = writer(path, commits, size)
    for _ in range(10):
        stored = lines(process, commits // 10)
        verdict = audit.verify(path)
        assert verdict.faults == []
        assert verdict.entries >= stored
    process.communicate()
    assert process.returncode == 0
    verdict = audit.verify(path)
    assert (verdict.entries, verdict.faults) == (commits * size, [])
    again = Ledger(path)
    assert again.verify_chain() == commits * size
    again.close()


@pytest.mark.parametrize("commits", [1, 40, 333])
def test_a_killed_writer_leaves_every_entry_that_it_had_committed(tmp_path: Path, commits: int) -> None:
    path = tmp_path / "ledger.db"
    process = writer(path, 400, 20, "wait")
    stored = lines(process, commits)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    verdict = audit.verify(path)
    assert verdict.faults == []
    assert verdict.entries >= stored
    again = Ledger(path)
    assert (again.verify_chain(), again.notes) == (verdict.entries, [])
    again.close()
    assert audit.verify(path).faults == []
