"""An MQTT client driven from a selector loop; only the making of a connection has a thread, for as long as it takes."""

import selectors
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, LogLevel, MQTTErrorCode

from sabot_service.broker import Broker, Login, no_answer, no_connection
from sabot_service.buffered import MOST_READ_BYTES, BufferedClient
from sabot_service.wire_client import WireClient

_FIRST_RETRY_S = 0.25
_LONGEST_RETRY_S = 5.0
_CONNECT_TIMEOUT_S = 5.0
KEEPALIVE_S = 30  # unless given; the broker ends a connection after one and a half of it without a packet
NO_KEEPALIVE = 0  # the broker never does: for a client in a process that also emulates a chip, or plays a day
_MOST_READS = 20_000  # packets, or parts of them, in one turn: more are not in what is read at once
_MOST_IDS_IN_USE = 800  # twice the window: events and states
_STEADY_S = 2.0
_GOODBYE_TRIES, _GOODBYE_WAIT_S = 10, 0.1
_NO_LOGIN = Login()


def _opened(client: Any, _userdata: object, sock: Any) -> None:
    """Buffers begin anew; a small message goes out at once, not when the last one has been acknowledged."""
    client.fresh()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class _Attempt(threading.Thread):
    """One try to connect: name, TCP and TLS may take seconds. The client is this thread's alone until it ends."""

    def __init__(self, connect: Callable[[], object]) -> None:
        super().__init__(name="broker-connect", daemon=True)
        self._connect = connect
        self.error: Exception | None = None
        self.start()

    def run(self) -> None:
        """Connect, or keep the reason."""
        try:
            self._connect()
        except (OSError, ValueError) as error:
            self.error = error


def _paho(client_id: str, *, clean_session: bool, manual_ack: bool) -> BufferedClient:
    made = BufferedClient(
        CallbackAPIVersion.VERSION2,
        client_id,
        clean_session=clean_session,
        protocol=paho.MQTTv311,
        manual_ack=manual_ack,
        reconnect_on_failure=False,  # or paho falls back to MQTT 3.1, and waits for it
    )
    made.max_inflight_messages_set(0)  # no limit of paho's: it would look through all of them at each answer
    return made


class LoopClient:
    """`client` is paho's, or our own with the same names; step() connects, reads, writes and never waits."""

    def __init__(
        self,
        broker: Broker,
        client_id: str,
        *,
        clean_session: bool,
        selector: selectors.BaseSelector,
        login: Login = _NO_LOGIN,
        manual_ack: bool = False,  # then each message with QoS 1 is acknowledged by ack()
        most_read_bytes: int = MOST_READ_BYTES,  # in one turn
        keepalive_s: int = KEEPALIVE_S,  # a broker that hangs is left after twice this
        many_messages: bool = False,  # for a publisher of many: our own client in place of paho's
    ) -> None:
        login.check(broker)
        self.broker, self.login, self.keepalive_s = broker, login, keepalive_s
        self.client: Any = (
            WireClient(client_id, clean_session=clean_session)
            if many_messages
            else _paho(client_id, clean_session=clean_session, manual_ack=manual_ack)
        )
        self.client.most_read_bytes = most_read_bytes
        self._tls = login.context() if broker.tls else None
        if self._tls:
            self.client.tls_set_context(self._tls)
        self.client.connect_timeout = _CONNECT_TIMEOUT_S
        self.client.on_socket_open = _opened
        self.client.on_connect = self._on_connect
        self.client.on_disconnect = self._on_disconnect
        self._selector = selector
        self._watched: Any = None
        self._attempt: _Attempt | None = None
        self._answered = False
        self._last_error = ""  # paho's last error before the broker's answer
        self._retry_s = _FIRST_RETRY_S
        self._next_try_s = self._connected_s = 0.0
        self.now_s = 0.0  # of the last step
        self.problem: str | None = None
        self.on_ready: Callable[[], None] = lambda: None  # called when the broker has accepted us
        self.on_lost: Callable[[], None] = lambda: None  # called when it is gone

    def _on_connect(self, client: Any, _userdata: object, _flags: object, reason: Any, *_: object) -> None:
        self._answered = True
        client.on_log = None
        if reason.is_failure:
            who = f"user {self.login.user}" if self.login.user else "a client without login.user"
            steps = "check login.user, login.password_file and the broker's users"
            self.problem = f"the broker at {self.broker} refuses {who}: {reason}; {steps}"
        else:
            self._connected_s, self.problem = self.now_s, None
            self.on_ready()

    def _on_disconnect(self, _client: object, _userdata: object, _flags: object, reason: Any, *_: object) -> None:
        if not self._answered:
            self.problem = no_answer(self.broker, self.login, self._last_error)
        elif not self.problem:
            self.problem = (
                f"the connection to the broker at {self.broker} is lost ({reason}); if it happens again and again, "
                "look for a second client of the same name, and for a topic that this one may not use"
            )
        self.on_lost()

    def _on_log(self, _client: object, _userdata: object, level: int, text: str) -> None:
        if level == LogLevel.MQTT_LOG_ERR:
            self._last_error = text

    def step(self, now_s: float) -> None:
        """Connect if there is no connection; read what the broker has sent, and send what is queued. Never waits."""
        self.now_s = now_s
        if self._attempt is not None:
            self._take_over()
        if self._attempt is None and self.client.socket() is None:
            self._try_connect(now_s)
        if self._attempt is None:
            try:
                self._drive()
            except Exception as error:  # paho 2.1 raises what it likes at bytes that are no MQTT
                self._give_up(error)

    def _drive(self) -> None:
        if self.client.is_connected() and self.now_s - self._connected_s >= _STEADY_S:
            self._retry_s = _FIRST_RETRY_S  # a connection that is lost again and again is tried less and less often
        self._read()
        self.client.loop_misc()
        self.flush()

    def _give_up(self, error: Exception) -> None:
        self.problem = (
            f"the connection to the broker at {self.broker} was given up at {type(error).__name__}: {error}; "
            "check that it is an MQTT broker, and its version; if it is, report this"
        )
        self.client.give_up()
        self._unwatch()

    def _try_connect(self, now_s: float) -> None:
        self._unwatch()
        if now_s < self._next_try_s:
            return
        self._next_try_s = now_s + self._retry_s
        self._retry_s = min(self._retry_s * 2, _LONGEST_RETRY_S)
        self._answered, self._last_error = False, ""
        self.client.on_log = self._on_log
        self._attempt = _Attempt(self._connect)

    def _connect(self) -> None:
        """In the attempt's thread. Password and certificate are read anew: a renewed one needs no restart."""
        self.client.username_pw_set(self.login.user, self.login.password())
        if self._tls:
            self.login.present(self._tls)
        self.client.connect(self.broker.host, self.broker.port, keepalive=self.keepalive_s)

    def _take_over(self) -> None:
        """The client is the loop's again once the attempt has ended."""
        assert self._attempt is not None
        if self._attempt.is_alive():
            return
        if self._attempt.error:
            self.problem = no_connection(self.broker, self._attempt.error)
        self._attempt = None

    def _read(self) -> None:
        """What has come; what TLS has already deciphered, or the client has read, no selector would report again."""
        self.client.begin_turn()
        for _ in range(_MOST_READS):
            self.client.loop_read()
            sock = self.client.socket()
            if isinstance(sock, ssl.SSLSocket) and sock.pending():
                self.client.begin_turn()
            elif not self.client.unread:
                return

    def publish(self, topic: str, payload: bytes, *, retain: bool) -> int:
        """Queue a message with QoS 1 and return its id; ids that the broker has yet to acknowledge are passed over."""
        if isinstance(self.client, WireClient):
            return self.client.post(topic, payload, retain=retain)
        for _ in range(_MOST_IDS_IN_USE):
            info = self.client.publish(topic, payload, qos=1, retain=retain)
            if info.rc != MQTTErrorCode.MQTT_ERR_QUEUE_SIZE:
                return int(info.mid)
        raise RuntimeError("paho has no message id left; restart this program and report this")

    def ack(self, message_id: int) -> None:
        """Queue the acknowledgement of a message with QoS 1 that came over this connection."""
        if isinstance(self.client, BufferedClient):  # our own client does so itself
            self.client.ack(message_id, 1)

    def flush(self) -> None:
        """Send what is queued, as far as the socket takes it, and follow the rest."""
        if self._attempt is None:
            if self.client.want_write():
                self.client.loop_write()
            self.watch()

    def watch(self) -> None:
        """Follow paho's socket, which is another one after each reconnect, and what it waits for."""
        sock: Any = self.client.socket() if self._attempt is None else None
        if sock is None:
            self._unwatch()
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self.client.want_write() else 0)
        if self._watched is not sock:
            self._unwatch()
            self._selector.register(sock, events, self)
            self._watched = sock
        elif self._selector.get_key(sock).events != events:
            self._selector.modify(sock, events, self)

    def _unwatch(self) -> None:
        if self._watched is not None:
            self._selector.unregister(self._watched)
            self._watched = None

    def hang_up(self) -> None:
        """Leave without a goodbye: the broker publishes the last will."""
        sock: Any = self.client.socket() if self._attempt is None else None
        self._unwatch()
        if sock is not None:
            with suppress(OSError):  # it is gone already
                sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Say goodbye; the broker then keeps the last will to itself. A connection in the making is left to its end."""
        self._unwatch()
        if self._attempt is not None and self._attempt.is_alive():
            return
        self.client.disconnect()
        for _ in range(_GOODBYE_TRIES):
            sock: Any = self.client.socket()
            if sock is None or not self.client.want_write():
                return
            with selectors.DefaultSelector() as writable:
                writable.register(sock, selectors.EVENT_WRITE)
                writable.select(_GOODBYE_WAIT_S)
            self.client.loop_write()
