"""A small disk for a ledger that a test can fill or make read-only. Needs root and mount."""

import os
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

_BLOCK_BYTES = 4096


def _run(*command: str) -> str | None:
    """Return the problem, or None."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        return str(error)
    return None if done.returncode == 0 else done.stderr.strip() or f"status {done.returncode}"


def _or_skip(*command: str) -> None:
    problem = _run(*command)
    if problem:
        pytest.skip(f"a disk for this test needs root and mount: {' '.join(command)}: {problem}")


@dataclass
class Disk:
    """Mounted at `path`."""

    path: Path

    def mount(self) -> None:
        """Mount a file system in memory; skip the test if that is not permitted."""
        self.path.mkdir(exist_ok=True)
        _or_skip("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(self.path))

    def fill(self) -> None:
        """Fill every free block."""
        with suppress(OSError), (self.path / "ballast").open("ab", buffering=0) as ballast:
            while os.statvfs(self.path).f_bavail:
                ballast.write(bytes(_BLOCK_BYTES))

    def empty(self) -> None:
        """Free the filled blocks."""
        (self.path / "ballast").unlink()

    def remount(self, mode: str) -> None:
        """Remount as `ro` or `rw`; no file may be open for writing."""
        problem = _run("mount", "-o", f"remount,{mode}", str(self.path))
        assert problem is None, problem

    def unmount(self) -> None:
        """Unmount."""
        _run("umount", "-l", str(self.path))


@dataclass
class FailingDisk(Disk):
    """ext4 in a file: after an error it becomes read-only while files are open, as a worn disk does."""

    def mount(self) -> None:
        """Make the file system and mount it; skip the test if that is not permitted."""
        self.path.mkdir(exist_ok=True)
        self._image = self.path.with_suffix(".img")
        self._image.write_bytes(bytes(8 << 20))
        _or_skip("mkfs.ext4", "-q", "-O", "^has_journal", str(self._image))
        self.mount_again()

    def mount_again(self) -> None:
        """Mount after a repair."""
        _or_skip("mount", "-o", "loop,errors=remount-ro", str(self._image), str(self.path))

    def fail(self) -> None:
        """Make every further write fail."""
        problem = _run("mount", "-o", "remount,abort", str(self.path))
        assert problem is None, problem

    def repair(self) -> None:
        """Unmount, check and mount again; no file may be open."""
        problem = _run("umount", str(self.path))
        assert problem is None, problem
        _run("fsck.ext4", "-p", str(self._image))
        self.mount_again()
