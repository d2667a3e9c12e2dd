"""sabot settle, odds and simulate as programs outside call them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import forked_sabot
import pytest
from support.patience import PATIENCE_S


def sabot(*args: str, lines: "list[object] | str" = "") -> tuple[int, str, str]:
    text = lines if isinstance(lines, str) else "".join(json.dumps(line) + "\n" for line in lines)
    ran = forked_sabot.sabot(*args, lines=text)
    return ran.returncode, ran.stdout, ran.stderr


def answers(*args: str, lines: "list[object] | str") -> list[dict[str, Any]]:
    _, out, err = sabot("settle", *args, lines=lines)
    assert err == ""
    return [json.loads(line) for line in out.splitlines()]


def test_a_coup_as_the_contract_has_it() -> None:
    status, out, _ = sabot(
        "settle", "--rulebook", "star-baccarat", lines=[{"id": 0, "stock": ["4S", "6H", "KD", "KC", "9C", "2S", "2D"]}]
    )
    answer = json.loads(out)
    outcomes = answer.pop("outcomes")
    assert status == 0
    assert answer == {
        "id": 0, "consumed": 5, "player": ["4S", "KD", "9C"], "banker": ["6H", "KC"], "player_points": 3,
        "banker_points": 6, "winner": "banker",
    }  # fmt: skip
    assert outcomes["tiger"] == {"result": "win", "odds": "12", "outcome": "two_card", "rule": "11.1.9.1"}
    assert outcomes["banker"] == {"result": "win", "odds": "19/20", "outcome": "win", "rule": "11.1.3"}
    assert outcomes["player"]["result"] == "lose"
    assert outcomes["player"]["odds"] == "-1"
    assert len(outcomes) == 11


def test_other_kinds_of_line() -> None:
    crown = ("--rulebook", "crown-baccarat")
    run, tie, no_tie = answers(
        *crown,
        lines=[
            {"id": 1, "wager": "run_banker_3", "results": ["B", "X", "B", "B"]},
            {"id": "b", "stock": ["8S", "8S", "8C", "8C"], "jackpot": "lucky_tie"},
            {"id": None, "stock": ["8S", "8S", "8C", "7C", "KD"], "jackpot": "lucky_tie"},
        ],
    )
    assert run == {"id": 1, "result": "win", "odds": "8", "outcome": "run", "rule": "9.1 T5"}
    assert tie["id"] == "b"
    assert tie["option_1"] == {"outcome": "coloured", "percent_range": [5, 20]}
    assert no_tie == {"id": None, "option_1": None, "option_2": None, "option_3": None}
    hand = {"id": 2, "player": ["JS", "KD", "QC"], "dealer": ["9H", "KC", "TC"]}
    (three,) = answers(*crown, "--set", "game=three_card", lines=[hand])
    assert three["outcomes"]["three_pictures"]["odds"] == "20"
    (spin,) = answers("--rulebook", "star-rapid", "--set", "game=roulette", lines=[{"id": 3, "number": 17}])
    assert spin["outcomes"]["straight_17"] == {"result": "win", "odds": "35", "outcome": "win", "rule": "8.5"}
    assert len(spin["outcomes"]) == 157 + 4


BAD: list[tuple[str, str]] = [
    ("garbage", "malformed"),
    ("[1]", "not an object"),
    ("", "line 2: the line is empty"),
    ('{"id": 9}', "nothing to settle"),
    ('{"id": 9, "stock": ["2S", "3S", "4S"]}', "stock: 3 cards: a coup has at least four"),
    ('{"id": 9, "stock": ["2S", "2H", "2D", "AC", "4S"]}', "a third card is due by the tables and there is none"),
    ('{"id": 9, "stock": ["2S", "1S"]}', "stock[1]: '1S' is not one of the 52 cards"),
    ('{"id": 9, "stock": ["2S", 7]}', "stock[1]: 7 is not one of the 52 cards"),
    ('{"id": 9, "stock": "2S"}', "stock: give a list of cards such as 8H"),
    (
        '{"id": 9, "wager": "run_owl_3", "results": []}',
        "wager: unknown wager on several coups 'run_owl_3' in game traditional of crown-baccarat",
    ),
    ('{"id": 9, "wager": "run_banker_3", "results": ["Q"]}', "results[0]: 'Q' is not one of P, B, T, X, END"),
    ('{"id": 9, "wager": "run_banker_3", "results": ["END", "B"]}', "nothing comes after END"),
    ('{"id": 9, "wager": "run_banker_3"}', "results: give a list of P, B, T, X and END"),
    ('{"id": 9, "number": 3}', "number: game traditional is not roulette; use --set game=roulette"),
    (
        '{"id": 9, "player": [], "dealer": []}',
        "player and dealer: game traditional has no such hands; use --set game=three_card",
    ),
    ('{"id": 9, "stock": ["2S"], "jackpot": "mega"}', "jackpot: unknown jackpot 'mega': crown-baccarat has lucky_tie"),
    ('{"id": 9, "stock": ["2S"], "jackpot": ["mega"]}', "jackpot: unknown jackpot ['mega']"),
    ('{"id": 9, "jackpot": "lucky_tie"}', "stock: give a list of cards such as 8H"),
    (
        '{"id": 9, "stock": ["9S", "2H", "KD", "3C"], "stake": {"tie": 5}}',
        "unknown field 'stake': a line with stock may have chip, differential, id, stakes",
    ),
    (
        '{"id": 9, "stock": [], "jackpot": "lucky_tie", "stakes": {}}',
        "unknown field 'stakes': a line with jackpot may have",
    ),
    (
        '{"id": 9, "wager": "run_banker_3", "result": []}',
        "unknown field 'result': a line with wager may have id, results",
    ),
    ('{"id": 9, "number": 3, "spin": 1}', "unknown field 'spin': a line with number may have id"),
    (
        '{"id": 9, "player": [], "dealer": [], "banker": []}',
        "unknown field 'banker': a line with dealer may have id, player",
    ),
]


@pytest.mark.parametrize(("line", "error"), BAD)
def test_a_bad_line_is_answered_with_an_error_and_the_others_are_unaffected(line: str, error: str) -> None:
    good = '{"id": 1, "stock": ["9S", "2H", "KD", "3C"]}'
    status, out, _ = sabot("settle", "--rulebook", "crown-baccarat", lines=f"{good}\n{line}\n{good}\n")
    first, bad, last = map(json.loads, out.splitlines())
    assert status == 1
    assert first == last
    assert first["winner"] == "player"
    assert error in bad["error"]
    assert bad["id"] == (9 if '"id": 9' in line else None)


def test_more_cards_than_a_shoe_holds() -> None:
    deck = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    whole, more, ninth = answers(
        "--rulebook",
        "star-baccarat",
        lines=[{"id": 0, "stock": deck * 8}, {"id": 1, "stock": [*deck * 8, "2S"]}, {"id": 2, "stock": ["AS"] * 9}],
    )
    assert "error" not in whole
    assert more["error"] == "line 2: stock: 417 cards; 8 decks have 416"
    assert ninth["error"] == "line 3: stock: AS occurs 9 times; 8 decks have 8"


def test_one_deck_has_each_card_once() -> None:
    hand = {"id": 2, "player": ["JS", "KD", "QC"], "dealer": ["JS", "KC", "TC"]}
    (answer,) = answers("--rulebook", "crown-baccarat", "--set", "game=three_card", lines=[hand])
    assert answer["error"] == "line 1: player and dealer: JS occurs 2 times; one deck has 1"


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (("settle", "--rulebook", "macau"), "unknown rulebook 'macau'"),
        (
            ("settle", "--rulebook", "star-premium", "--set", "tie_percent=11"),
            "tie_percent = 11: star-premium allows 1, 2",
        ),
        (("odds", "--rulebook", "star-rapid", "--decks", "6"), "decks = 6: star-rapid allows 8"),
        (("odds", "--rulebook", "star-baccarat", "--set", "nonsense"), "write it as axis=value"),
        (("odds", "--rulebook", "star-baccarat", "--set", "game=poker"), "game = poker: star-baccarat allows"),
        (
            ("simulate", "--rulebook", "star-rapid", "--set", "game=roulette"),
            "is not dealt from a shoe; choose a game of Player and Banker",
        ),
    ],
)
def test_settings_that_are_refused(args: tuple[str, ...], error: str) -> None:
    status, out, err = sabot(*args)
    assert status != 0
    assert out == ""
    assert error in " ".join(err.split())


def test_odds_as_json() -> None:
    status, out, _ = sabot("odds", "--rulebook", "nz-baccarat", "--set", "tie_odds=9", "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["rulebook"], found["decks"], found["options"]["tie_odds"]) == ("nz-baccarat", 8, "9")
    assert found["wagers"]["tiger"]["house_edge"].startswith("0.16683")
    assert found["wagers"]["tiger"]["outcomes"]["two_card"].startswith("0.0372")
    assert found["wagers"]["tiger"]["available"] == "1.000000000000000"
    assert found["wagers"]["tie"]["house_edge"].startswith("0.0484")


def test_a_wager_that_needs_other_decks_is_marked() -> None:
    _, out, _ = sabot("odds", "--rulebook", "crown-baccarat", "--decks", "6", "--json")
    wagers = json.loads(out)["wagers"]
    assert wagers["crown_pair_player"]["offered"] is False
    assert wagers["crown_pair_player"]["why"] == "needs 8 decks (3.1.1)"
    assert wagers["player"]["offered"] is True


def test_odds_for_people_and_a_picture(tmp_path: Path) -> None:
    status, out, _ = sabot("odds", "--rulebook", "star-baccarat", "--plot", str(tmp_path / "edges.svg"))
    assert status == 0
    assert "banker         1.0579 %" in out
    svg = (tmp_path / "edges.svg").read_text()
    assert svg.startswith("<svg")
    assert "small_tiger" in svg
    assert ">1.058<" in svg


def test_simulate_prints_a_z_score_a_wager() -> None:
    status, out, _ = sabot("simulate", "--rulebook", "star-baccarat", "--coups", "50000", "--seed", "2")
    assert status == 0
    rows = [line.split() for line in out.splitlines() if "%" in line]
    assert {row[0] for row in rows} >= {"player", "banker", "tie", "tiger_pair"}
    assert all(abs(float(row[3])) < 5 for row in rows)
    again = sabot("simulate", "--rulebook", "star-baccarat", "--coups", "50000", "--seed", "2")[1]
    assert [line.split() for line in again.splitlines() if "%" in line] == rows


def test_each_line_is_answered_before_the_next_is_read() -> None:
    """A program may wait for every answer before it sends the next line."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sabot_tools", "settle", "--rulebook", "star-baccarat"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    for number in range(3):
        process.stdin.write(json.dumps({"id": number, "stock": ["9S", "2H", "KD", "3C"]}) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == number
    process.stdin.close()
    assert process.wait(PATIENCE_S) == 0
    process.stdout.close()


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


def test_a_game_for_tournaments_is_settled_and_marked_as_one() -> None:
    """Crown 1.1: tournaments are settled by it."""
    game = ("--rulebook", "crown-baccarat", "--set", "game=zero_commission")
    status, out, err = sabot("settle", *game, lines=[{"id": 0, "stock": BANKER_WINS}])
    assert (status, json.loads(out)["outcomes"]["banker"]["odds"]) == (0, "1")
    assert "crown-baccarat offers zero_commission only in a tournament (clause 1.1)" in err
    _, out, _ = sabot("odds", *game, "--json")
    banker = json.loads(out)["wagers"]["banker"]
    assert (banker["offered"], banker["why"]) == (False, "only in a tournament (1.1)")


def test_odds_name_the_wagers_beside_which_one_is_not_offered() -> None:
    _, out, _ = sabot("odds", "--rulebook", "nz-baccarat", "--json")
    wagers = json.loads(out)["wagers"]
    others = [f"{name}_{side}" for name in ("any_pair", "lucky_match") for side in ("player", "banker")]
    assert wagers["perfect_pair_player"]["not_beside"] == others
    assert "not_beside" not in wagers["tie"]


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
        ({"stakes": {"tie": 1.5}}, "$.stakes"),
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
