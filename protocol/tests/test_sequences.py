"""Runs and dragon tails: Crown's tables 5 and 7, readings A-16 and A-18."""

from fractions import Fraction

import pytest
from sabot_protocol import rulebooks
from sabot_protocol.wagers import sequences

BOOK = rulebooks.load("crown-baccarat")

CASES = [
    ("run_banker_3", "B X B B", "win 8 run"),
    ("run_banker_3", "B B", "pending"),
    ("run_banker_3", "B B P", "lose"),
    ("run_banker_3", "B T", "lose"),
    ("run_banker_3", "P", "lose"),
    ("run_banker_3", "", "pending"),
    ("run_banker_3", "X X", "pending"),
    ("run_banker_3", "B B END", "pending"),
    ("run_banker_3", "END", "pending"),
    ("run_banker_2", "B B P", "win 3 run"),
    ("run_player_6", "P P P P P P", "win 100 run"),
    ("run_player_6", "P P P P P B", "lose"),
    ("run_combo:BBP", "B B P", "win 8 run"),
    ("run_combo:BBP", "B B B", "lose"),
    ("run_combo:BBP", "B P", "lose"),
    ("run_combo:PB", "P X B", "win 3 run"),
    ("run_combo:PB", "P T", "lose"),
    ("run_tie_3", "T T T", "win 1000 run"),
    ("run_tie_3", "T T P", "lose"),
    ("run_tie_4", "T T T", "pending"),
    ("dragon_tail_player_early", "B", "lose"),
    ("dragon_tail_player_early", "T", "lose"),
    ("dragon_tail_player_early", "P", "pending"),
    ("dragon_tail_player_early", "P B", "lose"),
    ("dragon_tail_player_early", "P END", "lose"),
    ("dragon_tail_player_early", "P P B", "win 1 consecutive_2"),
    ("dragon_tail_player_early", "P X P T", "win 1 consecutive_2"),
    ("dragon_tail_player_early", "P P END", "win 1 consecutive_2"),
    ("dragon_tail_player_early", "P P P T", "win 3 consecutive_3"),
    ("dragon_tail_player_early", "P P P P B", "win 7 consecutive_4"),
    ("dragon_tail_player_early", "P P P P P END", "win 11 consecutive_5"),
    ("dragon_tail_player_early", "P P P P P", "pending"),
    ("dragon_tail_player_early", "P P P P P P", "win 30 consecutive_6"),
    ("dragon_tail_player_early", "P P P P P P P", "win 30 consecutive_6"),
    ("dragon_tail_player_early", "END", "void"),
    ("dragon_tail_banker_early", "B B P", "win 1 consecutive_2"),
    ("dragon_tail_banker_early", "P", "lose"),
    ("dragon_tail_player_late", "P B", "lose"),
    ("dragon_tail_player_late", "P P B", "lose"),
    ("dragon_tail_player_late", "P P END", "lose"),
    ("dragon_tail_player_late", "P P P B", "win 1 consecutive_2"),
    ("dragon_tail_player_late", "P P P P T", "win 3 consecutive_3"),
    ("dragon_tail_player_late", "P P P P P END", "win 7 consecutive_4"),
    ("dragon_tail_player_late", "P P P P P P", "pending"),
    ("dragon_tail_player_late", "P P P P P P P", "win 30 consecutive_6"),
    ("dragon_tail_player_late", "P P P P P P B", "win 11 consecutive_5"),
    ("dragon_tail_player_late", "P P P P P P T", "win 11 consecutive_5"),
    ("dragon_tail_player_late", "P P P P P P END", "win 11 consecutive_5"),
    ("dragon_tail_player_late", "P P P P P P X P", "win 30 consecutive_6"),
    ("dragon_tail_player_late", "B", "void"),
    ("dragon_tail_player_late", "P", "pending"),
    ("dragon_tail_banker_late", "B B B P", "win 1 consecutive_2"),
    ("dragon_tail_banker_late", "B P", "lose"),
]
_OTHER_SIDE = str.maketrans("PB", "BP")
MIRRORED = [
    (wager.replace("player", "banker"), results.translate(_OTHER_SIDE), wanted)
    for wager, results, wanted in CASES
    if "_player_" in wager
]


@pytest.mark.parametrize(("wager", "results", "wanted"), CASES + MIRRORED)
def test_a_sequence(wager: str, results: str, wanted: str) -> None:
    settled = sequences.find(BOOK, "crown", wager).settle(results.split())
    result, *rest = wanted.split()
    assert settled.result == result
    if result == "win":
        assert [str(settled.odds), settled.outcome] == rest
    else:
        assert settled.odds == (-1 if result == "lose" else 0)


def test_odds_are_fractions() -> None:
    assert isinstance(sequences.find(BOOK, "crown", "run_tie_4").settle(["T"] * 4).odds, Fraction)
