"""Logs of whole shoes by the firmware, with void coups and coups without wagers, and what they come to."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from struct import unpack_from
from typing import Final

from sabot_protocol import messages
from sabot_protocol.cards import DECK, INDEX
from sabot_protocol.fields import Burn, Button, CoupKind, Then, VoidReason
from sabot_protocol.messages import EventKind
from sabot_sim.dealing.random_commands import Step, command
from sabot_sim.rigs.play import CPythonPlay, StepAnswer
from sabot_sim.stack import CUT, shuffled
from sabot_tools.bench import shoe_player
from sabot_tools.bench.shoe_player import Record, unit

RULEBOOK: Final = "crown-baccarat"
LOGS: Final = 8  # different logs; every eighth table plays the same one
DECKS: Final = 8
_VOID, _VOID_AFTER, _DUMMY = 0.04, 0.03, 0.05  # shares of the coups
_CLOSED, _COMPLETE = 0, 3  # states of a shoe in the answers of firmware/bench/play.py
_BURN_ONE: Final = Burn.encmapping["one"]
_CONFIRM: Final[Step] = ("button", Button.encmapping["confirm"])
_AUTHORISE: Final = command("authorise", 1)
_DUMMY_NEXT: Final = command("no_bet", CoupKind.encmapping["dummy"])
_VOID_COUP: Final = command("void_coup", VoidReason.encmapping["supervisor"], Then.encmapping["go_on"])
_EVENTS: Final = EventKind.encmapping
_CONFIRM_BUTTON: Final = Button.encmapping["confirm"]
_LIVE: Final = CoupKind.encmapping["live"]
_INITIAL_SLOTS: Final = (1, 2, 3, 4)


@cache
def log(number: int, coups: int) -> list[Record]:
    """Return the log of this number: shoe after shoe, up to the Confirm of the last of so many coups."""
    rng, records, left = random.Random(f"floor {number}"), list[Record](), coups
    with CPythonPlay(
        shoe_player.profile_hash(RULEBOOK) + messages.Profile.build(shoe_player.profile(RULEBOOK))
    ) as shoe:
        while left:
            for answer, confirmed in _dealt(shoe, rng):
                records += answer.records
                left -= confirmed
                if not left:
                    break
    return records


def _dealt(shoe: CPythonPlay, rng: random.Random) -> Iterator[tuple[StepAnswer, bool]]:
    """Yield every answer of one shoe, from opening it to closing it, and whether it was to a Confirm."""
    cards = iter(shuffled(DECKS, rng))
    answer = shoe.step(*command("open_shoe", DECKS, _BURN_ONE))
    yield answer, False
    while answer.state != _CLOSED:
        for step in _steps(rng, answer, cards):
            answer = shoe.step(*step)
            yield answer, step == _CONFIRM


def _steps(rng: random.Random, answer: StepAnswer, cards: Iterator[str]) -> list[Step]:
    """Return what the dealer and the supervisor do next."""
    if answer.state == _COMPLETE:
        return [_VOID_COUP if rng.random() < _VOID_AFTER else _CONFIRM]
    if answer.due == 1 and rng.random() < _DUMMY:
        return [_AUTHORISE, _DUMMY_NEXT, _draw(cards)]
    if answer.due == 3 and rng.random() < _VOID:
        return [_VOID_COUP]
    return [_AUTHORISE] if answer.locked else [_draw(cards)]


def _draw(cards: Iterator[str]) -> Step:
    card = next(cards)
    return ("cut",) if card == CUT else ("card", INDEX[card], 0, -1)


@dataclass(frozen=True)
class Arithmetic:
    """What a log comes to, read from its bytes alone: the events that confirm a coup which is not void."""

    confirmed: dict[int, bool]  # event number of the Confirm: the coup had wagers
    voided: int

    def counted(self, *, unwagered: bool) -> list[int]:
        """Return the events whose coups contribute; those without wagers only if `unwagered`."""
        return [event_no for event_no, live in self.confirmed.items() if live or unwagered]


def arithmetic(records: list[Record]) -> Arithmetic:
    """Count the coups of a log; ValueError if one of them wins the jackpot."""
    kinds, confirmed, voided = dict[tuple[int, int], int](), dict[tuple[int, int], int](), set[tuple[int, int]]()
    hands: dict[tuple[int, int], list[str]] = {}
    for event_no, kind, body in records:
        data = bytes.fromhex(body)
        if kind in (_EVENTS["card"], _EVENTS["coup"], _EVENTS["button"], _EVENTS["coup_void"]):
            place: tuple[int, int] = unpack_from("<HH", data)  # shoe, coup
        if kind == _EVENTS["coup"]:
            kinds[place] = data[8]
        elif kind == _EVENTS["button"] and data[4] == _CONFIRM_BUTTON:
            confirmed[place] = event_no
        elif kind == _EVENTS["coup_void"]:
            voided.add(place)
        elif kind == _EVENTS["card"] and data[4] in _INITIAL_SLOTS:
            hands.setdefault(place, []).append(DECK[data[5]])
    for place in confirmed:
        if all(card.startswith("8") for card in hands[place]):
            raise ValueError(f"coup {place} is a Lucky Tie: choose another seed in floor_kills/logs.py")
    return Arithmetic(
        {event_no: kinds[place] == _LIVE for place, event_no in confirmed.items() if place not in voided}, len(voided)
    )


@dataclass(frozen=True)
class Table:
    """A table of the floor and the log that its shoe plays."""

    number: int
    coups: int

    @property
    def name(self) -> str:
        """Its name in config and topics."""
        return f"bac-{self.number + 1:03}"

    @property
    def records(self) -> list[Record]:
        """Return its log."""
        return log(self.number % LOGS, self.coups)

    def coup_ids(self, *, unwagered: bool) -> set[str]:
        """Return the ids of the messages on `confirmed` that must contribute."""
        return {f"{unit(self.number)}-{no}" for no in arithmetic(self.records).counted(unwagered=unwagered)}
