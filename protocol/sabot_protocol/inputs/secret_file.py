"""Secret file: a key or password for its owner only; one that others can read, or that is damaged, is not used."""

import os
import re
import stat
from pathlib import Path

from sabot_protocol.auth import KEY_BYTES

_HEX = re.compile(rb"[0-9a-fA-F]{%d}\n?" % (2 * KEY_BYTES))
_MOST_BYTES = 256  # of a file, read


class SecretError(Exception):
    """A secret cannot be used; the message has the file, the fact and the next step, and nothing of the secret."""


def read_key(path: Path) -> bytes | None:
    """Return the key in a file, None where there is no file."""
    text = secret(path, _MOST_BYTES)
    if text is not None and not _HEX.fullmatch(text):
        raise SecretError(
            f"{path}: {len(text)} bytes that are not {2 * KEY_BYTES} hex digits and a newline; "
            "put the right file back, or remove it and make a new key with `sabot keys new`"
        )
    return text and bytes.fromhex(text.decode())


def secret(path: Path, most_bytes: int) -> bytes | None:
    """Return what is in a file that only its owner can use, None where there is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SecretError(f"{path}: {error.strerror}; chmod 600 {path}, and let the daemon's user own it") from None
    try:
        _check_owner_only(path, os.fstat(descriptor).st_mode)
        return os.read(descriptor, most_bytes)
    finally:
        os.close(descriptor)


def _check_owner_only(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise SecretError(f"{path}: not a plain file; remove it, and put the right one there")
    if mode & 0o077:
        raise SecretError(
            f"{path}: others than its owner can use it (mode {mode & 0o777:04o}); chmod 600 {path}, "
            "and put a new secret into it if somebody may have seen this one"
        )


def write_new(path: Path, data: bytes) -> None:
    """Create a file that only its owner can use from the first byte; it is on the disk when this returns."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise SecretError(f"{path}: is there already and is not overwritten; remove it or give another path") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink()
        raise
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Make sure that what was created or removed there survives a power cut."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
