"""sabot read: changes of the four sensors through the firmware's own reader, one JSON line a read."""

from itertools import pairwise
from typing import Annotated, Any

import msgspec
import typer
from msgspec import Meta
from sabot_protocol import cardcode
from sabot_sim.rigs.reader import BENCHES, MOST_SPAN_US, Answer, CPythonReader, VmReader
from sabot_sim.rigs.rig import BenchError

from sabot_tools.text.errors import failure
from sabot_tools.text.json_lines import BadLineError, answer_lines

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: sabot optics show --profile dirty --seed 1 --count 3 | sabot read
Example: echo '{"id": 0, "set": 1, "edges": [[0, 1], [30000, 0]]}' | sabot read --bench cpython
"""

BenchOption = Annotated[
    str, typer.Option("--bench", help="unix: the firmware on the MicroPython VM; cpython: in this interpreter.")
]


class Read(msgspec.Struct):
    """One line in: the inputs as bits at each change."""

    edges: list[tuple[Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=0, le=0xFFFF)]]]
    card_set: Annotated[int, Meta(ge=1, le=cardcode.SETS)] = msgspec.field(name="set", default=1)


def bench_of(action: str, name: str) -> CPythonReader | VmReader:
    """The reader on this bench, or a word why not."""
    if name not in BENCHES:
        raise typer.BadParameter(f"no bench {name!r}: choose one of {', '.join(BENCHES)}", param_hint="--bench")
    try:
        return BENCHES[name]()
    except BenchError as error:
        raise failure(action, error) from error


@app.command(epilog=EPILOG)
def read(bench: BenchOption = "unix") -> None:
    """Read cards from changes of the sensors: JSON lines in, card or reason of the reject out."""
    with bench_of("read", bench) as reader:
        answer_lines(lambda line: answer(reader, line))


def answer(reader: CPythonReader | VmReader, line: dict[str, Any]) -> bytes:
    """The reply to one line, from behind its id."""
    asked = msgspec.convert(line, Read)
    _check_times([t_us for t_us, _ in asked.edges])
    start_us = asked.edges[0][0] if asked.edges else 0
    (answers,) = reader.read(asked.card_set, [[(t_us - start_us, pins) for t_us, pins in asked.edges]])
    return msgspec.json.encode(told(answers))[1:]


def _check_times(times_us: list[int]) -> None:
    for number, (one, other) in enumerate(pairwise(times_us), 1):
        if other < one:
            raise BadLineError(f"edges[{number}]: {other} us comes after {one} us; edges go forwards in time")
    if times_us and times_us[-1] - times_us[0] > MOST_SPAN_US:
        raise BadLineError(f"edges[{len(times_us) - 1}]: {times_us[-1]} us is more than a day after edges[0]")


def told(answers: list[Answer]) -> dict[str, Any]:
    """One read as contracts have it; several as a list of cards, with each in full beside it. Noise is a footnote."""
    if not answers:
        return {"reject": "nothing", "say": "no change of the inputs that a reader could see"}
    noise = [one for one in answers if one.reason == "noise"]
    if noise and len(noise) < len(answers):
        return {**told([one for one in answers if one.reason != "noise"]), "noise": len(noise)}
    if len(answers) == 1 or noise:
        return _one(answers[0])
    rejects = [one.reason for one in answers if one.reason]
    reply: dict[str, Any] = {"cards": [one.card for one in answers], "reads": [_one(one) for one in answers]}
    return {**reply, "reject": rejects[0]} if rejects else reply


def _one(one: Answer) -> dict[str, Any]:
    if one.card:
        return {"card": one.card, "margin": one.margin_pct / 100, "speed_mm_s": one.speed_mm_s}
    reply: dict[str, Any] = {"reject": one.reason, "columns": one.columns, "speed_mm_s": one.speed_mm_s}
    if one.doubtful:
        reply["doubtful"] = [column + 1 for column in range(cardcode.COLUMNS) if one.doubtful >> column & 1]
    return reply
