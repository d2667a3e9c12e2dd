"""The dealer of `sabot demo --trouble`: each trouble comes, he stands still until he is released, no card is lost."""

import random

import pytest
from sabot_protocol.cards import DECK
from sabot_sim.dealing.dealer import BUTTON_CONFIRM, LAMP_FAULT, LOCK
from sabot_sim.dealing.troubled_dealer import TROUBLES, Trouble, TroubledDealer, possible
from sabot_sim.stack import CUT

LAMP_PLAYER = 2
RESULT = LOCK | LAMP_PLAYER
OPEN = 0


def new_dealer(*troubles: str, seed: int = 1) -> TroubledDealer:
    made = TroubledDealer(lambda: [*DECK, CUT], 1, random.Random(seed), troubles=troubles)
    made.take_up([*DECK, CUT], [])
    return made


def deal(dealer: TroubledDealer, steps: int) -> None:
    """Let coups of four cards pass, or until something happens."""
    for step in range(steps):
        if dealer.happened:
            return
        dealer.next_edges(RESULT if step % 5 == 4 else OPEN)


def still(dealer: TroubledDealer, outputs: int) -> bool:
    return {level for _, level in dealer.next_edges(outputs)} == {0}


@pytest.mark.parametrize("name", [name for name, kind in TROUBLES.items() if kind.holds])
def test_after_a_trouble_he_stands_still_until_he_is_released(name: str) -> None:
    dealer = new_dealer(name)
    deal(dealer, 40)
    assert [one.name for one in dealer.happened] == [name]
    assert all(still(dealer, outputs) for outputs in (OPEN, RESULT, LOCK | LAMP_FAULT))
    dealer.release()
    assert not still(dealer, RESULT)


def test_he_waits_while_the_shoe_shows_a_fault() -> None:
    dealer = new_dealer("lid")
    deal(dealer, 40)
    dealer.release()
    assert still(dealer, LOCK | LAMP_FAULT)


@pytest.mark.parametrize(
    ("name", "unread"), [("face_up", True), ("misread", True), ("pushed_back", False), ("lid", False)]
)
def test_the_card_on_the_table_is_known_where_it_was_not_read(name: str, unread: bool) -> None:
    dealer = new_dealer(name)
    deal(dealer, 40)
    (found,) = dealer.happened
    stack, drawn = dealer.cards()
    assert (found.card is not None) == unread
    assert sorted([*stack, *drawn, *([found.card] if found.card else [])]) == sorted([*DECK, CUT])


def test_the_cutting_card_comes_first_of_a_coup_and_nobody_is_needed() -> None:
    dealer = new_dealer("cut_first")
    deal(dealer, 40)
    assert dealer.happened == [Trouble("cut_first")]
    assert dealer.drawn[-1] == CUT
    assert len(dealer.drawn) % 4 == 1  # whole coups before it
    assert {level for _, level in dealer.next_edges(RESULT)} == {BUTTON_CONFIRM, 0}


def test_nothing_goes_wrong_in_the_first_coups() -> None:
    dealer = TroubledDealer(lambda: [*DECK, CUT], 1, random.Random(1), troubles=("lid",), first=5)
    dealer.take_up([*DECK, CUT], [])
    deal(dealer, 60)
    assert dealer.happened == [Trouble("lid")]
    assert dealer.coups_seen >= 7


def test_each_trouble_comes_before_one_comes_again() -> None:
    dealer = new_dealer("lid", "surplus", "pushed_back")
    names = []
    for _ in range(6):
        dealer.take_up([*DECK, CUT], [])
        deal(dealer, 60)
        names += [one.name for one in dealer.happened]
        dealer.happened.clear()
        dealer.release()
    assert sorted(names[:3]) == sorted(names[3:]) == ["lid", "pushed_back", "surplus"]


def test_a_wrong_button_only_where_the_book_has_people_decide() -> None:
    """000 12.13, 001 14.13 and 004 11.8.11; 002 and 003 have no such clause."""
    books = ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")
    assert ["wrong_button" in possible(book) for book in books] == [True, True, False, False, True]
