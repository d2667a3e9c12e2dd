"""The rig `rp2040`: main.py on the emulated chip, everything in simulated time.

Until the chip first reads its journal 0.7 s of its own time pass, and 0.5 s more until its first byte: two seconds of
CPU time in rp2040js, half a minute in rp2040py. So one chip is started once, and several tests work on forks of it
(`in_fork`).
"""

import os
import pickle
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from sabot_sim.chip.chip import DECODED_GPIO, FLASH_BYTES, OUTPUT_GPIOS, Chip
from sabot_sim.chip.emulators import new_chip
from sabot_sim.chip.filesystem import RESERVED_BLOCKS
from sabot_sim.chip.node_chip import kept_chips
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_sim.optics.signals import Edge
from sabot_sim.rigs.build import firmware_image
from sabot_sim.rigs.rig import BenchError, fallen_bits
from sabot_sim.rigs.vm import firmware_dir

SECTOR: Final = 4096
REGION: Final = FLASH_BYTES - RESERVED_BLOCKS * SECTOR
_JOURNAL_BYTES: Final = 22 * SECTOR
_PARTS: Final = {"journal": slice(0, _JOURNAL_BYTES), "store": slice(_JOURNAL_BYTES, None)}
_STEP_NS: Final = 4_000_000
_QUIET_NS: Final = 80_000_000  # an idle board sends more often than this
_LEAD_NS: Final = 1_000_000


def shoe_files(key: bytes | None = None) -> dict[str, bytes]:
    """Return the files of a shoe, with this key."""
    return firmware_image(firmware_dir() / "main.py") | ({"key.bin": key} if key else {})


def switched_on_chip(uf2: Path, files: dict[str, bytes]) -> Chip:
    """Return a chip that was just switched on and has not yet read journal and store."""
    chip = new_chip(uf2, files)
    chip.run_until(lambda: any(change.gpio == DECODED_GPIO for change in chip.changes), most_us=3_000_000)
    return chip


def started_shoe(key: bytes | None = None) -> Chip:
    """Return a new shoe with this key that has just sent its first byte; BenchError if there is no image."""
    uf2 = find_uf2()
    if uf2 is None:
        raise BenchError(HOW_TO_GET_UF2)
    chip = switched_on_chip(uf2, shoe_files(key))
    chip.run_until(lambda: bool(chip.received), most_us=10_000_000)
    return chip


def in_fork(act: Callable[..., Any], *args: Any) -> Any:
    """Return what `act` returns in a forked process; nothing changes in this one, nor in its chips."""
    with kept_chips():
        return _in_fork(act, *args)


def _in_fork(act: Callable[..., Any], *args: Any) -> Any:
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            answer = (act(*args), "")
        except BaseException:
            answer = (None, traceback.format_exc())
        with os.fdopen(write, "wb") as out:
            pickle.dump(answer, out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as back:
        result, error = pickle.load(back)
    os.waitpid(child, 0)
    if error:
        raise BenchError(error)
    return result


class ChipRig:
    """A Rig on a chip; the first power_on() is the start that started_shoe() has made."""

    name = "rp2040"
    unit = "e660583883724a32"

    def __init__(self, chip: Chip) -> None:
        self._chip = chip
        self._on, self._started = False, False
        self._base_ns = chip.now_ns  # chip time of time 0 of `play`
        self._t_us = self._past_ns = self._until_ns = self._busy_ns = 0
        self._taken = self._seen = 0
        self.outputs: int | None = None

    def power_on(self) -> None:
        """Start with the flash as it was; every start but the first takes as long as started_shoe()."""
        if self._started:
            self._past_ns += self._chip.now_ns
            self._chip.power_cycle()
            self._begin()
        self._on = self._started = True

    def _begin(self) -> None:
        """Reset time, line and outputs."""
        self._taken = self._seen = self._until_ns = self._busy_ns = 0
        self._base_ns = -self._t_us * 1000
        self.outputs = None

    def power_off(self) -> None:
        """Stop the chip's time."""
        self._on = False

    def reset(self) -> None:
        """Pull the RUN pin."""
        self._chip.reset()

    def play(self, edges: Iterable[Edge], until_us: int) -> None:
        """Queue edges; all of them later where the chip's own time is already ahead."""
        edges, now_ns = list(edges), self._chip.now_ns
        if edges:
            self._base_ns = max(self._base_ns, now_ns + _LEAD_NS - edges[0][0] * 1000)
            self._chip.pins([(self._base_ns // 1000 + t_us - now_ns // 1000, pins) for t_us, pins in edges], 0)
        self._t_us, self._until_ns = until_us, self._base_ns + until_us * 1000

    def turn(self) -> None:
        """Let a little time pass, also without power."""
        if not self._on:
            self._past_ns += _STEP_NS
            return
        self._chip.run_to(self._chip.now_ns + _STEP_NS)
        if self._chip.backlog_drops:
            raise BenchError("the emulator has skipped PIO steps: its reads cannot be trusted; run the test again")
        for change in self._chip.changes[self._seen :]:
            if change.gpio in OUTPUT_GPIOS:
                bit = 1 << OUTPUT_GPIOS.index(change.gpio)
                self.outputs = (self.outputs or 0) | bit if change.level else (self.outputs or 0) & ~bit
        self._seen = len(self._chip.changes)

    def quiet(self) -> bool:
        """Return True when the line was idle for a while after everything was played."""
        last_ns = max(self._until_ns, self._busy_ns)
        return not self._on or self._chip.now_ns >= max(self._until_ns, last_ns + _QUIET_NS)

    def receive(self) -> bytes:
        """Return what has left its UART."""
        if not self._on:
            return b""
        data = bytes(byte for _, byte in self._chip.received[self._taken :])
        if data:
            self._taken += len(data)
            self._busy_ns = self._chip.now_ns
        return data

    def send(self, data: bytes) -> None:
        """Send at 115,200 baud."""
        if self._on and data:
            self._chip.send(data)
            self._busy_ns = self._chip.now_ns

    def line_s(self) -> float:
        """Simulated time, over all starts."""
        return (self._past_ns + self._chip.now_ns) / 1e9

    def pass_silence(self, seconds: float) -> None:
        """Do nothing: inputs are played by the same clock."""

    def damage(self, part: str, seed: int, spots: int) -> None:
        """Damage its flash."""
        if part not in _PARTS:
            raise BenchError(f"the emulated chip cannot damage {part!r}; this needs the unix bench")
        region = bytearray(self._chip.read_flash(REGION, FLASH_BYTES - REGION))
        region[_PARTS[part]] = fallen_bits(bytes(region[_PARTS[part]]), seed, spots)
        self._chip.write_flash(REGION, bytes(region))

    def exchange(self, number: int) -> None:
        """Refuse: there is one chip."""
        raise BenchError("a second controller needs the unix bench: the emulated chip has one unit number")

    def filenos(self) -> list[int]:
        """None: time passes only in turn()."""
        return []

    def close(self) -> None:
        """Do nothing."""
