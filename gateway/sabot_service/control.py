"""Control: the daemon's Unix socket. A caller sends one line of JSON and gets one back; a stream may follow."""

import contextlib
import os
import pwd
import selectors
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Literal, TypeVar

import msgspec
import structlog

from sabot_service.daemons import Daemon
from sabot_service.messages import MOST_BYTES, Answer, ControlError, RequestError

log: structlog.stdlib.BoundLogger = structlog.get_logger()

MOST_CALLERS = 128  # more than the desk has in progress at once: the others are idle, and the oldest are closed
_MODE = 0o660
_REQUEST_WITHIN_S = 5.0
_READ_ANSWER_WITHIN_S = 5.0  # a caller that does not read its answer by then is dropped
MOST_UNSENT_BYTES = 1 << 18  # of a stream; a caller that is further behind is dropped
_PEER, _GROUP = struct.Struct("3i"), struct.Struct("I")
_SO_PEERGROUPS, _MOST_GROUPS = 59, 1024  # Linux
Parsed = TypeVar("Parsed")


@dataclass(eq=False)
class Caller:
    """One connection: one request, one answer; a stream may follow the answer."""

    sock: socket.socket
    user: str  # the account, from the kernel
    since_s: float  # in this state
    groups: frozenset[int] = frozenset()  # of the calling process, from the kernel
    state: Literal["reading", "waiting", "streaming", "answering"] = "reading"
    received: bytearray = field(default_factory=bytearray)
    unsent: bytes = b""


class Control(Generic[Parsed]):
    """Registers the socket and its callers with the loop's selector; never blocks on a caller."""

    def __init__(
        self,
        path: Path,
        selector: selectors.BaseSelector,
        daemon: Daemon,
        parse: Callable[[bytes], Parsed],  # a line into a request, or RequestError
    ) -> None:
        self.path, self._selector, self._daemon, self._parse_line = path, selector, daemon, parse
        self._callers: dict[Caller, None] = {}  # oldest first
        self._now_s = 0.0
        self._sock = _listen(path, daemon)
        selector.register(self._sock, selectors.EVENT_READ, self)

    def accept(self, now_s: float) -> None:
        """Accept every waiting connection; close the oldest idle one where there are too many."""
        self._now_s = now_s
        for _ in range(MOST_CALLERS):
            try:
                sock, _ = self._sock.accept()
            except (BlockingIOError, ConnectionError):
                return
            except OSError as error:  # no file descriptor is left
                log.warning(f"control {self.path}: {error.strerror}; a caller waits")
                self._make_room()
                return
            try:
                self._admit(sock)
            except OSError:  # the caller has closed already
                sock.close()

    def _admit(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        if len(self._callers) >= MOST_CALLERS and not self._make_room():
            too_many = f"Too many callers at this {self._daemon.name}. Try again in a moment."
            with contextlib.suppress(OSError):
                sock.send(msgspec.json.encode(Answer(False, too_many)) + b"\n")
            sock.close()
            return
        caller = Caller(sock, _user(sock), self._now_s, _groups(sock))
        self._callers[caller] = None
        self._selector.register(sock, selectors.EVENT_READ, caller)

    def _make_room(self) -> bool:
        """Drop the oldest caller without a request, else one that does not read its answer, else a stream."""
        for state in ("reading", "answering", "streaming"):
            for caller in self._callers:
                if caller.state == state:
                    self._drop(caller)
                    return True
        return False

    def serve(self, caller: Caller, take: Callable[[Parsed], None]) -> None:
        """Read or send as the caller's state requires; pass a complete request to `take`. Errors become an answer."""
        try:
            if caller.state == "answering":
                self._send(caller)
                return
            if caller.state == "streaming":
                self._continue_stream(caller)
                return
            request = self._read(caller)
            if request is not None:
                take(request)
        except Exception:
            log.exception("a request could not be served", user=caller.user)
            self.answer(caller, Answer(False, self._daemon.internal_error))

    def _read(self, caller: Caller) -> Parsed | None:
        """Return the request once its line is complete; answer a bad one."""
        try:
            data = caller.sock.recv(MOST_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        caller.received += data
        line, end, more = bytes(caller.received).partition(b"\n")
        if end and not more:
            return self._parse(caller, line)
        if more:
            self.answer(caller, Answer(False, "Bad request: one line per connection, and more bytes follow it."))
        elif not data:  # the caller has closed
            self._drop(caller)
        elif len(caller.received) >= MOST_BYTES:
            self.answer(caller, Answer(False, f"Bad request: more than {MOST_BYTES} bytes without an end of line."))
        return None

    def _parse(self, caller: Caller, line: bytes) -> Parsed | None:
        try:
            request = self._parse_line(line)
        except RequestError as error:
            self.answer(caller, Answer(False, str(error)))
            return None
        self._stop_reading(caller)
        return request

    def _stop_reading(self, caller: Caller) -> None:
        self._selector.unregister(caller.sock)
        caller.state, caller.since_s = "waiting", self._now_s

    def answer(self, caller: Caller, answer: Answer) -> None:
        """Send the answer and close; do nothing if the caller has gone or was answered before."""
        if caller not in self._callers or caller.state == "answering":
            return
        if caller.state == "streaming":  # its answer came before the stream
            self._drop(caller)
            return
        if caller.state == "reading":
            self._stop_reading(caller)
        caller.unsent = msgspec.json.encode(answer) + b"\n"
        self._send(caller)

    def _send(self, caller: Caller) -> None:
        """Send what the socket takes now; register for writing if something is left."""
        try:
            count = caller.sock.send(caller.unsent)
        except BlockingIOError:
            count = 0
        except OSError:
            self._drop(caller)
            return
        caller.unsent = caller.unsent[count:]
        if not caller.unsent:
            self._drop(caller)
        elif caller.state != "answering":
            caller.state, caller.since_s = "answering", self._now_s
            self._selector.register(caller.sock, selectors.EVENT_WRITE, caller)

    def stream(self, caller: Caller, data: bytes) -> bool:
        """Send bytes to a waiting caller; False if it has gone, or is dropped because it reads too slowly."""
        if caller not in self._callers:
            return False
        if caller.state == "waiting":
            caller.state = "streaming"
            self._selector.register(caller.sock, selectors.EVENT_READ, caller)
        caller.unsent += data
        self._push(caller)
        if len(caller.unsent) > MOST_UNSENT_BYTES:
            self._drop(caller)
        return caller in self._callers

    def serves(self, caller: Caller) -> bool:
        """Return whether the caller is still connected."""
        return caller in self._callers

    def end_stream(self, caller: Caller) -> None:
        """Send what is left, then close."""
        if caller in self._callers and caller.state == "streaming":
            self._selector.unregister(caller.sock)
            caller.state = "waiting"
            self._send(caller)

    def _continue_stream(self, caller: Caller) -> None:
        """Send on; a caller that closes, or writes to us, is dropped."""
        try:
            caller.sock.recv(MOST_BYTES)
        except BlockingIOError:
            self._push(caller)
        except OSError:
            self._drop(caller)
        else:
            self._drop(caller)

    def _push(self, caller: Caller) -> None:
        try:
            caller.unsent = caller.unsent[caller.sock.send(caller.unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            self._drop(caller)
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if caller.unsent else 0)
        self._selector.modify(caller.sock, events, caller)

    def expire(self, now_s: float) -> None:
        """Drop callers that send no request in time, or do not read their answer."""
        self._now_s = now_s
        within_s = {"reading": _REQUEST_WITHIN_S, "answering": _READ_ANSWER_WITHIN_S}
        for caller in list(self._callers):
            if now_s - caller.since_s > within_s.get(caller.state, float("inf")):
                self._drop(caller)

    def _drop(self, caller: Caller) -> None:
        if caller in self._callers:
            del self._callers[caller]
            if caller.state != "waiting":
                self._selector.unregister(caller.sock)
            caller.sock.close()

    def close(self) -> None:
        """Drop every caller and remove the socket."""
        for caller in list(self._callers):
            self._drop(caller)
        self._selector.unregister(self._sock)
        self._sock.close()
        self.path.unlink(missing_ok=True)


def _listen(path: Path, daemon: Daemon) -> socket.socket:
    """Return a listening socket at this path; replace one that a dead daemon left behind."""
    sock = socket.socket(socket.AF_UNIX)
    try:
        if path.is_socket():
            _refuse_if_answered(path, daemon)
            path.unlink()
        umask = os.umask(0o777 & ~_MODE)
        try:
            sock.bind(str(path))
        finally:
            os.umask(umask)
    except OSError as error:
        sock.close()
        reason = error.strerror or str(error)  # a path that is too long has no number
        raise ControlError(
            f"control {path}: {reason}; set `control` in the config to a path in a directory that the daemon owns"
        ) from error
    sock.setblocking(False)
    sock.listen(MOST_CALLERS)
    return sock


def _refuse_if_answered(path: Path, daemon: Daemon) -> None:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return
    raise ControlError(
        f"control {path}: another {daemon.name} uses this socket; stop it, or set a different `control` in one of the "
        "configs"
    )


def _user(sock: socket.socket) -> str:
    """Return the account of the peer, from the kernel."""
    if not hasattr(socket, "SO_PEERCRED"):
        return "unknown"
    _, uid, _ = _PEER.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _groups(sock: socket.socket) -> frozenset[int]:
    """Return the groups of the peer's process, from the kernel."""
    if not hasattr(socket, "SO_PEERCRED"):
        return frozenset()
    _, _, gid = _PEER.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    try:
        more = sock.getsockopt(socket.SOL_SOCKET, _SO_PEERGROUPS, _GROUP.size * _MOST_GROUPS)
    except OSError:  # an old kernel, or more groups than that
        more = b""
    return frozenset({gid, *(found for (found,) in _GROUP.iter_unpack(more))})
