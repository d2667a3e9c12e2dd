"""Commands of the floor that no gateway has as a request: refused here, refused there at once, or without an answer."""

from collections.abc import Iterator
from typing import Any

import msgspec

from sabot_floor.commands.entries import Answered, Asked, Entry, Refused, Unanswered
from sabot_floor.commands.log import LOG
from sabot_floor.gaming_day import Span
from sabot_floor.people.entries import LockedOut, LoginFailed, NotKnown
from sabot_floor.projection.reading import Decision
from sabot_floor.reports.people_rows import DecisionRow
from sabot_floor.reports.play import shift
from sabot_floor.reports.site_people import login_entries, login_row, names_by_id
from sabot_floor.reports.source import Scope, Source

_KINDS = ("asked", "answered", "unanswered", "refused")
_ANSWER_S = 300  # within which a command is answered or given up
_REFUSED_S = 2  # from a failed log-in to the refusal of its command
_entry = msgspec.json.Decoder(Entry)


def command_rows(source: Source, scope: Scope, decisions: list[Decision]) -> list[DecisionRow]:
    """Return the commands of a time that are not among these requests of the gateways, and the failed log-ins."""
    known = {one.attempt.command for one in decisions}
    entries = list(_entries(source, Span(scope.span.begin, shift(scope.span.end, _ANSWER_S))))
    answers = {one.id: one for one in entries if isinstance(one, Answered | Unanswered)}
    rows, names = [], names_by_id(source)
    for one in entries:
        if isinstance(one, Answered | Unanswered) or not scope.span.holds(one.time) or not scope.has(one.table):
            continue
        if isinstance(one, Refused):
            rows.append(_refused(one, names))
        elif one.id not in known:
            rows.append(_asked(one, answers.get(one.id)))
    logins = login_entries(source, scope.span) if scope.has("") else ()
    refusals = [one for one in entries if isinstance(one, Refused)]
    return [*rows, *(login_row(one, names) for one in logins if not _has_refusal(one, refusals))]


def _has_refusal(login: LoginFailed | LockedOut | NotKnown, refusals: list[Refused]) -> bool:
    """Return True if a command was refused because of this failed log-in: its row is enough."""
    given = login.given if isinstance(login, NotKnown) else login.person
    return not isinstance(login, LockedOut) and any(
        login.by == one.by
        and {given, "badge"} & {one.person, one.second}
        and login.time <= one.time <= shift(login.time, _REFUSED_S)
        for one in refusals
    )


def _entries(source: Source, span: Span) -> Iterator[Entry]:
    for logged in source.logged(LOG, span, _KINDS):
        try:
            yield _entry.decode(logged.payload)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            continue


def _asked(asked: Asked, answer: Answered | Unanswered | None) -> DecisionRow:
    fields = _common(asked)
    return DecisionRow(
        **fields,
        act=asked.act,
        by=asked.name,
        role=asked.role,
        asks=asked.asks,
        asks_role=asked.asks_role,
        ok=answer.ok if isinstance(answer, Answered) else None,
        answered=answer.time if answer else "",
        say=answer.say if answer else "",
        attempt=asked.id,
    )


def _refused(refused: Refused, names: dict[str, str]) -> DecisionRow:
    """Return the row of what the floor refused; of two people the first asks, and the second approves."""
    asks, by = (refused.person, refused.second) if refused.second else ("", refused.person)
    more = f" (and {_more(refused.left_out)} only counted)" if refused.left_out else ""
    return DecisionRow(
        **_common(refused),
        act=refused.act,
        by=names.get(by, by),
        role=refused.second_role if refused.second else refused.role,
        asks=names.get(asks, asks),
        asks_role=refused.role if refused.second else "",
        ok=False,
        answered=refused.time,
        say=f"{refused.say}{more}",
        attempt="",
    )


def _more(refusals: int) -> str:
    return "1 more refusal that is" if refusals == 1 else f"{refusals} more refusals that are"


def _common(entry: Asked | Refused) -> dict[str, Any]:
    args = dict(entry.args)
    coup = args.pop("coup", "")
    return {
        "time": entry.time,
        "table": entry.table,
        "verb": entry.verb,
        "origin": "floor",
        "user": entry.by,
        "clause": entry.clause,
        "coup": str(coup or ""),
        "args": msgspec.json.encode(args, order="sorted").decode() if args else "",
    }
