"""The desk: attempts and outcomes in the ledger's order, and what becomes of each."""

from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from sabot_gateway.ledger import Stored
from sabot_gateway.operator.attempts import Attempts
from sabot_gateway.operator.desk import Desk
from sabot_gateway.operator.messages import Answer, Request
from sabot_gateway.operator.requests import TableRequest, parse
from sabot_gateway.ops.moment import Moment
from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Record, Source, Verifier
from sabot_gateway.verify.deciders import Decider
from sabot_protocol.topics import AlarmMessage, CoupMessage
from shoe_events import BOOK, PROFILE, UNIT, Shoe, asked, cards, event, result, sent

GATEWAY = "6a7e000000000001"
TIME = "2026-01-02T03:04:05.006Z"
DISPUTED = [*cards(2, "9S 2H TD 3C"), result(6, "banker", 9, 5, natural=True)]  # the Player's nine wins


@dataclass
class Table:
    """A table whose shoe is served, and a disputed coup where it is wanted."""

    name: str = "bac-01"
    link: ShoeLink = field(default_factory=lambda: ShoeLink(PROFILE, lambda unit: 0))
    verifier: Verifier = field(default_factory=lambda: Verifier("bac-01", BOOK, PROFILE))

    def __post_init__(self) -> None:
        self.shoe = Shoe()
        self.next_no = 1
        self.fault = "none"

    def serve(self) -> None:
        nonce = asked(self.link, 0.0)
        self.link.receive(self.shoe.hello(nonce, next_event_no=1) + self.shoe.say("alive"), 0.0)
        sent(self.link)

    def follow(self, *events: Event) -> None:
        for one in events:
            self.verifier.take(one, TIME)

    def open(self) -> None:
        self.follow(event(1, "shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none"))

    def dispute(self) -> None:
        self.open()
        self.follow(*DISPUTED)


class Office:
    """A desk, a table, and the answers given."""

    def __init__(self) -> None:
        self.desk = Desk(GATEWAY, 7)
        self.table, self.answers = Table(), list[Answer]()
        self.said = list[Record]()  # of the shoe's events
        self.other = Verifier("bac-02", BOOK, PROFILE)  # of another table
        self.table.verifier = Verifier("bac-01", BOOK, PROFILE, self.desk.attempts.decider_of)

    def ask(self, verb: str, now_s: float = 0.0, **more: Any) -> None:
        asked = Request(**{"verb": verb, "table": "bac-01", "by": "A. Smith", "clause": "12.13", **more})
        request = parse(msgspec.json.encode(asked))
        assert isinstance(request, TableRequest)
        seat = self.table if request.table == "bac-01" else None
        self.desk.take(request, "floor", seat, self.answers.append, Moment(now_s, TIME))

    def asked(self, verb: str, **more: Any) -> str:
        """Ask something that needs no shoe; the answer."""
        self.ask(verb, **more)
        self.commit()
        self.commit()
        return self.answers.pop().say

    def coups(self) -> list[CoupMessage]:
        """Those that the shoe's events made."""
        return [record.message for record in self.said if isinstance(record.message, CoupMessage)]

    def commit(self, now_s: float = 0.0) -> list[tuple[int | None, str, dict[str, Any]]]:
        """Number, topic and payload of what is durable now."""
        kept = [(entry.event_no, entry.topic, msgspec.json.decode(entry.payload)) for entry in self.desk.entries]
        assert {entry.unit for entry in self.desk.entries} <= {GATEWAY}
        self.desk.entries.clear()
        self.desk.committed(Moment(now_s, TIME))
        return kept

    def commanded(self, now_s: float) -> list[tuple[int, str, dict[str, Any]]]:
        """The commands that go out to the shoe now."""
        self.table.link.tick(now_s)
        bodies = [frame.body for frame in sent(self.table.link) if frame.type == "command"]
        return [(body["command_id"], body["kind"], body["data"]) for body in bodies]

    def shoe_says(self, kind: str, **data: Any) -> None:
        """An event of the shoe comes in."""
        frame = self.table.shoe.event(self.table.next_no, kind, **data)
        self.table.next_no += 1
        for one in self.table.link.receive(frame, 0.0):
            self.said += self.table.verifier.take(one, TIME)
            self.desk.follow(self.table, one, Moment(0.0, TIME))
        self.desk.withdraw_outdated(self.table, Moment(0.0, TIME))


@pytest.fixture
def office() -> Office:
    return Office()


VOID = {"reason": "misdeal", "then": "go_on"}


def test_attempt_and_command_are_durable_before_they_go_out_and_the_outcome_before_the_answer(office: Office) -> None:
    office.table.serve()
    office.ask("void", args=VOID)
    assert office.commanded(0.1) == []
    ((number, topic, attempt),) = office.commit()
    assert (number, topic) == (7, "attempt")
    assert attempt == {
        "id": f"{GATEWAY}-7",
        "time": TIME,
        "table": "bac-01",
        "verb": "void",
        "by": "A. Smith",
        "user": "floor",
        "clause": "12.13",
        "args": {"coup": None, "reason": "misdeal", "then": "go_on"},
    }
    assert office.commanded(0.2) == []
    ((number, topic, command),) = office.commit()
    assert (number, topic) == (8, "sent")
    assert (command["attempt"], command["unit"], command["command_id"]) == (f"{GATEWAY}-7", UNIT, 1)
    assert office.commanded(0.3) == [(1, "void_coup", {"reason": "misdeal", "then": "go_on"})]
    office.shoe_says("command_done", command_id=1, command="void_coup", outcome="done", data=VOID)
    assert office.answers == []
    ((number, topic, outcome),) = office.commit()
    assert (number, topic) == (9, "outcome")
    assert (outcome["attempt"], outcome["ok"], outcome["say"]) == (f"{GATEWAY}-7", True, "Done.")
    assert office.answers == [Answer(True, "Done.")]


def test_what_the_shoe_refuses_is_answered_with_its_reason(office: Office) -> None:
    office.table.serve()
    office.ask("key-card", args={"card": "8H", "flags": {"face_up": False}})
    office.commit()
    office.commit()
    assert office.commanded(0.2)[0][:2] == (1, "key_card")
    office.shoe_says("command_refused", command_id=1, command="key_card", outcome="not_authorised")
    office.commit()
    (answer,) = office.answers
    assert not answer.ok
    assert "turn the supervisor's key" in answer.say


def test_a_shoe_that_does_not_know_a_command_says_so(office: Office) -> None:
    office.table.serve()
    office.ask("lock")
    office.commit()
    office.commit()
    assert office.commanded(0.2)[0][:2] == (1, "lock")
    office.shoe_says("command_refused", command_id=1, command="unknown", outcome="unknown")
    office.commit()
    assert office.answers == [Answer(False, "The shoe did not do it: it does not know this command; reflash it.")]


def test_a_coup_becomes_one_without_wagers_only_under_a_clause(office: Office) -> None:
    office.table.serve()
    office.ask("this-no-bet", clause="")
    office.commit()
    office.commit()
    assert [answer.say for answer in office.answers] == ["this-no-bet needs a clause of the rulebook: --clause N"]
    office.ask("this-no-bet", clause="12.1.1")
    office.commit()
    office.commit()
    assert office.commanded(0.2)[0][:2] == (1, "this_no_bet")


@pytest.mark.parametrize(
    ("asked_for", "why"),
    [
        ({"verb": "confirm", "table": "bac-99"}, "there is no table 'bac-99' here"),
        ({"verb": "confirm"}, "no shoe is served at bac-01"),
        ({"verb": "void", "clause": ""}, "void needs a clause of the rulebook: --clause N"),
        ({"verb": "void", "clause": "12.99"}, "star-baccarat has no clause '12.99'; near it are 12.9, 12.19"),
        ({"verb": "ack-alarm", "clause": "x"}, "star-baccarat has no clause 'x'"),
        ({"verb": "ack-alarm"}, "no alarm is active at bac-01"),
        ({"verb": "ack-alarm", "args": {"alarm": "x"}}, "x"),
        ({"verb": "decide", "args": {"coup": "1/1", "verdict": "void"}}, "no coup 1/1 is disputed: none is disputed"),
    ],
)
def test_what_cannot_be_carried_out_is_refused_in_words_and_kept_all_the_same(
    office: Office, asked_for: dict[str, Any], why: str
) -> None:
    office.ask(**asked_for)
    assert [topic for _, topic, _ in office.commit()] == ["attempt"]
    ((_, topic, outcome),) = office.commit()
    assert topic == "outcome"
    assert outcome["ok"] is False
    assert why in outcome["say"]
    assert office.answers == [Answer(False, outcome["say"])]


def test_an_error_of_our_own_is_an_answer_and_not_the_end(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    office.table.serve()
    monkeypatch.setattr(office.table.link, "prepare_command", lambda kind, data: 1 / 0)
    assert "Internal error in the gateway" in office.asked("lock")
    assert office.asked("ack-alarm") == "no alarm is active at bac-01"


# A disputed coup


@pytest.mark.parametrize("verdict", ["confirmed", "void"])
def test_a_disputed_coup_is_decided_by_a_new_message_that_names_the_old_one(office: Office, verdict: str) -> None:
    office.table.dispute()
    (disputed,) = office.table.verifier.disputed()
    office.ask("decide", args={"coup": disputed.id, "verdict": verdict})
    office.commit()
    kept = office.commit()
    coup = msgspec.convert(kept[0][2], CoupMessage)
    assert (kept[0][:2], coup.status, coup.corrects) == ((8, "coup"), verdict, disputed.id)
    assert (coup.by, coup.clause, coup.winner) == ("A. Smith", "12.13", "player" if verdict == "confirmed" else None)
    assert (coup.decided, coup.attempt) == (TIME, f"{GATEWAY}-7")
    settled = [topic for _, topic, _ in kept].count("confirmed")
    assert settled == (verdict == "confirmed")
    number, _, said = kept[1 + settled]
    alarm = msgspec.convert(said, AlarmMessage)
    assert (number, alarm.name, alarm.state, alarm.by) == (None, "discrepancy", "cleared", "A. Smith")
    assert kept[-1][1] == "outcome"
    assert office.table.verifier.disputed() == []
    assert office.answers == [Answer(True, f"Coup 1/1 is {verdict}. The dealer presses Confirm to go on.")]


def test_of_two_people_who_decide_one_coup_the_second_is_told_of_the_first_and_voids_nothing(office: Office) -> None:
    office.table.serve()
    office.table.dispute()
    for by in ("A. Smith", "B. Jones"):
        office.ask("decide", by=by, args={"coup": "1/1", "verdict": "void"})
    office.commit()
    office.commit()
    first, second = office.answers
    assert first.ok
    assert second == Answer(
        False, f"coup 1/1 is not disputed any more: A. Smith decided at {TIME} that it is void under 12.13"
    )
    assert office.commanded(0.1) == []


def test_void_never_decides_a_dispute_and_never_hits_another_coup_than_the_one_named(office: Office) -> None:
    office.table.serve()
    office.table.dispute()
    office.table.follow(event(7, "button", shoe_no=1, coup_no=1, button="confirm"), *cards(8, "9S 2H", coup_no=2))
    (disputed,) = office.table.verifier.disputed()
    for named in ("1/1", "1", disputed.id, "2/2"):
        say = office.asked("void", args={"coup": named, **VOID})
        assert f"coup {named} is not on the table: that is 1/2; a disputed coup is decided by" in say
    assert office.commanded(0.1) == []
    assert office.table.verifier.disputed() == [disputed]
    for named in ("1/2", "2"):
        office.ask("void", args={"coup": named, **VOID})
        office.commit()
        office.commit()
    assert [kind for _, kind, _ in office.commanded(0.2)] == ["void_coup"]


@pytest.mark.parametrize("sent", [False, True])
def test_a_void_whose_coup_is_over_before_the_shoe_has_it_is_withdrawn(office: Office, sent: bool) -> None:
    office.table.serve()
    office.table.open()
    office.table.follow(*cards(2, "9S 2H TD 3C"), result(6, "player", 9, 5, natural=True))
    office.ask("void", args=VOID)
    office.commit()
    if sent:
        office.commit()
        assert len(office.commanded(0.1)) == 1
    office.shoe_says("button", shoe_no=1, coup_no=1, button="confirm")
    office.commit()
    (answer,) = office.answers
    assert not answer.ok
    assert answer.say.startswith("Another coup is on the table by now. The command was ")
    assert ("has not answered" if sent else "was not sent. Nothing was done.") in answer.say
    assert office.commanded(20.0) == []


def test_a_coup_is_not_named_where_nobody_knows_which_is_on_the_table(office: Office) -> None:
    office.table.serve()
    assert "which coup is on the table is not known; leave --coup out" in office.asked("void", args={"coup": "1/1"})


# The fault that a dispute caused


@pytest.mark.parametrize(
    ("verdict", "command", "data"),
    [("confirmed", "confirm", {}), ("void", "void_coup", {"reason": "discrepancy", "then": "go_on"})],
)
def test_a_decision_ends_the_fault_that_the_dispute_caused(
    office: Office, verdict: str, command: str, data: dict[str, str]
) -> None:
    office.table.serve()
    office.table.dispute()
    office.table.fault = "decision"
    office.ask("decide", args={"coup": "1/1", "verdict": verdict})
    office.commit()
    assert office.commanded(0.1) == []
    told = ["coup", "confirmed"] if verdict == "confirmed" else ["coup"]
    assert [topic for _, topic, _ in office.commit()] == [*told, "alarm", "sent"]
    assert office.commanded(0.2) == [(1, command, data)]
    office.shoe_says("command_done", command_id=1, command=command, outcome="done", data=data)
    office.commit()
    assert office.answers == [Answer(True, f"Coup 1/1 is {verdict}. The shoe goes on.")]


def test_a_void_that_was_decided_here_is_not_told_a_second_time_by_the_shoe(office: Office) -> None:
    office.table.serve()
    office.table.dispute()
    office.table.fault = "decision"
    office.ask("decide", args={"coup": "1/1", "verdict": "void"})
    office.commit()
    office.commit()
    office.commanded(0.1)
    data = {"reason": "discrepancy", "then": "go_on"}
    office.shoe_says("command_done", command_id=1, command="void_coup", outcome="done", data=data)
    office.shoe_says("coup_void", shoe_no=1, coup_no=1, cards=4, **data)
    assert office.coups() == []


@pytest.mark.parametrize("fault", ["decision", "card", "journal"])
def test_a_decision_that_cannot_end_the_fault_stands_and_says_what_is_still_to_be_done(
    office: Office, fault: str
) -> None:
    office.table.dispute()
    office.table.fault = fault
    say = office.asked("decide", args={"coup": "1/1", "verdict": "void"})
    assert say.startswith("Coup 1/1 is void. ")
    assert f"The shoe holds its exit (fault {fault}): " in say
    assert office.table.verifier.disputed() == []


def test_a_decision_whose_command_the_shoe_refuses_stands_and_says_so(office: Office) -> None:
    office.table.serve()
    office.table.dispute()
    office.table.fault = "decision"
    office.ask("decide", args={"coup": "1/1", "verdict": "confirmed"})
    office.commit()
    office.commit()
    office.commanded(0.1)
    office.shoe_says("command_refused", command_id=1, command="confirm", outcome="not_now")
    office.commit()
    (answer,) = office.answers
    assert answer.ok
    assert answer.say.startswith("Coup 1/1 is confirmed. The shoe did not do it: not in the state it is in now. ")
    assert "(fault decision)" in answer.say


# Alarms


def test_an_alarm_is_acknowledged_by_a_message_of_its_own_and_one_that_stays_is_named(office: Office) -> None:
    office.table.dispute()
    (alarm,) = office.table.verifier.active()
    office.ask("ack-alarm", args={"alarm": alarm.alarm})
    office.commit()
    kept = office.commit()
    said = msgspec.convert(kept[0][2], AlarmMessage)
    assert (said.alarm, said.state, said.by, said.id) == (alarm.alarm, "acknowledged", "A. Smith", f"{GATEWAY}-8")
    assert office.answers == [Answer(True, "1 acknowledged. These stay active until their cause is gone: discrepancy.")]


@pytest.mark.parametrize(
    ("active", "reported", "messages"),
    [
        (None, "decision", [("fault_decision", "raised")]),
        ("decision", "none", [("fault_decision", "cleared")]),
        ("card", "decision", [("fault_card", "cleared"), ("fault_decision", "raised")]),
        ("decision", "decision", []),
        ("journal_full", "none", []),
        (None, "none", []),
    ],
)
def test_the_alarms_of_faults_are_brought_to_what_the_shoe_reports(
    office: Office, active: str | None, reported: str, messages: list[tuple[str, str]]
) -> None:
    if active:
        office.table.follow(event(1, "fault", fault=active, detail=0))
    office.table.fault = reported
    office.desk.match_fault(office.table, Moment(0.0, TIME))
    kept = office.commit()
    assert [(said["name"], said["state"]) for _, topic, said in kept if topic == "alarm"] == messages
    assert [number for number, _, _ in kept] == [7, None][: len(messages)]


# Time


def test_a_command_that_nobody_answers_is_withdrawn_and_the_asker_knows_what_is_certain(office: Office) -> None:
    office.table.serve()
    office.ask("lock", now_s=0.0)
    office.ask("unlock", now_s=0.0)
    office.commit()
    office.commit()
    assert office.commanded(0.1) == [(1, "lock", {})]
    office.desk.expire(Moment(9.9, TIME))
    office.commit()
    assert office.answers == []
    office.desk.expire(Moment(10.0, TIME))
    office.commit()
    first, second = office.answers
    assert "was sent and the shoe has not answered" in first.say
    assert "was not sent" in second.say
    assert office.commanded(20.0) == []


def test_more_than_a_desk_can_hold_is_turned_away(office: Office) -> None:
    for _ in range(65):
        office.ask("lock")
    (answer,) = office.answers
    assert "too much is under way" in answer.say
    assert len(office.desk.entries) == 64


# Who decided


def voided(office: Office, restarted: Attempts | None = None) -> CoupMessage:
    """A. Smith voids the coup on the table; the gateway may be another one when the shoe logs it."""
    office.table.serve()
    office.table.open()
    office.table.follow(*cards(2, "9S 2H"))
    office.ask("void", args=VOID, clause="rule 12.1.2")
    office.commit()
    office.commit()
    office.commanded(0.1)
    if restarted is not None:
        office.table.verifier = Verifier("bac-01", BOOK, PROFILE, restarted.decider_of)
    office.shoe_says("command_done", command_id=1, command="void_coup", outcome="done", data=VOID)
    office.shoe_says("coup_void", shoe_no=1, coup_no=1, cards=2, **VOID)
    (coup,) = office.coups()
    return coup


def test_a_coup_that_is_voided_on_the_table_says_who_decided_when_and_under_which_clause(office: Office) -> None:
    coup = voided(office)
    assert (coup.kind, coup.by, coup.clause) == ("void", "A. Smith", "12.1.2")
    assert (coup.decided, coup.attempt) == (TIME, f"{GATEWAY}-7")


def stored(number: int, topic: str, said: dict[str, Any]) -> Stored:
    payload = msgspec.json.encode(said)
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
def test_after_a_restart_the_ledger_says_who_asked_for_a_command(
    office: Office, sent_before: dict[str, Any], by: str
) -> None:
    requested = Attempts()
    requested.recall([stored(3, "attempt", ATTEMPT), stored(4, "sent", SENT | sent_before)])
    coup = voided(office, requested)
    assert (coup.by, coup.clause) == (by, "12.1.2" if by == "C. Brown" else "")


def test_a_void_by_the_book_names_the_shoe_and_the_clause_of_the_case(office: Office) -> None:
    office.table.serve()
    office.shoe_says("shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none")
    case = {"case": "insufficient_cards", "facts": {}, "code": "VOID"}
    office.shoe_says("irregularity", shoe_no=1, coup_no=1, **case)
    office.shoe_says("coup_void", shoe_no=1, coup_no=1, cards=2, reason="short_shoe", then="new_cards")
    (coup,) = office.coups()
    assert (coup.by, coup.clause, coup.attempt) == ("at the shoe: short shoe", "12.6, A-40", "")


def test_a_confirm_on_the_table_says_where_the_coup_is_still_disputed(office: Office) -> None:
    office.table.serve()
    office.table.dispute()
    office.ask("confirm")
    office.commit()
    office.commit()
    office.commanded(0.1)
    office.shoe_says("command_done", command_id=1, command="confirm", outcome="done", data={})
    office.commit()
    say = "Done. The coup is still disputed: `sabot table bac-01 decide --coup 1/1` decides it."
    assert office.answers == [Answer(True, say)]


def test_a_restart_of_the_shoe_between_a_command_and_its_void_changes_nothing_and_a_card_does(office: Office) -> None:
    office.table.serve()
    office.table.open()
    office.desk.attempts.sent(UNIT, 5, "void_coup", Decider("A. Smith", "12.1.2", TIME, f"{GATEWAY}-3"))
    done = {"command_id": 5, "command": "void_coup", "outcome": "done", "data": VOID}
    set_time = {"command_id": 6, "command": "set_time", "outcome": "done", "data": {"utc_s": 1, "utc_ms": 0}}
    office.shoe_says("command_done", **done)
    office.shoe_says("boot", boot_count=2, cause="power")
    office.shoe_says("command_done", **set_time)
    office.shoe_says("coup_void", shoe_no=1, coup_no=1, cards=0, **VOID)
    office.shoe_says("command_done", **done)
    flags = {"speed_mm_s": 900, "margin_pct": 80, "flags": {}}
    office.shoe_says("card", shoe_no=1, coup_no=2, slot="player_1", card="9S", **flags)
    office.shoe_says("coup_void", shoe_no=1, coup_no=2, cards=1, **VOID)
    assert [coup.by for coup in office.coups()] == ["A. Smith", "at the shoe: misdeal"]


def test_a_void_by_the_button_names_the_button(office: Office) -> None:
    office.table.serve()
    office.table.open()
    office.shoe_says("button", shoe_no=1, coup_no=1, button="new_shoe")
    office.shoe_says("coup_void", shoe_no=1, coup_no=1, cards=1, reason="supervisor", then="new_cards")
    assert [coup.by for coup in office.coups()] == ["at the shoe: New shoe"]


def test_a_confirm_by_command_settles_the_dealers_entry_in_the_name_of_who_asked(office: Office) -> None:
    office.table.serve()
    office.table.open()
    office.table.follow(*cards(2, "9S 2H TD 3C"), result(6, "player", 9, 5, natural=True))
    case = {"case": "scan_discrepancy", "facts": {"confirmed": True}, "code": "CONFIRM"}
    office.table.follow(
        event(7, "button", shoe_no=1, coup_no=1, button="banker"),
        event(8, "irregularity", shoe_no=1, coup_no=1, **case),
    )
    office.ask("confirm", clause="")
    office.commit()
    office.commit()
    office.commanded(0.1)
    office.shoe_says("command_done", command_id=1, command="confirm", outcome="done", data={})
    (coup,) = office.coups()
    assert (coup.status, coup.by, coup.clause, coup.attempt) == ("confirmed", "A. Smith", "12.13", f"{GATEWAY}-7")


# A coup that moves to another shoe


def left(office: Office) -> None:
    """Coup 13 has left bac-02, and this table's shoe is new."""
    slots = {"player_1": "JS", "banker_1": "9C", "player_2": "--", "banker_2": "--", "player_3": "--", "banker_3": "--"}
    place: dict[str, Any] = {"decks": 8, "cards_out": 70, "coups_left": 0, "awaiting": 0, "import": 0}
    gone = event(9, "handed_over", shoe_no=4, coup_no=13, kind="live", cards=slots, **place)
    office.other = Verifier("bac-02", BOOK, PROFILE, moves=office.table.verifier.moves)
    office.other.take(gone._replace(unit="5ab0000000000002"), TIME)
    office.table.serve()
    office.table.open()


def test_a_coup_is_not_imported_with_other_cards_than_it_left_with(office: Office) -> None:
    left(office)
    refused = office.asked("import-coup", args={"coup_no": 13, "cards": {"player_1": "2H", "banker_1": "2C"}})
    assert refused == (
        "coup 13 left bac-02 with other cards, player_1=JS banker_1=9C: type "
        "`sabot table bac-01 import-coup 13 player_1=JS banker_1=9C --by NAME --clause N`. If this is another coup, "
        "from a shoe of another gateway, acknowledge first that the one of bac-02 does not go on here: "
        "`sabot table bac-02 ack-alarm 5ab0000000000002-9-handed_over --by NAME`. Nothing was done."
    )
    assert office.commanded(0.1) == []


def test_another_coup_of_that_number_is_imported_when_the_first_is_acknowledged(office: Office) -> None:
    left(office)
    office.other.acknowledge("5ab0000000000002-9-handed_over", "A. Smith", Source(GATEWAY, 3, TIME))
    office.ask("import-coup", args={"coup_no": 13, "cards": {"player_1": "2H", "banker_1": "2C"}})
    office.commit()
    office.commit()
    ((_, kind, data),) = office.commanded(0.1)
    assert (kind, data["coup_no"], data["cards_out"]) == ("import_coup", 13, 2)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"cards_out": 500}, "--cards-out 500: 8 decks have 416 cards."),
        ({"cards_out": 417}, "--cards-out 417: 8 decks have 416 cards."),
        ({"cards_out": 53, "decks": 1}, "--cards-out 53: 1 decks have 52 cards."),
        ({"cards_out": 1}, "--cards-out 1: 2 cards are on the table, and they are out too."),
        ({"coup_no": 13, "decks": 1}, "--cards-out 70: 1 decks have 52 cards."),  # 70 where it left
    ],
)
def test_a_coup_is_not_imported_with_a_count_that_cannot_be(office: Office, said: dict[str, Any], why: str) -> None:
    left(office)
    cards = {"player_1": "JS", "banker_1": "9C"}
    assert office.asked("import-coup", args={"coup_no": 14, "cards": cards, **said}).startswith(why)
    assert office.commanded(0.1) == []


@pytest.mark.parametrize("out", [2, 416])
def test_a_coup_is_imported_with_a_count_that_can_be(office: Office, out: int) -> None:
    left(office)
    cards = {"player_1": "JS", "banker_1": "9C"}
    office.ask("import-coup", args={"coup_no": 14, "cards": cards, "cards_out": out})
    office.commit()
    office.commit()
    assert [data["cards_out"] for _, _, data in office.commanded(0.1)] == [out]


def test_an_export_needs_a_clause(office: Office) -> None:
    office.table.serve()
    assert office.asked("export-coup", clause="") == "export-coup needs a clause of the rulebook: --clause N"


@pytest.mark.parametrize("told_first", [False, True])
def test_an_export_is_answered_with_the_line_to_type_at_the_other_table(office: Office, told_first: bool) -> None:
    office.table.serve()
    office.shoe_says("shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none")
    for card in cards(2, "JS 9C"):
        office.shoe_says("card", **card.data)
    office.ask("export-coup")
    office.commit()
    office.commit()
    office.commanded(0.1)
    slots = {"player_1": "JS", "banker_1": "9C", "player_2": "--", "banker_2": "--", "player_3": "--", "banker_3": "--"}
    place: dict[str, Any] = {"decks": 8, "cards_out": 2, "coups_left": 0, "awaiting": 0, "import": 0}
    if told_first:  # both came in one read
        office.table.follow(event(5, "handed_over", shoe_no=1, coup_no=1, kind="live", cards=slots, **place))
    office.shoe_says("command_done", command_id=1, command="export_coup", outcome="done", data={})
    office.commit()
    assert office.answers == [
        Answer(
            True,
            "Done. Coup 1 is not void, and its wagers stand. Put all cards into another shoe, open it there, and type "
            "`sabot table TABLE import-coup 1 player_1=JS banker_1=9C --by NAME --clause N`.",
        )
    ]


def test_a_coup_keeps_its_kind(office: Office) -> None:
    left(office)
    cards = {"player_1": "JS", "banker_1": "9C"}
    refused = office.asked("import-coup", args={"coup_no": 13, "cards": cards, "kind": "no_bet"})
    assert refused == ("coup 13 left bac-02 as live, and a coup keeps its kind: leave --kind out. Nothing was done.")
    assert office.commanded(0.1) == []
