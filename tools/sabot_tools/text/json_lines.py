"""JSON lines in, JSON lines out: one answer per line, in order; a bad line gets an error and affects no other."""

import sys
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import typer


class BadLineError(ValueError):
    """What is wrong with a line, and in which field."""


class _Identified(msgspec.Struct):
    id: Any = None


def answer_lines(
    answer: Callable[[dict[str, Any]], bytes],
    with_error: Callable[[], dict[str, Any]] | None = None,
    lines: Iterable[bytes] | None = None,
) -> None:
    """Answer stdin, or these lines, on stdout; exit with status 1 after a bad line.

    `answer` returns a JSON object without its `{`; `with_error` returns more fields for the answer to a bad line.
    """
    bad, out = False, sys.stdout.buffer
    for number, line in enumerate(sys.stdin.buffer if lines is None else lines, 1):
        try:
            reply = _reply(line, answer)
        except (ValueError, RecursionError) as error:
            bad = True
            more = with_error() if with_error else {}
            reply = msgspec.json.encode({"id": _id_of(line), "error": f"line {number}: {error}", **more})
        out.write(reply + b"\n")
        out.flush()  # a caller at a pipe may wait for each answer
    raise typer.Exit(int(bad))


def _reply(line: bytes, answer: Callable[[dict[str, Any]], bytes]) -> bytes:
    request = request_of(line)
    return b'{"id":%b,%b' % (msgspec.json.encode(request.get("id")), answer(request))


def request_of(line: bytes) -> dict[str, Any]:
    """Return the object on a line; raise ValueError for any other line."""
    if not line.strip():
        raise BadLineError("the line is empty: expected one JSON object per line")
    request = msgspec.json.decode(line)
    if not isinstance(request, dict):
        raise BadLineError("not an object: expected one with an id and the request")
    return request


def _id_of(line: bytes) -> Any:
    """Return the id of a bad line, None if it cannot be read."""
    try:
        return msgspec.json.decode(line, type=_Identified).id
    except (ValueError, RecursionError):
        return None
