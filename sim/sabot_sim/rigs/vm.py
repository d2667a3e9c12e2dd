"""The VM process: the firmware, unchanged, on the MicroPython VM; one pty is its serial line, one its inputs."""

import os
import shutil
import subprocess
import sys
import tty
from collections.abc import Iterable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from sabot_sim.rigs.rig import BenchError
from sabot_sim.rigs.stimulus import Stimulus

_RUN = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from micropython_module import run_main; "
    "sys.exit(run_main(sys.argv))"
)
HEAP = "heapsize=96wK"  # 96 KiB in words of a 32-bit board


def firmware_dir() -> Path:
    """Return the folder of the firmware's sources: this checkout's, or the wheel's."""
    installed = Path(__file__).parents[1] / "firmware"
    return installed if installed.exists() else Path(__file__).resolve().parents[3] / "firmware"


def micropython() -> str:
    """Return the path of the VM: SABOT_MICROPYTHON, else the one beside this Python, else the one on PATH."""
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


def vm() -> list[str]:
    """Return the command that starts the VM; a wheel's VM is called directly, in half the time of its script."""
    found, wheel = micropython(), find_spec("micropython_module")
    if not wheel or not wheel.origin or Path(found) != Path(sys.executable).with_name("micropython"):
        return [found]
    return [sys.executable, "-I", "-S", "-c", _RUN, str(Path(wheel.origin).parent)]


class Spawn(Protocol):
    """How the VM is started; the caller keeps track of its children."""

    def __call__(self, args: list[str], *, pass_fds: tuple[int, ...], env: dict[str, str]) -> subprocess.Popen[bytes]:
        """Like subprocess.Popen."""


class VmShoe:
    """One shoe controller: `port` is its serial line, `play` changes its inputs, `outputs` is lock and lamps."""

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
        """Start the firmware; its state directory is its flash."""
        self._stimulus, slave = _raw_pty()
        self._inputs, self._unsent = Stimulus(), b""
        firmware = self._firmware
        args = [*vm(), "-X", HEAP, str(firmware / "main.py"), self._unit, str(self._state_dir)]
        env = {**os.environ, "MICROPYPATH": f"{firmware}:.frozen"}
        self.process = self._spawn([*args, str(self._line), str(slave)], pass_fds=(self._line, slave), env=env)
        os.close(slave)

    @property
    def outputs(self) -> int | None:
        """Lock and lamps, as bits; None until the firmware has set them."""
        return self._inputs.outputs

    def power_off(self) -> None:
        """Kill the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
            os.close(self._stimulus)

    def close(self) -> None:
        """Power off and close the ptys."""
        self.power_off()
        os.close(self._line)
        os.close(self._line_slave)

    def fileno(self) -> int:
        """Readable when the firmware has answered."""
        return self._stimulus

    def play(self, records: Iterable[tuple[int, int]]) -> None:
        """Change the inputs: (microseconds since the last change, levels)."""
        self._unsent += self._inputs.records(records)
        self._flush()

    def _flush(self) -> None:
        """Write what the pty takes: it is full when the firmware is slower than its stimulus."""
        try:
            written = os.write(self._stimulus, self._unsent) if self._unsent else 0
        except BlockingIOError:
            return
        self._unsent = self._unsent[written:]

    def settled(self) -> bool:
        """Return True when everything played was answered, so that `outputs` is current."""
        self._flush()
        self._read_answers()
        return self._inputs.settled()

    def _read_answers(self) -> None:
        with suppress(OSError):  # nothing there, or the process has ended, which its parent notices
            self._inputs.answered(os.read(self._stimulus, 4096))


def _raw_pty() -> tuple[int, int]:
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    os.set_blocking(slave, False)
    return master, slave
