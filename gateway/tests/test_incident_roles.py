"""Roles of signed commands about incidents: a lower role than that of the step or the act is refused."""

import pytest
from floor_commands_bench import CommandBench, signed
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.verify import Verifier
from sabot_protocol import rulebooks


def bench(book: str) -> CommandBench:
    made, rules = CommandBench(), rulebooks.load(book)
    made.table.verifier = Verifier("bac-01", rules, rules.profile(8, 1), made.desk.attempts.decider_of)
    made.table.incidents = IncidentBook("bac-01", rules, made.desk.attempts.decider_of)
    made.table.open()
    return made


@pytest.mark.parametrize(
    ("book", "role", "allowed"),
    [  # P-62
        ("star-baccarat", "dealer", False),
        ("star-baccarat", "gaming_supervisor", True),
        ("crown-baccarat", "higher_duties_dealer", False),
        ("crown-baccarat", "area_manager", True),
    ],
)
def test_the_first_decision_on_a_dispute(book: str, role: str, allowed: bool) -> None:
    made = bench(book)
    opener = "casino_supervisor" if book == "star-baccarat" else "higher_duties_dealer"
    opened = made.give(signed("dispute", role=opener, args={"patron": "B. Lee"}))
    assert opened is not None
    assert opened.ok
    (incident,) = made.table.incidents.open()
    step = incident.steps[0].name
    reply = made.give(signed("step", role=role, args={"incident": incident.incident, "step": step}))
    assert reply is not None
    assert reply.ok is allowed, reply.say
    assert made.refused() == ({} if allowed else {"role": 1})
    if allowed:
        (after,) = made.table.incidents.open()
        done = after.steps[0]
        assert (done.by, done.by_role, done.attempt) == ("A. Smith", role, made.entries("attempt")[-1]["id"])


@pytest.mark.parametrize(
    ("book", "act", "role", "allowed"),
    [  # P-11, P-55, P-81, P-16
        ("star-premium", "void_shoe", "casino_supervisor", False),
        ("star-premium", "void_shoe", "gaming_manager", True),
        ("crown-baccarat", "bar_from_game", "area_manager", False),
        ("crown-baccarat", "bar_from_game", "casino_manager", True),
        ("star-baccarat", "return_wager", "dealer", True),  # the rule works without approval
        ("crown-baccarat", "raise_minimum", "higher_duties_dealer", False),
    ],
)
def test_who_records_an_act_must_be_able_to_do_it(book: str, act: str, role: str, allowed: bool) -> None:
    made = bench(book)
    reply = made.give(signed("record", role=role, args={"act": act}))
    assert reply is not None
    assert reply.ok is allowed, reply.say
    assert (made.entries("incident") != []) is allowed


def test_a_notification_without_a_named_role_is_recorded_by_the_role_for_what_no_rule_covers() -> None:
    made = bench("star-baccarat")
    made.give(signed("record", args={"act": "void_shoe"}))
    notified = {"incident": "shoe_void", "step": "notify_inspector"}
    refused = made.give(signed("step", role="dealer", args=notified))
    done = made.give(signed("step", role="casino_supervisor", args=notified))
    assert [reply.ok for reply in (refused, done) if reply] == [False, True]
