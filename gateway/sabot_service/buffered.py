"""paho's client with a buffer on either side of its socket: a hundred messages or answers are one call, not hundreds.

It uses what paho keeps to itself (`PRIVATE`): pyproject.toml bounds the release, and a test names what is missing.
"""

from typing import Any, Final, Literal

import paho.mqtt.client as paho
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

PRIVATE: Final = (
    "_sock_recv(self, bufsize)",
    "_sock_send(self, buf)",
    "_handle_pubackcomp(self, cmd)",
    "_send_publish(self, mid, topic, payload, qos, retain, dup, info, properties)",
    "_do_on_publish(self, mid, reason_code, properties)",
    "_loop_rc_handle(self, rc)",
    "_in_packet",
    "_out_packet",
    "_out_messages",
    "_out_message_mutex",
)
_MOST_BYTES: Final = 1 << 16
MOST_READ_BYTES: Final = 1 << 14  # in one turn: a neighbour can make the broker send us anything, as fast as it likes
_MID_BYTES: Final = 2
_NO_MID: Final = 0  # no message with QoS 1 has it: paho reports what is sent with QoS 0 as acknowledged
_TAKEN: Final = ReasonCode(PacketTypes.PUBACK)  # with MQTT 3.1.1 there is no other, and no properties
_NO_PROPERTIES: Final = Properties(PacketTypes.PUBACK)  # type: ignore[no-untyped-call]


class BufferedClient(paho.Client):
    """What is published is queued; loop_write() sends it. loop_read() may leave something in `unread`."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.most_read_bytes = MOST_READ_BYTES
        self.fresh()
        self.on_socket_register_write = lambda *_: None  # the loop calls want_write()

    def fresh(self) -> None:
        """Another socket: what the last one left is of no use."""
        self._unsent, self._read, self._read_to = bytearray(), b"", 0
        self._may_read = True

    @property
    def unread(self) -> bool:
        """Something has come that no selector will report."""
        return self._read_to < len(self._read)

    def begin_turn(self) -> None:
        """The socket may be read once more."""
        self._may_read = True

    def give_up(self) -> None:
        """End a connection of which nothing more can be read; the broker publishes the last will."""
        self._loop_rc_handle(MQTTErrorCode.MQTT_ERR_PROTOCOL)

    def send(self, topic: str, payload: bytes) -> None:
        """Queue a message with QoS 0: it is gone if there is no connection, or that is lost."""
        self._send_publish(_NO_MID, topic.encode(), payload, info=paho.MQTTMessageInfo(_NO_MID))

    def _sock_recv(self, bufsize: int) -> bytes:
        if not self.unread:
            if not self._may_read:
                raise BlockingIOError
            self._read, self._read_to = super()._sock_recv(self.most_read_bytes), 0
            self._may_read = False
        start = self._read_to
        self._read_to = min(start + bufsize, len(self._read))
        return self._read[start : self._read_to]

    def _sock_send(self, buf: bytes | bytearray) -> int:
        """Held while more packets follow; the last one is taken only as far as the socket takes it."""
        if self._out_packet and len(self._unsent) < _MOST_BYTES:
            self._unsent += buf
            return len(buf)
        held = len(self._unsent)
        sent = super()._sock_send(self._unsent + buf)
        del self._unsent[:sent]
        if sent <= held:
            raise BlockingIOError
        return sent - held

    def _handle_pubackcomp(self, cmd: Literal["PUBACK", "PUBCOMP"]) -> MQTTErrorCode:
        """Handle an answer to QoS 1 without the objects that paho makes for MQTT 5."""
        packet = self._in_packet["packet"]
        if cmd != "PUBACK" or len(packet) != _MID_BYTES:
            return super()._handle_pubackcomp(cmd)
        mid = int.from_bytes(packet, "big")
        with self._out_message_mutex:
            known = mid in self._out_messages
            return self._do_on_publish(mid, _TAKEN, _NO_PROPERTIES) if known else MQTTErrorCode.MQTT_ERR_SUCCESS
