"""Keys: one file a unit, readable by its owner only; a file that others can read, or that is damaged, is not used."""

import os
import re
import stat
from pathlib import Path

from sabot_protocol.auth import KEY_BYTES

_UNIT = re.compile(r"[0-9a-f]{16}")
_HEX = re.compile(rb"[0-9a-fA-F]{%d}\n?" % (2 * KEY_BYTES))
_MOST_BYTES = 256  # of a file, read


class KeysError(Exception):
    """A key cannot be used; the message has the file, the fact and the next step, and nothing of the key."""


class KeyRing:
    """A directory of UNIT.key and, while a rotation is under way, UNIT.old.key: 64 hex digits, mode 0600."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __repr__(self) -> str:
        """Return where the keys are, never what they are."""
        return f"KeyRing({str(self.directory)!r})"

    def path(self, unit: str) -> Path:
        """Return where the unit's key is."""
        return self.directory / f"{_checked(unit)}.key"

    def old_path(self, unit: str) -> Path:
        """Return where the key before is, until its rotation is finished."""
        return self.directory / f"{_checked(unit)}.old.key"

    def units(self) -> list[str]:
        """Return every unit that has a file here."""
        self._check_directory()
        names = {path.name.split(".")[0] for path in self.directory.glob("*.key")}
        return sorted(name for name in names if _UNIT.fullmatch(name))

    def keys(self, unit: str) -> list[bytes]:
        """Return the unit's keys, newest first; none for a unit without a file."""
        new, old = self.path(unit), self.old_path(unit)
        self._check_directory()
        found = [read_key(path) for path in (new, old)]
        if found[0] is None and found[1] is not None:
            raise KeysError(f"{old}: an old key, but no {new.name} beside it; put that back, or remove both")
        return [key for key in found if key is not None]

    def _check_directory(self) -> None:
        """Refuse a directory that others can write: they could remove a key, and with it all proof."""
        try:
            mode = self.directory.stat().st_mode
        except OSError as error:
            raise KeysError(
                f"{self.directory}: {error.strerror}; make it with `sabot keys new UNIT --dir {self.directory}`"
            ) from None
        if not stat.S_ISDIR(mode):
            raise KeysError(f"{self.directory}: not a directory; give the one that holds the key files")
        if mode & 0o022:
            raise KeysError(f"{self.directory}: others can write there; chmod 700 {self.directory}")


def _checked(unit: str) -> str:
    if not _UNIT.fullmatch(unit):
        raise KeysError(f"{unit!r} is not a unit id; give its 16 hex digits, as in the log line `shoe connected`")
    return unit


def read_key(path: Path) -> bytes | None:
    """Return the key in a file, None where there is no file."""
    text = secret(path, _MOST_BYTES)
    if text is not None and not _HEX.fullmatch(text):
        raise KeysError(
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
        raise KeysError(f"{path}: {error.strerror}; chmod 600 {path}, and let the gateway's user own it") from None
    try:
        _check_owner_only(path, os.fstat(descriptor).st_mode)
        return os.read(descriptor, most_bytes)
    finally:
        os.close(descriptor)


def _check_owner_only(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise KeysError(f"{path}: not a plain file; remove it, and put the right one there")
    if mode & 0o077:
        raise KeysError(
            f"{path}: others than its owner can use it (mode {mode & 0o777:04o}); chmod 600 {path}, "
            "and put a new secret into it if somebody may have seen this one"
        )


def write_new(path: Path, data: bytes) -> None:
    """Create a file that only its owner can use from the first byte; it is on the disk when this returns."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise KeysError(f"{path}: is there already and is not overwritten; remove it or give another path") from None
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
