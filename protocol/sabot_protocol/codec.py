"""Frames to plain dicts and back by straight-line code, generated on first use from the definition in messages.

Each frame type, event kind and command kind is one function: one unpack or pack of its whole layout, bounds, look-ups,
a dict literal. Construct names the field of a refused frame, and handles layouts that cannot be generated.
"""

import re
import struct
from collections import Counter
from collections.abc import Callable
from traceback import walk_tb
from typing import Any, ClassVar

from construct import Bytes, Construct, Container, FlagsEnum, Int8ul

from sabot_protocol.layout import Choice, End, Flags, Layout, Names, Number, Raw, Unknown, Value, value_of
from sabot_protocol.messages import Frame

_Path = tuple[str, ...]


class CodecError(ValueError):
    """A frame that the definition refuses; the message names the field."""


class _NotGenerated(Exception):  # noqa: N818
    """This part must be left to construct; the argument is the name of its class."""


class _Fork(Exception):  # noqa: N818
    """The layout depends on the value of a field: its path, its offset, its names."""


class _Way:
    """One path through the choices: a format, and the code around its unpack and pack."""

    def __init__(self, name: str, chosen: dict[_Path, str]) -> None:
        self.name, self.chosen = name, chosen
        self.format = "<"
        self.unpacked: list[str] = []
        self.packed: list[str] = []
        self.prepare: list[str] = []  # statements of build before it packs
        self.bounds: list[str] = []
        self.tables: dict[str, Any] = {}
        self.keys: dict[_Path, tuple[int, Names]] = {}
        self.ended = False

    def walk(self, value: Value, given: str, path: _Path) -> str:
        """Add a value that build takes from the expression `given`; return the expression that parse makes of it."""
        return self._EMIT[type(value)](self, value, given, path)

    def _add(self, code: str, path: _Path, packed: str | None = None) -> str:
        """Return a variable for one more value of the format."""
        if self.ended:
            raise _NotGenerated("Terminated")
        variable = re.sub(r"\W", "_", f"v{len(self.unpacked)}_{'_'.join(path[-1:])}")
        self.format += code
        self.unpacked.append(variable)
        self.packed.append(packed or variable)
        return variable

    def _table(self, name: str, table: Any) -> str:
        self.tables[f"{name}_{self.name}"] = table
        return f"{name}_{self.name}"

    def _number(self, value: Number, given: str, path: _Path) -> str:
        variable = self._add(value.format, path)
        self.prepare.append(f"{variable} = {given}")
        if value.most is not None:
            self.bounds.append(f"{variable} <= {value.most}")
        return variable

    def _raw(self, value: Raw, given: str, path: _Path) -> str:
        variable = self._add(f"{value.size}s", path)
        self.prepare += [
            f"{variable} = {given}",
            f"if type({variable}) is not bytes or len({variable}) != {value.size}:",
            f"    {variable} = as_bytes({value.size}, {variable})",
        ]
        return variable

    def _names(self, value: Names, given: str, path: _Path) -> str:
        if path in self.chosen:
            self._add(value.format, path, str(value.numbers[self.chosen[path]]))
            return repr(self.chosen[path])
        self.keys[path] = struct.calcsize(self.format), value
        variable = self._add(value.format, path)
        self.prepare.append(f"{variable} = {self._table(f'numbers_{variable}', value.numbers)}[{given}]")
        return f"{self._table(f'names_{variable}', _by_number(value))}[{variable}]"

    def _flags(self, value: Flags, given: str, path: _Path) -> str:
        variable = self._add(value.format, path)
        flags = self._table(f"flags_{variable}", FlagsEnum(Int8ul, **value.numbers))
        bits = (f"({bit} if {variable}.get({name!r}) else 0)" for name, bit in value.numbers.items())
        self.prepare += [
            f"{variable} = {given}",
            f"if type({variable}) is dict and {variable}.keys() <= {flags}.flags.keys():",
            f"    {variable} = {' | '.join(bits) or 0}",
            "else:",
            f"    {variable} = {flags}._encode({variable}, None, '')",
        ]
        if value.format == "B":
            return f"{self._table(f'bits_{variable}', [_bits(value, byte) for byte in range(256)])}[{variable}].copy()"
        return "{" + ", ".join(f"{name!r}: {variable} & {bit} == {bit}" for name, bit in value.numbers.items()) + "}"

    def _layout(self, value: Layout, given: str, path: _Path) -> str:
        parsed, holder = [], f"o{len(self.prepare)}"
        optional = all(field.optional for field in value.fields)
        self.prepare.append(f"{holder} = as_fields({given})" if optional else f"{holder} = {given}")
        for field in value.fields:
            item = f"{holder}.get({field.name!r})" if field.optional else f"{holder}[{field.name!r}]"
            made = self.walk(field.value, item, (*path, field.name))
            parsed += [f"{field.name!r}: {made}"] if field.name else []
        return "{" + ", ".join(parsed) + "}"

    def _choice(self, value: Choice, given: str, path: _Path) -> str:
        key = (*path[:-1], value.on)
        if key in self.chosen:
            return self.walk(value.cases.get(self.chosen[key], value.otherwise), given, path)
        if key not in self.keys or not _is_byte_of_names(self.keys[key][1]):
            raise _NotGenerated("Switch")
        raise _Fork(key, *self.keys[key])

    def _end(self, value: End, given: str, path: _Path) -> str:
        self.ended = True
        return "None"

    def _unknown(self, value: Unknown, given: str, path: _Path) -> str:
        raise _NotGenerated(value.type)

    _EMIT: ClassVar[dict[type, Callable[..., str]]] = {
        Number: _number, Raw: _raw, Names: _names, Flags: _flags,
        Layout: _layout, Choice: _choice, End: _end, Unknown: _unknown,
    }  # fmt: skip


class Codec:
    """parse and build of one definition; `fallbacks` counts layouts left to construct, by the type of the cause."""

    def __init__(self, definition: Construct) -> None:
        self.definition = definition
        self._tree = value_of(definition)
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
        """Return the names of the functions that parse and build frames with these choices."""
        way = _Way(re.sub(r"\W", "_", "_".join((*chosen.values(), str(len(self._lines) + 1)))), chosen)
        try:
            parsed = way.walk(self._tree, "frame", ())
        except _Fork as fork:
            return self._dispatch(way, *fork.args)
        except _NotGenerated as cause:
            self.fallbacks[str(cause)] += 1
            return "construct_parse", "construct_build"
        return self._straight(way, parsed)

    def _dispatch(self, way: _Way, path: _Path, at: int, key: Names) -> tuple[str, str]:
        made = {choice: self._functions({**way.chosen, path: choice}) for choice in key.numbers}
        parsers = ", ".join(f"{number}: {made[choice][0]}" for number, choice in _by_number(key).items())
        builders = ", ".join(f"{choice!r}: {build}" for choice, (_, build) in made.items())
        name, value = way.name, "frame" + "".join(f"[{part!r}]" for part in path)
        self._lines += [f"parsers_{name} = {{{parsers}}}", f"builders_{name} = {{{builders}}}"]
        parse = self._function(f"parse_{name}(data)", f"return parsers_{name}[data[{at}]](data)")
        return parse, self._function(f"build_{name}(frame)", f"return builders_{name}[{value}](frame)")

    def _straight(self, way: _Way, parsed: str) -> tuple[str, str]:
        name, unpack = way.name, "unpack" if way.ended else "unpack_from"
        self._space.update(way.tables)
        self._lines.append(f"unpack_{name} = Layout({way.format!r}).{unpack}")
        self._lines.append(f"pack_{name} = Layout({way.format!r}).pack")
        unpacked = f"({''.join(f'{variable}, ' for variable in way.unpacked)}) = unpack_{name}(data)"
        packed = f"data = pack_{name}({', '.join(way.packed)})"
        bounds = [f"if not ({' and '.join(way.bounds)}):", "    raise ValueError"] if way.bounds else []
        parse = self._function(f"parse_{name}(data)", unpacked, *bounds, f"return {parsed}")
        return parse, self._function(f"build_{name}(frame)", *way.prepare, packed, *bounds, "return data")

    def _function(self, head: str, *body: str) -> str:
        self._lines += [f"def {head}:", *(f"    {line}" for line in body), ""]
        return head.partition("(")[0]


def plain(value: Any) -> Any:
    """Return what construct parsed as dicts, lists and values, without its bookkeeping."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items() if key not in ("_io", "_flagsenum")}
    return list(map(plain, value)) if isinstance(value, list) else value


def _by_number(value: Names) -> dict[int, str]:
    """Return the name of each number; of two names the later."""
    return {number: name for name, number in value.numbers.items()}


def _bits(value: Flags, number: int) -> dict[str, bool]:
    return {name: number & bit == bit for name, bit in value.numbers.items()}


def _is_byte_of_names(key: Names) -> bool:
    return key.format == "B" and all(type(name) is str for name in key.numbers)


def _as_fields(value: Any) -> Any:
    """Return the fields of a struct without required fields; raise what construct would raise."""
    Container().update({} if value is None else value)
    return {} if value is None else value


def _judged(run: Callable[[Any], Any], judge: Callable[[Any], object]) -> Callable[[Any], Any]:
    """Return the generated function, raising CodecError with construct's reason if it fails."""

    def judged(subject: Any) -> Any:
        try:
            return run(subject)
        except Exception:
            raise _refusal(judge, subject) from None

    return judged


def _refusal(judge: Callable[[Any], object], subject: Any) -> CodecError:
    """Return why the definition refuses this, with the field."""
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


parse: Callable[[bytes], dict[str, Any]]
build: Callable[[dict[str, Any]], bytes]
fallbacks: Counter[str]
SOURCE: str


def __getattr__(name: str) -> Any:
    """Generate the code of all frames when it is first used: most actions of `sabot` never see a frame."""
    if name not in ("parse", "build", "fallbacks", "SOURCE"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = Codec(Frame)
    globals().update(parse=made.parse, build=made.build, fallbacks=made.fallbacks, SOURCE=made.source)
    return globals()[name]
