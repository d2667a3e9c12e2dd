"""The same on every broker, plain and by TLS: from the shoe to a subscriber, who may do what, and why not, in words."""

from collections.abc import Callable

import msgspec
import pytest
from brokers import KINDS, Site
from jsonschema import Draft202012Validator
from lines import Line, step_until
from rig import Rig
from sabot_gateway.broker import Broker, Login
from sabot_gateway.ledger import Entry, Ledger
from sabot_gateway.publish import Publisher
from sabot_protocol import schemas
from sabot_tools import broker
from sabot_tools.stand import Received

ROOT = "sabot/v1/sydney"
NOW = "2026-01-01T00:00:00.000Z"


def secured(site: Site, kind: str, safety: str) -> tuple[Broker, Login]:
    """A broker: plain, with TLS, or with TLS for those who show a certificate."""
    if safety == "plain":
        return site.start(kind), Login()
    papers = site.papers
    client_ca = papers.ca_file if safety == "certificate" else None
    server = site.start(kind, tls=papers.issue("localhost"), client_ca=client_ca)
    return server, papers.login(certificate=safety == "certificate")


VALIDATORS = {name: Draft202012Validator(schemas.strict(schemas.schema(name))) for name in schemas.ALL_PAYLOADS}


def breaches(received: list[Received]) -> list[str]:
    """What was published and is not as its schema says, fields that the schema does not name included."""
    return [
        f"{message.topic}: {error.message}"
        for message in received
        for name, validator in VALIDATORS.items()
        if message.topic.endswith(f"/{name}")
        for error in validator.iter_errors(msgspec.json.decode(message.payload))
    ]


def topics(received: list[Received]) -> set[str]:
    return {message.topic.removeprefix(f"{ROOT}/") for message in received}


@pytest.mark.parametrize("safety", ["plain", "tls", "certificate"])
@pytest.mark.parametrize("kind", KINDS)
def test_from_the_shoe_to_a_subscriber(site: Site, rig: Callable[..., Rig], kind: str, safety: str) -> None:
    server, login = secured(site, kind, safety)
    deck = ["5H", *(["9S", "2H", "KD", "3C"] * 7), "CUT", *(["2S", "3D", "4C", "5C", "6H", "7D"] * 4)]
    it = rig(broker_url=str(server), login=login, site="sydney", speed=100.0, deck=lambda rng: list(deck))
    it.run_until(lambda it: len(it.messages("coup")) >= 5)
    assert it.site_status()[-1]["state"] == "online"  # birth
    it.stand.kill_gateway()
    it.run_until(lambda it: it.site_status()[-1]["state"] == "offline")  # its will
    it.stand.start_gateway()
    it.run_until(lambda it: it.site_status()[-1]["state"] == "online")
    it.run_until(lambda it: any(message["state"] == "closed" for message in it.messages("shoe")))
    it.run_until(lambda it: len(it.messages("health")) >= 4)
    coups = [message for message in it.messages("coup") if message["shoe"] == 1]
    assert [message["coup"] for message in coups] == list(range(1, len(coups) + 1))
    assert {message["status"] for message in coups} == {"verified"}
    assert len({message["id"] for message in it.messages("coup")}) == len(it.messages("coup"))
    assert breaches(it.received) == []
    of_the_table = {f"bac-01/{name}" for name in ("status", "shoe", "cards", "coup", "confirmed", "health")}
    assert topics(it.received) >= {"status", *of_the_table}

    late = Line(server, "late", login)
    late.subscribe(f"{ROOT}/#")
    retained = [f"{ROOT}/status", f"{ROOT}/bac-01/status", f"{ROOT}/bac-01/shoe"]
    step_until(lambda: set(retained) <= set(late.topics()), late)
    said = {topic: msgspec.json.decode(payload) for topic, payload in late.messages if topic in retained}
    assert said[retained[0]]["state"] == said[retained[1]]["state"] == "online"
    assert said[retained[2]]["state"] in ("open", "closed")


def test_a_field_that_no_schema_names_is_found() -> None:
    status = {"state": "online", "time": NOW}
    assert breaches([Received(f"{ROOT}/status", msgspec.json.encode(status), 0.0)]) == []
    found = breaches([Received(f"{ROOT}/status", msgspec.json.encode({**status, "mood": "good"}), 0.0)])
    assert len(found) == 1
    assert "mood" in found[0]


def test_a_broker_that_is_not_there() -> None:
    assert "nobody listens there" in Line(Broker(broker.HOST, broker.free_port()), "x").trouble()


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_password_and_no_user(site: Site, kind: str) -> None:
    server = site.example(kind)
    Line(server, "right", site.login("gateway-sydney")).connect()
    wrong = Line(server, "wrong", site.login("gateway-sydney", "a guess")).trouble()
    assert "refuses user gateway-sydney" in wrong
    assert "guess" not in wrong
    assert "refuses a client without login.user" in Line(server, "nobody", site.papers.login()).trouble()


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_of_an_authority_that_is_not_ours(site: Site, kind: str) -> None:
    server = site.start(kind, tls=site.papers.issue("localhost"))
    stranger = type(site.papers)(site.work_dir / "others").login()
    trouble = Line(server, "x", stranger).trouble()
    assert "is not trusted" in trouble
    assert "login.ca_file" in trouble


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_for_another_host(site: Site, kind: str) -> None:
    server = site.start(kind, tls=site.papers.issue("broker.example"))
    assert "its certificate is not for localhost" in Line(server, "x", site.papers.login()).trouble()
    by_address = Broker(broker.HOST, server.port, tls=True)
    assert "its certificate is not for 127.0.0.1" in Line(by_address, "x", site.papers.login()).trouble()


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_that_has_expired(site: Site, kind: str) -> None:
    server = site.start(kind, tls=site.papers.issue("localhost", expired=True))
    assert "its certificate has expired" in Line(server, "x", site.papers.login()).trouble()


@pytest.mark.parametrize("kind", KINDS)
def test_tls_on_a_plain_port_and_plain_on_a_tls_port(site: Site, kind: str) -> None:
    plain = site.start(kind)
    Line(plain, "right").connect()
    trouble = Line(Broker("localhost", plain.port, tls=True), "x", site.papers.login()).trouble()
    assert "if this is its plain port, write mqtt://" in trouble
    secure = site.start(kind, tls=site.papers.issue("localhost"))
    Line(secure, "right", site.papers.login()).connect()
    trouble = Line(Broker("localhost", secure.port), "x").trouble()
    assert "if this is its TLS port, write mqtts://" in trouble


@pytest.mark.parametrize("kind", KINDS)
def test_a_broker_that_wants_our_certificate(site: Site, kind: str) -> None:
    server = site.start(kind, tls=site.papers.issue("localhost"), client_ca=site.papers.ca_file)
    Line(server, "right", site.papers.login(certificate=True)).connect()
    trouble = Line(server, "none", site.papers.login()).trouble()
    assert "give login.certificate_file" in trouble
    assert kind == "mosquitto" or "certificate required" in trouble  # mosquitto hangs up without a word


def publish_each(line: Line, names: list[str]) -> None:
    """Until all are acknowledged, by a broker that may take them or throw them away."""
    mids = {line.mqtt.client.publish(name, b"{}", qos=1).mid for name in names}
    step_until(lambda: mids <= set(line.acknowledged), line)


@pytest.mark.parametrize("kind", KINDS)
def test_a_gateway_writes_its_own_tables_and_a_display_only_reads(site: Site, kind: str) -> None:
    server = site.example(kind)
    display, gateway = (Line(server, user, site.login(user)) for user in ("display-sydney", "gateway-sydney"))
    display.subscribe(f"{ROOT}/#")
    gateway.connect()
    others = [f"{ROOT}/bac-03/coup", "sabot/v1/perth/bac-01/coup", "sabot/v1/perth/status"]
    own = [f"{ROOT}/status", f"{ROOT}/bac-01/coup", f"{ROOT}/bac-02/alarms"]
    publish_each(gateway, [*others, *own])
    step_until(lambda: set(own) <= set(display.topics()), display)
    assert display.topics() == own
    publish_each(display, [f"{ROOT}/bac-01/coup"])
    publish_each(gateway, [f"{ROOT}/bac-02/coup"])
    step_until(lambda: f"{ROOT}/bac-02/coup" in display.topics(), display)
    assert display.topics() == [*own, f"{ROOT}/bac-02/coup"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_settles_wagers_reads_confirmed_results_and_no_others(site: Site, kind: str) -> None:
    commented = ("{ user: settlement-sydney", "  subscribe: { allow: [")
    server = site.example(kind, {f"# {start}": start for start in commented if kind == "nats"})
    settling, gateway = (Line(server, user, site.login(user)) for user in ("settlement-sydney", "gateway-sydney"))
    wanted = [f"{ROOT}/bac-01/confirmed", f"{ROOT}/bac-02/confirmed"]
    for topic in (f"{ROOT}/+/confirmed", f"{ROOT}/+/status", f"{ROOT}/bac-01/coup", f"{ROOT}/bac-01/cards"):
        settling.subscribe(topic)
    gateway.connect()
    publish_each(gateway, [f"{ROOT}/bac-01/cards", f"{ROOT}/bac-01/coup", *wanted])
    step_until(lambda: set(wanted) <= set(settling.topics()), settling)
    assert sorted(settling.topics()) == wanted
    publish_each(settling, [f"{ROOT}/bac-01/confirmed"])
    publish_each(gateway, [f"{ROOT}/bac-02/status"])
    step_until(lambda: f"{ROOT}/bac-02/status" in settling.topics(), settling)
    assert sorted(settling.topics()) == [*wanted, f"{ROOT}/bac-02/status"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_gateway_cannot_read_what_is_not_its_own(site: Site, kind: str) -> None:
    server = site.example(kind)
    gateway, spy = (Line(server, name, site.login("gateway-sydney")) for name in ("gateway", "spy"))
    spy.subscribe(f"{ROOT}/+/status")
    assert spy.granted == [1]
    spy.subscribe(f"{ROOT}/bac-01/coup")
    gateway.connect()
    publish_each(gateway, [f"{ROOT}/bac-01/coup", f"{ROOT}/bac-01/status"])
    step_until(lambda: spy.messages, spy)
    assert spy.topics() == [f"{ROOT}/bac-01/status"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_that_the_gateway_may_not_write_is_named_and_no_event_is_thrown_away(site: Site, kind: str) -> None:
    line = Line(site.example(kind), "gateway", site.login("gateway-sydney"))
    ledger = Ledger(site.work_dir / "ledger.db")
    publisher = Publisher(line.mqtt, ledger, "sydney", NOW)
    publisher.say_table("bac-03", "online", NOW)

    class Turn:
        def step(self, now_s: float) -> None:
            publisher.pump()

    line.connect()
    ledger.append([Entry("u", 1, "bac-01", "coup", b"{}", b"")])
    step_until(lambda: line.mqtt.problem, line, Turn())
    assert f"takes {ROOT}/bac-03/status from gateway-sydney but does not pass it on" in str(line.mqtt.problem)
    assert ledger.cursor("mqtt") == 0
    assert not publisher.idle()
