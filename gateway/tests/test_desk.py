"""The desk: attempts and outcomes in the ledger's order, and what becomes of each."""

from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from sabot_gateway.control import Answer, Request
from sabot_gateway.desk import At, Desk
from sabot_gateway.link import ShoeLink
from sabot_gateway.verify import Verifier
from sabot_protocol.topics import AlarmMessage, CoupMessage
from shoe_events import BOOK, PROFILE, Shoe, asked, cards, event, result, sent

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

    def serve(self) -> None:
        nonce = asked(self.link, 0.0)
        self.link.receive(self.shoe.hello(nonce, next_event_no=1) + self.shoe.say("alive"), 0.0)
        sent(self.link)

    def dispute(self) -> None:
        self.verifier.take(event(1, "shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none"), TIME)
        for one in DISPUTED:
            self.verifier.take(one, TIME)


class Office:
    """A desk, a table, and the answers given."""

    def __init__(self) -> None:
        self.table, self.answers = Table(), list[Answer]()
        self.desk = Desk(GATEWAY, 7)

    def ask(self, verb: str, now_s: float = 0.0, **more: Any) -> None:
        request = Request(**{"verb": verb, "table": "bac-01", "by": "A. Smith", "clause": "12.13", **more})
        seat = self.table if request.table == "bac-01" else None
        self.desk.take(request, "floor", seat, self.answers.append, At(now_s, TIME))

    def commit(self, now_s: float = 0.0) -> list[tuple[int | None, str, dict[str, Any]]]:
        """Number, topic and payload of what is durable now."""
        kept = [(entry.event_no, entry.topic, msgspec.json.decode(entry.payload)) for entry in self.desk.entries]
        assert {entry.unit for entry in self.desk.entries} <= {GATEWAY}
        self.desk.entries.clear()
        self.desk.committed(At(now_s, TIME))
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
            self.desk.heard(self.table, one, At(0.0, TIME))


@pytest.fixture
def office() -> Office:
    return Office()


def test_an_attempt_is_durable_before_the_shoe_hears_of_it_and_its_outcome_before_the_answer(office: Office) -> None:
    office.table.serve()
    office.ask("void", args={"reason": "misdeal", "then": "go_on"})
    assert office.commanded(0.1) == []
    assert office.commit() == [
        (
            7,
            "attempt",
            {
                "id": f"{GATEWAY}-7",
                "time": TIME,
                "table": "bac-01",
                "verb": "void",
                "by": "A. Smith",
                "user": "floor",
                "clause": "12.13",
                "args": {"reason": "misdeal", "then": "go_on"},
            },
        )
    ]
    assert office.commanded(0.2) == [(1, "void_coup", {"reason": "misdeal", "then": "go_on"})]
    done = {"command_id": 1, "command": "void_coup", "outcome": "done"}
    office.shoe_says("command_done", **done, data={"reason": "misdeal", "then": "go_on"})
    assert office.answers == []
    ((number, topic, outcome),) = office.commit()
    assert (number, topic) == (8, "outcome")
    assert (outcome["attempt"], outcome["ok"], outcome["say"]) == (f"{GATEWAY}-7", True, "Done.")
    assert office.answers == [Answer(True, "Done.")]


def test_what_the_shoe_refuses_is_told_with_its_reason(office: Office) -> None:
    office.table.serve()
    office.ask("key-card", args={"card": "8H", "flags": {"face_up": False}})
    office.commit()
    assert office.commanded(0.2)[0][:2] == (1, "key_card")
    office.shoe_says("command_refused", command_id=1, command="key_card", outcome="not_authorised")
    office.commit()
    (answer,) = office.answers
    assert not answer.ok
    assert "turn the supervisor's key" in answer.say


@pytest.mark.parametrize(
    ("asked_for", "why"),
    [
        ({"verb": "confirm", "table": "bac-99"}, "there is no table 'bac-99' here"),
        ({"verb": "confirm", "by": " "}, "say who you are"),
        ({"verb": "confirm", "by": "x" * 65}, "say who you are"),
        ({"verb": "dance"}, "'dance' is nothing a table can do"),
        ({"verb": "confirm"}, "no shoe is served at bac-01"),
        ({"verb": "ack-alarm"}, "no alarm is active at bac-01"),
        ({"verb": "ack-alarm", "args": {"alarm": "x"}}, "x"),
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


def test_a_value_that_makes_no_sense_is_refused_before_the_shoe_hears_of_it(office: Office) -> None:
    office.table.serve()
    for verb, args in (("key-card", {"card": "9X", "flags": {}}), ("no-bet", {}), ("lock", {"hard": True})):
        office.ask(verb, args=args)
        office.commit()
        office.commit()
        assert not office.answers.pop().ok
    assert office.commanded(0.1) == []


@pytest.mark.parametrize(("verb", "status"), [("confirm", "confirmed"), ("void", "void")])
def test_a_disputed_coup_is_decided_by_a_new_message_that_names_the_old_one(
    office: Office, verb: str, status: str
) -> None:
    office.table.dispute()
    (disputed,) = office.table.verifier.disputed()
    office.ask(verb)
    office.commit()
    kept = office.commit()
    coup = msgspec.convert(kept[0][2], CoupMessage)
    assert (kept[0][:2], coup.status, coup.corrects) == ((8, "coup"), status, disputed.id)
    assert (coup.by, coup.clause, coup.winner) == ("A. Smith", "12.13", "player" if status == "confirmed" else None)
    alarm = msgspec.convert(kept[1][2], AlarmMessage)
    assert (kept[1][0], alarm.name, alarm.state, alarm.by) == (None, "discrepancy", "cleared", "A. Smith")
    assert kept[-1][1] == "outcome"
    assert office.table.verifier.disputed() == []
    assert office.answers == [Answer(True, f"The disputed coup is {status}.")]


def test_a_disputed_coup_is_not_decided_without_a_clause_nor_for_nobody(office: Office) -> None:
    office.table.dispute()
    for more, why in (({"clause": ""}, "--clause N"), ({"args": {"winner": "dealer"}}, "player, banker or tie")):
        office.ask("confirm", **more)
        office.commit()
        office.commit()
        assert why in office.answers.pop().say
    assert len(office.table.verifier.disputed()) == 1


def test_an_alarm_is_acknowledged_by_a_message_of_its_own(office: Office) -> None:
    office.table.dispute()
    (alarm,) = office.table.verifier.active()
    office.ask("ack-alarm", args={"alarm": alarm.alarm})
    office.commit()
    kept = office.commit()
    said = msgspec.convert(kept[0][2], AlarmMessage)
    assert (said.alarm, said.state, said.by, said.id) == (alarm.alarm, "acknowledged", "A. Smith", f"{GATEWAY}-8")
    assert office.answers == [Answer(True, "1 acknowledged.")]


def test_a_command_that_nobody_answers_is_withdrawn_and_the_asker_knows_what_is_certain(office: Office) -> None:
    office.table.serve()
    office.ask("lock", now_s=0.0)
    office.ask("unlock", now_s=0.0)
    office.commit()
    assert office.commanded(0.1) == [(1, "lock", {})]
    office.desk.expire(At(9.9, TIME))
    office.commit()
    assert office.answers == []
    office.desk.expire(At(10.0, TIME))
    office.commit()
    first, second = office.answers
    assert "was told and has not answered" in first.say
    assert "was not told" in second.say
    assert office.commanded(20.0) == []


def test_more_than_a_desk_can_hold_is_turned_away(office: Office) -> None:
    for _ in range(65):
        office.ask("lock")
    (answer,) = office.answers
    assert "too much is under way" in answer.say
    assert len(office.desk.entries) == 64
