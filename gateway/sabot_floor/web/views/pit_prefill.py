"""What a rulebook has for a command to a table: the clause, who may give it, whether two people are needed; pure."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import replace
from sabot_protocol import authority, command_acts
from sabot_protocol.authority import Verdict
from sabot_protocol.rulebooks.people import catalogue

Facts = Mapping[str, bool]
NO_FACTS: Facts = MappingProxyType({})
NEED_CLAUSE = frozenset({"decide", "void", "this-no-bet", "export-coup"})  # verbs that a gateway refuses without one
_BY_THE_SHOE = "short_shoe"  # the reason of a void that needs nobody; a person who gives it needs the role of A-80
_BY_ITSELF = ("auto", "free")


def needs_clause(verb: str, args: Mapping[str, Any]) -> bool:
    """Return True if a gateway refuses the verb with these arguments without a clause."""
    return verb in NEED_CLAUSE or (verb == "clear-error" and args.get("card") == "discard")


class Prefill(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the book has for an act."""

    clause: str = ""
    role: str = ""  # titles of the lowest roles, joined by `or`; empty if the rule works without approval
    second: str = ""  # title of the lowest role of the person who approves; empty if one person is enough
    may: tuple[str, ...] = ()  # ids of the roles that may ask for it
    title: str = ""  # of the act; empty if the book has no rule for it
    never: bool = False  # nobody may do it


def for_act(book: str, act: str, facts: Facts = NO_FACTS) -> Prefill:
    """Return what the book has for an act by these facts; an empty act is one that no book has."""
    return _for_act(book, act, tuple(sorted(facts.items())))


def for_verb(book: str, verb: str, args: Mapping[str, Any], facts: Facts = NO_FACTS) -> Prefill:
    """Return what the book has for a verb of a table with these arguments."""
    found = for_act(book, command_acts.act_of(verb, args) or "", facts)
    if verb == "void" and args.get("reason") == _BY_THE_SHOE:
        return replace(for_act(book, ""), clause=found.clause, title=found.title)
    return found


def of_causes(book: str, verb: str) -> dict[str, Prefill]:
    """Return what the book has for each cause of a verb whose act is that of its cause, but what nobody may do."""
    found = {cause: for_act(book, act) for cause, act in command_acts.BY_CAUSE[verb].items()}
    return {cause: one for cause, one in found.items() if not one.never}


@lru_cache(maxsize=4000)  # acts come over MQTT, too
def _for_act(book: str, act: str, facts: tuple[tuple[str, bool], ...]) -> Prefill:
    roles = authority.load(book).role
    verdicts = {role.id: _verdict(book, act, role.id, dict(facts)) for role in roles}
    one = verdicts[roles[0].id]
    if one.basis == "never":
        return Prefill(clause=one.clause, title=_title(act), never=True)
    by_itself = one.basis in _BY_ITSELF
    return Prefill(
        clause=one.clause,
        role="" if by_itself else _titles(book, one.lowest),
        second=_titles(book, (one.second_role,)) if one.second_role else "",
        may=tuple(role.id for role in roles if verdicts[role.id].allowed and not (by_itself and role.beside)),
        title=_title(act) if one.basis != "silent" else "",
    )


def _verdict(book: str, act: str, role: str, facts: dict[str, bool]) -> Verdict:
    """Return the verdict by the facts, by no facts if no rule fits them, and by A-80 if the book has no rule."""
    if act not in authority.load(book).act:
        return authority.check_without_rule(book, role)
    found = authority.check(book, act, role, facts)
    if found.basis == "never" and not found.lowest:
        found = authority.check(book, act, role)
    return authority.check_without_rule(book, role) if found.basis == "silent" else found


def _title(act: str) -> str:
    return catalogue().acts()[act].title


def _titles(book: str, roles: tuple[str, ...]) -> str:
    return " or ".join(authority.party_title(book, role) for role in roles)
