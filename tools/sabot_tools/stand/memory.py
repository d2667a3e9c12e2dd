"""Memory: a folder for files that a run throws away, in memory where the system has that; ledgers sync every commit."""

import os
from pathlib import Path
from typing import Final

_LEAST_FREE_BYTES: Final = 256 << 20  # the files of the longest recording take 3 MB


def fast_folder(memory: Path = Path("/dev/shm"), least_bytes: int = _LEAST_FREE_BYTES) -> Path | None:
    """Return a folder in memory with room for so many bytes, or None."""
    try:
        found = os.statvfs(memory)
    except OSError:
        return None
    return memory if os.access(memory, os.W_OK) and found.f_bavail * found.f_frsize >= least_bytes else None
