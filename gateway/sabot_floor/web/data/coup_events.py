"""Events of a coup: everything that happened to it, from all tables of the projection, in the order of time."""

from collections.abc import Iterator

from sabot_floor.projection.reading import Alarm, Decision
from sabot_floor.reports.incidents import steps_of
from sabot_floor.reports.people import args_of
from sabot_floor.reports.play import cards_of
from sabot_floor.reports.shoe import CoupFacts
from sabot_floor.store.rows import Card, Confirmed, Coup, Dealt, Incident
from sabot_floor.web.data.evidence import Event, Place


def events(facts: CoupFacts) -> list[Event]:
    """Return what happened, oldest first; events of one time in the order of the ledger."""
    roles = {one.attempt.id: one.attempt.role for one in facts.decisions}
    found = [
        *map(_card, facts.cards),
        *map(_dealt, facts.dealt),
        *(_coup(one, roles.get(one.attempt, "")) for one in facts.messages),
        *(_confirmed(one, roles.get(one.attempt, "")) for one in facts.confirmed),
        *(event for one in facts.alarms for event in _alarm(one)),
        *(event for one in facts.decisions for event in _decision(one)),
        *(event for one in facts.incidents for event in _incident(one)),
    ]
    return sorted(found, key=lambda one: (one.time, one.place.gateway, one.place.entry))


def _card(one: Card) -> Event:
    text = " ".join(filter(None, (one.slot, one.card, one.notes)))
    return Event(
        time=one.time,
        kind="card",
        text=text,
        place=Place(one.gateway, one.entry),
        id=one.id,
        name=one.slot,
        card=one.card,
        notes=one.notes.split(),
    )


def _dealt(one: Dealt) -> Event:
    text, place = f"{one.slot} {one.card}", Place(one.gateway, one.entry)
    return Event(time=one.time, kind="card", text=text, place=place, name=one.slot, card=one.card)


def _coup(one: Coup, role: str) -> Event:
    hands = [
        f"{name} {' '.join(cards_of(cards)) or '-'} ({points})"
        for name, cards, points in (
            ("player", one.player, one.player_points),
            ("banker", one.banker, one.banker_points),
        )
    ]
    text = ", ".join(filter(None, (one.kind, one.status, one.winner, *hands)))
    place = Place(one.gateway, one.entry)
    return Event(
        time=one.time,
        kind="coup",
        text=text,
        by=one.by,
        role=role,
        clause=one.clause,
        place=place,
        id=one.id,
        notes=one.flags.split(" ")[1:],
    )


def _confirmed(one: Confirmed, role: str) -> Event:
    place = Place(one.gateway, one.entry)
    return Event(
        time=one.time,
        kind="confirmed",
        text=one.status,
        by=one.by,
        role=role,
        clause=one.clause,
        place=place,
        id=one.id,
    )


def _alarm(one: Alarm) -> Iterator[Event]:
    for change in filter(None, one):
        say = f"{change.name}: {change.say}" if change.state == "raised" else f"{change.name}: {change.state}"
        place = Place(change.gateway, change.entry)
        yield Event(
            time=change.time,
            kind="alarm",
            text=say,
            by=change.by,
            clause=change.clause,
            place=place,
            id=change.id,
            name=change.name,
        )


def _decision(one: Decision) -> Iterator[Event]:
    attempt, outcome = one
    args = {name: _text(value) for name, value in args_of(attempt.args).items() if value not in (None, "", False)}
    listed = ", ".join(f"{name} {value}" for name, value in args.items())
    asks = f"asked by {attempt.asks}" + (f" ({attempt.asks_role})" if attempt.asks_role else "") if attempt.asks else ""
    yield Event(
        time=attempt.time,
        kind="request",
        text="; ".join(filter(None, (attempt.verb, listed, asks))),
        by=attempt.by,
        role=attempt.role,
        clause=attempt.clause,
        place=Place(attempt.gateway, attempt.entry),
        id=attempt.id,
        name=attempt.verb,
        asks=attempt.asks,
        args=args,
    )
    if outcome is not None:
        say = outcome.say if outcome.ok else f"refused: {outcome.say}"
        place = Place(outcome.gateway, outcome.entry)
        yield Event(time=outcome.time, kind="answer", text=say, place=place, id=outcome.id)


def _text(value: object) -> str:
    """Return an argument as a person reads it: facts by name, each with yes or no."""
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_text(one)}" for name, one in value.items())
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _incident(one: Incident) -> Iterator[Event]:
    place = Place(one.gateway, one.entry)
    text = f"{one.kind}: {one.say}"
    yield Event(
        time=one.opened,
        kind="incident",
        text=text,
        by=one.by,
        clause=one.clause,
        place=place,
        id=one.incident,
        name=one.kind,
    )
    for step in steps_of(one):
        if step.done:
            said = ": ".join(filter(None, (step.name, step.note)))
            yield Event(
                time=step.done,
                kind="step",
                text=said,
                by=step.by,
                role=step.by_role,
                clause=step.clause,
                id=one.incident,
                name=step.name,
            )
