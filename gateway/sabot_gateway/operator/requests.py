"""Requests: one line of the control socket becomes a typed request, or a RequestError that names what is wrong."""

import re

import msgspec
from sabot_protocol.inputs.plain_text import plain
from sabot_service.messages import RequestError
from sabot_service.request_line import Envelope, parse_line, person

from sabot_gateway.operator.verbs import VERBS
from sabot_gateway.operator.verbs.gateway import AcceptLedger, Capture, Status
from sabot_gateway.operator.verbs.verb import TableVerb

_MOST_CLAUSE = 64
_TABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")


class TableRequest(msgspec.Struct, frozen=True):
    """A request to a table, checked and cleaned."""

    name: str  # of the verb
    table: str
    by: str
    clause: str
    verb: TableVerb
    asks: str = ""  # the person who asks, if `by` approves it for another


class GatewayRequest(msgspec.Struct, frozen=True):
    """A request to the gateway itself, checked and cleaned."""

    by: str
    verb: AcceptLedger


class CaptureRequest(msgspec.Struct, frozen=True):
    """A request to capture the line of a table, checked; it changes nothing."""

    table: str
    verb: Capture


ParsedRequest = Status | GatewayRequest | CaptureRequest | TableRequest


def parse(line: bytes) -> ParsedRequest:
    """Return the request in a line; RequestError for any other bytes."""
    envelope, verb = parse_line(line, VERBS, "sabot table")
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


def _status(envelope: Envelope, verb: Status) -> Status:
    if envelope.table or envelope.by or envelope.clause or envelope.second:
        raise RequestError("status takes no table, no name and no clause.")
    return verb


def _accept_ledger(envelope: Envelope, verb: AcceptLedger) -> GatewayRequest:
    if envelope.table or envelope.clause or envelope.second:
        raise RequestError("accept-ledger takes no table, no clause and no second person.")
    reason = plain(verb.reason)
    if not reason:
        raise RequestError("accept-ledger needs the reason why entries are missing: --reason TEXT.")
    return GatewayRequest(person(envelope.by), AcceptLedger(reason))


def _capture(envelope: Envelope, verb: Capture) -> CaptureRequest:
    if envelope.by or envelope.clause or envelope.second:
        raise RequestError("capture takes no name and no clause.")
    return CaptureRequest(_table(envelope.table), verb)


def _for_table(envelope: Envelope, verb: TableVerb) -> TableRequest:
    by, clause = person(envelope.by), plain(envelope.clause)
    if len(clause) > _MOST_CLAUSE:
        raise RequestError(f"The clause is too long: at most {_MOST_CLAUSE} characters.")
    asks, by = (by, person(envelope.second, "--second")) if envelope.second else ("", by)
    return TableRequest(envelope.verb, _table(envelope.table), by, clause, verb, asks)


def _table(name: str) -> str:
    if not _TABLE.fullmatch(name):
        raise RequestError(f"{plain(name)[:64]!r} is not a table name: see `sabot gateway status`.")
    return name
