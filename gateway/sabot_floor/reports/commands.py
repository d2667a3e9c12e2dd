"""Commands of the floor that no gateway has as a request: refused here, refused there at once, or without an answer."""

from collections.abc import Iterator
from typing import Any

import msgspec

from sabot_floor.commands.entries import Answered, Asked, Entry, Refused, Unanswered
from sabot_floor.commands.log import LOG
from sabot_floor.people import log as people_log
from sabot_floor.people.state import PeopleState
from sabot_floor.projection.reading import Decision
from sabot_floor.reports.gaming_day import Span
from sabot_floor.reports.people_rows import DecisionRow
from sabot_floor.reports.play import shift
from sabot_floor.reports.source import Scope, Source

_KINDS = ("asked", "answered", "unanswered", "refused")
_ANSWER_S = 300  # within which a command is answered or given up
_entry = msgspec.json.Decoder(Entry)


def command_rows(source: Source, scope: Scope, decisions: list[Decision]) -> list[DecisionRow]:
    """Return the commands of a time that are not among these requests of the gateways."""
    known = {one.attempt.command for one in decisions}
    entries = list(_entries(source, Span(scope.span.begin, shift(scope.span.end, _ANSWER_S))))
    answers = {one.id: one for one in entries if isinstance(one, Answered | Unanswered)}
    rows, names = [], _names(source)
    for one in entries:
        if isinstance(one, Answered | Unanswered) or not scope.span.holds(one.time) or not scope.has(one.table):
            continue
        if isinstance(one, Refused):
            rows.append(_refused(one, names))
        elif one.id not in known:
            rows.append(_asked(one, answers.get(one.id)))
    return rows


def _entries(source: Source, span: Span) -> Iterator[Entry]:
    for logged in source.logged(LOG, span, _KINDS):
        try:
            yield _entry.decode(logged.payload)
        except (msgspec.MsgspecError, UnicodeError):
            continue


def _names(source: Source) -> dict[str, str]:
    """Return the names of the people of the site, by id."""
    head = source.store.head(people_log.LOG)
    try:
        state = msgspec.json.decode(head.state, type=PeopleState) if head and head.state else PeopleState()
    except (msgspec.MsgspecError, UnicodeError):
        return {}
    return {person.id: person.name for person in state.people.values()}


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
    more = f" (and {refused.left_out} more refusals that are only counted)" if refused.left_out else ""
    return DecisionRow(
        **_common(refused),
        act="",
        by=names.get(by, by),
        role="",
        asks=names.get(asks, asks),
        asks_role="",
        ok=False,
        answered=refused.time,
        say=f"{refused.say}{more}",
        attempt="",
    )


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
