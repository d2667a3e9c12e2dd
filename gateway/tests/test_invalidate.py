"""Invalid outcomes and shoes that end: what people decide about coups that were settled, and about the cards."""

from typing import Any

import msgspec
import pytest
from desk_bench import DeskBench
from floor_commands_bench import CommandBench, signed
from jackpot_edge import Edge, lucky_tie
from sabot_gateway.incidents.book import IncidentBook
from sabot_protocol.topics import AlarmMessage, ConfirmedMessage, CoupMessage
from verified_log import Log

WHY = {"reason": "fire alarm"}


def at_table(book: str, *cards: str, coups: int = 0) -> CommandBench:
    """A floor's commands at a table of this book, with so many coups settled and these cards out."""
    bench, log = CommandBench(), Log(book)
    for _ in range(coups):
        log.coup()
    log.deal(" ".join(cards))
    bench.table.verifier = log.verifier
    bench.table.incidents = IncidentBook("bac-01", log.book)
    bench.table.serve()
    return bench


@pytest.mark.parametrize(
    ("book", "cause", "lowest", "below", "clause"),
    [  # P-58, P-59
        ("star-baccarat", "disruption", "gaming_supervisor", "dealer", "14.5.1"),
        ("star-baccarat", "fraud", "gaming_supervisor", "dealer", "14.5.2"),
        ("star-premium", "disruption", "gaming_supervisor", "dealer", "15.4.1"),
        ("star-premium", "fraud", "gaming_supervisor", "dealer", "15.4.2"),
        ("crown-baccarat", "disruption", "higher_duties_dealer", "dealer", "15.4"),
        ("crown-baccarat", "fraud", "casino_manager", "area_manager", "15.3"),
        ("star-rapid", "disruption", "gaming_supervisor", "dealer", "12.4.1"),
        ("star-rapid", "fraud", "gaming_supervisor", "dealer", "12.4.2"),
        ("nz-baccarat", "disruption", "casino_supervisor", "game_supervisor", ""),  # ruled in another text: A-80
    ],
)
def test_an_outcome_is_invalidated_by_the_role_and_the_clause_of_its_cause(
    book: str, cause: str, lowest: str, below: str, clause: str
) -> None:
    bench = at_table(book, "9S", "2H")
    args = {"coup": "1/1", "cause": cause, **WHY}
    bench.give(signed("invalidate", role=below, clause=clause, args=args))
    assert bench.refused() == {"role": 1}
    bench.give(signed("invalidate", role=lowest, clause=clause, args=args))
    assert [kind for _, kind, _ in bench.commands_sent(0.2)] == ["void_coup"]


@pytest.mark.parametrize(
    ("book", "role", "clause", "own"),
    [
        ("crown-baccarat", "higher_duties_dealer", "15.3", "10.11"),  # fraud is the Casino Manager's
        ("crown-baccarat", "higher_duties_dealer", "15.4", "10.11"),
        ("star-baccarat", "casino_supervisor", "14.10", "12.1.2"),  # closing a table
        ("star-rapid", "assistant_gaming_manager", "12.4.2", "11.8.1.3"),
    ],
)
def test_a_void_under_the_clause_of_another_act_is_refused_with_its_own(
    book: str, role: str, clause: str, own: str
) -> None:
    bench = at_table(book, "9S", "2H")
    reply = bench.give(signed("void", role=role, clause=clause, args={"reason": "misdeal"}))
    assert reply is not None
    assert not reply.ok
    assert f"{clause} of {book} is not about this" in reply.say
    assert own in reply.say
    bench.give(signed("void", role=role, clause=own, args={"reason": "misdeal"}))
    assert [kind for _, kind, _ in bench.commands_sent(0.2)] == ["void_coup"]


@pytest.mark.parametrize("clause", ["10.9.1", "10.9.1(a)"])
@pytest.mark.parametrize("reason", ["foreign_card", "wrong_shoe"])
def test_a_clause_by_which_players_change_wagers_is_no_ground_for_a_void(reason: str, clause: str) -> None:
    bench = at_table("crown-baccarat", "9S", "2H")  # it has no rule for either case
    reply = bench.give(signed("void", role="area_manager", clause=clause, args={"reason": reason}))
    assert reply is not None
    assert f"{clause} of crown-baccarat is not about this" in reply.say
    assert "10.9.1" not in reply.say.partition("Clauses that are")[2]


def test_a_card_that_lies_face_up_is_keyed_in_under_its_own_rule_too() -> None:
    asks: dict[str, Any] = {"asks": "B. Jones", "asks_role": "dealer", "role": "casino_supervisor"}
    for face_up, other in ((True, False), (False, True)):
        bench = at_table("star-rapid", "9S")
        args = {"card": "8H", "flags": {"face_up": face_up}}
        reply = bench.give(signed("key-card", clause="11.8.5", args=args, **asks))
        assert ("is not about this" in (reply.say if reply else "")) is other


@pytest.mark.parametrize("clause", ["14.10", "14.5.2", "7.4"])
def test_a_decision_under_another_clause_is_refused(clause: str) -> None:
    bench = DeskBench()
    bench.table.dispute()
    args = {"coup": "1/1", "verdict": "void"}
    assert "12.13" in bench.answer_to("decide", clause=clause, args=args)
    assert bench.table.verifier.disputed()


@pytest.fixture
def edge(tmp_path: Any) -> Edge:
    return Edge(tmp_path / "l.db", lucky_tie())


@pytest.mark.parametrize("restart", [False, True])
def test_the_outcome_of_an_earlier_coup_is_corrected_everywhere(edge: Edge, restart: bool) -> None:
    first = edge.one.play()
    edge.one.play()
    edge.restart()
    if restart:
        edge.one.play()
        edge.restart()
    assert not edge.ask("invalidate", coup="1/1", cause="fraud", clause="15.4", **WHY).ok
    answer = edge.ask("invalidate", coup="1/1", cause="fraud", clause="15.3", **WHY)
    assert answer.ok, answer.say
    assert edge.sums()[-1][0] == -250, "the jackpot takes its contribution back"
    back = edge.increments()[-1]
    assert back.reverses == f"{first}-jackpot-lucky-tie"
    stored = [(entry.topic, entry.payload) for entry in edge.ledger.entries()]
    (confirmed,) = [
        one
        for one in (
            msgspec.json.decode(payload, type=ConfirmedMessage) for topic, payload in stored if topic == "confirmed"
        )
        if one.kind == "void"
    ]
    assert (confirmed.coup, confirmed.corrects, confirmed.clause) == (1, first, "15.3")
    coup = [msgspec.json.decode(payload, type=CoupMessage) for topic, payload in stored if topic == "coup"][-1]
    assert (coup.kind, coup.coup, coup.by) == ("void", 1, "D. Ealer")
    alarms = [msgspec.json.decode(payload, type=AlarmMessage) for topic, payload in stored if topic == "alarm"]
    assert [(one.name, one.coup) for one in alarms][-1] == ("outcome_invalid", 1)
    again = edge.ask("invalidate", coup="1/1", cause="fraud", clause="15.3", **WHY)
    assert not again.ok
    assert "void already" in again.say
    assert not edge.ask("invalidate", coup="1/9", cause="fraud", clause="15.3", **WHY).ok


# Shoes that end


@pytest.mark.parametrize(
    ("book", "cause", "lowest", "below", "clause"),
    [  # P-03, P-10, P-11
        ("star-baccarat", "shuffle", "gaming_supervisor", "dealer", "4.1.3"),
        ("nz-baccarat", "shuffle", "game_supervisor", "dealer", "7.1(b)"),
        ("crown-baccarat", "shuffle", "higher_duties_dealer", "dealer", "4.1.1(c)"),
        ("star-rapid", "shuffle", "gaming_supervisor", "dealer", "3.8.3"),
        ("star-premium", "unfit", "gaming_supervisor", "dealer", "3.10"),
        ("crown-baccarat", "unfit", "higher_duties_dealer", "dealer", "4.4.2"),
        ("star-baccarat", "revealed", "gaming_supervisor", "dealer", "4.13"),
        ("star-premium", "revealed", "gaming_manager", "assistant_gaming_manager", "4.12"),
    ],
)
def test_a_shoe_ends_by_the_role_and_the_clause_of_its_cause(
    book: str, cause: str, lowest: str, below: str, clause: str
) -> None:
    bench = at_table(book, coups=1)
    bench.give(signed("end-shoe", role=below, clause=clause, args={"cause": cause}))
    assert bench.refused() == {"role": 1}
    bench.give(signed("end-shoe", role=lowest, clause=clause, args={"cause": cause}))
    assert [kind for _, kind, _ in bench.commands_sent(0.2)] == ["close_shoe"]
    assert bool(bench.table.verifier.alarms.named("shoe_void")) is (cause == "revealed")


def test_no_shoe_ends_in_mid_coup() -> None:
    bench = at_table("star-baccarat", "9S", "2H")
    reply = bench.give(signed("end-shoe", clause="4.1.3", args={"cause": "shuffle"}))
    assert reply is not None
    assert "a coup is in progress" in reply.say
    assert bench.commands_sent(0.2) == []


@pytest.mark.parametrize(
    ("book", "clause", "agree"), [("star-baccarat", "12.1.3", True), ("star-rapid", "11.8.1.4", False)]
)
def test_the_rest_of_the_shoe_goes_after_a_void_misdeal(book: str, clause: str, agree: bool) -> None:
    bench, log = CommandBench(), Log(book)
    log.coup()
    bench.table.verifier = log.verifier
    bench.table.incidents = IncidentBook("bac-01", log.book)
    bench.table.serve()
    rest: dict[str, Any] = {"role": "assistant_gaming_manager", "clause": clause}
    reply = bench.give(signed("end-shoe", args={"cause": "misdeal"}, **rest))
    assert reply is not None
    assert "not void" in reply.say
    log.deal("9S 2H")
    log("coup_void", shoe_no=1, coup_no=2, reason="misdeal", then="go_on", cards=2)
    reply = bench.give(signed("end-shoe", args={"cause": "misdeal"}, **rest))
    if agree:
        assert reply is not None
        assert "all players at the table must agree (12.1.3)" in reply.say
        bench.give(signed("end-shoe", args={"cause": "misdeal", "agreed": True}, **rest))
    assert [kind for _, kind, _ in bench.commands_sent(0.2)] == ["close_shoe"]


def test_the_rest_of_a_shoe_does_not_go_for_a_misdeal_of_the_shoe_before() -> None:
    bench, log = CommandBench(), Log("star-baccarat")  # 12.1.3
    log.deal("9S 2H")
    log("coup_void", shoe_no=1, coup_no=1, reason="misdeal", then="new_cards", cards=2)
    bench.table.verifier = log.verifier
    bench.table.incidents = IncidentBook("bac-01", log.book)
    bench.table.serve()
    log("shoe_closed", shoe_no=1, coups=1, cards=2, reason="new_cards")
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    reply = bench.give(signed("end-shoe", clause="12.1.3", args={"cause": "misdeal", "agreed": True}))
    assert reply is not None
    assert not reply.ok
    assert "the newest coup of this shoe is not void" in reply.say
    assert bench.commands_sent(0.2) == []
