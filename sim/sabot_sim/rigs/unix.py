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
_LAST_WORDS_BYTES: Final = 1000


class UnixRig:
    """The unix bench as a rig: inputs bring their own time, the line's clock is real."""

    name = "unix"

    def __init__(self, work_dir: Path, key: bytes | None = None, firmware: Path | None = None) -> None:
        self._work_dir, self._key, self._firmware = work_dir, key, firmware
        self._t_us = 0
        self._line_s, self._looked_s = 0.0, time.monotonic()
        self._put(1)

    def _put(self, number: int) -> None:
        """This controller, without power."""
        self.unit = f"{_UNITS + number:016x}"
        self.state_dir = self._work_dir / f"shoe-{number}"
        self.state_dir.mkdir(exist_ok=True)
        if self._key is not None:
            (self.state_dir / "key.bin").write_bytes(self._key)
        self._levels = 0
        self._held = b""
        self._probes = 0  # that are still to be answered before it is quiet
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
        """Start the firmware; what its state directory holds is its flash."""
        self._bench.power_on()
        self._levels = 0
        self._give([(0, 0)])

    def power_off(self) -> None:
        """Kill it; what is on the line is gone."""
        self._bench.power_off()
        self._held, self._probes = b"", 0
        termios.tcflush(self._line, termios.TCIOFLUSH)

    def reset(self) -> None:
        """To the VM the same as the plug."""
        self.power_off()
        self.power_on()

    def play(self, edges: Iterable[Edge], until_us: int) -> None:
        """All at once: the firmware takes it as fast as it can."""
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
        """What the pty had no room for; a program that has ended by itself will never take it."""
        if self._bench.process is not None:
            self._bench.settled()
            if self._bench.process.poll() is not None:
                raise BenchError(f"the shoe's program has ended: {self._last_words()}")

    def _last_words(self) -> str:
        with (self._work_dir / "shoe.log").open("rb") as log:
            log.seek(-min(_LAST_WORDS_BYTES, log.seek(0, os.SEEK_END)), os.SEEK_END)
            return log.read().decode(errors="replace").strip() or "without a word"

    def quiet(self) -> bool:
        """A sample that changes nothing is answered after what came of the turn before was written to the line.

        One more, because a turn may log something when it has written already.
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
        """What has come by now."""
        self._pull()
        held, self._held = self._held, b""
        return held

    def _pull(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self._line, _LINE_BYTES):
                self._held += data
                self._probes = PROBES

    def send(self, data: bytes) -> None:
        """A shoe without power hears nothing; a line that is full loses the rest, as a UART does."""
        if data and self._bench.process is not None:
            with contextlib.suppress(BlockingIOError):
                os.write(self._line, data)
            self._probes = PROBES

    def line_s(self) -> float:
        """Real time, without the moments in which nobody here looked: a slow disk is no silent shoe."""
        now_s = time.monotonic()
        self._line_s += min(now_s - self._looked_s, _LONGEST_LOOK_S)
        self._looked_s = now_s
        return self._line_s

    def damage(self, part: str, seed: int, spots: int) -> None:
        """In the files that are its flash."""
        if part == "image":
            (self.state_dir / "image.bin").write_bytes(bytes(8))
            return
        file = self.state_dir / f"{part}.bin"
        file.write_bytes(fallen_bits(file.read_bytes(), seed, spots))

    def exchange(self, number: int) -> None:
        """Each has a state directory of its own."""
        self.close()
        self._put(number)

    def filenos(self) -> list[int]:
        """Its line, and its answers."""
        return [self._line] if self._bench.process is None else [self._line, self._bench.fileno()]

    def close(self) -> None:
        """Kill it, and give the ptys back."""
        self._bench.close()
        os.close(self._line)
