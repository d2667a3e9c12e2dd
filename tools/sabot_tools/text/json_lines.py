"""JSON lines in, JSON lines out: one answer per line, in order; a bad line gets an error and affects no other."""

import sys
import time
from collections.abc import Callable, Iterator
from io import BufferedReader
from typing import Any

import msgspec
import typer

_BLOCK_BYTES = 1 << 16
_MOST_S = 0.02  # that an answer waits for those to the lines behind it


class BadLineError(ValueError):
    """What is wrong with a line, and in which field."""


class _Identified(msgspec.Struct):
    id: Any = None


def answer_lines(
    answer: Callable[[dict[str, Any]], bytes],
    with_error: Callable[[], dict[str, Any]] | None = None,
    lines: BufferedReader | None = None,
) -> None:
    """Answer stdin, or this file, on stdout; exit with status 1 after a bad line.

    `answer` returns a JSON object without its `{`; `with_error` returns more fields for the answer to a bad line.
    """
    stdin: Any = sys.stdin.buffer
    replies: list[bytes] = []
    bad, written_s = False, 0.0
    for number, (line, more_wait) in enumerate(_lines(lines or stdin), 1):
        try:
            replies += _reply(line, answer)
        except (ValueError, RecursionError) as error:
            bad = True
            more = with_error() if with_error else {}
            replies += [msgspec.json.encode({"id": _id_of(line), "error": f"line {number}: {error}", **more}), b"\n"]
        if not more_wait or time.monotonic() - written_s > _MOST_S:
            sys.stdout.buffer.write(b"".join(replies))
            sys.stdout.buffer.flush()  # a caller at a pipe may wait for each answer
            replies, written_s = [], time.monotonic()
    raise typer.Exit(int(bad))


def _lines(file: BufferedReader) -> Iterator[tuple[bytes, bool]]:
    """Yield each line as soon as it is there, and whether the next one is there too."""
    begun: list[bytes] = []
    while block := file.read1(_BLOCK_BYTES):
        *whole, last = block.split(b"\n")
        if whole:
            whole[0] = b"".join([*begun, whole[0]])
            begun.clear()
        for left, line in enumerate(whole, 1 - len(whole)):
            yield line + b"\n", left < 0
        begun.append(last)
    if any(begun):
        yield b"".join(begun), False


def _reply(line: bytes, answer: Callable[[dict[str, Any]], bytes]) -> tuple[bytes, ...]:
    request = request_of(line)
    return b'{"id":', msgspec.json.encode(request.get("id")), b",", answer(request), b"\n"


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
