"""Shares: rounding up before the per cent, and parts of a prize that add up to the last unit."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sabot_protocol.jackpots.shares import ShareError, prize, rounded_up, split

STAKES = st.lists(st.integers(1, 10**9), min_size=1, max_size=30)


def test_the_value_is_rounded_up_to_the_smallest_payable_amount() -> None:
    assert [rounded_up(value, 500) for value in (0, 1, 499, 500, 501)] == [0, 500, 500, 500, 1000]
    assert rounded_up(12_345, 1) == 12_345


def test_the_per_cent_is_of_the_rounded_value_and_its_fraction_stays() -> None:
    assert prize(10_001, 500, 8) == 840  # 8 % of 10,500; of 10,001 it would be 800
    assert prize(10_001, 100, 100) == 10_100
    assert prize(1_250, 10, 7) == 87  # 87.5


def test_a_per_cent_with_decimals_is_exact() -> None:
    assert prize(10_001, 500, "12.5") == 1_312  # of 10,500: 1,312.5
    assert prize(10**15, 1, "5.000001") == 50_000_010_000_000
    assert prize(3 * 10**15, 10**9, "33.333333") == 999_999_990_000_000


@pytest.mark.parametrize(
    ("amount", "stakes", "parts"),
    [
        (100, [1], [100]),
        (100, [1, 1, 1], [34, 33, 33]),
        (101, [5, 900, 5], [34, 34, 33]),
        (2, [1, 1, 1], [1, 1, 0]),
        (0, [1, 1], [0, 0]),
    ],
)
def test_equal_parts_for_each_wager(amount: int, stakes: list[int], parts: list[int]) -> None:
    assert split(amount, stakes, "equal") == parts


@pytest.mark.parametrize(
    ("amount", "stakes", "parts"),
    [
        (1000, [100, 300], [250, 750]),
        (10, [1, 1, 1], [4, 3, 3]),
        (100, [100, 200, 400], [14, 29, 57]),  # 14.29, 28.57, 57.14: the second has the largest remainder
        (5, [1, 1], [3, 2]),  # a tie of remainders: the earlier wager
        (7, [3, 1], [5, 2]),  # 5.25, 1.75
    ],
)
def test_parts_in_proportion_to_the_stakes(amount: int, stakes: list[int], parts: list[int]) -> None:
    assert split(amount, stakes, "proportional") == parts


@given(st.integers(0, 10**12), STAKES)
def test_parts_add_up_and_are_less_than_one_unit_from_exact(amount: int, stakes: list[int]) -> None:
    for parts, weights in (
        (split(amount, stakes, "proportional"), stakes),
        (split(amount, stakes, "equal"), [1] * len(stakes)),
    ):
        assert sum(parts) == amount
        exact = [Fraction(amount * weight, sum(weights)) for weight in weights]
        assert all(abs(part - wanted) < 1 for part, wanted in zip(parts, exact, strict=True))


@pytest.mark.parametrize(
    ("stakes", "sentence"), [([], "no qualifying wager"), ([100, 0], "stake 0"), ([-5], "stake -5"), ([True], "True")]
)
def test_nobody_to_pay_and_wrong_stakes_are_refused(stakes: list[int], sentence: str) -> None:
    with pytest.raises(ShareError, match=sentence):
        split(100, stakes, "equal")
