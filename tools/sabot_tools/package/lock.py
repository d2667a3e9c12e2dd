"""Lock: what a daemon needs, each version as constraints.txt has it, with the hashes of the files of every platform.

`python -m sabot_tools.package.lock` writes gateway/package/requirements-*.txt; `make lock` does that.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "gateway" / "package"
EXTRAS = ("gateway", "floor")
BUILD = "build"  # not an extra: what builds a distribution that has no wheel
_PYTHONS = ("3.11", "3.12", "3.13")
_MACHINES = ("x86_64", "aarch64")
_LIBRARIES = ("2_17", "2_28", "2_34")  # of glibc, that a wheel is built for
_HEAD = "# Written by `make lock`: what {what} needs, with the hashes of its files.\n"


class Pinned(NamedTuple):
    """One distribution: its name as the index writes it, its version, and the SHA-256 of each file that may be used."""

    name: str
    version: str
    hashes: frozenset[str]


def path_of(extra: str) -> Path:
    """Return the file for an extra of pyproject.toml."""
    return FOLDER / f"requirements-{extra}.txt"


def text(extra: str, pinned: Iterable[Pinned]) -> str:
    """Return the file: one distribution after another, as pip reads it."""
    what = "the build of a distribution without a wheel" if extra == BUILD else f"sabot[{extra}]"
    return _HEAD.format(what=what) + "".join(_lines(one) for one in sorted(pinned, key=lambda one: one.name.lower()))


def _lines(one: Pinned) -> str:
    hashes = "".join(f" \\\n    --hash=sha256:{value}" for value in sorted(one.hashes))
    return f"{one.name}=={one.version}{hashes}\n"


def parsed(content: str) -> dict[str, Pinned]:
    """Return what such a file has, by the normal form of each name."""
    found = {}
    for line in content.replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            requirement, *hashes = line.split()
            name, _, version = requirement.partition("==")
            values = frozenset(value.removeprefix("--hash=sha256:") for value in hashes)
            found[normal(name)] = Pinned(name, version, values)
    return found


def normal(name: str) -> str:
    """Return a distribution's name as indexes compare it."""
    return name.lower().replace("_", "-").replace(".", "-")


def _resolve(extra: str) -> list[str]:
    """Return every distribution that an extra needs on this machine, as name==version."""
    wanted = "setuptools" if extra == BUILD else f".[{extra}]"
    report = _report("--constraint", "constraints.txt", wanted)
    return [f"{one['metadata']['name']}=={one['metadata']['version']}" for one in report if not one["is_direct"]]


def _report(*arguments: str) -> list[dict[str, Any]]:
    """Return what pip would install."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    ran = subprocess.run([*pip, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"pip {' '.join(arguments)}: {ran.stderr}")
    found: list[dict[str, Any]] = json.loads(ran.stdout)["install"]
    return found


def _files(requirements: list[str], python: str, machine: str) -> Iterable[Pinned]:
    """Yield the one file of each that pip takes on another machine."""
    platforms = [word for library in _LIBRARIES for word in ("--platform", f"manylinux_{library}_{machine}")]
    target = ["--target", "unused", "--python-version", python, "--no-deps"]
    for one in _report(*target, *platforms, *requirements):
        digest = one["download_info"]["archive_info"]["hashes"]["sha256"]
        yield Pinned(one["metadata"]["name"], one["metadata"]["version"], frozenset({digest}))


def pins(requirements: list[str]) -> list[Pinned]:
    """Return each with the files that any of our platforms takes."""
    found: dict[str, Pinned] = {}
    for python in _PYTHONS:
        for machine in _MACHINES:
            for one in _files(requirements, python, machine):
                before = found.get(one.name)
                found[one.name] = one._replace(hashes=one.hashes | before.hashes) if before else one
    return list(found.values())


def main() -> None:
    """Write the file of each extra."""
    platforms = len(_PYTHONS) * len(_MACHINES)
    for extra in (*EXTRAS, BUILD):
        print(f"asking the index for the files of {path_of(extra).name} on {platforms} platforms (up to 2 minutes)")
        path_of(extra).write_text(text(extra, pins(_resolve(extra))))
        print(f"wrote {path_of(extra).relative_to(ROOT)}")


if __name__ == "__main__":
    main()
