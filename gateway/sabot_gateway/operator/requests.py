"""Requests: one line of the control socket becomes a typed request, or a RequestError that names what is wrong."""

import json
import re
from typing import Any

import msgspec
from sabot_protocol.service.messages import RequestError
from sabot_protocol.service.plain_text import plain

from sabot_gateway.operator.verbs import VERBS
from sabot_gateway.operator.verbs.gateway import AcceptLedger, Capture, Status
from sabot_gateway.operator.verbs.verb import TableVerb, Verb

_MOST_BY, _MOST_CLAUSE = 64, 64
_TABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")


class TableRequest(msgspec.Struct, frozen=True):
    """A request to a table, checked and cleaned."""

    name: str  # of the verb
    table: str
    by: str
    clause: str
    verb: TableVerb


class GatewayRequest(msgspec.Struct, frozen=True):
    """A request to the gateway itself, checked and cleaned."""

    by: str
    verb: AcceptLedger


class CaptureRequest(msgspec.Struct, frozen=True):
    """A request to capture the line of a table, checked; it changes nothing."""

    table: str
    verb: Capture


ParsedRequest = Status | GatewayRequest | CaptureRequest | TableRequest


class _Envelope(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A request before its arguments are parsed."""

    verb: str
    table: str = ""
    by: str = ""
    clause: str = ""
    args: msgspec.Raw = msgspec.Raw(b"{}")


def parse(line: bytes) -> ParsedRequest:
    """Return the request in a line; RequestError for any other bytes."""
    try:
        envelope = _envelope(line)
        verb = _verb(envelope.verb, envelope.args)
    except RecursionError:
        raise RequestError("Bad request: it is nested too deeply.") from None
    match verb:
        case Status():
            return _status(envelope, verb)
        case Capture():
            return _capture(envelope, verb)
        case AcceptLedger():
            return _accept_ledger(envelope, verb)
        case TableVerb():
            return _for_table(envelope, verb)
    raise AssertionError(verb)


def _envelope(line: bytes) -> _Envelope:
    try:
        envelope = msgspec.json.decode(line, type=_Envelope)
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


def _verb(name: str, args: msgspec.Raw) -> Verb:
    if name not in VERBS:
        raise RequestError(f"Unknown verb {plain(name)[:40]!r}: see `sabot table --help`.")
    try:
        _refuse_unknown_arguments(name, msgspec.json.decode(args, type=dict[str, Any]))
        return msgspec.json.decode(args, type=VERBS[name])
    except msgspec.MsgspecError as error:
        raise RequestError(f"{name}: {error}") from error


def _refuse_unknown_arguments(verb: str, given: dict[str, Any]) -> None:
    known = [field.encode_name for field in msgspec.structs.fields(VERBS[verb])]
    for name in given:
        if name not in known:
            takes = ", ".join(known) or "no arguments"
            raise RequestError(f"{verb} has no argument {plain(name)[:40]!r}: it takes {takes}.")


def _status(envelope: _Envelope, verb: Status) -> Status:
    if envelope.table or envelope.by or envelope.clause:
        raise RequestError("status takes no table, no name and no clause.")
    return verb


def _accept_ledger(envelope: _Envelope, verb: AcceptLedger) -> GatewayRequest:
    if envelope.table or envelope.clause:
        raise RequestError("accept-ledger takes no table and no clause.")
    reason = plain(verb.reason)
    if not reason:
        raise RequestError("accept-ledger needs the reason why entries are missing: --reason TEXT.")
    return GatewayRequest(_person(envelope.by), AcceptLedger(reason))


def _capture(envelope: _Envelope, verb: Capture) -> CaptureRequest:
    if envelope.by or envelope.clause:
        raise RequestError("capture takes no name and no clause.")
    return CaptureRequest(_table(envelope.table), verb)


def _for_table(envelope: _Envelope, verb: TableVerb) -> TableRequest:
    by, clause = _person(envelope.by), plain(envelope.clause)
    if len(clause) > _MOST_CLAUSE:
        raise RequestError(f"The clause is too long: at most {_MOST_CLAUSE} characters.")
    return TableRequest(envelope.verb, _table(envelope.table), by, clause, verb)


def _table(name: str) -> str:
    if not _TABLE.fullmatch(name):
        raise RequestError(f"{plain(name)[:64]!r} is not a table name: see `sabot gateway status`.")
    return name


def _person(name: str) -> str:
    by = plain(name)
    if not any(char.isalnum() for char in by) or len(by) > _MOST_BY:
        raise RequestError(f"Give your name: --by NAME, at most {_MOST_BY} characters.")
    return by
