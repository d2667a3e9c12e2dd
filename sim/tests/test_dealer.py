"""The stack of cards, and the dealer who knows only lock and lamps."""

import random
from collections import Counter
from typing import Any

import pytest
from sabot_protocol.cards import DECK
from sabot_sim.dealing.dealer import (
    BUTTON_CONFIRM,
    BUTTON_NEW_SHOE,
    LAMP_FAULT,
    LAMP_WAITING,
    LOCK,
    Dealer,
    DealerStopsError,
)
from sabot_sim.dealing.table import SimTable
from sabot_sim.rigs.reader import CPythonReader
from sabot_sim.stack import CUT, shuffled, stacked


def new_dealer(stack: list[str]) -> Dealer:
    return Dealer(lambda: list(stack), 1, random.Random(1))


def test_a_shuffled_shoe_has_every_card_and_the_cutting_card_twenty_from_the_back() -> None:
    cards = shuffled(8, random.Random(3))
    counts = Counter(cards)
    assert len(cards) == 8 * 52 + 1
    assert all(counts[card] == 8 for card in DECK)
    assert cards[-21] == CUT
    assert cards == shuffled(8, random.Random(3))
    assert cards != shuffled(8, random.Random(4))


def test_a_stacked_shoe_has_the_same_cards_and_these_come_first() -> None:
    cards = shuffled(8, random.Random(3))
    top = [None, "KC", "2D", "9C", "3D", *["8H"] * 8]
    found = stacked(cards, top)
    assert found[1:13] == top[1:]
    assert found[0] == cards[0]
    assert Counter(found) == Counter(cards)
    assert found[-21] == CUT
    assert cards == shuffled(8, random.Random(3))
    with pytest.raises(ValueError, match="not in list"):
        stacked(cards, ["8H"] * 9)


def test_a_closed_shoe_gets_cards_and_new_shoe() -> None:
    dealer = new_dealer(["2C"])
    assert [levels for _, levels in dealer.next_edges(LOCK)] == [BUTTON_NEW_SHOE, 0]


def test_an_open_exit_gets_the_next_card() -> None:
    dealer = new_dealer(["2C", CUT])
    dealer.next_edges(LOCK)
    pulled = [dealer.next_edges(0), dealer.next_edges(0)]
    assert dealer.drawn == ["2C", CUT]
    assert [[one.card for one in answers] for answers in CPythonReader().read(1, pulled)] == [["2C"], [CUT]]
    assert all(edges[-1][1] == edges[-2][1] == 0 for edges in pulled)  # the path is seen clear


def test_a_result_is_confirmed() -> None:
    dealer = new_dealer(["2C"])
    assert [levels for _, levels in dealer.next_edges(LOCK | 4)] == [BUTTON_CONFIRM, 0]
    assert dealer.coups_seen == 1


class LampsOnly:
    """A shoe that takes every edge, and whose lamps a test sets."""

    outputs = LOCK

    def play(self, records: object) -> None:
        pass

    def settled(self) -> bool:
        return True


@pytest.mark.parametrize("enters_result", [False, True])
def test_the_time_of_a_coup_is_that_of_its_last_card_also_where_the_result_is_entered_before_confirm(
    enters_result: bool,
) -> None:
    dealer = Dealer(lambda: [*DECK], 1, random.Random(1), enters_result=enters_result)
    shoe: Any = LampsOnly()
    table, now_s = SimTable(shoe, dealer, 1.0), 0.0

    def play(lamps: int, times: int) -> float:
        nonlocal now_s
        shoe.outputs = lamps
        for _ in range(times):
            now_s += 10.0
            table.step(now_s)
        return table.last_played()

    play(LOCK, 1)
    for _ in range(3):
        last_card_s = play(0, 4)
        shoe.outputs = LOCK | 2  # a lamp shows the result, and the coup is received
        assert table.coup_received() == last_card_s
        play(LOCK | 2, 2 if enters_result else 1)


def test_the_same_cards_stay_in_until_the_shoe_has_taken_them() -> None:
    stacks = iter([["2C"], ["3C"]])
    dealer = Dealer(lambda: next(stacks), 1, random.Random(1))
    dealer.next_edges(LOCK)
    dealer.next_edges(LOCK)
    dealer.next_edges(0)
    assert dealer.drawn == ["2C"]
    dealer.next_edges(LOCK)
    dealer.next_edges(0)
    assert dealer.drawn == ["3C"]


def test_a_shoe_that_waits_for_its_gateway_is_left_alone() -> None:
    dealer = new_dealer(["2C", "3C"])
    dealer.next_edges(LOCK)
    dealer.next_edges(0)
    assert [levels for _, levels in dealer.next_edges(LOCK | LAMP_WAITING)] == [0]
    assert dealer.drawn == ["2C"]


def test_a_fault_or_an_empty_shoe_stops_the_dealer() -> None:
    with pytest.raises(DealerStopsError, match="supervisor"):
        new_dealer(["2C"]).next_edges(LOCK | LAMP_FAULT)
    with pytest.raises(DealerStopsError, match="empty"):
        new_dealer(["2C"]).next_edges(0)
