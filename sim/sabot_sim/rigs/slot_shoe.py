"""A shoe with slots on the VM: its state directory is the flash of a board that `sabot flash` has written."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

from sabot_sim.rigs import build
from sabot_sim.rigs.vm import Spawn, VmShoe, firmware_dir

_RESTART: Final = 3
_KEY: Final = "firmware.pub"


def has_slots(flash: Path) -> bool:
    """Return True if this directory is the flash of a board with slots."""
    return (flash / build.FIRST_SLOT).is_dir()


def prepare(flash: Path, publisher: bytes | None) -> None:
    """Write this checkout's image into the first slot, if there is none, and the publisher's key beside it."""
    if not has_slots(flash):
        for path, data in build.slot_image().items():
            target = flash / build.FIRST_SLOT / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    if publisher is not None:
        (flash / _KEY).write_bytes(publisher)


class SlotShoe(VmShoe):
    """A VmShoe whose image can be pushed: when `restarts()`, its caller switches it off and on."""

    def __init__(self, unit: str, flash: Path, spawn: Spawn) -> None:
        starter = flash / "starter"  # what runs before an image: the choice of the slot, and the board of the VM
        starter.mkdir(exist_ok=True)
        shutil.copy(firmware_dir() / "bench" / "slot_main.py", starter / "main.py")
        shutil.copy(firmware_dir() / build.SLOTS, starter)
        for path in map(Path, build.VM_BOARD):  # compiled: an image has no constants that it could import
            (starter / f"{path.stem}.mpy").write_bytes(build.mpy(path.name, firmware_dir() / path))
        self.flash = flash
        super().__init__(unit, flash, spawn, firmware=starter)

    def slot(self) -> str:
        """Return slot and state of the next start."""
        path = self.flash / "slot"
        return path.read_text() if path.exists() else ""

    def restarts(self) -> bool:
        """Return True if the program has ended to be started again."""
        return self.process is not None and self.process.poll() == _RESTART


class TendedShoe(SlotShoe):
    """A SlotShoe for tests and benches, with a log of its own; call tend() often: it starts the program again."""

    def __init__(self, unit: str, work_dir: Path, publisher: bytes | None) -> None:
        prepare(work_dir / "flash", publisher)
        self.restarted = 0
        self._log = (work_dir / "shoe.log").open("ab")
        super().__init__(unit, work_dir / "flash", self._popen)

    def _popen(self, args: list[str], *, pass_fds: tuple[int, ...], env: dict[str, str]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(args, pass_fds=pass_fds, env=env, stdout=self._log, stderr=self._log)

    def tend(self) -> None:
        """Start again after a restart; any other end is an error."""
        status = self.process.poll() if self.process else None
        if status is None:
            return
        if not self.restarts():
            raise RuntimeError(f"the shoe's program ended with status {status}: {self._log.name}")
        self.restarted += 1
        self.power_off()
        self.power_on()

    def close(self) -> None:
        """Power off, and close everything."""
        super().close()
        self._log.close()
