"""The parts that paho keeps to itself and `buffered` uses; and a broker that sends anything at all."""

import inspect
import random
import selectors
import socket
from collections.abc import Iterator

import paho.mqtt
import paho.mqtt.client as paho_client
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from sabot_service.broker import Broker
from sabot_service.buffered import PRIVATE
from sabot_service.mqtt import LoopClient


def missing(client: paho_client.Client) -> list[str]:
    """What is not there, or takes other arguments."""
    found = []
    for part in PRIVATE:
        name, _, wanted = part.partition("(")
        there = getattr(type(client), name, None) or getattr(client, name, None)
        given = list(inspect.signature(there).parameters) if wanted and callable(there) else None
        if there is None and not hasattr(client, name):
            found.append(f"{name} is not there")
        elif wanted and given != [arg.strip() for arg in wanted.rstrip(")").split(",")]:
            found.append(f"{name} takes {given}, not ({wanted}")
    return found


def test_paho_has_the_private_parts_that_the_buffers_use() -> None:
    client = paho_client.Client(CallbackAPIVersion.VERSION2)
    assert missing(client) == [], (
        f"paho-mqtt {paho.mqtt.__version__} is not what buffered.py was written for: adapt it, or lower the upper "
        "bound of paho-mqtt in pyproject.toml"
    )


def test_a_part_that_is_missing_or_different_is_named() -> None:
    class Other(paho_client.Client):
        def _sock_recv(self, size: int, flags: int = 0) -> bytes:
            return b""

    client = Other(CallbackAPIVersion.VERSION2)
    del client._out_packet
    assert missing(client) == [
        "_sock_recv takes ['self', 'size', 'flags'], not (self, bufsize)",
        "_out_packet is not there",
    ]


# A broker that sends anything

CONNACK = b"\x20\x02\x00\x00"
SHORT_PUBLISH = b"\x30\x01\x00"
BAD_TOPIC = b"\x30\x06\x00\x02\xff\xfe!!"
QOS_3 = b"\x36\x06\x00\x01t\x00\x01x"
ENDLESS = b"\x30\xff\xff\xff\xff\x7f"
BAD_SUBACK = b"\x90\x01\x00"
BAD_PUBACK = b"\x40\x00"


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        made.setblocking(False)
        yield made


class Liar:
    """Takes connections, and sends these bytes behind each CONNACK."""

    def __init__(self, server: socket.socket, *, own: bool = False) -> None:
        self._server, self._peer = server, None
        self.selector = selectors.DefaultSelector()
        self.client = LoopClient(
            Broker("127.0.0.1", server.getsockname()[1]),
            "x",
            clean_session=True,
            selector=self.selector,
            many_messages=own,
        )
        self.now_s = 0.0

    def says(self, data: bytes) -> None:
        """Until the client has read it all, or given up."""
        peer: socket.socket | None = None
        for _ in range(2000):
            self.now_s += 1.0
            self.selector.select(0.002)
            self.client.step(self.now_s)
            if peer is None:
                try:
                    peer, _ = self._server.accept()
                except BlockingIOError:
                    continue
                peer.sendall(CONNACK + data)
            elif self.client.problem or (self.client.client.is_connected() and not self.selector.select(0.02)):
                break
        assert peer is not None
        peer.close()
        for _ in range(500):
            if self.client.client.socket() is None:
                return
            self.selector.select(0.002)
            self.client.step(self.now_s)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("data", [SHORT_PUBLISH, BAD_TOPIC, QOS_3, ENDLESS, BAD_SUBACK, BAD_PUBACK, CONNACK * 50])
def test_a_broker_that_sends_no_mqtt_ends_nothing_and_is_tried_again(
    server: socket.socket, data: bytes, *, own: bool
) -> None:
    liar = Liar(server, own=own)
    for _ in range(2):
        liar.says(data)
        assert liar.client.problem


@pytest.mark.parametrize("own", [False, True])
def test_an_error_of_our_own_over_what_a_broker_sends_costs_the_connection(server: socket.socket, *, own: bool) -> None:
    def fail() -> None:
        raise ZeroDivisionError("a fault of ours")

    liar = Liar(server, own=own)
    liar.client.on_ready = fail
    liar.says(b"")
    assert "was given up at ZeroDivisionError: a fault of ours" in str(liar.client.problem)
    liar.client.on_ready = lambda: None
    liar.says(b"")
    assert "is lost" in str(liar.client.problem)


@pytest.mark.parametrize("own", [False, True])
def test_random_packets_of_a_broker_end_nothing(server: socket.socket, *, own: bool) -> None:
    rng, liar = random.Random(7), Liar(server, own=own)
    for _ in range(40):
        packets = [
            bytes([rng.randrange(256), size]) + rng.randbytes(size) for size in (rng.randrange(40) for _ in range(20))
        ]
        liar.says(b"".join(packets))
