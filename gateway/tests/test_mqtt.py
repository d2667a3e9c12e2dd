"""Where the broker is, who we are to it, and that looking for it holds nobody up."""

import selectors
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from sabot_service.broker import Broker, BrokerUrlError, Login, LoginError
from sabot_service.mqtt import LoopClient
from support.patience import PATIENCE_S


@pytest.mark.parametrize(
    ("url", "host", "port", "tls"),
    [
        ("mqtt://table-pc", "table-pc", 1883, False),
        ("mqtts://broker.example", "broker.example", 8883, True),
        ("mqtts://broker.example:1234/", "broker.example", 1234, True),
        ("mqtt://[::1]:7", "::1", 7, False),
    ],
)
def test_a_url_has_host_port_and_whether_tls(url: str, host: str, port: int, tls: bool) -> None:
    broker = Broker.from_url(url)
    assert broker == Broker(host, port, tls)
    assert Broker.from_url(str(broker)) == broker


@pytest.mark.parametrize("url", ["", "broker", "http://broker", "mqtt://", "mqtt://host:port", "mqtt://host/topic"])
def test_a_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(BrokerUrlError, match="broker"):
        Broker.from_url(url)


@pytest.mark.parametrize("url", ["mqtt://gateway:hunter2@broker", "mqtts://hunter2@broker:8883"])
def test_a_password_in_the_url_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(BrokerUrlError, match=r"login\.password_file") as refused:
        Broker.from_url(url)
    assert "hunter2" not in str(refused.value)


def password(folder: Path, text: bytes = b"correct-horse\n", mode: int = 0o600) -> str:
    path = folder / "password"
    path.touch(mode=mode)
    path.chmod(mode)
    path.write_bytes(text)
    return str(path)


PLAIN, TLS = Broker("h", 1), Broker("h", 1, tls=True)


@pytest.mark.parametrize("text", [b"correct-horse\n", b"correct-horse", b"correct-horse\r\n"])
def test_a_password_is_the_line_of_its_file(tmp_path: Path, text: bytes) -> None:
    login = Login(user="gateway", password_file=password(tmp_path, text))
    login.check(PLAIN)
    assert login.password() == "correct-horse"


@pytest.mark.parametrize("text", [b"", b"\n", b"two\nlines\n", b"\xff\xfe\n"])
def test_a_file_that_holds_no_password_is_refused_and_not_shown(tmp_path: Path, text: bytes) -> None:
    with pytest.raises(LoginError, match="in one line") as refused:
        Login(user="gateway", password_file=password(tmp_path, text)).check(PLAIN)
    assert "lines" not in str(refused.value)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_a_password_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(LoginError, match="chmod 600"):
        Login(user="gateway", password_file=password(tmp_path, mode=mode)).check(PLAIN)


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    for login, broker, words in [
        (Login(password_file=password(tmp_path)), PLAIN, "without login.user"),
        (Login(user="g", password_file=str(tmp_path / "none")), PLAIN, "no such file"),
        (Login(certificate_file="c.pem"), TLS, "go together"),
        (Login(key_file="k.pem"), TLS, "go together"),
        (Login(ca_file="ca.pem"), PLAIN, "write the broker as mqtts://"),
        (Login(ca_file=str(tmp_path / "none")), TLS, "login.ca_file .*No such file"),
        (Login(ca_file=password(tmp_path)), TLS, "login.ca_file"),
    ]:
        with pytest.raises(LoginError, match=words):
            login.check(broker)


def test_certificate_and_key_must_belong_together(tmp_path: Path) -> None:
    authority = trustme.CA()
    papers = [authority.issue_cert("gateway.example") for _ in range(2)]
    certificate, key = tmp_path / "gateway.pem", tmp_path / "gateway.key"
    papers[0].cert_chain_pems[0].write_to_path(str(certificate))
    key.touch(mode=0o600)
    login = Login(certificate_file=str(certificate), key_file=str(key))
    for text, words in [(b"", "PEM"), (papers[1].private_key_pem.bytes(), "key values mismatch")]:
        key.write_bytes(text)
        with pytest.raises(LoginError, match=words):
            login.check(TLS)
    key.write_bytes(papers[0].private_key_pem.bytes())
    login.check(TLS)
    key.chmod(0o644)
    with pytest.raises(LoginError, match="chmod 600"):
        login.check(TLS)


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("mqtt://broker.example", True),
        ("mqtt://10.0.0.7", True),
        ("mqtt://[2001:db8::1]:1883", True),
        ("mqtt://0.0.0.0", True),
        ("mqtts://broker.example", False),
        ("mqtt://localhost", False),
        ("mqtt://127.0.0.1", False),
        ("mqtt://127.1.2.3:1884", False),
        ("mqtt://[::1]", False),
    ],
)
def test_a_password_in_plain_text_over_a_network_is_warned_of(tmp_path: Path, url: str, warned: bool) -> None:
    broker = Broker.from_url(url)
    says = Login(user="gateway", password_file=password(tmp_path)).exposed(broker)
    assert bool(says) is warned
    assert not says or "write the broker as mqtts://" in says
    assert "correct-horse" not in str(says)
    assert Login(user="gateway").exposed(broker) is None


@pytest.fixture
def mute() -> Iterator[socket.socket]:
    """Somebody who takes a connection and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def looking() -> bool:
    return any(thread.name == "broker-connect" for thread in threading.enumerate())


def test_a_step_does_not_wait_for_a_broker_that_sends_nothing(mute: socket.socket) -> None:
    client = LoopClient(
        Broker("localhost", mute.getsockname()[1], tls=True),
        "x",
        clean_session=True,
        selector=selectors.DefaultSelector(),
    )
    client.step(0.0)
    for now_s in range(1, 1000):
        client.step(float(now_s))
    assert looking()  # still in the handshake, a thousand turns later, and only one at a time
    assert sum(thread.name == "broker-connect" for thread in threading.enumerate()) == 1
    peer, _ = mute.accept()
    peer.close()
    give_up_s = time.monotonic() + PATIENCE_S
    while client.problem is None:
        assert time.monotonic() < give_up_s
        client.step(0.0)
    assert "if this is its plain port, write mqtt://" in client.problem


def test_a_name_that_nobody_knows() -> None:
    client = LoopClient(
        Broker("no-such-host.invalid", 1883), "x", clean_session=True, selector=selectors.DefaultSelector()
    )
    give_up_s = time.monotonic() + PATIENCE_S
    while client.problem is None:
        assert time.monotonic() < give_up_s
        client.step(0.0)
    assert "the name no-such-host.invalid is not known" in client.problem
