"""Who decided: every coup that a person voided or confirmed names the person and the clause."""

from typing import Any

import msgspec
import pytest
from desk_bench import GATEWAY, TIME, VOID, DeskBench
from sabot_gateway.ledger import Stored
from sabot_gateway.operator.attempts import Attempts
from sabot_gateway.verify import Verifier
from sabot_gateway.verify.deciders import Decider
from sabot_protocol.topics import CoupMessage
from sabot_service.messages import Answer
from shoe_events import BOOK, PROFILE, UNIT, cards, event, result


@pytest.fixture
def bench() -> DeskBench:
    return DeskBench()


def voided(bench: DeskBench, restarted: Attempts | None = None) -> CoupMessage:
    """Let A. Smith void the coup on the table; `restarted` are the attempts of a gateway started since."""
    bench.table.serve()
    bench.table.open()
    bench.table.follow(*cards(2, "9S 2H"))
    bench.send("void", args=VOID, clause="rule 12.1.2")
    bench.commands_sent(0.1)
    if restarted is not None:
        bench.table.verifier = Verifier("bac-01", BOOK, PROFILE, restarted.decider_of)
    bench.shoe_logs("command_done", command_id=1, command="void_coup", outcome="done", data=VOID)
    bench.shoe_logs("coup_void", shoe_no=1, coup_no=1, cards=2, **VOID)
    (coup,) = bench.coups()
    return coup


def test_a_voided_coup_names_the_person_the_time_and_the_clause(bench: DeskBench) -> None:
    coup = voided(bench)
    assert (coup.kind, coup.by, coup.clause) == ("void", "A. Smith", "12.1.2")
    assert (coup.decided, coup.attempt) == (TIME, f"{GATEWAY}-7")


def stored(number: int, topic: str, message: dict[str, Any]) -> Stored:
    payload = msgspec.json.encode(message)
    return Stored(GATEWAY, number, "bac-01", topic, payload, b"", TIME, "", number, b"")


ATTEMPT = {
    "id": f"{GATEWAY}-3",
    "time": TIME,
    "table": "bac-01",
    "verb": "void",
    "by": "C. Brown",
    "user": "floor",
    "clause": "12.1.2",
    "args": {},
}
SENT = {"id": f"{GATEWAY}-4", "time": TIME, "table": "bac-01", "attempt": ATTEMPT["id"], "unit": UNIT}


@pytest.mark.parametrize(
    ("sent_before", "by"),
    [
        ({"command_id": 1, "command": "void_coup"}, "C. Brown"),
        ({"command_id": 2, "command": "void_coup"}, "unknown person, command 1"),
        ({"command_id": 1, "command": "lock"}, "unknown person, command 1"),
        ({}, "unknown person, command 1"),
    ],
)
def test_after_a_restart_the_person_is_recalled_from_the_ledger(
    bench: DeskBench, sent_before: dict[str, Any], by: str
) -> None:
    attempts = Attempts()
    attempts.recall([stored(3, "attempt", ATTEMPT), stored(4, "sent", SENT | sent_before)])
    coup = voided(bench, attempts)
    assert (coup.by, coup.clause) == (by, "12.1.2" if by == "C. Brown" else "")


def test_a_void_by_an_irregularity_names_the_shoe_and_the_clause_of_the_case(bench: DeskBench) -> None:
    bench.table.serve()
    bench.shoe_logs("shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none")
    case = {"case": "insufficient_cards", "facts": {}, "code": "VOID"}
    bench.shoe_logs("irregularity", shoe_no=1, coup_no=1, **case)
    bench.shoe_logs("coup_void", shoe_no=1, coup_no=1, cards=2, reason="short_shoe", then="new_cards")
    (coup,) = bench.coups()
    assert (coup.by, coup.clause, coup.attempt) == ("at the shoe: short shoe", "12.6, A-40", "")


def test_the_answer_to_confirm_names_the_dispute_that_is_still_open(bench: DeskBench) -> None:
    bench.table.serve()
    bench.table.open()
    bench.table.follow(*cards(2, "9S 2H TD 3C"), result(6, "player", 9, 5, natural=True))
    bench.send("confirm")
    bench.commands_sent(0.1)
    wrong_rule = {"case": "insufficient_cards", "facts": {}, "code": "CONFIRM"}  # 12.6: the coup is void
    bench.table.follow(event(7, "irregularity", shoe_no=1, coup_no=1, **wrong_rule))
    bench.shoe_logs("command_done", command_id=1, command="confirm", outcome="done", data={})
    bench.commit()
    command = "`sabot table bac-01 decide --coup 1/1 --verdict confirmed|void --by NAME --clause N`"
    say = f"Done. The coup is still disputed: decide it with {command}."
    assert bench.answers == [Answer(True, say)]


def test_a_void_is_still_the_commands_after_a_restart_of_the_shoe_but_not_after_a_card(bench: DeskBench) -> None:
    bench.table.serve()
    bench.table.open()
    bench.desk.attempts.add_command(UNIT, 5, "void_coup", Decider("A. Smith", "12.1.2", TIME, f"{GATEWAY}-3"))
    done = {"command_id": 5, "command": "void_coup", "outcome": "done", "data": VOID}
    set_time = {"command_id": 6, "command": "set_time", "outcome": "done", "data": {"utc_s": 1, "utc_ms": 0}}
    bench.shoe_logs("command_done", **done)
    bench.shoe_logs("boot", boot_count=2, cause="power")
    bench.shoe_logs("command_done", **set_time)
    bench.shoe_logs("coup_void", shoe_no=1, coup_no=1, cards=0, **VOID)
    bench.shoe_logs("command_done", **done)
    flags = {"speed_mm_s": 900, "margin_pct": 80, "flags": {}}
    bench.shoe_logs("card", shoe_no=1, coup_no=2, slot="player_1", card="9S", **flags)
    bench.shoe_logs("coup_void", shoe_no=1, coup_no=2, cards=1, **VOID)
    assert [coup.by for coup in bench.coups()] == ["A. Smith", "at the shoe: misdeal"]


def test_a_void_by_the_button_names_the_button(bench: DeskBench) -> None:
    bench.table.serve()
    bench.table.open()
    bench.shoe_logs("button", shoe_no=1, coup_no=1, button="new_shoe")
    bench.shoe_logs("coup_void", shoe_no=1, coup_no=1, cards=1, reason="supervisor", then="new_cards")
    assert [coup.by for coup in bench.coups()] == ["at the shoe: New shoe"]


def test_a_confirm_by_command_settles_the_dealers_entry_in_the_persons_name(bench: DeskBench) -> None:
    bench.table.serve()
    bench.table.open()
    bench.table.follow(*cards(2, "9S 2H TD 3C"), result(6, "player", 9, 5, natural=True))
    case = {"case": "scan_discrepancy", "facts": {"confirmed": True}, "code": "CONFIRM"}
    bench.send("confirm", clause="")
    bench.commands_sent(0.1)
    bench.table.follow(  # before the command reaches the shoe
        event(7, "button", shoe_no=1, coup_no=1, button="banker"),
        event(8, "irregularity", shoe_no=1, coup_no=1, **case),
    )
    bench.shoe_logs("command_done", command_id=1, command="confirm", outcome="done", data={})
    (coup,) = bench.coups()
    assert (coup.status, coup.by, coup.clause, coup.attempt) == ("confirmed", "A. Smith", "12.13", f"{GATEWAY}-7")
