"""Examples: a value of any type of a message, made from its definition, to begin with."""

from typing import Any

from msgspec import UNSET, inspect

_TEXTS = {
    "time": "2026-11-17T12:00:00.000Z",
    "table": "bac-01",
    "jackpot": "lucky-tie",
    "rulebook": "crown-baccarat",
    "currency": "AUD",
    "unit": "5ab0000000000001",
    "card": "8S",
    "results": "BPbPTn",
    "role": "dealer",
    "person": "vera",
    "gaming_day": "2026-11-17",
}
_TRIED = ("x", "8S", "3/17", "vera", "0" * 16, "0" * 32, "0" * 64, "0" * 128, "", "2026-11-17T12:00:00.000Z")


def example(kind: Any) -> Any:
    """Return a value as JSON has it."""
    return _of(inspect.type_info(kind), "")


def _of(info: inspect.Type, name: str) -> Any:
    match info:
        case inspect.Metadata(type=inner):
            return _of(inner, name)
        case inspect.StructType(fields=fields):
            tag = {info.tag_field: info.tag} if info.tag_field else {}
            return tag | {field.encode_name: _of(field.type, field.name) for field in fields if _wanted(field)}
        case inspect.UnionType(types=types):
            return _of(next(one for one in types if not isinstance(one, inspect.NoneType)), name)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            return [_of(item, name.removesuffix("s"))]
        case inspect.DictType(key_type=key, value_type=value):
            return {_of(key, "key"): _of(value, "value")}
        case inspect.LiteralType(values=values):
            return values[0]
    return _plain(info, name)


def _wanted(field: inspect.Field) -> bool:
    return field.default is not UNSET or field.required


def _plain(info: inspect.Type, name: str) -> Any:
    match info:
        case inspect.BoolType():
            return True
        case inspect.IntType(ge=least):
            return max(1, least or 0)
        case inspect.FloatType():
            return 1.0
        case inspect.StrType(pattern=pattern):
            return _text(name, pattern)
    return None


def _text(name: str, pattern: str | None) -> str:
    import re

    found = _TEXTS.get(name, "x")
    return next((text for text in (found, *_TRIED) if pattern is None or re.search(pattern, text)), found)
