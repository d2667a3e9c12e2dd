"""JSON lines in, JSON lines out: one answer a line, in order; a bad line is told and the others are unaffected."""

import sys
from collections.abc import Callable
from typing import Any

import msgspec
import typer


class BadLineError(ValueError):
    """What is wrong with a line, and where."""


class _Identified(msgspec.Struct):
    id: Any = None


def answer_lines(answer: Callable[[dict[str, Any]], bytes]) -> None:
    """Answer stdin on stdout, exit 1 on errors; `answer` gives a JSON object from behind its id."""
    bad, out = False, sys.stdout.buffer
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            reply = _reply(line, answer)
        except (ValueError, RecursionError) as error:
            bad = True
            reply = msgspec.json.encode({"id": _id_of(line), "error": f"line {number}: {error}"})
        out.write(reply + b"\n")
        out.flush()  # who asks through a pipe may wait for each answer
    raise typer.Exit(int(bad))


def _reply(line: bytes, answer: Callable[[dict[str, Any]], bytes]) -> bytes:
    if not line.strip():
        raise BadLineError("empty; one JSON object a line")
    request = msgspec.json.decode(line)
    if not isinstance(request, dict):
        raise BadLineError("an object is wanted, with an id and what is asked")
    return b'{"id":%b,%b' % (msgspec.json.encode(request.get("id")), answer(request))


def _id_of(line: bytes) -> Any:
    """The id of a bad line, where it can be read."""
    try:
        return msgspec.json.decode(line, type=_Identified).id
    except (ValueError, RecursionError):
        return None
