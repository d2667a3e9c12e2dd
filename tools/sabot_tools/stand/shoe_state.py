"""The directory that keeps a simulated shoe between two runs: its flash and the cards that are still in it."""

import fcntl
import os
import time
from pathlib import Path

import msgspec
from sabot_sim.rigs import slot_shoe

DEFAULT_UNIT = "5ab0000000000001"
_FILE, _LOCK, _KEY = "table.json", "lock", "key.bin"
_LOCK_WITHIN_S, _AGAIN_S = 2.0, 0.02


class StateError(RuntimeError):
    """The directory cannot be used; the message gives the reason and the next step."""


class TableState(msgspec.Struct, kw_only=True):
    """The cards of the table; the shoe's own log is in its flash."""

    unit: str
    shoes: int = 0  # shoes dealt so far: seeds the next shuffle
    stack: list[str] = []  # still in the shoe
    drawn: list[str] = []
    hands: dict[int, dict[str, str]] = {}  # cards on the table, by coup
    shown_no: int = 0  # the last event that was printed


class StateDir:
    """Locks the directory for one shoe; the firmware keeps its flash there too."""

    def __init__(
        self, path: Path, unit: str | None = None, key: bytes | None = None, publisher: bytes | None = None
    ) -> None:
        """`publisher`: the key of its firmware; a shoe that got one has slots from then on."""
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            self.lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StateError(
                f"--state {path}: {error.strerror}; choose a directory where you can create files"
            ) from error
        try:
            self._begin(unit, key, publisher)
        except BaseException:
            self.close()
            raise

    def _begin(self, unit: str | None, key: bytes | None, publisher: bytes | None) -> None:
        self._take_lock()
        self.table = self._read() or TableState(unit=unit or DEFAULT_UNIT)
        if unit not in (None, self.table.unit):
            raise StateError(
                f"--state {self.path} belongs to unit {self.table.unit}, not {unit}; leave --unit out, or choose "
                "another directory"
            )
        if key is not None:
            descriptor = os.open(self.path / _KEY, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(key)
        if publisher is not None:
            slot_shoe.prepare(self.path, publisher)
        self.takes_firmware = slot_shoe.has_slots(self.path)

    def _take_lock(self) -> None:
        """Take the lock; wait a moment, for the firmware of a shoe that was just killed may still hold it."""
        give_up_s = time.monotonic() + _LOCK_WITHIN_S
        while True:
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > give_up_s:
                    why = "another shoe is running there; give each shoe its own directory"
                    raise StateError(f"--state {self.path}: {why}") from None
                time.sleep(_AGAIN_S)
            else:
                return

    def _read(self) -> TableState | None:
        file = self.path / _FILE
        try:
            return msgspec.json.decode(file.read_bytes(), type=TableState)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise StateError(f"{file}: {error}; remove the directory to start with a new shoe") from error

    def save(self) -> None:
        """Write the cards; a crash meanwhile leaves the previous file."""
        new = self.path / f"{_FILE}.new"
        new.write_bytes(msgspec.json.encode(self.table))
        new.replace(self.path / _FILE)

    def close(self) -> None:
        """Release the lock."""
        os.close(self.lock)
