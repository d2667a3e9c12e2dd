"""Counts of a shoe and the Dragon Tail Indicator, expected by the Crown book's words."""

import pytest
from sabot_protocol.roads import Counts, DragonTail, counts, dragon_tail, parse


def test_counts_of_a_shoe() -> None:
    """A coup without wagers is in no count but its own."""
    results = [parse(text) for text in ["B", "Pb", "T", "X", "Bbp", "Bn", "Tpn", "Pbn", "X"]]
    assert counts(results) == Counts(banker=3, player=2, tie=2, banker_pair=3, player_pair=2, natural=3, no_bet=2)


@pytest.mark.parametrize(
    ("results", "banker", "player"),
    [
        ("", 0, 0),
        ("B", 1, 0),
        ("BBB", 3, 0),
        ("BBP", 0, 1),  # an opposite result breaks a run
        ("BBT", 0, 0),  # a tie breaks it
        ("BBTB", 1, 0),
        ("TTT", 0, 0),  # ties are no run
        ("BBXB", 3, 0),  # a Dummy Coup has no effect (10.8.4)
        ("BBX", 2, 0),
        ("X", 0, 0),
        ("PPPPPP", 0, 6),
        ("PPPPPPP", 0, 7),
    ],
)
def test_the_dragon_tail_indicator(results: str, banker: int, player: int) -> None:
    assert dragon_tail(map(parse, results)) == DragonTail(banker=banker, player=player)


def test_the_end_of_the_shoe_resets_the_indicator() -> None:
    assert dragon_tail(map(parse, "BBB"), is_shoe_open=False) == DragonTail(0, 0)


def test_late_wagers_wait_one_coup_at_six() -> None:
    assert [dragon_tail(map(parse, "P" * length)).late_waits for length in (5, 6, 7)] == [False, True, False]
    assert dragon_tail(map(parse, "BBBBBBX")).late_waits
    assert not dragon_tail(map(parse, "BBBBBBT")).late_waits
