"""A firmware image as its publisher makes it: the files of a slot, packed and signed."""

from collections.abc import Mapping
from pathlib import Path

from sabot_protocol.firmware import SignedImage, packed, sign

from sabot_sim.rigs import build


def signed_image(
    key: Path, files: Mapping[str, bytes] | None = None, version: bytes | None = None, protocol: bytes | None = None
) -> SignedImage:
    """Return these files, or those of a shoe, with the signature of a private key."""
    files = files or build.slot_image()
    image = SignedImage(version or build.firmware_version(), files["image.bin"], packed(files, protocol))
    return sign(image, key)
