"""The USB connection to a board on a bench: messages of firmware/sabot/boards/stream.py, both ways."""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

import serial

from sabot_sim.rigs.rig import BenchError

# As firmware/sabot/boards/stream.py has them.
INPUTS, LINE, OFF, ON, FORGET, KEY, STARTED, IS_OFF = range(0x80, 0x88)
MOST_BYTES: Final = 255  # of a message; a multiple of a stimulus record
_TEXT_BYTES: Final = 2000
_READ_BYTES: Final = 4096


def messages(kind: int, data: bytes = b"") -> bytes:
    """Return as many messages as the data needs, and one if there is none."""
    parts = [data[at : at + MOST_BYTES] for at in range(0, len(data), MOST_BYTES)] or [b""]
    return b"".join(bytes((kind, len(part))) + part for part in parts)


class Messages:
    """Cuts bytes of a board into messages; `text` is the end of everything else: errors, restarts, the prompt."""

    def __init__(self) -> None:
        self._pending = b""
        self.text = ""

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield kind and content of each whole message."""
        self._pending += data
        while self._pending:
            size = 1 if self._pending[0] < INPUTS else 2 + int.from_bytes(self._pending[1:2])
            if len(self._pending) < size:
                return
            message, self._pending = self._pending[:size], self._pending[size:]
            if size == 1:
                self.text = (self.text + chr(message[0]))[-_TEXT_BYTES:]
            else:
                yield message[0], message[2:]


class BoardLink:
    """A serial port of a board: post() queues bytes, pump() writes what USB takes and yields what arrived."""

    def __init__(self, port: str) -> None:
        self.name = port
        self._port: Any = _opened(port)
        self._messages = Messages()
        self._unsent = self._held_back = b""
        self._holding = False

    def post(self, data: bytes) -> None:
        """Send bytes, after the board has started if hold() is in effect."""
        if self._holding:
            self._held_back += data
        else:
            self._unsent += data

    def post_first(self, data: bytes) -> None:
        """Drop what was not sent yet, and send this."""
        self._unsent = data

    def hold(self) -> None:
        """Hold back what is posted from now on: a board that starts would take it for something else."""
        self._holding, self._held_back = True, b""

    def release(self) -> None:
        """Send what was held back."""
        self._holding, self._unsent, self._held_back = False, self._unsent + self._held_back, b""

    def pump(self) -> Iterator[tuple[int, bytes]]:
        """Write what USB takes, and yield the messages that arrived; BenchError if the port is gone."""
        try:
            self._write()
            data = os.read(self._port.fileno(), _READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            raise self.problem(f"has gone ({error})") from error
        yield from self._messages.feed(data)

    def _write(self) -> None:
        with suppress(BlockingIOError):
            if self._unsent:
                self._unsent = self._unsent[os.write(self._port.fileno(), self._unsent) :]

    def problem(self, what: str) -> BenchError:
        """Return an error about this board, with the last text it printed."""
        return BenchError(f"the board at {self.name} {what}; its last output: {self._messages.text[-500:]!r}")

    def fileno(self) -> int:
        """Readable when the board has sent something."""
        return int(self._port.fileno())

    def close(self) -> None:
        """Close the port."""
        self._port.close()


def _opened(port: str) -> Any:
    try:
        return serial.Serial(port, timeout=0, exclusive=True)
    except (OSError, ValueError) as error:
        raise BenchError(f"no board at {port}: {error}; plug it in, or end what has the port open") from error
