"""Unturned: a coup dealt face down as those may see it who must not know a card before it is turned (rule 2)."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace
from sabot_protocol import rulebooks, table_of_play
from sabot_protocol.rulebooks import Rulebook, RulebookError
from sabot_protocol.table_of_play import FIRST_FOUR
from sabot_protocol.table_states import HandCard, HandMessage, HandResult, HistoryMessage
from sabot_protocol.topics import AlarmMessage, AlarmsMessage, StatusMessage, TableSetup

from sabot_floor.web.person_acts import PersonAct

COVERED = ""  # in place of a card that is not turned
SURPLUS = "surplus"  # the note of a card that belongs to no hand of this coup
_SEEN_IN_SHOE = ("face_up", "exposed")  # notes of a card that everybody has seen
_WITHOUT_CARDS = ("reject",)  # alarms whose `shoe_says` names no card
_MOVED = ("handed_over", "coup_came")  # alarms with the cards of a coup that has no result yet
_NAMES_CARDS = ("key-card", "import-coup", "export-coup")  # what people ask for with cards
_SIDES = ("player", "banker")


class Turned(NamedTuple):
    """How many cards of each hand of one coup are turned."""

    unit: str = ""
    shoe: int = 0
    coup: int = 0
    player: int = 0
    banker: int = 0


NOTHING = Turned()


def book_of(status: StatusMessage | None) -> Rulebook | None:
    """Return the rulebook of a table; None if its status names none that there is."""
    try:
        return rulebooks.load(status.rulebook) if status and status.rulebook else None
    except RulebookError:
        return None


def dealt_face_down(book: Rulebook | None, setup: TableSetup | None) -> bool:
    """Return True if cards lie face down until they are turned, or if that is not known."""
    if book is None:
        return True
    return book.deals_face_down(setup.shoe if setup else {})


def hand_of(hand: HandMessage, side: str) -> list[HandCard]:
    """Return the cards of one hand."""
    return [one for one in hand.cards if one.slot.startswith(side) and SURPLUS not in one.notes]


def is_covered(cards: Sequence[HandCard]) -> bool:
    """Return True if one of these cards is not turned, as `cover` marks it."""
    return any(one.card == COVERED for one in cards)


def turned(before: Turned, hand: HandMessage | None, coup: str, side: str, count: int) -> Turned | str:
    """Return what is turned now that the first `count` cards of a hand are, or why that cannot be."""
    if hand is None or f"{hand.shoe}/{hand.coup}" != coup:
        return f"Coup {coup} is not on the table any more."
    if not _are_dealt(hand):
        return "No card is turned before the fourth card of the coup lies on the table."
    if not 0 < count <= len(hand_of(hand, side)):
        return f"The {side.capitalize()} does not have {count} cards in this coup."
    known = _of_coup(before, hand)
    return known._replace(player=count) if side == "player" else known._replace(banker=count)


def _of_coup(before: Turned, hand: HandMessage) -> Turned:
    place = hand.unit, hand.shoe, hand.coup
    return before if before[:3] == place else Turned(*place)


def _are_dealt(hand: HandMessage) -> bool:
    return {*FIRST_FOUR} <= {one.slot for one in hand.cards}


def cover_hand(hand: HandMessage, before: Turned) -> HandMessage:
    """Return the hand without the cards that are not turned, and without what these would tell."""
    if hand.result and hand.result.status == "confirmed":
        return hand
    known = _of_coup(before, hand)
    slots = {one.slot for side in _SIDES for one in hand_of(hand, side)[: getattr(known, side)]}
    shown = replace(hand, cards=[one if _is_seen(one, slots) else replace(one, card=COVERED) for one in hand.cards])
    points = {f"{side}_points": _points(hand_of(shown, side)) for side in _SIDES}
    laid, whole = [one for side in _SIDES for one in hand_of(shown, side)], _are_dealt(hand)
    if whole and not is_covered(laid):
        return shown
    if not whole and not hand.result:
        return replace(shown, **points)
    result = _without_outcome(hand.result)
    return replace(shown, **points, due="", locked=None, result=result, phase=hand.phase if result else "dealing")


def _is_seen(one: HandCard, turned_slots: set[str]) -> bool:
    return (one.slot in turned_slots and SURPLUS not in one.notes) or any(note in one.notes for note in _SEEN_IN_SHOE)


def _points(cards: Sequence[HandCard]) -> int:
    return table_of_play.points([one.card for one in cards if one.card != COVERED])


def _without_outcome(result: HandResult | None) -> HandResult | None:
    """Return what everybody at the table knows of a result that is void or in dispute; None of any other."""
    if result is None or result.status not in ("void", "disputed"):
        return None
    return HandResult(id=result.id, status=result.status, winner=None, player_points=0, banker_points=0)


def cover_alarms(message: AlarmsMessage, hand: HandMessage | None, history: HistoryMessage | None) -> AlarmsMessage:
    """Return the alarms without what shoe and cards say about a coup whose result is not out."""
    covered = [one if _is_out(one, hand, history) else _without_cards(one) for one in message.alarms]
    return replace(message, alarms=covered)


def _is_out(alarm: AlarmMessage, hand: HandMessage | None, history: HistoryMessage | None) -> bool:
    """Return True if everybody knows the coup: its cards are turned, a later one has begun, or the shoe is closed."""
    if hand is None or history is None or alarm.name in _MOVED:
        return False
    if hand.shoe != alarm.shoe or history.state == "closed" or alarm.coup in history.coups:
        return True
    if alarm.coup == hand.coup:
        return bool(hand.cards) and not is_covered(hand.cards)
    return alarm.coup < hand.coup and any(SURPLUS not in one.notes for one in hand.cards)


def _without_cards(alarm: AlarmMessage) -> AlarmMessage:
    shoe_says = alarm.shoe_says if alarm.name in _WITHOUT_CARDS else ""
    return replace(alarm, shoe_says=shoe_says, cards_say="")


def cover_act(act: PersonAct) -> PersonAct:
    """Return an act without the cards that it names."""
    return replace(act, args="", say="") if act.verb in _NAMES_CARDS else act
