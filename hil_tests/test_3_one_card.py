"""Then: one card, one press, one thing that is no card."""

from sabot_tools.bench.chip_table import LOCK
from support.bench_shoe import Shoe


def opened(shoe: Shoe) -> None:
    """New cards are in."""
    assert [event.kind for event in shoe.press("new_shoe")] == ["button", "shoe_opened"]


def test_the_exit_opens_with_the_shoe_and_each_card_is_read_as_what_it_is(shoe: Shoe) -> None:
    """One shoe for all of it: on the emulated chip, each start and each opening takes as long as two cards."""
    shoe.play([(0, 0)])
    assert shoe.outputs & LOCK
    opened(shoe)
    assert not shoe.outputs & LOCK
    for card, slot in (("KC", "burn"), ("AS", "player_1"), ("8H", "banker_1"), ("TD", "player_2")):
        events = shoe.card(card)
        assert [(event.data["card"], event.data["slot"]) for event in events if event.kind == "card"] == [(card, slot)]
    shoe.card("CUT")
    read = [event.kind for event in shoe.of("card", "burn", "cutting_card")]
    assert read == ["card", "burn", "card", "card", "card", "cutting_card"]


def test_a_card_without_a_code_is_a_reject_and_no_guess(shoe: Shoe) -> None:
    opened(shoe)
    events = shoe.card("blank")
    assert [event.data["reason"] for event in events if event.kind == "reject"] == ["blank"]
    assert not shoe.of("card")
    shoe.expected.update(event.kind for event in events if event.kind in ("reject", "fault"))
