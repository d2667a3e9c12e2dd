"""Files of the pages: all are read at the start, so no path from outside reaches the disk."""

import hashlib
from pathlib import Path
from typing import NamedTuple

_OWN = Path(__file__).parent
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}


class File(NamedTuple):
    """A file as it is sent."""

    body: bytes
    kind: str
    tag: str  # of its content: a browser that has it asks no more


def make(body: bytes, suffix: str) -> File:
    """Return a file of these bytes."""
    return File(body, _TYPES[suffix], f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def pages() -> dict[str, File]:
    """Return the pages by name."""
    return {path.stem: make(path.read_bytes(), ".html") for path in (_OWN / "pages").glob("*.html")}


def static() -> dict[str, File]:
    """Return the other files by their path below /static/."""
    root = _OWN / "static"
    found = (path for path in root.rglob("*") if path.is_file() and path.suffix in _TYPES)
    return {path.relative_to(root).as_posix(): make(path.read_bytes(), path.suffix) for path in found}
