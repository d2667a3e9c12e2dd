"""Commands to an Angel Eye: for a person, one at a time, with their answers in the log."""

from typing import Any

import msgspec
import pytest
from sabot_gateway.angel_eye import events
from sabot_gateway.angel_eye.driver import AngelEyeDriver
from sabot_gateway.angel_eye.refusals import answer_text
from sabot_gateway.shoe.commands import Command
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.deciders import Decider
from sabot_protocol.angel_eye import build
from sabot_protocol.codec import CodecError

UNIT = "ae-0123456789abc"
# As printed: all six commands with the BCC with STX, and without it.
LOCK, LOCK_OTHER = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42"), bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 39")
UNLOCK = b"\x02OPLK01\x0318"
CLEAR, KEEP, DISCARD = b"\x02OPEC00\x0318", b"\x02OPEC01\x0319", b"\x02OPEC02\x031A"
ACK = b"\x06"


def opened(**more: Any) -> AngelEyeDriver:
    driver = AngelEyeDriver(UNIT, 0, baud=4800, **{"commands": True, **more})
    driver.reset()
    driver.receive(b"", 0.0)
    driver.acknowledge(1, 0.0)
    return driver


def asked(driver: AngelEyeDriver, kind: str, **data: Any) -> Command:
    """Return a command whose id is stored, as the desk releases it."""
    command = driver.prepare_command(kind, data)
    assert command is not None
    assert command.held
    if driver.number_command(command):
        command.held = False
    return command


def sent(driver: AngelEyeDriver, now_s: float) -> bytes:
    """Return what a turn writes to the port."""
    driver.tick(now_s)
    data = driver.output()
    driver.written(len(data))
    return data


def outcomes(found: list[Event]) -> list[tuple[str, str, str]]:
    return [(event.kind, event.data["command"], event.data["outcome"]) for event in found if event.kind != events.KIND]


def fields(event: Event) -> dict[str, Any]:
    """Return the fact as the ledger has it."""
    assert event.raw[:1] == b"\x16"
    found: dict[str, Any] = msgspec.json.decode(event.raw[1:])
    return found


def test_a_lock_is_sent_once_and_its_ack_is_logged_with_the_person() -> None:
    driver = opened(who=lambda unit, command_id, kind: Decider(f"A. Smith, {unit}, {command_id}, {kind}"))
    command = asked(driver, "lock")
    assert sent(driver, 1.0) == LOCK
    assert sent(driver, 2.0) == b""
    ack, done = driver.receive(ACK, 2.1)
    assert (ack.kind, ack.raw) == ("angel_eye", ACK)
    assert done.kind == "command_done"
    assert done.data == {"command_id": command.command_id, "command": "lock", "outcome": "done", "data": {}}
    assert fields(done) == {
        "fact": "command",
        "id": 2,
        "command": "lock",
        "data": {},
        "by": f"A. Smith, {UNIT}, 2, lock",
        "outcome": "ack",
        "with_stx": True,
    }
    assert events.stored_event(UNIT, done.event_no, done.raw) == done


@pytest.mark.parametrize(
    ("error", "kind", "data", "wanted"),
    [
        (None, "unlock", {}, UNLOCK),
        (1, "clear_error", {}, CLEAR),
        (7, "clear_error", {}, CLEAR),
        (2, "clear_error", {"card": "keep"}, KEEP),
        (2, "clear_error", {"card": "discard"}, DISCARD),
    ],
)
def test_the_bytes_of_each_command(error: int | None, kind: str, data: dict[str, str], wanted: bytes) -> None:
    driver = opened()
    if error is not None:
        driver.receive(build.error("1", error, in_error_mode=True), 1.0)
    asked(driver, kind, **data)
    assert sent(driver, 1.5) == wanted


def test_nothing_is_sent_before_it_is_asked_for_nor_by_time_alone() -> None:
    driver = opened()
    driver.receive(build.error("1", 2, in_error_mode=True) + build.result("2", "tie") + build.frame("3", "C"), 1.0)
    assert not any(sent(driver, float(second)) for second in range(2, 4000))
    held = driver.prepare_command("lock", {})
    assert held is not None
    assert sent(driver, 4001.0) == b"", "its id is not stored yet"


def test_without_an_answer_in_three_seconds_it_is_over_and_a_late_ack_is_only_evidence() -> None:
    driver = opened()
    asked(driver, "lock")
    assert sent(driver, 1.0) == LOCK
    assert sent(driver, 3.9) == b""
    assert not driver.events_due(3.9)
    assert sent(driver, 4.0) == b""
    assert driver.events_due(4.0)
    assert outcomes(driver.receive(b"", 4.0)) == [("command_refused", "lock", "no answer")]
    assert [event.kind for event in driver.receive(ACK, 4.1)] == ["angel_eye"]
    assert sent(driver, 10.0) == b""


def test_one_at_a_time_in_the_order_asked_for() -> None:
    driver = opened()
    asked(driver, "lock")
    second = asked(driver, "unlock")
    assert second.held, "it has no id while another is before it"
    assert sent(driver, 1.0) == LOCK
    driver.receive(ACK, 1.5)
    assert driver.number_command(second) > 2
    second.held = False
    assert sent(driver, 2.0) == UNLOCK
    assert outcomes(driver.receive(ACK, 2.5)) == [("command_done", "unlock", "done")]


def test_the_other_bcc_is_tried_once_after_nak_02_and_remembered() -> None:
    driver = opened()
    asked(driver, "lock")
    assert sent(driver, 1.0) == LOCK
    assert outcomes(driver.receive(build.nak(0x02), 1.5)) == []
    assert sent(driver, 1.6) == LOCK_OTHER
    assert sent(driver, 4.4) == b""
    (_, done) = driver.receive(ACK, 4.4)
    assert fields(done)["with_stx"] is False
    asked(driver, "lock")
    assert sent(driver, 5.0) == LOCK_OTHER
    assert events.learnt_bcc([b"", done.raw, b"\x06", b"\x16no fact"]) is False
    assert events.learnt_bcc([]) is True
    again = opened(with_stx=False)
    asked(again, "lock")
    assert sent(again, 1.0) == LOCK_OTHER


def test_nak_02_to_both_forms_is_a_refusal_and_nothing_is_learnt() -> None:
    driver = opened()
    asked(driver, "lock")
    sent(driver, 1.0)
    driver.receive(build.nak(0x02), 1.5)
    assert sent(driver, 1.6) == LOCK_OTHER
    assert outcomes(driver.receive(build.nak(0x02), 1.7)) == [("command_refused", "lock", "nak 02")]
    asked(driver, "lock")
    assert sent(driver, 2.0) == LOCK


def test_another_refusal_of_the_other_form_shows_that_it_is_understood() -> None:
    driver = opened()
    asked(driver, "lock")
    sent(driver, 1.0)
    driver.receive(build.nak(0x02), 1.5)
    assert sent(driver, 1.6) == LOCK_OTHER
    _, busy = driver.receive(build.nak(0x21), 1.7)
    assert fields(busy)["outcome"] == "nak 21"
    asked(driver, "lock")
    assert sent(driver, 2.0) == LOCK_OTHER
    assert events.learnt_bcc([busy.raw]) is True, "after a restart only what the shoe took counts"


def test_a_refusal_names_the_shoes_reason() -> None:
    driver = opened()
    asked(driver, "lock")
    sent(driver, 1.0)
    assert outcomes(driver.receive(build.nak(0x21), 1.5)) == [("command_refused", "lock", "nak 21")]
    assert answer_text("nak 21") == "the shoe refused it (NAK 21): it is busy. Wait a moment, then repeat it."
    assert "(NAK 77): it gives no reason" in answer_text("nak 77")
    assert "did not answer. Look at the shoe" in answer_text("no answer")
    assert answer_text("done") == ""


def test_an_answer_of_another_client_changes_nothing() -> None:
    driver = opened()
    assert [event.kind for event in driver.receive(ACK + build.nak(0x21), 0.5)] == ["angel_eye", "angel_eye"]
    asked(driver, "lock")
    driver.tick(1.0)
    assert outcomes(driver.receive(ACK, 1.1)) == [], "our bytes are not written yet: it cannot be for us"
    assert sent(driver, 1.2) == LOCK
    assert outcomes(driver.receive(ACK, 1.3)) == [("command_done", "lock", "done")]


def test_a_port_that_is_lost_ends_the_command_that_was_at_the_shoe() -> None:
    driver = opened()
    asked(driver, "lock")
    sent(driver, 1.0)
    driver.port_lost()
    assert outcomes(driver.receive(b"", 1.1)) == [("command_refused", "lock", "no answer")]
    asked(driver, "lock")
    assert sent(driver, 1.2) == b"", "the port is closed"


def test_an_opening_of_the_port_makes_the_error_unknown() -> None:
    driver = opened()
    driver.receive(build.error("1", 1, in_error_mode=True), 1.0)
    assert driver.refuses("clear_error", {}) == ""
    driver.reset()
    assert "it is not known which one it shows" in driver.refuses("clear_error", {})


@pytest.mark.parametrize(
    ("frames", "data", "refused"),
    [
        ([], {}, "it is not known which one it shows. Clear it at the shoe."),
        ([build.error("1", 1, in_error_mode=False)], {}, "it is not known which one it shows"),
        ([build.error("1", 1, in_error_mode=True), build.frame("2", "S")], {}, "it is not known which one it shows"),
        ([build.error("1", 1, in_error_mode=True), build.error_cancelled("2", 1)], {}, "the shoe reports no error."),
        ([build.error("1", 2, in_error_mode=True)], {}, "the error is an overdraw. Choose what happens with the card"),
        ([build.error("1", 5, in_error_mode=True)], {"card": "keep"}, "the error is a card pushed back midway, not an"),
        ([build.error("1", 9, in_error_mode=True)], {"card": "keep"}, "the error is one that is not known, not an"),
        ([build.error("1", 2, in_error_mode=True)], {"card": "keep"}, ""),
        ([build.error("1", 9, in_error_mode=True)], {}, ""),
    ],
)
def test_an_error_is_cleared_only_in_the_way_that_it_wants(
    frames: list[bytes], data: dict[str, str], refused: str
) -> None:
    driver = opened()
    driver.receive(b"".join(frames), 1.0)
    why = driver.refuses("clear_error", data)
    assert (refused in why) if refused else (why == "")


def test_an_error_that_changed_since_it_was_asked_for_is_not_cleared() -> None:
    driver = opened()
    driver.receive(build.error("1", 1, in_error_mode=True), 1.0)
    asked(driver, "clear_error")
    driver.receive(build.error("2", 2, in_error_mode=True), 1.1)
    assert sent(driver, 1.2) == b""
    assert outcomes(driver.receive(b"", 1.3)) == [("command_refused", "clear_error", "not_now")]


def test_commands_are_off_unless_the_config_has_them() -> None:
    driver = opened(commands=False)
    for kind in ("lock", "unlock", "clear_error"):
        assert "switched off. Do it at the shoe; or set `commands = true`" in driver.refuses(kind, {})
        with pytest.raises(CodecError, match="switched off"):
            driver.prepare_command(kind, {})
    assert driver.refuses("confirm", {}) == ""


@pytest.mark.parametrize("kind", ["key_card", "deck_check", "export_coup", "reboot", "authorise", "clear_fault"])
def test_what_needs_our_own_shoe_is_refused_with_a_sentence(kind: str) -> None:
    assert "it needs Sabot's own shoe, and this table has an Angel Eye" in opened().refuses(kind, {})


def test_faults_are_errors_and_cleared_where_commands_go() -> None:
    assert opened().refuses("clear_fault", {}).endswith("run `sabot table {table} clear-error --by NAME`.")
    assert opened(commands=False).refuses("clear_fault", {}).endswith("clear the error at the shoe.")


def test_the_time_is_silently_not_sent() -> None:
    driver = opened()
    assert driver.command("set_time", {"utc_s": 1, "utc_ms": 2}) is None
    assert sent(driver, 1.0) == b""


def test_what_the_gateway_does_itself_is_logged_and_nothing_is_sent() -> None:
    driver = opened(commands=False)
    assert [kind for kind in ("confirm", "lock", "void_coup", "set_time") if driver.done_here(kind)] == [
        "confirm",
        "void_coup",
    ]
    command = driver.prepare_command("void_coup", {"reason": "misdeal", "then": "go_on"})
    assert command is not None
    assert driver.number_command(command) == 2
    assert not driver.events_due(1.0), "its id is not stored yet"
    command.held = False
    assert driver.events_due(1.0)
    (done,) = driver.receive(b"", 1.0)
    assert (done.kind, done.data["outcome"], done.data["data"]) == (
        "command_done",
        "done",
        {"reason": "misdeal", "then": "go_on"},
    )
    assert "with_stx" not in fields(done)
    assert sent(driver, 2.0) == b""


def test_what_the_gateway_does_itself_concerns_the_coup_that_was_on_the_table_before_the_next_card() -> None:
    driver = opened()
    asked(driver, "void_coup", reason="misdeal", then="go_on")
    card = build.card("1", "player", 1, "8H")
    assert [event.kind for event in driver.receive(card * 3, 1.0)] == ["command_done", events.KIND]


def test_ids_of_commands_are_never_used_again_after_a_restart() -> None:
    driver = opened()
    first = asked(driver, "lock")
    again = AngelEyeDriver(UNIT, 1, baud=4800, commands=True)  # killed before the outcome was stored
    again.reset()
    again.receive(b"", 0.0)
    assert asked(again, "lock").command_id > first.command_id
