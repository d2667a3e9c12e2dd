"""Jackpots as text: the meter after a coup, the meters as a sum, and the steps of a win."""

import pytest
from msgspec.structs import replace
from sabot_protocol.jackpots.messages import MeterMessage, Meters, Win
from sabot_tools.text import jackpots

METERS = Meters(base=1_000_000, in_=75, display=1_000_025, hits=1, wins=50, overflow=0, reserve=0)
METER = MeterMessage(
    jackpot="lucky-tie", title="Lucky Tie", time="", entry=4, hash="", parameters="", version=1, currency="AUD",
    meters=METERS, balanced=True,
)  # fmt: skip
WIN = Win(
    win="u-9", table="bac-01", shoe=1, coup=2, outcome="non_coloured", percent=10, state="pending",
    value=1_000_050, rounded=1_000_100, prize=100_010, shares=[25_003, 75_007],
)  # fmt: skip


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (None, "AUD 10,000.25"),
        (1_000_025, "AUD 10,000.25"),
        (1_000_000, "AUD 10,000.25 (+0.25)"),
        (2_000_025, "AUD 10,000.25 (-10,000.00)"),
    ],
)
def test_the_meter_and_its_change(before: int | None, text: str) -> None:
    assert jackpots.meter(METER, before) == text


def test_the_meter_of_a_jackpot_in_trouble() -> None:
    trouble = replace(METER, balanced=False, not_offered={"bac-02": "malfunction", "bac\x1b": ""})
    assert (
        jackpots.meter(trouble, None)
        == "AUD 10,000.25 NOT BALANCED, not offered at bac-02, bac\N{REPLACEMENT CHARACTER}"
    )
    assert jackpots.meters(trouble).endswith(": NOT BALANCED, hits 1")


def test_the_meters_as_a_sum() -> None:
    assert jackpots.meters(METER) == ("base 10,000.00 + in 0.75 = display 10,000.25 + wins 0.50: balanced, hits 1")
    full = replace(METER, meters=replace(METERS, in_=105, overflow=10, reserve=20))
    assert jackpots.meters(full) == (
        "base 10,000.00 + in 1.05 = display 10,000.25 + wins 0.50 + overflow 0.10 + reserve 0.20: balanced, hits 1"
    )


def test_a_win() -> None:
    assert jackpots.hand(WIN) == "bac-01 shoe 1 coup 2, non coloured"
    assert jackpots.hand(replace(WIN, shoe=0, coup=0, seat="seat 7", outcome="drawn")) == "bac-01 seat 7, drawn"
    assert jackpots.prize(WIN, "AUD") == "value 10,000.50, rounded up 10,001.00, 10 %: prize 1,000.10"
    assert jackpots.shares(WIN, "AUD") == "250.03 + 750.07"
    assert jackpots.shares(replace(WIN, shares=[]), "AUD") == "none"
