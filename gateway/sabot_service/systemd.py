"""systemd: reports to the service manager that the daemon is ready, what it does, and that its loop goes on."""

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

_MOST_OFTEN_S = 1.0
_A_WATCHDOG = 3  # reports within the manager's patience


class Systemd:
    """Datagrams to NOTIFY_SOCKET, if there is one; a manager that is not there, or does not read, stops nothing."""

    def __init__(self, environment: Mapping[str, str], pid: int) -> None:
        self._address = _address(environment.get("NOTIFY_SOCKET", ""))
        self._sock: socket.socket | None = None
        self._every_s, self._fed_s, self._status = _MOST_OFTEN_S, float("-inf"), ""
        patience_us = environment.get("WATCHDOG_USEC", "")
        self._fed = patience_us.isdecimal() and environment.get("WATCHDOG_PID", str(pid)) == str(pid)
        if self._fed:
            self._every_s = min(_MOST_OFTEN_S, int(patience_us) / 1_000_000 / _A_WATCHDOG)
        if self._address:
            self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self._sock.setblocking(False)

    @classmethod
    def found(cls) -> "Systemd":
        """Return the manager that started this process, if any did."""
        return cls(os.environ, os.getpid())

    def ready(self) -> None:
        """Report that the daemon serves."""
        self._send("READY=1")

    @contextmanager
    def reload(self, now_s: float) -> Iterator[None]:
        """Report that the config is read again in this context."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={int(now_s * 1_000_000)}")
        try:
            yield
        finally:
            self.ready()

    def stopping(self) -> None:
        """Report that the daemon stops."""
        self._send("STOPPING=1")

    def progress(self, now_s: float, status: str) -> None:
        """Report that a turn of the loop ended, and what `systemctl status` shows; at most once a second."""
        if self._sock is None or now_s - self._fed_s < self._every_s:
            return
        self._fed_s = now_s
        lines = ["WATCHDOG=1"] if self._fed else []
        if status != self._status:
            self._status = status
            lines.append(f"STATUS={status.splitlines()[0] if status else ''}")
        if lines:
            self._send("\n".join(lines))

    def _send(self, text: str) -> None:
        if self._sock is not None:
            with suppress(OSError):
                self._sock.sendto(text.encode(), self._address)

    def close(self) -> None:
        """Give the socket back."""
        if self._sock is not None:
            self._sock.close()
            self._sock = None


def _address(path: str) -> str:
    """Return the socket's address; one that begins with @ is abstract."""
    return f"\0{path[1:]}" if path.startswith("@") else path
