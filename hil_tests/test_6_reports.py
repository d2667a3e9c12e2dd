"""Irregularities that people report, in every book through `sabot play`; burn, cut, hand-over and authorisation."""

from collections.abc import Iterator

import pytest
from sabot_protocol import rulebooks
from sabot_protocol.irregularities import CASES, combinations
from support.play_table import (
    CROWN,
    FIVE,
    FOUR,
    NZ,
    PREMIUM,
    PRINTED,
    RAPID,
    SIX,
    STAR,
    THIS_NO_BET,
    UNWAGERED,
    Answer,
    Table,
    Tables,
    every_book,
    of,
    one,
    shared_tables,
)


@pytest.fixture(scope="module")
def tables() -> Iterator[Tables]:
    yield from shared_tables()


# The burn and the cut


@every_book
def test_the_burn_missed_before_any_card(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh(burn="one")
    answer = table(command="irregularity", case="burn_missed")
    assert one("irregularity", answer)["facts"] == {"first_coup_complete": False}
    if book == CROWN:
        assert answer["due"] == "burn"
        return
    assert one("burn", answer)["missed"]
    assert (answer["state"], answer["due"]) == ("dealing", "player_1")


@every_book
def test_the_burn_missed_in_the_first_coup(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR[:2])
    answer = table(command="irregularity", case="burn_missed")
    if book != CROWN:
        assert (answer["due"], of("coup", answer)) == ("player_2", [])
        return
    assert (answer["fault"], answer["locked"], of("coup", answer)) == ("decision", True, [])  # it *may* be rebuilt
    answer = table(command="burn_card")
    assert (answer["state"], answer["due"], of("coup", answer)) == ("burning", "burn", [])
    assert one("card", table(card="8C"))["slot"] == "burn"
    result = one("coup", table.deal(SIX))
    assert (result["coup"], result["player"]) == (1, ["2S", "2D", "5S"])


def test_the_first_coup_need_not_be_rebuilt(tables: Tables) -> None:
    table = tables(CROWN)
    table.fresh()
    table.deal(FOUR[:2])
    table(command="irregularity", case="burn_missed")
    assert table(command="clear_fault")["state"] == "dealing"  # 10.1: play goes on
    result = one("coup", table.deal(FOUR[2:]))
    assert (result["coup"], result["player"]) == (1, ["9S", "KD"])


@every_book
def test_the_burn_missed_and_a_coup_is_complete(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR)
    table(button="confirm")
    answer = table(command="irregularity", case="burn_missed")
    found = one("irregularity", answer)
    assert (found["code"], found["facts"]) == ("PLAY_ON", {"first_coup_complete": True})
    assert answer["due"] == "player_1"


@every_book
@pytest.mark.parametrize("case", ["cut_missed", "not_shuffled_after_cutting_card"])
def test_not_cut_or_not_shuffled(tables: Tables, book: str, case: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR[:3])
    answer = table(command="irregularity", case=case)
    last = book not in (NZ, CROWN)
    assert one("irregularity", answer)["code"] == ("FINISH_RESHUFFLE" if last else "NO_RULE")
    assert one("coup", table(card=FOUR[3]))["last_coup"] == last
    assert table(button="confirm")["state"] == ("closed" if last else "dealing")


# What a person must report


BY_PEOPLE = ("bad_order", "banker_got_players_card", "wrong_shoe", "wrong_area", "wrong_recipient", "shoe_not_reading")


@every_book
@pytest.mark.parametrize("case", BY_PEOPLE)
def test_a_case_that_a_person_reports(tables: Tables, book: str, case: str) -> None:
    table = tables(book)
    for facts in combinations(case):
        table.fresh()
        table.deal(FOUR[:3])
        answer = table(command="irregularity", case=case, facts=facts)
        found = one("irregularity", answer)
        assert (found["case"], found["facts"]) == (case, facts)
        if found["code"] == "VOID":
            check_void(table, answer, "wrong_shoe" if case == "wrong_shoe" else "misdeal")
        else:
            assert (answer["due"], of("coup", answer)) == ("banker_2", [])


@every_book
def test_every_case_with_every_combination_of_its_facts(tables: Tables, book: str) -> None:
    table = tables(book)
    for case in CASES:
        for facts in combinations(case):
            table.fresh()
            table.deal(FOUR[:3])
            found = one("irregularity", table(command="irregularity", case=case, facts=facts))
            assert (found["case"], found["facts"]) == (case, facts)


def check_void(table: Table, answer: Answer, reason: str) -> None:
    void = one("coup", answer)
    assert (void["kind"], void["winner"], void["reason"], void["then"]) == ("void", None, reason, "go_on")
    assert (void["player"], void["banker"]) == (["9S", "KD"], ["2H"])
    assert (answer["state"], answer["due"], answer["kind"]) == ("dealing", "player_1", "live")
    assert one("coup", table.deal(FIVE))["coup"] == void["coup"] + 1


def test_every_case_is_provoked_or_reported() -> None:
    reported = {"cut_missed", "not_shuffled_after_cutting_card", "first_card_exposed", "unauthorised_coup", *BY_PEOPLE}
    assert set(PRINTED) | reported == set(CASES)


@every_book
def test_a_shoe_that_does_not_read_hands_its_coup_over(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR[:3])
    table(command="irregularity", case="shoe_not_reading", facts={"disadvantage": False})
    answer = table(command="export_coup")
    assert one("handed_over", answer)["cards"] == {"player_1": "9S", "banker_1": "2H", "player_2": "KD"}
    assert of("coup", answer) == []  # it is not void
    assert (one("shoe_closed", answer)["reason"], answer["state"]) == ("handed_over", "closed")
    for burn in ("none", "one"):  # there is no second burn
        other = tables(book, "card_set=2")
        other.fresh(burn=burn)
        came = other(command="import_coup", coup=12, player=["9S", "KD"], banker=["2H"], coups_left=2)
        assert (came["due"], one("handed_over", came)["coup"]) == ("banker_2", 12)
        result = one("coup", other(card="5C"))
        assert (result["player"], result["banker"], result["winner"]) == (["9S", "KD"], ["2H", "5C"], "player")
        assert (result["coup"], result["kind"], result["last_coup"]) == (12, "live", False)
        other(button="confirm")
        assert one("coup", other.deal(FIVE))["last_coup"]
        assert other(button="confirm")["state"] == "closed"


@every_book
def test_this_coup_goes_on_without_wagers_where_the_book_has_a_clause_for_it(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR[:3])
    answer = table(command="this_no_bet")
    if book not in THIS_NO_BET:
        assert (answer["outcome"], answer["kind"]) == ("not_permitted", "live")
        return
    assert (answer["outcome"], answer["named"], answer["locked"]) == ("done", UNWAGERED[book], False)
    assert one("coup", table(card=FOUR[3]))["named"] == UNWAGERED[book]
    assert table(button="confirm")["kind"] == "live"


@every_book
def test_a_first_card_that_was_seen_before_its_time(tables: Tables, book: str) -> None:
    for dealing in rulebooks.load(book).shoe.choice["dealing"].values:
        table = tables(book, f"dealing={dealing}")
        table.fresh()
        answer = table(card="9S", exposed=True)
        no_bet = book in (STAR, PREMIUM) and dealing == "face_down"  # 12.3, 14.3; A-58
        assert answer["kind"] == ("no_bet" if no_bet else "live")
        assert [event["case"] for event in of("irregularity", answer)] == ["first_card_exposed"] * (
            dealing == "face_down"
        )
        assert not answer["locked"]


def test_a_dummy_hand_without_authorisation(tables: Tables) -> None:
    table = tables(RAPID)
    table.fresh()
    table.deal([*FOUR, "8D"])
    assert table(button="confirm")["locked"]
    answer = table(card="KH")
    assert (one("irregularity", answer)["case"], answer["locked"]) == ("unauthorised_coup", True)
    assert of("irregularity", table(card="KC")) == []
    assert not table(command="authorise")["locked"]
    assert one("coup", table(card="9H"))["named"] == "dummy"
