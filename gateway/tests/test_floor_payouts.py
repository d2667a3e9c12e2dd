"""Pay-outs with people of the records: nobody pays alone what he made; who is notified is one of the records."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor_rig import JACKPOT, Rig, rig, server
from jackpot_desk import time_of
from msgspec import UNSET
from notify_receivers import WebServer
from sabot_floor.jackpots.batch import log_name
from sabot_floor.jackpots.engine import Logged
from sabot_floor.jackpots.engine.entries import Confirmed
from sabot_floor.notify.channels import Webhook
from sabot_floor.notify.history import LOG
from sabot_floor.requests import Confirm, Signer
from sabot_protocol.jackpots.messages import PendingMessage
from sabot_service.moment import Moment
from sabot_tools.text.floor_status import status_lines
from test_floor_order import Gateway, live
from test_floor_people_app import FIRST_PIN, ask, done, login, refused, staffed

__all__ = ["rig", "server"]
WIN = {"jackpot": JACKPOT, "win": "bac-01/1/1"}
MANAGERS = (("cmanager", "C. Manager", "casino_manager"), ("dlow", "D. Low", "dealer"), ("gone", "G. One", "cm"))


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    return str(tmp_path / "floor.db")


def people(rig: Rig) -> None:
    for person, name, role in MANAGERS:
        done(rig, "user-add", person=person, name=name)
        done(rig, "user-role", person=person, rulebook="crown-baccarat", role=role)
    done(rig, "user-disable", person="gone")
    done(rig, "user-add", person="roleless", name="No Role")


def own_pin(rig: Rig, person: str, secret: str) -> None:
    """Give a person a PIN, which the person then changes, as everybody must."""
    done(rig, "user-pin", person=person, secret=FIRST_PIN)
    done(rig, "user-own-pin", login=login(person, FIRST_PIN), secret=secret)


def won(rig: Rig) -> None:
    table = rig.table()
    hit = table.increment(trigger="coloured")
    rig.send(hit, table.recorded(hit, stakes={"tie": [100]}))
    rig.until(lambda: rig.client.on("win"))


@pytest.mark.parametrize(
    ("notified", "says"),
    [
        ("", "must be notified (13.4.5)"),
        ("anybody", "there is no such person"),
        ("asmith", "cannot be the person who is notified"),
        ("A. Smith", "cannot be the person who is notified"),
        ("bjones", "is not the Casino Manager"),
        ("dlow", "is not the Casino Manager"),
        ("gone", "is disabled"),
        ("roleless", "has no role in crown-baccarat"),
    ],
)
def test_only_a_person_of_the_role_is_notified(rig: Rig, notified: str, says: str) -> None:
    people(staffed(rig))
    won(rig)
    assert says in refused(rig, "confirm", **WIN, notified=notified, login=login("asmith"))
    assert rig.meter().meters.hits == 0


def test_the_notification_is_sent_once_and_logged(rig: Rig) -> None:
    with WebServer().running() as web:
        channels = (Webhook(name="cm", url=f"http://127.0.0.1:{web.port}/", to=("casino_manager",)),)
        people(staffed(rig, notify=channels))
        won(rig)
        say = done(rig, "confirm", **WIN, notified="C. Manager", login=login("asmith"))
        assert "The notification to the Casino Manager is sent" in say
        rig.until(lambda: web.requests and rig.apps[0].notifier.idle(), pass_s=0.5)
        rig.kill(rig.apps[0])
        again = rig.start(notify=channels)
        rig.until(lambda: again.notifier.idle())
        for _ in range(20):
            rig.step(0.5)
        assert len(web.requests) == 1
    body = msgspec.json.decode(web.requests[0][2])
    assert (body["name"], body["to"], body["clause"]) == ("jackpot_payout", ["casino_manager"], "13.4.5")
    assert (
        "AUD 150.15 were paid at bac-01, coup 1/1, confirmed by A. Smith. To be notified: C. Manager." in body["text"]
    )
    assert [entry.kind for entry in rig.store().entries(LOG)][-2:] == ["decided", "sent"]
    logged = [msgspec.json.decode(e.payload, type=Logged).entry for e in rig.store().entries(log_name(JACKPOT))
              if e.kind == "confirmed"]  # fmt: skip
    assert isinstance(logged[0], Confirmed)
    assert (logged[0].notified, logged[0].notified_person, logged[0].notified_role) == (
        "C. Manager", "cmanager", "casino_manager",
    )  # fmt: skip


def test_a_pay_out_that_no_channel_carries_says_so(rig: Rig) -> None:
    people(staffed(rig))
    won(rig)
    say = done(rig, "confirm", **WIN, notified="cmanager", login=login("asmith"))
    assert "No channel of [[notify]] reaches the Casino Manager: make sure that C. Manager knows of it" in say


def test_new_parameters_are_reported_to_the_regulator(rig: Rig) -> None:
    with WebServer().running() as web:
        channels = (Webhook(name="vgccc", url=f"http://127.0.0.1:{web.port}/", to=("vgccc",)),)
        app = rig.start(notify=channels)
        for _ in range(10):
            rig.step(1.0)
        path = rig.work_dir / "jackpots.toml"
        path.write_text(path.read_text().replace("increment = 25\n", "version = 2\nincrement = 20\n", 1))
        app._signals.reloading = True
        rig.until(lambda: web.requests, pass_s=0.5)
    body: dict[str, Any] = msgspec.json.decode(web.requests[0][2])
    assert (body["name"], body["to"], body["clause"]) == ("jackpot_parameters", ["vgccc"], "13.4.1(a)")
    assert "version 2" in body["text"]


def test_who_adjusted_or_approved_does_not_confirm(rig: Rig) -> None:
    people(staffed(rig))
    own_pin(rig, "cmanager", "840266")
    won(rig)
    args: dict[str, Any] = {"jackpot": JACKPOT, "amount": 500, "reason": "r", "id": "adjust-0001"}
    done(rig, "adjust", **args, login=login("asmith"), second_login=login("bjones"))
    for person in ("asmith", "bjones"):
        say = refused(rig, "confirm", **WIN, notified="cmanager", login=login(person))
        assert "changed the meter by hand since the last pay-out: another person must confirm it" in say
    assert "cannot be the person" in refused(
        rig, "confirm", **WIN, notified="cmanager", login=login("cmanager", "840266")
    )
    done(rig, "user-add", person="dmanager", name="D. Manager")
    done(rig, "user-role", person="dmanager", rulebook="crown-baccarat", role="casino_manager")
    done(rig, "confirm", **WIN, notified="dmanager", login=login("cmanager", "840266"))


def test_who_drew_a_win_does_not_confirm_it(rig: Rig) -> None:
    rig.start()
    for person, name, pin in (("asmith", "A. Smith", "730155"), ("bjones", "B. Jones", "correct horse")):
        done(rig, "user-add", person=person, name=name)
        done(rig, "user-role", person=person, rulebook="nz-baccarat", role="casino_supervisor")
        own_pin(rig, person, pin)
    done(rig, "draw", jackpot="seat", id="draw-0001", login=login("asmith"))
    args = {"jackpot": "seat", "win": "draw-0001"}
    assert "drew it" in refused(rig, "confirm", **args, login=login("asmith"))
    assert ask(rig, "confirm", **args, login=login("bjones"))["ok"]


def test_a_wrong_clock_is_sent_as_a_critical_alarm(rig: Rig) -> None:
    with WebServer().running() as web:
        rig.start(notify=(Webhook(name="pit", url=f"http://127.0.0.1:{web.port}/"),))
        gateway = Gateway(rig, "bac-01", 1, minutes=-10)
        gateway.hit("coloured")
        live(rig, gateway)
        rig.until(lambda: web.requests, pass_s=0.5)
    body = msgspec.json.decode(web.requests[0][2])
    assert (body["name"], body["table"], body["severity"]) == ("jackpot_clock", "bac-01", "critical")
    assert "The clock of gateway gw-1, which serves bac-01, is 600." in body["text"]


def test_reading_the_console_at_settlement_needs_the_role(rig: Rig) -> None:
    people(staffed(rig))
    own_pin(rig, "dlow", "840266")
    assert "13.3.2(c)" in refused(rig, "show", jackpot=JACKPOT, login=login("dlow", "840266"))
    assert ask(rig, "show", jackpot=JACKPOT, login=login("asmith"))["ok"]


def test_the_console_offers_those_who_may_be_notified(rig: Rig) -> None:
    people(staffed(rig))
    found = ask(rig, "show", jackpot=JACKPOT, login=login("asmith"))["data"]
    assert found["notified"] == [{"id": "cmanager", "name": "C. Manager", "role": "Casino Manager"}]


@pytest.mark.parametrize(("required", "ok"), [(True, False), (False, True)])
def test_a_typed_name_is_no_person_where_people_are_required(rig: Rig, required: bool, ok: bool) -> None:
    app = rig.start(people_required=required)
    won(rig)
    act = Confirm(jackpot=JACKPOT, win="bac-01/1/1", notified="C. Manager")
    answer = app._answers._desk.act(act, Signer("A. Smith", "area_manager"), Moment(rig.now_s, time_of(9)))
    assert answer.ok is ok, answer.say
    assert ok or "there is no such person" in answer.say


def test_a_difference_is_retained_until_a_person_settles_it(rig: Rig) -> None:
    """A void coup after its pay-out: at the broker, also after a restart, with what was paid and what was due."""
    people(staffed(rig))
    table = rig.table()
    hit = table.increment(trigger="coloured")
    rig.send(hit, table.recorded(hit, stakes={"tie": [100]}))
    rig.until(lambda: rig.client.on("win"))
    done(rig, "confirm", **WIN, notified="cmanager", login=login("asmith"))
    rig.send(table.increment(amount=-hit.amount, reverses=hit.id, coup=hit.coup, coup_id=hit.coup_id))
    rig.until(lambda: open_differences(rig) == [("bac-01", 15_015, 0)])
    rig.kill(rig.apps[0])
    rig.start()
    rig.settle()
    assert open_differences(rig) == [("bac-01", 15_015, 0)]
    assert shown_open(rig) == (1.0, ["jackpot lucky-tie: 1 of its pay-outs were not what was due"])
    own_pin(rig, "dlow", "840266")
    assert "may not" in refused(rig, "settle", **WIN, reason="r", login=login("dlow", "840266"))
    settle = {**WIN, "reason": "recovered, voucher 17"}
    assert "confirmed, drawn, adjusted or decided by A. Smith" in refused(
        rig, "settle", **settle, login=login("asmith")
    )
    done(rig, "settle", **settle, login=login("bjones"))
    rig.until(lambda: open_differences(rig) == [])
    assert shown_open(rig) == (0.0, [])


def shown_open(rig: Rig) -> tuple[float, list[str]]:
    """Return what the metric and the lines of `sabot floor status` have of open differences."""
    samples: dict[Any, Any] = dict(rig.apps[0].monitoring.snapshot().samples["sabot_floor_wins_open"])
    status = msgspec.json.decode(rig.ask("status").data)
    lines = [line.partition(",")[0] for line in status_lines(status, "") if "was due" in line]
    return samples[JACKPOT, "difference"], lines


def open_differences(rig: Rig) -> list[tuple[str, int, int]]:
    found = msgspec.convert(rig.client.on("pending")[-1], PendingMessage)
    return [(win.table, win.prize, win.due) for win in found.wins if win.state == "paid" and win.due is not UNSET]
