"""The hand on the Dealer Terminal: what is due in one line, the cell that decides it, and offers."""

from collections.abc import Sequence

import msgspec
from sabot_protocol import offers, table_of_play
from sabot_protocol.assistant import HandState
from sabot_protocol.irregularities import CASES
from sabot_protocol.offers import Exposed, Offer
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.rulebooks.model import RulebookError
from sabot_protocol.table_of_play import FIRST_FOUR, SLOTS, Decision
from sabot_protocol.table_states import HandCard, HandMessage, HistoryMessage
from sabot_protocol.topics import UNWAGERED, AlarmsMessage, ShoeMessage, TableSetup
from sabot_protocol.wagers.table import Settings

from sabot_floor.web.unturned import SURPLUS, dealt_face_down, is_covered
from sabot_floor.web.views.dealer_fault import may_be_out

Values = dict[str, str | int]
MOST_CARDS = 12


class Line(msgspec.Struct, frozen=True):
    """A sentence of the page: its key in the languages, its values; `level` is go, wait or stop."""

    key: str
    values: Values = {}
    level: str = "wait"
    clause: str = ""


class Hands(msgspec.Struct, frozen=True):
    """The cards of the coup on the table, by hand; `extra` are surplus cards."""

    player: list[HandCard]
    banker: list[HandCard]
    extra: list[HandCard]

    def all(self) -> list[HandCard]:
        """Return the cards of both hands."""
        return [*self.player, *self.banker]


def hands(hand: HandMessage) -> Hands:
    """Return the cards by hand, in the order of slots."""
    known = hand.cards[:MOST_CARDS]
    extra = [one for one in known if one.slot not in SLOTS or SURPLUS in one.notes]
    placed = sorted((one for one in known if one not in extra), key=lambda one: SLOTS.index(one.slot))
    player = [one for one in placed if one.slot.startswith("player")]
    return Hands(player, [one for one in placed if one not in player], extra)


def card_texts(cards: Sequence[HandCard]) -> list[str]:
    """Return the cards as text."""
    return [one.card for one in cards]


# What is due


def headline(hand: HandMessage, shoe: ShoeMessage | None, fault: str, *, connected: bool) -> Line:
    """Return the one thing that is due now; `fault` as the page names it; `connected`: the shoe answers its gateway."""
    if not connected:
        return Line("shoe_away", {}, "stop")
    if hand.phase in _IDLE:
        return _idle(hand, shoe)
    if hand.result and hand.result.status == "disputed":
        return Line("disputed", {}, "stop")
    if fault:
        return Line("locked_fault", {"fault": fault}, "stop")
    if hand.authorisation_needed:
        return Line("authorisation", {"kind": hand.kind}, "stop")
    if hand.phase == "complete":
        return _complete(hand)
    if hand.locked:
        return Line("locked", {}, "stop")
    if _waits_for_turning(hand):
        return Line("turn", {}, "go")
    if hand.phase == "bets" and not hand.called and hand.kind not in UNWAGERED:
        return Line("bets", {}, "go")
    slot = hand.due or "player_1"
    return Line("card", {"number": SLOTS.index(slot) + 1 if slot in SLOTS else 0, "slot": slot}, "go")


_SIDES = ("player", "banker")
_IDLE = ("unknown", "closed", "checking", "burning")


def _idle(hand: HandMessage, shoe: ShoeMessage | None) -> Line:
    if hand.phase == "burning":
        return Line("burning", {"burn": shoe.burn if shoe else "one"}, "stop" if hand.fault or hand.locked else "go")
    return Line("closed" if no_shoe(hand) else hand.phase, {}, "wait")


def no_shoe(hand: HandMessage) -> bool:
    """Return True if no shoe is open: the last is closed, or none was ever opened."""
    return hand.phase == "closed" or (hand.phase == "unknown" and not hand.shoe)


def _waits_for_turning(hand: HandMessage) -> bool:
    """Return True if the first four cards are dealt, and a card of a hand is not turned."""
    laid = hands(hand).all()
    return len(laid) >= len(FIRST_FOUR) and is_covered(laid)


def _complete(hand: HandMessage) -> Line:
    result = hand.result
    if result is None or result.winner is None:
        return Line("void", {}, "wait")
    values: Values = {
        "winner": result.winner,
        "player": result.player_points,
        "banker": result.banker_points,
    }
    return Line("confirm" if result.status == "verified" else "confirmed", values, "go")


def reasons(book: Rulebook, laid: Hands) -> list[Line]:
    """Return why the hands draw or stand: the cells of Table 1 and Table 2, each with its clause."""
    if is_covered(laid.all()):
        return []
    found = table_of_play.decisions(book.draw, card_texts(laid.player), card_texts(laid.banker))
    return [_reason(one) for one in found]


def _reason(one: Decision) -> Line:
    values: Values = {"side": one.side, "points": one.points}
    if one.third is not None:
        values["third"] = one.third
    return Line(f"{one.basis}_{'draws' if one.draws else 'stands'}", values, clause=one.clause)


# Offers


def offers_due(book: Rulebook, setup: TableSetup | None, hand: HandMessage, laid: Hands) -> list[Offer]:
    """Return the offers by what is turned: both hands, or one and nothing of the other; none without wagers."""
    if setup is None or hand.kind in UNWAGERED or hand.phase != "dealing" or hand.fault:
        return []
    try:
        settings = Settings.of(book, {"game": setup.game, **setup.options})
    except RulebookError:
        return []
    exposed = _exposed(laid)
    return offers.due(book, settings, setup.wagers, exposed) if exposed else []


def _exposed(laid: Hands) -> Exposed | None:
    """Return the cards that are turned; None if a hand is turned in part."""
    covered = [[is_covered([one]) for one in cards] for cards in (laid.player, laid.banker)]
    if any(any(one) and not all(one) for one in covered):
        return None
    player, banker = ([] if any(one) else cards for one, cards in zip(covered, (laid.player, laid.banker), strict=True))
    return Exposed(card_texts(player), card_texts(banker), len(laid.all()))


# The assistant


def hand_state(
    book: Rulebook, setup: TableSetup | None, hand: HandMessage, alarms: AlarmsMessage | None, *, voided: bool = False
) -> HandState:
    """Return what decides about the steps after an irregularity; `voided`: the coup that was on the table is void."""
    laid, here = hands(hand), (hand.shoe, hand.coup)
    known = alarms.alarms if alarms else []
    return HandState(
        phase=hand.phase,
        coup=f"{hand.shoe}/{hand.coup}" if hand.shoe and hand.coup else "",
        cards=len(laid.all()),
        surplus=hand.surplus,
        fault=hand.fault,
        waits_for_card=hand.waits_for_card(),
        card_may_be_out=may_be_out(hand, known),
        live=hand.kind not in UNWAGERED,
        next_live=hand.next_kind not in UNWAGERED,
        last_coup=hand.last_coup,
        first_coup_complete=hand.coup > 1 or hand.phase == "complete",
        banker_draws=_banker_draws(laid),
        dealt_face_up=not dealt_face_down(book, setup),
        international=bool(setup and setup.shoe.get("style") == "international"),
        disputed=bool(hand.result and hand.result.status == "disputed"),
        awaiting=hand.authorisation_needed,
        reported=frozenset(one.name for one in known if one.name in CASES and (one.shoe, one.coup) == here),
        voided=voided,
    )


def has_outcome(hand: HandMessage) -> bool:
    """Return True if the shoe or the cards give the coup on the table a winner; else a person must name one."""
    if hand.result is None or hand.result.winner is not None or is_covered(hand.cards):
        return True
    laid = {one.slot: one.card for one in hand.cards if one.slot in SLOTS}
    player, banker = ([laid[slot] for slot in SLOTS if slot in laid and slot.startswith(side)] for side in _SIDES)
    return all(slot in laid for slot in FIRST_FOUR) and not table_of_play.due(player, banker)


def is_void(hand: HandMessage, history: HistoryMessage | None, shoe: ShoeMessage | None) -> bool:
    """Return True if the coup on the table is void, or the last one of a shoe that is closed since: it has no result.

    The number of a closed shoe's last coup is on `shoe`; where part of the log is missing nothing is known.
    """
    if hand.result is not None:
        return hand.result.status == "void"
    if hand.phase != "closed" or history is None or shoe is None or history.gap:
        return False
    if history.state != "closed" or shoe.state != "closed" or history.shoe != shoe.shoe:
        return False
    return shoe.coup > 0 and shoe.coup not in history.coups and shoe.coup not in history.undecided


def _banker_draws(laid: Hands) -> bool | None:
    """Return whether the Banker must draw where the Player stands; None before the fourth card."""
    player, banker = card_texts(laid.player), card_texts(laid.banker)
    if len(player) < 2 or len(banker) < 2 or is_covered([*laid.player[:2], *laid.banker[:2]]):
        return None
    if max(table_of_play.points(player[:2]), table_of_play.points(banker[:2])) >= 8:
        return False
    return table_of_play.banker_draws(table_of_play.points(banker[:2]), None)
