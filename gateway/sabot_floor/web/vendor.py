"""Vendor: fetch the scripts of others again from their npm packages, as static/vendor/vendor.toml names them."""

import hashlib
import io
import json
import sys
import tarfile
import tomllib
import urllib.request
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "static" / "vendor"
_REGISTRY = "https://registry.npmjs.org"
_TIMEOUT_S = 60


def listed() -> list[dict[str, str]]:
    """Return what vendor.toml has of each file."""
    files: list[dict[str, str]] = tomllib.loads((FOLDER / "vendor.toml").read_text())["file"]
    return files


def _package(name: str, version: str) -> bytes:
    with urllib.request.urlopen(f"{_REGISTRY}/{name}/{version}", timeout=_TIMEOUT_S) as answer:
        about: dict[str, Any] = json.load(answer)
    with urllib.request.urlopen(about["dist"]["tarball"], timeout=_TIMEOUT_S) as answer:
        return bytes(answer.read())


def fetch(one: dict[str, str]) -> str:
    """Fetch one file; return what is wrong with it, an empty text if it was written."""
    with tarfile.open(fileobj=io.BytesIO(_package(one["package"], one["version"]))) as archive:
        member = archive.extractfile(f"package/{one['path']}")
        data = member.read() if member is not None else b""
    found = hashlib.sha256(data).hexdigest()
    if found != one["sha256"]:
        return f"{one['name']}: its SHA-256 is {found}, not that of vendor.toml; nothing was written"
    (FOLDER / one["name"]).write_bytes(data)
    return ""


def main() -> None:
    """Fetch all files; exit with status 1 if one is not what vendor.toml has."""
    problems = [problem for one in listed() if (problem := fetch(one))]
    sys.exit("\n".join(problems) or None)


if __name__ == "__main__":
    main()
