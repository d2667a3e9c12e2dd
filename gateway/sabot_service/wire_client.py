"""Wire client: the part of paho's client that a gateway needs, made for many small messages in a turn.

What is published in a turn is written with one call, and what the broker acknowledged is read with one; a message costs
a tenth of paho's time. The names are paho's own, so that `LoopClient` drives either.
"""

import socket
import ssl
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from paho.mqtt.client import convert_connack_rc_to_reason_code
from paho.mqtt.enums import LogLevel, MQTTErrorCode
from paho.mqtt.matcher import MQTTMatcher
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from sabot_service import mqtt_packets as packets
from sabot_service.buffered import MOST_READ_BYTES
from sabot_service.mqtt_packets import Decoder, Kind, Message, PacketError, Will

_PUBACK = int(Kind.PUBACK)
_MOST_MID = 65_535
_MOST_TOPICS = 4096  # whose bytes are kept, and whose callbacks
_MOST_WRITE_BYTES = 1 << 16  # with one call: TLS takes all of it or nothing

Callback = Callable[..., object]


def _nothing(*_: object) -> None:
    pass


class Info(NamedTuple):
    """What paho returns for a message."""

    mid: int
    rc: MQTTErrorCode = MQTTErrorCode.MQTT_ERR_SUCCESS


class WireClient:
    """MQTT 3.1.1 with QoS 1 out, QoS 0 and 1 in; nothing is sent before loop_write(), nothing read before loop_read().

    One class because it stands for paho's client, with all that LoopClient calls.
    """

    def __init__(self, client_id: str, *, clean_session: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._id, self._clean, self._clock = client_id, clean_session, clock
        self.most_read_bytes, self.connect_timeout = MOST_READ_BYTES, 5.0
        self.on_connect: Callback = _nothing
        self.on_disconnect: Callback = _nothing
        self.on_publish: Callback = _nothing
        self.on_subscribe: Callback = _nothing
        self.on_message: Callback = _nothing
        self.on_socket_open: Callback = _nothing
        self.on_log: Callback | None = None
        self._matcher: Any = MQTTMatcher()  # type: ignore[no-untyped-call]
        self._callbacks: dict[str, list[Callback]] = {}  # by topic, as the matcher found them
        self._will: Will | None = None
        self._login: tuple[str | None, str | None] = None, None
        self._tls: ssl.SSLContext | None = None
        self._sock: socket.socket | None = None
        self._connected = self._leaving = False
        self._mid, self._waiting = 0, dict[int, bytes]()  # PUBLISH by message id, until the broker has it
        self._topics: dict[str, bytes] = {}
        self._keepalive_s, self._pinged, self._in_s, self._out_s = 0, False, 0.0, 0.0
        self.fresh()

    # What is set before the connection

    def will_set(self, topic: str, payload: bytes, qos: int = 1, retain: bool = True) -> None:
        """Have the broker publish this when we are gone without a goodbye; QoS 1 and retained only."""
        if (qos, retain) != (1, True):
            raise PacketError("a will is published with QoS 1, and retained")
        self._will = Will(topic, payload)

    def username_pw_set(self, user: str | None, password: str | None) -> None:
        """Log in with these from the next connection on."""
        self._login = user, password

    def tls_set_context(self, context: ssl.SSLContext) -> None:
        """Speak TLS."""
        self._tls = context

    def message_callback_add(self, topic: str, callback: Callback) -> None:
        """Pass on what comes on these topics; what matches no such filter goes to on_message."""
        self._matcher[topic] = callback
        self._callbacks.clear()

    # The connection

    def connect(self, host: str, port: int, keepalive: int) -> None:
        """Connect, which may take seconds, and queue CONNECT; OSError or ValueError where that fails."""
        user, password = self._login
        login = packets.connect(
            self._id, clean=self._clean, keepalive_s=keepalive, will=self._will, user=user, password=password
        )
        sock = socket.create_connection((host, port), self.connect_timeout)
        try:
            sock = self._tls.wrap_socket(sock, server_hostname=host) if self._tls else sock
            sock.setblocking(False)
        except BaseException:
            sock.close()
            raise
        self._keepalive_s, self._pinged, self._leaving = keepalive, False, False
        self._in_s = self._out_s = self._clock()
        self.on_socket_open(self, None, sock)
        self._out += login
        self._sock = sock

    def fresh(self) -> None:
        """Another socket: what the last one left is of no use."""
        self._out, self._decoder, self._may_read = bytearray(), Decoder(), True

    def socket(self) -> socket.socket | None:
        """Return the socket, None where there is none."""
        return self._sock

    def is_connected(self) -> bool:
        """Return True once the broker has accepted us, until the connection is lost."""
        return self._connected

    def disconnect(self) -> None:
        """Queue the goodbye; the socket is closed once it is written."""
        if self._sock is not None:
            self._connected, self._leaving = False, True
            self._out += packets.DISCONNECT

    def give_up(self) -> None:
        """End a connection of which nothing more can be read; the broker publishes the last will."""
        self._lose("Protocol error")

    def _lose(self, reason: str) -> None:
        sock, self._sock, self._connected = self._sock, None, False
        self._out.clear()
        if sock is not None:
            sock.close()
            self.on_disconnect(self, None, None, reason, None)

    # Sending

    def post(self, topic: str, payload: bytes, *, retain: bool) -> int:
        """Queue a message with QoS 1 and return its id; it is sent again after each reconnect until acknowledged."""
        mid = self._next_mid()
        made = self._waiting[mid] = packets.publish(self._topic(topic), payload, mid, retain=retain)
        self._send_if_connected(made)
        return mid

    def publish(self, topic: str, payload: bytes = b"", qos: int = 0, *, retain: bool = False) -> Info:
        """Queue a message as paho does."""
        if qos:
            return Info(self.post(topic, payload, retain=retain))
        self._send_if_connected(packets.publish(self._topic(topic), payload, 0, retain=retain))
        return Info(self._next_mid())

    def send(self, topic: str, payload: bytes) -> None:
        """Queue a message with QoS 0: it is gone if there is no connection, or that is lost."""
        self._send_if_connected(packets.publish(self._topic(topic), payload, 0, retain=False))

    def _send_if_connected(self, packet: bytes) -> None:
        if self._connected:
            self._out += packet

    def _topic(self, topic: str) -> bytes:
        found = self._topics.get(topic)
        if found is None:
            if len(self._topics) >= _MOST_TOPICS:
                self._topics.clear()
            if not topic or "+" in topic or "#" in topic:
                raise PacketError(f"{topic!r} is no topic to publish on")
            found = self._topics[topic] = packets.text(topic)
        return found

    def _next_mid(self) -> int:
        """Return a message id that the broker does not owe an answer for."""
        if len(self._waiting) >= _MOST_MID:
            raise PacketError("no message id is left")
        mid = self._mid % _MOST_MID + 1
        while mid in self._waiting:
            mid = mid % _MOST_MID + 1
        self._mid = mid
        return mid

    def subscribe(self, topics: Sequence[tuple[str, int]]) -> tuple[MQTTErrorCode, int | None]:
        """Queue a subscription; return its message id, None where there is no connection."""
        if not self._connected:
            return MQTTErrorCode.MQTT_ERR_NO_CONN, None
        mid = self._next_mid()
        self._out += packets.subscribe(mid, topics)
        return MQTTErrorCode.MQTT_ERR_SUCCESS, mid

    def want_write(self) -> bool:
        """Return True if something waits to be written."""
        return bool(self._out)

    def loop_write(self) -> None:
        """Write what is queued, as far as the socket takes it."""
        if self._sock is None or not self._out:
            return
        try:
            sent = self._sock.send(bytes(self._out[:_MOST_WRITE_BYTES]))
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except OSError as error:
            self._note(error)
            self._lose("Unspecified error")
            return
        self._out_s = self._clock()
        del self._out[:sent]
        if self._leaving and not self._out:
            self._lose("Normal disconnection")

    # Reading

    @property
    def unread(self) -> bool:
        """Something has come that no selector will report: never, for loop_read takes all that was read."""
        return False

    def begin_turn(self) -> None:
        """The socket may be read once more."""
        self._may_read = True

    def loop_read(self) -> None:
        """Read once what has come, and handle all of it; PacketError where it is no MQTT."""
        if self._sock is None or not self._may_read:
            return
        self._may_read = False
        try:
            data = self._sock.recv(self.most_read_bytes)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except OSError as error:
            self._note(error)
            data = b""
        if not data:
            self._lose("Unspecified error")
            return
        self._in_s = self._clock()
        for kind, flags, body in self._decoder.feed(data):
            if kind == _PUBACK:
                self._acknowledged(body)
            else:
                self._handle(kind, flags, body)
            if self.socket() is None:  # the broker has refused us, or a callback has left
                return

    def _note(self, error: OSError) -> None:
        """Log why the connection ends, as paho does."""
        if self.on_log is not None:
            self.on_log(self, None, LogLevel.MQTT_LOG_ERR, f"failed to receive on socket: {error}")

    def _handle(self, kind: int, flags: int, body: bytes) -> None:
        if kind == Kind.PUBLISH:
            self._received(packets.message(flags, body))
        elif kind == Kind.SUBACK:
            mid, codes = packets.suback(body)
            answers = [ReasonCode(PacketTypes.SUBACK, identifier=code) for code in codes]
            self.on_subscribe(self, None, mid, answers, None)
        elif kind == Kind.CONNACK and not self._connected:
            self._answered(packets.connack(body))
        elif kind == Kind.PINGRESP:
            self._pinged = False
        else:
            raise PacketError(f"a packet of kind {kind}; nobody asked for it")

    def _acknowledged(self, body: bytes) -> None:
        if len(body) != 2:
            raise PacketError(f"a PUBACK of {len(body)} bytes")
        mid = body[0] << 8 | body[1]
        if self._waiting.pop(mid, None) is not None:
            self.on_publish(self, None, mid, None, None)

    def _received(self, message: Message) -> None:
        if message.mid:
            self._out += packets.puback(message.mid)
        found = self._callbacks.get(message.topic)
        if found is None:
            if len(self._callbacks) >= _MOST_TOPICS:
                self._callbacks.clear()
            found = self._callbacks[message.topic] = list(self._matcher.iter_match(message.topic))
        for callback in found or [self.on_message]:
            callback(self, None, message)

    def _answered(self, code: int) -> None:
        """The broker has accepted us, or not; what it has not acknowledged yet is sent again behind on_connect."""
        reason = convert_connack_rc_to_reason_code(code)  # type: ignore[arg-type]
        if code:
            self.on_connect(self, None, None, reason, None)
            self._lose(str(reason))
            return
        self._connected = True
        before = list(self._waiting.values())
        self.on_connect(self, None, None, reason, None)
        self._out += b"".join(map(packets.again, before))

    def loop_misc(self) -> None:
        """Keep the connection alive; leave a broker that does not answer."""
        if self._sock is None or not self._keepalive_s:
            return
        now_s = self._clock()
        if now_s - min(self._in_s, self._out_s) < self._keepalive_s:
            return
        if self._pinged or not self._connected:
            self._lose("Keep alive timeout")
            return
        self._pinged, self._in_s, self._out_s = True, now_s, now_s
        self._out += packets.PING
