"""Config file: a TOML file into structs; unknown keys and wrong values are errors that name the key, all at once."""

import errno
import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, time
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, inspect

from sabot_protocol.inputs.plain_text import printable

_MOST_BYTES = 1 << 20  # of a file: thousands of tables
_MOST_SHOWN = 60  # characters of a wrong value

Name = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]{1,64}\Z")]  # `$` would let a line break pass
Struct = TypeVar("Struct", bound=msgspec.Struct)


class ConfigError(ValueError):
    """The file cannot be used; the message names every place and its next step, a line each, all of it printable."""

    def __init__(self, lines: str) -> None:
        super().__init__("\n".join(map(printable, lines.split("\n"))))


def read_toml(path: Path, what: str, make: str) -> tuple[dict[str, Any] | None, list[str]]:
    """Return what is in a file, or what is wrong; `what` is what the file should be, `make` how to make one."""
    try:
        text = _plain_file(path)
        if len(text) > _MOST_BYTES:
            return None, [f"more than {_MOST_BYTES} bytes; give the path of {what}"]
        return tomllib.loads(text.decode()), []
    except OSError as error:
        return None, [f"{error.strerror}; give the path of {what}, or make one: `{make}`"]
    except (ValueError, RecursionError) as error:
        return None, [f"{error}; correct it there"]


def _plain_file(path: Path) -> bytes:
    """Read a file without ever waiting: a pipe, at which nobody may ever write, is an error."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a plain file")
        return file.read(_MOST_BYTES + 1)


def key_problems(
    kind: type[msgspec.Struct],
    data: Mapping[str, Any],
    place: str,
    wanted: Mapping[str, str],
    moved: Mapping[str, str] = {},
) -> Iterator[str]:
    """Yield unknown keys, missing keys and wrong values of one struct; of nested structs only that they are tables.

    `wanted` has what each key expects; `moved` has keys of earlier releases, and what is written in their place now.
    """
    known = {field.name: field for field in msgspec.structs.fields(kind)}
    for key in (key for key in data if key not in known):
        if key in moved:
            yield f"{place}{key}: a key of an earlier release; {moved[key]}"
            continue
        near = get_close_matches(key, known, 1)
        yield f"{place}{key}: no such key; " + (
            f"did you mean `{near[0]}`?" if near else f"there are {', '.join(known)}"
        )
    for name, field in known.items():
        if name not in data:
            if field.required:
                yield f"{place}{name} is missing; write {wanted[name]}"
        elif not _fits(data[name], field.type):
            yield f"{place}{name} = {_shown(data[name])}; write {wanted[name]}"


def _fits(value: Any, kind: Any) -> bool:
    match inspect.type_info(kind):
        case inspect.StructType():
            return isinstance(value, dict)
        case inspect.VarTupleType(item_type=inspect.StructType(), min_length=least):
            return (
                isinstance(value, list) and len(value) >= (least or 0) and all(isinstance(item, dict) for item in value)
            )
    if not _printable(value):
        return False
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _printable(value: Any) -> bool:
    """Return True if no text in it has a control character."""
    if isinstance(value, dict):
        return all(map(_printable, (*value, *value.values())))
    return all(map(_printable, value)) if isinstance(value, list) else str(value).isprintable()


def _shown(value: Any) -> str:
    dated = isinstance(value, date | time)  # a date of TOML has no quotes
    text = str(value) if dated else without_password(msgspec.json.encode(value, enc_hook=str).decode())
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def without_password(text: str) -> str:
    """Return a text, such as a URL, without what is before an @: a user, and perhaps a password."""
    before, at, rest = text.rpartition("@")
    scheme, slashes, _ = before.partition("://")
    return f"{scheme + slashes if slashes else ''}…@{rest}" if at else text


def with_paths(struct: Struct, directory: Path, *names: str) -> Struct:
    """Return the struct with these paths made absolute; relative ones are relative to the directory."""
    given = {name: getattr(struct, name) for name in names if getattr(struct, name) is not None}
    return msgspec.structs.replace(struct, **{name: str(directory / path) for name, path in given.items()})
