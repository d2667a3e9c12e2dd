"""Roulette, Three Card Baccarat, the Lucky Tie, and money."""

from collections import Counter
from fractions import Fraction

import pytest
from sabot_protocol import rulebooks
from sabot_protocol.wagers import facts, lucky_tie, money, roulette, three_card
from sabot_protocol.wagers.table import Settings, Table, check_offer, check_whole_offer

RAPID = rulebooks.load("star-rapid").roulette
CROWN = rulebooks.load("crown-baccarat")
NZ = rulebooks.load("nz-baccarat")
STAR = rulebooks.load("star-baccarat")
PREMIUM = rulebooks.load("star-premium")
THREE = Table(CROWN, Settings.of(CROWN, {"game": "three_card"}))


def spin(number: int) -> dict[str, Fraction]:
    assert RAPID is not None
    return {name: settled.odds for name, settled in roulette.settle(RAPID, number).items()}


def test_the_layout_has_every_wager_once() -> None:
    kinds = Counter(kind for kind, _ in roulette.layout().values())
    assert kinds == {
        "straight": 37, "split": 60, "street": 14, "corner": 23, "six_line": 11, "column": 3, "dozen": 3,
        "low": 1, "high": 1, "even": 1, "odd": 1, "red": 1, "black": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("split_0_3", {0, 3}), ("split_1_2", {1, 2}), ("split_33_36", {33, 36}), ("street_0_2_3", {0, 2, 3}),
        ("street_34_35_36", {34, 35, 36}), ("corner_0_1_2_3", {0, 1, 2, 3}), ("corner_32_33_35_36", {32, 33, 35, 36}),
        ("six_line_31_32_33_34_35_36", {31, 32, 33, 34, 35, 36}), ("column_1", set(range(1, 37, 3))),
        ("dozen_3", set(range(25, 37))), ("low", set(range(1, 19))), ("high", set(range(19, 37))),
        ("even", set(range(2, 37, 2))), ("odd", set(range(1, 37, 2))),
    ],
)  # fmt: skip
def test_what_a_wager_covers(name: str, numbers: set[int]) -> None:
    assert {number for number in range(37) if spin(number)[name] > 0} == numbers


def test_no_wager_covers_a_number_that_is_not_on_the_wheel() -> None:
    for name, (_, numbers) in roulette.layout().items():
        assert numbers <= set(range(37)), name


def test_an_announced_wager_wins_when_a_piece_of_it_does() -> None:
    assert RAPID is not None
    hit, missed = roulette.settle(RAPID, 5)["tier"], roulette.settle(RAPID, 1)["tier"]
    assert (hit.result, hit.outcome, hit.rule) == ("win", "win", "5.2.1")
    assert (missed.result, missed.outcome, missed.rule) == ("lose", "lose", "5.2.1")


def test_numbers_that_are_not_neighbours_are_no_split() -> None:
    assert not {"split_3_4", "split_0_4", "split_25_29", "corner_3_4_6_7", "street_0_1_3"} & set(roulette.layout())


def test_colours() -> None:
    assert sum(spin(number)["red"] > 0 for number in range(37)) == 18
    assert [spin(number)["red"] for number in (0, 1, 2, 10, 11, 18, 19, 28, 29, 36)] == [
        -1,
        1,
        -1,
        -1,
        -1,
        1,
        1,
        -1,
        -1,
        1,
    ]
    assert all(spin(number)["red"] == -spin(number)["black"] for number in range(1, 37))
    # On every wheel: odd is red up to 10 and from 19 to 28, even is red from 11 to 18 and from 29 on.
    for number in range(1, 37):
        odd_is_red = number <= 10 or 19 <= number <= 28
        assert (spin(number)["red"] > 0) == (number % 2 == 1 if odd_is_red else number % 2 == 0), number


def test_zero_takes_all_but_its_own() -> None:
    winners = {name for name, odds in spin(0).items() if odds > 0}
    assert winners == {
        "straight_0", "split_0_1", "split_0_2", "split_0_3", "street_0_1_2", "street_0_2_3", "corner_0_1_2_3",
        "grand_series", "zero_spiel",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("number", "name", "odds"),
    [
        (5, "tier", Fraction(17 - 5, 6)),
        (17, "orphelins", Fraction(17 + 17 - 3, 5)),
        (1, "orphelins", Fraction(35 - 4, 5)),
        (0, "grand_series", Fraction(11 + 11 - 7, 9)),
        (26, "grand_series", Fraction(8 + 8 - 7, 9)),
        (4, "grand_series", Fraction(17 - 8, 9)),
        (26, "zero_spiel", Fraction(35 - 3, 4)),
        (0, "zero_spiel", Fraction(17 - 3, 4)),
        (1, "tier", Fraction(-1)),
    ],
)
def test_announced_wagers_are_the_sum_of_their_pieces(number: int, name: str, odds: Fraction) -> None:
    assert spin(number)[name] == odds


def test_tier_orphelins_and_grand_series_cover_the_wheel_once() -> None:
    for number in range(37):
        assert sum(spin(number)[name] > 0 for name in ("tier", "orphelins", "grand_series")) == 1


@pytest.mark.parametrize(
    ("player", "dealer", "nets"),
    [
        ("9S KD QC", "8H KC TC", {"three_card": "1", "tie": "-1", "three_pictures": "5"}),
        ("6S KD QC", "5H KC TC", {"three_card": "1/2"}),
        ("6S KD QC", "6H KC TC", {"three_card": "0", "tie": "8"}),
        ("7S KD QC", "9H KC TC", {"three_card": "-1", "tie": "-1"}),
        ("JS KD QC", "9H KC TC", {"three_card": "1", "three_pictures": "20"}),
        ("JS KD QC", "TH KC TC", {"three_card": "1", "tie": "-1", "three_pictures": "20"}),
        ("TS TD QC", "JH KC QD", {"three_card": "-1", "tie": "-1", "three_pictures": "-1"}),
        ("JS KD QC", "JH KC QD", {"three_card": "0", "tie": "8"}),
        ("TS KD 5C", "TH KC 5D", {"three_card": "0", "tie": "8", "three_pictures": "-1"}),
        ("6S TD TC", "6H KC TC", {"three_pictures": "-1"}),
        ("6S 7D KC", "3H KC TC", {"three_card": "0", "tie": "8"}),
        ("9S 9D 9C", "6H KC TC", {"three_card": "1", "tie": "-1"}),
    ],
)
def test_three_card_baccarat(player: str, dealer: str, nets: dict[str, str]) -> None:
    settled = THREE.settle_three_card(three_card.hand(player.split()), three_card.hand(dealer.split()))
    assert {name: str(settled[name].odds) for name in nets} == nets


@pytest.mark.parametrize(
    ("cards", "first", "second"),
    [
        ("8S 8S 8S 8S", ("suited", [100, 100]), ("suited", [100, 100])),
        ("8S 8C 8S 8C", ("coloured", [5, 20]), ("non_suited", [1, 20])),
        ("8H 8D 8D 8D", ("coloured", [5, 20]), ("non_suited", [1, 20])),
        ("8H 8D 8D 8C", ("non_coloured", [1, 10]), ("non_suited", [1, 20])),
    ],
)
def test_lucky_tie(cards: str, first: tuple[str, list[int]], second: tuple[str, list[int]]) -> None:
    one, two, three, four = cards.split()
    found = lucky_tie.outcomes(CROWN.jackpot["lucky_tie"], [one, two], [three, four])
    wanted = {"option_1": first, "option_2": second, "option_3": ("lucky_tie", [100, 100])}
    assert found == {name: {"outcome": outcome, "percent_range": span} for name, (outcome, span) in wanted.items()}


def test_a_tie_of_eights_with_other_cards_is_no_lucky_tie() -> None:
    assert set(lucky_tie.outcomes(CROWN.jackpot["lucky_tie"], ["8S", "KS"], ["8S", "KD"]).values()) == {None}


def test_next_highest_amount() -> None:
    assert money.pay(STAR, 10_000, Fraction(19, 20), 500) == 9_500
    assert money.pay(STAR, 2_500, Fraction(19, 20), 500) == 2_500  # 23.75 in chips of 5 is paid as 25
    assert money.pay(CROWN, 500, Fraction(1, 2), 500) == 500


@pytest.mark.parametrize(("stake", "valid"), [(10_000, 10_000), (12_500, 10_000), (2_500, 0), (9_999, 0)])
def test_new_zealand_voids_what_cannot_be_paid(stake: int, valid: int) -> None:
    assert money.valid_stake(NZ, stake, Fraction(19, 20), 500) == valid
    assert money.pay(NZ, valid, Fraction(19, 20), 500) * 20 == valid * 19
    for book in (STAR, CROWN):
        assert money.valid_stake(book, stake, Fraction(19, 20), 500) == stake


@pytest.mark.parametrize("odds", [Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(8), Fraction(0)])
def test_new_zealand_voids_nothing_that_pays_no_commission(odds: Fraction) -> None:
    """5.11, 13.4 and the additional wagers: 5.12 speaks of 1 to 1 less commission."""
    assert money.valid_stake(NZ, 1_501, odds, 500) == 1_501
    assert money.pay(NZ, 1_500, odds, 500) == 1_500 * odds


def test_crown_extra_commission_is_on_the_excess_only() -> None:
    differential = CROWN.money.differential
    assert differential is not None
    assert (differential.commission, differential.clause) == ("1/40", "6.5")
    for stake, odds, win in (
        (100_000, Fraction(19, 20), 95_000 - 1_000),
        (100_000, Fraction(1), 100_000 - 1_000),
        (60_000, Fraction(19, 20), 57_000),
        (50_000, Fraction(19, 20), 47_500),
        (100_000, Fraction(0), 0),
        (100_000, Fraction(-1), -100_000),
    ):
        assert stake * money.odds_above(differential, stake, 60_000, odds) == win


def test_an_ante_is_at_most_an_eighth_of_the_minimum() -> None:
    ante = NZ.money.ante
    assert ante is not None
    assert money.ante_allowed(ante, 1_250, 10_000)
    assert not money.ante_allowed(ante, 1_251, 10_000)
    assert not money.ante_allowed(ante, 0, 10_000)
    assert money.ante_allowed(ante, 1, 10_000)


def paid(book: rulebooks.Rulebook, game: str, hands: str, *values: object) -> dict[str, tuple[int, int]]:
    """Payments on a coup of these hands; `values` are stakes, chip and differential."""
    table = Table(book, Settings.of(book, {"game": game}))
    player, banker = (hand.split() for hand in hands.split(" v "))
    found = money.payments(table, table.settle(facts.coup_facts(player, banker)), *values)  # type: ignore[arg-type]
    return {name: (payment.net_cents, payment.void_cents) for name, payment in found.items()}


def test_payments_on_a_coup() -> None:
    """Paid in chips by the house's rule, collected in full, returned where the wager never opened."""
    stakes = {"player": 1_000, "banker": 12_500, "tie": 700}
    assert paid(STAR, "baccarat", "4S KD 2C v 7H KC", stakes, 500) == {
        "player": (-1_000, 0), "banker": (12_000, 0), "tie": (-700, 0)
    }  # fmt: skip
    assert paid(NZ, "standard", "4S KD 2C v 7H KC", {"banker": 12_500}, 500) == {"banker": (9_500, 2_500)}
    assert paid(STAR, "baccarat", "4S KD 2C v 7H KC", {"banker": 20}) == {"banker": (19, 0)}
    assert paid(CROWN, "traditional", "4S KD 2C v 7H KC", {"shield_player": 5}) == {"shield_player": (0, 5)}


def test_the_differential_is_for_player_and_banker_wins_in_its_games() -> None:
    banker, tie = "4S KD 2C v 7H KC", "6S KD v 6H KC"
    stakes = {"player": 100_000, "banker": 100_000, "tie": 100_000}
    assert paid(CROWN, "traditional", banker, stakes, 1, 60_000) == {
        "player": (-100_000, 0), "banker": (94_000, 0), "tie": (-100_000, 0)
    }  # fmt: skip
    assert paid(CROWN, "traditional", tie, stakes, 1, 60_000)["tie"] == (800_000, 0)
    for book, game, clause in ((CROWN, "crown", r" \(6\.5\)"), (STAR, "baccarat", "")):
        with pytest.raises(money.MoneyError, match=f"differential: game {game} of {book.id} has none{clause}; leave"):
            paid(book, game, banker, {"banker": 5}, 1, 3)


@pytest.mark.parametrize(
    ("stakes", "chip", "error"),
    [
        ({"owl": 5}, 1, "stakes.owl: game traditional of crown-baccarat has no such wager"),
        ({"tie": 0}, 1, "stakes.tie: 0 is not a stake; it must be above 0"),
        ({"tie": -5}, 1, "stakes.tie: -5 is not a stake; it must be above 0"),
        ({"tie": 5}, 0, "chip: 0 is not the value of a chip; it must be above 0"),
    ],
)
def test_stakes_that_cannot_be_settled(stakes: dict[str, int], chip: int, error: str) -> None:
    with pytest.raises(money.MoneyError) as refused:
        paid(CROWN, "traditional", "4S KD 2C v 7H KC", stakes, chip)
    assert str(refused.value) == error


def test_ante_up() -> None:
    assert money.ante_up(10_000, Fraction(1), 500) == 9_500
    assert money.ante_up(10_000, Fraction(-1), 500) == -10_500
    assert money.ante_up(10_000, Fraction(1), 0) is None
    assert money.ante_up(10_000, Fraction(1), 0, waived=True) == 10_000


@pytest.mark.parametrize(
    ("book", "chosen", "decks", "wagers", "error"),
    [
        (STAR, {}, 3, ["player", "tiger"], "wager tiger: needs 6 or 8 decks, not 3 (clause 3.1)"),
        (STAR, {}, 5, [], "decks = 5: star-baccarat allows 3, 4, 6, 8 (clause 3.1)"),
        (CROWN, {}, 6, ["crown_pair_player"], "wager crown_pair_player: needs 8 decks, not 6 (clause 3.1.1)"),
        (CROWN, {"game": "tie"}, 8, ["shield_banker"],
         "wager shield_banker: unknown in game tie of crown-baccarat"),
        (CROWN, {"game": "lucky_chase"}, 8, ["tie"], "wager tie: unknown in game lucky_chase of crown-baccarat"),
        (
            NZ, {}, 8, ["any_pair_player", "perfect_pair_banker"],
            "wagers any_pair_player and perfect_pair_banker: a table offers one or the other (11C.2)",
        ),
        (
            NZ, {"game": "ez"}, 8, ["lucky_match_player", "perfect_pair_player"],
            "wagers lucky_match_player and perfect_pair_player: a table offers one or the other (11D.2)",
        ),
        (PREMIUM, {"game": "tie_premium"}, 4, ["pair_banker"],
         "wager pair_banker: needs 6 or 8 decks, not 4 (clause 3.1)"),
        (
            CROWN, {"game": "zero_commission"}, 8, ["tie"],
            "game zero_commission: crown-baccarat offers it only in a tournament (clause 1.1), and tables for "
            "tournaments are not supported yet; choose another game",
        ),
        (
            CROWN, {}, 8, ["one_one_two_pair", "tie", "pair_player"],
            "wager one_one_two_pair: offer pair_banker too, of which it consists (clause 1.1)",
        ),
        (CROWN, {}, 8, ["run_owl"], "wager run_owl: unknown in game traditional of crown-baccarat"),
        (CROWN, {"game": "lucky_chase"}, 8, ["run_player"],
         "wager run_player: unknown in game lucky_chase of crown-baccarat"),
    ],
)  # fmt: skip
def test_an_offer_that_the_book_forbids(
    book: rulebooks.Rulebook, chosen: dict[str, str], decks: int, wagers: list[str], error: str
) -> None:
    assert check_offer(book, Settings.of(book, chosen), decks, wagers) == [error]


def test_an_allowed_offer() -> None:
    assert check_offer(STAR, Settings.of(STAR, {}), 3, ["player", "banker", "tie", "super_six"]) == []
    assert check_offer(NZ, Settings.of(NZ, {}), 6, ["any_pair_player", "any_pair_banker", "dragon_7"]) == []
    crown = ["one_one_two_pair", "tie", "pair_player", "pair_banker", "run_player", "run_tie_3"]
    assert check_offer(CROWN, Settings.of(CROWN, {}), 8, [*crown, "dragon_tail_banker_late"]) == []


@pytest.mark.parametrize(
    ("book", "game", "decks", "error"),
    [
        (STAR, "baccarat", 3, "wager pair_player: needs 6 or 8 decks, not 3 (clause 3.1), and 6 more"),
        (STAR, "even_money", 4, "wager pair_player: needs 6 or 8 decks, not 4 (clause 3.1), and 6 more"),
        (STAR, "baccarat", 6, ""),
        (STAR, "even_money", 8, ""),
        (PREMIUM, "premium", 3, "wager pair_player: needs 6 or 8 decks, not 3 (clause 3.1), and 6 more"),
        (PREMIUM, "tie_premium", 4, "wager pair_player: needs 6 or 8 decks, not 4 (clause 3.1), and 6 more"),
        (PREMIUM, "premium_even_money", 8, ""),
        *(
            (NZ, game, 8, "wagers any_pair_player and lucky_match_banker: a table offers one or the other (11C.2)")
            for game in NZ.game
        ),
        (CROWN, "traditional", 6, "wager crown_pair_player: needs 8 decks, not 6 (clause 3.1.1), and 2 more"),
        (CROWN, "tie", 7, "wager crown_pair_player: needs 8 decks, not 7 (clause 3.1.1), and 2 more"),
        (CROWN, "traditional", 8, ""),
        (CROWN, "lucky_chase", 4, ""),
        (CROWN, "three_card", 1, ""),
        (rulebooks.load("star-rapid"), "baccarat", 8, ""),
    ],
)
def test_a_table_that_names_no_wagers_offers_all_of_its_game(
    book: rulebooks.Rulebook, game: str, decks: int, error: str
) -> None:
    found = check_whole_offer(book, Settings.of(book, {"game": game}), decks)
    assert (error in found) if error else (found == "")
    assert "list those of this table: wagers = [" in found or not error


@pytest.mark.parametrize(
    ("chosen", "error"),
    [
        ({"game": "poker"}, "game = poker: star-baccarat allows baccarat, even_money"),
        ({"tiger_option": "1"}, "unknown option 'tiger_option': star-baccarat has game"),
    ],
)
def test_settings_that_do_not_exist(chosen: dict[str, str], error: str) -> None:
    with pytest.raises(rulebooks.RulebookError) as refused:
        Settings.of(STAR, chosen)
    assert str(refused.value) == error


def test_an_option_out_of_range_names_what_is_allowed() -> None:
    with pytest.raises(rulebooks.RulebookError, match="tie_percent_player = 11: crown-baccarat allows 1, 2, 3"):
        Settings.of(CROWN, {"tie_percent_player": "11"})
