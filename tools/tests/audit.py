"""Audit: are pinned versions withdrawn, or known to be vulnerable? Asks the index that pip is configured with.

`make audit`. Status 0: nothing was found. 1: something was. 2: nothing was, but the index does not offer all of it.
"""

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request, urlopen

PINS = Path(__file__).parents[2] / "constraints.txt"
_DEFAULT = re.compile(r"\(default\s+(https?://\S+?/simple)/?\)")  # in the help of pip
_SIMPLE = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
_LINK = re.compile(r"<a\s([^>]*)>([^<]+)</a>")
_YANKED = re.compile(r'data-yanked(?:="([^"]*)")?')
_PIN = re.compile(r"([A-Za-z0-9._-]+)==(\S+)")
_AT_ONCE, _PATIENCE_S = 8, 30.0


class Audit(NamedTuple):
    """What an index has about one version; None: it does not offer that."""

    pin: str
    vulnerabilities: list[str] | None
    yanked: list[str] | None


def index() -> str:
    """Return the index of pip's settings, or the one that pip uses without any."""
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return (os.environ.get("PIP_INDEX_URL") or found or _default()).rstrip("/")


def _default() -> str:
    """Return the index that pip's own help names."""
    asked = [sys.executable, "-m", "pip", "install", "--help"]
    named = _DEFAULT.search(subprocess.run(asked, capture_output=True, text=True, check=False).stdout)
    if named is None:
        sys.exit("audit: pip names no index; set PIP_INDEX_URL to the address of one")
    return named[1]


def pins(text: str) -> list[tuple[str, str]]:
    """Return name and version of each pin."""
    found = (_PIN.match(line) for line in text.splitlines())
    return [(re.sub(r"[-_.]+", "-", pin[1]).lower(), pin[2]) for pin in found if pin]


def fetched(url: str, accept: str) -> tuple[str, bytes]:
    """Return kind and content of a page; a password in the address goes into a header, where no error shows it."""
    parts = urlsplit(url)
    login, _, host = parts.netloc.rpartition("@")
    headers = {"Accept": accept}
    if login:
        headers["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
    with urlopen(Request(urlunsplit(parts._replace(netloc=host)), headers=headers), timeout=_PATIENCE_S) as page:
        return str(page.headers.get_content_type()), page.read()


def vulnerabilities(root: str, name: str, version: str) -> list[str] | None:
    """Return the known vulnerabilities of a version by the JSON API; None where the index has none."""
    try:
        _, page = fetched(f"{root.removesuffix('/simple')}/pypi/{name}/{version}/json", "application/json")
        known: list[dict[str, Any]] = json.loads(page)["vulnerabilities"]
    except (URLError, OSError, ValueError, KeyError, TypeError):
        return None
    return [f"{one['id']}, fixed in {', '.join(one.get('fixed_in', [])) or 'none'}" for one in known]


def yanked(root: str, name: str, version: str) -> list[str] | None:
    """Return why files of a version were withdrawn; None where the index does not have the version."""
    try:
        kind, page = fetched(f"{root}/{name}/", _SIMPLE)
        listed = list(_in_json(page) if kind.endswith("json") else _in_html(page.decode()))
    except (URLError, OSError, ValueError, KeyError, TypeError):
        return None
    reasons = [reason for file, reason in listed if _version(file) == version]
    return sorted({reason or "without a reason" for reason in reasons if reason is not None}) if reasons else None


def _in_json(page: bytes) -> Iterator[tuple[str, str | None]]:
    for file in json.loads(page)["files"]:
        withdrawn = file.get("yanked", False)
        yield file["filename"], None if withdrawn is False else withdrawn if isinstance(withdrawn, str) else ""


def _in_html(page: str) -> Iterator[tuple[str, str | None]]:
    for attributes, file in _LINK.findall(page):
        found = _YANKED.search(attributes)
        yield file.strip(), None if found is None else found[1] or ""


def _version(file: str) -> str:
    """Return the version in the name of a wheel or a source archive."""
    if file.endswith(".whl"):
        return file.split("-")[1]
    return re.sub(r"\.(tar\.gz|tar\.bz2|zip|tgz)$", "", file).rpartition("-")[2]


def audited(root: str, text: str) -> list[Audit]:
    """Return what the index has about every pin."""
    with ThreadPoolExecutor(_AT_ONCE) as several:
        return list(
            several.map(lambda pin: Audit("==".join(pin), vulnerabilities(root, *pin), yanked(root, *pin)), pins(text))
        )


def lines(found: list[Audit]) -> Iterator[str]:
    """Yield what was found, and what could not be asked."""
    for one in found:
        yield from (f"{one.pin}: vulnerable: {what}" for what in one.vulnerabilities or ())
        yield from (f"{one.pin}: withdrawn: {why}" for why in one.yanked or ())
    for what, missing in (
        ("vulnerabilities", [one.pin for one in found if one.vulnerabilities is None]),
        ("withdrawn releases", [one.pin for one in found if one.yanked is None]),
    ):
        asked = len(found) - len(missing)
        names = f" ({', '.join(missing[:5])})" if asked else ""
        yield f"{what}: {asked} of {len(found)} pins checked" + (
            f"; not offered for {len(missing)}{names}" if missing else ""
        )


def main() -> int:
    """Print the audit of constraints.txt; return the status."""
    found = audited(index(), PINS.read_text())
    print("\n".join(lines(found)))
    return status(found)


def status(found: list[Audit]) -> int:
    """Return 0 if nothing was found, 1 if something was, 2 if nothing was but not all could be asked."""
    if any(one.vulnerabilities or one.yanked for one in found):
        return 1
    return 2 if any(one.vulnerabilities is None or one.yanked is None for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
