"""Books: what dialogs need of a rulebook: its clauses, its roles, the acts and reports that people record."""

from functools import lru_cache

import msgspec
from sabot_protocol import authority, clauses, command_acts, rulebooks
from sabot_protocol.fields import VoidReason
from sabot_protocol.rulebooks.people import catalogue

from sabot_floor.web.views.pit_prefill import Prefill, for_act, for_verb, of_causes


class RecordedAct(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An act or a report that people record at a table."""

    id: str
    title: str
    section: str = ""  # of the acts; empty for a report
    facts: list[tuple[str, str, str]] = []  # that decide it: id, text if true, text if false
    found: Prefill


class Book(msgspec.Struct, frozen=True):
    """A rulebook."""

    rulebook: str
    clauses: tuple[str, ...]
    roles: dict[str, str]  # titles by id, the lowest first
    voids: dict[str, Prefill]  # by the reason of a void
    causes: dict[str, dict[str, Prefill]]  # by verb and cause
    acts: list[RecordedAct]
    reports: list[RecordedAct]


@lru_cache(maxsize=32)
def read(rulebook: str) -> Book | None:
    """Return a rulebook, None if there is no such book."""
    if rulebook not in rulebooks.ids():
        return None
    known = authority.load(rulebook)
    return Book(
        rulebook,
        clauses.load(rulebook),
        {role.id: role.title for role in known.role},
        {reason: for_verb(rulebook, "void", {"reason": reason}) for reason in VoidReason.encmapping},
        {verb: of_causes(rulebook, verb) for verb in command_acts.BY_CAUSE},
        [one for section in catalogue().section for one in _acts(rulebook, section)],
        [_report(rulebook, name) for name in known.report],
    )


def _acts(rulebook: str, section: str) -> list[RecordedAct]:
    known, entries = authority.load(rulebook).act, catalogue()
    return [
        RecordedAct(
            id=name,
            title=entries.section[section][name].title,
            section=section,
            facts=[(fact, *entries.fact[fact]) for fact in known[name].facts()],
            found=for_act(rulebook, name),
        )
        for name in entries.section[section]
        if not known[name].silent and known[name].basis != "never"
    ]


def _report(rulebook: str, name: str) -> RecordedAct:
    report = authority.load(rulebook).report[name]
    return RecordedAct(
        id=name,
        title=catalogue().report[name].title,
        found=msgspec.structs.replace(for_act(rulebook, ""), clause=report.clause),
    )
