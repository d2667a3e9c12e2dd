"""Money: what each book rounds, and which stakes it does not accept; every case from the printed rules."""

from collections.abc import Mapping
from fractions import Fraction

import pytest
from sabot_protocol import rulebooks
from sabot_protocol.wagers import facts, money
from sabot_protocol.wagers.money import Limits, MoneyError, Payment
from sabot_protocol.wagers.table import Settings, Table

STAR, PREMIUM, NZ, CROWN, RAPID = (
    rulebooks.load(book) for book in ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")
)
COMMISSION, HALF = Fraction(19, 20), Fraction(1, 2)
BANKER_WINS = facts.coup_facts(["4S", "KD", "2C"], ["7H", "KC"])  # 6 to 7
BANKER_LEADS = facts.coup_facts(["2S", "3H", "4S"], ["6H", "KC"])  # Player 5 draws a 4: 9 to 6
PLAYER_LEADS = facts.coup_facts(["6S", "KH"], ["2H", "KC", "4D"])  # Player stands on 6, Banker 2 draws to 6


def pay(
    book: rulebooks.Rulebook, game: str, coup: facts.Facts, stakes: Mapping[str, int], **more: int
) -> dict[str, Payment]:
    table = Table(book, Settings.of(book, {"game": game}))
    limits = Limits(more.pop("minimum", None), more.pop("maximum", None))
    given = {f"{name}_cents": value for name, value in more.items()}
    return money.payments(table, table.settle(coup), stakes, limits=limits, **given)


# Rounding


@pytest.mark.parametrize("book", [STAR, PREMIUM, CROWN])  # 000 5.8, 001 5.8, 003 6.3.3: the next highest amount
@pytest.mark.parametrize(
    ("stake", "odds", "chip", "paid"),
    [
        (2_500, COMMISSION, 500, 2_500),  # 23.75 in chips of 5
        (10_000, COMMISSION, 500, 9_500),  # exactly
        (1_020, COMMISSION, 100, 1_000),  # 9.69 in chips of 1
        (130, COMMISSION, 1, 124),  # 1.235
        (125, HALF, 1, 63),  # 0.625
        (2, COMMISSION, 1, 2),
        (100, Fraction(8), 500, 1_000),
    ],
)
def test_a_payment_is_made_to_the_next_highest_amount(
    book: rulebooks.Rulebook, stake: int, odds: Fraction, chip: int, paid: int
) -> None:
    assert money.pay(book, stake, odds, chip) == paid


@pytest.mark.parametrize("book", [STAR, PREMIUM, NZ, CROWN, RAPID])
def test_a_loss_is_collected_in_full_and_a_stand_off_pays_nothing(book: rulebooks.Rulebook) -> None:
    assert [money.pay(book, 130, Fraction(odds), 500) for odds in (-1, 0)] == [-130, 0]


@pytest.mark.parametrize(
    ("stake", "odds", "paid"),
    [(125, HALF, 63), (1, HALF, 1), (3, Fraction(3, 2), 5), (126, HALF, 63), (120, COMMISSION, 114)],
)
def test_new_zealand_pays_half_a_cent_as_a_whole_one(stake: int, odds: Fraction, paid: int) -> None:
    """A-65: 5.13 is about Banker wagers at 1 to 1 less commission only."""
    assert money.pay(NZ, stake, odds, 500) == paid


@pytest.mark.parametrize(
    ("stake", "odds", "unit", "paid"),
    [
        (2_000, COMMISSION, 1, 1_900),
        (2_000, COMMISSION, 100, 1_900),
        (100, HALF, 50, 50),
        (700, Fraction(8), 100, 5_600),
    ],
)
def test_the_rapid_credits_winnings_exactly(stake: int, odds: Fraction, unit: int, paid: int) -> None:
    assert money.pay(RAPID, stake, odds, unit) == paid


@pytest.mark.parametrize(("stake", "odds", "unit"), [(25, COMMISSION, 1), (125, HALF, 1), (2_500, COMMISSION, 100)])
def test_the_rapid_has_no_clause_that_rounds(stake: int, odds: Fraction, unit: int) -> None:
    with pytest.raises(MoneyError, match=r"star-rapid rounds nothing \(8\.2\.3\)"):
        money.pay(RAPID, stake, odds, unit)


def test_a_stake_that_cannot_be_credited_is_named() -> None:
    with pytest.raises(MoneyError, match=r"stakes\.banker: 95/4 cannot be credited in units of 1"):
        pay(RAPID, "baccarat", BANKER_WINS, {"banker": 25})


def test_the_smallest_stake_and_the_smallest_chip_are_one_cent() -> None:
    assert pay(STAR, "baccarat", BANKER_WINS, {"player": 1}, chip=1) == {"player": Payment(-1, 0)}
    assert pay(STAR, "baccarat", BANKER_WINS, {"banker": 1}, chip=1) == {"banker": Payment(1, 0)}


# Wagers that need another one


@pytest.mark.parametrize(
    ("book", "game", "coup", "wager", "main", "clause"),
    [
        (CROWN, "traditional", PLAYER_LEADS, "shield_player", "player", "5.8.1(b), 5.9.1"),
        (CROWN, "crown", BANKER_LEADS, "insurance_no_6", "player or banker", "1.1"),
        (NZ, "standard", PLAYER_LEADS, "insurance2_player", "player", "11H.2"),
    ],
)
def test_a_wager_that_needs_another_one(
    book: rulebooks.Rulebook, game: str, coup: facts.Facts, wager: str, main: str, clause: str
) -> None:
    for stakes in ({wager: 100}, {wager: 100, "tie": 500}):
        with pytest.raises(MoneyError) as refused:
            pay(book, game, coup, stakes)
        assert str(refused.value).startswith(f"stakes.{wager}: it needs a wager on {main} ({clause})")
    first = main.split()[0]
    with pytest.raises(MoneyError) as refused:
        pay(book, game, coup, {wager: 101, first: 100})
    assert str(refused.value) == f"stakes.{wager}: 101 is above the wager on {main}, 100 ({clause})"
    assert pay(book, game, coup, {wager: 100, first: 100})[wager].void_cents == 0


def test_the_other_hand_does_not_open_a_shield() -> None:
    with pytest.raises(MoneyError, match=r"stakes\.shield_player: it needs a wager on player"):
        pay(CROWN, "traditional", PLAYER_LEADS, {"shield_player": 100, "banker": 100})


def test_insurance_is_up_to_the_higher_of_both_wagers() -> None:
    assert pay(CROWN, "crown", BANKER_LEADS, {"insurance_no_6": 200, "player": 100, "banker": 200})


def test_insurance_is_on_the_part_of_a_banker_wager_that_is_valid() -> None:
    """New Zealand 5.13, 11H.2: of 130 in chips of 1, 120 is a wager; of 19 nothing is."""
    paid = pay(NZ, "standard", BANKER_LEADS, {"banker": 130, "insurance2_banker": 120})
    assert paid["insurance2_banker"] == Payment(360, 0)  # 11H.4(f)
    for banker, insurance, why in ((130, 121, "121 is above the wager on banker, 120"), (19, 1, "it needs a wager on")):
        with pytest.raises(MoneyError, match=rf"stakes\.insurance2_banker: {why}"):
            pay(NZ, "standard", BANKER_LEADS, {"insurance2_banker": insurance, "banker": banker})
    assert pay(NZ, "ez", BANKER_LEADS, {"banker": 130, "insurance2_banker": 130})


def test_a_shield_above_its_limited_wager_is_limited_too() -> None:
    paid = pay(CROWN, "traditional", PLAYER_LEADS, {"player": 200, "shield_player": 150}, maximum=100)
    assert paid["shield_player"].void_cents == 50


def test_a_wager_that_never_opened_is_void_whatever_is_beside_it() -> None:
    assert pay(CROWN, "traditional", BANKER_WINS, {"shield_player": 100}) == {"shield_player": Payment(0, 100)}


# Wagers that are not beside each other


def test_new_zealand_offers_one_kind_of_pair() -> None:
    with pytest.raises(MoneyError) as refused:
        pay(NZ, "standard", BANKER_WINS, {"perfect_pair_player": 100, "any_pair_banker": 100})
    clause = next(wager.excludes_clause for wager in NZ.wagers("standard") if wager.id == "perfect_pair_player")
    assert "a table that offers any_pair_banker does not offer it" in str(refused.value)
    assert clause in str(refused.value)
    assert "11A.1A" in clause


# The differential


def test_a_differential_is_not_below_0() -> None:
    for differential in (-1, -60_000):
        with pytest.raises(MoneyError, match=rf"differential: {differential} is below 0 \(6\.5\)"):
            pay(CROWN, "traditional", BANKER_WINS, {"banker": 100}, differential=differential)
    assert pay(CROWN, "traditional", BANKER_WINS, {"banker": 1_000}, differential=0) == {"banker": Payment(925, 0)}


@pytest.mark.parametrize(("differential", "net"), [(100_000, 95_000), (60_000, 94_000), (99_999, 95_000)])
def test_the_extra_commission_is_on_the_excess(differential: int, net: int) -> None:
    """6.5.1: 5 % of all and 2.5 % of the excess; one cent of excess costs less than a cent, paid up (6.3.3)."""
    found = pay(CROWN, "traditional", BANKER_WINS, {"banker": 100_000}, differential=differential)
    assert found == {"banker": Payment(net, 0)}


def test_the_excess_is_that_of_the_part_that_counts() -> None:
    """6.3.2, 6.5.1: of 150,000 at a maximum of 100,000, 40,000 are above a differential of 60,000."""
    found = pay(CROWN, "traditional", BANKER_WINS, {"banker": 150_000}, maximum=100_000, differential=60_000)
    assert found == {"banker": Payment(94_000, 50_000)}


# Limits that are found to be broken after wagers closed


@pytest.mark.parametrize(
    ("book", "game", "net", "void"),
    [
        (STAR, "baccarat", -300, 100),  # 6.5: collected to the maximum
        (PREMIUM, "premium", -400, 0),  # 6.3: valid
        (CROWN, "traditional", -300, 100),  # 6.3.2
        (RAPID, "baccarat", -300, 100),  # 6.3: the terminal never debits the rest
    ],
)
def test_a_stake_above_the_maximum(book: rulebooks.Rulebook, game: str, net: int, void: int) -> None:
    assert pay(book, game, BANKER_WINS, {"player": 400}, maximum=300) == {"player": Payment(net, void)}
    assert pay(book, game, BANKER_WINS, {"player": 300}, maximum=300) == {"player": Payment(-300, 0)}


@pytest.mark.parametrize(
    ("book", "game", "net", "void"),
    [
        (STAR, "baccarat", -99, 0),  # 6.4: valid
        (PREMIUM, "premium", -99, 0),  # 6.4
        (CROWN, "traditional", -99, 0),  # 6.3.1: paid or collected
        (RAPID, "baccarat", 0, 99),  # 6.2: rejected and credited back
    ],
)
def test_a_stake_below_the_minimum(book: rulebooks.Rulebook, game: str, net: int, void: int) -> None:
    assert pay(book, game, BANKER_WINS, {"player": 99}, minimum=100) == {"player": Payment(net, void)}
    assert pay(book, game, BANKER_WINS, {"player": 100}, minimum=100) == {"player": Payment(-100, 0)}


def test_a_table_may_take_one_stake_only() -> None:
    assert pay(STAR, "baccarat", BANKER_WINS, {"player": 100}, minimum=100, maximum=100) == {"player": Payment(-100, 0)}
    with pytest.raises(MoneyError, match="table_minimum: 101 is above table_maximum, 100"):
        pay(STAR, "baccarat", BANKER_WINS, {"player": 100}, minimum=101, maximum=100)


@pytest.mark.parametrize(("limit", "net"), [(1_199, 1_199), (1_200, 1_200), (1_201, 1_200)])
def test_a_limited_pay_out_is_at_most_the_limit(limit: int, net: int) -> None:
    """New Zealand 17.8: Tiger pays 12 to 1 for a winning six of two cards, unless the table limits it."""
    table = Table(NZ, Settings.of(NZ, {}))
    settled = table.settle(facts.coup_facts(["2S", "3H", "KS"], ["6H", "KC"]))
    assert money.payments(table, settled, {"tiger": 100}, limits=Limits(payouts_cents={"tiger": limit})) == {
        "tiger": Payment(net, 0)
    }
