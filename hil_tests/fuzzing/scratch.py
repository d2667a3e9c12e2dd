"""Scratch: a directory in memory for the files of a target, removed when the process ends."""

import shutil
import tempfile
from functools import cache
from pathlib import Path

from sabot_tools.stand.memory import fast_folder


@cache
def directory(name: str) -> Path:
    """Return a directory of this process."""
    import atexit

    made = Path(tempfile.mkdtemp(prefix=f"sabot-fuzz-{name}-", dir=fast_folder()))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made
