"""Scratch: a directory in memory for the files of a target, removed when the process ends."""

import shutil
import tempfile
from functools import cache
from pathlib import Path

_IN_MEMORY = Path("/dev/shm")


@cache
def directory(name: str) -> Path:
    """Return a directory of this process."""
    import atexit

    made = Path(tempfile.mkdtemp(prefix=f"sabot-fuzz-{name}-", dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made
