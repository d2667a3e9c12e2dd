"""The same on every broker, plain and by TLS: from the shoe to a subscriber, access rights, and clear errors."""

import re
import socket
import subprocess
import sys
from collections.abc import Callable

import msgspec
import pytest
from jsonschema import Draft202012Validator
from sabot_gateway.ledger import Entry, Ledger
from sabot_gateway.publish.publisher import Publisher
from sabot_protocol import schemas
from sabot_protocol.topics import ConfirmedMessage, CoupMessage
from sabot_service.broker import Broker, Login
from sabot_tools.stand.local_site import Received
from sabot_tools.stand.ports import HOST, free_port
from support.brokers import KINDS, PASSWORDS, Site
from support.mqtt_clients import MqttClient, step_until
from support.site_watcher import WatchSite

ROOT = "sabot/v1/sydney"
NOW = "2026-01-01T00:00:00.000Z"
CARD = re.compile(rb"\b[A2-9TJQK][SHDC]\b")


def secured(site: Site, kind: str, safety: str) -> tuple[Broker, Login]:
    """Start a broker: plain, with TLS, or with TLS and client certificates."""
    if safety == "plain":
        return site.start(kind), Login()
    certificates = site.certificates
    client_ca = certificates.ca_file if safety == "certificate" else None
    server = site.start(kind, tls=certificates.issue("localhost"), client_ca=client_ca)
    return server, certificates.login(certificate=safety == "certificate")


VALIDATORS = {name: Draft202012Validator(schemas.strict(schemas.schema(name))) for name in schemas.ALL_PAYLOADS}


def breaches(received: list[Received]) -> list[str]:
    """Return published messages that break their schema, unknown fields included."""
    return [
        f"{message.topic}: {error.message}"
        for message in received
        if (name := schemas.schema_of(message.topic)) is not None
        for error in VALIDATORS[name].iter_errors(msgspec.json.decode(message.payload))
    ]


def topics(received: list[Received]) -> set[str]:
    return {message.topic.removeprefix(f"{ROOT}/") for message in received}


@pytest.mark.parametrize("safety", ["plain", "tls", "certificate"])
@pytest.mark.parametrize("kind", KINDS)
def test_from_the_shoe_to_a_subscriber(site: Site, watch_site: WatchSite, kind: str, safety: str) -> None:
    server, login = secured(site, kind, safety)
    deck = ["5H", *(["9S", "2H", "KD", "3C"] * 7), "CUT", *(["2S", "3D", "4C", "5C", "6H", "7D"] * 4)]
    watcher = watch_site(broker_url=str(server), login=login, site="sydney", speed=100.0, deck=lambda rng: list(deck))
    watcher.run_until(lambda watcher: len(watcher.messages("coup")) >= 5)
    assert watcher.site_status()[-1]["state"] == "online"  # birth
    watcher.site.kill_gateway()
    watcher.run_until(lambda watcher: watcher.site_status()[-1]["state"] == "offline")  # its will
    watcher.site.start_gateway()
    watcher.run_until(lambda watcher: watcher.site_status()[-1]["state"] == "online")
    watcher.run_until(lambda watcher: any(message["state"] == "closed" for message in watcher.messages("shoe")))
    watcher.run_until(lambda watcher: len(watcher.messages("health")) >= 4)
    coups = [message for message in watcher.messages("coup") if message["shoe"] == 1]
    assert [message["coup"] for message in coups] == list(range(1, len(coups) + 1))
    assert {message["status"] for message in coups} == {"verified"}
    assert len({message["id"] for message in watcher.messages("coup")}) == len(watcher.messages("coup"))
    assert breaches(watcher.received) == []
    players_see = [message for message in watcher.received if message.topic.endswith(("/status", "/shoe"))]
    assert players_see
    assert not [message for message in players_see if CARD.search(message.payload)]
    of_the_table = {f"bac-01/{name}" for name in ("status", "shoe", "cards", "coup", "confirmed", "health")}
    assert topics(watcher.received) >= {"status", *of_the_table}

    late = MqttClient(server, "late", login)
    late.subscribe(f"{ROOT}/#")
    retained = [f"{ROOT}/status", f"{ROOT}/bac-01/status", f"{ROOT}/bac-01/shoe"]
    step_until(lambda: set(retained) <= set(late.topics()), late)
    payloads = {topic: msgspec.json.decode(payload) for topic, payload in late.messages if topic in retained}
    assert payloads[retained[0]]["state"] == payloads[retained[1]]["state"] == "online"
    assert payloads[retained[2]]["state"] in ("open", "closed")


def test_a_field_that_no_schema_names_is_found() -> None:
    status = {"state": "online", "time": NOW}
    assert breaches([Received(f"{ROOT}/status", msgspec.json.encode(status), 0.0)]) == []
    found = breaches([Received(f"{ROOT}/status", msgspec.json.encode({**status, "mood": "good"}), 0.0)])
    assert len(found) == 1
    assert "mood" in found[0]


def publish_each(line: MqttClient, names: list[str]) -> None:
    """Until all are acknowledged, by a broker that may take them or throw them away."""
    mids = {line.mqtt.client.publish(name, b"{}", qos=1).mid for name in names}
    step_until(lambda: mids <= set(line.acknowledged), line)


@pytest.mark.parametrize("kind", KINDS)
def test_a_gateway_writes_its_own_tables_and_the_floor_only_reads(site: Site, kind: str) -> None:
    server = site.example(kind)
    floor, gateway = (MqttClient(server, user, site.login(user)) for user in ("floor-sydney", "gateway-sydney"))
    floor.subscribe(f"{ROOT}/#")
    gateway.connect()
    others = [
        f"{ROOT}/bac-03/coup",
        "sabot/v1/perth/bac-01/coup",
        "sabot/v1/perth/status",
        f"{ROOT}/gateway/pit-1/beat",
    ]
    own = [f"{ROOT}/status", f"{ROOT}/beat", f"{ROOT}/bac-01/coup", f"{ROOT}/bac-01/cards", f"{ROOT}/bac-02/alarms"]
    publish_each(gateway, [*others, *own])
    step_until(lambda: set(own) <= set(floor.topics()), floor)
    assert floor.topics() == own
    publish_each(floor, [f"{ROOT}/bac-01/coup"])
    publish_each(gateway, [f"{ROOT}/bac-02/coup"])
    step_until(lambda: f"{ROOT}/bac-02/coup" in floor.topics(), floor)
    assert floor.topics() == [*own, f"{ROOT}/bac-02/coup"]


FROM_LEDGER = ("shoe", "cards", "coup", "confirmed", "alarm", "incident", "health", "attempt", "outcome")


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_floor_service_writes_meters_and_only_tables_contribute(site: Site, kind: str) -> None:
    server = site.example(kind)
    users = ("jackpots-sydney", "gateway-sydney", "display-sydney", "floor-sydney")
    service, gateway, display, floor = (MqttClient(server, user, site.login(user)) for user in users)
    increment, recorded = f"{ROOT}/bac-01/jackpot/lucky-tie", f"{ROOT}/bac-01/jackpot/lucky-tie/recorded"
    meter, pending, win = (f"{ROOT}/jackpot/lucky-tie/{name}" for name in ("meter", "pending", "win"))
    from_ledger = [f"{ROOT}/bac-01/{name}" for name in FROM_LEDGER]
    for wanted in (
        "+/jackpot/#",
        "+/status",
        "status",
        "ledger",
        "beat",
        "+/open",
        *(f"+/{name}" for name in FROM_LEDGER),
    ):
        service.subscribe(f"{ROOT}/{wanted}")
    gateway.subscribe(f"{ROOT}/jackpot/+/meter")
    for wanted in ("meter", "win", "pending"):
        display.subscribe(f"{ROOT}/jackpot/+/{wanted}")
    floor.subscribe(f"{ROOT}/#")
    publish_each(display, [meter, increment])
    publish_each(floor, [meter, increment])
    publish_each(gateway, [meter, win, f"{ROOT}/bac-03/jackpot/lucky-tie", f"{ROOT}/bac-01/open"])
    publish_each(service, [increment, f"{ROOT}/bac-01/confirmed", f"{ROOT}/status", f"{ROOT}/beat"])
    head, beat = f"{ROOT}/ledger", f"{ROOT}/beat"
    publish_each(gateway, [increment, recorded, head, beat, *from_ledger])
    publish_each(service, [pending, meter, win])
    step_until(lambda: len(service.messages) == 14 and len(floor.messages) == 17, service, floor)
    assert sorted(service.topics()) == sorted([increment, recorded, head, beat, f"{ROOT}/bac-01/open", *from_ledger])
    assert sorted(floor.topics()) == sorted([*service.topics(), pending, meter, win])
    step_until(lambda: len(display.messages) == 2 and len(gateway.messages) == 1, display, gateway)
    assert (sorted(display.topics()), gateway.topics()) == ([meter, win], [meter])


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_floor_service_gives_commands_and_only_the_gateway_replies(site: Site, kind: str) -> None:
    server = site.example(kind)
    users = ("jackpots-sydney", "gateway-sydney", "display-sydney", "floor-sydney")
    service, gateway, display, floor = (MqttClient(server, user, site.login(user)) for user in users)
    command, reply, coup = (f"{ROOT}/bac-01/{name}" for name in ("cmd", "cmd/reply", "coup"))
    gateway.subscribe(f"{ROOT}/+/cmd")
    service.subscribe(f"{ROOT}/+/cmd/reply")
    display.subscribe(f"{ROOT}/+/cmd")
    floor.subscribe(f"{ROOT}/#")
    publish_each(gateway, [command])
    publish_each(display, [command, reply])
    publish_each(floor, [command, reply])
    publish_each(service, [reply, command])
    publish_each(gateway, [reply, f"{ROOT}/bac-03/cmd/reply", coup])
    step_until(lambda: coup in floor.topics() and gateway.topics() and service.topics(), floor, gateway, service)
    assert (gateway.topics(), service.topics(), display.topics()) == ([command], [reply], [])
    assert sorted(floor.topics()) == sorted([command, reply, coup])


# Rule 2 of displays.md: no screen shows a card before it is turned. `hand` and `cards` are cards as they leave the
# shoe, `cards` the burn card too; `coup` comes with the last card, while hands lie face down; alarms name cards of the
# coup on the table, and a burn card that was not to be shown; requests and incidents name people. `health` and the
# ledger's head are of no use to players.
UNSEEN = ("hand", "cards", "coup", "alarm", "alarms", "incident", "open", "health", "attempt", "outcome")
SEEN = ("shoe", "history", "confirmed", "status")


@pytest.mark.parametrize("kind", KINDS)
def test_a_display_reads_what_players_have_seen_and_writes_nothing(site: Site, kind: str) -> None:
    server = site.example(kind)
    users = ("display-sydney", "floor-sydney", "gateway-sydney")
    display, floor, gateway = (MqttClient(server, user, site.login(user)) for user in users)
    seen = [f"{ROOT}/status", f"{ROOT}/beat", *(f"{ROOT}/bac-01/{name}" for name in SEEN)]
    unseen = [f"{ROOT}/ledger", *(f"{ROOT}/bac-01/{name}" for name in UNSEEN)]
    for wanted in (f"{ROOT}/#", f"{ROOT}/+/cards", "#", "+/+/+/+/+", "$MQTT/sub/#", *unseen, *seen):
        display.subscribe(wanted)
    floor.subscribe(f"{ROOT}/#")
    gateway.connect()
    publish_each(gateway, [*unseen, *seen])
    step_until(lambda: set(seen) <= set(display.topics()), display)
    assert set(display.topics()) == set(seen)
    step_until(lambda: len(floor.messages) == len(seen + unseen), floor)
    assert set(floor.topics()) == {*seen, *unseen}
    publish_each(display, unseen + seen)
    publish_each(gateway, [f"{ROOT}/bac-02/coup"])
    step_until(lambda: f"{ROOT}/bac-02/coup" in floor.topics(), floor)
    assert len(floor.messages) == len(seen + unseen) + 1


# What shows a card dealt face down, or its points, before it is turned: for Surveillance alone.
WITH_CARDS = ("hand", "cards", "coup", "alarm", "alarms", "attempt", "outcome")


@pytest.mark.parametrize("kind", KINDS)
def test_the_pit_reads_no_topic_with_cards_that_are_not_turned(site: Site, kind: str) -> None:
    server = site.example(kind)
    pit, floor, gateway = (
        MqttClient(server, user, site.login(user)) for user in ("pit-sydney", "floor-sydney", "gateway-sydney")
    )
    seen = [
        f"{ROOT}/bac-01/{name}" for name in ("status", "shoe", "history", "confirmed", "health", "incident", "open")
    ]
    unseen = [f"{ROOT}/bac-01/{name}" for name in WITH_CARDS]
    for wanted in (f"{ROOT}/#", f"{ROOT}/+/cards", "#", *unseen, *seen):
        pit.subscribe(wanted)
    floor.subscribe(f"{ROOT}/#")
    gateway.connect()
    publish_each(gateway, [*unseen, *seen])
    step_until(lambda: set(seen) <= set(pit.topics()), pit)
    assert set(pit.topics()) == set(seen)
    step_until(lambda: len(floor.messages) == len(seen + unseen), floor)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SEEN)
def test_a_display_gets_each_topic_of_every_table_by_one_subscription(site: Site, kind: str, name: str) -> None:
    server = site.example(kind)
    display, gateway = (MqttClient(server, user, site.login(user)) for user in ("display-sydney", "gateway-sydney"))
    display.subscribe(f"{ROOT}/+/{name}")
    assert display.granted == [1]
    gateway.connect()
    publish_each(gateway, [f"{ROOT}/bac-01/{name}", f"{ROOT}/bac-02/{name}"])
    step_until(lambda: len(display.messages) == 2, display)


COUP = CoupMessage(
    id="5ab0000000000001-9", unit="5ab0000000000001", event_no=9, table="bac-01", shoe=1, coup=1, time=NOW, rulebook="",
    kind="live", status="verified", winner="player", player=["9S", "KD"], banker=["2H", "3C"], player_points=9,
    banker_points=5, player_pair=False, banker_pair=False, natural=True, last_coup=False, shoe_time_ms=0,
)  # fmt: skip


CONFIRMED = msgspec.convert(
    msgspec.to_builtins(COUP) | {"status": "confirmed", "coup_id": COUP.id, "event_no": 10}, ConfirmedMessage
)


def watch(*options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "sabot_tools", "watch", "--coups", "1", "--site", "sydney", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def as_options(login: Login) -> list[str]:
    """A login on the command line, by the names that the gateway's config has."""
    given = {name: value for name, value in msgspec.structs.asdict(login).items() if value}
    return [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", value)]


def publish_until(line: MqttClient, topic: str, payload: bytes, done: Callable[[], object]) -> None:
    """Publish repeatedly, each time after the acknowledgement, so that a new subscriber receives one."""

    class Again:
        sent = line.mqtt.client.publish(topic, payload, qos=1)

        def step(self, now_s: float) -> None:
            if self.sent.mid in line.acknowledged:
                self.sent = line.mqtt.client.publish(topic, payload, qos=1)

    line.connect()
    step_until(done, line, Again())


@pytest.mark.parametrize("kind", KINDS)
def test_sabot_watch_by_user_and_password(site: Site, kind: str) -> None:
    server = site.example(kind)
    gateway = MqttClient(server, "gateway", site.login("gateway-sydney"))
    with watch("--broker", str(server), *as_options(site.login("pit-sydney"))) as child:
        publish_until(
            gateway, f"{ROOT}/bac-01/confirmed", msgspec.json.encode(CONFIRMED), lambda: child.poll() is not None
        )
        out, err = child.communicate()
    assert (child.returncode, err) == (0, "")
    assert "PLAYER" in out


@pytest.mark.parametrize("kind", KINDS)
def test_sabot_watch_by_certificate(site: Site, kind: str) -> None:
    server, login = secured(site, kind, "certificate")
    gateway = MqttClient(server, "gateway", login)
    with watch("--broker", str(server), *as_options(login)) as child:
        publish_until(
            gateway, f"{ROOT}/bac-01/confirmed", msgspec.json.encode(CONFIRMED), lambda: child.poll() is not None
        )
        out, _ = child.communicate()
    assert "PLAYER" in out


@pytest.mark.parametrize("kind", KINDS)
def test_sabot_watch_names_the_options_that_are_missing(site: Site, kind: str) -> None:
    server = site.example(kind)
    for options, expected in (
        ([], "as --ca-file"),
        (["--ca-file", str(site.certificates.ca_file)], "a client without --user"),
        (as_options(site.login("floor-sydney", "a guess")), "check --user, --password-file and the broker's users"),
    ):
        with watch("--broker", str(server), *options) as child:
            assert child.stderr
            assert expected in child.stderr.readline()
            child.kill()


def test_sabot_watch_reports_a_user_without_the_right_to_read_coups(site: Site) -> None:
    server = site.example("nats")
    with watch("--broker", str(server), *as_options(site.login("gateway-sydney"))) as child:
        assert child.stderr
        assert f"does not let gateway-sydney read {ROOT}/+/confirmed" in child.stderr.readline()
        child.kill()


def test_a_display_is_no_client_of_nats_itself(site: Site) -> None:
    port = free_port()
    site.example("nats", {'"127.0.0.1:4222"': f'"127.0.0.1:{port}"'})
    with socket.create_connection((HOST, port)) as line:
        login = {"user": "display-sydney", "pass": PASSWORDS["display-sydney"], "verbose": True}
        line.sendall(b"CONNECT " + msgspec.json.encode(login) + b"\r\nSUB $MQTT.sub.> 1\r\nPING\r\n")
        answer = b""
        while data := line.recv(4096):
            answer += data
    assert b"-ERR 'Authorization Violation'" in answer


@pytest.mark.parametrize("kind", KINDS)
def test_a_gateway_cannot_read_what_is_not_its_own(site: Site, kind: str) -> None:
    server = site.example(kind)
    gateway, spy = (MqttClient(server, name, site.login("gateway-sydney")) for name in ("gateway", "spy"))
    spy.subscribe(f"{ROOT}/+/status")
    assert spy.granted == [1]
    spy.subscribe(f"{ROOT}/bac-01/coup")
    gateway.connect()
    publish_each(gateway, [f"{ROOT}/bac-01/coup", f"{ROOT}/bac-01/status"])
    step_until(lambda: spy.messages, spy)
    assert spy.topics() == [f"{ROOT}/bac-01/status"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_that_the_gateway_may_not_write_is_named_and_no_event_is_thrown_away(site: Site, kind: str) -> None:
    line = MqttClient(site.example(kind), "gateway", site.login("gateway-sydney"))
    ledger = Ledger(site.work_dir / "ledger.db")
    publisher = Publisher(line.mqtt, ledger, "sydney", NOW)
    publisher.set_table_status("bac-03", "online", NOW)

    class Turn:
        def step(self, now_s: float) -> None:
            publisher.pump()

    line.connect()
    ledger.append([Entry("u", 1, "bac-01", "coup", b"{}", b"")])
    step_until(lambda: line.mqtt.problem, line, Turn())
    assert f"takes {ROOT}/bac-03/status from gateway-sydney but does not pass it on" in str(line.mqtt.problem)
    assert ledger.cursor("mqtt") == 0
    assert not publisher.idle()
