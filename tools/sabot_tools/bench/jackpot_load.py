"""Contributions to a jackpot as fast as possible: MQTT payloads -> intake -> order -> engine -> a store, durably."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from sabot_floor.inbox import Arrived
from sabot_floor.jackpots import engine
from sabot_floor.jackpots.batch import log_name
from sabot_floor.jackpots.collector import Collector
from sabot_floor.jackpots.intake import Intake
from sabot_floor.jackpots.logs import JackpotLogs
from sabot_floor.jackpots.opening import open_jackpots
from sabot_floor.store import Head, Store, StoreError, open_store
from sabot_protocol.jackpots.messages import IncrementMessage
from sabot_protocol.jackpots.parameters import LuckyTie, Parameters
from sabot_protocol.jackpots.signing import sign
from sabot_protocol.topics import ROOT
from sabot_service.moment import Moment

TABLES: Final = 200
AMOUNT: Final = 25
COMMITS: Final = 10  # of 1,000 contributions: SQLite copies its write-ahead log into the file once in these
_JACKPOT: Final = "lucky-tie"
_SITE: Final = "bench"
_KEY: Final = b"key of the bench" * 2
_TIME: Final = "2026-11-17T12:00:00.000Z"
_PATIENCE_S: Final = 120.0
_COUPS_OF_A_SHOE: Final = 60
_encoder = msgspec.json.Encoder()


class BenchFaultError(RuntimeError):
    """The meter is not what arithmetic gives: what was measured means nothing."""


def parameters() -> Parameters:
    """Return a Lucky Tie at 200 tables."""
    return Parameters(
        id=_JACKPOT,
        title="Lucky Tie",
        rulebook="crown-baccarat",
        currency="AUD",
        tables=tuple(f"bac-{number:03}" for number in range(TABLES)),
        increment=AMOUNT,
        base=1_000_000,
        unreasonable=100,
        rounding=100,
        reserve="10%",
        qualifying=("tie",),
        trigger=LuckyTie("option_3", {"lucky_tie": 100}),
    )


def messages(count: int, digest: str) -> list[bytes]:
    """Return signed increments as gateways publish them, a coup of each table in turn."""
    return [_encoder.encode(sign(_increment(number, digest), _KEY)) for number in range(count)]


def _increment(number: int, digest: str) -> IncrementMessage:
    coup, table = divmod(number, TABLES)
    unit = f"5ab0{table:012x}"
    return IncrementMessage(
        id=f"{unit}-{coup * 9 + 8}-{_JACKPOT}",
        unit=unit,
        event_no=coup * 9 + 8,
        table=f"bac-{table:03}",
        shoe=coup // _COUPS_OF_A_SHOE + 1,
        coup=coup % _COUPS_OF_A_SHOE + 1,
        time=_TIME,
        rulebook="0f" * 32,
        gateway=f"9a7e{table // 20:012x}",
        jackpot=_JACKPOT,
        parameters=digest,
        currency="AUD",
        amount=AMOUNT,
        count=coup + 1,
        total=(coup + 1) * AMOUNT,
        coup_id=f"{unit}-{coup * 9 + 8}",
        kind="live",
    )


class Worker:
    """The parts of the floor service between broker and store, as its loop calls them."""

    def __init__(self, store: Store) -> None:
        self._logs = JackpotLogs(store)
        open_jackpots(self._logs, [parameters()], _TIME)
        self._collector = Collector(Intake(_SITE, _KEY), self._logs)

    def take(self, batch: Sequence[Arrived], until_s: float = 0.0) -> None:
        """Count a batch in one transaction; what another worker prevents is tried again, as the service does."""
        at = Moment(time.monotonic(), _TIME)
        work = self._collector.collect(batch, at)
        while True:
            try:
                self._logs.commit(work.batches)
                break
            except StoreError:
                if time.monotonic() > until_s:
                    raise
        self._collector.stored(work.batches, at)


def arrived(payloads: Iterable[bytes]) -> list[Arrived]:
    """Return messages as they come from the broker."""
    topics = [f"{ROOT}/{_SITE}/bac-{number:03}/jackpot/{_JACKPOT}" for number in range(TABLES)]
    return [Arrived(topics[number % TABLES], payload) for number, payload in enumerate(payloads)]


@dataclass(frozen=True)
class Run:
    """One measured run; every contribution was counted once."""

    contributions: int
    seconds: float
    cpu_s: float  # of all workers, without the server of a database

    def rate(self) -> float:
        """Return contributions a second."""
        return self.contributions / self.seconds


def run(url: str, count: int, batch: int) -> Run:
    """Measure one worker in this process on an empty store; the best so many commits in succession count."""
    with open_store(url) as store:
        worker, due = Worker(store), arrived(messages(count, parameters().digest))
        wall_s, cpu_s = [time.perf_counter()], [time.process_time()]
        for at in range(0, count, batch):
            worker.take(due[at : at + batch])
            wall_s.append(time.perf_counter())
            cpu_s.append(time.process_time())
    check(url, count)
    commits = len(wall_s) - 1
    length = min(COMMITS, commits)
    spans = [(wall_s[end] - wall_s[end - length], end) for end in range(length, commits + 1)]
    seconds, end = min(spans)
    return Run(length * batch, seconds, cpu_s[end] - cpu_s[end - length])


def check(url: str, count: int) -> None:
    """Compare the meter with arithmetic."""
    with open_store(url, read_only=True) as store:
        head = store.head(log_name(_JACKPOT)) or Head()
        state = engine.decode(head.state or b"")
    if (state.in_, head.seq) != (count * AMOUNT, count + 1):
        raise BenchFaultError(f"{count} contributions: In is {state.in_}, and the log has {head.seq} entries")


def run_workers(url: str, count: int, batch: int, workers: int, work_dir: Path) -> Run:
    """Measure several processes on an empty store; each gets every message, as from the broker."""
    file = work_dir / "messages"
    file.write_bytes(b"\n".join(messages(count, parameters().digest)))
    command = [sys.executable, "-m", "sabot_tools.bench.jackpot_load", str(file), str(batch)]
    with ExitStack() as stack:
        processes = [stack.enter_context(_started(command, url)) for _ in range(workers)]
        try:
            for process in processes:
                _line(process)
            started = time.perf_counter()
            for process in processes:
                assert process.stdin is not None
                process.stdin.write("go\n")
                process.stdin.flush()
            cpu_s = sum(float(_line(process)) for process in processes)
            seconds = time.perf_counter() - started
        finally:
            for process in processes:
                process.send_signal(signal.SIGTERM)
    check(url, count)
    return Run(count, seconds, cpu_s)


def _started(command: list[str], url: str) -> "subprocess.Popen[str]":
    """Start a worker; the URL has a password, so it goes by the environment."""
    environment = os.environ | {"SABOT_BENCH_STORE": url}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def _line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise BenchFaultError(f"a worker of the bench ended with status {process.wait(_PATIENCE_S)}")
    return line


def work(file: str, batch: str) -> None:
    """Be one worker: count every message of a file, in batches; print the CPU time."""
    due, size = arrived(Path(file).read_bytes().split(b"\n")), int(batch)
    with open_store(os.environ["SABOT_BENCH_STORE"]) as store:
        worker = Worker(store)
        print("ready", flush=True)
        sys.stdin.readline()
        cpu, until_s = time.process_time(), time.monotonic() + _PATIENCE_S
        for at in range(0, len(due), size):
            worker.take(due[at : at + size], until_s)
        print(time.process_time() - cpu, flush=True)


if __name__ == "__main__":
    work(*sys.argv[1:])
