"""Translate: the tracker's steps as the parts of an event, under the names and fields that our own shoe's log has."""

from collections.abc import Callable, Iterator
from typing import Any

from sabot_protocol.irregularities import Advice
from sabot_protocol.topics import CoupKind

from sabot_gateway import rules
from sabot_gateway.angel_eye import steps, words
from sabot_gateway.angel_eye.checks import AngelEyeChecks
from sabot_gateway.angel_eye.coup import FIRST_CARD_MISSING, Coup, TrackedCoup
from sabot_gateway.angel_eye.steps import Step
from sabot_gateway.shoe.parse import NO_CLOCK, Event
from sabot_gateway.verify.state import RESULTS, Dealt, ShoeState

_DRAWN = ("player_1", "banker_1", "player_2", "banker_2", "player_3", "banker_3")
_NOTHING = (steps.CardSame, steps.AgainIgnored, steps.LateCopy)  # change nothing and report nothing
Parts = Iterator[Event]


class Translator:
    """Makes parts by the state before each; the caller must verify one part before it asks for the next.

    One class because every step needs the same state, the open coup and the coup that a person has voided.
    """

    def __init__(self, state: ShoeState, checks: AngelEyeChecks, profile: dict[str, Any], *, confirms: bool) -> None:
        self._state, self._checks, self._profile, self._confirms = state, checks, profile, confirms
        self._open = 0  # the number of the open coup
        self._void = 0  # the open coup, if a person has voided it
        self._overdraw: Advice | None = None  # what the book has for the last error, if it was an overdraw
        self._changes = False  # the event opens another shoe
        self._translate: dict[type, Callable[[Event, Any], Parts]] = {
            steps.ShoeOpened: self._shoe_opened,
            steps.ShoeClosed: self._shoe_closed,
            steps.ShoeEnding: self._shoe_ending,
            steps.CoupOpened: self._coup_opened,
            steps.CardPlaced: self._card_placed,
            steps.Conflict: self._conflict,
            steps.Burnt: self._burnt,
            steps.CardUnplaced: self._unplaced,
            steps.CardOutside: self._outside,
            steps.CoupClosed: self._coup_closed,
            steps.ResultWithoutCoup: self._without_coup,
            steps.ResultUndefined: self._undefined,
            steps.CardKept: self._kept,
            steps.KeptForgotten: self._kept_forgotten,
            steps.AgainUnclear: self._again,
            steps.ErrorRaised: self._error,
            steps.ErrorCleared: self._error_cleared,
            steps.LockChanged: self._lock,
            steps.Restarted: self._restarted,
            steps.Connected: self._connected,
        }

    def go_on(self, coup: Coup | None) -> None:
        """Go on with the coup that is open already."""
        self._open = coup.number if coup else 0

    def translate(self, event: Event, found: list[Step], shoe_no: int) -> Parts:
        """Yield the parts of an event's steps; `shoe_no` is the shoe that is there if none is known."""
        self._changes = any(isinstance(step, steps.ShoeOpened) for step in found)
        for step in found:
            if self._state.shoe_no is None:
                yield self._opened(event, shoe_no)
                if not isinstance(step, steps.Connected):  # the log before it cannot be read, though the line is open
                    yield from self._connected(event, steps.Connected())
            if not isinstance(step, _NOTHING):
                yield from self._translate[type(step)](event, step)

    def _opened(self, event: Event, shoe_no: int) -> Event:
        about = {"decks": self._profile["decks"], "card_set": self._profile["card_set"], "burn": self._profile["burn"]}
        return _part(event, "shoe_opened", shoe_no=shoe_no, **about)

    def commanded(self, event: Event) -> Parts:
        """Yield what follows from a person's command: void the coup on the table, or the one before the next begins."""
        state = self._state
        number, data = state.coup_no, event.data["data"]
        if event.data["command"] != "void_coup" or number not in state.dealt:
            return
        if state.phase == "dealing":
            self._void = number
        yield self._void_part(event, number, data["reason"], data["then"])

    def _void_part(self, event: Event, number: int, reason: str, then: str) -> Event:
        cards = len(self._state.dealt[number])
        return self._coup_part(event, "coup_void", number, reason=reason, then=then, cards=cards)

    # The shoe

    def _shoe_opened(self, event: Event, step: steps.ShoeOpened) -> Parts:
        yield self._opened(event, step.shoe)

    def _shoe_closed(self, event: Event, step: steps.ShoeClosed) -> Parts:
        yield _part(event, "shoe_closed", shoe_no=step.shoe, coups=step.coups)

    def _shoe_ending(self, event: Event, step: steps.ShoeEnding) -> Parts:
        before = step.before_first_card
        yield self._coup_part(event, "cutting_card", step.number, before_first_card=before)
        self._announce(event)

    def _burnt(self, event: Event, step: steps.Burnt) -> Parts:
        if step.card:
            yield self._card(event, self._state.coup_no, "burn", step.card)
        if step.what == "burn_first":
            yield _part(event, "burn_first", card=step.card or "")
        else:
            yield _part(event, "burn", cards=step.cards, first=step.what == "burn" and step.position == 1)

    # Coups

    def _coup_opened(self, event: Event, step: steps.CoupOpened) -> Parts:
        """A coup also ends the burn: whether an Angel Eye reports each burn card is not known."""
        self._open, self._void = step.number, 0
        if self._state.burning:
            yield _part(event, "burn", cards=None, first=False)
        if FIRST_CARD_MISSING in step.flags:
            self._state.gap_in = step.number
        self._announce(event)

    def _card_placed(self, event: Event, step: steps.CardPlaced) -> Parts:
        slot = "unused" if self._void else step.place
        yield self._card(event, self._open, slot, step.card, kept=step.carried)

    def _card(self, event: Event, number: int, slot: str, card: str, *, kept: bool = False) -> Event:
        return self._coup_part(event, "card", number, slot=slot, card=card, flags={"kept": kept})

    def _conflict(self, event: Event, step: steps.Conflict) -> Parts:
        if not self._void:
            yield self._coup_part(event, "conflict", self._open, slot=step.place, held=step.held, card=step.card)

    def _again(self, event: Event, step: steps.AgainUnclear) -> Parts:
        about = {"target": step.target, "position": step.position, "card": step.card}
        if step.n is None or self._void:
            yield _part(event, "sent_again", **about)
        else:
            yield self._coup_part(event, "again", self._open, **about)

    def _coup_closed(self, event: Event, step: steps.CoupClosed) -> Parts:
        """The result; a coup that a person has voided gets none, and one in progress is void when new cards are in."""
        coup, self._open = step.coup, 0
        if self._void:
            self._void = 0
            return
        self._state.dealt[coup.number] = dealt = _dealt(coup)
        if event.kind == "command_done" and rules.due([card for _, card in dealt]):
            yield self._void_part(event, coup.number, "supervisor", "go_on")
            return
        yield self._coup_part(event, "coup", coup.number, **self._result(coup, dealt))
        self._announce(event)
        if self._confirms and coup.status == "complete":
            yield self._coup_part(event, "button", coup.number, button="confirm")

    def _result(self, coup: TrackedCoup, dealt: Dealt) -> dict[str, Any]:
        player, banker = ([card for slot, card in dealt if slot.startswith(side)] for side in ("player", "banker"))
        settled, last = coup.status in ("complete", "disputed"), self._checks.cutting_card.last
        points = rules.points(player), rules.points(banker)
        return {
            "coup": coup,
            "kind": self._checks.notices.kind_of(coup.number),
            "winner": coup.result if settled and coup.result in RESULTS else None,
            "player_points": points[0],
            "banker_points": points[1],
            "flags": {
                "player_pair": settled and coup.player_pair,
                "banker_pair": settled and coup.banker_pair,
                "natural": settled and len(dealt) == 4 and max(points) >= 8,
                "last_coup": last is not None and coup.number >= last,
            },
            "notes": _notes(coup),
        }

    def _announce(self, event: Event) -> None:
        """Announce that the coups after the last of the shoe have no wagers, where the book has such coups."""
        last, number = self._checks.cutting_card.last, self._state.coup_no
        if last is None or not self._profile["switches"]["post_cut_dummy_coups"]:
            return
        kind: CoupKind = self._profile["unwagered"]
        for after in range(max(last, number) + 1, number + 3):
            self._checks.notices.coup_kind(self._coup_part(event, "coup_kind", after, kind=kind))

    # What people must look at

    def _unplaced(self, event: Event, step: steps.CardUnplaced) -> Parts:
        yield _part(event, "outside", mode="", low=0, card=step.card)

    def _outside(self, event: Event, step: steps.CardOutside) -> Parts:
        yield _part(event, "outside", mode=step.mode, low=step.low, card=step.card)

    def _without_coup(self, event: Event, step: steps.ResultWithoutCoup) -> Parts:
        yield _part(event, "result_not_used", says=step.result.replace("_", " "), undefined=False)

    def _undefined(self, event: Event, step: steps.ResultUndefined) -> Parts:
        yield _part(event, "result_not_used", says="unknown result", undefined=True)

    def _kept(self, event: Event, step: steps.CardKept) -> Parts:
        yield _part(event, "kept", card=step.card, book_says=self._overdraw)

    def _kept_forgotten(self, event: Event, step: steps.KeptForgotten) -> Parts:
        yield _part(event, "kept_forgotten", card=step.card)

    def _error(self, event: Event, step: steps.ErrorRaised) -> Parts:
        last = self._checks.cutting_card.last
        is_last = last is not None and self._state.coup_no >= last
        about = {"code": step.code, "error": step.error, "standing": step.standing}
        book_says = self._checks.tracked.book_says(step.error, last_coup=is_last)
        self._overdraw = book_says if step.error == words.OVERDRAW else None
        yield _part(event, "error", **about, book_says=book_says)

    def _error_cleared(self, event: Event, step: steps.ErrorCleared) -> Parts:
        yield _part(event, "error_cleared")

    # The shoe and its line

    def _lock(self, event: Event, step: steps.LockChanged) -> Parts:
        yield _part(event, "lock_changed", on=step.locked, by=step.by)

    def _restarted(self, event: Event, step: steps.Restarted) -> Parts:
        yield _part(event, "restarted", changes=self._changes)

    def _connected(self, event: Event, step: steps.Connected) -> Parts:
        yield _part(event, "connected")

    def _coup_part(self, event: Event, name: str, number: int, /, **data: Any) -> Event:
        return _part(event, name, shoe_no=self._state.shoe_no, coup_no=number, **data)


def _part(event: Event, name: str, /, **data: Any) -> Event:
    return Event(event.unit, event.event_no, name, NO_CLOCK, data, event.raw)


def _dealt(coup: TrackedCoup) -> Dealt:
    """Return the cards of a coup that were seen, in the order of the draw."""
    hands = (("player", coup.player), ("banker", coup.banker))
    cards = {f"{side}_{place}": card for side, hand in hands for place, card in enumerate(hand, 1)}
    return [(slot, card) for slot in _DRAWN if (card := cards.get(slot))]


def _notes(coup: TrackedCoup) -> list[str]:
    """Return the flags of a coup as it is published: how it ended, unless it has a result, then what happened in it."""
    ended = [coup.status] if coup.status not in ("complete", "disputed") else []
    missing = ["partial"] if None in (*coup.player, *coup.banker) else []
    return list(dict.fromkeys([*ended, *missing, *coup.flags]))
