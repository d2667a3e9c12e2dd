"""The shape of [authority] in a rulebook: roles in order, acts with the roles that may do them, reports."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

OPERATOR = "operator"  # in `role` of an act: the casino operator, no person named
Basis = Literal["role", "unnamed", "auto", "free", "never", "silent"]
Due = Literal[
    "before", "ahead", "at_once", "within", "soon", "reasonable_time", "daily", "month_end",
    "before_next_coup", "before_collection", "end_of_shoe", "approval", "kept",
]  # fmt: skip


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Unknown keys are errors."""


class Role(_Strict, frozen=True):
    """A role; `aliases` are other ways to write its id."""

    id: str
    title: str
    aliases: tuple[str, ...] = ()
    counts_as: str = ""  # the role that it is as good as
    beside: bool = False  # outside the order
    under: str = ""  # beside: the roles from this one up include it
    clause: str = ""


class Rule(_Strict, frozen=True):
    """The roles that may do an act if no fact contradicts `when`; flags as [authority.act] explains them."""

    role: str | tuple[str, ...] = ()
    clause: str = ""
    when: dict[str, bool] = {}
    must: bool = False
    or_above: bool = False
    unnamed: bool = False
    auto: bool = False
    free: bool = False
    never: bool = False
    silent: bool = False
    elsewhere: bool = False  # silent here, and ruled in another text
    second_person: str = ""  # the lowest role of another person who must approve
    notify: tuple[str, ...] = ()

    @property
    def basis(self) -> Basis:
        """Return what the rule rests on."""
        flags: dict[Basis, bool] = {
            "silent": self.silent, "never": self.never, "auto": self.auto, "free": self.free, "unnamed": self.unnamed,
        }  # fmt: skip
        return next((name for name, value in flags.items() if value), "role")

    def names(self) -> tuple[str, ...]:
        """Return the roles as written."""
        return (self.role,) if isinstance(self.role, str) else self.role

    def fits(self, facts: Mapping[str, bool]) -> bool:
        """Return True unless a fact contradicts the rule; a fact that is not given does not."""
        return all(facts.get(fact, value) is value for fact, value in self.when.items())


class Act(Rule, frozen=True):
    """An act: its first rule, and in `other` the rules for other facts; the first that fits is the answer."""

    row: str = ""
    other: tuple[Rule, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return all rules, the first one first."""
        return (self, *self.other)

    def facts(self) -> tuple[str, ...]:
        """Return the facts that decide the act in this book."""
        return tuple(sorted({fact for rule in self.rules for fact in rule.when}))


class Report(_Strict, frozen=True):
    """A report, notification, record or time limit."""

    row: str
    to: tuple[str, ...]
    due: Due
    clause: str
    minutes: int = 0  # ahead, within
    coups: int = 0  # ahead
    over_cents: int = 0  # only above this amount
    optional: bool = False  # may, not must
    after: tuple[str, ...] = ()  # the acts that cause it


class Unturned(_Strict, frozen=True):
    """The roles that may see a card dealt face down before it is turned; the clauses are about what follows from it."""

    seen_by: tuple[str, ...]
    clause: str


class Authority(_Strict, frozen=True):
    """What one book lays down about people; the first role is the lowest."""

    operator: str
    unnamed: str
    unturned: Unturned
    role: tuple[Role, ...]
    act: dict[str, Act]
    report: dict[str, Report] = {}
    elsewhere: str = ""  # the text that rules acts which this one does not have


class ActEntry(_Strict, frozen=True):
    """An act or report in all books; `enforced`: Sabot refuses it to a lower role, and does not only record it."""

    row: str
    title: str
    enforced: bool = False


class Catalogue(_Strict, frozen=True):
    """Every fact and party that is notified with its text, every act by section, every report."""

    fact: dict[str, tuple[str, str]]  # the text if true, and if false
    party: dict[str, str]
    section: dict[str, dict[str, ActEntry]]
    report: dict[str, ActEntry]

    def acts(self) -> dict[str, ActEntry]:
        """Return all acts in order."""
        return {act: entry for acts in self.section.values() for act, entry in acts.items()}


@cache
def catalogue() -> Catalogue:
    """Return the catalogue of acts, reports and facts."""
    text = (files(__package__) / "authority" / "acts.toml").read_text(encoding="utf-8")
    return msgspec.toml.decode(text, type=Catalogue)


def problems(authority: Authority) -> Iterator[str]:
    """Yield what the types cannot check."""
    yield from _role_problems(authority)
    known, entries = {role.id for role in authority.role} | {OPERATOR}, catalogue().acts()
    for name in sorted(entries.keys() ^ authority.act.keys()):
        yield f"act.{name}: {'missing' if name in entries else 'unknown act'}"
    for act_id, act in authority.act.items():
        if act_id in entries and act.row != entries[act_id].row:
            yield f"act.{act_id}: row {act.row!r} is not {entries[act_id].row}"
        for number, rule in enumerate(act.rules, 1):
            yield from (f"act.{act_id}: rule {number}: {problem}" for problem in _rule_problems(rule, known))
        yield from (f"act.{act_id}: {problem}" for problem in _order_problems(act))
    for report_id, report in authority.report.items():
        yield from (f"report.{report_id}: {problem}" for problem in _report_problems(report_id, report))


def _role_problems(authority: Authority) -> Iterator[str]:
    ids = [role.id for role in authority.role]
    names = [name for role in authority.role for name in (role.id, *role.aliases)]
    yield from (f"role: {name!r} is there twice" for name in sorted(set(names)) if names.count(name) > 1)
    ladder = [role.id for role in authority.role if not role.beside and not role.counts_as]
    for role in authority.role:
        for key, value in (("counts_as", role.counts_as), ("under", role.under)):
            if value and value not in ladder:
                yield f"role {role.id}: {key} {value!r} is not a role in the order"
    for key, value in (("operator", authority.operator), ("unnamed", authority.unnamed)):
        if value not in [*ids, OPERATOR]:
            yield f"{key}: no role {value!r}"
    yield from (f"unturned.seen_by: no role {name!r}" for name in authority.unturned.seen_by if name not in ids)


def _rule_problems(rule: Rule, known: set[str]) -> Iterator[str]:
    named = [*rule.names(), *([rule.second_person] if rule.second_person else [])]
    yield from (f"no role {name!r}" for name in named if name not in known)
    yield from (f"unknown fact {fact!r}" for fact in rule.when if fact not in catalogue().fact)
    flags = [rule.auto, rule.free, rule.never, rule.silent, rule.unnamed]
    if sum(flags) > 1:
        yield "more than one of auto, free, never, silent, unnamed"
    if rule.basis != "unnamed" and bool(rule.role) != (rule.basis == "role"):
        yield "a rule needs a role, or one of auto, free, never, silent, unnamed, and not both"
    if not rule.clause and not rule.silent:
        yield "clause is missing"
    yield from (f"notify: unknown party {party!r}" for party in rule.notify if party not in catalogue().party)


def _order_problems(act: Act) -> Iterator[str]:
    """Yield each rule that can never be the answer because one before it asks for no more than it does."""
    for number, rule in enumerate(act.rules):
        if any(rule.when.items() >= before.when.items() for before in act.rules[:number]):
            yield f"rule {number + 1} is never reached"


def _report_problems(report_id: str, report: Report) -> Iterator[str]:
    entry = catalogue().report.get(report_id)
    if entry is None:
        yield "unknown report"
    elif entry.row != report.row:
        yield f"row {report.row!r} is not {entry.row}"
    yield from (f"to: unknown party {party!r}" for party in report.to if party not in catalogue().party)
    yield from (f"after: no act {act!r}" for act in report.after if act not in catalogue().acts())
    given = (("minutes", report.minutes), ("coups", report.coups), ("over_cents", report.over_cents or 0))
    yield from (f"{key}: {number} is below 0" for key, number in given if number < 0)
    if (report.due in ("within", "ahead")) != bool(report.minutes or report.coups):
        yield "minutes or coups: `within` and `ahead` need one, no other `due` has one"
