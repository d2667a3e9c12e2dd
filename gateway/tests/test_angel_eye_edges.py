"""What an Angel Eye leaves open: such a coup is never verified, and people learn what happened and what to do."""

from types import SimpleNamespace
from typing import cast

import pytest
from angel_eye_log import NINE, TIME, UNIT, AngelEyeLog
from angel_eye_session import messages_of, new_session, numbered, take
from sabot_gateway.operator.table_view import TableView, next_step
from sabot_gateway.screens.hand import hand_message
from sabot_gateway.screens.history import history_message
from sabot_gateway.verify import NotThereError, Source
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.records import unit_of
from sabot_protocol.topics import CoupMessage

SUE = Decider("Sue", "12.7", attempt="0123456789abcdef-9", role="casino_supervisor")


def source() -> Source:
    return Source("0123456789abcdef", 1, TIME)


@pytest.mark.parametrize(
    ("words", "flags", "winner", "shoe_says"),
    [
        (f"{NINE} G=banker", ["result_mismatch"], "banker", "banker"),
        (f"{NINE} G=player+pp", ["pair_mismatch"], "player", "player player_pair"),
        ("P1=9S B1=2H P2=TD B2=3C B3=2D G=player", ["third_card_wrong"], "player", "player"),
        ("P1=2S B1=3H P2=3D B2=2C G=tie", ["third_card_wrong"], "tie", "tie"),
        ("P1=9S P1=9S B1=2H B1=4H P2=TD B2=3C G=player", ["conflict"], "player", "4H"),
        ("P1=9S B1=2H R1=8H P2=TD B2=3C G=player", ["again_unclear"], "player", "8H"),
        ("B1=2H P2=TD B2=3C G=player", ["partial", "first_card_missing"], None, "player"),
        ("P1=9S B1=2H B2=3C G=player", ["partial"], None, "player"),
        ("P1=9S B1=2H G=forced_end", ["forced_end"], None, "forced end"),
        ("P1=9S B1=2H P1=8H", ["incomplete"], None, "nothing"),
        ("P1=9S B1=2H +", ["incomplete", "link_lost_inside"], None, "nothing"),
        ("P1=9S B1=2H S C S P1=8H", ["incomplete", "restart_inside", "cutting_card_inside"], None, "nothing"),
    ],
)
def test_a_coup_in_doubt_is_disputed_with_its_flags(
    words: str, flags: list[str], winner: str | None, shoe_says: str
) -> None:
    log = AngelEyeLog()
    log(words)
    coup = log.coup()
    assert (coup.status, coup.flags, coup.winner, coup.coup) == ("disputed", flags, winner, 1)
    assert log.confirmed() == []
    alarm = log.alarm("discrepancy")
    assert alarm.shoe_says == shoe_says
    assert "Do not pay. A supervisor must confirm or void the coup." in alarm.say


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        ("P1=9S E1 B1=2H P2=TD B2=3C G=player", ["error_inside"]),
        ("P1=9S S B1=2H P2=TD B2=3C G=player", ["restart_inside"]),
        ("P1=9S C B1=2H P2=TD B2=3C G=player", ["cutting_card_inside"]),
        (f"{NINE} R1=8H G=player B1=2H P2=TD B2=3C G=player", ["carried_first_card"]),
    ],
)
def test_what_happened_in_a_coup_that_is_known_to_its_end_leaves_it_verified(words: str, flags: list[str]) -> None:
    log = AngelEyeLog()
    log(words)
    assert (log.coup().status, log.coup().flags) == ("verified", flags)
    assert log.confirmed()[-1].flags == flags


def test_the_alarm_of_a_wrong_result_names_both_results_and_the_clause() -> None:
    log = AngelEyeLog()
    log(f"{NINE} G=banker")
    alarm = log.alarm("discrepancy")
    assert alarm.say.startswith("The shoe's result does not match the cards. Do not pay.")
    assert (alarm.shoe_says, alarm.cards_say, alarm.clause) == (
        "banker",
        "player, Player 9, Banker 5 natural",
        "9.2",  # a natural ends the coup
    )


def test_a_lost_link_is_named_in_the_alarm_of_its_coup_only() -> None:
    log = AngelEyeLog()
    log("P1=9S B1=2H +")
    (alarm,) = log.alarms()
    assert alarm.say.startswith("The line to the shoe was interrupted in this coup, and its result was not seen.")
    assert alarm.cards_say == "player_1 9S banker_1 2H"
    assert log.verifier.unknown() == ("shoe", "coup", "lock", "error")


def test_an_alarm_about_silence_ends_with_the_next_message() -> None:
    log = AngelEyeLog()
    log("P1=9S")
    log.verifier.gateway_alarm("line_silent", "Nothing has come.", Source(UNIT, 3, TIME))
    log("B1=2H")
    assert log.active() == []


def test_a_line_opened_again_between_coups_warns_once_that_coups_may_be_missing() -> None:
    log = AngelEyeLog()
    log(f"{NINE} G=player + +")
    assert log.alarm("line_interrupted").say.startswith("The line to the shoe was interrupted.")
    assert (log.phase(), log.verifier.unknown()) == ("unknown", ("shoe", "coup", "lock", "error"))
    log(f"{NINE} G=player")
    assert (log.coup().coup, log.coup().status) == (2, "verified")
    assert log.verifier.unknown() == ("shoe", "lock", "error")


def test_after_an_interruption_the_results_stay_on_the_display_and_no_wagers_are_invited() -> None:
    session = new_session()
    take(session, numbered(messages_of(f"+ S {NINE} G=player +")))
    history = history_message("bac-01", session.verifier, session.screens, TIME)
    assert (history.state, history.gap, history.phase, history.results) == ("open", False, "none", "Pn")


@pytest.mark.parametrize(
    ("words", "gap"),
    [
        (f"+ S F=8H N=8 {NINE} G=player", False),  # from its start
        (f"+ {NINE} G=player", False),  # joined in stand-by: nobody knows of an earlier coup
        (f"+ {NINE} G=player + {NINE} G=player", False),  # the line was opened again between coups
        (f"+ {NINE} G=player + G=banker {NINE} G=player", True),  # this coup's cards are lost
        (f"+ {NINE} G=player G=banker", True),
        ("+ P1=9S B1=2H + G=banker", False),  # perhaps the result of the coup that is in dispute
        ("+ P1=9S B1=2H P2=TD B2=3C G=0", False),  # in dispute
        (f"+ G=banker C S {NINE} G=player", False),  # the next shoe
    ],
)
def test_the_display_has_results_as_missing_only_if_a_coup_is_known_to_be_lost(words: str, gap: bool) -> None:
    session = new_session()
    take(session, numbered(messages_of(words)))
    assert history_message("bac-01", session.verifier, session.screens, TIME).gap is gap


@pytest.mark.parametrize("burn", ["F=8H", "B=8H"])
def test_the_first_burn_card_shows_that_a_shoe_without_coups_begins(burn: str) -> None:
    log = AngelEyeLog(words="+ S")
    assert "shoe" in log.verifier.unknown()
    log(burn)
    assert "shoe" not in log.verifier.unknown()
    log(f"{NINE} G=player + {burn}")  # the first burn card of a next shoe, or one of this shoe that came late
    assert ("shoe" in log.verifier.unknown()) is (burn == "B=8H")


def test_with_dealer_a_coup_can_be_confirmed_after_the_line_was_interrupted() -> None:
    log = AngelEyeLog(confirm="dealer")
    log(f"{NINE} G=player +")
    log.command("confirm")
    assert log.confirmed()[0].coup == 1


def test_a_result_without_a_coup_is_an_alarm_and_no_coup() -> None:
    log = AngelEyeLog(words="+")
    log("G=banker")
    assert log.coups() == []
    assert log.alarm("result_not_used").shoe_says == "banker"
    assert (log.phase(), log.verifier.unknown()) == ("between", ("shoe", "lock", "error"))


def test_a_result_without_a_known_meaning_disputes_its_coup() -> None:
    log = AngelEyeLog()
    log("P1=9S B1=2H P2=TD B2=3C G=0")
    assert "its coup is disputed" in log.alarm("result_not_used").say
    assert (log.coup().status, log.coup().winner) == ("disputed", None)


def test_a_late_joiner_says_that_the_coup_is_not_known_until_it_is_over() -> None:
    log = AngelEyeLog(words="+")
    log("B1=2H")
    assert "coup" in log.verifier.unknown()
    log("P2=TD B2=3C")
    assert "coup" in log.verifier.unknown()
    log("G=player")
    assert "coup" not in log.verifier.unknown()
    assert (log.coup().status, log.coup().banker) == ("disputed", ["2H", "3C"])


# Starts of the shoe, decisions


def test_a_restart_in_play_is_an_alarm_with_the_cards_on_the_table() -> None:
    log = AngelEyeLog()
    assert log.alarms() == []
    log("P1=9S B1=2H S")
    assert log.alarm("shoe_restarted").cards_say == "9S 2H"


def test_a_shoe_that_changes_after_a_restart_inside_a_coup_opens_with_the_first_card() -> None:
    log = AngelEyeLog()
    log("P1=9S C B1=2H S P2=TD B2=3C G=player")
    assert (log.shoes(), log.coup().status) == ([(1, "open")], "verified")
    log("P1=8H")
    assert log.shoes() == [(1, "open"), (1, "closed"), (2, "open")]
    assert (log.cards()[-1].shoe, log.cards()[-1].coup) == (2, 1)


def test_a_coup_without_a_winner_is_confirmed_only_with_one() -> None:
    log = AngelEyeLog()
    log("B1=2H P2=TD P3=9S B2=3C G=player")  # without its first card this looks like four cards of a coup
    disputed = log.coup()
    with pytest.raises(NotThereError, match="name the winner"):
        log.verifier.decide(disputed, "confirmed", SUE, source())
    decision = log.verifier.decide(disputed, "confirmed", SUE, source(), "banker")[0].message
    assert isinstance(decision, CoupMessage)
    assert (decision.winner, decision.flags) == ("banker", ["partial", "first_card_missing"])
    assert "discrepancy" not in log.active()


def test_a_disputed_coup_can_be_void() -> None:
    log = AngelEyeLog()
    log("P1=9S +")
    decision = log.verifier.decide(log.coup(), "void", SUE, source())[0].message
    assert isinstance(decision, CoupMessage)
    assert (decision.kind, decision.status, decision.corrects) == ("void", "void", log.coup().id)


def test_an_internal_error_keeps_the_numbers() -> None:
    log = AngelEyeLog()
    log(f"{NINE} G=player P1=9S")
    log.verifier.failed(log.events[-1], ValueError("test"), TIME)
    log("B1=2H P2=TD B2=3C G=player")
    assert (log.coup().shoe, log.coup().coup) == (1, 2)
    assert [card.coup for card in log.cards()] == [1, 1, 1, 1, 2, 2, 2, 2]
    assert log.coup().unit == UNIT
    log("+")
    assert log.shoes() == [(1, "open")]


def test_an_answer_names_the_error_in_which_the_shoe_stands() -> None:
    log = AngelEyeLog()
    log("P1=9S E5!")
    table = cast("TableView", SimpleNamespace(name="bac-01", fault="reverse_midway", verifier=log.verifier))
    assert next_step(table).startswith("The shoe is in error. A card was pushed back while it was drawn. ")


def test_the_incident_of_a_disputed_coup_is_advanced_by_its_decision() -> None:
    session = new_session()
    take(session, numbered(messages_of(f"+ S {NINE} G=banker")))
    (incident,) = session.incidents.open()
    assert (incident.kind, incident.unit, incident.coup) == ("discrepancy", UNIT, 1)
    (disputed,) = session.verifier.disputed()
    records = session.verifier.decide(disputed, "confirmed", SUE, source())
    session.incidents.follow(records, source(), session.verifier.state, person=SUE)
    steps = [step for one in session.incidents.open() for step in one.steps]
    assert [step.name for step in steps if step.name == "decide" and not step.done] == []


@pytest.mark.parametrize(
    ("message_id", "unit"),
    [
        (f"{UNIT}-12-2-discrepancy", UNIT),
        ("ae-1234567890123-12", "ae-1234567890123"),
        ("ae00000000000001-7-disputed", "ae00000000000001"),
    ],
)
def test_the_unit_of_a_message_is_read_from_its_id(message_id: str, unit: str) -> None:
    assert unit_of(message_id) == unit


def due_after(words: str) -> str:
    session = new_session()
    take(session, numbered(messages_of(words)))
    return hand_message("bac-01", session.verifier, session.screens, {}, TIME).due


@pytest.mark.parametrize(
    ("words", "due"),
    [
        (f"+ S {NINE} G=player", "player_1"),
        ("+ S P1=2S B1=3H P2=3D B2=2C", "player_3"),
        ("+ S P1=9S P2=TD", ""),  # a card was not seen
        (f"+ S {NINE} G=player B1=2H P2=TD", ""),
    ],
)
def test_the_card_that_is_due_is_shown_only_if_every_card_was_seen(words: str, due: str) -> None:
    assert due_after(words) == due


def test_a_result_that_differs_has_its_own_alarm_beside_that_of_two_cards_for_one_place() -> None:
    log = AngelEyeLog()
    log("P1=9S B1=2H B1=4H P2=TD B2=3C G=banker")
    first, second = log.alarms("discrepancy")
    assert (first.shoe_says, second.shoe_says) == ("4H", "banker")
    assert log.coup().flags == ["conflict", "result_mismatch"]
