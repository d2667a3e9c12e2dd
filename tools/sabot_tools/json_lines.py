"""JSON lines in, JSON lines out: one answer a line, in order; a bad line is told and the others are unaffected."""

import sys
from collections.abc import Callable
from typing import Any

import msgspec
import typer

_FLUSH_EVERY = 1000


class BadLineError(ValueError):
    """What is wrong with a line, and where."""


def answer_lines(answer: Callable[[dict[str, Any]], bytes]) -> None:
    """Answer stdin on stdout, exit 1 on errors; `answer` gives a JSON object from behind its id."""
    decoder, out, bad = msgspec.json.Decoder(), sys.stdout.buffer, 0
    interactive = sys.stdin.isatty()
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        identity: Any = None
        try:
            request = decoder.decode(line)
            if not isinstance(request, dict):
                raise BadLineError(f"line {number}: an object is wanted, with an id and what is asked")
            identity = request.get("id")
            out.write(b'{"id":%b,%b\n' % (msgspec.json.encode(identity), answer(request)))
        except (ValueError, msgspec.DecodeError) as error:
            bad += 1
            out.write(msgspec.json.encode({"id": identity, "error": str(error)}) + b"\n")
        if interactive or number % _FLUSH_EVERY == 0:
            out.flush()
    out.flush()
    raise typer.Exit(1 if bad else 0)
