"""The package of a table PC, built once for all workers of a test run."""

import fcntl
import os
import shutil
from pathlib import Path

import pytest
from sabot_tools.package import deb

EPOCH_S = 1_790_000_000
OFFLINE = ("NewConnectionError", "NameResolutionError", "Max retries", "name resolution", "ProxyError")


def package(factory: pytest.TempPathFactory, version: str = "0.1.0") -> Path:
    """Return the package of this checkout; the first caller builds it, loosely packed."""
    if shutil.which("dpkg-deb") is None:
        pytest.skip("no dpkg-deb: packages are built on Debian and Ubuntu")
    base = factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "packages"  # of this run alone
    shared.mkdir(exist_ok=True)
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = shared / f"{deb.NAME}_{version}_{deb.architecture()}.deb"
        return found if found.exists() else build(shared, version)


def build(folder: Path, version: str = "0.1.0") -> Path:
    """Build it into a folder; skip the test where wheels have to be fetched and there is no network."""
    try:
        return deb.build(folder, deb.wheels(), version, EPOCH_S, deb.QUICK)
    except SystemExit as failed:
        if any(word in str(failed) for word in OFFLINE):
            pytest.skip("no network to fetch the wheels of the package from")
        raise AssertionError(str(failed)) from failed
