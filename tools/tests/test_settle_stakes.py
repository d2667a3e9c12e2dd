"""sabot settle: stakes of a coup: what is paid, collected and void, and what no book permits."""

from typing import Any

import pytest
from test_settle import answers

BANKER_WINS = ["4S", "7H", "KD", "KC", "2C"]  # 6 to 7


def paid(book: str, game: str, **money: object) -> dict[str, Any]:
    line = {"id": 0, "stock": BANKER_WINS} | money
    (answer,) = answers("--rulebook", book, "--set", f"game={game}", lines=[line])
    return answer


def test_stakes_are_paid_in_chips_by_the_house_rule() -> None:
    stakes = {"banker": 12_500, "player": 1_000, "tie": 700}
    star = paid("star-baccarat", "baccarat", stakes=stakes, chip=500)["payments"]
    assert star == {  # 118.75 is paid to the next highest amount
        "banker": {"net": 12_000, "void": 0}, "player": {"net": -1_000, "void": 0}, "tie": {"net": -700, "void": 0}
    }  # fmt: skip
    nz = paid("nz-baccarat", "standard", stakes={"banker": 12_500}, chip=500)["payments"]
    assert nz == {"banker": {"net": 9_500, "void": 2_500}}


# New Zealand 5.12, 5.13: the part that could not be paid at 19 to 20 is void whatever becomes of the wager.
LOST, TIED, SIX = ["9S", "2H", "KD", "3C"], ["6S", "6H", "KD", "KC"], ["2S", "6H", "3D", "KC", "KS"]


@pytest.mark.parametrize(
    ("stock", "stake", "chip", "net", "void"),
    [
        (LOST, 130, 1, -120, 10),
        (TIED, 130, 1, 0, 10),
        (BANKER_WINS, 130, 1, 114, 10),
        (LOST, 12_500, 500, -10_000, 2_500),
        (LOST, 19, 1, 0, 19),  # nothing of it could be paid
        (LOST, 120, 1, -120, 0),
    ],
)
def test_what_could_not_be_paid_is_void_when_the_banker_loses_too(
    stock: list[str], stake: int, chip: int, net: int, void: int
) -> None:
    answer = paid("nz-baccarat", "standard", stock=stock, stakes={"banker": stake, "player": 130}, chip=chip)
    assert answer["payments"]["banker"] == {"net": net, "void": void}
    assert answer["payments"]["player"]["void"] == 0  # 5.12 speaks of the Banker's Hand only


@pytest.mark.parametrize(("stock", "odds"), [(LOST, -1), (TIED, 0), (BANKER_WINS, 1), (SIX, 0.5)])
@pytest.mark.parametrize("stake", [130, 12_500, 30])
def test_nothing_is_void_where_the_banker_six_pays_half(stock: list[str], odds: float, stake: int) -> None:
    """New Zealand 5.11; 13.4 likewise, where a tie loses (13.2)."""
    for game, at in (("banker6_half", odds), ("two_to_one_b6", odds or -1), ("ez", 1 if odds > 0 else odds)):
        answer = paid("nz-baccarat", game, stock=stock, stakes={"banker": stake}, chip=20)
        assert answer["payments"] == {"banker": {"net": at * stake, "void": 0}}, game


def test_half_a_cent_is_paid_to_the_next_whole_one() -> None:
    """A-65: New Zealand's 5.11 has no rule for it."""
    answer = paid("nz-baccarat", "banker6_half", stock=SIX, stakes={"banker": 125}, chip=25)
    assert answer["payments"] == {"banker": {"net": 63, "void": 0}}


@pytest.mark.parametrize(("book", "game"), [("star-baccarat", "baccarat"), ("crown-baccarat", "traditional")])
def test_the_other_books_collect_the_whole_stake_and_pay_up(book: str, game: str) -> None:
    """The Star 5.8, Crown 6.3.3: only a payment is rounded; nothing is ever void."""
    for stock, net in ((LOST, -130), (TIED, 0), (BANKER_WINS, 125)):
        answer = paid(book, game, stock=stock, stakes={"banker": 130}, chip=5)
        assert answer["payments"] == {"banker": {"net": net, "void": 0}}


@pytest.mark.parametrize("book", ["star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid"])
def test_stakes_are_paid_and_refused_on_a_line_without_an_id_too(book: str) -> None:
    lines: list[object] = [{"stock": BANKER_WINS, "stakes": stakes} for stakes in ({"banker": 200}, {"tie": -5})]
    paid_out, refused = answers("--rulebook", book, lines=lines)
    assert paid_out["payments"] == {"banker": {"net": 190, "void": 0}}
    assert "stakes.tie: -5 is not a stake" in refused["error"]
    (alone,) = answers("--rulebook", book, lines=[{"stock": BANKER_WINS, "chip": 5}])
    assert "chip: it is about stakes" in alone["error"]


def test_extra_commission_above_the_differential() -> None:
    answer = paid("crown-baccarat", "traditional", stakes={"banker": 100_000}, differential=60_000)
    assert answer["payments"] == {"banker": {"net": 94_000, "void": 0}}


def test_a_wager_that_never_opened_is_void_and_a_tie_pays_its_percentage() -> None:
    answer = paid("crown-baccarat", "traditional", stakes={"shield_player": 5_000})
    assert answer["payments"] == {"shield_player": {"net": 0, "void": 5_000}}
    tied = {"id": 0, "stock": ["6S", "6H", "KD", "KC"], "stakes": {"player": 10_000, "banker": 10_000}}
    (answer,) = answers(
        "--rulebook", "star-premium", "--set", "game=tie_premium", "--set", "tie_percent=7", lines=[tied]
    )
    assert answer["payments"] == {"player": {"net": 700, "void": 0}, "banker": {"net": 700, "void": 0}}


@pytest.mark.parametrize(
    ("money", "error"),
    [
        ({"stakes": {"owl": 5}}, "stakes.owl: game traditional of crown-baccarat has no such wager"),
        ({"stakes": {"tie": 0}}, "stakes.tie: 0 is not a stake"),
        ({"stakes": {"tie": 1.5}}, "stakes.tie: 1.5 is not a stake: give a whole number of minor units"),
        ({"stakes": {"tie": True}}, "stakes.tie: True is not a stake: give a whole number of minor units"),
        ({"stakes": [5]}, 'stakes: give each wager with its stake, such as {"player": 1000}'),
        ({"chip": 5}, "chip: it is about stakes; give stakes too"),
        ({"table_maximum": 5}, "table_maximum: it is about stakes; give stakes too"),
        (
            {"stakes": {"run_player_3": 5}},
            "stakes.run_player_3: more than one coup decides it",
        ),
        ({"stakes": {"tie": 5}, "table_minimum": 9, "table_maximum": 8}, "table_minimum: 9 is above table_maximum, 8"),
        (
            {"stakes": {"tie": 5}, "payouts": {"tie": 5}},
            "payouts.tie: crown-baccarat has no clause that limits",
        ),
        ({"stakes": {"tie": 5}, "chip": 0}, "chip: 0 is not the value of a chip"),
        ({"stakes": {"banker": 5}, "differential": -1}, "differential: -1 is below 0 (6.5)"),
        ({"stakes": {"tie": 5}, "table_maximum": 0}, "table_maximum"),
    ],
)
def test_stakes_that_are_refused(money: dict[str, object], error: str) -> None:
    assert error in paid("crown-baccarat", "traditional", **money)["error"]


def test_only_crown_has_a_differential() -> None:
    error = paid("star-baccarat", "baccarat", stakes={"tie": 5}, differential=3)["error"]
    assert "differential: game baccarat of star-baccarat has none; leave it out" in error
    error = paid("crown-baccarat", "crown", stakes={"tie": 5}, differential=3)["error"]
    assert "differential: game crown of crown-baccarat has none (6.5); leave it out" in error


PLAYER_LEADS = ["6S", "2H", "KH", "KC", "4D"]  # the Player stands on 6; the Banker draws to 6
BANKER_SIX = ["2S", "6H", "3H", "KC", "4S"]  # the Banker has 6, and the Player must draw


@pytest.mark.parametrize(
    ("book", "game", "stock", "stakes", "error"),
    [
        (
            "crown-baccarat", "traditional", PLAYER_LEADS, {"shield_player": 50},
            "stakes.shield_player: it needs a wager on player (5.8.1(b), 5.9.1)",
        ),
        (
            "crown-baccarat", "traditional", PLAYER_LEADS, {"shield_player": 150, "player": 100},
            "stakes.shield_player: 150 is above the wager on player, 100 (5.8.1(b), 5.9.1)",
        ),
        (
            "crown-baccarat", "crown", BANKER_SIX, {"insurance_no_6": 50},
            "stakes.insurance_no_6: it needs a wager on player or banker (1.1)",
        ),
        (
            "nz-baccarat", "standard", PLAYER_LEADS, {"insurance2_player": 50, "banker": 100},
            "stakes.insurance2_player: it needs a wager on player (11H.2)",
        ),
        ("star-rapid", "baccarat", BANKER_WINS, {"banker": 25}, "star-rapid rounds nothing (8.2.3)"),
        (
            "crown-baccarat", "lucky_chase", BANKER_WINS, {"tie": 5},
            "stakes.tie: game lucky_chase of crown-baccarat has no such wager (11.2.1(a))",
        ),
    ],
)  # fmt: skip
def test_a_stake_that_the_book_does_not_permit_is_refused_with_its_clause(
    book: str, game: str, stock: list[str], stakes: dict[str, int], error: str
) -> None:
    assert error in paid(book, game, stock=stock, stakes=stakes)["error"]


def test_a_wager_that_needs_other_decks_takes_no_stake() -> None:
    line = {"id": 0, "stock": BANKER_WINS, "stakes": {"crown_pair_player": 100}}
    (answer,) = answers("--rulebook", "crown-baccarat", "--decks", "6", lines=[line])
    assert answer["error"] == "line 1: stakes.crown_pair_player: it needs 8 decks, not 6 (3.1.1)"


def test_no_lucky_tie_where_no_tie_may_be_wagered() -> None:
    """Crown 11.2.1(a): Lucky Chase permits no side wager, Tie among them; 13.4.6(a): a Lucky Tie is for Tie wagers."""
    line = {"id": 0, "stock": ["8S", "8S", "8C", "8C"], "jackpot": "lucky_tie"}
    (refused,) = answers("--rulebook", "crown-baccarat", "--set", "game=lucky_chase", lines=[line])
    assert refused["error"] == (
        "line 1: jackpot: lucky_tie is for players with a wager on tie, and game lucky_chase has none "
        "(11.2.1(a), 13.4.6(a))"
    )
    for game in ("traditional", "crown", "two_to_one", "tie"):
        (answer,) = answers("--rulebook", "crown-baccarat", "--set", f"game={game}", lines=[line])
        assert answer["option_3"] == {"outcome": "lucky_tie", "percent_range": [100, 100]}


def test_stakes_outside_the_limits_of_the_table() -> None:
    """The Star 6.5: paid or collected to the maximum; Premium 6.3: valid; Rapid 6.2: rejected."""
    star = paid("star-baccarat", "baccarat", stakes={"banker": 500}, table_maximum=400)
    assert star["payments"] == {"banker": {"net": 380, "void": 100}}
    premium = paid("star-premium", "premium", stakes={"banker": 500}, table_maximum=400)
    assert premium["payments"] == {"banker": {"net": 475, "void": 0}}
    rapid = paid("star-rapid", "baccarat", stakes={"banker": 500}, table_minimum=600)
    assert rapid["payments"] == {"banker": {"net": 0, "void": 500}}


TIGER = ["2S", "6H", "3H", "KC", "KS"]  # Banker wins with six in two cards: Tiger at 12, Small Tiger at 22
TRIPLE = ["2S", "7H", "2S", "KC", "2S"]  # Player has three cards alike: Lucky Triple Match at 100


@pytest.mark.parametrize(
    ("stock", "wager", "limit", "net"),
    [
        (TIGER, "tiger", 1_199, 1_199),  # 17.8
        (TIGER, "tiger", 1_200, 1_200),
        (TIGER, "tiger", 1_201, 1_200),
        (TIGER, "small_tiger", 2_000, 2_000),
        (TIGER, "big_tiger", 1, -100),  # a loss is collected in full
        (TRIPLE, "lucky_match_player", 5_000, 5_000),  # 11D.11
        (TRIPLE, "lucky_match_player", 50_000, 10_000),
    ],
)
def test_new_zealand_may_limit_what_some_wagers_pay(stock: list[str], wager: str, limit: int, net: int) -> None:
    answer = paid("nz-baccarat", "standard", stock=stock, stakes={wager: 100, "player": 100}, payouts={wager: limit})
    assert answer["payments"][wager] == {"net": net, "void": 0}


def test_no_other_wager_of_new_zealand_has_such_a_limit() -> None:
    error = paid("nz-baccarat", "standard", stakes={"super_6": 100}, payouts={"super_6": 500})["error"]
    assert error == (
        "line 1: payouts.super_6: nz-baccarat has no clause that limits what it pays; such a clause is for "
        "big_tiger (17.8), lucky_match (11D.11), small_tiger (17.8), tiger (17.8), tiger_pair (17.8), tiger_tie (17.8)"
    )
