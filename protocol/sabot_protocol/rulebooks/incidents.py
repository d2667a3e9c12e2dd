"""The shape of [incident] in a rulebook: what opens each kind, and the steps that people must take."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from sabot_protocol.irregularities import Code
from sabot_protocol.rulebooks import people
from sabot_protocol.rulebooks.people import Authority

Proof = Literal[
    "opening", "coup_decided", "coup_void", "unwagered_coup", "shoe_closed", "new_shoe", "cards_complete",
    "card_keyed", "card_read", "authorised", "coup_moved", "made_unwagered",
]  # fmt: skip
OWN_FACTS = ("intentional", "coup_running")  # beside those of the catalogue of acts
UNWAGERED_COUP = "unwagered_coup"  # fact: the number of the coup without wagers that an irregularity asks for


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Unknown keys are errors."""


class StepRule(_Strict, frozen=True):
    """A step: role and clause come from the act, the notified party and the time from the report."""

    name: str
    act: str = ""
    report: str = ""
    to: str = ""  # of the report's parties this one; empty: all
    when: dict[str, bool] = {}  # left out if a fact contradicts
    after: tuple[str, ...] = ()  # steps that come before it by the text, and whose time ahead must be over
    before_cards: bool = False  # late once a card of its coup is drawn


class Incident(_Strict, frozen=True):
    """A kind of incident in one book."""

    row: str
    step: tuple[StepRule, ...]
    alarms: tuple[str, ...] = ()  # names of alarms that open it
    codes: tuple[Code, ...] = ()  # of the irregularity; empty: any
    acts: tuple[str, ...] = ()  # acts that open it
    reports: tuple[str, ...] = ()  # reports that open it, where no act does
    verb: str = ""  # the request of a person that opens it


class KindEntry(_Strict, frozen=True):
    """A kind in all books."""

    title: str


class StepEntry(_Strict, frozen=True):
    """A step in all books: what a person must do, what proves that it is done, and what makes it needless."""

    say: str
    proof: tuple[Proof, ...] = ()
    needless: tuple[Proof, ...] = ()


class Catalogue(_Strict, frozen=True):
    """Every kind and every step."""

    kind: dict[str, KindEntry]
    step: dict[str, StepEntry]


@cache
def catalogue() -> Catalogue:
    """Return the catalogue of kinds and steps."""
    text = (files(__package__) / "authority" / "incidents.toml").read_text(encoding="utf-8")
    return msgspec.toml.decode(text, type=Catalogue)


def problems(incidents: Mapping[str, Incident], authority: Authority) -> Iterator[str]:
    """Yield what the types cannot check."""
    openers = [opener for one in incidents.values() for opener in (*one.acts, *one.reports, one.verb) if opener]
    yield from (f"{twice!r} opens two kinds" for twice in sorted(set(openers)) if openers.count(twice) > 1)
    for kind, incident in incidents.items():
        if kind not in catalogue().kind:
            yield f"{kind}: unknown kind"
        yield from (f"{kind}: {problem}" for problem in _opener_problems(incident, authority))
        names = [step.name for step in incident.step]
        yield from (f"{kind}: step {name} is there twice" for name in sorted(set(names)) if names.count(name) > 1)
        for number, step in enumerate(incident.step):
            yield from (f"{kind}: step {step.name}: {problem}" for problem in _step_problems(step, authority))
            wrong = (name for name in step.after if name not in names[:number])
            yield from (f"{kind}: step {step.name}: after: no step {name!r} stands before it" for name in wrong)


def _opener_problems(incident: Incident, authority: Authority) -> Iterator[str]:
    yield from (f"acts: no act {act!r}" for act in incident.acts if not _has_act(authority, act))
    yield from (f"reports: no report {name!r}" for name in incident.reports if name not in authority.report)
    if not (incident.alarms or incident.acts or incident.reports or incident.verb):
        yield "nothing opens it: give alarms, acts, reports or verb"
    if not incident.step:
        yield "it has no step"


def _has_act(authority: Authority, act: str) -> bool:
    return act in authority.act and not authority.act[act].silent


def _step_problems(step: StepRule, authority: Authority) -> Iterator[str]:
    if step.name not in catalogue().step:
        yield "unknown step"
    if step.act and not _has_act(authority, step.act):
        yield f"no act {step.act!r}"
    if step.report and step.report not in authority.report:
        yield f"no report {step.report!r}"
    elif step.to and (not step.report or step.to not in authority.report[step.report].to):
        yield f"to: the report does not go to {step.to!r}"
    known = (*people.catalogue().fact, *OWN_FACTS)
    yield from (f"when: unknown fact {fact!r}" for fact in step.when if fact not in known)
