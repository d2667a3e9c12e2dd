"""`sabot play` without sensors: steps for firmware/bench/play.py on the MicroPython VM, or in this interpreter."""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, Self

import msgspec

from sabot_sim.rigs import firmware
from sabot_sim.rigs.flash import Flash
from sabot_sim.rigs.rig import BenchError
from sabot_sim.rigs.vm import HEAP, firmware_dir, vm


class StepAnswer(msgspec.Struct):
    """The answer to a step: events logged (number, kind, body in hex), outcome of a command, and the shoe's state."""

    records: list[tuple[int, int, str]]
    outcome: int | None
    locked: bool
    due: int | None
    state: int
    fault: int
    last_coup: bool
    kind: int


class PlayBench(Protocol):
    """One shoe; a step is a list, as firmware/bench/play.py takes it."""

    def __enter__(self) -> Self:
        """Return itself; the shoe runs until the block ends."""

    def __exit__(self, *_: object) -> None:
        """End the shoe."""

    def step(self, *step: Any) -> StepAnswer:
        """Carry out a step and return the shoe's answer."""

    def power_cycle(self) -> None:
        """Switch off and on; flash is kept."""


class VmPlay:
    """The firmware on a MicroPython VM with the board's heap; its flash is a file."""

    def __init__(self, profile: bytes) -> None:
        self._state = TemporaryDirectory(prefix="sabot-play-")
        self.flash = Path(self._state.name, "journal.bin")
        self._args = [*vm(), "-X", HEAP, str(firmware_dir() / "bench" / "play.py"), self._state.name, profile.hex()]
        self._start()

    def _start(self, *args: str) -> None:
        env = {"MICROPYPATH": f"{firmware_dir()}:.frozen"}
        self._vm = subprocess.Popen([*self._args, *args], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._state.cleanup()

    def kill(self) -> bytes:
        """Kill the VM; return its output that was not read yet."""
        assert self._vm.stdout
        if self._vm.stdout.closed:
            return b""
        self._vm.kill()
        return self._vm.communicate()[0]

    def send(self, *step: Any) -> None:
        """Send a step as a line."""
        assert self._vm.stdin
        try:
            self._vm.stdin.write(msgspec.json.encode(step) + b"\n")
            self._vm.stdin.flush()
        except BrokenPipeError:
            pass  # the missing answer shows that it has ended

    def line(self) -> bytes:
        """Return the next line; if the VM has ended, all of its last output."""
        assert self._vm.stdout
        line = self._vm.stdout.readline()
        return line if line.startswith(b"{") else line + self._vm.stdout.read()

    def step(self, *step: Any) -> StepAnswer:
        """Send a step as a line, and return the answer."""
        self.send(*step)
        line = self.line()
        if not line.startswith(b"{"):
            output = line.decode(errors="replace").strip()
            raise BenchError(f"the MicroPython VM has ended: {output or 'no output'}")
        return msgspec.json.decode(line, type=StepAnswer)

    def power_cycle(self, *args: str) -> None:
        """Kill the VM and start another one on the same flash, with these arguments for play.py."""
        self.kill()
        self._start(*args)


class CPythonPlay:
    """The firmware's modules in this interpreter; only flash is kept over a power cycle."""

    def __init__(self, profile: bytes) -> None:
        self._play, self._profile = firmware.module("play"), profile.hex()
        self._flash = Flash(self._play.FLASH_SECTORS)
        self.power_cycle()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def step(self, *step: Any) -> StepAnswer:
        """Carry out a step with the firmware's own Player."""
        return msgspec.convert(self._player.step(step), StepAnswer)

    def power_cycle(self) -> None:
        """Make new objects on the same flash."""
        self._player = self._play.Player(self._flash, self._profile)


BENCHES: dict[str, type[VmPlay] | type[CPythonPlay]] = {"unix": VmPlay, "cpython": CPythonPlay}
