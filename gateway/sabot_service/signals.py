"""Signals: SIGTERM, SIGINT and SIGHUP as something that the loop can wait for."""

import signal
import socket


class Signals:
    """SIGTERM and SIGINT ask it to stop, SIGHUP to read its config again; readable when one has come."""

    def __init__(self) -> None:
        self.stopping = self.reloading = False
        self._read, self._write = socket.socketpair()

    def listen(self) -> None:
        """Install the handlers; call it in the main thread."""
        for end in (self._read, self._write):
            end.setblocking(False)
        signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._came)

    def _came(self, number: int, _frame: object) -> None:
        self.stopping = self.stopping or number != signal.SIGHUP
        self.reloading = self.reloading or number == signal.SIGHUP

    def fileno(self) -> int:
        """Return the descriptor for the selector."""
        return self._read.fileno()

    def take(self) -> None:
        """Clear what made it readable."""
        self._read.recv(4096)

    def close(self) -> None:
        """Give the sockets back."""
        self._read.close()
        self._write.close()
