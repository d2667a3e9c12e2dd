"""What a dealer records about jackpots: refusals with a reason, and what is stored."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from jackpot_edge import SUITED, TIE, Edge, from_wagers, lucky_tie
from sabot_gateway.operator.requests import parse
from sabot_service.messages import RequestError

STAKES = {"tie": [100, 300]}


@pytest.fixture
def edge(tmp_path: Path) -> Edge:
    return Edge(tmp_path / "ledger.db", lucky_tie(tables=["bac-01"]))


def refusal(edge: Edge, verb: str = "record-win", table: str = "bac-01", **args: Any) -> str:
    answer = edge.ask(verb, table, **args)
    assert not answer.ok
    assert edge.records() == []
    return answer.say.removeprefix("Record win refused: ").removeprefix("Stakes refused: ")


def test_a_table_without_a_jackpot_refuses(edge: Edge) -> None:
    edge.tables["bac-02"].tie()
    expected = "no jackpot runs at bac-02. See `sabot gateway status`."
    assert refusal(edge, table="bac-02", jackpot="lucky-tie") == expected
    assert refusal(edge, "stakes", table="bac-02", stakes=STAKES) == expected


def test_another_jackpot_refuses(edge: Edge) -> None:
    edge.one.tie()
    assert refusal(edge, jackpot="pairs") == "no jackpot pairs runs at bac-01: there is lucky-tie."


def test_before_the_first_coup_there_is_nothing_to_record(edge: Edge) -> None:
    assert refusal(edge, jackpot="lucky-tie") == "no coup was dealt yet."
    assert refusal(edge, jackpot="lucky-tie", coup="9/9") == "the ledger has no coup 9/9 of bac-01."


def test_a_void_and_a_disputed_coup_cannot_be_recorded(edge: Edge) -> None:
    edge.one.tie()
    edge.one.void(1)
    assert refusal(edge, jackpot="lucky-tie") == "coup 1/1 is void."
    edge.one.tie()
    edge.one.dispute()
    assert refusal(edge, jackpot="lucky-tie", coup="1/2") == "coup 1/2 is disputed. A supervisor decides it first."


def test_a_wager_that_takes_no_part_is_refused_by_name(edge: Edge) -> None:
    edge.one.tie()
    expected = "no wager banker takes part in the jackpot: there is tie."
    assert refusal(edge, jackpot="lucky-tie", stakes={"banker": [5]}) == expected
    assert refusal(edge, "stakes", stakes={"banker": [5]}) == expected


def test_the_newest_coup_is_meant_unless_another_is_named(edge: Edge) -> None:
    edge.one.tie()
    edge.one.play()
    assert refusal(edge, jackpot="lucky-tie").startswith("coup 1/2 is no win of Lucky Tie")
    assert edge.ask("record-win", jackpot="lucky-tie", coup="1/1", stakes=STAKES).say == (
        "Coup 1/1 is recorded as a win of Lucky Tie: Suited. The pay-out must be confirmed on the console."
    )


def test_a_coup_that_a_supervisor_decided_can_be_recorded(edge: Edge) -> None:
    edge.one.deal(SUITED)
    edge.one.result("banker", (6, 6), player_pair=True, banker_pair=True)
    edge.commit()
    edge.ask("decide", coup="1/1", verdict="confirmed", clause="10.11")
    assert edge.ask("record-win", jackpot="lucky-tie", stakes=STAKES).ok
    (record,), (increment,) = edge.records(), edge.increments()
    assert record.coup_id == increment.coup_id


def test_without_stakes_those_recorded_for_the_coup_are_used_and_none_are_said_to_be_missing(edge: Edge) -> None:
    edge.ask("stakes", stakes=STAKES)
    edge.one.tie()
    edge.one.tie()
    assert edge.ask("record-win", jackpot="lucky-tie", coup="1/1").ok
    assert "No qualifying wager is recorded with it." in edge.ask("record-win", jackpot="lucky-tie").say
    assert [record.stakes for record in edge.records()] == [STAKES, {}]


def test_two_requests_in_one_commit_record_once(edge: Edge) -> None:
    edge.one.tie()
    for _ in range(2):
        edge.take("record-win", jackpot="lucky-tie", stakes=STAKES)
    edge.commit()
    assert sorted(answer.ok for answer in edge.answers) == [False, True]
    assert len(edge.records()) == 1


def test_an_answer_names_the_coup_whose_stakes_are_recorded(tmp_path: Path) -> None:
    edge = Edge(tmp_path / "nz.db", from_wagers(), book="nz-baccarat")
    assert edge.ask("stakes", stakes=STAKES).say == "Stakes of coup 1/1 are recorded: tie NZD 4.00."
    edge.one.play()
    assert edge.ask("stakes", stakes={}).say == "Stakes of coup 1/2 are recorded: none."


@pytest.mark.parametrize(
    "args",
    [
        {"stakes": {"tie": [0]}},
        {"stakes": {"tie": [-1]}},
        {"stakes": {"tie": [1.5]}},
        {"stakes": {"tie": ["1"]}},
        {"stakes": {"tie": [10**13]}},
        {"stakes": {"tie": 5}},
        {"stakes": {"tie": [1] * 201}},
        {},
    ],
)
def test_stakes_that_are_no_amounts_are_refused(args: dict[str, Any]) -> None:
    line = msgspec.json.encode({"verb": "stakes", "table": "bac-01", "by": "D. Ealer", "args": args})
    with pytest.raises(RequestError, match="stakes"):
        parse(line)


def test_a_win_of_a_coup_that_did_not_increment_can_still_be_recorded(tmp_path: Path) -> None:
    """18.20: a malfunction costs nobody a prize."""
    edge = Edge(tmp_path / "nz.db", from_wagers(), book="nz-baccarat")
    edge.one.play("9S 2H 9S 3C", "player", (8, 5), player_pair=True)
    assert len(edge.alarms()) == 1
    assert edge.ask("record-win", jackpot="pairs", stakes=STAKES).ok
    assert [record.outcome for record in edge.records("pairs")] == ["perfect"]


def test_the_order_of_two_records_is_that_of_the_requests(edge: Edge) -> None:
    edge.one.play(SUITED, *TIE, player_pair=True, banker_pair=True)
    edge.one.tie()
    for coup, second in (("1/2", 1), ("1/1", 2)):
        edge.ask("record-win", jackpot="lucky-tie", coup=coup, time=f"2026-11-17T12:00:00.00{second}Z", stakes=STAKES)
    assert [(one.coup, one.at[-4:]) for one in edge.records()] == [(2, "001Z"), (1, "002Z")]
