"""Tree: the program with everything it needs, as /opt/sabot of a table PC, from files whose hashes are known."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from sabot_tools.package import lock
from sabot_tools.package.lock import ROOT

PREFIX = Path("/opt/sabot")
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
SITE_PACKAGES = PREFIX / "lib" / f"python{PYTHON}" / "site-packages"
_VENV = f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {PYTHON}\n"
_SCRIPT = f"""#!{PREFIX}/bin/python3
import sys

from sabot_tools.cli import main

sys.exit(main())
"""
_WHEEL = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
# Symbols and search paths would carry the directories of this machine into the package.
_BUILD = {"CFLAGS": "-g0", "LDSHARED": "cc -shared -s", "PIP_NO_CACHE_DIR": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def fetch(folder: Path, extra: str) -> None:
    """Fill a folder with the wheels that an extra needs, unless it is there; a file that is not locked is refused."""
    if folder.exists():
        return
    print(f"fetching what sabot[{extra}] needs into {folder.parent} (once)", file=sys.stderr)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as work:
        tools, part = Path(work, "tools"), Path(work, "wheels")
        _pip("install", "--target", tools, "--require-hashes", "-r", lock.path_of(lock.BUILD))
        locked = ("--no-build-isolation", "--require-hashes", "-r", lock.path_of(extra))
        _pip("wheel", "--wheel-dir", part, *locked, environment={**_BUILD, "PYTHONPATH": str(tools)})
        if not folder.exists():
            part.rename(folder)


def own_wheel(folder: Path, epoch_s: int) -> None:
    """Build the wheel of Sabot into a folder."""
    _run([sys.executable, "-c", _WHEEL, folder], {"SOURCE_DATE_EPOCH": str(epoch_s)})


def fill(root: Path, *folders: Path) -> Path:
    """Install the wheels below a root, as a virtual environment of Debian's Python; return site-packages."""
    prefix, packages = root / PREFIX.relative_to("/"), root / SITE_PACKAGES.relative_to("/")
    (prefix / "bin").mkdir(parents=True)
    named = ["==".join(wheel.name.split("-")[:2]) for folder in folders for wheel in sorted(folder.glob("*.whl"))]
    found = [word for folder in folders for word in ("--find-links", folder)]
    _pip("install", "--no-index", "--no-deps", "--no-compile", "--target", packages, *found, *named)
    shutil.rmtree(packages / "bin", ignore_errors=True)  # scripts for the Python of this machine
    (prefix / "pyvenv.cfg").write_text(_VENV)
    (prefix / "bin" / "python3").symlink_to("/usr/bin/python3")
    script = prefix / "bin" / "sabot"
    script.write_text(_SCRIPT)
    script.chmod(0o755)
    return packages


def _pip(*arguments: str | Path, environment: Mapping[str, str] = _BUILD) -> None:
    _run([sys.executable, "-m", "pip", *arguments], environment)


def _run(command: list[str | Path], environment: Mapping[str, str]) -> None:
    """Run a command in the checkout; exit with what it wrote if it fails."""
    everything = {**os.environ, **environment}
    ran = subprocess.run(command, cwd=ROOT, env=everything, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}:\n{ran.stdout}{ran.stderr}")
