"""Corpus: the kept inputs of a target, one file, one input a line in base64; smallest first."""

from base64 import b64decode, b64encode
from collections.abc import Iterable
from hashlib import sha1
from pathlib import Path

_FOLDER = Path(__file__).parent / "corpus"
_MOST, _MOST_BYTES = 200, 200_000  # of a target


def path(name: str) -> Path:
    """Return the file of a target."""
    return _FOLDER / f"{name}.txt"


def kept(name: str) -> list[bytes]:
    """Return the inputs that are kept for a target."""
    return [b64decode(line) for line in path(name).read_text().splitlines()] if path(name).is_file() else []


def keep(name: str, inputs: Iterable[bytes]) -> int:
    """Replace what is kept by the smallest of these; return how many are kept."""
    chosen, size = list[bytes](), 0
    for one in sorted(set(inputs), key=lambda found: (len(found), found)):
        size += len(one)
        if len(chosen) < _MOST and size <= _MOST_BYTES:
            chosen.append(one)
    path(name).write_text("".join(f"{b64encode(one).decode()}\n" for one in chosen))
    return len(chosen)


def unpack(inputs: Iterable[bytes], folder: Path) -> None:
    """Write inputs as files, as the engine wants them."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in inputs:
        (folder / sha1(one).hexdigest()).write_bytes(one)


def files(folder: Path) -> list[bytes]:
    """Return what is in the files of a folder."""
    return [found.read_bytes() for found in sorted(folder.iterdir())]
