"""Then: one card, one press, one thing that is no card."""

import pytest
from sabot_tools.bench.chip_table import LOCK
from support.bench_shoe import Shoe


def opened(shoe: Shoe) -> None:
    """New cards are in."""
    assert [event.kind for event in shoe.press("new_shoe")] == ["button", "shoe_opened"]


def test_the_exit_is_locked_until_a_shoe_is_opened(shoe: Shoe) -> None:
    shoe.play([(0, 0)])
    assert shoe.outputs & LOCK
    opened(shoe)
    assert not shoe.outputs & LOCK


@pytest.mark.parametrize("card", ["AS", "8H", "TD", "KC"])
def test_a_card_is_read_as_what_it_is(shoe: Shoe, card: str) -> None:
    opened(shoe)
    read = shoe.card(card)
    assert [(event.kind, event.data.get("card")) for event in read] == [("card", card), ("burn", None)][: len(read)]
    assert read[0].data["slot"] == "burn"


def test_the_cutting_card_is_known_from_the_others(shoe: Shoe) -> None:
    opened(shoe)
    shoe.card("KS")
    assert "cutting_card" in [event.kind for event in shoe.card("CUT")]


def test_a_card_without_a_code_is_a_reject_and_no_guess(shoe: Shoe) -> None:
    opened(shoe)
    events = shoe.card("blank")
    assert [event.data["reason"] for event in events if event.kind == "reject"] == ["blank"]
    assert not shoe.of("card")
    shoe.expected.update(event.kind for event in events if event.kind in ("reject", "fault"))
