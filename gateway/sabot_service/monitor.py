"""Monitor: /metrics, /healthz and /readyz on a local port, in a thread of its own; the loop gives it plain values."""

import os
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from importlib.util import find_spec
from typing import NamedTuple

import msgspec
import structlog

from sabot_service.http_get import MOST_BYTES, BadRequestError, path_of, response
from sabot_service.metrics import CONTENT_TYPE, Family, Samples, exposition

STALLED_S = 10.0  # without a turn that ended
_ANSWER_WITHIN_S = 2.0  # the loop
_A_CALLER_S = 2.0  # from its connection to the end of the answer, and none beside it
_WAITING_CALLERS = 16
_BIND_AGAIN_S = 5.0
_JSON = "application/json"

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Snapshot(NamedTuple):
    """The daemon at one moment: values of its metrics, and why it is not ready."""

    samples: Samples
    not_ready: list[str]


class Health:
    """Shared by the loop, which turns and gives snapshots, and the thread, which asks for them."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic, self._turned_s, self.turns = monotonic, monotonic(), 0
        self._wanted = False
        self._given: Snapshot | None = None
        self._ready = threading.Event()

    def turned(self, now_s: float) -> None:
        """Note that a turn of the loop ended as it should."""
        self._turned_s = now_s
        self.turns += 1

    def give(self, take: Callable[[], Snapshot | None]) -> None:
        """Take a snapshot, or the next part of one, if the thread waits for it; called in the loop."""
        if self._wanted:
            taken = take()
            if taken is not None:
                self._wanted, self._given = False, taken
                self._ready.set()

    def ask(self) -> Snapshot | None:
        """Return a snapshot of the next turns, None if the loop does not give one in time; called in the thread."""
        self._ready.clear()
        self._wanted = True
        return self._given if self._ready.wait(_ANSWER_WITHIN_S) else None

    def stalled_s(self) -> float:
        """Return for how long no turn has ended."""
        return max(0.0, self._monotonic() - self._turned_s)


class Monitor:
    """`start` the thread, `close` it; a port in use is tried again until it is free."""

    def __init__(
        self, address: str, families: Sequence[Family], health: Health, outside: Callable[[], Samples] = dict
    ) -> None:
        self._address, self._families, self._health, self._outside = address, families, health, outside
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="monitor", daemon=True)
        self.port = 0  # where it listens; 0 before
        self.problem = ""

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """End the thread; a caller that is being served is not waited for."""
        self._stopping.set()
        if self.port:
            with suppress(OSError):  # it waits for callers
                socket.create_connection((split_address(self._address)[0], self.port), 0.5).close()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                listening = _listen(self._address)
            except OSError as error:
                self._note(self._not_served(error))
                self._stopping.wait(_BIND_AGAIN_S)
                continue
            with listening:
                self.port, self.problem = listening.getsockname()[1], ""
                log.info("metrics are served", address=f"{split_address(self._address)[0]}:{self.port}")
                self._serve(listening)

    def _not_served(self, error: OSError) -> str:
        why = os.strerror(error.errno) if error.errno else str(error)
        return f"no metrics are served at {self._address}: {why}; free the port or change `metrics` in the config"

    def _note(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            log.error(problem)

    def _serve(self, listening: socket.socket) -> None:
        while not self._stopping.is_set():
            try:
                sock, _ = listening.accept()
            except OSError:  # no file descriptor is left, or the caller has gone
                self._stopping.wait(0.1)
                continue
            with sock, suppress(OSError):
                self._answer(sock, time.monotonic() + _A_CALLER_S)

    def _answer(self, sock: socket.socket, until_s: float) -> None:
        """Read a request and answer it; TimeoutError if the caller is too slow."""
        received = b""
        try:
            while (path := path_of(received)) is None:
                sock.settimeout(max(0.001, until_s - time.monotonic()))
                data = sock.recv(MOST_BYTES)
                if not data:
                    return
                received += data
            answer = self.answer(path)
        except BadRequestError as error:
            answer = response(error.status, "text/plain", f"{error}\n".encode())
        sock.settimeout(_A_CALLER_S)
        sock.sendall(answer)
        with suppress(OSError):
            sock.shutdown(socket.SHUT_WR)

    def answer(self, path: str) -> bytes:
        """Return the response to a GET of this path."""
        try:
            match path:
                case "/metrics":
                    return self._metrics()
                case "/healthz":
                    return _health(self._unhealthy(), "ok")
                case "/readyz":
                    return _health(self._not_ready(), "ready")
        except Exception:
            log.exception("a request for metrics or health failed; report it with this log", path=path)
            return response(HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain", b"internal error; see the log\n")
        found = b"not found; there are /metrics, /healthz and /readyz\n"
        return response(HTTPStatus.NOT_FOUND, "text/plain", found)

    def _metrics(self) -> bytes:
        snapshot = self._health.ask()
        if snapshot is None:
            stalled = f"no turn of the loop has ended for {self._health.stalled_s():.0f} s\n"
            return response(HTTPStatus.SERVICE_UNAVAILABLE, "text/plain", stalled.encode())
        text = exposition(self._families, {**snapshot.samples, **self._outside()})
        return response(HTTPStatus.OK, CONTENT_TYPE, text)

    def _unhealthy(self) -> list[str]:
        stalled_s = self._health.stalled_s()
        return [f"no turn of the loop has ended for {stalled_s:.0f} s"] if stalled_s > STALLED_S else []

    def _not_ready(self) -> list[str]:
        snapshot = self._health.ask()
        return ["the loop does not answer", *self._unhealthy()] if snapshot is None else snapshot.not_ready


def _health(reasons: list[str], good: str) -> bytes:
    status = HTTPStatus.SERVICE_UNAVAILABLE if reasons else HTTPStatus.OK
    body = msgspec.json.encode({"status": f"not {good}" if reasons else good, "reasons": reasons})
    return response(status, _JSON, body + b"\n")


def split_address(address: str) -> tuple[str, int]:
    """Return host and port of "host:port", or ValueError."""
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65_535:
        raise ValueError(f'{address!r} is no address; write "127.0.0.1:9464"')
    return host.strip("[]"), int(port)


def metrics_problems(address: str | None) -> list[str]:
    """Return what is wrong with `metrics` of a config."""
    if address is None:
        return []
    try:
        split_address(address)
    except ValueError as error:
        return [f"metrics: {error}"]
    return [] if find_spec("prometheus_client") else ["metrics: prometheus-client is not installed; pip install it"]


def _listen(address: str) -> socket.socket:
    host, port = split_address(address)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=_WAITING_CALLERS)
