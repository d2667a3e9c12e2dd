"""sabot bench: speed and memory as ratios, measured side by side in one run, the goal beside them."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sabot_tools.stand.local_site import LocalSite

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure speed and memory, one JSON line a figure."""


@dataclass(frozen=True)
class Figure:
    """One ratio; `ok` says on which side of the goal it lies."""

    name: str
    ratio: float
    goal: float
    unit: str
    ok: bool
    what: str


def at_least(name: str, ratio: float, goal: float, what: str) -> Figure:
    """A ratio that should be large."""
    return Figure(name, round(ratio, 2), goal, "x", ratio >= goal, what)


def at_most(name: str, ratio: float, goal: float, what: str) -> Figure:
    """A ratio that should be small."""
    return Figure(name, round(ratio, 2), goal, "x, at most", ratio <= goal, what)


def best_s(action: Callable[[], object], rounds: int = 7) -> float:
    """The shortest of several rounds: what the machine can do when nobody disturbs it."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def cli() -> Iterator[Figure]:
    """`sabot --help` against the bare interpreter."""

    def run(*args: str) -> float:
        return best_s(lambda: subprocess.run([sys.executable, *args], check=True, stdout=subprocess.DEVNULL))

    bare, helped = run("-c", "pass"), run("-m", "sabot_tools", "--help")
    yield at_most(
        "cli.help_over_bare_python", helped / bare, 15, f"{helped:.3f} s against {bare:.3f} s; 0.3 s is asked"
    )


def firmware() -> Iterator[Figure]:
    """Flash and heap of the shoe against its budgets, on the VM and on the chip; its work a card and a turn."""
    from sabot_sim.rigs import build
    from sabot_sim.rigs.vm import HEAP, firmware_dir, micropython

    size = _mpy_bytes({"program.py": firmware_dir() / "main.py", **build.modules()})
    yield at_least("firmware.flash_budget_over_mpy", 65536 / size, 1, f"{size} bytes of .mpy for armv6m, of 65536")
    used, total = _heap(firmware_dir(), micropython(), HEAP)
    what = f"{used / 2048:.1f} KiB, as a 32-bit board counts, of 96, modules compiled there included"
    yield at_least("firmware.heap_over_used", total / used, 1, what)
    yield from _shoe_on_chip()


def _heap(firmware_dir: Path, vm: str, heap: str) -> tuple[int, int]:
    code = (
        f"import sys, gc; sys.path.append({str(firmware_dir)!r}); gc.threshold(8192)\n"
        "import main\n"
        "class Board(main.boards.Board):\n"
        "    def __init__(self, sampler):\n"
        "        self.sampler, self.unit, self._state_dir = sampler, bytes(8), sys.argv[1]\n"
        "        self.rx, self.rx_size = bytearray(256), 0\n"
        "it = main.Main(Board(main.Sampler()))\n"
        "gc.collect(); print(gc.mem_alloc(), gc.mem_alloc() + gc.mem_free())\n"
    )
    with tempfile.TemporaryDirectory() as state:
        script = Path(state) / "heap.py"
        script.write_text(code)
        ran = subprocess.run([vm, "-X", heap, str(script), state], capture_output=True, text=True, check=True)
    used, total = map(int, ran.stdout.split())
    return used, total


def _shoe_on_chip() -> Iterator[Figure]:
    """Nothing where there is no UF2: stderr says how to get one."""
    from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2

    from sabot_tools.bench import shoe_on_chip

    uf2 = find_uf2()
    if uf2 is None:
        print(f"sabot bench: no chip: {HOW_TO_GET_UF2}", file=sys.stderr)
        return
    made = shoe_on_chip.measure(uf2)
    what = f"{made.heap_used / 1024:.1f} KiB in use by the whole shoe, of 96; {made.heap_free / 1024:.0f} KiB are free"
    yield at_least("firmware.chip_heap_over_used", 98304 / made.heap_used, 1, what)
    what = f"{made.awake:,.0f} cycles awake a card at 1 m/s, from its first edge to its event, of {made.passing:,}"
    yield at_least("firmware.chip_cycles_a_card", made.passing / made.awake, 1, what)
    what = f"longest turn {made.round_us:,} us; at 3 m/s the ring of samples is full after {made.ring_us:,}"
    yield at_least("firmware.chip_round", made.ring_us / made.round_us, 2, what)


def _mpy_bytes(modules: dict[str, Path]) -> int:
    from sabot_sim.rigs import build

    return sum(len(build.compiled(name, build.source(path))) for name, path in modules.items())


def ledger() -> Iterator[Figure]:
    """A commit for all that one turn brought, against a commit for each entry."""
    from sabot_gateway.ledger import Entry, Ledger

    def entries(first: int) -> list[Entry]:
        return [Entry("u", number, "t", "cards", b"x" * 300, b"y" * 22) for number in range(first, first + 50)]

    with tempfile.TemporaryDirectory() as work:
        book, numbers = Ledger(Path(work) / "ledger.db"), iter(range(0, 10**9, 50))
        grouped = best_s(lambda: book.append(entries(next(numbers))))
        single = best_s(lambda: list(map(book.append, ([entry] for entry in entries(next(numbers))))))
    yield at_least(
        "ledger.group_commit_over_single",
        single / grouped,
        5,
        f"50 entries: {grouped * 1e3:.1f} ms against {single * 1e3:.1f} ms",
    )


def path() -> Iterator[Figure]:
    """Last card to MQTT through every stage, against a bare publish and receive on the same broker."""
    from sabot_tools.stand.local_site import LocalSite, SitePlan

    with tempfile.TemporaryDirectory() as work, LocalSite(SitePlan(Path(work), speed=20)) as stand:
        coups: list[float] = []
        bare: list[float] = []
        while len(coups) < 40:
            stand.step()
            for message in stand.take_inbox():
                if message.topic.endswith("/coup"):
                    coups.append(message.at_s - stand.tables["bac-01"].coup_received())
                    bare.append(_bare_round_trip_s(stand))
    what = f"median {median(coups) * 1e3:.1f} ms against {median(bare) * 1e3:.1f} ms, longest {max(coups) * 1e3:.1f} ms"
    yield at_most("path.coup_over_bare_mqtt", median(coups) / median(bare), 10, what)


def _bare_round_trip_s(stand: "LocalSite") -> float:
    """Publish to ourselves and wait for it, with the dealers at rest."""
    start = time.monotonic()
    stand.publish_to_self(b"ping")
    while not (got := [message for message in stand.inbox if message.payload == b"ping"]):
        stand.step_mqtt()
    stand.inbox.remove(got[0])
    return got[0].at_s - start


def rules() -> Iterator[Figure]:
    """Settlement through the command, exact odds, and simulated shoes against a plain loop over the same rules."""
    from sabot_protocol import rulebooks

    from sabot_tools.actions.simulate import simulation

    book = rulebooks.load("crown-baccarat")
    rate = _settle_rate("crown-baccarat")
    yield at_least("rules.settle_over_20000_a_second", rate / 20_000, 1, f"{rate:,.0f} coups a second, start included")
    took = best_s(lambda: _sabot("odds", "--rulebook", "crown-baccarat", "--json"), 3)
    yield at_least("rules.odds_3_seconds_over_time", 3 / took, 1, f"{took:.2f} s for a whole rulebook, 8 decks")
    deal = simulation(book, 8, 1, pairs=False)
    deal.run(200_000)
    before = deal.coups
    vectorised = best_s(lambda: deal.run(deal.coups + 1_500_000), 3) / ((deal.coups - before) / 3)
    plain = best_s(_plain_shoe, 5) / _plain_shoe()
    yield at_least(
        "rules.simulate_over_plain_loop", plain / vectorised, 25, f"{1 / plain:,.0f} coups a second in the loop"
    )
    yield at_least("rules.simulate_over_5_million", 1 / vectorised / 5e6, 1, f"{1 / vectorised:,.0f} coups a second")


def _sabot(*args: str, lines: bytes = b"") -> None:
    command = [sys.executable, "-m", "sabot_tools", *args]
    subprocess.run(command, input=lines, stdout=subprocess.DEVNULL, check=True)


def _settle_rate(rulebook: str, coups: int = 60_000) -> float:
    import random

    from sabot_protocol.cards import DECK

    rng = random.Random(1)
    lines = [{"id": number, "stock": rng.sample(DECK * 8, 6)} for number in range(coups)]
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    return coups / best_s(lambda: _sabot("settle", "--rulebook", rulebook, lines=text), 3)


def _plain_shoe() -> int:
    """One shoe dealt coup by coup with the gateway's rules; how many coups it had."""
    import random

    from sabot_gateway.rules import play
    from sabot_sim.dealing.stack import CUT, shuffled

    cards = shuffled(8, random.Random(1))
    cut = cards.index(CUT)
    cards.remove(CUT)
    at, coups = 1, 0
    while at <= cut:
        at += len(play(cards[at : at + 6]).slots)
        coups += 1
    return coups


def parse() -> Iterator[Figure]:
    """The generated codec against construct, all of the gateway's way against the textbook, and the link's goodput."""
    from sabot_protocol import codec, messages

    from sabot_tools.bench import wire

    actions = ((messages.Frame.parse, 10), (messages.Frame.compile().parse, 50), (codec.parse, 500))
    interpreted, compiled, ours = _in_turn_s(wire.card_frame(5), actions, 1000)
    rates = f"{1 / ours:,.0f} frames a second against {1 / interpreted:,.0f} interpreted, {1 / compiled:,.0f} compiled"
    yield at_least("parse.generated_over_interpreted", interpreted / ours, 30, rates)
    yield at_least("parse.generated_over_compiled", compiled / ours, 8, rates)
    yield _full_path()
    yield _goodput()


def _full_path() -> Figure:
    from sabot_tools.bench import wire

    reads = wire.reads()
    ways = (wire.by_textbook, wire.by_textbook_in_c, wire.by_gateway)
    if any(len(way(reads)) != wire.FRAMES for way in ways):
        raise RuntimeError("not every frame came through: the ways cannot be compared")
    took_s = _in_turn_s(reads, tuple((way, 1) for way in ways), 200)
    textbook, in_c, ours = (each / wire.FRAMES for each in took_s)
    what = (
        f"{1 / ours:,.0f} authenticated card frames a second, 16 a read, bytes to checked Frame, against "
        f"{1 / textbook:,.0f}: split, COBS byte by byte and table CRC in Python, hmac.new, interpreted construct; "
        f"{in_c / ours:.1f} x with COBS and CRC in C"
    )
    return at_least("parse.full_path_over_interpreted", textbook / ours, 10, what)


def _goodput() -> Figure:
    from sabot_tools.bench import wire

    made = wire.goodput()
    what = (
        f"{wire.BACKLOG} cards in {made.seconds:.2f} s of 115,200 baud from WELCOME to the last ack, commits of "
        f"10 ms: frames of events {made.events:.1%} of the line, the events in them {made.bodies:.1%}; "
        f"{made.acks} acks, {made.down:.1%} of the way back; {made.resends} resends"
    )
    return at_least("link.goodput_over_line", made.events, 0.9, what)


def _in_turn_s(subject: object, actions: tuple[tuple[Callable[..., object], int], ...], rounds: int) -> list[float]:
    """Seconds a call, the shortest of many short rounds taken in turn: a busy machine is fair to all."""
    best = [float("inf")] * len(actions)
    for _ in range(rounds):
        for at, (action, calls) in enumerate(actions):
            start = time.perf_counter()
            for _ in range(calls):
                action(subject)
            best[at] = min(best[at], (time.perf_counter() - start) / calls)
    return best


def reader() -> Iterator[Figure]:
    """Cards read on the VM and on the emulated chip, and what the reader takes of heap and flash."""
    from sabot_sim.optics import signals
    from sabot_sim.rigs.reader import CPythonReader, VmReader
    from sabot_sim.rigs.vm import firmware_dir

    reads = [signals.read("normal", 1, number).edges for number in range(1_000)]
    with VmReader() as vm, CPythonReader() as here:
        on_vm, in_cpython = (best_s(partial(bench.read, 1, reads), 5) / len(reads) for bench in (vm, here))
    rates = f"{1 / on_vm:,.0f} reads a second on the VM, {1 / in_cpython:,.0f} in CPython"
    yield at_least("reader.vm_over_cpython", in_cpython / on_vm, 0.3, rates)
    size = _mpy_bytes({name: firmware_dir() / name for name in (f"sabot/{module}.py" for module in READER_MODULES)})
    yield at_least("reader.flash_budget_over_mpy", 65536 / size, 4, f"{size} bytes of .mpy for armv6m, of 65536")
    yield from _on_chip()


_READING = ("sampler", "presence", "marks", "geometry", "strip", "trailing", "wear", "reader")
READER_MODULES = (*(f"reading/{name}" for name in _READING), "wire")


def _on_chip() -> Iterator[Figure]:
    """Nothing where there is no UF2: stderr says how to get one."""
    from sabot_protocol.cardcode import CARD_UM, SENSORS_UM, set_words
    from sabot_sim.chip.chip import DECODED_GPIO
    from sabot_sim.chip.pio import CYCLE_NS
    from sabot_sim.chip.reader_program import booted_reader, counters, cycles_for
    from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
    from sabot_sim.optics.signals import card_edges

    uf2 = find_uf2()
    if uf2 is None:
        print(f"sabot bench: no chip: {HOW_TO_GET_UF2}", file=sys.stderr)
        return
    chip = booted_reader(uf2)
    words = list(set_words(1).values())
    awake = median(cycles_for(chip, card_edges(word, 1000)) for word in words[::10])
    passing = (SENSORS_UM["exit"] + CARD_UM) * 1000 // CYCLE_NS  # cycles at 1 m/s
    what = f"{awake:,.0f} cycles awake a card at 1 m/s, of {passing:,} while it passes; idle is 3.4 million a second"
    yield at_least("reader.chip_cycles_passing_over_awake", passing / awake, 2, what)
    start_ns = chip.pins(card_edges(words[0], 3000))
    before = len(chip.changes)
    chip.answer()
    decoded_ns = next(change.t_ns for change in chip.changes[before:] if change.gpio == DECODED_GPIO) - start_ns
    exit_ns, out_ns = (um * 1_000_000 // 3000 for um in (SENSORS_UM["exit"], SENSORS_UM["exit"] + CARD_UM))
    decoded, left = (decoded_ns - exit_ns) // CYCLE_NS, (out_ns - exit_ns) // CYCLE_NS
    what = f"decoded {decoded:,} cycles after the exit's rise at 3 m/s, the tail leaves after {left:,}"
    yield at_least("reader.chip_tail_over_decoded", left / decoded, 1, what)
    heap = counters(chip)
    what = f"{heap['heap_used'] / 1024:.1f} KiB in use by the reader program, of 96"
    yield at_least("reader.chip_heap_over_used", 98304 / heap["heap_used"], 1, what)


def gateway() -> Iterator[Figure]:
    """The real daemon with 200 and 1,000 ports, against the textbook's pipeline and against its goals."""
    from sabot_tools.bench import gateway_figures

    yield from gateway_figures.figures()


GROUPS: dict[str, Callable[[], Iterator[Figure]]] = {
    "cli": cli,
    "firmware": firmware,
    "gateway": gateway,
    "ledger": ledger,
    "parse": parse,
    "path": path,
    "reader": reader,
    "rules": rules,
}


@app.command(epilog="Example: sabot bench figures --only cli")
def figures(
    only: Annotated[str | None, typer.Option(help=f"One group: {', '.join(GROUPS)}.")] = None,
) -> None:
    """Print one JSON line a figure; the exit status is 0 whatever they are."""
    if only is not None and only not in GROUPS:
        raise typer.BadParameter(f"no group {only!r}: choose one of {', '.join(GROUPS)}")
    from sabot_sim.rigs.rig import BenchError

    from sabot_tools.stand.broker import NoBrokerError
    from sabot_tools.text.errors import failure

    for name, group in GROUPS.items():
        if only in (None, name):
            try:
                for figure in group():
                    print(json.dumps(asdict(figure)), flush=True)
            except (BenchError, NoBrokerError) as error:
                raise failure(f"bench figures {name}", error) from error


@app.command(epilog="Example: sabot bench optics --reads 2000 --seed 1")
def optics(
    reads: Annotated[int, typer.Option(min=1, help="So many reads of each profile.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Another seed, other cards and other dirt.")] = 1,
    first: Annotated[int, typer.Option(min=0, help="The number of the first read: go on where a run ended.")] = 0,
    profile: Annotated[list[str] | None, typer.Option(help="One profile; may be repeated. All without it.")] = None,
    bench: Annotated[str, typer.Option("--bench", help="unix: on the MicroPython VM; cpython: here.")] = "unix",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for programs.")] = False,
) -> None:
    """Read simulated cards by the thousand; exit status 1 on a wrong card or more rejects than allowed."""
    from sabot_tools.bench import reader_accuracy

    profiles = reader_accuracy.known(profile or [], bench)
    ok = reader_accuracy.measure(profiles, seed, range(first, first + reads), bench, as_json)
    raise typer.Exit(int(not ok))
