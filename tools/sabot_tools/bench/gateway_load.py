"""The gateway under load: real daemon, broker, disk and ptys; the textbook's gateway in its place for comparison."""

import os
import resource
import selectors
import sqlite3
import sys
import time
import tty
from array import array
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from statistics import mean, median, quantiles
from tempfile import TemporaryDirectory
from typing import Final

import msgspec
from sabot_protocol.topics import ROOT
from sabot_service.client import ask
from sabot_service.messages import Request

from sabot_tools.bench import shoe_player
from sabot_tools.stand import broker
from sabot_tools.stand.children import Children
from sabot_tools.stand.subscriber import Subscriber

SITE: Final = "bench"
PIPELINES: Final[dict[str, list[str]]] = {
    "gateway": ["sabot_tools", "gateway", "run", "--config"],
    "textbook": ["sabot_tools.bench.textbook_gateway"],
}
_SAMPLE_EVERY_S: Final = 0.2
_BROKER_WITHIN_S: Final = 10.0
_LONGEST_SLEEP_S: Final = 0.05
_DESCRIPTORS_A_PORT: Final = 5  # pyserial opens two pipes for each
_SPARE_DESCRIPTORS: Final = 64
_PTY_LIMIT: Final = Path("/proc/sys/kernel/pty/max")


class CannotMeasureError(RuntimeError):
    """This machine cannot run the load; the message names the limit to raise."""


@dataclass(frozen=True)
class LoadPlan:
    """Number of ports, frames a port, and frames a second on each; a rate of 0 is as fast as possible."""

    ports: int
    frames: int
    rate: float
    most_s: float  # after this time the run ends and is counted


@dataclass(frozen=True)
class Sample:
    """CPU time and memory of the pipeline's process at one moment."""

    at_s: float
    cpu_s: float
    rss_bytes: int


@dataclass(frozen=True)
class LoadResult:
    """The result of a plan."""

    seconds: float  # from the first frame written to the last coup received and the last frame acknowledged
    frames: int  # events in the ledger
    rows: int  # all rows of the ledger, the gateway's own included
    sent: int
    coups: int  # results that a subscriber received
    due_coups: int  # results in the logs that were played
    messages: list[bytes] = field(repr=False)  # of these results
    latency_ms: list[float] = field(repr=False)  # of each coup, from its frame written to its message received
    inside_ms: float | None  # 99th percentile measured by the daemon, from the bytes read to the PUBACK
    late_ms: float  # 99th percentile of the player's delay against its plan
    samples: list[Sample] = field(repr=False)

    def rate(self) -> float:
        """Return the frames a second, from pty to subscriber."""
        return self.frames / self.seconds

    def served(self) -> float:
        """Return the share of events that are in the ledger, or of coups that were received, whichever is smaller."""
        return min(self.frames / self.sent, self.coups / self.due_coups)

    def cores(self) -> float:
        """Return the CPU seconds of the pipeline a second."""
        first, last = self.samples[0], self.samples[-1]
        return (last.cpu_s - first.cpu_s) / (last.at_s - first.at_s)

    def growth(self) -> tuple[float, float]:
        """Return memory at the end over memory after a warm-up of a fifth of the run, and KiB a minute."""
        fifth = max(len(self.samples) // 5, 1)
        warm, end = self.samples[fifth : 2 * fifth], self.samples[-fifth:]
        (warm_at, warm_rss), (end_at, end_rss) = (
            (mean(one.at_s for one in part), mean(one.rss_bytes for one in part)) for part in (warm, end)
        )
        return end_rss / warm_rss, (end_rss - warm_rss) / 1024 / (end_at - warm_at) * 60


def table_name(number: int) -> str:
    """Return the name of a table, counted from 0."""
    return f"bac-{number:04}"


def percentile(values: list[float], percent: int) -> float:
    """Return the value that so many per cent of the values are below."""
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def run(pipeline: str, plan: LoadPlan) -> LoadResult:
    """Run a plan through a pipeline with a new broker, ledger and ptys."""
    with work_dir() as work, ExitStack() as stack:
        return GatewayLoad(stack, Path(work), plan).measure(pipeline)


def work_dir() -> TemporaryDirectory[str]:
    """Return the directory of ledger and broker: in SABOT_BENCH_DIR, else where temporary files are."""
    return TemporaryDirectory(prefix="sabot-bench-", dir=os.environ.get("SABOT_BENCH_DIR"))


class CoupInbox:
    """The results of coups that a subscriber received, and when."""

    def __init__(self) -> None:
        self.received: list[tuple[float, bytes]] = []

    def add(self, _topic: str, payload: bytes) -> None:
        """Keep a message."""
        self.received.append((time.monotonic(), payload))

    def first_at_s(self) -> dict[tuple[str, int], float]:
        """Return when each coup first arrived, by unit and event number."""
        first: dict[tuple[str, int], float] = {}
        for at_s, payload in self.received:
            source = msgspec.json.decode(payload, type=EventSource)
            first.setdefault((source.unit, source.event_no), at_s)
        return first


class EventSource(msgspec.Struct):
    """The event that a message reports."""

    unit: str
    event_no: int


class GatewayLoad:
    """Ptys, broker, subscriber, player and pipeline of one run."""

    def __init__(self, stack: ExitStack, work: Path, plan: LoadPlan) -> None:
        self._work, self._plan = work, plan
        self._ledger, self._written = work / "ledger.db", work / "written.bin"
        self._children = Children(work)
        self._selector = stack.enter_context(selectors.DefaultSelector())
        self._open_lines(stack)
        stack.callback(self._children.stop)
        self._broker = broker.start(self._children, work, 0)
        self._inbox = CoupInbox()
        topics = f"{ROOT}/{SITE}/+/coup"
        self._subscriber = Subscriber(self._broker, "sabot-bench", topics, self._inbox.add, self._selector)
        self._run_until(lambda: self._subscriber.ready, _BROKER_WITHIN_S)
        self._write_config()
        self._start_player()

    def _open_lines(self, stack: ExitStack) -> None:
        lines = list(ptys(stack, self._plan.ports))
        self._masters, self._names = [master for master, _ in lines], [name for _, name in lines]

    def _start_player(self) -> None:
        load = shoe_player.Load(self._masters, self._plan.frames, self._plan.rate, str(self._written))
        args = [sys.executable, "-m", "sabot_tools.bench.shoe_player", msgspec.json.encode(load).decode()]
        self._children.start("player", args, pass_fds=tuple(self._masters))

    def _table_settings(self) -> str:
        """Return what the config has of every table beside name and port."""
        return f'rulebook = "{shoe_player.RULEBOOK}"\n'

    def _due_coups(self) -> int:
        return shoe_player.coups(self._plan.ports, self._plan.frames)

    def _write_config(self) -> None:
        head = f'site = "{SITE}"\nledger = "{self._ledger}"\nbroker = "{self._broker}"\n'
        tables = (
            f'\n[[table]]\nname = "{table_name(number)}"\nport = "{name}"\n{self._table_settings()}'
            for number, name in enumerate(self._names)
        )
        (self._work / "gateway.toml").write_text(head + "".join(tables))

    def _run_until(self, done: Callable[[], bool], most_s: float) -> None:
        """Step the subscriber until done() is True or the time is over."""
        give_up_s = time.monotonic() + most_s
        while not done() and time.monotonic() < give_up_s:
            self._children.check()
            self._selector.select(_LONGEST_SLEEP_S)
            self._subscriber.step(time.monotonic())

    def measure(self, pipeline: str) -> LoadResult:
        """Start the pipeline, wait until everything has arrived, and stop all processes."""
        due = self._due_coups()
        args = [sys.executable, "-m", *PIPELINES[pipeline], str(self._work / "gateway.toml")]
        process = self._children.start(pipeline, args)
        samples = [sample(process.pid)]

        def done() -> bool:
            if time.monotonic() - samples[-1].at_s >= _SAMPLE_EVERY_S:
                samples.append(sample(process.pid))
            return len(self._inbox.received) >= due and self._written.exists()

        self._run_until(done, self._plan.most_s)
        samples.append(sample(process.pid))
        inside_ms = self._inside_ms() if pipeline == "gateway" else None
        self._children.stop()
        return self._result(samples, due, inside_ms)

    def _inside_ms(self) -> float:
        """Return the daemon's own 99th percentile, from the bytes read to the PUBACK."""
        answer = ask(self._ledger.with_name("control.sock"), Request("status"))
        return float(msgspec.json.decode(answer.data)["broker"]["latency"]["p99_ms"])

    def _result(self, samples: list[Sample], due: int, inside_ms: float | None) -> LoadResult:
        plan, arrived = self._plan, self._inbox.first_at_s()
        if not arrived or not self._written.exists():
            raise CannotMeasureError(
                f"no coup arrived in {plan.most_s:.0f} s from {plan.ports} ports: the machine may be too busy"
            )
        *written, last_ack_s = array("d", self._written.read_bytes())
        frames, rows = counted(self._ledger)
        first_s, end_s = min(filter(None, written)), max([last_ack_s, *arrived.values()])
        return LoadResult(
            seconds=end_s - first_s,
            frames=frames,
            rows=rows,
            sent=plan.ports * plan.frames,
            coups=len(arrived),
            due_coups=due,
            messages=[payload for _, payload in self._inbox.received],
            latency_ms=[(at_s - written[index_of(key, plan.frames)]) * 1e3 for key, at_s in arrived.items()],
            inside_ms=inside_ms,
            late_ms=_late_ms(written, plan) if plan.rate and last_ack_s else 0.0,
            samples=[
                one for one in samples if -_SAMPLE_EVERY_S <= one.at_s - first_s <= end_s - first_s + _SAMPLE_EVERY_S
            ],
        )


def index_of(key: tuple[str, int], frames: int) -> int:
    """Return the index of the time at which an event's frame was written."""
    unit, event_no = key
    return (int(unit, 16) - int(shoe_player.unit(0), 16)) * frames + event_no - 1


def _late_ms(written: list[float], plan: LoadPlan) -> float:
    """Return the player's delay against an even pace, at the 99th percentile."""
    gap_s = 1 / (plan.ports * plan.rate)
    behind = [
        at_s - ((index % plan.frames) * plan.ports + index // plan.frames) * gap_s for index, at_s in enumerate(written)
    ]
    return (percentile(behind, 99) - min(behind)) * 1e3


def counted(ledger: Path) -> tuple[int, int]:
    """Return the number of shoes' events and of all rows in a ledger, of either pipeline."""
    with closing(sqlite3.connect(ledger)) as db:
        frames, rows = db.execute("SELECT count(event_no), count(*) FROM entries").fetchone()
    return frames, rows


def sample(pid: int) -> Sample:
    """Return CPU time and memory of a process now."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks, pages = int(fields[11]) + int(fields[12]), int(fields[21])
    return Sample(time.monotonic(), ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE"))


def ptys(stack: ExitStack, count: int) -> Iterator[tuple[int, str]]:
    """Yield this many ptys: the shoe's end, and the name of the gateway's; they stay open until the stack closes."""
    raise_limits(count)
    for _ in range(count):
        master, slave = os.openpty()
        stack.callback(os.close, master)
        stack.callback(os.close, slave)
        tty.setraw(slave)
        yield master, os.ttyname(slave)


def raise_limits(count: int) -> None:
    """Raise the limit of open files for this process and its children; CannotMeasureError if the system's is lower."""
    needed = count * _DESCRIPTORS_A_PORT + _SPARE_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise CannotMeasureError(
            f"{count} ports need {needed} open files, but the limit is {hard}: raise it with `ulimit -Hn`"
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    most = int(_PTY_LIMIT.read_text()) if _PTY_LIMIT.exists() else count
    if most < count:
        raise CannotMeasureError(
            f"{count} ports need {count} ptys, but the limit is {most}: raise kernel.pty.max with sysctl"
        )


def sync_ms(rounds: int = 100) -> float:
    """Return the median time to write and sync a page on the ledger's disk."""
    with work_dir() as work, Path(work, "sync").open("wb", buffering=0) as file:
        return median(_synced_s(file) for _ in range(rounds)) * 1e3


def _synced_s(file: FileIO) -> float:
    start_s = time.perf_counter()
    file.write(bytes(4096))
    os.fdatasync(file.fileno())
    return time.perf_counter() - start_s
