"""Wire client: the same bytes as paho's client, whatever the segments; and what it does when the broker is silent."""

import random
import socket
from collections.abc import Callable
from typing import Any

import paho.mqtt.client as paho
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paho.mqtt.enums import CallbackAPIVersion
from sabot_service import mqtt_packets as packets
from sabot_service.mqtt_packets import Decoder, Kind, Packet, PacketError
from sabot_service.wire_client import WireClient

CONNACK = b"\x20\x02\x00\x00"
REFUSED = b"\x20\x02\x00\x05"
WILL = b'{"state":"offline"}'


class Peer:
    """A broker's end of one connection; it keeps every byte that comes."""

    def __init__(self, client: Any, *, keepalive: int = 60) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            client.connect("127.0.0.1", server.getsockname()[1], keepalive=keepalive)
            self.line, _ = server.accept()
        self.line.settimeout(0.02)
        self.client, self.received = client, b""

    def turn(self, send: bytes = b"") -> bytes:
        """Send, let the client read and write, and return what it has written."""
        self.line.sendall(send)
        before = len(self.received)
        for _ in range(3):
            if isinstance(self.client, WireClient):
                self.client.begin_turn()
            self.client.loop_read()
            while self.client.want_write():
                self.client.loop_write()
            try:
                while data := self.line.recv(1 << 20):
                    self.received += data
            except OSError:
                pass
        return self.received[before:]


def reference() -> paho.Client:
    return paho.Client(CallbackAPIVersion.VERSION2, "gw", clean_session=False, protocol=paho.MQTTv311)


def wire(**more: Any) -> WireClient:
    return WireClient("gw", clean_session=False, **more)


def conversation(client: Any) -> list[bytes]:
    """What a client writes when it logs in, subscribes, publishes, and has its messages acknowledged."""
    rng = random.Random(3)
    client.username_pw_set("ann", "päss")
    client.will_set("sabot/v1/s/status", WILL, qos=1, retain=True)
    peer = Peer(client)
    written = [peer.turn(), peer.turn(CONNACK)]
    client.subscribe([("sabot/v1/s/+/cmd", 0), ("ä/#", 1)])
    written.append(peer.turn(b"\x90\x04\x00\x01\x00\x01"))
    for size in (0, 1, 100, 120, 127, 128, 129, 16_000, 16_383, 16_384, 70_000):
        client.publish(f"t/{size}/ü", rng.randbytes(size), qos=1, retain=size % 2 == 1)
    written.append(peer.turn())
    written.append(peer.turn(b"\x40\x02\x00\x02\x40\x02\x00\x03"))
    written.append(peer.turn(packets.publish(packets.text("ä/x"), b"hello", 77, retain=False)))
    client.disconnect()
    return [*written, peer.turn()]


def test_the_same_bytes_as_paho() -> None:
    ours, theirs = conversation(wire()), conversation(reference())
    assert ours == theirs
    assert len(ours[3]) > 100_000


def connected(**more: Any) -> tuple[WireClient, Peer]:
    client = wire(**more)
    peer = Peer(client, keepalive=10)
    peer.turn(CONNACK)
    assert client.is_connected()
    return client, peer


def test_messages_of_a_turn_are_one_write_and_each_answer_is_counted_once() -> None:
    client, peer = connected()
    done: list[int] = []
    client.on_publish = lambda _client, _userdata, mid, *_: done.append(mid)
    mids = [client.post("t", b"%d" % number, retain=False) for number in range(300)]
    client.loop_write()
    assert peer.line.recv(1 << 20).count(b"\x00\x01t") == 300
    peer.turn(b"".join(map(packets.puback, mids)) + packets.puback(mids[0]) + packets.puback(9999))
    assert done == mids


def test_what_the_broker_has_not_acknowledged_is_sent_again_as_a_duplicate() -> None:
    client, peer = connected()
    first, second, third = (client.post("t", name, retain=False) for name in (b"a", b"b", b"c"))
    peer.turn(packets.puback(second))
    peer.line.close()
    client.begin_turn()
    client.loop_read()
    assert client.socket() is None
    after = Peer(client, keepalive=10)
    assert after.turn()[:1] == b"\x10"
    sent = list(Decoder().feed(after.turn(CONNACK)))
    assert [(one.kind, one.flags, one.body[-1:]) for one in sent] == [(3, 0x0A, b"a"), (3, 0x0A, b"c")]
    assert {first, third}.isdisjoint({client.post("t", b"", retain=False) for _ in range(70)})


def test_an_id_in_use_is_passed_over() -> None:
    client, _ = connected()
    first = client.post("t", b"", retain=False)
    given_out = {client.publish("t", qos=0).mid for _ in range(65_534)}
    assert first not in given_out
    assert client.post("t", b"", retain=False) != first


@pytest.mark.parametrize("answers", [True, False])
def test_a_silent_broker_is_asked_and_then_left(answers: bool) -> None:
    now = [0.0]
    client, peer = connected(clock=lambda: now[0])
    lost: list[str] = []
    client.on_disconnect = lambda *args: lost.append(args[3])
    asked = 0
    for _ in range(6):
        now[0] += 5.0
        client.loop_misc()
        pings = peer.turn() == packets.PING if client.socket() else False
        asked += pings
        if pings and answers:
            peer.turn(b"\xd0\x00")
    assert (asked, lost) == ((3, []) if answers else (1, ["Keep alive timeout"]))


def test_a_refusal_is_reported_and_ends_the_connection() -> None:
    client, reasons = wire(), list[str]()
    client.on_connect = lambda *args: reasons.append(f"{args[3]}, {args[3].is_failure}")
    client.on_disconnect = lambda *args: reasons.append("gone")
    Peer(client).turn(REFUSED)
    assert reasons == ["Not authorized, True", "gone"]
    assert (client.is_connected(), client.socket()) == (False, None)


def test_what_follows_a_refusal_is_not_read() -> None:
    client, reasons = wire(), list[str]()
    client.on_connect = lambda *args: reasons.append(str(args[3]))
    Peer(client).turn(REFUSED + b"\xff" * 9)
    assert reasons == ["Not authorized"]
    assert client.socket() is None


@pytest.mark.parametrize(
    ("sent", "match"),
    [
        (packets.packet(Kind.PUBLISH << 4, b"\0\2\xff\xfehello"), "no UTF-8"),
        (packets.packet(Kind.SUBACK << 4, b"\0\1\3"), "an answer that MQTT 3.1.1 does not have"),
        (packets.packet(Kind.SUBACK << 4, b"\0\1\x81"), "an answer that MQTT 3.1.1 does not have"),
    ],
)
def test_what_no_broker_may_send_is_a_packet_error(sent: bytes, match: str) -> None:
    _, peer = connected()
    with pytest.raises(PacketError, match=match):
        peer.turn(sent)


def test_messages_go_to_the_callbacks_of_their_topic_else_to_on_message() -> None:
    client, peer = connected()
    got: list[tuple[str, str, bytes, bool]] = []

    def to(name: str) -> Callable[..., object]:
        return lambda _client, _userdata, message: got.append((name, message.topic, message.payload, message.retain))

    client.on_message = to("rest")
    client.message_callback_add("a/+", to("plus"))
    arriving = [("a/b", True), ("a/b/c", False), ("a/b", False)]
    peer.turn(b"".join(packets.publish(packets.text(topic), b"x", 0, retain=kept) for topic, kept in arriving))
    client.message_callback_add("a/#", to("hash"))
    peer.turn(packets.publish(packets.text("a/b"), b"y", 0, retain=False))
    assert got[:3] == [("plus", "a/b", b"x", True), ("rest", "a/b/c", b"x", False), ("plus", "a/b", b"x", False)]
    assert sorted(got[3:]) == [("hash", "a/b", b"y", False), ("plus", "a/b", b"y", False)]


@pytest.mark.parametrize("topic", ["", "a/+", "#", "x" * 70_000, "\ud800"])
def test_a_topic_that_nothing_can_be_published_on_is_refused(topic: str) -> None:
    client, _ = connected()
    with pytest.raises(ValueError, match=r".+"):
        client.post(topic, b"", retain=False)
    assert not client.want_write()


@given(
    st.lists(st.tuples(st.sampled_from([2, 3, 4, 9, 13]), st.binary(max_size=300))), st.randoms(use_true_random=False)
)
def test_packets_are_the_same_however_they_are_cut(sent: list[tuple[int, bytes]], rng: random.Random) -> None:
    data = b"".join(packets.packet(kind << 4, body) for kind, body in sent)
    decoder, found = Decoder(), list[Packet]()
    while data:
        cut = rng.randrange(1, 40)
        found += decoder.feed(data[:cut])
        data = data[cut:]
    assert found == [Packet(kind, 0, body) for kind, body in sent]


@given(st.lists(st.binary(max_size=50), max_size=30))
def test_any_bytes_give_packets_or_a_packet_error_and_little_is_held(parts: list[bytes]) -> None:
    decoder = Decoder()
    try:
        for part in parts:
            for kind, flags, body in decoder.feed(part):
                if kind == Kind.PUBLISH:
                    packets.message(flags, body)
    except PacketError:
        return
    assert len(decoder._held) <= packets.MOST_PACKET_BYTES + 5
