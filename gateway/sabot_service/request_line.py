"""Request line: a line of a control socket becomes the struct of its verb, or a RequestError with what is wrong."""

import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from sabot_protocol.inputs.plain_text import plain

from sabot_service.messages import RequestError

_BOUND = re.compile(r"Expected `(str|int|array|object)`( of length)? (>=|<=) (-?\d+) - at `\$\.(\w+).*`")
_MOST_BY = 64
_MOST_SHOWN = 40  # characters of a wrong name

Verb = TypeVar("Verb", bound=msgspec.Struct)


class Envelope(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A request before its arguments are parsed."""

    verb: str
    table: str = ""
    by: str = ""
    clause: str = ""
    args: msgspec.Raw = msgspec.Raw(b"{}")
    second: str = ""


def parse_line(line: bytes, verbs: Mapping[str, type[Verb]], see: str) -> tuple[Envelope, Verb]:
    """Return the envelope and the verb with its arguments; `see` is the command whose help lists the verbs."""
    try:
        envelope = _envelope(line)
        return envelope, _verb(envelope, verbs, see)
    except RecursionError:
        raise RequestError("Bad request: it is nested too deeply.") from None


def _envelope(line: bytes) -> Envelope:
    try:
        envelope = msgspec.json.decode(line, type=Envelope)
        _refuse_repeated_keys(line)
        return envelope
    except (msgspec.MsgspecError, ValueError) as error:
        raise RequestError(f"Bad request: {error}") from error


def _refuse_repeated_keys(line: bytes) -> None:
    """Raise ValueError if an object has a key twice: one of the two would be ignored."""
    json.loads(line.decode(), object_pairs_hook=_unique)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has the same key twice")
    return found


def _verb(envelope: Envelope, verbs: Mapping[str, type[Verb]], see: str) -> Verb:
    name = envelope.verb
    if name not in verbs:
        raise RequestError(f"Unknown verb {plain(name)[:_MOST_SHOWN]!r}: see `{see} --help`.")
    try:
        _refuse_unknown_arguments(name, verbs[name], msgspec.json.decode(envelope.args, type=dict[str, Any]))
        return msgspec.json.decode(envelope.args, type=verbs[name])
    except msgspec.MsgspecError as error:
        raise RequestError(f"{name}: {_in_words(str(error))}") from error


def _in_words(error: str) -> str:
    """Return what a person must write, for an argument that is too short, too long, too small or too large."""
    found = _BOUND.fullmatch(error)
    if not found:
        return error
    kind, length, relation, bound, argument = found.groups()
    what = {"str": "text", "int": "a whole number", "array": "a list", "object": "a list"}[kind]
    limit = f"{bound} or more" if relation == ">=" else f"at most {bound}"
    of = {"str": " characters", "array": " of them", "object": " of them"}.get(kind, "") if length else ""
    return f"{argument}: write {what}, {limit}{of}."


def _refuse_unknown_arguments(verb: str, kind: type[msgspec.Struct], given: dict[str, Any]) -> None:
    known = [field.encode_name for field in msgspec.structs.fields(kind)]
    for name in given:
        if name not in known:
            takes = ", ".join(known) or "no arguments"
            raise RequestError(f"{verb} has no argument {plain(name)[:_MOST_SHOWN]!r}: it takes {takes}.")


def person(name: str, option: str = "--by") -> str:
    """Return a person's name, cleaned; RequestError without one."""
    by = plain(name)
    if not any(char.isalnum() for char in by) or len(by) > _MOST_BY:
        raise RequestError(f"Give your name: {option} NAME, at most {_MOST_BY} characters.")
    return by
