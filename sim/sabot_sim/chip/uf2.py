"""The MicroPython image of the emulated chip: where it is searched, how it is checked, where it is downloaded from.

`python -m sabot_sim.chip.uf2 [URL]` prints which one is used; without one it downloads the official one to the cache.
"""

import os
import ssl
import struct
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from typing import Final

from sabot_sim.rigs.rig import BenchError

VERSION: Final = "v1.25.0"
OFFICIAL_URL: Final = f"https://micropython.org/resources/firmware/RPI_PICO-20250415-{VERSION}.uf2"
HOW_TO_GET_UF2: Final = (
    "no MicroPython image for the emulated chip: `make image` downloads one; or download RPI_PICO-*.uf2 from "
    "micropython.org/download/RPI_PICO into ~/.cache/sabot/, or set SABOT_UF2 to its path"
)
RP2040_FAMILY: Final = 0xE48BFF56

_BLOCK: Final = 512
_MAGIC: Final = (0x0A324655, 0x9E5D5157)
_MAGIC_END: Final = 0x0AB16F30
_HAS_FAMILY: Final = 0x2000
_HEADER: Final = struct.Struct("<8I")
_PAYLOAD_MOST: Final = 476
_BANNER: Final = b"MicroPython "
_MOST_BYTES: Final = 4 << 20  # a UF2 file is twice as large as a Pico's flash
_CHUNK: Final = 65536


class Uf2Error(BenchError):
    """Not an image that the chip can run, or the download failed; the message says why."""


# Search


def cache_dir() -> Path:
    """Return the folder that keeps downloaded images."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "sabot"


def find_uf2(given: str | None = None) -> Path | None:
    """Return an image: the path given, SABOT_UF2, the newest in the cache, one beside the project, or None."""
    named = given or os.environ.get("SABOT_UF2")
    if named:
        if not Path(named).is_file():
            raise BenchError(f"no file {named}: give the path of a MicroPython .uf2 for the Raspberry Pi Pico")
        return Path(named)
    beside = Path(__file__).resolve().parents[4] / "shared" / "rp2040"
    for folder in (cache_dir(), beside):
        found = sorted(folder.glob("*.uf2"))
        if found:
            return found[-1]
    return None


# Check


def payload(data: bytes) -> bytes:
    """Return what a UF2 of the RP2040's family writes to flash; Uf2Error if it is not one."""
    if not data or len(data) % _BLOCK:
        raise Uf2Error(f"{len(data)} bytes are not whole blocks of {_BLOCK}: the file is truncated or not UF2")
    return b"".join(content for _, content in blocks(data))


def blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield what each block of a UF2 writes, and to which address; Uf2Error if one is not for the RP2040."""
    count = len(data) // _BLOCK
    for number in range(count):
        yield _content(data[number * _BLOCK :][:_BLOCK], number, count)


def _content(block: bytes, number: int, count: int) -> tuple[int, bytes]:
    magic, second, flags, address, size, own_number, own_count, family = _HEADER.unpack_from(block)
    if (magic, second) != _MAGIC or int.from_bytes(block[-4:], "little") != _MAGIC_END or size > _PAYLOAD_MOST:
        raise Uf2Error(f"block {number} is not UF2")
    if not flags & _HAS_FAMILY or family != RP2040_FAMILY:
        raise Uf2Error(f"block {number} is for the family {family:#010x}; the RP2040 is {RP2040_FAMILY:#010x}")
    if (own_number, own_count) != (number, count):
        raise Uf2Error(f"block {number} of {count} is numbered {own_number} of {own_count}: the file is truncated")
    return address, block[_HEADER.size : _HEADER.size + size]


def version_in(data: bytes) -> str:
    """Return the MicroPython version of an image, such as `v1.25.0`."""
    found = payload(data).partition(_BANNER + b"v")[2][:20].split(b" ")[0]
    if not found:
        raise Uf2Error("it contains no MicroPython")
    return f"v{found.decode(errors='replace')}"


# Download


@dataclass(frozen=True)
class Patience:
    """How long a download may take: between two bytes, in all, and before each retry."""

    silence_s: float = 20.0
    whole_s: float = 120.0
    pauses_s: Sequence[float] = (1.0, 3.0)


def fetch(url: str, folder: Path, patience: Patience, context: ssl.SSLContext | None = None) -> Path:
    """Download the image at this address into a folder; the file is whole and checked, or does not exist."""
    try:
        data = _tried(url, patience, context)
        found = version_in(data)
    except (OSError, HTTPException, Uf2Error) as error:
        raise Uf2Error(f"{url}: {getattr(error, 'reason', None) or error or type(error).__name__}") from error
    if found != VERSION:
        raise Uf2Error(f"{url}: it is MicroPython {found}, not {VERSION}")
    return _kept(data, folder, url.rsplit("/", 1)[-1])


def _kept(data: bytes, folder: Path, name: str) -> Path:
    """Write the file under its name when it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as beside:
        part = Path(beside, name)
        part.write_bytes(data)
        return part.replace(folder / name)


def _tried(url: str, patience: Patience, context: ssl.SSLContext | None) -> bytes:
    """Return a UF2; retry failures that may be temporary."""
    for pause_s in patience.pauses_s:
        try:
            return _downloaded(url, patience, context)
        except (OSError, HTTPException, Uf2Error) as error:
            if _final(error):
                raise
        time.sleep(pause_s)
    return _downloaded(url, patience, context)


def _final(error: Exception) -> bool:
    """Return True if a retry cannot help."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code < 500
    return isinstance(getattr(error, "reason", None), ssl.SSLCertVerificationError)


def _downloaded(url: str, patience: Patience, context: ssl.SSLContext | None) -> bytes:
    end_s, data = time.monotonic() + patience.whole_s, b""
    with urllib.request.urlopen(url, timeout=patience.silence_s, context=context) as response:
        if url.startswith("https:") and not response.url.startswith("https:"):
            raise Uf2Error(f"it redirects to {response.url}, which is not HTTPS")
        while chunk := response.read1(_CHUNK):
            data += chunk
            if len(data) > _MOST_BYTES:
                raise Uf2Error(f"more than {_MOST_BYTES} bytes: this is not an image of a Pico")
            if time.monotonic() > end_s:
                raise TimeoutError(f"{len(data)} bytes in {patience.whole_s:.0f} s, and not complete")
    payload(data)
    return data


# Command line


def main(url: str) -> int:
    """Print which image is used; download one if there is none. Without a network the tests run without it."""
    try:
        path = find_uf2()
        if path is None:
            print(f"no MicroPython image found: downloading {url}", flush=True)
            path = fetch(url, cache_dir(), Patience())
    except (Uf2Error, OSError) as error:
        print(f"{error}\n{HOW_TO_GET_UF2}", file=sys.stderr)
        return 0
    except BenchError as error:
        print(error, file=sys.stderr)
        return 1
    return _say(path)


def _say(path: Path) -> int:
    data = path.read_bytes()
    try:
        print(f"emulated RP2040: MicroPython {version_in(data)}, {path}, SHA-256 {sha256(data).hexdigest()}")
    except Uf2Error as error:
        print(f"{path}: {error}; remove it, or set SABOT_UF2 to another", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else OFFICIAL_URL))
