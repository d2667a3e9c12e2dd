"""An emulated Pico at a port of this machine: its USB serial line on a pty, for programs that talk to boards.

`python -m sabot_sim.chip.usb [FOLDER]` prints the port and runs until its standard input ends. The board has the files
of the folder, or is new. Its time is real time, or slower if the emulator is.
"""

import os
import select
import sys
import time
import tty
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from rp2040py.usb.cdc import USBCDC

from sabot_sim.chip.filesystem import FILESYSTEM
from sabot_sim.chip.python_chip import PythonChip
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_sim.rigs.rig import BenchError

_STEP_US: Final = 1000
_QUEUE_BYTES: Final = 4096
_IN_BUFFERS: Final = 0x80  # in USB memory: one register per endpoint, 8 bytes apart


class UsbChip(PythonChip):
    """A chip with a USB host that has opened its port: `usb_received` is what it has sent.

    With `files` None the flash has no filesystem yet.
    """

    def __init__(self, uf2: Path, files: Mapping[str, bytes] | None) -> None:
        super().__init__(uf2, files or {})
        if files is None:
            self.mcu.flash[FILESYSTEM] = b"\xff" * (FILESYSTEM.stop - FILESYSTEM.start)

    def _boot(self, flash: bytes) -> None:
        super()._boot(flash)
        self.usb_received = bytearray()
        self._usb = self.mcu.usb_ctrl
        self._cdc = USBCDC(self._usb)
        self._cdc.on_serial_data = self.usb_received.extend
        self._others, self._usb.on_endpoint_read = self._usb.on_endpoint_read, self._wanted
        self._cdc_reset, self._usb.on_reset = self._usb.on_reset, self._unplugged
        self._waiting, self._room = bytearray(), 0
        self._packet, self._usb.dpram_updated = self._usb.dpram_updated, self._has_packet
        self._reads, self._unread = True, list[tuple[int, int]]()

    def _has_packet(self, offset: int, value: int) -> None:
        """Leave bytes where they are while the host does not read; rp2040py takes them at once."""
        if not self._reads and offset == _IN_BUFFERS + 8 * self._cdc._in_endpoint:
            self._unread.append((offset, value))
        else:
            self._packet(offset, value)

    def host(self, *, opened: bool = True, reads: bool = True) -> None:
        """Set what the host does: whether a program has opened the port, and whether it reads."""
        self._cdc.set_control_lines(dtr=opened, rts=opened)
        self._reads = reads
        while reads and self._unread:
            self._packet(*self._unread.pop(0))

    def _unplugged(self) -> None:
        self._waiting, self._room, self._unread = bytearray(), 0, []
        self._cdc_reset()

    def _wanted(self, endpoint: int, size: int) -> None:
        """Note that the chip can take bytes, and wait if there are none; rp2040py would answer with empty packets."""
        if endpoint and endpoint == self._cdc._out_endpoint:
            self._room = size
            self._give()
        else:
            self._others(endpoint, size)

    def _give(self) -> None:
        if self._room and self._waiting:
            data, self._waiting, self._room = self._waiting[: self._room], self._waiting[self._room :], 0
            self._usb.endpoint_read_done(self._cdc._out_endpoint, data)

    @property
    def usb_room(self) -> int:
        """How many more bytes the host can queue for the chip."""
        return _QUEUE_BYTES - len(self._waiting)

    def usb_send(self, data: bytes) -> None:
        """Send bytes over USB as soon as the chip takes them."""
        self._waiting += data
        self._give()


class Port:
    """A pty that is connected to the chip's USB."""

    def __init__(self, chip: UsbChip) -> None:
        self._chip = chip
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.name = os.ttyname(self._slave)
        self._due_s = time.monotonic()

    def turn(self, ended: int) -> bool:
        """Run the chip for a millisecond and carry bytes; return False when `ended` is readable."""
        self._pump()
        self._chip.run_for(_STEP_US)
        now_s = time.monotonic()
        self._due_s = max(self._due_s + _STEP_US / 1e6, now_s)  # a late emulator does not catch up
        return ended not in select.select([self._master, ended], [], [], self._due_s - now_s)[0]

    def _pump(self) -> None:
        chip = self._chip
        with suppress(BlockingIOError):
            if chip.usb_room:
                chip.usb_send(os.read(self._master, chip.usb_room))
        with suppress(BlockingIOError):
            if chip.usb_received:
                del chip.usb_received[: os.write(self._master, chip.usb_received)]


def main() -> None:
    """Run until standard input ends."""
    uf2 = find_uf2()
    if uf2 is None:
        raise BenchError(HOW_TO_GET_UF2)
    port = Port(UsbChip(uf2, _files(Path(sys.argv[1])) if len(sys.argv) > 1 else None))
    print(port.name, flush=True)
    while port.turn(sys.stdin.fileno()):
        pass


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


if __name__ == "__main__":
    main()
