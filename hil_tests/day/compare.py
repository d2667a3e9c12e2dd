"""Compare: lines of what is known with lines of what is reported; each difference is a sentence."""

from collections.abc import Iterable
from typing import Any

Line = dict[str, Any]
_ROUNDED_S = 0.0011


def differences(section: str, keys: tuple[str, ...], known: Iterable[Line], reported: Iterable[Line]) -> list[str]:
    """Return what differs; lines are matched by their keys, in order where keys repeat."""
    expected, found = _by_key(keys, known), _by_key(keys, reported)
    said = []
    for key in sorted({*expected, *found}, key=str):
        title = f"{section} {' '.join(str(part) for part in key)}"
        said += _differ(title, expected.get(key, []), found.get(key, []))
    return said


def _by_key(keys: tuple[str, ...], lines: Iterable[Line]) -> dict[tuple[Any, ...], list[Line]]:
    found: dict[tuple[Any, ...], list[Line]] = {}
    for line in lines:
        found.setdefault(tuple(str(line[key]) for key in keys), []).append(line)
    return found


def _differ(title: str, expected: list[Line], found: list[Line]) -> list[str]:
    happened, reported = _times(len(expected)), _times(len(found))
    if len(expected) > len(found):
        return [f"{title}: it happened {happened} and is reported {reported}: {expected[-1]}"]
    if len(expected) < len(found):
        return [f"{title}: it is reported {reported} and happened {happened}: {found[-1]}"]
    return [
        f"{title}: {name} is {other.get(name)!r} in the report, and was {value!r}"
        for line, other in zip(expected, found, strict=True)
        for name, value in line.items()
        if not _same(value, other.get(name))
    ]


def _same(value: Any, other: Any) -> bool:
    """A clause of the truth is one of those that the report names; half a millisecond may be rounded either way."""
    if isinstance(value, Clause):
        return not value or str(value) in [part.strip() for part in str(other).split(",")]
    if isinstance(value, float) and isinstance(other, float | int):
        return abs(value - other) < _ROUNDED_S
    return bool(value == other)


class Clause(str):
    """A clause by the printed rules; empty where the simulator expects none in particular."""

    __slots__ = ()


def _times(count: int) -> str:
    return {0: "never", 1: "once"}.get(count, f"{count} times")
