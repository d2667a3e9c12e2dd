"""Keys: one file a unit, readable by its owner only; a file that others can read, or that is damaged, is not used."""

import re
import stat
from pathlib import Path

from sabot_protocol.inputs.secret_file import SecretError, read_key

_UNIT = re.compile(r"[0-9a-f]{16}")


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
            raise SecretError(f"{old}: an old key, but no {new.name} beside it; put that back, or remove both")
        return [key for key in found if key is not None]

    def _check_directory(self) -> None:
        """Refuse a directory that others can write: they could remove a key, and with it all proof."""
        try:
            mode = self.directory.stat().st_mode
        except OSError as error:
            raise SecretError(
                f"{self.directory}: {error.strerror}; make it with `sabot keys new UNIT --dir {self.directory}`"
            ) from None
        if not stat.S_ISDIR(mode):
            raise SecretError(f"{self.directory}: not a directory; give the one that holds the key files")
        if mode & 0o022:
            raise SecretError(f"{self.directory}: others can write there; chmod 700 {self.directory}")


def _checked(unit: str) -> str:
    if not _UNIT.fullmatch(unit):
        raise SecretError(f"{unit!r} is not a unit id; give its 16 hex digits, as in the log line `shoe connected`")
    return unit
