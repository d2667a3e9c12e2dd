"""A shoe with slots on the VM: its state directory is the flash of a board that `sabot flash` has written."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sabot_sim.rigs import build
from sabot_sim.rigs.vm import VmShoe, firmware_dir

_RESTART: Final = 3


class SlotShoe(VmShoe):
    """A VmShoe whose image can be pushed; call tend() often: it starts the program again when that has restarted."""

    def __init__(self, unit: str, work_dir: Path, publisher: bytes | None, files: Mapping[str, bytes]) -> None:
        starter, self.flash = work_dir / "starter", work_dir / "flash"
        starter.mkdir()
        shutil.copy(firmware_dir() / "bench" / "slot_main.py", starter / "main.py")
        shutil.copy(firmware_dir() / build.SLOTS, starter / build.SLOTS)
        for path, data in files.items():
            target = self.flash / build.FIRST_SLOT / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        if publisher is not None:
            (self.flash / "firmware.pub").write_bytes(publisher)
        self.restarts = 0
        self._log = (work_dir / "shoe.log").open("ab")
        super().__init__(unit, self.flash, self._popen, firmware=starter)

    def _popen(self, args: list[str], *, pass_fds: tuple[int, ...], env: dict[str, str]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(args, pass_fds=pass_fds, env=env, stdout=self._log, stderr=self._log)

    def slot(self) -> str:
        """Return slot and state of the next start."""
        path = self.flash / "slot"
        return path.read_text() if path.exists() else ""

    def tend(self) -> None:
        """Start again after a restart; any other end is an error."""
        status = self.process.poll() if self.process else None
        if status is None:
            return
        if status != _RESTART:
            raise RuntimeError(f"the shoe's program ended with status {status}: {self._log.name}")
        self.restarts += 1
        self.power_off()
        self.power_on()

    def close(self) -> None:
        """Power off, and close everything."""
        super().close()
        self._log.close()
