"""Frames to plain dicts and back by straight-line code, generated at import from the definition in messages.

A frame type or event kind is one function: one unpack or pack of its whole layout, bounds, look-ups, a dict literal.
The definition stays the judge: it names the field of what is refused, and does itself what cannot be generated.
"""

import re
import struct
from collections import Counter
from collections.abc import Callable
from traceback import walk_tb
from typing import Any, ClassVar, Final

from construct import Bytes, Construct, Container, FlagsEnum, FormatField, Mapping, Renamed, Struct, Switch, Terminated

from sabot_protocol.fields import AtMost
from sabot_protocol.messages import Frame

_Path = tuple[str, ...]


class CodecError(ValueError):
    """A frame that the definition refuses; the message names the field."""


class _NotGenerated(Exception):  # noqa: N818
    """Only construct itself can do this part."""


class _Fork(Exception):  # noqa: N818
    """The layout goes on by the value of a field: its path, its offset, its Mapping."""


class _Layout:
    """One way through the switches: a format, and the code around its unpack and pack."""

    def __init__(self, name: str, chosen: dict[_Path, str]) -> None:
        self.name, self.chosen = name, chosen
        self.format = "<"
        self.unpacked: list[str] = []
        self.packed: list[str] = []
        self.prepare: list[str] = []  # statements of build before it packs
        self.bounds: list[str] = []
        self.tables: dict[str, Any] = {}
        self.keys: dict[_Path, tuple[int, Mapping]] = {}
        self.ended = False

    def walk(self, part: Construct, value: str, path: _Path) -> str:
        """Adds a part that build takes from the expression `value`; the expression that parse makes of it."""
        emit = self._EMIT.get(type(part))
        if emit is None or part.parsed is not None:
            raise _NotGenerated(part)
        return emit(self, part, value, path)

    def _add(self, code: str, path: _Path, packed: str | None = None) -> str:
        """A variable for one more value of the format."""
        if self.ended:
            raise _NotGenerated(Terminated)
        variable = re.sub(r"\W", "_", f"v{len(self.unpacked)}_{'_'.join(path[-1:])}")
        self.format += code
        self.unpacked.append(variable)
        self.packed.append(packed or variable)
        return variable

    def _number(self, part: Construct, path: _Path, packed: str | None = None) -> str:
        if type(part) is not FormatField or (part.length > 1 and part.fmtstr[0] != "<"):
            raise _NotGenerated(part)
        return self._add(part.fmtstr[1], path, packed)

    def _table(self, name: str, table: Any) -> str:
        self.tables[f"{name}_{self.name}"] = table
        return f"{name}_{self.name}"

    def _format_field(self, part: FormatField, value: str, path: _Path) -> str:
        variable = self._number(part, path)
        self.prepare.append(f"{variable} = {value}")
        return variable

    def _at_most(self, part: AtMost, value: str, path: _Path) -> str:
        variable = self._format_field(part.subcon, value, path)
        self.bounds.append(f"{variable} <= {part.most}")
        return variable

    def _bytes(self, part: Bytes, value: str, path: _Path) -> str:
        if type(part.length) is not int:
            raise _NotGenerated(part)
        variable = self._add(f"{part.length}s", path)
        self.prepare += [
            f"{variable} = {value}",
            f"if type({variable}) is not bytes or len({variable}) != {part.length}:",
            f"    {variable} = as_bytes({part.length}, {variable})",
        ]
        return variable

    def _mapping(self, part: Mapping, value: str, path: _Path) -> str:
        if path in self.chosen:
            self._number(part.subcon, path, str(part.encmapping[self.chosen[path]]))
            return repr(self.chosen[path])
        self.keys[path] = struct.calcsize(self.format), part
        variable = self._number(part.subcon, path)
        self.prepare.append(f"{variable} = {self._table(f'numbers_{variable}', part.encmapping)}[{value}]")
        return f"{self._table(f'names_{variable}', part.decmapping)}[{variable}]"

    def _flags(self, part: FlagsEnum, value: str, path: _Path) -> str:
        variable = self._number(part.subcon, path)
        flags = self._table(f"flags_{variable}", part)
        bits = (f"({bit} if {variable}.get({name!r}) else 0)" for name, bit in part.flags.items())
        self.prepare += [
            f"{variable} = {value}",
            f"if type({variable}) is dict and {variable}.keys() <= {flags}.flags.keys():",
            f"    {variable} = {' | '.join(bits) or 0}",
            "else:",
            f"    {variable} = {flags}._encode({variable}, None, '')",
        ]
        if part.subcon.fmtstr[1] == "B":
            return f"{self._table(f'bits_{variable}', [_bits(part, byte) for byte in range(256)])}[{variable}].copy()"
        return "{" + ", ".join(f"{name!r}: {variable} & {bit} == {bit}" for name, bit in part.flags.items()) + "}"

    def _struct(self, part: Struct, value: str, path: _Path) -> str:
        fields, holder = [], f"o{len(self.prepare)}"
        self.prepare.append(f"{holder} = as_fields({value})" if part.flagbuildnone else f"{holder} = {value}")
        for field in part.subcons:
            if not field.name and field is not Terminated:
                raise _NotGenerated(field)
            item = f"{holder}.get({field.name!r})" if field.flagbuildnone else f"{holder}[{field.name!r}]"
            parsed = self.walk(field, item, (*path, field.name or ""))
            fields += [f"{field.name!r}: {parsed}"] if field.name else []
        return "{" + ", ".join(fields) + "}"

    def _switch(self, part: Switch, value: str, path: _Path) -> str:
        siblings = {f"this[{key[-1]!r}]": key for key in (*self.chosen, *self.keys) if key[:-1] == path[:-1]}
        key = siblings.get(repr(part.keyfunc))
        if key in self.chosen:
            return self.walk(part.cases.get(self.chosen[key], part.default), value, path)
        if key is None or not _is_byte_of_names(self.keys[key][1]):
            raise _NotGenerated(part)
        raise _Fork(key, *self.keys[key])

    def _renamed(self, part: Renamed, value: str, path: _Path) -> str:
        return self.walk(part.subcon, value, path)

    def _terminated(self, part: Construct, value: str, path: _Path) -> str:
        self.ended = True
        return "None"

    # By exact type: a subclass may mean something else.
    _EMIT: ClassVar[dict[type, Callable[..., str]]] = {
        FormatField: _format_field, AtMost: _at_most, Bytes: _bytes, Mapping: _mapping, FlagsEnum: _flags,
        Struct: _struct, Switch: _switch, Renamed: _renamed, type(Terminated): _terminated,
    }  # fmt: skip


class Codec:
    """parse and build of one definition; `fallbacks` counts layouts left to construct, by the type of the cause."""

    def __init__(self, definition: Construct) -> None:
        self.definition = definition
        self.fallbacks: Counter[str] = Counter()
        self._lines: list[str] = []
        self._space: dict[str, Any] = {
            "Layout": struct.Struct,
            "as_bytes": lambda size, value: Bytes(size).build(value),
            "as_fields": _as_fields,
            "construct_parse": lambda data: plain(definition.parse(data)),
            "construct_build": definition.build,
        }
        parse, build = self._functions({})
        self.source = "\n".join(self._lines)
        exec(compile(self.source, "<sabot_protocol.codec>", "exec"), self._space)
        self.parse: Callable[[bytes], dict[str, Any]] = _judged(self._space[parse], definition.parse)
        self.build: Callable[[dict[str, Any]], bytes] = _judged(self._space[build], definition.build)

    def _functions(self, chosen: dict[_Path, str]) -> tuple[str, str]:
        """The names of what parses and builds frames of which so much is chosen."""
        layout = _Layout(re.sub(r"\W", "_", "_".join((*chosen.values(), str(len(self._lines) + 1)))), chosen)
        try:
            parsed = layout.walk(self.definition, "frame", ())
        except _Fork as fork:
            return self._dispatch(layout, *fork.args)
        except _NotGenerated as cause:
            self.fallbacks[type(cause.args[0]).__name__] += 1
            return "construct_parse", "construct_build"
        return self._straight(layout, parsed)

    def _dispatch(self, layout: _Layout, path: _Path, at: int, key: Mapping) -> tuple[str, str]:
        made = {choice: self._functions({**layout.chosen, path: choice}) for choice in key.encmapping}
        parsers = ", ".join(f"{number}: {made[choice][0]}" for number, choice in key.decmapping.items())
        builders = ", ".join(f"{choice!r}: {build}" for choice, (_, build) in made.items())
        name, value = layout.name, "frame" + "".join(f"[{part!r}]" for part in path)
        self._lines += [f"parsers_{name} = {{{parsers}}}", f"builders_{name} = {{{builders}}}"]
        parse = self._function(f"parse_{name}(data)", f"return parsers_{name}[data[{at}]](data)")
        return parse, self._function(f"build_{name}(frame)", f"return builders_{name}[{value}](frame)")

    def _straight(self, layout: _Layout, parsed: str) -> tuple[str, str]:
        name, unpack = layout.name, "unpack" if layout.ended else "unpack_from"
        self._space.update(layout.tables)
        self._lines.append(f"unpack_{name} = Layout({layout.format!r}).{unpack}")
        self._lines.append(f"pack_{name} = Layout({layout.format!r}).pack")
        unpacked = f"({''.join(f'{variable}, ' for variable in layout.unpacked)}) = unpack_{name}(data)"
        packed = f"data = pack_{name}({', '.join(layout.packed)})"
        bounds = [f"if not ({' and '.join(layout.bounds)}):", "    raise ValueError"] if layout.bounds else []
        parse = self._function(f"parse_{name}(data)", unpacked, *bounds, f"return {parsed}")
        return parse, self._function(f"build_{name}(frame)", *layout.prepare, packed, *bounds, "return data")

    def _function(self, head: str, *body: str) -> str:
        self._lines += [f"def {head}:", *(f"    {line}" for line in body), ""]
        return head.partition("(")[0]


def plain(value: Any) -> Any:
    """What construct parsed as dicts, lists and values, without its bookkeeping."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items() if key not in ("_io", "_flagsenum")}
    return list(map(plain, value)) if isinstance(value, list) else value


def _bits(part: FlagsEnum, number: int) -> dict[str, bool]:
    return {name: number & bit == bit for name, bit in part.flags.items()}


def _is_byte_of_names(key: Mapping) -> bool:
    return key.subcon.fmtstr[1] == "B" and all(type(name) is str for name in key.encmapping)


def _as_fields(value: Any) -> Any:
    """What construct takes for a struct that needs no field; an exception if it would not."""
    Container().update({} if value is None else value)
    return {} if value is None else value


def _judged(run: Callable[[Any], Any], judge: Callable[[Any], object]) -> Callable[[Any], Any]:
    """The generated function; CodecError with the judge's words where it fails."""

    def judged(subject: Any) -> Any:
        try:
            return run(subject)
        except Exception:
            raise _refusal(judge, subject) from None

    return judged


def _refusal(judge: Callable[[Any], object], subject: Any) -> CodecError:
    """Why the definition refuses this, and at which field."""
    try:
        judge(subject)
    except Exception as error:
        path = ""
        for frame, _ in walk_tb(error.__traceback__):  # KeyError and TypeError do not carry construct's path
            path = frame.f_locals.get("path", path)
        field = ".".join(path.split(" -> ")[1:]) or "frame"
        reason = f"no {error}" if isinstance(error, KeyError) else str(error).rpartition("\n")[2]
        return CodecError(f"{field}: {reason}")
    return CodecError("frame: refused by the generated code, not by the definition")


_CODEC: Final = Codec(Frame)
parse: Final = _CODEC.parse
build: Final = _CODEC.build
fallbacks: Final = _CODEC.fallbacks
SOURCE: Final = _CODEC.source
