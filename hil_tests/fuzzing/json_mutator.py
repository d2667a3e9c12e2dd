"""JSON mutator: changes a value, a key or the shape of a JSON document, so that more than its syntax is tried."""

import json
from random import Random
from typing import Any

_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**53, 2**63, -(2**63), 10**30, 1e308, 0.5, "", "x", "0", "\x00", "\u202e",
    "\ud7ff", "😀", "a" * 200, "../..", "' OR 1=1 --", "<script>", "2026-01-02T03:04:05.006Z", "2026-13-45", "bac-01",
    "8S", [], {}, [[]], [{}], {"": {}}, "player", "banker", "tie", "void", "confirmed",
]  # fmt: skip
_DEEP = "[" * 3000


def mutated(data: bytes, most: int, seed: int) -> bytes | None:
    """Return another document, None if this is none."""
    chance = Random(seed)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if chance.random() < 0.01:
        return (b'{"deep":' + _DEEP.encode())[:most]
    for _ in range(chance.choice((1, 1, 2, 3))):
        document = _changed(document, chance)
    separators = (",", ":") if chance.random() < 0.9 else None
    made = json.dumps(
        document, ensure_ascii=chance.random() < 0.5, separators=separators, sort_keys=chance.random() < 0.8
    )
    return made.encode(errors="surrogatepass")[:most]


def _changed(document: Any, chance: Random) -> Any:
    """Return it with one change, anywhere."""
    if isinstance(document, dict) and document and chance.random() < 0.9:
        key = chance.choice(list(document))
        act = chance.random()
        if act < 0.75:
            return {**document, key: _changed(document[key], chance)}
        if act < 0.85:
            return {name: value for name, value in document.items() if name != key}
        return {**document, chance.choice((key + "x", key.upper(), "", "id", "args")): chance.choice(_VALUES)}
    if isinstance(document, list) and document and chance.random() < 0.9:
        at = chance.randrange(len(document))
        act = chance.random()
        if act < 0.7:
            return [*document[:at], _changed(document[at], chance), *document[at + 1 :]]
        return (
            document[:at] + document[at + 1 :] if act < 0.85 else [*document, document[at]] * chance.choice((1, 1, 3))
        )
    return _value(document, chance)


def _value(value: Any, chance: Random) -> Any:
    act = chance.random()
    if isinstance(value, bool) or act < 0.5:
        return chance.choice(_VALUES)
    if isinstance(value, int):
        return value + chance.choice((-1, 1, 2, 255, -256, 1 << 16, -value))
    if isinstance(value, str):
        at = chance.randrange(len(value) + 1)
        return value[:at] + chance.choice(("", "x", "0", "/", "\n", "é", value)) + value[at + chance.choice((0, 1)) :]
    return chance.choice(_VALUES)
