"""The dealer of `sabot shoe`: what he does by what the shoe shows, and that no card is lost or dealt twice."""

import random

import pytest
from sabot_protocol.cards import DECK
from sabot_sim.dealing.dealer import BUTTON_NEW_SHOE, LAMP_FAULT, LAMP_WAITING, LOCK
from sabot_sim.dealing.patient_dealer import KEY, PatientDealer

LAMP_PLAYER = 2


def new_dealer(mishap_share: float = 0.0, patience_us: int = 0, seed: int = 1) -> PatientDealer:
    made = PatientDealer(lambda: list(DECK), 1, random.Random(seed), patience_us=patience_us, mishap_share=mishap_share)
    made.take_up(list(DECK), [])
    return made


def pins(edges: list[tuple[int, int]]) -> int:
    """Every input that was on."""
    return sum({1 << bit for _, levels in edges for bit in range(16) if levels >> bit & 1})


@pytest.mark.parametrize("lamps", [LAMP_FAULT, LAMP_WAITING, LAMP_FAULT | LAMP_WAITING])
def test_the_dealer_waits_and_then_the_supervisor_turns_the_key(lamps: int) -> None:
    dealer = new_dealer(patience_us=1_000_000)
    assert [pins(dealer.next_edges(LOCK | lamps)) for _ in range(5)] == [0, 0, 0, KEY, 0]
    assert dealer.cards() == (list(DECK), [])


def test_without_patience_nobody_comes() -> None:
    dealer = new_dealer()
    assert {pins(dealer.next_edges(LOCK | LAMP_FAULT)) for _ in range(1000)} == {0}


def test_a_dealer_waits_at_an_empty_shoe_with_an_open_exit() -> None:
    dealer = new_dealer()
    dealer.take_up([], list(DECK))
    assert pins(dealer.next_edges(0)) == 0
    assert pins(dealer.next_edges(LOCK)) == BUTTON_NEW_SHOE
    assert dealer.cards() == (list(DECK), [])


def test_a_dealer_rests_after_a_shoe_and_not_before_the_first() -> None:
    dealer = new_dealer()
    dealer.rest_us = 500_000
    assert pins(dealer.next_edges(LOCK)) == BUTTON_NEW_SHOE
    dealer.take_up([], list(DECK))
    assert [pins(dealer.next_edges(LOCK)) for _ in range(4)] == [0, 0, BUTTON_NEW_SHOE, BUTTON_NEW_SHOE]
    assert dealer.cards() == (list(DECK), [])


def test_a_card_that_is_half_drawn_at_the_end_goes_back() -> None:
    dealer = new_dealer()
    dealer.next_edges(0)
    dealer.put_back()
    assert dealer.cards() == (list(DECK), [])
    dealer.put_back()
    assert dealer.cards() == (list(DECK), [])


@pytest.mark.parametrize("seed", range(20))
def test_cards_are_conserved_whatever_goes_wrong(seed: int) -> None:
    dealer = new_dealer(mishap_share=0.5, patience_us=250_000, seed=seed)
    shown = random.Random(seed)
    keyed = 0
    for _ in range(400):
        dealer.next_edges(shown.choice((0, 0, LOCK | LAMP_PLAYER, LOCK | LAMP_FAULT)))
        keyed += sum("was handled at the gateway" in note for note in dealer.notes)
        dealer.notes.clear()
    dealer.next_edges(LOCK | LAMP_FAULT)
    stack, drawn = dealer.cards()
    assert len(stack) + len(drawn) + keyed == len(DECK)
    assert len(set(stack + drawn)) == len(stack) + len(drawn)
