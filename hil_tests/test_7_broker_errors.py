"""Why a broker cannot be reached, on every broker and with either client: what is wrong, and what to do."""

from collections.abc import Callable
from functools import partial

import pytest
from sabot_service.broker import Broker
from sabot_tools.stand.ports import HOST, free_port
from support.brokers import KINDS, Site
from support.mqtt_clients import MqttClient

Line = Callable[..., MqttClient]


@pytest.fixture(params=[False, True], ids=["paho", "own"])
def line(request: pytest.FixtureRequest) -> Line:
    """A client with paho's part, or with that of the gateway: both report the same."""
    return partial(MqttClient, own=request.param)


def test_a_broker_that_is_not_there(line: Line) -> None:
    assert "nobody listens there" in line(Broker(HOST, free_port()), "x").trouble()


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_password_and_no_user(site: Site, kind: str, line: Line) -> None:
    server = site.example(kind)
    line(server, "right", site.login("gateway-sydney")).connect()
    wrong = line(server, "wrong", site.login("gateway-sydney", "a guess")).trouble()
    assert "refuses user gateway-sydney" in wrong
    assert "guess" not in wrong
    assert "refuses a client without login.user" in line(server, "nobody", site.certificates.login()).trouble()


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_of_an_authority_that_is_not_ours(site: Site, kind: str, line: Line) -> None:
    server = site.start(kind, tls=site.certificates.issue("localhost"))
    stranger = type(site.certificates)(site.work_dir / "others").login()
    trouble = line(server, "x", stranger).trouble()
    assert "is not trusted" in trouble
    assert "login.ca_file" in trouble


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_for_another_host(site: Site, kind: str, line: Line) -> None:
    server = site.start(kind, tls=site.certificates.issue("broker.example"))
    assert "its certificate is not for localhost" in line(server, "x", site.certificates.login()).trouble()
    by_address = Broker(HOST, server.port, tls=True)
    assert "its certificate is not for 127.0.0.1" in line(by_address, "x", site.certificates.login()).trouble()


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_that_has_expired(site: Site, kind: str, line: Line) -> None:
    server = site.start(kind, tls=site.certificates.issue("localhost", expired=True))
    assert "its certificate has expired" in line(server, "x", site.certificates.login()).trouble()


@pytest.mark.parametrize("kind", KINDS)
def test_tls_on_a_plain_port_and_plain_on_a_tls_port(site: Site, kind: str, line: Line) -> None:
    plain = site.start(kind)
    line(plain, "right").connect()
    trouble = line(Broker("localhost", plain.port, tls=True), "x", site.certificates.login()).trouble()
    assert "if this is its plain port, write mqtt://" in trouble
    secure = site.start(kind, tls=site.certificates.issue("localhost"))
    line(secure, "right", site.certificates.login()).connect()
    trouble = line(Broker("localhost", secure.port), "x").trouble()
    assert "if this is its TLS port, write mqtts://" in trouble


@pytest.mark.parametrize("kind", KINDS)
def test_a_broker_that_wants_our_certificate(site: Site, kind: str, line: Line) -> None:
    server = site.start(kind, tls=site.certificates.issue("localhost"), client_ca=site.certificates.ca_file)
    line(server, "right", site.certificates.login(certificate=True)).connect()
    trouble = line(server, "none", site.certificates.login()).trouble()
    assert "give login.certificate_file" in trouble
    assert kind == "mosquitto" or "certificate required" in trouble  # mosquitto hangs up without a word
