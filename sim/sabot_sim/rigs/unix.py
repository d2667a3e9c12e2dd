"""The rig `unix`: the firmware on the MicroPython VM; inputs bring their own time, the line's clock is real."""

import contextlib
import os
import subprocess
import termios
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from sabot_sim.optics.signals import Edge
from sabot_sim.rigs.rig import BenchError, fallen_bits
from sabot_sim.rigs.stimulus import PROBES, stimulus
from sabot_sim.rigs.vm import VmShoe

_UNITS: Final = 0x5AB0 << 48
_LINE_BYTES: Final = 4096
_LONGEST_LOOK_S: Final = 0.05
_LAST_OUTPUT_BYTES: Final = 1000


class UnixRig:
    """A Rig: the firmware plays its inputs as fast as it can; the line's clock is real time.

    One class because it is all that a bench does to one controller.
    """

    name = "unix"

    def __init__(self, work_dir: Path, key: bytes | None = None, firmware: Path | None = None) -> None:
        self._work_dir, self._key, self._firmware = work_dir, key, firmware
        self._t_us = 0
        self._line_s, self._looked_s = 0.0, time.monotonic()
        self._put(1)

    def _put(self, number: int) -> None:
        """Prepare this controller, without power."""
        self.unit = f"{_UNITS + number:016x}"
        self.state_dir = self._work_dir / f"shoe-{number}"
        self.state_dir.mkdir(exist_ok=True)
        if self._key is not None:
            (self.state_dir / "key.bin").write_bytes(self._key)
        self._levels = 0
        self._held = b""
        self._probes = 0  # probes that must still be answered before it is quiet
        self._bench = VmShoe(self.unit, self.state_dir, self._spawn, on=False, firmware=self._firmware)
        self._line = os.open(self._bench.port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

    def _spawn(self, args: list[str], *, pass_fds: tuple[int, ...], env: dict[str, str]) -> subprocess.Popen[bytes]:
        with (self._work_dir / "shoe.log").open("ab") as log:
            return subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=pass_fds, env=env)

    @property
    def outputs(self) -> int | None:
        """Lock and lamps."""
        return self._bench.outputs

    def power_on(self) -> None:
        """Start the firmware; its state directory is its flash."""
        self._bench.power_on()
        self._levels = 0
        self._give([(0, 0)])

    def power_off(self) -> None:
        """Kill the firmware; bytes on the line are lost."""
        self._bench.power_off()
        self._held, self._probes = b"", 0
        termios.tcflush(self._line, termios.TCIOFLUSH)

    def reset(self) -> None:
        """On the VM the same as a power cycle."""
        self.power_off()
        self.power_on()

    def play(self, edges: Iterable[Edge], until_us: int) -> None:
        """Queue everything at once: the firmware takes it as fast as it can."""
        if self._bench.process is None:
            self._t_us = until_us
            return
        records = stimulus(edges, self._t_us, self._levels, until_us)
        self._t_us, self._levels = until_us, records[-1][1]
        self._give(records)

    def _give(self, records: list[tuple[int, int]]) -> None:
        self._bench.play(records)
        self._probes = PROBES

    def turn(self) -> None:
        """Write what the pty had no room for; BenchError if the program has ended by itself."""
        if self._bench.process is not None:
            self._bench.settled()
            if self._bench.process.poll() is not None:
                raise BenchError(f"the shoe's program has ended: {self._last_output()}")

    def _last_output(self) -> str:
        with (self._work_dir / "shoe.log").open("rb") as log:
            log.seek(-min(_LAST_OUTPUT_BYTES, log.seek(0, os.SEEK_END)), os.SEEK_END)
            return log.read().decode(errors="replace").strip() or "no output"

    def quiet(self) -> bool:
        """Probe with samples that change nothing: each is answered after the output of the turn before it was written.

        Two, because a turn may log something after it has written.
        """
        if self._bench.process is None:
            return True
        if not self._bench.settled():
            return False
        self._pull()
        if self._held or not self._probes:
            return not self._held
        self._probes -= 1
        self._bench.play([(0, self._levels)])
        return False

    def receive(self) -> bytes:
        """Return what has arrived."""
        self._pull()
        held, self._held = self._held, b""
        return held

    def _pull(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self._line, _LINE_BYTES):
                self._held += data
                self._probes = PROBES

    def send(self, data: bytes) -> None:
        """Send bytes; they are lost without power, and what a full line does not take is lost as on a UART."""
        if data and self._bench.process is not None:
            with contextlib.suppress(BlockingIOError):
                os.write(self._line, data)
            self._probes = PROBES

    def line_s(self) -> float:
        """Real time, less the time this process was busy elsewhere: a slow disk must not look like a silent shoe."""
        now_s = time.monotonic()
        self._line_s += min(now_s - self._looked_s, _LONGEST_LOOK_S)
        self._looked_s = now_s
        return self._line_s

    def pass_silence(self, seconds: float) -> None:
        """Advance it at once: inputs are played faster than in real time."""
        self._line_s += seconds

    def damage(self, part: str, seed: int, spots: int) -> None:
        """Damage the files that are its flash."""
        if part == "image":
            (self.state_dir / "image.bin").write_bytes(bytes(8))
            return
        file = self.state_dir / f"{part}.bin"
        file.write_bytes(fallen_bits(file.read_bytes(), seed, spots))

    def exchange(self, number: int) -> None:
        """Use another controller, with its own state directory."""
        self.close()
        self._put(number)

    def filenos(self) -> list[int]:
        """The line, and the answers to the stimulus."""
        return [self._line] if self._bench.process is None else [self._line, self._bench.fileno()]

    def close(self) -> None:
        """Kill the firmware and close the ptys."""
        self._bench.close()
        os.close(self._line)
