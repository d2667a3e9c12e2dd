"""Contributions to a jackpot as fast as possible: message bytes -> signature -> engine -> a store, durably."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from sabot_floor.jackpots import engine
from sabot_floor.jackpots.engine.entries import Increment, Opened
from sabot_floor.store import Decision, Entry, Head, Store, StoreError, open_store
from sabot_protocol.jackpots.messages import IncrementMessage
from sabot_protocol.jackpots.parameters import LuckyTie, Parameters
from sabot_protocol.jackpots.signing import is_signed, sign

TABLES: Final = 200
AMOUNT: Final = 25
LOG: Final = "jackpot/lucky-tie"
_KEY: Final = b"key of the bench" * 2
_TIME: Final = "2026-11-17T12:00:00.000Z"
_PATIENCE_S: Final = 120.0
_COUPS_OF_A_SHOE: Final = 60
_decoder = msgspec.json.Decoder(IncrementMessage)
_encoder = msgspec.json.Encoder()


class BenchFaultError(RuntimeError):
    """The meter is not what arithmetic gives: what was measured means nothing."""


def parameters() -> Parameters:
    """Return a Lucky Tie at 200 tables."""
    return Parameters(
        id="lucky-tie",
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
        id=f"{unit}-{coup * 9 + 8}-lucky-tie",
        unit=unit,
        event_no=coup * 9 + 8,
        table=f"bac-{table:03}",
        shoe=coup // _COUPS_OF_A_SHOE + 1,
        coup=coup % _COUPS_OF_A_SHOE + 1,
        time=_TIME,
        rulebook="0f" * 32,
        gateway=f"9a7e{table // 20:012x}",
        jackpot="lucky-tie",
        parameters=digest,
        currency="AUD",
        amount=AMOUNT,
        count=coup + 1,
        total=(coup + 1) * AMOUNT,
        coup_id=f"{unit}-{coup * 9 + 8}",
        kind="live",
    )


class Worker:
    """What a worker of the floor service does with increments; it keeps the decoded state of the last commit."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._data: bytes | None = None
        self._state: engine.JackpotState | None = None

    def open_jackpot(self) -> None:
        """Append the first entry, unless another worker has."""
        self._store.append(LOG, _opening)

    def take(self, batch: Sequence[bytes]) -> int:
        """Count a batch in one transaction; return how many increments were new."""
        stored = self._store.append(LOG, lambda head: self._decide(head, batch))
        return len(stored)

    def _decide(self, head: Head, batch: Sequence[bytes]) -> Decision:
        state = self._state
        if state is None or head.state != self._data:
            state = engine.decode(head.state or b"")
        self._state = None  # in case the commit fails
        entries = list(_applied(state, batch))
        data = engine.encode(state) if entries else head.state
        self._data, self._state = data, state
        return Decision(entries, data)


def _opening(head: Head) -> Decision:
    if head.state is not None:
        return Decision([], head.state)
    entry = Opened(time=_TIME, parameters=parameters())
    state = engine.open_jackpot(entry)
    payload = _encoder.encode(engine.logged_opened(state, entry))
    return Decision([Entry("opened", "opened", payload, _TIME)], engine.encode(state))


def _applied(state: engine.JackpotState, batch: Iterable[bytes]) -> Iterator[Entry]:
    """Yield the entries of what is new; repeats are dropped."""
    for data in batch:
        message = _decoder.decode(data)
        if not is_signed(message, _KEY):
            raise BenchFaultError(f"{message.id} is not signed")
        result = engine.apply(state, Increment(_TIME, message))
        if isinstance(result, engine.Applied):
            payload = _encoder.encode(engine.logged(state, result))
            yield Entry(message.id, "increment", payload, _TIME)
        elif result.reason != "repeat":
            raise BenchFaultError(result.say)


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
    """Measure one worker in this process on an empty store."""
    with open_store(url) as store:
        worker, due = Worker(store), messages(count, parameters().digest)
        worker.open_jackpot()
        started, cpu = time.perf_counter(), time.process_time()
        for at in range(0, count, batch):
            worker.take(due[at : at + batch])
        measured = Run(count, time.perf_counter() - started, time.process_time() - cpu)
    check(url, count)
    return measured


def check(url: str, count: int) -> None:
    """Compare the meter with arithmetic."""
    with open_store(url, read_only=True) as store:
        head = store.head(LOG) or Head()
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
    due, size = Path(file).read_bytes().split(b"\n"), int(batch)
    with open_store(os.environ["SABOT_BENCH_STORE"]) as store:
        worker = Worker(store)
        worker.open_jackpot()
        print("ready", flush=True)
        sys.stdin.readline()
        cpu = time.process_time()
        for at in range(0, len(due), size):
            _take(worker, due[at : at + size])
        print(time.process_time() - cpu, flush=True)


def _take(worker: Worker, batch: Sequence[bytes]) -> None:
    """Count a batch; what another worker prevents is tried again, as the service does."""
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            worker.take(batch)
            return
        except StoreError:
            if time.monotonic() > until:
                raise


if __name__ == "__main__":
    work(*sys.argv[1:])
