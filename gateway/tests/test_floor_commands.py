"""Commands of the floor: accepted once; everything else is refused with a sentence, stored, counted and answered."""

from typing import Any

import msgspec
import pytest
from floor_commands_bench import KEY, NOW_S, OTHER_KEY, CommandBench, command, disputed, signed
from sabot_gateway.operator.attempts import ATTEMPT, OUTCOME
from sabot_gateway.operator.desk import Desk
from sabot_gateway.operator.verbs import TABLE_VERBS
from sabot_protocol import fields
from sabot_protocol.attempts import Attempt
from sabot_protocol.command_acts import ACTS, VOID_ACTS
from sabot_protocol.commands import CommandAct, canonical, read
from sabot_protocol.rulebooks.people import catalogue
from sabot_service.moment import Moment, utc


@pytest.fixture
def bench() -> CommandBench:
    return CommandBench()


# What is accepted


def test_a_command_is_carried_out_as_a_request_at_the_socket_is(bench: CommandBench) -> None:
    reply = bench.give(disputed(bench))
    assert reply is not None
    assert (reply.ok, reply.reason) == (True, "")
    assert reply.say.startswith("Coup 1/1 is void.")
    (attempt,) = bench.entries(ATTEMPT)
    assert (attempt["origin"], attempt["by"], attempt["verb"], attempt["clause"]) == (
        "floor", "A. Smith", "decide", "12.13",
    )  # fmt: skip
    taken = {name: attempt["command"][name] for name in ("id", "person", "role", "act", "coup", "key")}
    assert taken == {
        "id": reply.id, "person": "asmith", "role": "casino_supervisor", "act": "decide_discrepancy", "coup": "1/1",
        "key": KEY.public.id,
    }  # fmt: skip
    (outcome,) = bench.entries(OUTCOME)
    assert (outcome["ok"], outcome["say"], outcome["time"]) == (True, reply.say, reply.time)


def test_nothing_is_answered_before_the_outcome_is_stored(bench: CommandBench) -> None:
    bench.put(disputed(bench))
    assert (bench.replies, bench.stored) == ([], [])
    bench.store()  # the attempt
    assert bench.replies == []
    bench.store()  # the outcome
    assert [reply.ok for reply in bench.replies] == [True]


def test_a_request_at_the_socket_is_local(bench: CommandBench) -> None:
    bench.request("ack-alarm", clause="")
    bench.store()
    assert [(one["origin"], one["command"]) for one in bench.entries(ATTEMPT)] == [("local", None)]
    assert bench.intake.status()["local"] == 1
    old = {name: value for name, value in bench.entries(ATTEMPT)[0].items() if name not in ("origin", "command")}
    assert msgspec.convert(old, Attempt).origin == "local"


def test_the_same_bytes_again_get_the_same_reply_and_nothing_is_done_twice(bench: CommandBench) -> None:
    payload = disputed(bench)
    bench.give(payload)
    bench.now_s += 40.0  # expired meanwhile
    bench.give(payload)
    assert bench.payloads[0] == bench.payloads[1]
    assert len(bench.entries(ATTEMPT)) == 1
    assert bench.intake.status()["repeated"] == 1
    bench.now_s += 30.0  # not remembered any more
    reply = bench.give(payload)
    assert reply is not None
    assert (reply.ok, reply.reason) == (False, "expired")
    assert len(bench.entries(ATTEMPT)) == 1


def test_one_that_comes_again_before_its_outcome_is_answered_once(bench: CommandBench) -> None:
    payload = disputed(bench)
    bench.put(payload)
    bench.put(payload)
    for _ in range(3):
        bench.store()
    assert len(bench.replies) == 1


# What is refused


def refusal(bench: CommandBench, payload: bytes, table: str = "bac-01") -> tuple[str, str]:
    """Give a payload that is refused; return reason and sentence, which ledger and counters have, too."""
    reply = bench.give(payload, table)
    assert reply is not None
    assert not reply.ok
    assert bench.entries(ATTEMPT) == []
    stored = bench.entries("refused")[-1]
    assert (stored["reason"], stored["say"]) == (reply.reason, reply.say)
    assert bench.refused() == {reply.reason: 1}
    assert bench.intake.status()["accepted"] == 0
    return reply.reason, reply.say


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"now_s": NOW_S - 40.0, "valid_s": 30.0}, "expired"),
        ({"now_s": NOW_S + 6.0}, "early"),
        ({"valid_s": 31.0}, "validity"),
        ({"valid_s": -1.0}, "validity"),
        ({"site": "sydney"}, "other_site"),
        ({"table": "bac-02"}, "other_table"),
        ({"coup": "1/2"}, "other_coup"),
        ({"coup": "2/1"}, "other_coup"),
        ({"role": "dealer"}, "role"),
        ({"role": "janitor"}, "unknown_role"),
        ({"role": ""}, "unknown_role"),
        ({"verb": "explode"}, "unknown_verb"),
        ({"verb": "status"}, "unknown_verb"),
        ({"verb": "accept-ledger", "args": {"reason": "a test"}}, "unknown_verb"),
        ({"args": {"alarm": 7}}, "bad_request"),
        ({"args": {"colour": "red"}}, "bad_request"),
        ({"verb": "authorise", "args": {"times": "one"}}, "bad_request"),
        ({"verb": "decide", "args": {}}, "bad_request"),
        ({"name": " "}, "bad_request"),
    ],
)
def test_a_signed_command_that_is_wrong_is_refused(bench: CommandBench, changes: dict[str, Any], reason: str) -> None:
    assert refusal(bench, signed(**changes))[0] == reason
    (stored,) = bench.entries("refused")
    assert (stored["signed"], stored["person"]) == (True, "asmith")


def test_a_refusal_names_everyone_and_the_clause(bench: CommandBench) -> None:
    payload = signed(role="dealer", clause="12.13", asks="B. Jones", asks_role="dealer")
    assert refusal(bench, payload)[0] == "role"
    (stored,) = bench.entries("refused")
    assert {name: stored[name] for name in ("name", "role", "asks", "asks_role", "clause")} == {
        "name": "A. Smith",
        "role": "dealer",
        "asks": "B. Jones",
        "asks_role": "dealer",
        "clause": "12.13",
    }


@pytest.mark.parametrize("later_s", [-5.0, 24.9])
def test_the_clocks_may_differ_by_five_seconds(bench: CommandBench, later_s: float) -> None:
    payload = signed(now_s=NOW_S - later_s)
    reply = bench.give(payload)
    assert reply is not None
    assert reply.reason == ""


def test_what_the_floor_has_not_signed_is_refused(bench: CommandBench) -> None:
    right = read(signed())
    forged = msgspec.structs.replace(right, signature="0" * 128)
    unsigned = msgspec.structs.replace(right, signature="")
    resigned = read(OTHER_KEY.sign(right))
    claimed = msgspec.structs.replace(resigned, key=KEY.public.id)
    raised = msgspec.structs.replace(right, role="operator")
    pretty = msgspec.json.format(canonical(right, signed=True))
    twice = canonical(right, signed=True)[:-1] + b',"role":"operator"}'
    cases = [(canonical(one, signed=True), "signature") for one in (forged, unsigned, claimed, raised)]
    cases += [(canonical(resigned, signed=True), "other_key"), (pretty, "unreadable"), (twice, "unreadable")]
    cases += [(b"", "unreadable"), (b"\xff\xfe", "unreadable"), (b"[" * 8000, "unreadable"), (b"x" * 9000, "too_long")]
    cases += [(canonical(right, signed=True)[:-40], "unreadable"), (signed(args={"alarm": "a" * 9000}), "too_long")]
    deep: Any = "x"
    for _ in range(900):
        deep = [deep]
    cases.append((signed(args={"alarm": deep}), "bad_request"))
    cases.append((signed(issued="2026-02-31T00:00:00.000Z"), "unreadable"))
    for payload, reason in cases:
        one = CommandBench()
        found, say = refusal(one, payload)
        assert found == reason, (payload[:200], say)
        assert one.entries("refused")[0]["signed"] is (reason == "bad_request" or b"02-31" in payload)


def test_without_a_key_nothing_is_taken(bench: CommandBench) -> None:
    bench.intake.key = None
    reason, say = refusal(bench, signed())
    assert reason == "no_key"
    assert "floor_key" in say


def test_a_command_for_another_table_that_comes_here_again_is_still_refused(bench: CommandBench) -> None:
    payload = signed()
    bench.give(payload)
    assert bench.give(payload, "bac-09") is None  # of no table here
    assert bench.refused() == {}
    assert len(bench.entries(ATTEMPT)) == 1


def test_id_and_nonce_are_used_once(bench: CommandBench) -> None:
    first = command()
    bench.give(KEY.sign(first))
    cases: list[dict[str, Any]] = [
        {"id": first.id},
        {"nonce": first.nonce},
        {"id": first.id, "nonce": first.nonce, "coup": "1/1"},
    ]
    for changes in cases:
        reply = bench.give(signed(**changes))
        assert reply is not None
        assert reply.reason == "repeated"
    assert len(bench.entries(ATTEMPT)) == 1


def test_a_refused_command_is_not_carried_out_later(bench: CommandBench) -> None:
    payload = signed("ack-alarm", coup="1/2")
    assert refusal(bench, payload)[0] == "other_coup"
    bench.table.dispute()
    bench.table.follow()
    reply = bench.give(payload)
    assert reply == bench.replies[0]
    assert bench.entries(ATTEMPT) == []


def test_a_clock_that_goes_back_lets_no_command_in_again(bench: CommandBench) -> None:
    payload = signed()
    bench.give(payload)
    bench.now_s += 70.0
    bench.give(signed(now_s=NOW_S + 70.0))
    back = Moment(bench.now_s, utc(NOW_S))  # a minute is gone by one clock, and not by the other
    bench.intake.received("sabot/v1/test/bac-01/cmd", payload)
    bench.intake.step(back)
    bench.store()
    assert bench.replies[-1].reason == "expired"
    assert len(bench.entries(ATTEMPT)) == 2


def test_while_the_gateway_is_held_a_command_is_refused_and_may_come_again(bench: CommandBench) -> None:
    bench.problem = "the disk is full"
    payload = signed()
    bench.give(payload)
    assert bench.replies[-1].say == "the gateway takes no commands now: the disk is full"
    assert bench.stored == []
    bench.problem = None
    bench.give(payload)
    assert len(bench.entries(ATTEMPT)) == 1


# Authority


def test_every_verb_has_its_act(bench: CommandBench) -> None:
    assert {*ACTS, "void"} == set(TABLE_VERBS)
    assert set(VOID_ACTS) == set(fields.VoidReason.encmapping)
    assert {act for act in (*ACTS.values(), *VOID_ACTS.values()) if act} <= catalogue().acts().keys()


@pytest.mark.parametrize(
    ("book", "verb", "role", "allowed"),
    [  # by people.md: P-43, P-37, P-46, P-39, P-48, P-51; A-80 for what the rulebook has no rule for
        ("star-baccarat", "decide", "casino_supervisor", True),
        ("star-baccarat", "decide", "gaming_supervisor", True),  # counts as a casino supervisor, 1.1
        ("star-baccarat", "decide", "dealer", False),
        ("star-premium", "no-bet", "casino_supervisor", False),
        ("crown-baccarat", "no-bet", "higher_duties_dealer", True),
        ("crown-baccarat", "no-bet", "dealer", False),
        ("star-rapid", "confirm", "dealer", True),
        ("star-rapid", "void", "casino_supervisor", False),
        ("star-baccarat", "void", "casino_supervisor", True),
        ("star-baccarat", "lock", "dealer", False),
        ("star-baccarat", "this-no-bet", "dealer", False),
        ("star-baccarat", "this-no-bet", "casino_supervisor", True),
        ("star-premium", "this-no-bet", "casino_supervisor", False),
        ("star-baccarat", "this-no-bet", "inspector", False),
    ],
)
def test_the_rulebook_decides_who_may(bench: CommandBench, book: str, verb: str, role: str, allowed: bool) -> None:
    bench.table.verifier.rulebook = book
    args = {"decide": {"coup": "1/1", "verdict": "void"}}.get(verb, {})
    reply = bench.give(signed(verb, role=role, args=args))
    assert bench.refused() == ({} if allowed else {"role": 1}), reply


def test_a_card_is_keyed_in_by_two_people_where_the_rulebook_has_it_so(bench: CommandBench) -> None:
    bench.table.verifier.rulebook = "star-rapid"  # 11.8.12: dealer with casino supervisor
    key = {"verb": "key-card", "args": {"card": "8H"}}
    for changes, refused in (
        ({}, True),
        ({"asks": "A. Smith", "asks_role": "dealer"}, True),
        ({"asks": "B. Jones", "asks_role": "dealer", "role": "dealer"}, True),
        ({"asks": "B. Jones", "asks_role": "dealer"}, False),
    ):
        before = bench.refused().get("role", 0)
        bench.give(signed(**key, **changes))  # type: ignore[arg-type]
        assert (bench.refused().get("role", 0) > before) is refused, changes


def test_a_signed_confirm_decides_no_disputed_coup(bench: CommandBench) -> None:
    bench.table.serve()
    disputed(bench)
    reply = bench.give(signed("confirm"))
    assert reply is not None
    assert reply.say.startswith("Confirm refused: coup 1/1 is disputed: decide it with `sabot table bac-01 decide ")


# The coup it is bound to


def test_a_coup_that_goes_between_the_check_and_the_act_refuses_the_command(bench: CommandBench) -> None:
    bench.table.serve()
    bench.put(signed("lock", coup="1/1"))
    bench.table.verifier.state.coup_no = 1  # the next coup is on the table before the attempt is stored
    for _ in range(3):
        bench.store()
    assert not bench.replies[-1].ok
    assert "coup 1/2 is on the table" in bench.replies[-1].say


# Bounds


def test_a_flood_is_counted_and_does_not_fill_the_ledger(bench: CommandBench) -> None:
    for number in range(1000):
        bench.give(b"forged %d" % number)
        bench.now_s += 0.01
    assert bench.refused() == {"unreadable": 1000}
    assert len(bench.entries("refused")) < 30
    assert len(bench.replies) < 200
    bench.now_s += 10.0
    bench.give(b"one more")
    assert sum(one["left_out"] + 1 for one in bench.entries("refused")) == 1001
    assert bench.give(signed(now_s=NOW_S + bench.now_s)) is not None
    assert bench.intake.status()["accepted"] == 1


def test_what_waits_is_bounded(bench: CommandBench) -> None:
    for number in range(100):
        bench.intake.received("sabot/v1/test/bac-01/cmd", b"%d" % number)
    assert bench.refused() == {"flood": 36}
    bench.intake.step(bench.at())
    assert bench.refused()["unreadable"] == 16


# After a restart


def restarted(bench: CommandBench) -> None:
    bench.desk = Desk(bench.own)
    bench.intake = bench.new_intake()
    bench.intake.recall(bench.stored, bench.at())


def test_after_a_restart_the_same_command_gets_the_same_reply(bench: CommandBench) -> None:
    payload, refused = disputed(bench), signed(role="dealer")
    bench.give(payload)
    bench.give(refused)
    restarted(bench)
    bench.give(payload)
    bench.give(refused)
    assert bench.payloads[2:] == bench.payloads[:2]
    assert len(bench.entries(ATTEMPT)) == 1
    reply = bench.give(signed(nonce=read(payload).nonce))
    assert reply is not None
    assert reply.reason == "repeated"


def test_a_kill_between_attempt_and_outcome_is_answered_and_nothing_is_done_again(bench: CommandBench) -> None:
    payload = disputed(bench)
    bench.put(payload)
    stored = [*bench.own.waiting]
    bench.store()
    bench.own.waiting.clear()  # the outcome is lost
    assert [entry.topic for entry in stored] == [ATTEMPT]
    restarted(bench)
    reply = bench.give(payload)
    assert reply is not None
    assert not reply.ok
    assert "not known whether" in reply.say
    assert len(bench.entries(ATTEMPT)) == 1


def test_what_the_ledger_no_longer_shows_cannot_come_again(bench: CommandBench) -> None:
    payload = signed()
    bench.give(payload)
    bench.give(signed())
    later = [entry for entry in bench.stored if entry.event_no != 1]
    bench.intake = bench.new_intake()
    bench.intake.recall(later, bench.at())
    reply = bench.give(payload)
    assert reply is not None
    assert reply.reason == "expired"


def test_the_act_is_written_as_the_socket_takes_it() -> None:
    message = command("void", args={"reason": "misdeal"})
    assert message.act == CommandAct(verb="void", args={"reason": "misdeal"})
    assert read(KEY.sign(message)).act == message.act
