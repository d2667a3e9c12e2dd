"""Irregular cards in every book through `sabot play`: too many, face up, foreign, missing, unread; the last coup."""

import random
from collections.abc import Iterator

import pytest
from sabot_protocol import rulebooks
from sabot_protocol.cards import DECK
from sabot_protocol.irregularities import advise, combinations
from support.oracle import coup as by_the_tables
from support.play_table import (
    BOOKS,
    CROWN,
    FIVE,
    FOUR,
    LIVE,
    NZ,
    PLAYER_STANDS,
    PRINTED,
    RAPID,
    SIX,
    UNUSED,
    Answer,
    Table,
    Tables,
    check_kind,
    every_book,
    of,
    one,
    printed,
    shared_tables,
)


@pytest.fixture(scope="module")
def tables() -> Iterator[Tables]:
    yield from shared_tables()


def test_the_books_are_those_of_the_matrix() -> None:
    assert sorted(BOOKS) == rulebooks.ids()
    for book in BOOKS:
        for case in PRINTED:
            for facts in combinations(case):
                assert printed(book, case, facts) == advise(book, case, facts).code, (book, case, facts)


# A card too many


@every_book
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("exposed", [False, True])
@pytest.mark.parametrize(("case", "coup"), [("player_overdraw", FOUR), ("banker_overdraw", FIVE), ("excess_card", SIX)])
def test_a_card_too_many(tables: Tables, book: str, case: str, coup: list[str], exposed: bool, last: bool) -> None:
    table = tables(book)
    table.fresh()
    if last:
        table.last_coup()
    before = one("coup", table.deal(coup))
    answer = table(card="8D", exposed=exposed)
    found = one("irregularity", answer)
    assert (found["case"], found["facts"]["exposed"], found["facts"]["last_coup"]) == (case, exposed, last)
    assert (answer["state"], answer["locked"], answer["due"]) == ("complete", True, None)
    check_what_follows(table, found["code"], answer, before["coup"])


def check_what_follows(table: Table, code: str, answer: Answer, coup: int) -> None:
    """The next coup: its kind, its first card, and whether it waits for a supervisor."""
    card, then = one("card", answer), table(button="confirm")
    assert card["surplus"]
    if code == UNUSED:
        assert card["slot"] == "unused"
        assert one("shoe_closed", then)["reason"] == "last_coup"
        return
    assert (card["slot"], card["coup"]) == ("player_1", coup + 1)
    assert (then["state"], then["due"]) == ("dealing", "banker_1")
    check_kind(table, then, code == LIVE, one("irregularity", answer)["case"])
    result = one("coup", table.deal(["KH", "KC", "9H"]))
    assert (result["player"], result["banker"]) == (["8D", "KC"], ["KH", "9H"])
    assert result["kind"] == ("live" if code == LIVE else "no_bet")
    assert (result["coup"], result["winner"]) == (coup + 1, "banker")


@every_book
def test_the_dealing_style_decides_whether_a_card_was_exposed(tables: Tables, book: str) -> None:
    for dealing in rulebooks.load(book).shoe.choice["dealing"].values:
        table = tables(book, f"dealing={dealing}")
        table.fresh()
        answer = table.deal([*FOUR, "8D"])
        assert one("irregularity", answer)["facts"]["exposed"] == (dealing == "face_up")


@every_book
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("exposed", [False, True])
def test_a_card_too_many_for_the_player_is_the_bankers_third(
    tables: Tables, book: str, exposed: bool, last: bool
) -> None:
    table = tables(book)
    table.fresh()
    table.deal(PLAYER_STANDS[:4])
    answer = table(card=PLAYER_STANDS[4], exposed=exposed)
    result = one("coup", answer)
    assert (one("card", answer)["slot"], result["banker"]) == ("banker_3", ["KH", "3C", "4S"])
    facts = {"banker_draws": True, "exposed": exposed, "last_coup": last}
    answer = table(command="irregularity", case="player_overdraw", facts=facts)
    assert one("irregularity", answer)["code"] == "BANKER_THIRD"
    assert (answer["state"], of("coup", answer)) == ("complete", [])


@every_book
def test_three_cards_too_many(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    cases = [
        one("irregularity", answer)["case"]
        for answer in (table.deal(FOUR[:3]), *(table(card=card) for card in (FOUR[3], "8D", "7D", "6D")))
        if of("irregularity", answer)
    ]
    assert cases == ["player_overdraw", "banker_overdraw", "excess_card"]
    then = table(button="confirm")
    assert then["due"] == "banker_2"
    check_kind(table, then, book == NZ, "player_overdraw")  # elsewhere one of them asks for a coup without
    result = one("coup", table.deal(["2H"]))
    assert (result["player"], result["banker"]) == (["8D", "6D"], ["7D", "2H"])


# Face up


@every_book
def test_the_first_card_face_up(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    answer = table(card=FOUR[0], face_up=True)
    assert one("irregularity", answer)["case"] == "first_card_face_up"
    check_kind(table, answer, False, "first_card_face_up")
    result = one("coup", table.deal(FOUR[1:]))
    assert (result["kind"], result["winner"], result["player"]) == ("no_bet", "player", ["9S", "KD"])
    assert table(button="confirm")["kind"] == "live"


STYLES = [*((book, "") for book in BOOKS), (NZ, "style=international")]


@pytest.mark.parametrize(("book", "style"), STYLES)
@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_later_card_of_the_first_four_face_up(tables: Tables, book: str, style: str, place: int) -> None:
    table = tables(book, *([style] if style else []))
    table.fresh()
    table.deal(FOUR[:place])
    answer = table(card=FOUR[place], face_up=True)
    found = one("irregularity", answer)
    assert (found["case"], found["facts"]) == ("second_to_fourth_card_face_up", {"international": bool(style)})
    assert answer["kind"] == ("no_bet" if style else "live")
    result = one("coup", answer if place == 3 else table.deal(FOUR[place + 1 :]))
    assert (result["kind"], result["named"]) == (("no_bet", "void_hand") if style else ("live", "live"))


@every_book
@pytest.mark.parametrize("place", [4, 5])
def test_a_third_card_face_up(tables: Tables, book: str, place: int) -> None:
    table = tables(book)
    table.fresh()
    table.deal(SIX[:place])
    found = one("irregularity", table(card=SIX[place], face_up=True))
    assert (found["case"], found["code"]) == ("third_card_face_up", "PLAY_ON")
    assert table(state=True)["kind"] == "live"


# Cards that are not there, or should not be


def short_deck() -> list[str]:
    """A deck whose last card leaves a coup unfinished."""
    for seed in range(100):
        deck = random.Random(seed).sample(DECK, len(DECK))
        rest = list(deck)
        while len(rest) >= 6:
            by_the_tables(rest)
        if len(rest) == 3:
            return deck
    raise AssertionError("no such deck")


@every_book
def test_a_short_shoe(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh(decks=1)
    answers = []
    for card in short_deck():
        answers.append(table(card=card))
        if answers[-1]["state"] == "complete":
            table(button="confirm")
    assert one("irregularity", answers[-1])["case"] == "insufficient_cards"
    void = one("coup", answers[-1])
    assert (void["kind"], void["winner"], void["reason"]) == ("void", None, "short_shoe")
    assert (void["player"] + void["banker"]) == [short_deck()[49], short_deck()[51], short_deck()[50]]
    assert one("shoe_closed", answers[-1])["reason"] == "new_cards"
    assert sum(len(of("irregularity", answer)) for answer in answers) == 1
    assert table(card="8H")["state"] == "closed"


@every_book
def test_the_ninth_copy_of_a_card(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    assert one("coup", table.deal(["AS"] * 6))["winner"] == "tie"
    table(button="confirm")
    assert of("irregularity", table.deal(["AS"] * 2)) == []
    answer = table(card="AS")
    assert one("irregularity", answer)["case"] == "missing_or_foreign_card"
    check_foreign(table, answer)


@every_book
def test_a_card_of_another_set(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR[:2])
    answer = table(unreadable="foreign")
    assert one("irregularity", answer)["case"] == "missing_or_foreign_card"
    check_foreign(table, answer)


def check_foreign(table: Table, answer: Answer) -> None:
    """The coup is void and new cards come; without a rule it is a fault that a person clears."""
    if one("irregularity", answer)["code"] == "NO_RULE":
        assert (answer["state"], answer["locked"], of("coup", answer)) == ("fault", True, [])
        cleared = table(command="clear_fault")
        assert (cleared["state"], cleared["locked"]) == ("dealing", False)
        return
    void = one("coup", answer)
    assert (void["kind"], void["winner"], void["reason"], void["then"]) == ("void", None, "foreign_card", "new_cards")
    assert (one("shoe_closed", answer)["reason"], answer["state"]) == ("new_cards", "closed")


@every_book
def test_two_legal_copies_under_a_continuous_shuffler(tables: Tables, book: str) -> None:
    if "continuous" not in rulebooks.load(book).shoe.choice["shuffler"].values:
        pytest.skip("never shuffled by a machine")
    table = tables(book, "shuffler=continuous")
    table.fresh(decks=1)
    for _ in range(20):
        table.deal(["AS"] * 6)
        assert of("irregularity", table(button="confirm")) == []


# What the shoe reads, and what the dealer presses


@every_book
def test_a_card_that_cannot_be_read(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR[:3])
    answer = table(unreadable=True)
    assert one("irregularity", answer)["case"] == "misread_card"
    assert (answer["state"], answer["locked"], answer["due"]) == ("fault", True, "banker_2")
    if book == RAPID:
        assert table(command="key_card", card=FOUR[3])["outcome"] == "not_authorised"
        table(command="authorise")
    answer = table(command="key_card", card=FOUR[3])
    assert (one("card", answer)["keyed"], one("card", answer)["slot"]) == (True, "banker_2")
    result = one("coup", answer)
    assert (result["banker"], result["winner"], answer["state"]) == (["2H", "5C"], "player", "complete")


@every_book
@pytest.mark.parametrize("confirmed", [True, False])
def test_the_dealer_presses_another_result(tables: Tables, book: str, confirmed: bool) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR)
    answer = table(button="banker")
    if book == RAPID:  # 7.7.4.9, 7.7.4.10: it counts with Confirm
        assert of("irregularity", answer) == []
        answer = table.alone(button="confirm")
    found = one("irregularity", answer)
    assert (found["case"], found["facts"]) == ("scan_discrepancy", {"confirmed": True})
    assert (answer["state"], answer["locked"]) == ("fault", True)
    assert table.alone(button="confirm")["outcome"] == "not_now"
    answer = table(command="irregularity", case="scan_discrepancy", facts={"confirmed": confirmed})
    if one("irregularity", answer)["code"] == "VOID":
        void = one("coup", answer)
        assert (void["kind"], void["winner"], void["reason"]) == ("void", None, "discrepancy")
        assert (answer["state"], answer["due"]) == ("dealing", "player_1")
    else:
        assert of("coup", answer) == []


@every_book
def test_the_right_result_is_no_discrepancy(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR)
    assert of("irregularity", table(button="player")) == []
    assert table(button="confirm")["state"] == "dealing"


# The last coup


@every_book
@pytest.mark.parametrize("place", [0, 1, 3])
def test_the_cutting_card(tables: Tables, book: str, place: int) -> None:
    table = tables(book)
    table.fresh()
    for card in FOUR[:place]:
        table(card=card)
    table(cut=True)
    this_is_last = place == 0 and book != CROWN
    assert one("coup", table.deal(FOUR[place:]))["last_coup"] == this_is_last
    if not this_is_last:
        assert table(button="confirm")["last_coup"]
        assert one("coup", table.deal(FOUR))["last_coup"]
    assert one("shoe_closed", table(button="confirm"))["reason"] == "last_coup"


def test_dummy_coups_may_follow_the_last_one_at_crown(tables: Tables) -> None:
    table = tables(CROWN)
    table.fresh()
    table.last_coup()
    table.deal(FOUR)
    for _ in range(3):
        table(command="authorise")
        assert table(command="no_bet")["outcome"] == "done"
        answer = table(button="confirm")
        assert (answer["state"], answer["named"], answer["locked"]) == ("dealing", "dummy", False)
        assert one("coup", table.deal(FOUR))["kind"] == "no_bet"
    assert table(button="confirm")["state"] == "closed"
