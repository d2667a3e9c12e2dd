"""A gateway with an Angel Eye behind a converter: what is stored, what people ask for, what is wrong with the line."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from angel_eye_floor import EyeFloor, eye_floors
from sabot_gateway.angel_eye.driver import AngelEyeDriver
from sabot_gateway.ledger import Entry, Ledger
from sabot_gateway.operator.requests import GatewayRequest
from sabot_gateway.operator.verbs.gateway import AcceptLedger
from sabot_protocol.angel_eye import build

CONNECT = b'\x16{"fact":"connect"}'
LOCK = b"\x02OPLK02\x031B"
Start = Callable[..., EyeFloor]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with eye_floors(tmp_path) as started:
        yield started


def frames(floor: EyeFloor) -> list[bytes]:
    return [entry.frame for entry in floor.events()]


def test_a_coup_is_stored_frame_by_frame_verified_and_confirmed_and_nothing_is_sent(start: Start) -> None:
    floor = start()
    floor.connect()
    dealt = floor.cards("P1:9S B1:2H P2:TD B2:3C")
    result = build.result(floor.seq(), "player")
    floor.play(*dealt, result)
    assert frames(floor) == [CONNECT, *dealt, result]
    assert [entry.event_no for entry in floor.events()] == [1, 2, 3, 4, 5, 6]
    (coup,) = floor.messages("coup")
    assert (coup["status"], coup["winner"], coup["player"], coup["banker"]) == (
        "verified",
        "player",
        ["9S", "TD"],
        ["2H", "3C"],
    )
    assert [confirmed["status"] for confirmed in floor.messages("confirmed")] == ["confirmed"]
    status = floor.status()
    assert (status["state"], status["driver"], status["unit"]) == ("online", "angel-eye", floor.events()[0].unit)
    floor.step(60.0)
    assert floor.line.received == b""


def test_numbers_go_on_after_a_kill_and_the_new_connection_is_logged(start: Start) -> None:
    floor = start()
    floor.connect()
    floor.coup()
    before = floor.events()
    floor.kill()
    floor.start()
    floor.until(lambda: floor.line.clients and len(floor.events()) > len(before))
    floor.coup("P1:9H B1:2D P2:TC B2:3S")
    assert [entry.event_no for entry in floor.events()] == list(range(1, 13))
    assert frames(floor)[6] == CONNECT
    assert {entry.unit for entry in floor.events()} == {before[0].unit}
    assert [(coup["shoe"], coup["coup"]) for coup in floor.messages("coup")] == [(1, 1), (1, 2)]


def test_a_converter_that_hangs_up_again_and_again_fills_no_ledger(start: Start) -> None:
    floor = start()
    floor.connect()
    floor.play(*floor.cards("P1:9S"))
    for _ in range(5):
        floor.line.hang_up()
        floor.until(lambda: floor.status()["state"] == "offline", 0.5)
        assert "has closed the connection: check its power, and how many clients" in floor.status()["problem"]
        assert (floor.status()["driver"], floor.status()["commands"]) == ("angel-eye", False)
        assert floor.app._tables["bac-01"].link.unit is None
        floor.until(lambda: floor.line.clients, 0.5)
        floor.until(lambda: floor.status()["state"] == "online", 0.5)
    assert [frame for frame in frames(floor) if frame == CONNECT] == [CONNECT] * 2
    assert [coup["flags"] for coup in floor.messages("coup")] == [["incomplete", "link_lost_inside"]]


@pytest.mark.parametrize(
    ("dealt", "on_table"),
    [("P1:9S B1:2H", "Coup 1/2 was on the table: settle it with a supervisor. "), ("", "")],
)
def test_a_line_lost_in_play_is_an_alarm_at_once_and_only_one(start: Start, dealt: str, on_table: str) -> None:
    floor = start()
    floor.connect()
    floor.coup()
    if dealt:
        floor.play(*floor.cards(dealt))
    for _ in range(3):
        floor.line.hang_up()
        floor.until(lambda: floor.status()["state"] == "offline", 0.5)
        floor.until(lambda: floor.messages("alarm"))
        assert floor.status()["state"] == "offline"
        floor.until(lambda: floor.line.clients and floor.status()["state"] == "online", 0.5)
    first, *more = floor.messages("alarm")
    assert (first["name"], first["say"].partition("While the")[0]) == (
        "line_interrupted",
        f"The line to the shoe was lost. {on_table}",
    )
    assert [alarm["name"] for alarm in more] == ["discrepancy"] * bool(dealt)


def test_a_line_lost_before_the_first_coup_is_no_alarm(start: Start) -> None:
    floor = start()
    floor.connect()
    floor.line.hang_up()
    floor.until(lambda: floor.status()["state"] == "offline", 0.5)
    assert floor.messages("alarm") == []


def test_what_came_while_the_disk_was_full_is_stored_afterwards_in_order(start: Start) -> None:
    floor = start()
    floor.connect()
    floor.play(*floor.cards("P1:9S"))
    floor.app._ledger._db.execute("PRAGMA query_only = ON")
    dealt = floor.cards("B1:2H P2:TD B2:3C")
    floor.line.send(*(frame * 3 for frame in dealt))
    floor.until(lambda: "ledger" in str(floor.status().get("problem")), 0.1)
    late = build.result(floor.seq(), "player")
    floor.line.send(late * 3)
    for _ in range(50):
        floor.step(5.0)
    floor.app._ledger._db.execute("PRAGMA query_only = OFF")
    floor.until(lambda: late in frames(floor), 0.5)
    assert frames(floor)[2:] == [*dealt, late], "no connect: the port was open all the time"
    assert [coup["status"] for coup in floor.messages("coup")] == ["verified"]
    (alarm,) = floor.messages("alarm")
    assert (alarm["name"], "the shoe itself keeps nothing. Compare the coups" in alarm["say"]) == (
        "ledger_not_writable",
        True,
    )


def test_an_internal_error_opens_the_line_again_and_says_what_may_be_missing(start: Start) -> None:
    floor = start()
    floor.connect()
    link = floor.app._tables["bac-01"].link
    link.tick = lambda now_s: 1 // 0  # type: ignore[assignment, method-assign]
    floor.until(lambda: floor.messages("alarm"))
    del link.tick
    floor.until(lambda: floor.status()["state"] == "online", 0.5)
    (alarm,) = floor.messages("alarm")
    assert (alarm["name"], "The shoe keeps nothing: compare" in alarm["say"]) == ("gateway_error", True)


def test_what_the_ledger_refused_is_tried_again_with_what_came_meanwhile(start: Start) -> None:
    floor = start()
    floor.connect()
    first, second = floor.cards("P1:9S B1:2H")
    floor.app._tables["bac-01"].pending.append(Entry("5ab0000000000001", 2**80, "bac-01", "", b"", b"", "", ""))
    floor.line.send(first * 3)
    floor.until(lambda: "the ledger refused" in str(floor.status()["problem"]))
    assert frames(floor) == [CONNECT]
    floor.line.send(second * 3)
    floor.step()
    floor.step(61.0)
    floor.until(lambda: len(floor.events()) == 3)
    assert [(entry.event_no, entry.frame) for entry in floor.events()] == [(1, CONNECT), (2, first), (3, second)]
    assert [alarm["name"] for alarm in floor.messages("alarm")] == ["not_stored"]
    floor.until(lambda: floor.status()["state"] == "online")


def test_numbers_of_a_lost_ledger_are_never_given_again(start: Start, tmp_path: Path) -> None:
    floor = start()
    floor.connect()
    floor.kill()
    ledger, old = tmp_path / "pc-1" / "ledger.db", tmp_path / "old.db"
    Ledger(ledger).close()  # brings its log into the file
    shutil.copy(ledger, old)
    floor.start()
    floor.until(lambda: floor.line.clients and len(floor.events()) == 2)
    floor.coup()
    given = {entry.event_no or 0 for entry in floor.events()}
    floor.kill()
    for path in ledger.parent.glob("ledger.db-[ws]*"):
        path.unlink()
    shutil.copy(old, ledger)
    floor.start()
    accept = GatewayRequest("A. Smith", AcceptLedger("an old copy was put back"))
    assert floor.app._hold.accept(accept, floor.app._at()).ok
    running = next_no(floor)
    floor.kill()
    floor.start()  # before any event was stored
    assert (running, next_no(floor)) > (max(given), max(given))
    floor.until(lambda: floor.line.clients and len(floor.events()) == 2)
    assert floor.events()[-1].event_no not in given
    floor.kill()
    floor.start()
    assert next_no(floor) - 1 == floor.events()[-1].event_no


def next_no(floor: EyeFloor) -> int:
    link = floor.app._tables["bac-01"].link
    assert isinstance(link, AngelEyeDriver)
    return link._next_no


def test_two_gateways_on_one_converter_log_the_same_but_for_their_ids(start: Start) -> None:
    one = start()
    one.connect()
    two = start(one.line, pc="pc-2")
    two.until(lambda: len(one.line.clients) == 2 and two.events())
    one.coup()
    two.until(lambda: two.messages("confirmed"))
    assert frames(one) == frames(two)
    assert {entry.unit for entry in one.events()}.isdisjoint({entry.unit for entry in two.events()})


# People


def test_a_lock_goes_to_the_shoe_and_its_answer_to_the_person(start: Start) -> None:
    floor = start(commands=True)
    floor.connect()
    answers = floor.ask("lock")
    floor.until(lambda: floor.line.received == LOCK)
    assert answers == []
    floor.line.send(b"\x06")
    floor.until(lambda: answers)
    assert (answers[0].ok, answers[0].say[:24]) == (True, "Done. The exit is locked")
    fact = msgspec.json.decode(frames(floor)[-1][1:])
    assert (fact["command"], fact["by"], fact["outcome"]) == ("lock", "A. Smith", "ack")
    assert "lock" not in floor.status()["unknown"]
    refused = floor.ask("unlock")
    floor.until(lambda: len(floor.line.received) == 2 * len(LOCK))
    floor.line.send(build.nak(0x21))
    floor.until(lambda: refused)
    assert refused[0].say == (
        "Unlock refused: the shoe refused it (NAK 21): it is busy. Wait a moment, then repeat it."
    )
    silent = floor.ask("lock")
    floor.until(lambda: silent, 0.1)
    assert silent[0].say.startswith("Lock refused: the shoe did not answer. Look at the shoe before you repeat it")


def test_an_overdraw_is_cleared_with_a_choice(start: Start) -> None:
    floor = start(commands=True)
    floor.connect()
    assert "it is not known which one it shows" in floor.answer("clear-error").say
    floor.play(build.error(floor.seq(), 2, in_error_mode=True))
    assert "Choose what happens with the card: --card keep" in floor.answer("clear-error").say
    assert "a card is discarded only by a clause of" in floor.answer("clear-error", card="discard").say
    answers = floor.ask("clear-error", "12.3", card="discard")
    floor.until(lambda: floor.line.received == b"\x02OPEC02\x031A")
    floor.line.send(b"\x06")
    floor.until(lambda: answers)
    assert answers[0].say == "Done. The error is cleared. Put the card aside: the next card takes its place."


def test_what_is_switched_off_or_needs_our_own_shoe_is_refused_before_it_is_queued(start: Start) -> None:
    floor = start()
    floor.connect()
    for verb in ("lock", "unlock", "clear-error"):
        assert "refused: commands to this shoe are switched off." in floor.answer(verb).say
    own: dict[str, dict[str, Any]] = {
        "key-card": {"card": "8H"},
        "deck-check": {"on": 1},
        "reboot": {},
        "authorise": {},
    }
    for verb, args in own.items():
        answer = floor.answer(verb, **args)
        assert (answer.ok, "it needs Sabot's own shoe, and this table has an Angel Eye." in answer.say) == (False, True)
    assert "clear the error at the shoe" in floor.answer("clear-fault", fault="card").say
    assert "at this table the shoe's result confirms a coup" in floor.answer("confirm").say
    assert floor.messages("sent") == []
    assert floor.line.received == b""


def test_a_person_confirms_where_the_config_wants_it(start: Start) -> None:
    floor = start(confirm="dealer")
    floor.connect()
    assert "no complete coup waits for Confirm" in floor.answer("confirm").say
    floor.coup()
    assert floor.messages("confirmed") == []
    assert floor.answer("confirm").say == "Done. Coup 1/1 is confirmed. The shoe goes on."
    (confirmed,) = floor.messages("confirmed")
    assert (confirmed["by"], confirmed["coup"]) == ("A. Smith", 1)
    assert "no complete coup waits for Confirm" in floor.answer("confirm").say


def test_a_coup_is_voided_and_new_cards_are_reported_by_a_person(start: Start) -> None:
    floor = start()
    floor.connect()
    floor.coup()
    floor.play(*floor.cards("P1:9H B1:2D"))
    voided = floor.answer("void", "12.1.2", reason="misdeal", then="go_on")
    assert (voided.ok, voided.say) == (
        True,
        "Done. Coup 1/2 is void: return all stakes. The shoe goes on.",
    )
    assert [(coup["coup"], coup["kind"], coup["by"]) for coup in floor.messages("coup")][1:] == [
        (2, "void", "A. Smith")
    ]
    opened = floor.answer("open-shoe")
    assert opened.ok, opened.say
    shoes = [(shoe["shoe"], shoe["state"]) for shoe in floor.messages("shoe")]
    assert shoes == [(1, "open"), (1, "closed"), (2, "open")]


def test_the_next_coup_is_dealt_without_wagers(start: Start) -> None:
    floor = start()
    floor.connect()
    floor.coup()
    assert floor.answer("no-bet").ok
    floor.coup("P1:9H B1:2D P2:TC B2:3S")
    assert [coup["kind"] for coup in floor.messages("coup")] == ["live", "no_bet"]


# The line


def test_a_line_that_brings_nothing_is_online_with_a_note(start: Start) -> None:
    floor = start()
    floor.connect()
    assert floor.status()["problem"] is None
    floor.until(lambda: floor.status()["problem"], 1.0)
    assert floor.status()["problem"].startswith("nothing has come from the shoe since the port was opened.")
    assert floor.status()["state"] == "online"
    floor.play(*floor.cards("P1:9S"))
    floor.until(lambda: floor.status()["problem"] is None)


def test_an_error_that_comes_and_goes_for_ever_fills_no_log(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    floor = start()
    floor.connect()
    for _ in range(14):
        floor.play(build.error(floor.seq(), 1, in_error_mode=True))
        floor.play(build.error_cancelled(floor.seq(), 1))
    printed = capsys.readouterr()
    lines = (printed.out + printed.err).splitlines()
    assert 0 < len([line for line in lines if "locks its exit" in line or "is in error" in line]) <= 22


def test_a_lost_message_is_an_alarm_and_the_problem_in_the_status(start: Start) -> None:
    floor = start()
    floor.connect()
    floor.coup()
    floor.seq()
    floor.play(*floor.cards("P1:9H"))
    floor.until(lambda: "message_lost" in [alarm["name"] for alarm in floor.messages("alarm")])
    floor.until(lambda: "went from 5 to 7" in str(floor.status()["problem"]))
    assert floor.status()["state"] == "online"
