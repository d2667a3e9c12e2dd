"""A board at a USB serial port: lists, writes and reads back its files over MicroPython's raw REPL."""

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
_STOPS: Final = b"\x03" * 258  # Ctrl-C, longer than the longest message that a bench could be waiting for
_QUIET_S, _HUSH_READS = 0.3, 20
_PROMPT_S, _ANSWER_S = 10, 60
_CHUNK_BYTES: Final = 1024
_RESERVE_AT_ONCE, _RESERVE_MOST = 8, 704  # files; 704 is twice the blocks of a Pico's filesystem
_SYSTEM: Final = (
    "(lambda s, i: (s.platform, i.version[:3], getattr(i, '_machine', s.platform), getattr(i, '_mpy', 0)))"
    "(__import__('sys'), __import__('sys').implementation)"
)
HOW_TO_GET_MICROPYTHON: Final = (
    f"install MicroPython {OLDEST[0]}.{OLDEST[1]} or newer: hold BOOTSEL while plugging the board in, and copy "
    "RPI_PICO-*.uf2 from micropython.org/download/RPI_PICO to the drive that appears"
)


class BoardError(RuntimeError):
    """The board cannot be reached or does not work; the message gives the next step."""


class System(NamedTuple):
    """The MicroPython of a board, as it reports it."""

    platform: str
    version: tuple[int, ...]
    machine: str
    mpy: int


class Board:
    """Stops the program on the board; restart() starts it again. Call prepare() before using files."""

    def __init__(self, port: str) -> None:
        self.port = port
        self._transport: Any = _open(port)
        try:
            with self._board_errors():
                self._stop()
        except BoardError:
            self.close()
            raise

    @contextlib.contextmanager
    def _board_errors(self) -> Iterator[None]:
        """Turn errors of mpremote and of the port into a BoardError."""
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # mpremote prints replies that it cannot parse
                yield
        except TransportExecError as error:
            raise BoardError(_exec_error(self.port, error.error_output)) from error
        except TransportError as error:
            raise BoardError(
                f"{self.port}: MicroPython does not answer ({error}); if the board has none, {HOW_TO_GET_MICROPYTHON}"
            ) from error
        except OSError as error:
            raise BoardError(
                f"{self.port}: the board was disconnected ({error}); check the cable and try again"
            ) from error

    def _stop(self) -> None:
        line = self._transport.serial
        line.write(_STOPS)
        line.timeout = _QUIET_S
        if all(line.read(4096) for _ in range(_HUSH_READS)):
            raise BoardError(
                f"{self.port}: the device sends without a pause and is not MicroPython; choose another port"
            )
        line.timeout = _PROMPT_S
        self._transport.enter_raw_repl(timeout_overall=_PROMPT_S)

    def _exec(self, command: str) -> str:
        output, problem = self._transport.exec_raw(command, timeout=_ANSWER_S)
        if problem:
            raise TransportExecError(output, problem.decode(errors="replace"))
        return str(output, "ascii", "replace")

    def system(self) -> System:
        """Return the board's MicroPython."""
        with self._board_errors():
            return System(*self._transport.eval(_SYSTEM))

    def prepare(self) -> None:
        """Load the helper functions, and stop the watchdog that a shoe has started."""
        with self._board_errors():
            self._exec(build.loader())
            self._exec("hold_watchdog()")

    def files(self) -> dict[str, tuple[int, str]]:
        """Return size and SHA-256 of every file, by path, without the journal's."""
        with self._board_errors():
            rows = [line.split(" ", 2) for line in self._exec("print_files()").splitlines()]
        return {path.removeprefix("/"): (int(size), digest) for size, digest, path in rows}

    def write(self, path: str, data: bytes, progress: Progress) -> None:
        """Write a file, and create its folders."""
        with self._board_errors():
            for folder in reversed(PurePosixPath(f"/{path}").parents[:-1]):
                self._exec(f"make_folder({str(folder)!r})")
            self._exec(f"from binascii import a2b_base64\nfile = open({f'/{path}'!r}, 'wb')")
            for at in range(0, len(data), _CHUNK_BYTES):
                chunk = data[at : at + _CHUNK_BYTES]
                self._exec(f"file.write(a2b_base64({b2a_base64(chunk, newline=False)!r}))")
                progress(len(chunk))
            self._exec("file.close()")

    def remove(self, path: str) -> None:
        """Remove a file."""
        with self._board_errors():
            self._exec(f"os.remove({f'/{path}'!r})")

    def format(self) -> None:
        """Format the filesystem: files, key, journal and settings are lost."""
        with self._board_errors():
            self._exec("format_all()")

    def reserve(self, progress: Progress) -> bool:
        """Keep the filesystem off the journal's blocks; return True if something had to be done."""
        with self._board_errors():
            self._exec("reserve = Reserve()")
            begun = left = int(self._exec("reserve.go_on(0, 0)"))
            for first in range(0, _RESERVE_MOST, _RESERVE_AT_ONCE):
                if not left:
                    return bool(begun)
                before, left = left, int(self._exec(f"reserve.go_on({first}, {_RESERVE_AT_ONCE})"))
                progress(before - left)
        raise BoardError(f"{self.port}: files occupy {left} of the blocks for the journal; flash with --erase")

    def digest(self, path: str) -> str:
        """Return the SHA-256 of a file."""
        with self._board_errors():
            return self._exec(f"print(hash_of({f'/{path}'!r}))").strip()

    def image_digest(self, slot: str) -> bytes:
        """Return the hash of the program in a slot, `.` for the root, as the firmware on the board computes it."""
        folder = "" if slot == "." else f"/{slot}"
        with self._board_errors():
            program = (
                f"import sys\nsys.path.insert(0, {folder!r})\nfrom sabot.storage import image\n"
                f"print(hexlify(image.digest({folder!r})).decode())"
            )
            return bytes.fromhex(self._exec(program))

    def restart(self) -> None:
        """Restart the board as after power-on, and close the port."""
        with contextlib.suppress(OSError, TransportError):  # the port disappears during the restart
            self._transport.exec_raw_no_follow("machine.reset()")
        self.close()

    def close(self) -> None:
        """Close the port."""
        with contextlib.suppress(OSError):
            self._transport.close()


def _open(port: str) -> Any:
    try:
        return SerialTransport(port, timeout=_PROMPT_S)
    except TransportError as error:
        raise BoardError(f"{port}: {_why_closed(port)}") from error


def _why_closed(port: str) -> str:
    """Return why a port cannot be opened; mpremote does not report it."""
    try:
        serial.serial_for_url(port, exclusive=True).close()
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EBUSY, errno.EWOULDBLOCK):
            return "the port is in use; stop the gateway or terminal that has it open"
        if error.errno == errno.EACCES:
            return "permission denied; join the group of the port (dialout) and log in again"
        if not Path(port).exists():
            return f"no such port; {_ports()}"
        return ports.reason(error)
    return "the port could not be opened; try again"


def _ports() -> str:
    from serial.tools import list_ports

    found = sorted(port.device for port in list_ports.comports() if port.vid is not None)
    return (
        f"the ports with a board are {', '.join(found)}"
        if found
        else "no board is plugged in, or its cable carries only power"
    )


def _exec_error(port: str, traceback: str) -> str:
    last = (traceback.strip().splitlines() or ["nothing"])[-1]
    if re.search(r"OSError: (28|\[Errno 28\])", last):
        return f"{port}: the board's filesystem is full; flash with --erase, which removes everything on it"
    return f"{port}: the board reports {last!r}"
