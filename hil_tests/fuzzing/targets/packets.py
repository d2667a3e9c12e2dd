"""Packets: any bytes of a broker into our MQTT client, over a real socket, in reads of any size."""

import socket
from collections.abc import Iterable
from typing import Any

from sabot_service.mqtt_packets import Kind, PacketError, packet, publish, text
from sabot_service.wire_client import WireClient

from fuzzing.oracle import require
from fuzzing.reads import parts

MOST_BYTES = 4096
_ACCEPTED = packet(Kind.CONNACK << 4, b"\0\0")


class _Client(WireClient):
    """A client that has connected to this socket, and what it reports."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__("fuzz", clean_session=True, clock=lambda: 0.0)
        sock.setblocking(False)
        self._sock = sock
        self.calls: list[object] = []
        self.on_connect = self._connected_now
        self.on_disconnect = lambda *args: self.calls.append(("disconnected", str(args[3])))
        self.on_publish = lambda *args: self.calls.append(("published", args[2]))
        self.on_subscribe = lambda *args: self.calls.append(("subscribed", args[2], [str(one) for one in args[3]]))
        self.on_message = lambda *args: self.calls.append(("message", args[2]))
        self.message_callback_add("sabot/+/cmd", lambda *args: self.calls.append(("cmd", args[2])))

    def _connected_now(self, *args: Any) -> None:
        self.calls.append(("connected", str(args[3])))
        for number in range(3):
            self.post(f"sabot/{number}", b"{}", retain=False)
        self.subscribe([("sabot/+/cmd", 0), ("sabot/#", 1)])


def run(data: bytes) -> None:
    """Only PacketError ends a connection; one read and many call the same callbacks with the same values."""
    whole, split = _played([data]), _played(parts(data))
    require(whole == split, f"the size of the reads changes the result: {whole!r:.300} {split!r:.300}")


def _played(reads: Iterable[bytes]) -> list[object]:
    near, far = socket.socketpair()
    client = _Client(near)
    try:
        for read in reads:
            far.sendall(read)
            client.begin_turn()
            client.loop_read()
            if client.socket() is None:
                break
    except PacketError as error:
        client.calls.append(str(error))
        client.give_up()
    finally:
        near.close()
        far.close()
    require(len(client.calls) <= MOST_BYTES, "more calls than bytes")
    return client.calls


def seeds() -> Iterable[bytes]:
    """What a broker sends."""
    message = publish(text("sabot/v1/x/bac-01/cmd"), b'{"id":"1"}', 7, retain=True)
    pubacks = b"".join(packet(Kind.PUBACK << 4, bytes([0, number])) for number in range(5))
    suback = packet(Kind.SUBACK << 4, b"\0\4\0\1")
    yield _ACCEPTED + pubacks + suback + message + packet(Kind.PINGRESP << 4, b"")
    yield _ACCEPTED + publish(text("sabot/1/cmd"), b"x" * 200, 0, retain=False) + message
    for code in range(7):
        yield packet(Kind.CONNACK << 4, bytes([0, code]))
    yield _ACCEPTED + packet(Kind.SUBACK << 4, b"\0\4\x80\2")
    yield _ACCEPTED + packet(Kind.PUBLISH << 4, b"\0\2\xff\xfehello")
