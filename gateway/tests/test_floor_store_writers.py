"""Real processes that append to one store: killed in mid-append, and several at once."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sabot_floor.store import Head, audit, open_store
from support.patience import PATIENCE_S

WRITER = Path(__file__).with_name("floor_writer.py")


def start(url: str, name: str, batches: int, size: int, mode: str = "") -> "subprocess.Popen[str]":
    """A writer that waits for a line."""
    command = [sys.executable, str(WRITER), url, name, str(batches), str(size), mode]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def go(process: "subprocess.Popen[str]") -> None:
    """Let a writer begin that is ready."""
    assert process.stdin is not None
    assert read(process, 1) == 1
    process.stdin.write("go\n")
    process.stdin.flush()


def read(process: "subprocess.Popen[str]", lines: int) -> int:
    """Read so many lines of a writer's output."""
    assert process.stdout is not None
    return sum(process.stdout.readline() != "" for _ in range(lines))


def output(process: "subprocess.Popen[str]", last: str = "") -> list[str]:
    """Wait for the end of a writer; return the commits that it still reported."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(last)
    process.stdin.close()
    with process.stdout as stdout:
        reported = stdout.read().split()
    process.wait(PATIENCE_S)
    return reported


def whole(url: str, log: str = "a") -> Head:
    """Check a store and return the head of a log, whose state counts its entries."""
    with open_store(url) as store:
        assert audit.verify(store).faults == []
        head = store.head(log) or Head()
        assert head.state == (b"%d" % head.seq if head.seq else None)
        return head


def test_a_writer_killed_between_entries_and_head_leaves_neither(store_url: str) -> None:
    process = start(store_url, "w", 3, 200, "dying")
    go(process)
    assert output(process) == ["0"]
    assert process.returncode == -9
    assert whole(store_url).seq == 200


def test_a_writer_killed_at_any_time_leaves_a_whole_state(store_url: str) -> None:
    """An append of 1,000 entries takes nearly all of a writer's time."""
    seeded, before = random.Random(17), 0
    for round_no in range(5):
        process = start(store_url, f"w{round_no}", 10_000, 1000)
        go(process)
        assert read(process, 1) == 1
        time.sleep(seeded.uniform(0.0, 0.1))
        process.send_signal(signal.SIGKILL)
        reported = 1 + len(output(process))
        head = whole(store_url)
        assert head.seq % 1000 == 0
        assert before + reported * 1000 <= head.seq <= before + (reported + 1) * 1000
        before = head.seq


@pytest.mark.parametrize("mode", ["", "both"])
def test_two_writers_lose_nothing_and_double_nothing(store_url: str, mode: str) -> None:
    """They make the store at the same time, and write one log, or two in opposite orders."""
    size = 25
    processes = {name: start(store_url, name, 1_000_000, size, mode) for name in ("early", "late")}
    for process in processes.values():
        go(process)
    counts = {name: read(process, 30) for name, process in processes.items()}
    for name, process in processes.items():
        counts[name] += len(output(process, "stop\n"))
        assert process.returncode == 0
    for log in ("a", "b") if mode else ("a",):
        assert whole(store_url, log).seq == sum(counts.values()) * size
        with open_store(store_url, read_only=True) as store:
            ids = [entry.id for entry in store.entries(log)]
        for name, count in counts.items():
            assert [each for each in ids if each.startswith(name)] == [f"{name}-{n}" for n in range(count * size)]
