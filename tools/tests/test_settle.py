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
        "unknown field 'stake': a line with stock may have chip, differential, id, payouts, stakes",
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


def test_a_game_for_tournaments_is_settled_and_marked_as_one() -> None:
    """Crown 1.1: tournaments are settled by it."""
    game = ("--rulebook", "crown-baccarat", "--set", "game=zero_commission")
    status, out, err = sabot("settle", *game, lines=[{"id": 0, "stock": ["4S", "7H", "KD", "KC", "2C"]}])
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
