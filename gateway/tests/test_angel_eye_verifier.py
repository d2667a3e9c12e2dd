"""An Angel Eye's clean play: shoes, cards, coups, kinds and confirmations as from our own shoe."""

import pytest
from angel_eye_log import NINE, SIX_CARDS, TIME, UNIT, AngelEyeLog
from msgspec import UNSET
from sabot_gateway.angel_eye.verifier import Settings
from sabot_gateway.verify import Source, Verifier
from sabot_gateway.verify.deciders import Decider
from sabot_protocol import rulebooks
from sabot_protocol.topics import ConfirmedMessage, CoupMessage


def test_the_first_connect_opens_a_shoe_of_which_nothing_is_known() -> None:
    log = AngelEyeLog(words="+")
    assert log.shoes() == [(1, "open")]
    assert log.ids() == [f"{UNIT}-1"]
    assert log.verifier.unknown() == ("shoe", "coup", "lock", "error")
    assert (log.phase(), log.verifier.state.whole) == ("unknown", False)
    assert log.alarms() == []


def test_a_complete_coup_is_verified_and_confirmed_by_the_shoes_result() -> None:
    log = AngelEyeLog()
    log(NINE)
    log("G=player")
    coup, (confirmed,) = log.coup(), log.confirmed()
    assert (coup.status, coup.winner, coup.kind, coup.shoe, coup.coup) == ("verified", "player", "live", 1, 1)
    assert (coup.player, coup.banker) == (["9S", "TD"], ["2H", "3C"])
    assert (coup.player_points, coup.banker_points, coup.natural) == (9, 5, True)
    assert (coup.flags, coup.shoe_time_ms) == (UNSET, UNSET)
    assert (confirmed.status, confirmed.coup_id, confirmed.by) == ("confirmed", coup.id, "the shoe's result")
    assert (coup.id, confirmed.id) == (f"{UNIT}-7", f"{UNIT}-7-2")
    assert log.phase() == "between"
    assert log.verifier.unknown() == ("shoe", "lock", "error")


def test_the_first_record_of_a_card_is_its_own() -> None:
    log = AngelEyeLog()
    records = log("P1=9S")
    (card,) = log.cards()
    assert records[0].message is card
    assert (card.id, card.coup, card.slot, card.card, card.notes) == (f"{UNIT}-3", 1, "player_1", "9S", [])
    assert (card.speed_mm_s, card.margin, card.shoe_time_ms) == (UNSET, UNSET, UNSET)


def test_third_cards_and_pairs_are_those_of_the_shoe() -> None:
    log = AngelEyeLog()
    log(f"{SIX_CARDS} G=player P1=8H B1=6D P2=8C B2=6S P3=2D G=tie+pp+bp")
    first, second = log.coups()
    assert (first.player, first.banker, first.winner) == (["2S", "3D", "4S"], ["3H", "2C", "2D"], "player")
    assert (second.coup, second.status) == (2, "disputed")  # 6 against 2: no third card for the Player, and no tie


def test_with_dealer_a_person_confirms() -> None:
    log = AngelEyeLog(confirm="dealer")
    log(f"{NINE} G=player")
    assert (log.coup().status, log.confirmed(), log.phase()) == ("verified", [], "complete")
    (own,) = log.command("confirm")
    assert isinstance(own.message, ConfirmedMessage)
    assert (own.message.by, own.message.coup_id) == ("Ann", log.coup().id)
    assert log.phase() == "between"


def test_with_dealer_a_coup_that_nobody_confirmed_is_disputed_when_the_next_begins() -> None:
    log = AngelEyeLog(confirm="dealer")
    log(f"{NINE} G=player P1=8H")
    assert [coup.status for coup in log.coups()] == ["verified", "disputed"]
    assert log.alarm("not_confirmed").coup == 1
    assert log.cards()[-1].coup == 2


def test_a_new_shoe_is_opened_by_s_after_the_cutting_card() -> None:
    log = AngelEyeLog()
    log(f"{NINE} G=player C {NINE} G=player")
    assert [record.topic for record in log("S")] == ["shoe", "shoe"]
    assert log.shoes() == [(1, "open"), (1, "closed"), (2, "open")]
    assert len(set(log.ids())) == len(log.ids())
    log(f"{NINE} G=player")
    assert (log.coup().shoe, log.coup().coup) == (2, 1)
    assert log.verifier.unknown() == ("lock", "error")


@pytest.mark.parametrize(
    ("book", "words", "last"),
    [
        ("star-baccarat", f"C {NINE} G=player", [True]),  # 4.10: before the first card, this coup is the last
        ("star-baccarat", f"P1=9S C B1=2H P2=TD B2=3C G=player {NINE} G=player", [False, True]),  # 4.9
        ("crown-baccarat", f"C {NINE} G=player {NINE} G=player", [False, True]),  # 4.1.1(b), A-17: the next is
    ],
)
def test_the_book_makes_a_coup_the_last_after_the_cutting_card(book: str, words: str, last: list[bool]) -> None:
    log = AngelEyeLog(book)
    log(words)
    assert [coup.last_coup for coup in log.coups()] == last
    assert [coup.status for coup in log.coups()] == ["verified"] * len(last)


def test_after_the_last_coup_crown_deals_dummy_coups() -> None:
    log = AngelEyeLog("crown-baccarat")  # 7.3.4(d)
    log(f"C {NINE} G=player {NINE} G=player")
    assert log.verifier.checks.notices.kind_of(3) == "dummy"
    log(f"{NINE} G=player")
    assert [(coup.kind, coup.status) for coup in log.coups()] == [
        ("live", "verified"),
        ("live", "verified"),
        ("dummy", "verified"),
    ]


def test_after_the_last_coup_the_star_deals_none() -> None:
    log = AngelEyeLog()
    log(f"C {NINE} G=player {NINE} G=player")
    assert log.coup().status == "disputed"
    alarm = log.alarm("discrepancy")
    assert (alarm.clause, alarm.coup) == ("4.10", 2)
    assert "sabot table bac-01 open-shoe" in alarm.say


def test_a_person_makes_the_next_coup_one_without_wagers() -> None:
    log = AngelEyeLog()
    log.command("no_bet", kind="no_bet")
    log(f"{NINE} G=player {NINE} G=player")
    assert [coup.kind for coup in log.coups()] == ["no_bet", "live"]


def test_this_coup_becomes_one_without_wagers() -> None:
    log = AngelEyeLog()
    log("P1=9S B1=2H")
    log.command("this_no_bet")
    log("P2=TD B2=3C G=player")
    assert (log.coup().kind, log.coup().by, log.coup().status) == ("no_bet", "Ann", "verified")


def test_a_book_without_a_clause_for_it_disputes_such_a_coup() -> None:
    log = AngelEyeLog("nz-baccarat")
    log("P1=9S B1=2H")
    log.command("this_no_bet")
    log("P2=TD B2=3C G=player")
    assert (log.coup().kind, log.coup().status) == ("void_hand", "disputed")


def test_burn_cards_are_published_and_end_with_their_count() -> None:
    log = AngelEyeLog()
    log(f"C {NINE} G=player S")
    assert log.burning()
    log("F=3H")
    assert log.burning()
    log("N=3")
    assert [(card.slot, card.card, card.shoe) for card in log.cards()[-1:]] == [("burn", "3H", 2)]
    assert not log.burning()
    log("B=4H B=5H B=6H")
    log(f"{NINE} G=player")
    assert (log.coup().status, log.coup().player) == ("verified", ["9S", "TD"])


def test_a_shoe_whose_burn_is_seen_is_known_from_its_beginning() -> None:
    log = AngelEyeLog()
    log("F=3H N=3")
    assert (log.verifier.unknown(), log.phase()) == (("lock", "error"), "between")
    log(f"{NINE} G=player + F=3H")
    assert log.shoes()[-1] == (2, "open")  # a first burn card in a shoe that has coups


def test_one_burn_card_without_a_count_ends_the_burn() -> None:
    log = AngelEyeLog()
    log(f"C {NINE} G=player S")
    assert log.burning()
    log("B=4H")
    assert not log.burning()


def test_a_burn_count_that_is_not_that_of_the_first_card_is_an_alarm() -> None:
    log = AngelEyeLog("nz-baccarat")  # 7.7, 4.1A: a ten or court card burns ten
    log("F=KH N=10 F=3H N=3")
    assert log.alarms() == []
    log("F=3H N=4")
    alarm = log.alarm("discrepancy")
    assert (alarm.shoe_says, alarm.cards_say, alarm.clause, alarm.coup) == ("4 cards", "3 cards", "7.7", 0)


def test_the_first_coup_ends_the_burn_even_if_the_shoe_reported_none() -> None:
    log = AngelEyeLog()
    log(f"C {NINE} G=player S P1=9S")
    assert not log.burning()


def test_a_void_coup_in_progress_gets_no_result() -> None:
    log = AngelEyeLog()
    log("P1=9S B1=2H")
    log.command("void_coup", reason="supervisor", then="go_on")
    void = log.coup()
    assert (void.kind, void.winner, void.by, void.clause, void.coup) == ("void", None, "Ann", "1.2", 1)
    log("P2=TD B2=3C G=player")
    assert log.coups() == [void]
    assert [card.slot for card in log.cards()] == ["player_1", "banker_1", "unused", "unused"]
    log(f"{NINE} G=player")
    assert (log.coup().coup, log.coup().status) == (2, "verified")


def test_a_confirmed_coup_can_be_void_until_the_next_begins() -> None:
    log = AngelEyeLog()
    log(f"{NINE} G=player")
    first = log.coup()
    log.command("void_coup", reason="supervisor", then="go_on")
    assert (log.coup().status, log.coup().corrects) == ("void", first.id)
    assert [one.status for one in log.confirmed()] == ["confirmed", "void"]
    log("P1=9S")
    log("B1=2H P2=TD B2=3C G=player")
    assert (log.coup().coup, log.coup().status) == (2, "verified")


def test_void_without_a_coup_changes_nothing() -> None:
    log = AngelEyeLog()
    log.command("void_coup", reason="supervisor", then="go_on")
    assert log.coups() == []


def test_a_person_opens_a_shoe_whose_change_was_not_seen() -> None:
    log = AngelEyeLog()
    log(f"{NINE} G=player P1=9S")
    log.command("open_shoe", decks=8, burn="one")
    assert log.shoes() == [(1, "open"), (1, "closed"), (2, "open")]
    assert (log.coup().kind, log.coup().coup, log.coup().by) == ("void", 2, "Ann")
    assert log.verifier.unknown() == ("lock", "error")


def test_new_cards_do_not_void_a_coup_that_only_lacks_its_result() -> None:
    log = AngelEyeLog()
    log(NINE)
    log.command("open_shoe", decks=8, burn="one")
    assert (log.coup().kind, log.coup().status, log.coup().flags) == ("live", "disputed", ["incomplete"])


def test_a_supervisor_decides_a_disputed_coup_and_the_table_goes_on() -> None:
    log = AngelEyeLog()
    log(f"{NINE} G=banker")
    disputed = log.coup()
    assert log.phase() == "complete"
    records = log.verifier.decide(disputed, "confirmed", Decider("Sue", "12.7"), Source("gw", 1, TIME))
    decision = records[0].message
    assert isinstance(decision, CoupMessage)
    assert (decision.winner, decision.status, decision.corrects) == ("player", "confirmed", disputed.id)
    assert log.phase() == "between"
    assert log.active() == []
    again = AngelEyeLog()
    again(f"{NINE} G=banker")
    assert again.phase() == "complete"
    again.verifier.recall_decisions([decision])
    assert again.phase() == "between"


def test_a_reload_keeps_the_verifier_only_if_book_profile_and_settings_are_the_same() -> None:
    verifier = AngelEyeLog(confirm="dealer").verifier
    book, profile = verifier.book, verifier.profile
    assert verifier.uses(book, profile, Settings("dealer"))
    assert not verifier.uses(book, profile, Settings("result"))
    assert not verifier.uses(book, profile)  # our own shoe
    assert not verifier.uses(rulebooks.load("crown-baccarat"), profile, Settings("dealer"))
    assert not Verifier("bac-01", book, profile).uses(book, profile, Settings("dealer"))
