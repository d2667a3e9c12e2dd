"""Control: the daemon's Unix socket; a line of JSON asks, one answers, a stream may follow; permissions say who may."""

import contextlib
import os
import pwd
import selectors
import socket
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec
import structlog

from sabot_gateway.operator.groups import to_join
from sabot_gateway.operator.requests import MOST_BYTES, Asked, Request, RequestError, parse

__all__ = ["Answer", "Caller", "Control", "ControlError", "Request", "answer_of", "ask", "asked"]

log: structlog.stdlib.BoundLogger = structlog.get_logger()

MOST_CALLERS = 128  # more than the desk has under way at once: the rest are idle, and make room
_MODE = 0o660
_ASK_WITHIN_S = 5.0
_TAKE_WITHIN_S = 5.0  # an answer that is not taken by then is dropped
MOST_UNSENT_BYTES = 1 << 18  # of a stream; a caller that is further behind is dropped
_CONNECT_S, _AGAIN_S = 2.0, 0.01
_ANSWER_WITHIN_S = 30.0
_PEER = struct.Struct("3i")
OWN_ERROR = "the gateway met an error of its own; look at its log, and report it with the ledger"
_TOO_MANY = "too many ask this gateway at once; try again in a moment"


class ControlError(RuntimeError):
    """The socket cannot be used; the message says why and what to do."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of it, in words."""

    ok: bool
    say: str
    data: msgspec.Raw = msgspec.Raw(b"null")


@dataclass(eq=False)
class Caller:
    """One connection: asks once, is answered once; a stream may follow the answer."""

    sock: socket.socket
    user: str  # as the kernel knows him
    since_s: float  # in this state
    state: Literal["asking", "waiting", "streaming", "answering"] = "asking"
    asked: bytearray = field(default_factory=bytearray)
    unsent: bytes = b""


class Control:
    """Registers itself and its callers with the loop's selector; nothing here waits for a caller."""

    def __init__(self, path: Path, selector: selectors.BaseSelector) -> None:
        self.path, self._selector = path, selector
        self._callers: dict[Caller, None] = {}  # the oldest first
        self._now_s = 0.0
        self._sock = _listen(path)
        selector.register(self._sock, selectors.EVENT_READ, self)

    def accept(self, now_s: float) -> None:
        """Let in whoever waits; one that has asked nothing makes room."""
        self._now_s = now_s
        for _ in range(MOST_CALLERS):
            try:
                sock, _ = self._sock.accept()
            except (BlockingIOError, ConnectionError):
                return
            except OSError as error:  # no descriptor is left
                log.warning(f"control {self.path}: {error.strerror}; a caller waits")
                self._make_room()
                return
            try:
                self._admit(sock)
            except OSError:  # it has gone already
                sock.close()

    def _admit(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        if len(self._callers) >= MOST_CALLERS and not self._make_room():
            with contextlib.suppress(OSError):
                sock.send(msgspec.json.encode(Answer(False, _TOO_MANY)) + b"\n")
            sock.close()
            return
        caller = Caller(sock, _user(sock), self._now_s)
        self._callers[caller] = None
        self._selector.register(sock, selectors.EVENT_READ, caller)

    def _make_room(self) -> bool:
        """Close the oldest of those that ask nothing, else of those that do not take their answer, else a stream."""
        for state in ("asking", "answering", "streaming"):
            for caller in self._callers:
                if caller.state == state:
                    self._drop(caller)
                    return True
        return False

    def serve(self, caller: Caller, take: Callable[[Asked], None]) -> None:
        """Read, hand over a request that is complete, or send on; an error of our own is an answer, never the end."""
        try:
            if caller.state == "answering":
                self._send(caller)
                return
            if caller.state == "streaming":
                self._stream_on(caller)
                return
            request = self._read(caller)
            if request is not None:
                take(request)
        except Exception:
            log.exception("a request could not be served", user=caller.user)
            self.answer(caller, Answer(False, OWN_ERROR))

    def _read(self, caller: Caller) -> Asked | None:
        """The request, once its line is complete; a bad one is answered here."""
        try:
            data = caller.sock.recv(MOST_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        caller.asked += data
        line, end, more = bytes(caller.asked).partition(b"\n")
        if end and not more:
            return self._parsed(caller, line)
        if more:
            self.answer(caller, Answer(False, "one request a connection: there is more behind the end of the line"))
        elif not data:  # it has hung up
            self._drop(caller)
        elif len(caller.asked) >= MOST_BYTES:
            self.answer(caller, Answer(False, f"more than {MOST_BYTES} bytes without an end of line"))
        return None

    def _parsed(self, caller: Caller, line: bytes) -> Asked | None:
        try:
            request = parse(line)
        except RequestError as error:
            self.answer(caller, Answer(False, str(error)))
            return None
        self._wait(caller)
        return request

    def _wait(self, caller: Caller) -> None:
        """It has asked: nothing more is read from it."""
        self._selector.unregister(caller.sock)
        caller.state, caller.since_s = "waiting", self._now_s

    def answer(self, caller: Caller, answer: Answer) -> None:
        """Say it and hang up; a caller who has gone already is no matter."""
        if caller not in self._callers or caller.state == "answering":
            return
        if caller.state == "streaming":  # it has had its answer
            self._drop(caller)
            return
        if caller.state == "asking":
            self._wait(caller)
        caller.unsent = msgspec.json.encode(answer) + b"\n"
        self._send(caller)

    def _send(self, caller: Caller) -> None:
        """As much as the socket takes now; the selector says when it takes more."""
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
        """Send bytes to a caller that waits, and more later; False where it has gone, or is dropped as too slow."""
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
        """Whether the caller is still there."""
        return caller in self._callers

    def end_stream(self, caller: Caller) -> None:
        """Hang up once the caller has what is unsent."""
        if caller in self._callers and caller.state == "streaming":
            self._selector.unregister(caller.sock)
            caller.state = "waiting"
            self._send(caller)

    def _stream_on(self, caller: Caller) -> None:
        """It takes more, or it has gone; it has nothing more to say."""
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
        """Drop who has connected and asks nothing, and who does not take an answer."""
        self._now_s = now_s
        within_s = {"asking": _ASK_WITHIN_S, "answering": _TAKE_WITHIN_S}
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
        """Nobody can ask any more."""
        for caller in list(self._callers):
            self._drop(caller)
        self._selector.unregister(self._sock)
        self._sock.close()
        self.path.unlink(missing_ok=True)


def _listen(path: Path) -> socket.socket:
    """A socket of our own at this path; one that a dead daemon left behind is taken over."""
    sock = socket.socket(socket.AF_UNIX)
    try:
        if path.is_socket():
            _refuse_living(path)
            path.unlink()
        umask = os.umask(0o777 & ~_MODE)
        try:
            sock.bind(str(path))
        finally:
            os.umask(umask)
    except OSError as error:
        sock.close()
        why = error.strerror or str(error)  # a path that is too long has no number
        raise ControlError(
            f"control {path}: {why}; give `control` in the config a path of its own, in a directory of the daemon's"
        ) from error
    sock.setblocking(False)
    sock.listen(MOST_CALLERS)
    return sock


def _refuse_living(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return
    raise ControlError(f"control {path}: another gateway answers there; stop it, or give each a `control` of its own")


def _user(sock: socket.socket) -> str:
    """The account behind a connection, as the kernel knows it."""
    if not hasattr(socket, "SO_PEERCRED"):
        return "unknown"
    _, uid, _ = _PEER.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _connect(sock: socket.socket, path: Path) -> None:
    """Again and again while more wait to be let in than the kernel holds."""
    give_up_s = time.monotonic() + _CONNECT_S
    while True:
        try:
            sock.connect(str(path))
        except BlockingIOError:
            if time.monotonic() > give_up_s:
                raise TimeoutError from None
            time.sleep(_AGAIN_S)
        else:
            return


@contextlib.contextmanager
def asked(path: Path, request: Request) -> Iterator[socket.socket]:
    """A connection on which this was asked, as a client; trouble with it is a ControlError."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(_CONNECT_S)
        try:
            _connect(sock, path)
            sock.settimeout(_ANSWER_WITHIN_S)
            sock.sendall(msgspec.json.encode(request) + b"\n")
            yield sock
        except PermissionError:
            raise ControlError(f"{path}: Permission denied: {to_join(path)} to use this socket.") from None
        except TimeoutError:
            raise ControlError(f"{path}: the gateway does not answer; look at its log") from None
        except OSError as error:
            raise ControlError(f"{path}: no gateway answers ({error.strerror or error}); is it running?") from None


def ask(path: Path, request: Request) -> Answer:
    """Ask the daemon behind this socket, as a client."""
    with asked(path, request) as sock, sock.makefile("rb") as lines:
        return answer_of(path, lines.readline())


def answer_of(path: Path, line: bytes) -> Answer:
    """The line as an answer; ControlError where there is none."""
    if not line:
        raise ControlError(f"{path}: the gateway hung up without an answer; it is stopping, or too many ask at once")
    return msgspec.json.decode(line, type=Answer)
