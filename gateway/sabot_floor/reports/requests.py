"""Requests about one shoe or coup: those of its time, and those that name it or its incidents, whenever they came."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sabot_floor.gaming_day import Span
from sabot_floor.projection.reading import Decision
from sabot_floor.reports.commands import command_rows
from sabot_floor.reports.incidents import steps_of
from sabot_floor.reports.people import args_of, decision_row
from sabot_floor.reports.people_rows import DecisionRow
from sabot_floor.reports.play import shift
from sabot_floor.reports.source import Scope, Source
from sabot_floor.store.rows import Attempt, Coup, Incident

_ANSWER_S = 300  # within which the request of a command reaches a ledger


class About(NamedTuple):
    """What requests are looked for: a shoe, or one coup of it; its time, and how long its number means this shoe."""

    number: str  # 3, or 3/17
    during: Span
    until: str  # a shoe of the same number began at the table, or now
    attempts: frozenset[str]  # ids of requests that its coups and incidents name
    incidents: frozenset[str]

    @classmethod
    def of(cls, number: str, during: Span, until: str, coups: Iterable[Coup], incidents: Sequence[Incident]) -> "About":
        """Return it with what coups and incidents name."""
        attempts = {one.attempt for one in coups} | {step.attempt for one in incidents for step in steps_of(one)}
        return cls(number, during, until, frozenset(attempts - {""}), frozenset(one.incident for one in incidents))

    def has(self, time: str, coup: str, incident: str) -> bool:
        """Return True if a request is about it."""
        if incident:
            return incident in self.incidents
        if "/" in coup:
            wanted = self.number.split("/")
            return time < self.until and coup.split("/")[: len(wanted)] == wanted
        in_shoe = self.number.partition("/")[2]
        return self.during.holds(time) and (not coup or not in_shoe or coup == in_shoe)


def decisions_about(source: Source, scope: Scope, about: About) -> list[Decision]:
    """Return the requests in the ledgers about a shoe or coup, in the order of time."""
    during = source.decisions(scope.of(about.during))
    found = {one.attempt.id: one for one in during if _is_about(one.attempt, about)}
    named = {one.id for one in source.requests_that_name(scope.only, about.during.begin) if _is_about(one, about)}
    for key in sorted((named | about.attempts) - found.keys()):
        if (decision := source.reading.attempt(key, scope.only)) is not None:
            found[key] = decision
    return sorted(found.values(), key=lambda one: one.attempt.time)


def _is_about(attempt: Attempt, about: About) -> bool:
    args = args_of(attempt.args)
    return about.has(attempt.time, str(args.get("coup") or ""), str(args.get("incident") or ""))


def request_rows(source: Source, scope: Scope, about: About, decisions: Sequence[Decision]) -> list[DecisionRow]:
    """Return these requests, and the commands about the same that no ledger has, in the order of time."""
    begin, end = about.during
    known = [*decisions, *source.decisions(scope.of(Span(begin, shift(end, _ANSWER_S))))]
    commands = command_rows(source, scope.of(Span(begin, max(end, scope.made))), known)
    rows = [row for row in commands if about.has(row.time, row.coup, str(args_of(row.args).get("incident") or ""))]
    return sorted([*map(decision_row, decisions), *rows], key=lambda row: row.time)
