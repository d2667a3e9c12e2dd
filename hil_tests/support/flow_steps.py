"""Steps of flows: the people of each rulebook, what every flow checks at its end, and the books that have a flow."""

from typing import Any, NamedTuple

import pytest
from sabot_protocol.commands import CommandReply
from sabot_sim.scenarios.example_coups import BANKER

from support.flow_table import DEALER, FlowTable, name_of
from support.play_table import CROWN, NZ, PREMIUM, RAPID, STAR

# By kind of incident and name of its step: the role of the person who did it and its clause; no role: at the shoe.
Expected = dict[str, dict[str, tuple[str, str]]]


class People(NamedTuple):
    """The lowest role that decides as a supervisor in a book, and the next one below it."""

    supervisor: str
    below: str


# people.md, "Who counts as whom": GS counts as CS in 000, 001 and 004; OP is CS in 002; HDD follows the dealer in 003
PEOPLE = {
    STAR: People("gaming_supervisor", DEALER),
    PREMIUM: People("gaming_supervisor", DEALER),
    NZ: People("casino_supervisor", "game_supervisor"),
    CROWN: People("higher_duties_dealer", DEALER),
    RAPID: People("gaming_supervisor", DEALER),
}
# P-39: 004 11.8.1.3 wants the Assistant Gaming Manager.
MISDEAL = {**PEOPLE, RAPID: People("assistant_gaming_manager", "casino_supervisor")}


def books(*names: str) -> pytest.MarkDecorator:
    """Run a flow at the tables of these books."""
    return pytest.mark.parametrize("table", names, indirect=True, ids=names)


EVERY = books(*PEOPLE)


# Steps that flows share


def supervised(
    table: FlowTable, verb: str, clause: str = "", people: People | None = None, **args: Any
) -> CommandReply:
    """The next lower role is refused and changes nothing; the lowest that may gives the command."""
    people = people or PEOPLE[table.book]
    refused = table.ask(people.below, verb, clause, **args)
    assert (refused.ok, refused.reason) == (False, "role"), refused.say
    reply = table.ask(people.supervisor, verb, clause, **args)
    assert reply.ok, reply.say
    return reply


def assert_settled(table: FlowTable, incidents: Expected | None = None, *, closed: bool = False) -> None:
    """Nothing is open on any surface, the exit is free, and the ledger names person, role, clause and time."""
    supervisor = PEOPLE[table.book].supervisor
    if table.active():
        assert table.ask(supervisor, "ack-alarm").ok
    assert (table.active(), table.open()) == ([], {})
    assert_closed(table, incidents or {})
    status = table.status()
    assert (status["disputed"], status["fault"], status["next_step"]) == ([], None, None)
    assert table.locked() == closed
    assert_recorded(table)


def assert_closed(table: FlowTable, expected: Expected) -> None:
    """The incidents of this flow are closed, and each step has its person, role, clause and time."""
    found = table.incidents()
    steps = [step for one in found for step in one.get("steps", [])]
    assert {
        one["kind"]: {step["name"]: (step.get("by_role", ""), step["clause"]) for step in one["steps"]}
        for one in found
        if "steps" in one
    } == expected
    assert all(one["state"] == "closed" and one["clause"] and one["opened"] for one in found)
    assert all(step["done"] and step["by"] for step in steps)
    people = {attempt["id"]: attempt for attempt in table.entries("attempt")}
    for step in (step for step in steps if step.get("by_role")):
        attempt = people[step["attempt"]]
        assert (step["by"], step["by_role"]) == (attempt["by"], attempt["command"]["role"])


def assert_recorded(table: FlowTable) -> None:
    """Each decision in the ledger has person, role, clause and time; each correction names what it corrects."""
    attempts = {attempt["id"]: attempt for attempt in table.entries("attempt")}
    outcomes = {outcome["attempt"] for outcome in table.entries("outcome")}
    assert set(attempts) == outcomes
    for attempt in attempts.values():
        assert attempt["time"]
        assert attempt["by"] == name_of(attempt["command"]["role"])
    for refused in table.entries("refused"):
        assert refused["time"]
        assert refused["name"] == name_of(refused["role"])
    coups = {coup["id"]: coup for coup in table.entries("coup")}
    for coup in coups.values():
        assert not coup["corrects"] or (coups[coup["corrects"]]["shoe"], coups[coup["corrects"]]["coup"]) == (
            coup["shoe"],
            coup["coup"],
        )
        if coup["status"] in ("confirmed", "void") and coup["by"] != "the dealer, at the shoe":
            decision = attempts[coup["attempt"]]
            assert (coup["by"], coup["clause"]) == (decision["by"], decision["clause"])
            assert coup["decided"]
    assert {coup["id"] for coup in table.messages("coup")} == set(coups)  # what is published is what is stored


def plays_on(table: FlowTable, coup_no: int) -> None:
    """The next coup is an ordinary one."""
    table.deal(BANKER)
    table.confirm()
    assert table.coups()[-1] == (coup_no, "verified", "banker")
    assert table.messages("coup")[-1]["kind"] == "live"
    assert table.coups("confirmed")[-1] == (coup_no, "confirmed", "banker")
