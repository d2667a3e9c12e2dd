"""sabot jackpot replay as programs outside call it; figures are computed by hand."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import forked_sabot
import pytest
from sabot_protocol.jackpots.loading import load
from sabot_tools.jackpot.replayer import Replayer
from sabot_tools.text.json_lines import BadLineError

CONFIG = """
[[jackpot]]
id = "lucky-tie"
title = "Lucky Tie Jackpot"
rulebook = "crown-baccarat"
currency = "AUD"
version = 1
in_force = "2026-11-01"
tables = ["bac-01", "bac-02"]
increment = 25
base = 100_000
unreasonable = 25
rounding = 500
equipment = ["console", "display", "handset"]
trigger = { kind = "lucky_tie", option = "option_1", percent = { suited = 100, coloured = 10, non_coloured = 5 } }

[[jackpot]]
id = "wagers"
title = "Pair Jackpot"
rulebook = "nz-baccarat"
currency = "NZD"
tables = ["nz-01"]
funding = "wager"
wager_increment = { perfect_pair_player = "1.5%" }
base = 1_000
unreasonable = 500
rounding = 1
equipment = ["console", "display"]
trigger = { kind = "outcome", wager = "perfect_pair_player", percent = { perfect = 100, coloured = 10 } }

[[jackpot]]
id = "seat"
title = "Lucky Seat"
rulebook = "nz-baccarat"
currency = "NZD"
tables = ["nz-01", "nz-02"]
increment = 10
base = 1_000
unreasonable = 10
rounding = 100
equipment = ["console", "display"]
trigger = { kind = "random", draws = ["table", "seat"], seats = 9, percent = 50 }
"""
PLAIN = ["2S", "7D", "4H", "KC", "9S", "2C"]  # more than are needed
SUITED, COLOURED = ["8H", "8H", "8H", "8H"], ["8H", "8D", "8H", "8D", "KC"]
MIXED = ["8H", "8S", "8H", "8D"]
PAIR = ["QS", "2H", "QC", "5D", "7S", "9C"]  # a coloured pair at the Player


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "jackpots.toml"
    path.write_text(CONFIG)
    return path


class Session:
    """One replay, answered line by line in this process."""

    def __init__(self, config: Path, jackpot: int = 0) -> None:
        self.replayer = Replayer(load(config)[jackpot])
        self.coups = 0

    def __call__(self, **line: Any) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(b"{" + self.replayer.answer(line))
        assert found["balanced"] is True
        return found

    def coup(self, table: str = "bac-01", stock: list[str] = PLAIN, **fields: Any) -> str:
        self.coups += 1
        self(**{"coup": f"c{self.coups}", "table": table, "kind": "live", "stock": stock, **fields})
        return f"c{self.coups}"

    def error(self, **line: Any) -> str:
        before = self.replayer.levels()
        with pytest.raises(BadLineError) as caught:
            self.replayer.answer(line)
        assert self.replayer.levels() == before
        return str(caught.value)

    def meter(self, name: str = "display") -> int:
        return int(getattr(self.replayer.levels()["meters"], name))


@pytest.fixture
def session(config: Path) -> Session:
    return Session(config)


def run(config: Path, lines: list[Any], *args: str) -> tuple[int, list[dict[str, Any]], str]:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    ran = forked_sabot.sabot("jackpot", "replay", "--config", config, *args, lines=text)
    return ran.returncode, [json.loads(line) for line in ran.stdout.splitlines()], ran.stderr


def test_the_contract_line_by_line(config: Path) -> None:
    coup = {"coup": "a", "table": "bac-01", "kind": "live", "stock": COLOURED, "wagers": {"tie": [100, 300]}}
    status, found, errors = run(
        config,
        [
            {"id": 7, **coup, "time": "2026-11-17T20:00:00Z"},
            {"record_win": "a", "at": "2026-11-17T20:00:05Z"},
            {"confirm": "a", "by": "Ann", "role": "TG Area Manager"},
            "not json",
            {"id": 8, **coup},
            {"corrects": "a", "kind": "void"},
        ],
    )
    assert (status, errors) == (1, "")
    meters = {"base": 100_000, "in": 25, "display": 100_025, "hits": 0, "wins": 0, "overflow": 0, "reserve": 0}
    assert found[0] == {
        "id": 7, "increment": 25, "meters": meters, "balanced": True, "pending": [], "missed": [], "paid": [],
    }  # fmt: skip
    assert found[1]["pending"] == [
        {
            "coup": "a", "table": "bac-01", "outcome": "coloured", "percent": 10, "value": 100_025, "rounded": 100_500,
            "prize": 10_050, "shares": [5_025, 5_025], "at": "2026-11-17T20:00:05Z",
        }
    ]  # fmt: skip
    assert found[2]["paid"] == [{"wager": 0, "amount": 5_025}, {"wager": 1, "amount": 5_025}]
    paid = {**meters, "display": 89_975, "hits": 1, "wins": 10_050}
    assert found[2]["meters"] == paid
    assert "malformed" in found[3]["error"]
    assert found[3]["meters"] == found[4]["meters"] == paid
    assert (found[4]["id"], found[4]["error"]) == (
        8,
        "line 5: coup: 'a' was counted before; correct it with corrects",
    )
    assert found[5]["increment"] == -25
    assert found[5]["meters"] == {**paid, "in": 0, "display": 89_950}
    assert "was paid" in found[5]["faults"][0]


def test_the_first_jackpot_or_the_one_that_is_named(config: Path) -> None:
    status, found, _ = run(config, [{"adjust": 5, "by": ["a", "b"], "reason": "r"}], "--jackpot", "seat")
    assert (status, found[0]["meters"]["display"]) == (0, 1_005)
    status, _, errors = run(config, [], "--jackpot", "none")
    assert status == 1
    assert "it has lucky-tie, wagers, seat" in errors
    assert run(config.parent / "absent.toml", [])[0] == 1


def test_kinds_of_coups(session: Session) -> None:
    assert session(coup="v", table="bac-01", kind="void")["increment"] == 0
    assert session(coup="n", table="bac-01", kind="no_bet", stock=SUITED)["increment"] == 25
    assert "no trigger" in session.error(record_win="n")
    assert "unknown, void" in session.error(record_win="v")
    assert "unknown, void" in session.error(record_win="other")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"coup": "x", "table": "bac-09", "kind": "live", "stock": PLAIN}, "table: 'bac-09' does not take part"),
        ({"coup": "x", "table": "bac-01", "kind": "live"}, "stock: give the cards"),
        ({"coup": "x", "table": "bac-01", "kind": "live", "stock": PLAIN[:3]}, "stock:"),
        ({"coup": "x", "table": "bac-01", "kind": "live", "stock": ["9X"]}, "stock[0]: '9X'"),
        ({"coup": "x", "table": "bac-01", "kind": "odd", "stock": PLAIN}, "kind:"),
        ({"coup": 5, "table": "bac-01", "kind": "live", "stock": PLAIN}, "coup:"),
        ({"coup": "x", "table": "bac-01", "kind": "live", "stock": PLAIN, "wagers": {"tie": [1.0]}}, "wagers"),
        ({"coup": "x", "table": "bac-01", "kind": "live", "stock": PLAIN, "wagers": {"tie": [True]}}, "wagers"),
        ({"coup": "x", "table": "bac-01", "kind": "live", "stock": PLAIN, "wagers": {"tie": ["1"]}}, "wagers"),
        ({"coup": "x", "table": "bac-01", "kind": "live", "stock": PLAIN, "wagers": {"tie": [-1]}}, "wagers"),
        ({"coup": "x", "table": "bac-01", "kind": "live", "stock": PLAIN, "wagers": {"tye": [1]}}, "no wager 'tye'"),
        ({"coup": "x", "table": "bac-01", "kind": "live", "stock": PLAIN, "time": "noon"}, "time:"),
        ({"coup": "x", "table": "bac-01", "kind": "live", "stock": PLAIN, "time": "2026-11-17T20:00:00"}, "time zone"),
        ({"coup": "x", "table": "bac-01", "kind": "live", "stock": PLAIN, "currency": "NZD"}, "currency: NZD"),
        ({"coup": "x", "table": "bac-01", "kind": "live", "stock": PLAIN, "stakes": {}}, "unknown field 'stakes'"),
        ({"adjust": 500.0, "by": ["a", "b"], "reason": "r"}, "adjust:"),
        ({"adjust": True, "by": ["a", "b"], "reason": "r"}, "adjust:"),
        ({"adjust": "500", "by": ["a", "b"], "reason": "r"}, "adjust:"),
        ({"adjust": 500, "by": ["a"], "reason": "r"}, "2 different people"),
        ({"adjust": 500, "by": ["a", "A"], "reason": "r"}, "2 different people"),
        ({"adjust": 500, "by": ["a", "b"], "reason": ""}, "reason"),
        ({"adjust": 500, "by": ["a", "b"], "reason": "r", "role": "dealer"}, "TG Area Manager"),
        ({"adjust": -100_001, "by": ["a", "b"], "reason": "r"}, "only AUD 1,000.00"),
        ({"adjust": 500, "by": ["a", "b"]}, "reason"),
        ({"corrects": "x", "kind": "void"}, "no coup 'x'"),
        ({"confirm": "x", "by": "a", "role": "casino_manager"}, "no pending win x"),
        ({"malfunction": "bac-09"}, "does not take part"),
        ({"cured": "bac-01"}, "not withdrawn"),
        ({"make_good": "x", "by": "a", "role": "area_manager"}, "nothing missed"),
        ({"draw": "d"}, "not a random one"),
        ({"parameters": {"increment": 1.5}}, "parameters:"),
        ({"parameters": {"bonus": 1}}, "unknown field 'bonus'"),
        ({"parameters": {"trigger": {"kind": "lucky_tie", "option": "option_3", "percent": {"lucky_tie": 99}}}}, "99"),
        ({"hello": 1}, "give one of coup, corrects"),
    ],
)
def test_a_bad_line_names_what_is_wrong(session: Session, line: dict[str, Any], words: str) -> None:
    assert words in session.error(**line)


def test_a_win_from_record_to_confirmation(session: Session) -> None:
    coup = session.coup(stock=SUITED, wagers={"tie": [100], "banker": [700]})
    assert "not recorded yet" in session.error(confirm=coup, by="a", role="am")
    session(record_win=coup)
    assert "recorded before" in session.error(record_win=coup)
    assert "TG Area Manager" in session.error(confirm=coup, by="a", role="TG Higher Duties Dealer")
    assert "no role 'boss'" in session.error(confirm=coup, by="a", role="boss")
    assert session(confirm=coup, by="a", role="am")["paid"] == [{"wager": 0, "amount": 100_500}]
    assert "it was not paid again" in session.error(confirm=coup, by="a", role="am")
    assert session.meter() == 100_000


def test_a_win_without_a_qualifying_wager(session: Session) -> None:
    coup = session.coup(stock=SUITED, wagers={"banker": [700]})
    assert session(record_win=coup)["pending"][0]["prize"] == 0
    found = session(confirm=coup, by="a", role="am")
    assert (found["paid"], found["pending"]) == ([], [])
    assert found["meters"]["display"] == 100_025
    assert found["meters"]["hits"] == 0


@pytest.mark.parametrize("turned", [False, True])
def test_the_order_of_at_decides(session: Session, turned: bool) -> None:
    session.coup("bac-01", MIXED, wagers={"tie": [100]})
    session.coup("bac-02", COLOURED, wagers={"tie": [100]})
    records = [("c2", "2026-11-17T20:00:00.000Z"), ("c1", "2026-11-17T20:00:00.001Z")]
    for coup, at in reversed(records) if turned else records:
        found = session(record_win=coup, at=at)
    # 10 % of 100,050 rounded to 100,500; then 5 % of 90,000
    assert [(win["coup"], win["prize"]) for win in found["pending"]] == [("c2", 10_050), ("c1", 4_500)]


def test_the_order_of_at_decides_to_the_microsecond(session: Session) -> None:
    session.coup("bac-01", MIXED, wagers={"tie": [100]})
    session.coup("bac-02", COLOURED, wagers={"tie": [100]})
    session(record_win="c1", at="2026-11-17T20:00:00.000900Z")
    found = session(record_win="c2", at="2026-11-17T20:00:00.000100Z")
    assert [win["coup"] for win in found["pending"]] == ["c2", "c1"]


def test_a_later_win_is_not_paid_before_an_earlier_one(session: Session) -> None:
    for table, cards in (("bac-01", SUITED), ("bac-02", COLOURED)):
        session.coup(table, cards, wagers={"tie": [100]})
    for win in ("c1", "c2"):
        session(record_win=win)
    assert "recorded before it" in session.error(confirm="c2", by="a", role="am")
    assert [session(confirm=win, by="a", role="am")["paid"] for win in ("c1", "c2")] == [
        [{"wager": 0, "amount": 100_500}],
        [{"wager": 0, "amount": 10_000}],
    ]


def test_records_without_at_come_in_the_order_of_the_lines(session: Session) -> None:
    session.coup("bac-01", COLOURED, wagers={"tie": [100]}, time="2026-11-17T20:00:00Z")
    session.coup("bac-02", COLOURED, wagers={"tie": [100]}, time="2026-11-17T19:00:00Z")
    session(record_win="c1")
    assert [win["coup"] for win in session(record_win="c2")["pending"]] == ["c1", "c2"]


def test_corrections(session: Session) -> None:
    coup = session.coup(wagers={"tie": [100]})
    found = session(corrects=coup, kind="live", stock=SUITED)
    assert found["increment"] == 0
    session(record_win=coup)
    assert session(corrects=coup, kind="void")["pending"] == []
    assert "void already" in session.error(corrects=coup, kind="void")
    assert "no coup" in session.error(corrects="z", kind="void")
    assert "dealt at bac-01" in session.error(corrects=coup, kind="live", table="bac-02")
    assert "stock" in session.error(corrects=coup, kind="live", stock=["8H"])
    assert session(corrects=coup, kind="live")["increment"] == 25
    assert session(record_win=coup)["pending"][0]["shares"] == [100_500]
    session.coup()
    assert session.meter("in_") == 50


def test_a_malfunction_is_made_good(session: Session) -> None:
    session(malfunction="bac-01")
    assert "withdrawn already" in session.error(malfunction="bac-01")
    first = session.coup(stock=COLOURED, wagers={"tie": [100]})
    session.coup()
    assert session.meter("in_") == 0
    found = session(cured="bac-01")
    assert found["missed"] == [{"coup": coup, "table": "bac-01", "amount": 25} for coup in ("c1", "c2")]
    assert "make it good first" in session.error(record_win=first)
    assert session(make_good=first, by="a", role="am")["increment"] == 25
    assert session(record_win=first, wagers={"tie": [100]})["pending"][0]["prize"] == 10_050
    assert session(make_good="bac-01", by="a", role="am")["increment"] == 25
    assert "nothing missed" in session.error(make_good=first, by="a", role="am")


def test_invalid(session: Session) -> None:
    coup = session.coup(stock=SUITED, wagers={"tie": [100]})
    session(record_win=coup)
    assert "TG Area Manager" in session.error(invalid=coup, by="a", role="d", reason="r")
    found = session(invalid=coup, by="a", role="am", reason="malfunction")
    assert (found["pending"], found["paid"], found["meters"]["display"]) == ([], [], 100_025)


def test_parameters_wait_until_the_jackpot_is_won(session: Session) -> None:
    coup = session.coup(stock=SUITED, wagers={"tie": [100]})
    session(parameters={"increment": 20})
    session.coup()
    assert session.meter("in_") == 50
    session(record_win=coup)
    session(confirm=coup, by="a", role="am")
    session.coup()
    assert session.meter("in_") == 70


def test_wagers_contribute_with_an_exact_carry(config: Path) -> None:
    session = Session(config, 1)
    amounts = []
    for _ in range(4):
        session.coups += 1
        line = {"coup": f"w{session.coups}", "table": "nz-01", "kind": "live", "stock": PLAIN}
        amounts.append(session(**line, wagers={"perfect_pair_player": [150]})["increment"])
    assert amounts == [2, 2, 2, 3]  # 2.25 each
    assert session(corrects="w1", kind="void")["increment"] == -2
    coup = session.coup("nz-01", PAIR, wagers={"perfect_pair_player": [150, 50]})
    assert session(record_win=coup)["pending"][0]["outcome"] == "coloured"


def test_a_coup_whose_wagers_are_not_given_is_counted_with_a_note(config: Path) -> None:
    by_wagers, by_operator = Session(config, 1), Session(config)
    line = {"table": "nz-01", "kind": "live", "stock": PLAIN}
    found = by_wagers(coup="1", **line)
    assert (found["increment"], found["note"].split(":")[0]) == (0, "wagers are not given")
    assert "note" not in by_wagers(coup="2", **line, wagers={})
    assert "note" not in by_wagers(coup="3", **{**line, "kind": "no_bet"})
    assert "note" not in by_operator(coup="1", **{**line, "table": "bac-01"})


def test_draws(config: Path) -> None:
    session = Session(config, 2)
    found = session(draw="d1", by="a", role="casino_supervisor")
    assert found["pending"][0]["prize"] == 500
    assert "was made before" in session.error(draw="d1")
    assert session(confirm="d1", by="a", role="operator")["paid"] == [{"wager": 0, "amount": 500}]
    session(draw="d2")
    session(malfunction="nz-01")
    session(malfunction="nz-02")
    assert "no table offers" in session.error(draw="d3")


def test_help_has_an_example_that_works() -> None:
    command = [sys.executable, "-m", "sabot_tools", "jackpot", "replay", "--help"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Example: echo '{" in text
    example = text[text.index("Example: ") + len("Example: ") :]
    root = Path(__file__).parents[2]
    shell = example.replace("sabot ", f"{sys.executable} -m sabot_tools ")
    ran = subprocess.run(shell, shell=True, cwd=root, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout)["increment"] == 250
