"""Firmware images: the archive that a shoe unpacks, what a publisher signs of it, and the file that has both.

File: `sabot firmware 1` and a line feed, the manifest as it is in the frame `update`, the signature, the archive.
Archive: the protocol hash (8 bytes), then for each file: length of its path, path, size (3 bytes), content; then a 0.
The signature (Ed25519) is over `sabot firmware rp2040`, a zero byte and the manifest.
"""

import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from sabot_protocol.fields import HASH_BYTES
from sabot_protocol.inputs import key_pairs
from sabot_protocol.inputs.secret_file import SecretError, read_key
from sabot_protocol.messages import protocol_hash

KEY_NAME: Final = "firmware"
MOST_BYTES: Final = 1 << 18  # a slot has room for more than that
_MAGIC: Final = b"sabot firmware 1\n"
_DOMAIN: Final = b"sabot firmware rp2040\0"
_MANIFEST: Final = struct.Struct(f"<3sI{HASH_BYTES}s32s")
_SIGNATURE_BYTES: Final = 64
_VERSION_BYTES: Final = 3
_LONGEST_PATH: Final = 255
_ID_DIGITS: Final = 16


class ImageError(ValueError):
    """Why an image cannot be used, and the next step."""


@dataclass(frozen=True)
class SignedImage:
    """An image with its publisher's signature, which is not checked before check()."""

    version: bytes
    image_hash: bytes
    archive: bytes = field(repr=False)
    signature: bytes = field(repr=False, default=bytes(_SIGNATURE_BYTES))

    @property
    def sha256(self) -> bytes:
        """The hash of the archive."""
        return sha256(self.archive).digest()

    @property
    def protocol_hash(self) -> bytes:
        """The protocol that the program speaks."""
        return self.archive[:HASH_BYTES]

    @property
    def version_text(self) -> str:
        """The version as people write it."""
        return ".".join(map(str, self.version))

    def manifest(self) -> bytes:
        """Return what is signed, as it is on the wire."""
        return _MANIFEST.pack(self.version, len(self.archive), self.image_hash, self.sha256)

    def update(self, *, allow_older: bool) -> dict[str, Any]:
        """Return the body of the frame `update`."""
        return {
            "allow_older": int(allow_older),
            "version": self.version,
            "length": len(self.archive),
            "image_hash": self.image_hash,
            "sha256": self.sha256,
            "signature": self.signature,
        }

    def check(self, key: "PublisherKey") -> None:
        """Raise ImageError unless the holder of the private key has signed exactly this image."""
        try:
            Ed25519PublicKey.from_public_bytes(key.raw).verify(self.signature, _DOMAIN + self.manifest())
        except InvalidSignature:
            raise ImageError(
                f"the image is not signed with key {key.id}: it was changed, or another publisher signed it; get it "
                "again from its publisher"
            ) from None

    def file_bytes(self) -> bytes:
        """Return the file of the image."""
        return _MAGIC + self.manifest() + self.signature + self.archive


@dataclass(frozen=True)
class PublisherKey:
    """The public key of a publisher of firmware."""

    raw: bytes

    @property
    def id(self) -> str:
        """What people compare."""
        return sha256(b"sabot firmware key " + self.raw).hexdigest()[:_ID_DIGITS]


def make_keys(directory: Path) -> PublisherKey:
    """Write a new pair, firmware.key and firmware.pub, into a directory."""
    return PublisherKey(key_pairs.make(directory, KEY_NAME))


def read_public(path: Path) -> PublisherKey:
    """Return the public key in a file; SecretError with the next step if it cannot be used."""
    make_one = "copy firmware.pub of the firmware's publisher there; `sabot keys firmware DIR` makes it"
    return PublisherKey(key_pairs.read_public(path, make_one))


def sign(image: SignedImage, key_path: Path) -> SignedImage:
    """Return the image with the signature of a private key; SecretError if that cannot be used."""
    raw = read_key(key_path)
    if raw is None:
        raise SecretError(f"{key_path}: no such file; make it with `sabot keys firmware {key_path.parent}`")
    signature = Ed25519PrivateKey.from_private_bytes(raw).sign(_DOMAIN + image.manifest())
    return SignedImage(image.version, image.image_hash, image.archive, signature)


def packed(files: Mapping[str, bytes], protocol: bytes | None = None) -> bytes:
    """Return the archive of the files of a slot."""
    parts = [protocol or protocol_hash()]
    for path in sorted(files):
        name, data = path.encode(), files[path]
        if not 0 < len(name) <= _LONGEST_PATH or len(data) >= 1 << 24:
            raise ImageError(f"{path}: this file does not fit into an archive")
        parts += [bytes([len(name)]), name, len(data).to_bytes(3, "little"), data]
    return b"".join([*parts, b"\0"])


def unpacked(archive: bytes) -> dict[str, bytes]:
    """Return the files in an archive; ImageError if it is none, or if a path leaves the slot."""
    files: dict[str, bytes] = {}
    at = HASH_BYTES
    while at < len(archive) and archive[at]:
        end = at + 1 + archive[at]
        path, size = archive[at + 1 : end].decode(errors="replace"), int.from_bytes(archive[end : end + 3], "little")
        at = end + 3 + size
        if not path.isascii() or path.startswith("/") or ".." in PurePosixPath(path).parts:
            raise ImageError(f"the archive has the path {path!r}; get the image again from its publisher")
        files[path] = archive[end + 3 : at]
    if at != len(archive) - 1:
        raise ImageError("the archive does not end where its last file ends; get the image again from its publisher")
    return files


def parse(data: bytes) -> SignedImage:
    """Return the image in the bytes of a file; ImageError if it is damaged. The signature is not checked."""
    head = len(_MAGIC) + _MANIFEST.size + _SIGNATURE_BYTES
    if not data.startswith(_MAGIC) or len(data) < head:
        raise ImageError("this is no firmware image; `sabot firmware build` makes one")
    version, length, image_hash, digest = _MANIFEST.unpack_from(data, len(_MAGIC))
    image = SignedImage(version, image_hash, data[head:], data[head - _SIGNATURE_BYTES : head])
    if length != len(image.archive) or digest != image.sha256:
        raise ImageError("the image is damaged: its hash is not the one it names; copy it again")
    unpacked(image.archive)
    return image


def read(path: Path) -> SignedImage:
    """Return the image in a file; ImageError if it cannot be read or is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ImageError(f"{path}: {error.strerror}; check the path and who may read it") from None
    if not data or len(data) > MOST_BYTES:
        raise ImageError(f"{path}: this is no firmware image; `sabot firmware build` makes one")
    try:
        return parse(data)
    except ImageError as error:
        raise ImageError(f"{path}: {error}") from None


def version_of(text: str) -> bytes:
    """Return major, minor and patch as bytes; ValueError if the text is not a version."""
    version = bytes(int(part) for part in text.split("."))
    if len(version) != _VERSION_BYTES:
        raise ValueError(f"{text!r} is not a version such as 1.2.3")
    return version
