"""An older copy of the store is put back: the floor service holds until a person accepts; nothing is paid twice."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor_rig import BASE, INCREMENT, JACKPOT, Rig, display, server
from sabot_floor.app import App
from sabot_floor.jackpots.engine import Logged
from sabot_floor.jackpots.engine.entries import Accepted
from sabot_floor.requests import parse
from sabot_protocol.topics import jackpot_topic
from sabot_service.messages import Answer, Request, RequestError
from sabot_tools.stand.broker import LocalBroker

__all__ = ["server"]
PERSON: dict[str, Any] = {"by": "A. Smith", "role": "area_manager", "reason": "disk replaced"}


@pytest.fixture
def rig(server: LocalBroker, tmp_path: Path) -> Iterator[Rig]:
    with ExitStack() as stack:
        yield Rig(stack, server, tmp_path, str(tmp_path / "floor.db"))


def stopped(rig: Rig) -> None:
    """Stop every service, as SIGTERM does it."""
    for app in list(rig.apps):
        rig.apps.remove(app)
        app._goodbye()


def confirm(rig: Rig) -> Answer:
    return rig.ask("confirm", "A. Smith", jackpot=JACKPOT, win="bac-01/1/1", role="area_manager", notified="C. Manager")


def restored(rig: Rig) -> App:
    """Record a win, copy the store, pay the win, put the copy back, and start again."""
    rig.start()
    table = rig.table()
    won = table.increment(trigger="suited")
    rig.send(won, table.recorded(won, stakes={"tie": [100]}))
    rig.until(lambda: rig.client.on("win"))
    rig.settle()
    stopped(rig)
    shutil.copy(rig.store_url, f"{rig.store_url}.copy")
    rig.start()
    assert confirm(rig).ok
    rig.until(lambda: rig.meter().meters.hits == 1)
    rig.settle()
    stopped(rig)
    shutil.copy(f"{rig.store_url}.copy", rig.store_url)
    return rig.start()


def test_a_win_that_was_paid_is_not_paid_again_from_an_older_copy(rig: Rig) -> None:
    app = restored(rig)
    refused = confirm(rig)
    assert not refused.ok
    # opened, increment, recorded, win; then confirmed, win
    assert "jackpot lucky-tie: the meter at the broker names entry 6, but its log ends with entry 4" in refused.say
    assert "an older copy of the store was put back" in refused.say
    assert "somebody else wrote on the topic" in refused.say
    assert "sabot floor accept" in refused.say
    rig.until(lambda: app.hold.problem)
    status = msgspec.json.decode(rig.ask("status").data)
    assert "names entry 6" in status["store"]["problem"]
    published = len(rig.client.on("meter"))
    rig.client.publish(rig.topic("bac-01", "jackpot", JACKPOT), b"{}")
    rig.until(lambda: app.inbox.waiting())
    for _ in range(20):
        rig.step(1.0)
    assert app.inbox.waiting()
    assert len(rig.client.on("meter")) == published
    assert rig.meter().entry == 6


def test_after_a_person_has_accepted_it_goes_on_and_the_log_has_it(rig: Rig) -> None:
    restored(rig)
    with pytest.raises(RequestError, match="Give your name"):
        rig.ask("accept", role="area_manager", reason="disk replaced")
    refused = rig.ask("accept", **{**PERSON, "role": "dealer"})
    assert not refused.ok
    assert "Area Manager" in refused.say
    accepted = rig.ask("accept", **PERSON)
    assert (accepted.ok, accepted.say) == (True, "Accepted for lucky-tie.")
    rig.until(lambda: rig.meter().entry == 6 and rig.meter().meters.hits == 0)  # accepted, and its fault
    rig.until(lambda: rig.client.on("fault"))
    assert rig.client.on("fault")[-1]["name"] == "accepted"
    entry = msgspec.json.decode(rig.store().read("jackpot/lucky-tie", 4, 1)[0].payload, type=Logged).entry
    assert isinstance(entry, Accepted)
    assert (entry.entry, entry.by, entry.role, entry.reason) == (6, *PERSON.values())
    assert display(rig) == BASE + INCREMENT
    assert not rig.ask("accept", **PERSON).ok
    rig.settle()
    stopped(rig)
    assert not rig.start().behind.found


def test_a_person_who_logs_in_accepts_with_the_role_of_the_record(rig: Rig) -> None:
    app = restored(rig)
    login = {"person": "asmith", "secret": "00417733"}
    for verb, args in (
        ("user-add", {"person": "asmith", "name": "A. Smith"}),
        ("user-badge", {"person": "asmith", "code": login["secret"]}),
    ):
        assert _begin(app, verb, **args).ok
    accept: dict[str, Any] = {"reason": "disk replaced", "login": login}
    assert "lucky-tie: asmith has no role in crown-baccarat" in _begin(app, "accept", **accept).say
    assert _begin(app, "user-role", person="asmith", rulebook="crown-baccarat", role="area_manager").ok
    with pytest.raises(RequestError, match="no name and no role"):
        _begin(app, "accept", **accept, role="area_manager")
    assert "is wrong" in _begin(app, "accept", **{**accept, "login": {**login, "secret": "00417734"}}).say
    assert _begin(app, "accept", **accept).ok
    entry = msgspec.json.decode(rig.store().read("jackpot/lucky-tie", 4, 1)[0].payload, type=Logged).entry
    assert isinstance(entry, Accepted)
    assert (entry.by, entry.role, entry.person) == ("A. Smith", "area_manager", "asmith")


def _begin(app: App, verb: str, **args: Any) -> Answer:
    """Ask as an account at the control socket does; a badge is checked at once."""
    answers: list[Answer] = []
    app._answers.begin(parse(msgspec.json.encode(Request(verb, args=args))), "root", answers.append)
    return answers[0]


def test_what_was_accepted_before_a_kill_is_not_asked_again(rig: Rig) -> None:
    app = restored(rig)
    assert rig.ask("accept", **PERSON).ok
    rig.kill(app)
    assert not rig.start().behind.found


def test_another_worker_goes_on_with_it(rig: Rig) -> None:
    restored(rig)
    other = rig.start("2")
    assert other.behind.found
    assert rig.ask("accept", **PERSON).ok
    rig.until(lambda: not other.behind.problem and not other.hold.problem)


def test_a_store_without_the_jackpot_is_held_too(rig: Rig) -> None:
    rig.start()
    rig.settle()
    stopped(rig)
    Path(rig.store_url).unlink()
    app = rig.start()
    # Both logs are opened anew, with a new secret each: entry 1 is another one.
    assert "jackpot seat: the meter at the broker names entry 1, but its log has another entry there" in (
        app.behind.problem
    )


def test_nothing_is_changed_before_the_broker_has_answered(rig: Rig) -> None:
    app = rig.start()
    rig.settle()
    stopped(rig)
    alone = App(msgspec.structs.replace(app.config, broker="mqtt://127.0.0.1:9"), monotonic=lambda: rig.now_s)
    rig.apps.append(alone)
    for _ in range(10):
        rig.step(1.0)
    refused = rig.ask("withdraw", "A. Smith", jackpot=JACKPOT, table="bac-01", role="area_manager", reason="dark")
    assert not refused.ok
    assert "not yet compared with the retained meters" in refused.say
    assert "not yet compared" in msgspec.json.decode(rig.ask("status").data)["store"]["problem"]
    stopped(rig)


@pytest.mark.parametrize("payload", [b"{}", b"\xff", b"[" * 5000, b'{"entry": 0, "hash": ""}', b"x" * 100_000])
def test_what_is_no_meter_holds_nothing(rig: Rig, payload: bytes) -> None:
    rig.start()
    rig.settle()
    stopped(rig)
    rig.client.publish(jackpot_topic(rig.site, JACKPOT, "meter"), payload, retain=True)
    rig.until(lambda: rig.client.messages[-1][1] == payload)
    rig.client.messages.clear()
    assert not rig.start().behind.found
    assert rig.meter().entry == 1
