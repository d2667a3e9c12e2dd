"""Store: a few small values that survive a power cut; after a cut each is the old one or the new one.

Sectors are used in turn. Values are written one after the other; the newest of a key counts. When half a sector is
full housekeep() erases the next, copies the newest values, and writes its header last: then that sector is in use.
"""

from micropython import const

from sabot.link.frame import number
from sabot.storage.seal import SEAL, close, fell, sound

SECTORS = const(2)  # on a shoe

# Keys.
BOOTS = const(1)
PROFILE = const(3)
CAUSE = const(4)  # of the next start, where it is known in advance
_KEYS = const(8)  # as many fit, the header included
_HEADER = const(0xF0)

# An entry: key, size, value, seal. Two of them fit a page.
MOST = const(96)
_KEY_AT = const(0)
_SIZE_AT = const(1)
_VALUE_AT = const(2)
_SEAL_AT = const(98)
_SLOT = const(128)
_BLANK = b"\xff" * (_SEAL_AT + SEAL)
_STRUCK = bytes(_SEAL_AT + SEAL)


class Store:
    """Values by key, on a medium as journal.py has it, of two sectors or more."""

    def __init__(self, medium):
        self._medium = medium
        self._slots = medium.sector_bytes // _SLOT
        self._entry = bytearray(_BLANK)
        self._found = bytearray(_BLANK)
        self._number = bytearray(4)
        self._seq = 0
        self._sector = medium.sectors - 1
        self._slot = self._slots
        self.damaged = 0  # headers and entries that were sound once
        self._recover()
        self.housekeep()

    def get(self, key, buf):
        """Copy a value into buf; return its size, -1 if there is none."""
        if not self._find(key):
            return -1
        size = self._found[_SIZE_AT]
        for i in range(size):
            buf[i] = self._found[_VALUE_AT + i]
        return size

    def put(self, key, buf, size):
        """Make a value durable; return False if there is no room before the next housekeep()."""
        self._fill(key, buf, size)
        while self._slot < self._slots:
            slot = self._slot
            self._slot += 1
            if self._write(self._sector, slot, self._entry):
                return True
        return False

    def get_number(self, key):
        """Return a number below 2**30; 0 before it is first put."""
        return number(self._number, 0) if self.get(key, self._number) == 4 else 0

    def put_number(self, key, value):
        """Make a number below 2**30 durable."""
        self._pack(value)
        return self.put(key, self._number, 4)

    def _pack(self, value):
        for i in range(4):
            self._number[i] = value >> 8 * i & 0xFF

    def _fill(self, key, buf, size):
        entry = self._entry
        entry[_KEY_AT] = key
        entry[_SIZE_AT] = size
        for i in range(MOST):
            entry[_VALUE_AT + i] = buf[i] if i < size else 0xFF
        close(entry, _SEAL_AT)

    def _write(self, sector, slot, entry):
        """Program an entry; strike the slot out and return False if it does not read back."""
        at = self._at(sector, slot)
        self._medium.program(at, entry)
        self._medium.read(at, self._found)
        if self._found != entry:
            self._medium.program(at, _STRUCK)
            return False
        return True

    def housekeep(self):
        """Continue in the next sector if half of this one is used; never while a card is in the path."""
        if self._slot > self._slots // 2:
            self._move()

    def _move(self):
        """Copy the newest values to the next sector, and continue there."""
        sector = (self._sector + 1) % self._medium.sectors
        self._medium.program(self._at(sector, 0), _STRUCK)  # an erase that is cut short must not bring it back
        self._medium.erase(sector)
        end = self._copy(sector)
        if end:
            self._seq += 1
            self._pack(self._seq)
            self._fill(_HEADER, self._number, 4)
            if self._write(sector, 0, self._entry):
                self._sector = sector
                self._slot = end

    def _copy(self, sector):
        """Write the newest values to another sector; return the first free slot, 0 if a value does not read back."""
        slot = 1
        for key in range(1, _KEYS):
            if self._find(key):
                for i in range(len(self._entry)):
                    self._entry[i] = self._found[i]
                if not self._write(sector, slot, self._entry):
                    return 0
                slot += 1
        return slot

    def _find(self, key):
        """Load the newest entry of a key; return False if there is none."""
        for slot in range(self._slot - 1, 0, -1):
            if self._load(self._sector, slot, key):
                return True
        return False

    def _recover(self):
        """Find the sector with the newest header; where something is damaged, copy the sound rest at once."""
        for sector in range(self._medium.sectors):
            seq = self._seq_of(sector)
            self.damaged += not seq and self._fell()
            if seq > self._seq:
                self._seq = seq
                self._sector = sector
                self._medium.program(self._at(sector, 0), self._found)
        if self._seq:
            self._slot = self._end()
            self._settle()
            for slot in range(1, self._slot):
                self._medium.read(self._at(self._sector, slot), self._found)
                self.damaged += self._found != _STRUCK and not sound(self._found, _SEAL_AT)
        if self.damaged:
            self._move()

    def _fell(self):
        """Return True if the entry read last was sound and one bit has fallen."""
        return self._found != _BLANK and self._found != _STRUCK and fell(self._found, _SEAL_AT)

    def _settle(self):
        """Make the last write final, done or not: cells that were cut short may read differently every time."""
        last = self._slot - 1
        self._medium.read(self._at(self._sector, last), self._found)
        whole = sound(self._found, _SEAL_AT)
        self.damaged += not whole and self._fell()
        self._medium.program(self._at(self._sector, last), self._found if whole else _STRUCK)
        if self._slot < self._slots:  # a write that was cut at its start may not show yet
            self._medium.program(self._at(self._sector, self._slot), _STRUCK)
            self._slot += 1

    def _seq_of(self, sector):
        """Return the sequence number of a sector, 0 if it has no sound header."""
        return number(self._found, _VALUE_AT) if self._load(sector, 0, _HEADER) else 0

    def _end(self):
        """Return the first slot that was never written."""
        for slot in range(1, self._slots):
            self._medium.read(self._at(self._sector, slot), self._found)
            if self._found == _BLANK:
                return slot
        return self._slots

    def _load(self, sector, slot, key):
        """Read an entry; return True if it is sound and of this key."""
        self._medium.read(self._at(sector, slot), self._found)
        return self._found[_KEY_AT] == key and sound(self._found, _SEAL_AT)

    def _at(self, sector, slot):
        return sector * self._medium.sector_bytes + slot * _SLOT


class Count:
    """A 16-bit number in the store that only goes up."""

    def __init__(self, store, key):
        self._store = store
        self._key = key

    def bump(self):
        """Return the next number, which is stored before it is used."""
        number = self._store.get_number(self._key) + 1 & 0xFFFF
        self._store.put_number(self._key, number)
        return number
