"""The chip in npm's `rp2040js`: a Node process emulates it, several times as fast as rp2040py."""

import struct
import weakref
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from rp2040py.device.bootrom import BOOTROM_B1

from sabot_sim.chip.chip import (
    ACTIVE_LOW_INPUTS,
    DECODED_GPIO,
    HANG,
    HANG_AT,
    INPUT_GPIOS,
    OUTPUT_GPIOS,
    PINS,
    UNIQUE_ID,
    Act,
    Change,
    Chip,
    flash_image,
)
from sabot_sim.chip.node_process import NodeProcess

_LIVE: Final[weakref.WeakSet["NodeChip"]] = weakref.WeakSet()


def _text(data: bytes) -> str:
    return b64encode(data).decode()


class NodeChip(Chip):
    """A chip in another process, `process`; what it has sent and shown comes with every answer."""

    def __init__(self, uf2: Path, files: Mapping[str, bytes], node: str, package: Path, *, skip: bool = True) -> None:
        super().__init__()
        self._now_ns = self._busy = self._drops = self._lost = 0
        self.process = NodeProcess(node, package)
        weakref.finalize(self, self.process.close)
        self._ask(
            "boot",
            bootrom=_text(struct.pack(f"<{len(BOOTROM_B1)}I", *(word & 0xFFFFFFFF for word in BOOTROM_B1))),
            flash=_text(flash_image(uf2, files)),
            uniqueId=_text(UNIQUE_ID),
            inputs=INPUT_GPIOS,
            idle=ACTIVE_LOW_INPUTS,
            watched=[*OUTPUT_GPIOS, DECODED_GPIO],
            skip=skip,
        )
        _LIVE.add(self)

    def _ask(self, what: str, **values: Any) -> dict[str, Any]:
        answer = self.process.ask(what, **values)
        self._now_ns, self._busy = answer["now"], answer["busy"]
        self._drops, self._lost = answer["drops"], answer["lost"]
        for t_ns, byte in answer["sent"]:
            self._received(t_ns, byte)
        self.changes += [Change(t_ns, gpio, bool(level)) for t_ns, gpio, level in answer["changes"]]
        return answer

    def reset(self) -> None:
        """Pull the RUN pin low for a moment."""
        self._ask("reset")

    def power_cycle(self) -> None:
        """Switch off and on: only flash is kept, and time starts at 0."""
        self._switched_on()
        self._ask("power")

    def hang(self) -> None:
        """Let the CPU run an endless loop that does nothing, as a program that hangs."""
        self._ask("hang", code=_text(HANG), at=HANG_AT)

    @property
    def now_ns(self) -> int:
        """Simulated time."""
        return self._now_ns

    @property
    def busy_cycles(self) -> int:
        """Cycles since the last reset in which the CPU was not asleep."""
        return self._busy

    @property
    def backlog_drops(self) -> int:
        """PIO steps that the emulator has skipped: unless 0, reads cannot be trusted."""
        return self._drops

    @property
    def lost(self) -> int:
        """Bytes that came while the UART's FIFO was full."""
        return self._lost

    @property
    def cpu_s(self) -> float:
        """CPU time that the Node process has used."""
        return float(self._ask("cpu")["us"]) / 1e6

    def read_flash(self, start: int, size: int) -> bytes:
        """Return a part of flash."""
        return b64decode(self._ask("read", start=start, size=size)["data"])

    def write_flash(self, start: int, data: bytes) -> None:
        """Replace a part of flash, from outside."""
        self._ask("write", start=start, data=_text(data))

    def drive(self, pins: int) -> None:
        """Set the shoe's inputs now."""
        self._ask("drive", levels=pins ^ ACTIVE_LOW_INPUTS)

    def _queue(self, acts: Iterable[Act]) -> None:
        """Send the acts to the process."""
        wired = [(t_ns, kind, value ^ ACTIVE_LOW_INPUTS if kind == PINS else value) for t_ns, kind, value in acts]
        self._ask("queue", acts=wired)

    def run_to(self, t_ns: int) -> None:
        """Let time pass until `t_ns`."""
        self._ask("run", to=t_ns)

    def keep(self) -> None:
        """Have the process copy its whole state."""
        self._ask("keep")

    def back(self) -> None:
        """Go back to the state of the last keep()."""
        self._ask("back")


@contextmanager
def kept_chips() -> Iterator[None]:
    """Undo at the end whatever a forked process has done to the chips of this one."""
    chips = list(_LIVE)
    for chip in chips:
        chip.keep()
    try:
        yield
    finally:
        for chip in chips:
            chip.back()
