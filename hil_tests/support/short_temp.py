"""Temporary files of a test run: in memory where the system has that, under a short name (a socket's has 107 bytes).

A failed test's files are kept until the next run.
"""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

import pytest
from sabot_tools.stand.memory import fast_folder

_PREFIX: Final = "sb"
_LEAST_FREE_BYTES: Final = 4 << 30
_FOLDER: Final = pytest.StashKey[Path]()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Make the folder, once for all workers: they inherit it."""
    memory = fast_folder(least_bytes=_LEAST_FREE_BYTES)
    if memory is None or config.option.basetemp or "TMPDIR" in os.environ or hasattr(config, "workerinput"):
        return
    remove_old(memory)
    folder = memory / f"{_PREFIX}{os.getpid()}"
    folder.mkdir()
    folder.chmod(0o711)  # PostgreSQL runs as another user below it
    config.option.basetemp = str(folder / "t")
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    config.stash[_FOLDER] = folder


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Remove the folder, unless a test failed."""
    folder = session.config.stash.get(_FOLDER, None)
    if folder is not None and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        shutil.rmtree(folder, ignore_errors=True)


def remove_old(memory: Path) -> None:
    """Remove the folders of runs that have ended."""
    for folder in memory.glob(f"{_PREFIX}[0-9]*"):
        pid = folder.name.removeprefix(_PREFIX)
        if pid.isdigit() and not Path(f"/proc/{pid}").exists():
            shutil.rmtree(folder, ignore_errors=True)
