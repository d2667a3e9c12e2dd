"""Desk of the web part: log-ins, sessions and acts of pages, with a real store and a clock by hand."""

import asyncio
import selectors
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sabot_floor.commands.verbs import TableCommand
from sabot_floor.people import audit, entries, hashing
from sabot_floor.people.checker import Checker
from sabot_floor.people.desk import PeopleDesk
from sabot_floor.people.log import LOG, Made, PeopleLog
from sabot_floor.people.logins import NOT_LOGGED_IN
from sabot_floor.people.sessions import MOST_FAILURES, session_id
from sabot_floor.people.verbs import Login
from sabot_floor.requests import FloorRequest
from sabot_floor.store import AwayError, open_store
from sabot_floor.web import bridge as bridges
from sabot_floor.web.bridge import Bridge, Outcome
from sabot_floor.web.config import Web
from sabot_floor.web.desk import Do, LogIn, LogOut, Look, WebDesk
from sabot_service.messages import Answer
from sabot_service.moment import Moment, utc
from support.patience import PATIENCE_S

NOON_S = 1_792_238_400.0
NOON = utc(NOON_S)
PIN, BADGE, HERE = "730155", "00417733", "10.0.0.1"
HASH = hashing.make_hash(PIN)  # takes long: once for all tests
IDLE_S = 300


@dataclass
class Rig:
    """A desk whose clock the test moves; `asked` has what went on to the floor."""

    work_dir: Path
    now_s: float = 0.0
    url: str = ""  # of the store
    zero_s: float = NOON_S  # Unix time at 0.0 of the monotonic clock
    worker: str = "1"
    ended: set[str] = field(default_factory=set)
    asked: list[tuple[FloorRequest, str]] = field(default_factory=list)
    gateway_hangs: bool = False
    unanswered: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.selector = selectors.DefaultSelector()
        self.store = open_store(self.url or str(self.work_dir / "floor.db"))
        self.log = PeopleLog(self.store)
        self.checker, self.bridge = Checker(self.selector), Bridge(self.selector)
        self.people = PeopleDesk(self.log, self.checker, (), self.at)
        self.desk = WebDesk(Web(), self.bridge, self.people, self._begin, self.at, self.worker)
        self.bridge.on_ended = self.ended.update

    def at(self) -> Moment:
        return Moment(self.now_s, utc(self.zero_s + self.now_s))

    def _begin(self, request: FloorRequest, account: str, reply: Any) -> None:
        """As the floor does: the person logs in for the act."""
        assert isinstance(request.verb, TableCommand)
        self.asked.append((request, account))
        if self.gateway_hangs:
            self.unanswered.append(reply)
            return
        done = Answer(True, "Done.")
        self.people.log_in(request.verb.logins(), request.verb.title(), account, reply, lambda _: reply(done))

    def ask(self, asked: object) -> Outcome:
        """Return the outcome of what a page asks."""
        found: list[Outcome] = []
        self.bridge.put(asked, found.append)
        while not found:
            for key, _ in self.selector.select(PATIENCE_S):
                self.desk.serve() if key.data is self.bridge else self.checker.take()
        return found[0]

    def log_in(self, secret: str = PIN, person: str = "vera", address: str = HERE, kind: Any = "pit") -> Outcome:
        return self.ask(LogIn(Login(person, secret), kind, address))

    def change(self, made: entries.Entry) -> None:
        assert self.log.append(NOON, lambda _: Made([made])) == ""

    def act(self, token: str, address: str = HERE) -> Outcome:
        return self.ask(Do(token, address, confirm))

    def entries(self) -> list[dict[str, Any]]:
        return [msgspec.json.decode(one.payload) for one in self.store.entries(LOG)]

    def close(self) -> None:
        self.checker.close()
        self.bridge.close()
        self.store.close()


def confirm(login: Login) -> FloorRequest:
    return FloorRequest(TableCommand(table="bac-01", command="confirm", login=login))


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    made.change(entries.Added(time=NOON, person="vera", name="Vera", by="root"))
    made.change(entries.SecretSet(time=NOON, person="vera", hash=HASH, by="root"))
    yield made
    assert audit.verify(made.store).faults == []
    made.close()


def test_a_session_logs_in_for_each_act(rig: Rig) -> None:
    opened = rig.log_in()
    assert opened.answer.ok
    assert opened.person is not None
    assert (opened.person.name, opened.session and opened.session.idle_s) == ("Vera", 300)
    assert rig.act(opened.token).answer == Answer(True, "Done.")
    logged = [(one["means"], one["act"], one["by"]) for one in rig.entries() if one["kind"] == "login"]
    by = "web 10.0.0.1"
    assert logged == [("secret", "log in at a page", by), ("session", "confirm bac-01", by)]


def test_a_token_is_worth_nothing_elsewhere_or_after_the_end(rig: Rig) -> None:
    token = rig.log_in().token
    assert rig.act(token, "10.0.0.2").session is None
    assert rig.act("x" * 43).answer.say == "Log in first."
    assert rig.ask(LogOut(token, HERE)).answer.ok
    assert rig.act(token).answer.say == "Log in first."
    assert rig.asked == []


def test_a_new_log_in_ends_the_session_of_before_in_the_same_browser(rig: Rig) -> None:
    first = rig.log_in().token
    assert rig.ask(LogIn(Login("vera", PIN), "pit", HERE, first)).answer.ok
    assert rig.act(first).answer.say == "Log in first."


def test_an_act_and_a_touch_keep_a_session_and_a_look_does_not(rig: Rig) -> None:
    token = rig.log_in().token
    for rig.now_s in (200.0, 400.0):
        assert rig.ask(Look(token, HERE, touch=True)).answer.ok
    rig.now_s = 600.0
    assert rig.act(token).answer.ok
    rig.now_s = 850.0
    assert rig.ask(Look(token, HERE)).answer.ok
    rig.now_s = 900.0
    assert rig.ask(Look(token, HERE)).answer.say == "Log in first."


def test_a_person_who_waits_for_an_answer_is_not_idle(rig: Rig) -> None:
    token = rig.log_in().token
    rig.gateway_hangs, rig.now_s, outcomes = True, 290.0, list[Outcome]()
    rig.bridge.put(Do(token, HERE, confirm), outcomes.append)
    rig.desk.serve()
    rig.now_s = 291.0
    assert rig.ask(Look(token, HERE, touch=True)).answer.ok  # a hand at the mouse shortens nothing
    session = rig.ask(Look(token, HERE)).session
    assert session is not None
    session.idle_s = 10.0
    rig.now_s = 349.0  # a minute is the longest that a page waits
    rig.desk.step(rig.at())
    assert (rig.ask(Look(token, HERE)).answer.ok, outcomes) == (True, [])
    [reply] = rig.unanswered
    reply(Answer(True, "Done."))
    assert outcomes[0].answer == Answer(True, "Done.")
    for rig.now_s, lasts in ((358.9, True), (359.0, False)):
        assert rig.ask(Look(token, HERE)).answer.ok == lasts


def test_an_act_without_an_answer_keeps_no_session(rig: Rig) -> None:
    token = rig.log_in().token
    session = rig.ask(Look(token, HERE)).session
    assert session is not None
    session.idle_s, rig.gateway_hangs = 10.0, True
    rig.bridge.put(Do(token, HERE, confirm), list[Outcome]().append)
    rig.desk.serve()
    for rig.now_s, lasts in ((59.9, True), (60.0, False)):
        assert rig.ask(Look(token, HERE)).answer.ok == lasts


def test_the_web_part_learns_which_sessions_have_ended(rig: Rig) -> None:
    idle, other = rig.log_in().token, rig.log_in(kind="dealer").token
    rig.now_s = 301.0
    rig.desk.step(rig.at())
    assert rig.ended == {session_id(idle)}
    rig.change(entries.Disabled(time=NOON, person="vera", by="root"))
    rig.now_s = 304.0
    rig.desk.step(rig.at())
    assert rig.ended == {session_id(idle), session_id(other)}


def test_failures_of_others_end_no_session(rig: Rig) -> None:
    token = rig.log_in().token
    for number in range(5):
        assert not rig.log_in("111222").answer.ok, number
    assert rig.log_in().answer.say == NOT_LOGGED_IN
    assert [one["kind"] for one in rig.entries()][-2:] == ["failed", "locked"]
    assert rig.act(token).answer.ok


def test_an_address_is_locked_out_after_ten_failures_whoever_they_were_for(rig: Rig) -> None:
    for number in range(MOST_FAILURES):
        assert rig.log_in(person=f"p{number}").answer.say == NOT_LOGGED_IN
    assert "Too many log-ins have failed at this screen" in rig.log_in().answer.say
    assert rig.log_in(address="10.0.0.2").answer.ok
    rig.now_s = 900.0
    assert rig.log_in().answer.ok


@pytest.mark.parametrize("why", ["nobody has it", "disabled", "no PIN"])
def test_a_log_in_that_is_refused_whatever_the_pin_leaves_one_entry(rig: Rig, why: str) -> None:
    """The time of an answer shows nothing about an id, and each try is in the log."""
    if why == "disabled":
        rig.change(entries.Disabled(time=NOON, person="vera", by="root"))
    if why == "no PIN":
        rig.change(entries.Added(time=NOON, person="zoe", name="Zoe", by="root"))
    before = len(rig.entries())
    person = {"nobody has it": "nobody", "no PIN": "zoe"}.get(why, "vera")
    assert rig.log_in(person=person).answer == Answer(False, NOT_LOGGED_IN)
    made = [(one["kind"], one["given"], one["by"]) for one in rig.entries()[before:]]
    assert made == [("unknown", person, "web 10.0.0.1")]


def test_the_session_of_a_changed_record_does_nothing_even_before_it_is_swept(rig: Rig) -> None:
    token = rig.log_in().token
    rig.change(entries.RoleGiven(time=NOON, person="vera", rulebook="crown-baccarat", role="dealer", by="root"))
    assert rig.act(token).answer == Answer(False, "Your session has ended: log in again.")
    assert not rig.ask(Look(token, HERE)).answer.ok


def test_pages_go_on_while_the_store_is_away_and_acts_are_refused(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    token = rig.log_in().token

    def away() -> None:
        raise AwayError("the database does not answer")

    monkeypatch.setattr(rig.log, "state", away)
    assert rig.ask(Look(token, HERE)).answer.ok
    assert rig.act(token).answer.say == "Nothing was changed: the database does not answer."
    for _ in range(2 * MOST_FAILURES):  # nobody has failed
        assert rig.log_in().answer.say == "Nothing was changed: the database does not answer."
    rig.now_s = 10.0
    rig.desk.step(rig.at())
    assert rig.ended == set()


def test_an_error_is_answered_and_the_next_request_is_served(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    token = rig.log_in().token
    answer = rig.ask(Do(token, HERE, lambda login: 1 / 0)).answer  # type: ignore[arg-type, return-value]
    assert not answer.ok
    assert "internal error" in answer.say.lower()
    assert rig.act(token).answer.ok


def test_a_session_of_a_page_is_no_log_in_at_the_control_socket(rig: Rig) -> None:
    token = rig.log_in().token
    for account in ("root", HERE):
        said: list[Answer] = []
        login = Login("vera", f"session:{token}")
        rig.people.log_in([login], "act", account, said.append, lambda _: pytest.fail("logged in"))
        rig.selector.select(PATIENCE_S)
        rig.checker.take()
        assert [one.ok for one in said] == [False]


def test_the_bridge_holds_a_bounded_number_and_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridges, "MOST_WAITING", 2)
    monkeypatch.setattr(bridges, "ANSWER_WITHIN_S", 0.1)
    bridge = Bridge(selectors.DefaultSelector())

    async def three() -> list[Outcome]:
        return await asyncio.gather(*(bridge.ask(number) for number in range(3)))

    assert [one.answer for one in asyncio.run(three())] == [bridges.LATE, bridges.LATE, bridges.BUSY]
    late = bridge.take()
    assert [asked for asked, _ in late] == [0, 1]
    for _, reply in late:
        reply(Outcome(Answer(True, "too late")))  # nobody waits any more
    bridge.close()


def test_the_bridge_carries_answers_between_threads() -> None:
    selector = selectors.DefaultSelector()
    bridge, found = Bridge(selector), list[Outcome]()
    thread = threading.Thread(target=lambda: found.append(asyncio.run(bridge.ask("question"))))
    thread.start()
    assert selector.select(PATIENCE_S)
    [(asked, reply)] = bridge.take()
    assert asked == "question"
    reply(Outcome(Answer(True, "answer")))
    thread.join(PATIENCE_S)
    assert [one.answer.say for one in found] == ["answer"]
    bridge.close()
