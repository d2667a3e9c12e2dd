"""The table sign: all that players must be able to read, with the figures of the parameters."""

import pytest
from jackpot_parameters import OPTION_1, OPTION_2, OPTION_3, crown, new_zealand, random_seat
from sabot_protocol.jackpots.currency import number, written
from sabot_protocol.jackpots.parameters import LuckyTie, Parameters, Random
from sabot_protocol.jackpots.sign import sign


def lines(parameters: Parameters) -> list[str]:
    return sign(parameters).splitlines()


def test_a_per_cent_with_decimals_is_on_the_sign_in_its_place() -> None:
    trigger = LuckyTie("option_1", {"suited": 100, "coloured": 10, "non_coloured": "9.5"})
    found = [line for line in lines(crown(trigger=trigger)) if line.startswith("- ")]
    assert [line.rpartition(": ")[2] for line in found] == [
        f"{part}% of the rounded jackpot." for part in ("100", "10", "9.5")
    ]


def test_the_whole_sign_of_a_lucky_tie() -> None:
    parameters = crown(
        base=1_000_000, limit=20_000_000, reserve="10%", rounding=500, in_force="2026-11-01", sign="Good luck."
    )
    assert (
        sign(parameters)
        == """\
Lucky Tie

The casino contributes AUD 0.25 for each completed coup at each participating table.
Coups without wagers count.
Void coups do not count.
10% of each contribution is not shown: it is kept for the jackpot after this one.
Participating tables: bac-01, bac-02.
After a win of 100% the jackpot starts again at AUD 10,000.00.
The jackpot grows to AUD 200,000.00 at most.

The jackpot is won by a Tie in which the first two cards of Player and of Banker are all eights.
- Suited Lucky Tie: all four eights of the same suit: 100% of the rounded jackpot.
- Coloured Lucky Tie: all four eights of the same colour, but not of the same suit: 15% of the rounded jackpot.
- Non-Coloured Lucky Tie: the four eights not of the same colour: 8% of the rounded jackpot.
The displayed jackpot is rounded up to a multiple of AUD 5.00; the percentage is taken of that.
Only valid wagers on Tie in the winning coup at the winning table are paid.
If several wagers win, each of them is paid the same part.
Every win is confirmed by the casino before it is paid, in chips, cash or cash equivalent.
Good luck.

Version 1, in force from 2026-11-01."""
    )


def test_nj_05_method_and_amount_of_the_contribution_are_displayed() -> None:
    operator = "The casino contributes NZD 0.10 for each completed coup at each participating table."
    wager = "1.5% of each wager on Perfect Pair Player is contributed, at the end of each coup."
    funded = {name: lines(new_zealand(funding=name)) for name in ("operator", "wager", "both")}
    found = {name: (operator in text, wager in text) for name, text in funded.items()}
    assert found == {"operator": (True, False), "wager": (False, True), "both": (True, True)}
    early = sign(new_zealand(activation="no_more_bets"))
    assert "Perfect Pair Player is contributed, after the call of no more bets." in early
    assert "Coups without wagers do not count." in lines(new_zealand(unwagered=False))


def test_nj_05_eligible_hands_and_criteria_are_displayed() -> None:
    found = lines(new_zealand())
    place = found.index("The jackpot is won by these outcomes of Perfect Pair Player:")
    assert found[place + 1 : place + 3] == [
        "- Perfect: 100% of the rounded jackpot.",
        "- Coloured: 20% of the rounded jackpot.",
    ]
    assert "Only valid wagers on Perfect Pair Player in the winning coup at the winning table are paid." in found


def test_nj_06_each_tier_has_its_own_sign() -> None:
    minor, major = new_zealand(title="Minor", increment=10), new_zealand(title="Major", increment=40)
    assert (lines(minor)[0], lines(major)[0]) == ("Minor", "Major")
    assert "NZD 0.40 for each completed coup" in sign(major)


@pytest.mark.parametrize("trigger", [OPTION_1, OPTION_2, OPTION_3])
def test_cj_12_the_apportionment_is_on_the_sign(trigger: LuckyTie) -> None:
    shown = [line.rpartition(": ")[2] for line in lines(crown(trigger=trigger)) if line.startswith("- ")]
    parts = sorted(trigger.percent.values(), reverse=True)
    assert shown == [f"{part}% of the rounded jackpot." for part in parts]


def test_cj_16_the_method_of_division_is_on_the_sign() -> None:
    assert "If several wagers win, each of them is paid the same part." in lines(crown(division="equal"))
    proportional = "If several wagers win, they are paid in proportion to their amounts."
    assert proportional in lines(crown(division="proportional"))
    assert proportional not in lines(crown(division="equal"))


def test_a_random_jackpot_needs_no_cards() -> None:
    trigger = Random(("table", "seat", "location"), 9, ("player", "banker"), 50)
    found = sign(new_zealand(trigger=trigger, qualifying=()))
    assert "A random draw chooses a table, a seat and a wagering location. No cards are needed to win." in found
    assert "The draw pays 50% of the rounded jackpot." in found
    assert "starts again" not in found  # half of it is won
    assert "starts again at NZD 0.00" in sign(random_seat())


def test_what_is_not_there_is_not_on_the_sign() -> None:
    found = sign(crown())
    assert "at most" not in found
    assert "is not shown" not in found
    assert lines(crown())[-1] == "Version 1."


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [
        (123_450, "AUD", "AUD 1,234.50"),
        (5, "NZD", "NZD 0.05"),
        (0, "AUD", "AUD 0.00"),
        (-123_456_789, "AUD", "AUD -1,234,567.89"),
        (1_234, "JPY", "JPY 1,234"),
        (1_234_005, "KWD", "KWD 1,234.005"),
    ],
)
def test_amounts_are_written_by_their_currency(minor: int, currency: str, text: str) -> None:
    assert written(minor, currency) == text
    assert number(minor, currency) == text[4:]
