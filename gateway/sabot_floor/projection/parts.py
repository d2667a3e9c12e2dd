"""Parts: a long row of things as lists of a bounded length."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T")


def in_parts(things: Iterable[_T], most: int) -> Iterator[list[_T]]:
    """Yield all things in their order, in lists of at most `most`; none of them is empty."""
    part: list[_T] = []
    for one in things:
        part.append(one)
        if len(part) == most:
            yield part
            part = []
    if part:
        yield part
