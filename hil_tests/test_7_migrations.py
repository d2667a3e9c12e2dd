"""Ledgers of older releases that are brought up when the process is killed or the disk is full: old or new, whole.

SABOT_ROUNDS=200 SABOT_SEED=1 .venv/bin/pytest hil_tests/test_7_migrations.py kills more often; make migration-kills.
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from old_ledgers import of_version
from sabot_gateway.ledger import Ledger, LedgerError, Reader, audit, schema
from support.disk import Disk

ROUNDS = int(os.environ.get("SABOT_ROUNDS", "7"))
SEED = int(os.environ.get("SABOT_SEED", "1"))
OLDER = range(1, schema.VERSION)
COUPS = int(os.environ.get("SABOT_COUPS", "500"))  # six entries each
UPGRADE = """
import sys
from pathlib import Path
from sabot_gateway.ledger import Ledger
for line in sys.stdin:
    print("begin", flush=True)
    Ledger(Path(line.strip())).close()
    print("end", flush=True)
"""


class Upgrader:
    """A process that opens ledgers, and so brings them up."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", UPGRADE], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def begin(self, path: Path) -> None:
        """Have it begin with a ledger."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(path, file=self._process.stdin, flush=True)
        assert self._process.stdout.readline() == "begin\n"

    def end(self) -> None:
        """Wait until it has opened the ledger."""
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "end\n"

    def kill(self) -> None:
        """Kill it, as a power button or the kernel would."""
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()


def parts(path: Path) -> set[tuple[str, str]]:
    """Return the tables and indexes of a file."""
    with closing(Reader(path)) as reader:
        return set(reader.query("SELECT type, sql FROM sqlite_master WHERE sql IS NOT NULL"))


def hashes(path: Path) -> list[bytes]:
    with closing(Reader(path)) as reader:
        return [entry.hash for entry in reader.entries()]


def time_of(version: int, path: Path) -> float:
    """Return how long a ledger of this version takes to be brought up."""
    upgrader = Upgrader()
    upgrader.begin(of_version(path, version, COUPS))
    begun_s = time.monotonic()
    upgrader.end()
    took_s = time.monotonic() - begun_s
    upgrader.kill()
    return took_s


def judge(path: Path, version: int, entries: list[bytes], tables: set[tuple[str, str]]) -> int:
    """Check that a ledger is wholly of its old version or of the new one, then bring it up; return which it was."""
    with closing(Reader(path)) as reader:
        found = reader.version
    assert found in (version, schema.VERSION)
    assert hashes(path) == entries
    assert audit.verify(path).faults == []
    if found == version:
        assert parts(path) == tables
    ledger = Ledger(path)
    assert ledger.version == schema.VERSION
    ledger.close()
    assert hashes(path) == entries
    assert audit.verify(path).faults == []
    return found


def test_a_kill_at_any_moment_leaves_the_old_version_or_the_new_one(tmp_path: Path) -> None:
    rng, found = random.Random(SEED), Counter[str]()
    took_s = time_of(schema.VERSION - 1, tmp_path / "whole.db")  # all versions take about as long
    for number in range(ROUNDS):
        version = OLDER[number % len(OLDER)]
        path = of_version(tmp_path / f"ledger_{number}.db", version, COUPS)
        entries, tables = hashes(path), parts(path)
        upgrader = Upgrader()
        upgrader.begin(path)
        moment = rng.random()
        time.sleep(moment * took_s)
        upgrader.kill()
        log = path.with_name(f"{path.name}-wal")
        half_way = log.exists() and log.stat().st_size > 0
        after = judge(path, version, entries, tables)
        found["new" if after == schema.VERSION else "old, half written" if half_way else "old"] += 1
        for file in tmp_path.glob(f"{path.name}*"):
            file.unlink()
    print(f"seed {SEED}, {ROUNDS} kills: {dict(found)}")
    assert found.total() == ROUNDS


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    made = Disk(tmp_path / "disk")
    made.mount()
    yield made
    made.unmount()


@pytest.mark.parametrize("version", OLDER)
def test_a_disk_that_fills_up_leaves_the_old_version_and_a_sentence(disk: Disk, version: int) -> None:
    path = of_version(disk.path / "ledger.db", version, COUPS)
    entries, tables = hashes(path), parts(path)
    Ledger(disk.path / "other.db").close()
    room = disk.path / "room"
    room.write_bytes(bytes(path.stat().st_size // 3))  # for a part of what the new version needs
    disk.fill()
    room.unlink()
    with pytest.raises(LedgerError, match=r"the ledger refused its tables: .*(full|disk I/O error)"):
        Ledger(path)
    assert audit.verify(path).faults == []
    with closing(Reader(path)) as reader:
        assert reader.version == version
    disk.empty()
    assert judge(path, version, entries, tables) == version


def test_a_file_of_each_version_opens_with_plain_sqlite(tmp_path: Path) -> None:
    """The makers of old files make what they promise."""
    for version in OLDER:
        path = of_version(tmp_path / f"{version}.db", version, 3)
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("PRAGMA user_version").fetchone()[0] == (version if version > 1 else 0)
        assert audit.verify(path).faults == []
