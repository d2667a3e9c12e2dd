"""The desk of `sabot demo --trouble`: what a supervisor does next, and when a table goes on."""

import random
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from sabot_protocol.topics import AlarmMessage, AlarmsMessage, StatusMessage
from sabot_service.messages import Answer, Request
from sabot_sim.angel_eye.shoe import AngelEyeShoe
from sabot_sim.angel_eye.troubled_dealer import TroubledAngelEyeDealer
from sabot_sim.dealing.troubled_dealer import Trouble, TroubledDealer
from sabot_tools.stand.demo_screen import Screen
from sabot_tools.stand.demo_trouble import Ask, Case, NotSettledError, TroubleDesk, next_ask
from support.patience import PATIENCE_S

TABLE = "sabot/v1/demo/bac-01"


def alarm(name: str, state: str = "raised", clause: str = "") -> AlarmMessage:
    given = {
        "id": name, "unit": "u", "event_no": 1, "table": "bac-01", "shoe": 3, "coup": 17, "time": "", "rulebook": "",
        "name": name, "say": "", "clause": clause, "shoe_says": "", "cards_say": "", "alarm": name,
        "severity": "warning", "state": state,
    }  # fmt: skip
    return msgspec.convert(given, AlarmMessage)


@pytest.mark.parametrize(
    ("name", "book", "fault", "alarms", "expected"),
    [
        ("lid", "star-baccarat", "lid", [alarm("fault_lid")], Ask("clear-fault", {"fault": "lid"})),
        ("surplus", "star-baccarat", None, [alarm("player_overdraw")], Ask("ack-alarm", {"alarm": "all"})),
        ("surplus", "star-baccarat", None, [alarm("player_overdraw", "acknowledged")], None),
        (
            *("wrong_button", "star-baccarat", "decision", [alarm("discrepancy", clause="12.13")]),
            Ask("decide", {"coup": "3/17", "verdict": "confirmed"}, "12.13"),
        ),
        ("overdraw", "star-rapid", "overdraw", [alarm("shoe_error")], Ask("clear-error", {"card": "keep"})),
        ("unreadable", "nz-baccarat", "cannot_read", [alarm("shoe_error")], Ask("clear-error", {})),
        (
            *("link_cut", "star-premium", None, [alarm("discrepancy")]),
            Ask("decide", {"coup": "3/17", "verdict": "void"}, "14.13"),
        ),
        (
            *("wrong_result", "star-rapid", None, [alarm("discrepancy", clause="9.2")]),
            Ask("decide", {"coup": "3/17", "verdict": "confirmed"}, "9.2"),
        ),
        ("restart", "nz-baccarat", None, [alarm("discrepancy")], Ask("ack-alarm", {"alarm": "all"})),
        (
            *("surplus", "star-rapid", None, [alarm("awaiting_authorisation", clause="11.8.13")]),
            Ask("authorise", {"times": 1}, "11.8.13"),
        ),
        (
            *("foreign", "star-premium", None, [alarm("exit_locked", "acknowledged", "14.11")]),
            Ask(
                *("step", {"incident": "foreign_card", "step": "check_cards", "note": "all decks checked by hand"}),
                "14.11",
            ),
        ),
    ],
)
def test_what_a_supervisor_does_next(
    name: str, book: str, fault: str | None, alarms: list[AlarmMessage], expected: Ask | None
) -> None:
    assert next_ask(Case(Trouble(name), 0.0), book, fault, alarms) == expected


def test_an_unread_card_is_keyed_in_by_two_people_at_the_rapid_alone() -> None:
    """004 11.8.12: with the Casino Supervisor's approval."""
    face_up, worn = Case(Trouble("face_up", "8H"), 0.0), Case(Trouble("misread", "8H"), 0.0)
    raised = [alarm("misread_card")]
    assert next_ask(face_up, "star-rapid", "card", raised) == Ask(
        "key-card", {"card": "8H", "flags": {"face_up": True}}, two_people=True
    )
    assert next_ask(worn, "star-baccarat", "card", raised) == Ask(
        "key-card", {"card": "8H", "flags": {"face_up": False}}
    )


class Desk:
    """A desk with one dealer at whose table something has happened."""

    def __init__(self, trouble: Trouble, floor: Path = Path("none.sock"), patience_s: float | None = None) -> None:
        self.dealer = TroubledDealer(list, 1, random.Random(1), troubles=("lid",))
        self.dealer.happened.append(trouble)
        self.printed: list[str] = []
        self.desk = TroubleDesk(
            {"bac-01": self.dealer}, {"bac-01": "star-baccarat"}, floor, "at {}".format, patience_s,
            self.printed.append,
        )  # fmt: skip

    def alarms(self, *found: AlarmMessage) -> None:
        self.desk.take(
            f"{TABLE}/alarms", msgspec.json.encode(AlarmsMessage(table="bac-01", time="", alarms=list(found)))
        )

    def fault(self, fault: str | None) -> None:
        self.desk.take(f"{TABLE}/status", msgspec.json.encode(StatusMessage(state="online", time="", fault=fault)))

    def step(self, now_s: float) -> bool:
        """Whether the table still waits."""
        self.desk.step(now_s, people_ready=True)
        return self.desk.waiting()


def test_a_table_waits_until_its_alarms_are_seen_and_its_fault_is_gone() -> None:
    made = Desk(Trouble("lid"))
    assert made.step(1.0)
    assert made.printed == ["bac-01  TROUBLE the lid is opened and shut. Settle it: at bac-01"]
    made.fault("lid")
    made.alarms(alarm("fault_lid"))
    assert made.step(2.0)
    made.alarms(alarm("fault_lid", "acknowledged"))
    assert made.step(3.0)
    made.fault(None)
    assert not made.step(9.0)
    assert made.printed[1:] == ["bac-01  SETTLED after 8 s; the table goes on"]
    assert not made.dealer.held
    assert made.desk.settled == 1


def test_a_table_does_not_wait_for_acknowledgements_once_its_fault_is_cleared() -> None:
    made = Desk(Trouble("misread", "8H"))
    made.alarms(alarm("misread_card"))
    assert made.step(1.0)
    assert made.step(9.0)  # the fault has not come yet
    made.fault("card")
    assert made.step(10.0)
    made.fault(None)  # the card is keyed in
    assert made.step(11.0)
    assert not made.step(13.0)
    left = "Its alarms stay at the pit until they are acknowledged"
    assert made.printed[1:] == [f"bac-01  SETTLED after 12 s; the table goes on. {left}"]
    assert not made.dealer.held


def test_a_trouble_that_locks_nothing_holds_the_table_for_a_moment_only() -> None:
    made = Desk(Trouble("surplus"))
    assert made.step(1.0)
    assert made.step(5.0)  # its alarm has not come
    made.alarms(alarm("player_overdraw"))
    assert made.step(6.0)
    assert made.step(7.0)
    assert not made.step(8.5)


def test_after_a_foreign_card_a_table_waits_for_the_check_of_its_cards_and_that_is_printed_once() -> None:
    made = Desk(Trouble("foreign"))
    made.alarms(alarm("coup_void"), alarm("exit_locked"))
    assert made.step(1.0)  # The Star 12.11: the shoe voids the coup and ends
    made.alarms(alarm("coup_void", "acknowledged"), alarm("exit_locked", "acknowledged"))
    assert made.step(4.0)
    assert made.step(9.0)
    made.alarms(alarm("coup_void", "acknowledged"))
    assert not made.step(10.0)
    assert made.printed[1:] == [
        "bac-01  WAITS until the cards are checked: record that at the Dealer Terminal or the pit",
        "bac-01  SETTLED after 9 s; the table goes on",
    ]


def test_of_two_foreign_cards_the_one_whose_cards_are_not_checked_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    made, asked = Desk(Trouble("foreign"), patience_s=1.0), list[Ask]()
    monkeypatch.setattr(made.desk, "_carry_out", lambda _table, ask: asked.append(ask))
    steps = [{"name": "check_cards", "say": "", "clause": "", "due": ""}, {"name": "notify", "say": "", "clause": ""}]
    checked = [{**steps[0], "done": "10:00"}, steps[1]]
    common = {"unit": "u", "event_no": 1, "table": "bac-01", "shoe": 3, "coup": 17, "time": "", "rulebook": ""}
    about = {"kind": "foreign_card", "state": "open", "say": "", "clause": "", "opened": "", **common}
    found = [{"id": one, "incident": one, **about, "steps": each} for one, each in (("a", checked), ("b", steps))]
    message = {"table": "bac-01", "time": "", "incidents": found}
    made.desk.take(f"{TABLE}/open", msgspec.json.encode(message))
    made.alarms(alarm("exit_locked", clause="12.11"))
    for now_s in (1.0, 5.0):
        made.step(now_s)
    assert [one.args["incident"] for one in asked] == ["b"]


def test_a_table_waits_again_for_an_authorisation() -> None:
    made = Desk(Trouble("cut_first"))
    assert not made.step(1.0)
    made.alarms(alarm("awaiting_authorisation"))
    assert made.step(2.0)
    assert made.dealer.held
    made.alarms()
    assert not made.step(3.0)
    assert made.printed == [
        "bac-01  TROUBLE the cutting card comes first: last coup; nothing to settle",
        "bac-01  TROUBLE the next coup needs a supervisor's authorisation. Settle it: at bac-01",
        "bac-01  SETTLED after 1 s; the table goes on",
    ]


@contextmanager
def floor_that_refuses(path: Path, answers: threading.Event | None = None) -> Iterator[list[str]]:
    """Yield the commands that a floor service, where nothing is allowed, was asked for; `answers` lets it answer."""
    asked: list[str] = []

    class Refuses(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            asked.append(msgspec.json.decode(self.rfile.readline(), type=Request).args["command"])
            if answers is not None:
                answers.wait(PATIENCE_S)
            self.wfile.write(msgspec.json.encode(Answer(ok=False, say="no such fault")) + b"\n")

    with socketserver.UnixStreamServer(str(path), Refuses) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield asked
        server.shutdown()


def test_what_is_refused_because_a_change_is_known_late_is_asked_again(tmp_path: Path) -> None:
    with floor_that_refuses(tmp_path / "floor.sock") as asked:
        made = Desk(Trouble("lid"), tmp_path / "floor.sock", 0.0)
        made.alarms(alarm("fault_lid"))
        made.fault("lid")
        for now_s in (1.0, 1.1, 1.2, 1.5):
            assert made.step(now_s)
        assert asked == ["clear-fault"] * 4  # of the supervisor and the manager, 0.3 s after their first answers
        made.fault(None)
        made.alarms(alarm("fault_lid", "acknowledged"))
        assert not made.step(1.6)


def test_people_who_are_refused_for_long_cannot_settle_it(tmp_path: Path) -> None:
    with floor_that_refuses(tmp_path / "floor.sock"):
        made = Desk(Trouble("lid"), tmp_path / "floor.sock", 0.0)
        made.alarms(alarm("fault_lid"))
        made.fault("lid")
        for now_s in (1.0, 20.0, 20.5, 20.6):
            assert made.step(now_s)
        with pytest.raises(NotSettledError, match="bac-01: clear-fault was refused: no such fault"):
            made.step(21.5)


def test_an_alarm_that_was_acknowledged_before_does_not_settle_a_new_trouble() -> None:
    made = Desk(Trouble("restart"))
    made.alarms(alarm("line_interrupted", "acknowledged"))
    assert made.step(1.0)
    assert made.step(9.0)  # its own alarm has not come
    made.alarms(alarm("line_interrupted", "acknowledged"), alarm("shoe_restarted", "acknowledged"))
    assert made.step(10.0)
    assert not made.step(11.0)
    assert made.printed[0] == "bac-01  TROUBLE the shoe restarts in mid-coup. Settle it: at bac-01"


@pytest.mark.parametrize("name", ["locked", "restart"])
def test_what_is_over_by_itself_at_an_angel_eye_waits_for_an_acknowledgement(name: str) -> None:
    made = Desk(Trouble(name))
    made.alarms(alarm("drawn_while_locked"))
    assert made.step(1.0)
    assert made.step(60.0)
    made.alarms(alarm("drawn_while_locked", "acknowledged"))
    assert not made.step(61.0)
    assert made.printed[1:] == ["bac-01  SETTLED after 60 s; the table goes on"]


def test_a_coup_in_doubt_stops_a_table_with_an_angel_eye_until_it_is_decided() -> None:
    shoe = AngelEyeShoe()
    dealer = TroubledAngelEyeDealer(shoe, list, random.Random(1), troubles=("link_cut",))
    printed: list[str] = []
    desk = TroubleDesk({"bac-01": dealer}, {"bac-01": "star-baccarat"}, Path("none.sock"), str, None, printed.append)
    raised = AlarmsMessage(table="bac-01", time="", alarms=[alarm("discrepancy", "acknowledged")])
    desk.take(f"{TABLE}/alarms", msgspec.json.encode(raised))
    for now_s in (1.0, 5.0):
        desk.step(now_s, people_ready=True)
        assert desk.waiting()
        assert dealer.held
    desk.take(f"{TABLE}/alarms", msgspec.json.encode(AlarmsMessage(table="bac-01", time="", alarms=[])))
    desk.step(6.0, people_ready=True)
    assert not dealer.held
    assert printed == [
        "bac-01  TROUBLE a coup is disputed: the shoe did not report all of it. Settle it: bac-01",
        "bac-01  SETTLED after 5 s; the table goes on",
    ]


def test_the_tables_go_on_while_a_person_asks(tmp_path: Path) -> None:
    goes_on = threading.Event()
    with floor_that_refuses(tmp_path / "floor.sock", goes_on) as asked:
        made = Desk(Trouble("lid"), tmp_path / "floor.sock", 0.0)
        made.desk = TroubleDesk(
            {"bac-01": made.dealer}, {"bac-01": "star-baccarat"}, tmp_path / "floor.sock", str, 0.0,
            made.printed.append, goes_on.set,
        )  # fmt: skip
        made.alarms(alarm("fault_lid"))
        made.fault("lid")
        made.step(1.0)
    assert asked == ["clear-fault"] * 2
    assert goes_on.is_set()


def test_messages_of_other_tables_are_ignored() -> None:
    made = Desk(Trouble("lid"))
    made.desk.take("sabot/v1/demo/bac-02/alarms", b"not JSON")
    made.desk.take("sabot/v1/demo/status", b"not JSON")
    assert made.step(1.0)


def test_an_alarm_is_printed_without_empty_parts(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen(None)
    reject = msgspec.structs.replace(alarm("reject"), say="A card was pulled.", shoe_says="short pull")
    screen.alarm(reject)
    screen.alarm(msgspec.structs.replace(reject, shoe_says=""))
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "bac-01  ALARM reject: A card was pulled. (shoe: short pull)"
    assert printed[1] == "bac-01  ALARM reject: A card was pulled."
