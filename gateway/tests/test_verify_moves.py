"""Verify: coups that move to another shoe, from hand-written logs."""

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Record, Source, Verifier
from sabot_gateway.verify.moves import Moved, Moves, on_table
from sabot_protocol.topics import AlarmMessage
from shoe_events import FLAGS, SLOTS, UNIT, event
from verified_log import Log

OTHER = "5ab0000000000002"
PLACE = {"decks": 1, "cards_out": 6, "coups_left": 2, "awaiting": 0}


def handed(log: Log, cards: str, *, came: bool = False, unit: str = UNIT, shoe_no: int = 1) -> list[Record]:
    laid = dict.fromkeys(SLOTS, "--") | dict(zip(SLOTS, cards.split(), strict=False))
    place: dict[str, Any] = {"shoe_no": shoe_no, "coup_no": 2, "kind": "live", "cards": laid, **PLACE}
    return log("handed_over", **place | {"import": int(came)}, unit=unit)


def moved() -> Log:
    """One coup, and two cards of the next, which moves to another shoe at this table; the cutting card was in it."""
    log = Log("star-rapid", decks=1)
    log.coup()
    log.card("8D", "player_1")
    log("cutting_card", shoe_no=1, coup_no=2, before_first_card=0)
    log.card("KH", "banker_1")
    handed(log, "8D KH")
    log("shoe_closed", shoe_no=1, coups=1, reason="handed_over")
    log("shoe_opened", shoe_no=7, card_set=1, decks=8, burn="one", unit=OTHER)
    handed(log, "8D KH", came=True, unit=OTHER, shoe_no=7)
    return log


def deal_rest(log: Log, *cards: str) -> None:
    for card, slot in zip(cards, SLOTS[2:], strict=False):
        log.card(card, slot, shoe_no=7, unit=OTHER)


def test_a_coup_that_moves_is_not_void_and_has_one_result() -> None:
    log = moved()
    (left,) = log.alarms("handed_over")
    assert left.say == (
        "Coup 2 moves to another shoe. It is not void, and its wagers stand. Put all cards into the other shoe. Open "
        "that shoe and burn no card. Then import the coup there, at the pit console or by typing `sabot table TABLE "
        "import-coup 2 SLOT=CARD … --by NAME --clause N`, with each card as it lies; at another gateway add --kind "
        "live --decks 1 --cards-out 6 --coups-left 2. If the coup does not continue at this gateway, acknowledge this "
        "alarm."
    )
    assert [came.severity for came in log.alarms("coup_came")] == ["info"]
    deal_rest(log, "AD", "5C")
    flags = {**FLAGS, "natural": True}
    result: dict[str, Any] = {
        "winner": "player",
        "player_points": 9,
        "banker_points": 5,
        "flags": flags,
        "kind": "live",
    }
    log("coup", shoe_no=7, coup_no=2, **result, unit=OTHER)
    log("button", shoe_no=7, coup_no=2, button=log.verifier.state.winner, unit=OTHER)
    log("button", shoe_no=7, coup_no=2, button="confirm", unit=OTHER)
    assert log.alarms("discrepancy", "coup_void") == []
    assert [(coup.coup, coup.kind, coup.status, coup.began) for coup in log.coup_messages()] == [
        (1, "live", "verified", ""),
        (2, "live", "verified", f"bac-01/{UNIT}/1/2"),
    ]
    assert (log.coup_messages()[1].player, log.coup_messages()[1].banker) == (["8D", "AD"], ["KH", "5C"])


def test_the_last_coup_follows_the_coup_that_moved() -> None:
    log = moved()
    deal_rest(log, "AD", "5C")
    flags = {**FLAGS, "natural": True, "last_coup": True}
    result: dict[str, Any] = {
        "winner": "player",
        "player_points": 9,
        "banker_points": 5,
        "flags": flags,
        "kind": "live",
    }
    log("coup", shoe_no=7, coup_no=2, **result, unit=OTHER)
    assert (log.alarm().shoe_says, log.alarm().cards_say) == ("the last coup", "not the last coup")


def test_cards_dealt_from_the_first_shoe_count_against_the_decks() -> None:
    log = moved()
    deal_rest(log, "9S")  # of one deck, and in coup 1
    (alarm,) = log.alarms("missing_or_foreign_card")
    assert (alarm.clause, alarm.cards_say) == (
        "11.8.10",
        "9S came more often than 1 decks allow, with the cards of the shoe before",
    )


def test_a_doubtful_coup_stays_doubtful_at_the_other_shoe() -> None:
    log = Log("star-rapid")
    log.coup()
    log.card("8D", "banker_1")
    handed(log, "8D")
    log("shoe_closed", shoe_no=1, coups=1, reason="handed_over")
    log("shoe_opened", shoe_no=7, card_set=1, decks=8, burn="one", unit=OTHER)
    handed(log, "8D", came=True, unit=OTHER, shoe_no=7)
    for card, slot in zip(["KH", "AD", "5C"], SLOTS[1:], strict=False):
        log.card(card, slot, shoe_no=7, unit=OTHER)
    flags = {**FLAGS, "natural": True}
    result: dict[str, Any] = {
        "winner": "player",
        "player_points": 9,
        "banker_points": 5,
        "flags": flags,
        "kind": "live",
    }
    log("coup", shoe_no=7, coup_no=2, **result, unit=OTHER)
    assert log.coup_messages()[-1].status == "disputed"


def test_a_coup_that_only_a_surplus_card_has_begun_can_move() -> None:
    log = Log("star-rapid")
    log.deal()
    log.result()
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True, "exposed": True})
    log.irregularity("player_overdraw", "NEXT_NO_BET", exposed=True)
    log.confirm()
    log("coup_kind", shoe_no=1, coup_no=2, kind="dummy")
    handed(log, "8D")
    log("shoe_closed", shoe_no=1, coups=1, reason="handed_over")
    assert log.alarms() == []


def test_other_cards_leave_than_were_dealt() -> None:
    log = Log("star-rapid")
    log.coup()
    log.card("8D", "player_1")
    handed(log, "8C")
    assert (log.alarm().shoe_says, log.alarm().cards_say) == ("coup 2: 8C", "coup 2: 8D")


def test_a_coup_comes_to_a_shoe_that_has_dealt_one() -> None:
    log = Log("star-rapid")
    log.coup()
    handed(log, "8C", came=True)
    assert log.alarm().cards_say == "coup 1 was dealt here"


# A coup that does not come as it left


def played_at_another_table(cards: str) -> Log:
    """Coup 2 leaves bac-01 with 8D KH; bac-02 has one of that number with these cards, and its result."""
    one, other = Log("star-rapid"), Log("star-rapid")
    other.verifier = Verifier("bac-02", other.book, other.profile, moves=one.verifier.moves)
    one.coup()
    one.card("8D", "player_1")
    one.card("KH", "banker_1")
    handed(one, "8D KH")
    other("shoe_opened", shoe_no=7, card_set=1, decks=8, burn="none", unit=OTHER)
    handed(other, cards, came=True, unit=OTHER, shoe_no=7)
    finish(other, cards)
    return other


def finish(log: Log, cards: str) -> None:
    rest = ("AD", "5C") if cards == "8D KH" else ("7D", "3C")  # 9 and 5, both
    for card, slot in zip(rest, SLOTS[2:], strict=False):
        log.card(card, slot, shoe_no=7, coup_no=2, unit=OTHER)
    flags = {**FLAGS, "natural": True}
    place: dict[str, Any] = {"shoe_no": 7, "coup_no": 2, "kind": "live", "flags": flags}
    log("coup", **place, winner="player", player_points=9, banker_points=5, unit=OTHER)


def test_a_coup_that_comes_with_the_cards_it_left_with_is_verified() -> None:
    log = played_at_another_table("8D KH")
    assert log.alarms("discrepancy") == []
    assert [(coup.coup, coup.status, coup.began) for coup in log.coup_messages()] == [
        (2, "verified", f"bac-01/{UNIT}/1/2")
    ]


def test_a_coup_that_comes_with_other_cards_than_it_left_with_is_disputed() -> None:
    log = played_at_another_table("2H 2C")
    assert log.alarm().say.startswith(
        "A coup came from another shoe and its cards are not those that left bac-01. Do not pay."
    )
    assert (log.alarm().shoe_says, log.alarm().cards_say) == (
        "coup 2: player_1=2H banker_1=2C",
        "coup 2: player_1=8D banker_1=KH",
    )
    assert [(coup.coup, coup.status) for coup in log.coup_messages()] == [(2, "disputed")]


def test_a_coup_that_comes_to_a_second_table_is_disputed_there() -> None:
    first = played_at_another_table("8D KH")
    log = Log("star-rapid")
    log.verifier = Verifier("bac-03", log.book, log.profile, moves=first.verifier.moves)
    log("shoe_opened", shoe_no=7, card_set=1, decks=8, burn="none", unit=OTHER)
    handed(log, "8D KH", came=True, unit=OTHER, shoe_no=7)
    finish(log, "8D KH")
    assert log.alarm().cards_say == "coup 2 of bac-01 is played at bac-02"
    assert [(coup.coup, coup.status) for coup in log.coup_messages()] == [(2, "disputed")]


def test_a_coup_that_comes_as_another_kind_is_disputed() -> None:
    one = Log("star-rapid")
    one.coup()
    one.card("8D", "player_1")
    handed(one, "8D")
    log = Log("star-rapid")
    log.verifier = Verifier("bac-02", log.book, log.profile, moves=one.verifier.moves)
    log("shoe_opened", shoe_no=7, card_set=1, decks=8, burn="none", unit=OTHER)
    came = hand_over(log.no, "8D", came=True, shoe_no=7, coup_no=2)
    log("handed_over", **came.data | {"kind": "dummy"}, unit=OTHER)
    assert (log.alarm().shoe_says, log.alarm().cards_say, log.alarm().coup) == ("dummy", "live", 2)


def warnings(log: Log) -> list[AlarmMessage]:
    return [alarm for alarm in log.verifier.active() if alarm.name == "handed_over"]


def test_a_coup_that_left_is_a_warning_until_it_has_come_somewhere() -> None:
    log = Log("star-rapid")
    log.coup()
    log.card("8D", "player_1")
    handed(log, "8D")
    log("shoe_closed", shoe_no=1, coups=1, reason="handed_over")
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="one")
    source = Source("6a7e000000000001", 1, "")
    assert log.verifier.match_moves(source) == []
    (warning,) = warnings(log)
    assert (warning.name, warning.severity, warning.coup) == ("handed_over", "warning", 2)
    other = Verifier("bac-02", log.book, log.profile, moves=log.verifier.moves)
    other.take(replace(hand_over(3, "8D", came=True, coup_no=2), unit=OTHER), "")
    (over,) = log.verifier.match_moves(source)
    assert isinstance(over.message, AlarmMessage)
    assert (over.message.state, over.message.by) == ("cleared", "the gateway: the coup is played at bac-02")
    assert warnings(log) == []


def test_acknowledging_ends_the_warning_about_a_coup_that_left() -> None:
    log = Log("star-rapid")
    log.card("8D", "player_1")
    handed(log, "8D")
    (warning,) = warnings(log)
    log.verifier.acknowledge(warning.alarm, "A. Smith", Source("6a7e000000000001", 1, ""))
    assert warnings(log) == []


# What a gateway knows about coups that move


def hand_over(event_no: int, card: str, *, came: bool, shoe_no: int = 1, coup_no: int = 12) -> Event:
    cards = dict.fromkeys(SLOTS, "--") | {"player_1": card}
    place: dict[str, Any] = {"shoe_no": shoe_no, "coup_no": coup_no, "kind": "live", "cards": cards, **PLACE}
    return event(event_no, "handed_over", **place | {"import": int(came)})


def gone(event_no: int, card: str, time: str, table: str = "bac-01") -> Moved:
    return Moved(table, hand_over(event_no, card, came=False), time, Counter(), doubtful=False)


def found(moves: Moves, card: str) -> Moved | None:
    return moves.find(12, on_table({"player_1": card}))


def test_a_coup_goes_on_at_one_table() -> None:
    moves = Moves()
    moves.left(gone(1, "9S", "T1"))
    assert moves.arrived(hand_over(2, "9S", came=True), "bac-02", "T2") is found(moves, "9S")
    assert moves.arrived(hand_over(3, "9S", came=True), "bac-03", "T3") is None
    coup = found(moves, "9S")
    assert coup
    assert coup.taken_by == "bac-02"


@pytest.mark.parametrize("first", ["left", "arrived"])
def test_after_a_restart_the_logs_are_read_in_any_order(first: str) -> None:
    moves = Moves()
    if first == "left":
        moves.left(gone(1, "9S", "T1"))
    moves.arrived(hand_over(2, "9S", came=True), "bac-02", "T2")
    moves.left(gone(1, "9S", "T1"))  # or again
    coup = found(moves, "9S")
    assert coup
    assert coup.taken_by == "bac-02"


def test_a_later_coup_with_the_same_cards_is_another() -> None:
    moves = Moves()
    moves.arrived(hand_over(2, "9S", came=True), "bac-02", "T2")
    moves.left(gone(9, "9S", "T9"))
    coup = found(moves, "9S")
    assert coup
    assert coup.taken_by == ""


def test_one_table_crowds_out_no_other() -> None:
    moves = Moves()
    moves.left(gone(1, "9S", "T1"))
    for number in range(2, 200):
        moves.left(gone(number, "8H", "T2", "bac-03"))
    assert found(moves, "9S")
