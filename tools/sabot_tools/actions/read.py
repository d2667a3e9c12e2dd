"""sabot read: read cards with the firmware's own reader from changes of the sensors, one JSON line per read."""

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
    """One input line: the inputs as bits at each change."""

    edges: list[tuple[Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=0, le=0xFFFF)]]]
    card_set: Annotated[int, Meta(ge=1, le=cardcode.SETS)] = msgspec.field(name="set", default=1)


def bench_of(action: str, name: str) -> CPythonReader | VmReader:
    """Return the reader on this bench; BadParameter if there is no such bench."""
    if name not in BENCHES:
        raise typer.BadParameter(f"unknown bench {name!r}: choose one of {', '.join(BENCHES)}", param_hint="--bench")
    try:
        return BENCHES[name]()
    except BenchError as error:
        raise failure(action, error) from error


@app.command(epilog=EPILOG)
def read(bench: BenchOption = "unix") -> None:
    """Read cards from changes of the sensors: JSON lines in, the card or the reason of the reject out."""
    with bench_of("read", bench) as reader:
        answer_lines(lambda line: answer(reader, line))


def answer(reader: CPythonReader | VmReader, line: dict[str, Any]) -> bytes:
    """Return the reply to one line as JSON without its first brace, for answer_lines."""
    request = msgspec.convert(line, Read)
    _check_times([t_us for t_us, _ in request.edges])
    start_us = request.edges[0][0] if request.edges else 0
    (answers,) = reader.read(request.card_set, [[(t_us - start_us, pins) for t_us, pins in request.edges]])
    return msgspec.json.encode(reply_to(answers))[1:]


def _check_times(times_us: list[int]) -> None:
    for number, (before, after) in enumerate(pairwise(times_us), 1):
        if after < before:
            raise BadLineError(f"edges[{number}]: {after} us comes after {before} us; edges must be in order of time")
    if times_us and times_us[-1] - times_us[0] > MOST_SPAN_US:
        raise BadLineError(f"edges[{len(times_us) - 1}]: {times_us[-1]} us is more than a day after edges[0]")


def reply_to(answers: list[Answer]) -> dict[str, Any]:
    """Return the reply: one read as it is, several as a list of cards and of reads; noise is only counted."""
    if not answers:
        return {"reject": "nothing", "say": "the inputs did not change, or too briefly for the reader"}
    noise = [one for one in answers if one.reason == "noise"]
    if noise and len(noise) < len(answers):
        return {**reply_to([one for one in answers if one.reason != "noise"]), "noise": len(noise)}
    if len(answers) == 1 or noise:
        return _read_reply(answers[0])
    rejects = [one.reason for one in answers if one.reason]
    reply: dict[str, Any] = {"cards": [one.card for one in answers], "reads": [_read_reply(one) for one in answers]}
    return {**reply, "reject": rejects[0]} if rejects else reply


def _read_reply(one: Answer) -> dict[str, Any]:
    if one.card:
        return {"card": one.card, "margin": one.margin_pct / 100, "speed_mm_s": one.speed_mm_s}
    reply: dict[str, Any] = {"reject": one.reason, "columns": one.columns, "speed_mm_s": one.speed_mm_s}
    if one.doubtful:
        reply["doubtful"] = [column + 1 for column in range(cardcode.COLUMNS) if one.doubtful >> column & 1]
    return reply
