"""Which emulator runs the chip: npm's `rp2040js` where node and the package are there, else `rp2040py`.

`SABOT_CHIP=rp2040py` or `SABOT_CHIP=rp2040js` chooses. `python -m sabot_sim.chip.emulators` installs rp2040js into the
virtual environment if it is missing, and prints which one is used and why.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from sabot_sim.chip.chip import Chip
from sabot_sim.chip.node_process import SCRIPTS
from sabot_sim.rigs.rig import BenchError

JS, PY = "rp2040js", "rp2040py"
_PACKAGE_FILES: Final = ("package.json", "package-lock.json")
_OLDEST_NODE: Final = 18
_NODE_S: Final = 20.0
_NPM_S: Final = 180.0


@dataclass(frozen=True)
class Emulator:
    """`node` and `package` are those of rp2040js; `reason` says why it is the other one."""

    name: str
    version: str
    node: str = ""
    package: Path = Path()
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.version}" + (f", because {self.reason}" if self.reason else "")


def folder() -> Path:
    """Return where rp2040js is installed: within the virtual environment."""
    return Path(sys.prefix) / "chip"


def pinned() -> str:
    """Return the version of rp2040js that package.json names."""
    wanted: str = json.loads((SCRIPTS / "package.json").read_text())["dependencies"][JS]
    return wanted


def _missing_node() -> str:
    """Return why node cannot be used, an empty text if it can."""
    return _problem_of(shutil.which("node"))


@cache
def _problem_of(node: str | None) -> str:
    if node is None:
        return "there is no node on the path"
    try:
        ran = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=_NODE_S, check=True)
        found = int(ran.stdout.lstrip("v").split(".")[0])
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return f"node does not run: {error}"
    return "" if found >= _OLDEST_NODE else f"node {ran.stdout.strip()} is older than v{_OLDEST_NODE}"


def _missing_package() -> str:
    """Return why the package cannot be used, an empty text if it can."""
    try:
        found = json.loads((folder() / "node_modules" / JS / "package.json").read_text())["version"]
    except (OSError, ValueError, KeyError):
        return f"{JS} {pinned()} is not installed (make image)"
    return "" if found == pinned() else f"{JS} {found} is installed and not {pinned()} (make image)"


def chosen() -> Emulator:
    """Return the emulator to use; BenchError if SABOT_CHIP asks for one that is not there."""
    asked = os.environ.get("SABOT_CHIP", "")
    if asked not in ("", JS, PY):
        raise BenchError(f"SABOT_CHIP={asked}: expected {JS} or {PY}")
    reason = f"SABOT_CHIP={PY}" if asked == PY else _missing_node() or _missing_package()
    if reason and asked == JS:
        raise BenchError(f"SABOT_CHIP={JS}, but {reason}")
    if reason:
        return Emulator(PY, version(PY), reason=reason)
    return Emulator(JS, pinned(), shutil.which("node") or "node", folder() / "node_modules" / JS)


def new_chip(uf2: Path, files: Mapping[str, bytes], *, skip: bool = True, emulator: Emulator | None = None) -> Chip:
    """Return a chip with this MicroPython and these files, just switched on."""
    emulator = emulator or chosen()
    if emulator.name == JS:
        from sabot_sim.chip.node_chip import NodeChip

        return NodeChip(uf2, files, emulator.node, emulator.package, skip=skip)
    from sabot_sim.chip.python_chip import PythonChip

    return PythonChip(uf2, files, skip=skip)


def install() -> str:
    """Install rp2040js from npm if it is missing; return why that failed, an empty text if it is there."""
    if _missing_node() or not _missing_package():
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return "there is no npm on the path"
    if sys.prefix == sys.base_prefix:
        return "this Python is not in a virtual environment"
    folder().mkdir(exist_ok=True)
    for name in _PACKAGE_FILES:
        shutil.copy(SCRIPTS / name, folder())
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    try:
        ran = subprocess.run(command, cwd=folder(), capture_output=True, text=True, timeout=_NPM_S, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return f"npm failed: {error}"
    return "" if ran.returncode == 0 else f"npm failed: {ran.stderr.strip()[-500:] or ran.returncode}"


def main() -> None:
    """Install what is missing, and print which emulator is used."""
    problem = install()
    if problem:
        print(f"{JS} was not installed: {problem}", file=sys.stderr)
    print(f"emulated chip: {chosen()}")


if __name__ == "__main__":
    main()
