"""sabot record: write a recording of a scenario, of simulated reads, of edges from a file, or of a serial port."""

import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from errno import EBUSY, EEXIST, EWOULDBLOCK
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

import msgspec
import serial
import typer
from sabot_gateway.shoe import ports
from sabot_protocol import cardcode, messages, recording
from sabot_protocol.recording import Edge, Line, Writer
from sabot_sim.optics import signals
from sabot_sim.optics.profiles import PROFILES

from sabot_tools.actions.read import Read
from sabot_tools.options.numbers import finite
from sabot_tools.text.errors import failure

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: sabot record overdraw.shoe --scenario irregularities/third-card-to-player
Example: sabot record --scenario list
Example: sabot record hil_tests/recordings --scenario all
Example: sabot record normal.shoe --profile normal --seed 1 --cards 52
Example: sabot optics show --profile dirty --count 5 | sabot record dirty.shoe --edges -
Example: sabot record evening.shoe --port /dev/ttyUSB0 --unit 0102030405060708
"""

_GAP_US = (150_000, 400_000)  # between two cards
_STILL_US = 5_500_000  # a card that stays in the path is taken out after this time
_PROGRESS_CARDS = 50
_BAUD = {"sabot": 115_200, "angel-eye": 4800}
_FLUSH_S = 1.0  # a crash loses at most the bytes of this time

Edges = Sequence[tuple[int, int]]
Metadata = dict[str, Any]


@app.command(epilog=EPILOG)
def record(
    out: Annotated[Path | None, typer.Argument(help="File to write, NAME.shoe; it must not exist.")] = None,
    scenario: Annotated[
        str | None,
        typer.Option(help="Record this scenario; `all`: write every scenario to the folder OUT; `list`: list them."),
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help=f"Simulate reads under these conditions: {', '.join(PROFILES)}.")
    ] = None,
    edges: Annotated[
        typer.FileBinaryRead | None,
        typer.Option(help="Read edges from this file: JSON lines for `sabot read`; - is stdin."),
    ] = None,
    port: Annotated[
        str | None, typer.Option(help="Record what the shoe sends on this serial port or pyserial URL.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the simulated hands.", show_default="1, or the scenario's own")
    ] = None,
    cards: Annotated[int, typer.Option(help="Number of simulated reads.", min=1)] = 416,
    card_set: Annotated[int, typer.Option("--set", help="Number of the card set.", min=1, max=cardcode.SETS)] = 1,
    expected: Annotated[
        Path | None, typer.Option(help="Write the right answers of the simulated reads to this .json file.")
    ] = None,
    kind: Annotated[Literal["sabot", "angel-eye"], typer.Option(help="Kind of the shoe at the port.")] = "sabot",
    baud: Annotated[
        int | None,
        typer.Option(help="Baud rate of the port.", show_default="115200, or 4800 for an Angel Eye"),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(callback=finite, help="Stop after this time.", show_default="at Ctrl-C", min=0)
    ] = None,
    unit: Annotated[str | None, typer.Option(help="Unit id of the shoe, for the metadata.")] = None,
    rulebook: Annotated[str | None, typer.Option(help="Rulebook of the table, for the metadata.")] = None,
) -> None:
    """Write a recording of a scenario, of simulated reads, of edges from a file, or of a serial port."""
    if (scenario, profile, edges, port).count(None) != 3:
        raise typer.BadParameter("choose one of --scenario, --profile, --edges and --port")
    if scenario == "list":
        _list_scenarios()
        return
    if out is None:
        raise typer.BadParameter("give the file to write", param_hint="OUT")
    metadata = _metadata(unit=unit, rulebook=rulebook)
    simulation = {"source": "simulator", "profile": profile, "seed": seed or 1, "cards": cards, "card_set": card_set}
    try:
        if scenario is not None:
            _record_scenario(out, scenario, seed)
        elif port is not None:
            metadata["driver"] = kind
            _record_port(out, metadata, _open_port(port, baud or _BAUD[kind]), seconds)
        elif edges is not None:
            _record_lines(out, metadata, edges)
        else:
            _record_simulated(out, metadata | simulation, expected)
    except FileExistsError as error:
        problem = ValueError(f"{error.filename} exists and is not overwritten; choose another name")
        raise failure("record", problem) from error
    except (OSError, ValueError) as error:
        raise failure("record", error) from error


def _list_scenarios() -> None:
    from sabot_sim.scenarios import SCENARIOS

    for name, one in SCENARIOS.items():
        typer.echo(f"{name}: {one.about}")


def _record_scenario(out: Path, name: str, seed: int | None) -> None:
    """Write one scenario to a new file; or write all of them, and print those that changed."""
    from sabot_sim.scenarios import SCENARIOS

    from sabot_tools.replay import scenario_recordings  # the whole gateway: not for --help

    if name == "all":
        changed = scenario_recordings.write_all(out)
        typer.echo(f"sabot record: {len(SCENARIOS)} recordings, {len(changed)} changed", err=True)
        for path in changed:
            typer.echo(path)
    elif name not in SCENARIOS:
        raise ValueError(f"unknown scenario {name!r}: `sabot record --scenario list` lists them")
    elif out.exists():
        raise FileExistsError(EEXIST, "exists", str(out))
    else:
        scenario_recordings.write(SCENARIOS[name], out, seed)


def _metadata(**given: str | None) -> Metadata:
    """Return the program and protocol that write the recording, and what the user gave."""
    program = {"made_by": f"sabot {version('sabot')}", "protocol": messages.protocol_hash().hex()}
    return program | {name: value for name, value in given.items() if value}


def _record_simulated(out: Path, metadata: Metadata, expected: Path | None) -> None:
    """Write the reads that the metadata describes, and their right answers to `expected`."""
    truths: list[Metadata] = []
    _write(out, metadata, one_after_another(_simulated(metadata, truths), random.Random(metadata["seed"])))
    if expected:
        with expected.open("xb") as file:
            file.write(msgspec.json.format(msgspec.json.encode({**metadata, "reads": truths}), indent=1) + b"\n")


def _simulated(metadata: Metadata, truths: list[Metadata]) -> Iterator[Edges]:
    for number in range(metadata["cards"]):
        one = signals.read(metadata["profile"], metadata["seed"], number, metadata["card_set"])
        if number % _PROGRESS_CARDS == 0:
            _progress(f"{number} of {metadata['cards']} cards")
        truths.append({"number": one.number, "kind": one.kind, "truth": one.truth})
        yield one.edges


def one_after_another(reads: Iterable[Edges], rng: random.Random) -> Iterator[Edge]:
    """Yield the edges of all reads, one read after the other; a card left in the path is taken out in between."""
    end: Edge | None = None
    for edges in filter(None, reads):
        if end and end.levels:
            end = Edge(end.t_us + _STILL_US, 0)
            yield end
        shift_us = end.t_us + rng.randint(*_GAP_US) - edges[0][0] if end else 0
        for t_us, levels in edges:
            end = Edge(t_us + shift_us, levels)
            yield end


def _record_lines(out: Path, metadata: Metadata, lines: BinaryIO) -> None:
    reads = _reads(lines)
    first = next(reads, None)
    if first is None:
        raise ValueError(
            "--edges: the file is empty; expected one JSON line per read, as `sabot optics show` prints them"
        )
    metadata |= {"source": "edges", "card_set": first.card_set}
    _write(out, metadata, one_after_another(_of_one_set(chain([first], reads)), random.Random(0)))


def _reads(lines: BinaryIO) -> Iterator[Read]:
    for number, line in enumerate(lines, 1):
        try:
            yield msgspec.json.decode(line, type=Read)
        except ValueError as error:
            raise ValueError(f"--edges: line {number}: {error}") from error


def _of_one_set(reads: Iterable[Read]) -> Iterator[Edges]:
    first = None
    for number, one in enumerate(reads, 1):
        first = first or one.card_set
        if one.card_set != first:
            raise ValueError(
                f"--edges: line {number} has card set {one.card_set}, line 1 has {first}; record one set per file"
            )
        yield one.edges


def _write(out: Path, metadata: Metadata, records: Iterable[Edge]) -> None:
    """Write the whole recording, or no file at all."""
    with out.open("xb") as file:
        writer = Writer(metadata)
        try:
            file.writelines(chain([writer.start()], map(writer.add, records)))
            file.write(writer.finish())
        except BaseException:
            out.unlink()
            raise
        _print_size(out, writer, file.tell())


def _print_size(out: Path, writer: Writer, size: int) -> None:
    counts = writer.counts
    what = f"{counts.edges} edges, {counts.line_bytes} line bytes, {counts.blocks} blocks"
    typer.echo(f"sabot record: {out}: {what}; {size} bytes written", err=True)


def _open_port(port: str, baud: int) -> serial.Serial:
    """Return the open port; ValueError with the reason and the next step."""
    problem = ports.url_problem(port) if port.startswith(("socket:", "rfc2217:")) else None
    if problem:
        raise ValueError(f"port {port} {problem}")
    try:
        return serial.serial_for_url(port, baud, timeout=0.1, exclusive=True)
    except (OSError, ValueError) as error:
        busy = getattr(error, "errno", None) in (EWOULDBLOCK, EBUSY)
        hint = "; if a gateway serves the table, record its line with `sabot table TABLE capture`" if busy else ""
        raise ValueError(f"port {port} {ports.reason(error)}{hint}") from error


def _record_port(out: Path, metadata: Metadata, line: serial.Serial, seconds: float | None) -> None:
    """Record until Ctrl-C; the recording is complete even if the port disappears."""
    metadata |= {"source": "port", "port": line.port, "started_unix_us": time.time_ns() // 1000}
    writer = Writer(metadata)
    with line, out.open("xb", buffering=0) as file:
        file.write(writer.start())
        try:
            _record_line(line, writer, file, seconds)
        except KeyboardInterrupt:
            typer.echo(err=True)
        finally:
            file.write(writer.finish())
            _print_size(out, writer, file.tell())


def _record_line(line: serial.Serial, writer: Writer, file: BinaryIO, seconds: float | None) -> None:
    started_s = flushed_s = now_s = time.monotonic()
    while seconds is None or now_s - started_s < seconds:
        data = line.read(1)
        if data:
            data += line.read(min(line.in_waiting, recording.MAX_LINE_BYTES - 1))
        now_s = time.monotonic()
        if data:
            file.write(writer.add(Line(int((now_s - started_s) * 1e6), "shoe", data)))
        if now_s - flushed_s >= _FLUSH_S:
            file.write(writer.flush())
            flushed_s = now_s
            _progress(f"{writer.counts.line_bytes} bytes")


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        typer.echo(f"\r{text}\r", nl=False, err=True)
