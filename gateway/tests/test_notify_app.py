"""Notifications of a running floor service: from the broker to a real receiver, with kills, hangs and wrong configs."""

import socket
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor_rig import INCREMENT, Rig, rig, server
from notify_parts import alarm, incident, secret_file, step
from notify_receivers import WebServer
from sabot_floor import check, config
from sabot_floor.notify.channels import Syslog, Webhook
from sabot_floor.notify.history import LOG, newest
from sabot_floor.projection.reading import Reading
from sabot_floor.store import Store
from sabot_protocol.topics import AlarmMessage
from sabot_service.moment import utc
from support.patience import PATIENCE_S

__all__ = ["rig", "server"]


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    return str(tmp_path / "floor.db")


def publish(rig: Rig, message: msgspec.Struct) -> None:
    topic = rig.topic("bac-01", "alarm" if isinstance(message, AlarmMessage) else "incident")
    rig.client.publish(topic, msgspec.json.encode(message))


def states(store: Store) -> list[tuple[str, str]]:
    return [(row.channel, row.state) for row in newest(store, 100)]


def test_an_alarm_and_a_step_reach_their_receivers_once_across_a_kill(rig: Rig) -> None:
    with WebServer().running() as web:
        url = f"http://127.0.0.1:{web.port}/"
        channels = (Webhook(name="pit", url=url), Webhook(name="surveillance", url=url, to=("surveillance",)))
        app = rig.start(notify=channels)
        raised = alarm(at_s=time.time())
        publish(rig, raised)
        publish(rig, incident(step(to=["surveillance"]), opened=utc(time.time())))
        rig.until(lambda: len(web.requests) == 2)
        rig.until(lambda: app.notifier.idle())
        rig.kill(app)
        again = rig.start(notify=channels)
        publish(rig, raised)
        publish(rig, alarm(2, time.time()))
        rig.until(lambda: len(web.requests) == 3)
        rig.until(lambda: again.notifier.idle())
    bodies = [msgspec.json.decode(body) for _, _, body in web.requests]
    assert sorted((one["channel"], one["occasion"], one.get("alarm", "")) for one in bodies) == [
        ("pit", "raised", "a-1"), ("pit", "raised", "a-2"), ("surveillance", "opened", ""),
    ]  # fmt: skip
    assert sorted(states(rig.store())) == [("pit", "sent"), ("pit", "sent"), ("surveillance", "sent")]
    status: Any = msgspec.json.decode(rig.ask("status").data)
    assert [(one["name"], one["sent"], one["problem"]) for one in status["notify"]["channels"]] == [
        ("pit", 2, None), ("surveillance", 1, None),
    ]  # fmt: skip


def test_a_kill_between_sending_and_logging_sends_again_with_the_same_id(rig: Rig) -> None:
    with WebServer().running() as web:
        channels = (Webhook(name="pit", url=f"http://127.0.0.1:{web.port}/"),)
        web.may_answer.clear()
        app = rig.start(notify=channels)
        publish(rig, alarm(at_s=time.time()))
        rig.until(lambda: web.requests)  # the receiver has it
        rig.kill(app)  # and nobody has logged it
        web.may_answer.set()
        again = rig.start(notify=channels)
        rig.until(lambda: len(web.requests) == 2 and again.notifier.idle())
    assert len({headers["X-Sabot-Id"] for _, headers, _ in web.requests}) == 1
    assert [entry.kind for entry in rig.store().entries(LOG)] == ["decided", "sent"]


def test_a_stop_waits_a_moment_for_the_receiver_that_has_a_notice(rig: Rig) -> None:
    with WebServer().running() as web:
        web.may_answer.clear()
        app = rig.start(notify=(Webhook(name="pit", url=f"http://127.0.0.1:{web.port}/"),))
        publish(rig, alarm(at_s=time.time()))
        rig.until(lambda: web.requests)
        rig.apps.remove(app)
        threading.Timer(0.1, web.may_answer.set).start()
        app._goodbye()
    assert [entry.kind for entry in rig.store().entries(LOG)] == ["decided", "sent"]


def test_incidents_that_were_open_before_there_was_a_channel_are_notified(rig: Rig) -> None:
    placed: dict[str, Any] = {"gateway": "g-1", "after": 0}
    silent = rig.start()
    publish(rig, incident(step(to=["surveillance"]), **placed))
    publish(rig, incident(step(to=["surveillance"]), number=2, entry=2, state="closed", **placed))
    rig.settle()
    assert [one.incident for one in Reading(silent.store).open_incidents()] == ["i-1"]
    rig.kill(silent)
    with WebServer().running() as web:
        rig.start(notify=(Webhook(name="s", url=f"http://127.0.0.1:{web.port}/", to=("surveillance",)),))
        rig.until(lambda: web.requests)
    assert [msgspec.json.decode(body)["incident"] for _, _, body in web.requests] == ["i-1"]


def test_a_receiver_that_hangs_stops_no_jackpot_and_no_other_channel(rig: Rig) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(PATIENCE_S)
        silent = socket.create_server(("127.0.0.1", 0))  # the kernel takes the connection, and nobody answers
        port = silent.getsockname()[1]
        hangs = Webhook(name="hangs", url=f"http://127.0.0.1:{port}/SECRET", timeout_s=60)
        works = Syslog(name="works", address=f"udp://127.0.0.1:{receiver.getsockname()[1]}")
        app = rig.start(notify=(hangs, works))
        publish(rig, alarm(at_s=time.time()))
        before = rig.meter().meters.display
        rig.send(rig.table().increment())
        rig.until(lambda: rig.meter().meters.display == before + INCREMENT)
        rig.until(lambda: ("works", "sent") in states(rig.store()))
        assert b"discrepancy" in receiver.recv(4096)
        assert ("hangs", "waiting") in states(rig.store())
        silent.close()
        rig.until(lambda: ("hangs", "failed") in states(rig.store()))
    status: Any = app.notifier.status()
    shown = {one["name"]: one for one in status["channels"]}
    assert (shown["works"]["sent"], shown["hangs"]["sent"], shown["hangs"]["waiting"]) == (1, 0, 1)
    assert shown["hangs"]["problem"] == f"127.0.0.1:{port}: Connection reset by peer"
    assert "SECRET" not in str(status)


# The config

BASE = 'site = "s"\nstore = "f.db"\nbroker = "mqtt://localhost"\njackpots = "j.toml"\n'


def problems(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "floor.toml"
    path.write_text(BASE + text)
    found, wrong = config.read(path)
    return wrong if found is None else [one for one in config.problems(found) if one.startswith("notify")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[[notify]]\nname = "a"', 'notify 1: kind = None; write "webhook", "email" or "syslog"'),
        ("notify = 3", "notify: write tables: [[notify]]"),
        ('[[notify]]\nkind = "syslog"', 'notify 1: name is missing; write letters, digits, - and _, such as "pit"'),
        ('[[notify]]\nkind = "syslog"\nname = "a"\nurl = "x"', "notify 1: url: no such key"),
        ('[[notify]]\nkind = "syslog"\nname = "a"\nseverity = "high"', 'notify 1: severity = "high"; write the lowest'),
        ('[[notify]]\nkind = "syslog"\nname = "a"\naddress = "http://x"', "notify a: address: expected udp://host:514"),
        (
            '[[notify]]\nkind = "syslog"\nname = "a"\nto = ["boss"]',
            "notify a: to: unknown party 'boss'; there are a",
        ),
        ('[[notify]]\nkind = "webhook"\nname = "a"', "notify a: write either url or url_file"),
        ('[[notify]]\nkind = "webhook"\nname = "a"\nurl = "ftp://x"', "notify a: url: expected http://host/path"),
        ('[[notify]]\nkind = "webhook"\nname = "a"\nurl = "https://u:p@x"', "notify a: url: expected http://host/path"),
        ('[[notify]]\nkind = "webhook"\nname = "a"\nurl = "http://x"\nsecret_file = "none"', "no such file"),
        (
            '[[notify]]\nkind = "email"\nname = "a"\nhost = "h"\nsender = "a@b"\nrecipients = ["x"]',
            'notify 1: recipients = ["x"]; write a list of 1 to 20 addresses',
        ),
        (
            '[[notify]]\nkind = "email"\nname = "a"\nhost = "h"\nsender = "a@b"\nrecipients = ["c@d"]\nuser = "u"',
            "notify a: write both user and password_file, or neither",
        ),
        ('[[notify]]\nkind = "syslog"\nname = "a"\n' * 2, "notify: the name 'a' is there twice"),
        ('[[notify]]\nkind = "syslog"\nname = ["a"]', 'notify 1: name = ["a"]; write'),
    ],
)
def test_a_wrong_channel_is_an_error_that_names_the_key(tmp_path: Path, text: str, expected: str) -> None:
    found = problems(tmp_path, text)
    assert len(found) == 1
    assert expected in found[0]


def test_a_password_is_not_sent_in_plain_text(tmp_path: Path) -> None:
    secret_file(tmp_path / "p", "x")
    text = 'name = "a"\nhost = "h"\nsender = "a@b"\nrecipients = ["c@d"]\nuser = "u"\npassword_file = "p"\n'
    [found] = problems(tmp_path, f'[[notify]]\nkind = "email"\nsecurity = "none"\n{text}')
    assert "would send the password readable" in found


def test_a_secret_that_others_can_read_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("x" * 20)
    (tmp_path / "key").chmod(0o644)
    [found] = problems(tmp_path, '[[notify]]\nkind = "webhook"\nname = "a"\nurl = "http://x"\nsecret_file = "key"')
    assert "chmod 600" in found


def test_check_finds_unknown_alarms_and_warns_of_receivers_that_do_not_answer(rig: Rig, tmp_path: Path) -> None:
    with WebServer().running() as web:
        channels = f"""
[[notify]]
kind = "webhook"
name = "good"
url = "http://127.0.0.1:{web.port}/"
alarms = ["disc*"]
[[notify]]
kind = "syslog"
name = "bad"
address = "tcp://127.0.0.1:1"
alarms = ["discrepancies"]
"""
        (tmp_path / "floor.toml").write_text(BASE.replace("j.toml", "jackpots.toml") + channels)
        found = [one for one in check.facts(tmp_path / "floor.toml", alarms=["discrepancy"]) if "notify" in one.subject]
    assert [(one.status, one.subject) for one in found] == [
        ("ok", "notify good"), ("wrong", "notify bad"), ("warning", "notify bad"),
    ]  # fmt: skip
    assert found[1].says == "alarms: there is no alarm 'discrepancies'; did you mean 'discrepancy'?"
    assert found[2].says == "cannot be reached now: 127.0.0.1:1: Connection refused"
    test = f"sabot floor notify test --config {tmp_path / 'floor.toml'} --channel good"
    assert found[0].says == f"127.0.0.1:{web.port} answers; try it: {test}"
    assert web.requests == []
