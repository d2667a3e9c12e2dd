"""The message definition as a tree of plain values, made by one walk over construct.

Codec, protocol page, dissector and firmware tables read this tree, not the constructs. messages/frames.py makes the
trees of the real messages.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import construct

from sabot_protocol import fields


@dataclass(frozen=True)
class Number:
    """A number, little-endian; `format` is its struct code, `most` the bound above which it is refused."""

    format: str
    size: int
    most: int | None = None


@dataclass(frozen=True)
class _Enumeration:
    """A number with names and what they mean; `title` is the name of the enumeration in fields.py, where it has one."""

    format: str
    size: int
    numbers: Mapping[str, int]
    title: str
    meanings: Mapping[str, str]


class Names(_Enumeration):
    """A number whose values have names."""


class Flags(_Enumeration):
    """A number whose bits have names; `numbers` holds the mask of each."""


@dataclass(frozen=True)
class Raw:
    """Bytes that the codec does not interpret."""

    size: int


@dataclass(frozen=True)
class Choice:
    """What follows depends on the name in field `on` of the same layout; its own size counts as 0."""

    on: str
    cases: "Mapping[str, Value]"
    otherwise: "Value"
    size: int = 0


@dataclass(frozen=True)
class End:
    """The frame ends here: further bytes are refused."""

    size: int = 0


@dataclass(frozen=True)
class Unknown:
    """A part that only construct itself can parse and build; `type` is the name of its class."""

    type: str
    size: int = 0


@dataclass(frozen=True)
class Layout:
    """Fields in order; `size` is the bytes of all but the choice at the end."""

    fields: "tuple[Field, ...]"
    size: int
    doc: str = ""

    def field(self, name: str) -> "Field":
        """Return the field of this name."""
        return next(field for field in self.fields if field.name == name)

    def named(self) -> "list[Field]":
        """Return the fields without the end mark."""
        return [field for field in self.fields if field.name]

    def cases(self) -> "dict[str, Layout]":
        """Return the layouts of the choice at the end, by name; none if the size is fixed."""
        choices = (field.value for field in self.fields if isinstance(field.value, Choice))
        every = (item for choice in choices for item in choice.cases.items())
        return {name: case for name, case in every if isinstance(case, Layout)}


Value: TypeAlias = Number | Names | Flags | Raw | Choice | End | Unknown | Layout


@dataclass(frozen=True)
class Field:
    """A field of a layout; `offset` counts from the first byte of the layout."""

    name: str
    offset: int
    value: Value
    doc: str = ""
    optional: bool = False  # build accepts a missing value

    @property
    def size(self) -> int:
        """Return the bytes it takes; 0 for a choice."""
        return self.value.size


def value_of(part: construct.Construct) -> Value:
    """Return a construct as plain values; by exact type, because a subclass may mean something else."""
    read = _READERS.get(type(part))
    if read is None or part.parsed is not None:
        return Unknown(type(part).__name__)
    return read(part)


def _number(part: construct.FormatField) -> Value:
    if part.length > 1 and part.fmtstr[0] != "<":
        return Unknown(type(part).__name__)
    return Number(part.fmtstr[1], part.length)


def _at_most(part: fields.AtMost) -> Value:
    return _on_number(part, lambda number: Number(number.format, number.size, part.most))


def _names(part: construct.Mapping) -> Value:
    return _on_number(part, lambda number: Names(number.format, number.size, part.encmapping, *_described(part)))


def _flags(part: construct.FlagsEnum) -> Value:
    return _on_number(part, lambda number: Flags(number.format, number.size, part.flags, *_described(part)))


def _on_number(part: construct.Subconstruct, make: Callable[[Number], Value]) -> Value:
    """Return `make` of the number inside a part; Unknown if what is inside is not a plain number."""
    below = value_of(part.subcon)
    if not isinstance(below, Number) or below.most is not None:
        return Unknown(type(part.subcon).__name__)
    return make(below)


def _described(part: construct.Construct) -> tuple[str, Mapping[str, str]]:
    """Return title and meanings of an enumeration."""
    return _TITLES.get(id(part), ""), getattr(part, "meanings", {})


def _raw(part: construct.Bytes) -> Value:
    return Raw(part.length) if type(part.length) is int else Unknown(type(part).__name__)


def _choice(part: construct.Switch) -> Value:
    on = re.fullmatch(r"this\['([^']+)'\]", repr(part.keyfunc))  # a field of the same struct, not an outer one
    if on is None:
        return Unknown(type(part).__name__)
    return Choice(on[1], {name: value_of(case) for name, case in part.cases.items()}, value_of(part.default))


def layout_of(part: construct.Struct) -> Layout:
    """Return the fields of a struct with their offsets."""
    placed, offset = [], 0
    for inner in part.subcons:
        value = value_of(inner) if inner.name or inner is construct.Terminated else Unknown(type(inner).__name__)
        placed.append(Field(inner.name or "", offset, value, inner.docs or "", inner.flagbuildnone))
        offset += value.size
    return Layout(tuple(placed), offset, part.docs or "")


_READERS: Final[dict[type, Callable[[Any], Value]]] = {
    construct.FormatField: _number,
    fields.AtMost: _at_most,
    construct.Mapping: _names,
    construct.FlagsEnum: _flags,
    construct.Bytes: _raw,
    construct.Switch: _choice,
    construct.Struct: layout_of,
    construct.Renamed: lambda part: value_of(part.subcon),
    type(construct.Terminated): lambda part: End(),
}
_MEANT: Final = {
    title: part for title, part in vars(fields).items() if type(part) in (construct.Mapping, construct.FlagsEnum)
}
_TITLES: Final = {id(part): title for title, part in _MEANT.items() if hasattr(part, "meanings")}


def enumerations() -> dict[str, Names | Flags]:
    """Return every enumeration of fields.py that has meanings, by its title."""
    read = ((title, value_of(part)) for title, part in _MEANT.items() if id(part) in _TITLES)
    return {title: value for title, value in read if isinstance(value, Names | Flags)}


def description(value: Value) -> Any:
    """Return names, formats, enumerations and bounds in order, as JSON has them: the protocol hash is made of this."""
    match value:
        case Layout():
            return [_field_description(field) for field in value.fields]
        case Choice():
            return {name: description(case) for name, case in value.cases.items()}
        case Names() | Flags():
            return [f"<{value.format}", dict(value.numbers)]
        case Number():
            return f"<{value.format}" if value.most is None else [f"<{value.format}", value.most]
        case Raw():
            return value.size
    raise TypeError(f"{value!r} in the message definition: add it to layout.py")


def _field_description(field: Field) -> Any:
    return "Terminated" if isinstance(field.value, End) else [field.name, description(field.value)]
