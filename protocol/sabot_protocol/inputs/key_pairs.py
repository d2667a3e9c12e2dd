"""Key pairs: files of Ed25519 keys, NAME.key for the one who signs and NAME.pub to be copied."""

import os
import re
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from sabot_protocol.inputs.secret_file import SecretError, sync_directory, write_new

_HEX: Final = re.compile(rb"[0-9a-f]{64}\n?")
_MOST_BYTES: Final = 256


def make(directory: Path, name: str) -> bytes:
    """Write a new pair into a directory, the private key for its owner only; both or none. Return the public key."""
    private_path, public_path = directory / f"{name}.key", directory / f"{name}.pub"
    private = Ed25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw()
    if public_path.exists():
        raise SecretError(f"{public_path}: is there already and is not overwritten; remove it or give another path")
    write_new(private_path, private.private_bytes_raw().hex().encode() + b"\n")
    try:
        write_new(public_path, public.hex().encode() + b"\n")
        public_path.chmod(0o644)
    except BaseException:
        private_path.unlink()
        raise
    sync_directory(directory)
    return public


def read_public(path: Path, make_one: str) -> bytes:
    """Return the public key in a file; SecretError with the next step, `make_one`, if it cannot be used."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            text = file.read(_MOST_BYTES)
    except OSError as error:
        raise SecretError(f"{path}: {error.strerror}; {make_one}") from None
    if not _HEX.fullmatch(text or b""):
        raise SecretError(f"{path}: this is no public key of 64 hex digits; {make_one}")
    return bytes.fromhex(text.decode())
