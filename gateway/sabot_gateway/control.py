"""Control: the daemon's Unix socket; one line of JSON asks, one line answers; the file's permissions say who may."""

import contextlib
import os
import pwd
import selectors
import socket
import struct
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

_MOST_CONNECTIONS = 16
_MOST_ASKED_BYTES = 4096
_MODE = 0o660
_IDLE_S = 30.0
_CONNECT_S = 2.0
_ANSWER_WITHIN_S = 30.0
_PEER = struct.Struct("3i")


class ControlError(RuntimeError):
    """The socket cannot be used; the message says why and what to do."""


class Request(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What somebody asks."""

    verb: str
    table: str = ""
    by: str = ""  # who asks, as he says
    clause: str = ""  # of the rulebook
    args: dict[str, str | int | bool | dict[str, str | bool]] = {}


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of it, in words."""

    ok: bool
    say: str
    data: msgspec.Raw = msgspec.Raw(b"null")


@dataclass(eq=False)
class Caller:
    """One connection: asks once, is answered once."""

    sock: socket.socket
    user: str  # as the kernel knows him
    since_s: float
    asked: bytearray = field(default_factory=bytearray)
    request: Request | None = None


class Control:
    """Registers itself and its callers with the loop's selector."""

    def __init__(self, path: Path, selector: selectors.BaseSelector) -> None:
        self.path, self._selector = path, selector
        self._callers: set[Caller] = set()
        self._sock = _listen(path)
        selector.register(self._sock, selectors.EVENT_READ, self)

    def accept(self, now_s: float) -> None:
        """Let in whoever waits, up to a bound; the rest wait in the kernel's queue or are turned away."""
        with contextlib.suppress(BlockingIOError, ConnectionError):
            while True:
                sock, _ = self._sock.accept()
                self._admit(sock, now_s)

    def _admit(self, sock: socket.socket, now_s: float) -> None:
        if len(self._callers) >= _MOST_CONNECTIONS:
            sock.close()
            return
        sock.setblocking(False)
        caller = Caller(sock, _user(sock), now_s)
        self._callers.add(caller)
        self._selector.register(sock, selectors.EVENT_READ, caller)

    def read(self, caller: Caller) -> Request | None:
        """The request, once the line is complete; a bad one is answered here."""
        try:
            data = caller.sock.recv(_MOST_ASKED_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        caller.asked += data
        if not data or caller.request is not None:  # it has hung up, or says more than one thing
            self._drop(caller)
        elif b"\n" in caller.asked:
            return self._parsed(caller)
        elif len(caller.asked) >= _MOST_ASKED_BYTES:
            self.answer(caller, Answer(False, f"more than {_MOST_ASKED_BYTES} bytes without an end of line"))
        return None

    def _parsed(self, caller: Caller) -> Request | None:
        try:
            caller.request = msgspec.json.decode(caller.asked.split(b"\n")[0], type=Request)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self.answer(caller, Answer(False, f"not a request: {error}"))
        return caller.request

    def answer(self, caller: Caller, answer: Answer) -> None:
        """Say it and hang up; a caller who has gone already is no matter."""
        with contextlib.suppress(OSError):
            caller.sock.settimeout(0.1)  # an answer fits into the socket's buffer; one who does not read is dropped
            caller.sock.sendall(msgspec.json.encode(answer) + b"\n")
        self._drop(caller)

    def expire(self, now_s: float) -> None:
        """Drop who has connected and asks nothing."""
        for caller in [caller for caller in self._callers if caller.request is None]:
            if now_s - caller.since_s > _IDLE_S:
                self._drop(caller)

    def _drop(self, caller: Caller) -> None:
        if caller in self._callers:
            self._callers.remove(caller)
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
    sock.listen(_MOST_CONNECTIONS)
    return sock


def _refuse_living(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return
    raise ControlError(f"control {path}: another gateway answers there; stop it, or give each a `control` of its own")


def _user(sock: socket.socket) -> str:
    """The account behind a connection, as the kernel tells it."""
    if not hasattr(socket, "SO_PEERCRED"):
        return "unknown"
    _, uid, _ = _PEER.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def ask(path: Path, request: Request) -> Answer:
    """Ask the daemon behind this socket, as a client."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(_CONNECT_S)
        try:
            sock.connect(str(path))
            sock.settimeout(_ANSWER_WITHIN_S)
            sock.sendall(msgspec.json.encode(request) + b"\n")
            with sock.makefile("rb") as lines:
                line = lines.readline()
        except PermissionError:
            raise ControlError(f"{path}: you may not; its owner and group may (ls -l {path})") from None
        except TimeoutError:
            raise ControlError(f"{path}: the gateway does not answer; look at its log") from None
        except OSError as error:
            raise ControlError(f"{path}: no gateway answers ({error.strerror or error}); is it running?") from None
    if not line:
        raise ControlError(f"{path}: the gateway hung up without an answer; it is stopping, or too many ask at once")
    return msgspec.json.decode(line, type=Answer)
