"""A board at a USB serial port: its files, listed, written and read back at MicroPython's raw prompt."""

import contextlib
import errno
import io
import re
from binascii import b2a_base64
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

import serial
from mpremote.transport import TransportError, TransportExecError
from mpremote.transport_serial import SerialTransport
from sabot_gateway.shoe import ports
from sabot_sim.rigs import build

from sabot_tools.text.progress import Progress

OLDEST: Final = (1, 25)
_STOPS: Final = b"\x03" * 258  # Ctrl-C, for a bench even if it is in the middle of its longest message
_QUIET_S, _HUSH_READS = 0.3, 20
_PROMPT_S, _ANSWER_S = 10, 60
_CHUNK_BYTES: Final = 1024
_RESERVE_AT_ONCE, _RESERVE_MOST = 8, 704  # files; twice the blocks of a Pico's filesystem
_SYSTEM: Final = (
    "(lambda s, i: (s.platform, i.version[:3], getattr(i, '_machine', s.platform), getattr(i, '_mpy', 0)))"
    "(__import__('sys'), __import__('sys').implementation)"
)
HOW_TO_GET_MICROPYTHON: Final = (
    f"put MicroPython {OLDEST[0]}.{OLDEST[1]} or newer on it: hold BOOTSEL while plugging the board in, and copy "
    "RPI_PICO-*.uf2 from micropython.org/download/RPI_PICO to the drive that appears"
)


class BoardError(RuntimeError):
    """The board is not there, or does not do it; the message says what to do."""


class System(NamedTuple):
    """What a board says of its MicroPython."""

    platform: str
    version: tuple[int, ...]
    machine: str
    mpy: int


class Board:
    """Stops what runs on the board; `restart` lets it run again. Files can be had after `prepare`."""

    def __init__(self, port: str) -> None:
        self.port = port
        self._transport: Any = _opened(port)
        try:
            with self._in_words():
                self._stop()
        except BoardError:
            self.close()
            raise

    @contextlib.contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # mpremote prints what it did not understand
                yield
        except TransportExecError as error:
            raise BoardError(_said(self.port, error.error_output)) from error
        except TransportError as error:
            raise BoardError(
                f"{self.port}: no MicroPython answers ({error}); if there is none, {HOW_TO_GET_MICROPYTHON}"
            ) from error
        except OSError as error:
            raise BoardError(f"{self.port}: the board has gone ({error}); check the cable and try again") from error

    def _stop(self) -> None:
        line = self._transport.serial
        line.write(_STOPS)
        line.timeout = _QUIET_S
        if all(line.read(4096) for _ in range(_HUSH_READS)):
            raise BoardError(f"{self.port}: something else than MicroPython talks there without a pause; another port?")
        line.timeout = _PROMPT_S
        self._transport.enter_raw_repl(timeout_overall=_PROMPT_S)

    def _exec(self, command: str) -> str:
        said, problem = self._transport.exec_raw(command, timeout=_ANSWER_S)
        if problem:
            raise TransportExecError(said, problem.decode(errors="replace"))
        return str(said, "ascii", "replace")

    def system(self) -> System:
        """What the board is."""
        with self._in_words():
            return System(*self._transport.eval(_SYSTEM))

    def prepare(self) -> None:
        """Bring the loader there, and hold the watchdog that a shoe has started."""
        with self._in_words():
            self._exec(build.loader())
            self._exec("hold_watchdog()")

    def files(self) -> dict[str, tuple[int, str]]:
        """Size and SHA-256 of every file, by path; the journal's are left out."""
        with self._in_words():
            rows = [line.split(" ", 2) for line in self._exec("tell_files()").splitlines()]
        return {path.removeprefix("/"): (int(size), digest) for size, digest, path in rows}

    def write(self, path: str, data: bytes, progress: Progress) -> None:
        """Put a file there, and the folders it is in."""
        with self._in_words():
            for folder in reversed(PurePosixPath(f"/{path}").parents[:-1]):
                self._exec(f"make_folder({str(folder)!r})")
            self._exec(f"from binascii import a2b_base64\nfile = open({f'/{path}'!r}, 'wb')")
            for at in range(0, len(data), _CHUNK_BYTES):
                chunk = data[at : at + _CHUNK_BYTES]
                self._exec(f"file.write(a2b_base64({b2a_base64(chunk, newline=False)!r}))")
                progress(len(chunk))
            self._exec("file.close()")

    def remove(self, path: str) -> None:
        """Take a file away."""
        with self._in_words():
            self._exec(f"os.remove({f'/{path}'!r})")

    def format(self) -> None:
        """Make the filesystem anew: files, key, journal and settings are gone."""
        with self._in_words():
            self._exec("format_all()")

    def reserve(self, progress: Progress) -> bool:
        """Keep the filesystem off the journal's blocks; whether there was something to do."""
        with self._in_words():
            self._exec("reserve = Reserve()")
            begun = left = int(self._exec("reserve.go_on(0, 0)"))
            for first in range(0, _RESERVE_MOST, _RESERVE_AT_ONCE):
                if not left:
                    return bool(begun)
                before, left = left, int(self._exec(f"reserve.go_on({first}, {_RESERVE_AT_ONCE})"))
                progress(before - left)
        raise BoardError(f"{self.port}: {left} of the last blocks of its filesystem are in use; flash with --erase")

    def digest(self, path: str) -> str:
        """SHA-256 of a file."""
        with self._in_words():
            return self._exec(f"print(hash_of({f'/{path}'!r}))").strip()

    def image_digest(self) -> bytes:
        """The hash of the program, by the firmware's own code on the board."""
        with self._in_words():
            program = "from sabot.storage import image\nprint(hexlify(image.digest('')).decode())"
            return bytes.fromhex(self._exec(program))

    def restart(self) -> None:
        """Let the board start as after power on, and give the port back."""
        with contextlib.suppress(OSError, TransportError):  # it goes away while it is asked to
            self._transport.exec_raw_no_follow("machine.reset()")
        self.close()

    def close(self) -> None:
        """Give the port back."""
        with contextlib.suppress(OSError):
            self._transport.close()


def _opened(port: str) -> Any:
    try:
        return SerialTransport(port, timeout=_PROMPT_S)
    except TransportError as error:
        raise BoardError(f"{port}: {_why_closed(port)}") from error


def _why_closed(port: str) -> str:
    """The reason, which mpremote does not tell."""
    try:
        serial.serial_for_url(port, exclusive=True).close()
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EBUSY, errno.EWOULDBLOCK):
            return "the port is busy; end the gateway or terminal that has it open"
        if error.errno == errno.EACCES:
            return "no permission to open the port; become a member of its group (dialout) and log in again"
        if not Path(port).exists():
            return f"no such port; {_ports()}"
        return ports.reason(error)
    return "it could not be opened just now; try again"


def _ports() -> str:
    from serial.tools import list_ports

    found = sorted(one.device for one in list_ports.comports() if one.vid is not None)
    return f"there are {', '.join(found)}" if found else "no board is plugged in, or its cable carries power only"


def _said(port: str, traceback: str) -> str:
    last = (traceback.strip().splitlines() or ["nothing"])[-1]
    if re.search(r"OSError: (28|\[Errno 28\])", last):
        return f"{port}: the board's filesystem is full; flash with --erase, which removes all that is on it"
    return f"{port}: the board says {last!r}"
