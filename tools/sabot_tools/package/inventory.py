"""Inventory: everything of others in a release, with version, licence and hash."""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement
from sabot_floor.web import vendor
from sabot_sim.chip import uf2

from sabot_tools.package import lock
from sabot_tools.package.lock import normal

OURS = "sabot"
_CLASSIFIER = "License :: OSI Approved :: "
_SPDX = {
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
# Their metadata has no more than "BSD"; the text in their sources is this one.
_BY_TEXT = {"pyserial": "BSD-3-Clause"}


class Item(NamedTuple):
    """One thing of others; `needs` are the names of others that it needs, `included` is False outside the package."""

    name: str
    version: str
    licence: str
    purl: str
    kind: str = "library"
    sha256: str = ""
    needs: tuple[str, ...] = ()
    included: bool = True


def licence_of(distribution: Distribution) -> str:
    """Return the SPDX expression of a distribution; ValueError if its metadata has none that is known here."""
    about: Any = distribution.metadata
    classifiers = [value.removeprefix(_CLASSIFIER) for value in about.get_all("Classifier") or ()]
    candidates = [about.get("License-Expression"), _BY_TEXT.get(normal(about["Name"]))]
    candidates += [_SPDX[value] for value in classifiers if value in _SPDX]
    for candidate in candidates:
        if candidate:
            return str(candidate)
    raise ValueError(f"{about['Name']}: its metadata names no licence that is known; read its text, and add it here")


def of_distributions(site_packages: Path, extra: str, wheels: Path | None = None) -> Iterator[Item]:
    """Yield the distributions that an extra of ours needs, with the hash of the file that each came from."""
    locked = lock.parsed(lock.path_of(extra).read_text())
    found = {normal(one.metadata["Name"]): one for one in distributions(path=[str(site_packages)])}
    for name in sorted(locked):
        one = found[name]
        digest = _hash(locked[name].hashes, wheels) if wheels else ""
        purl = f"pkg:pypi/{name}@{one.version}"
        yield Item(name, one.version, licence_of(one), purl, sha256=digest, needs=needs(one, found))


def needs(distribution: Distribution, others: Iterable[str], extra: str = "") -> tuple[str, ...]:
    """Return which of the others a distribution needs here."""
    wanted = [Requirement(line) for line in distribution.requires or ()]
    here = [one for one in wanted if one.marker is None or one.marker.evaluate({"extra": extra})]
    return tuple(sorted({normal(one.name) for one in here} & {*others}))


def _hash(locked: frozenset[str], wheels: Path) -> str:
    """Return the hash of the wheel that was used; of the source archive if the wheel was built from it."""
    used = {sha256(wheel.read_bytes()).hexdigest() for wheel in wheels.glob("*.whl")} & locked
    return min(used or locked)


def of_pages() -> Iterator[Item]:
    """Yield the scripts that browsers get from the floor service."""
    for one in vendor.listed():
        licence = re.sub(r" \([^)]*\)", "", one["licence"]).replace(", ", " AND ")
        purl = f"pkg:npm/{one['package']}@{one['version']}#{one['path']}"
        yield Item(f"{one['package']} ({one['name']})", one["version"], licence, purl, sha256=one["sha256"])


def of_shoes() -> Iterator[Item]:
    """Yield what runs on the shoe below our firmware; no package has it."""
    purl = f"pkg:github/micropython/micropython@{uf2.VERSION}"
    yield Item("micropython", uf2.VERSION, "MIT", purl, kind="firmware", included=False)


def all_items(site_packages: Path, extra: str, wheels: Path | None = None) -> list[Item]:
    """Return everything, in the order of the lists."""
    return [*of_distributions(site_packages, extra, wheels), *of_pages(), *of_shoes()]
