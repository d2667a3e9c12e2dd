"""paho's client with a buffer on either side of its socket: a hundred messages or answers are one call, not hundreds.

It overrides what paho keeps to itself; a release that names these otherwise is only slower.
"""

from typing import Any, Final, Literal

import paho.mqtt.client as paho
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

_MOST_BYTES: Final = 1 << 16
_MID_BYTES: Final = 2
_TAKEN: Final = ReasonCode(PacketTypes.PUBACK)  # with MQTT 3.1.1 there is no other, and no properties
_NO_PROPERTIES: Final = Properties(PacketTypes.PUBACK)  # type: ignore[no-untyped-call]


class BufferedClient(paho.Client):
    """What is published is queued; loop_write() sends it. loop_read() may leave something in `unread`."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fresh()
        self.on_socket_register_write = lambda *_: None  # who drives the loop asks want_write()

    def fresh(self) -> None:
        """Another socket: what the last one left is of no use."""
        self._unsent, self._read, self._read_to = bytearray(), b"", 0

    @property
    def unread(self) -> bool:
        """Something has come that no selector will report."""
        return self._read_to < len(self._read)

    def _sock_recv(self, bufsize: int) -> bytes:
        if not self.unread:
            self._read, self._read_to = super()._sock_recv(_MOST_BYTES), 0
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
        """An answer to QoS 1 without the objects that paho makes for MQTT 5."""
        packet = self._in_packet["packet"]
        if cmd != "PUBACK" or len(packet) != _MID_BYTES:
            return super()._handle_pubackcomp(cmd)
        mid = int.from_bytes(packet, "big")
        with self._out_message_mutex:
            known = mid in self._out_messages
            return self._do_on_publish(mid, _TAKEN, _NO_PROPERTIES) if known else MQTTErrorCode.MQTT_ERR_SUCCESS
