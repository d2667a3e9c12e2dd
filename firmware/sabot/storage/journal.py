"""Journal: gives every event a number that never repeats, and keeps it until it is acknowledged.

A ring of flash sectors. A sector has a header, written after its erase, then slots that fill in turn. A slot whose
write was cut short is struck out and the next one is used, so numbers have no gaps. README.md has the rest.
"""

from array import array
from struct import pack_into, unpack_from

from micropython import const

from sabot import wire
from sabot.link.frame import number
from sabot.storage.seal import close, fell, sound

SECTORS = const(22)  # on a shoe: 2220 events stay, whatever is erased

# A record, as RECORD_… of wire.py has it, and its seal. A slot that was struck out has kind 0.
RECORD = const(32)
_SEAL_AT = const(30)
_HIGH_BYTE = const(3)  # of the event number
_MOST_HIGH_BYTE = const(0x3F)  # the highest byte of a number below 2**30

_PAGE = const(256)  # what the flash programs at once
_SLOT = const(36)  # a record and its seal
_SLOTS_A_PAGE = const(7)
_BLANK = b"\xff" * _SLOT
_STRUCK = bytes(_SLOT)

# A header: seq, acked, next_no, seal; then the mark of a sector that is about to be erased.
_HEADER = const(16)
_HEADER_FORMAT = const("<III")
_HEADER_SEAL_AT = const(12)
_MARK_AT = const(16)
_MARK = bytes(16)
_NO_MARK = b"\xff" * 16


class Journal:
    """The ring on a medium that has read(at, buf), program(at, buf), erase(sector), `sectors` and `sector_bytes`.

    One class because writing, reading and recovery work on the same position in the ring.
    """

    def __init__(self, medium):
        self._medium = medium
        self._slots = medium.sector_bytes // _PAGE * _SLOTS_A_PAGE  # of a sector; the first is its header
        self._first = array("I", bytes(4 * medium.sectors))  # the first event of every sector, 0 if it has none
        self.record = bytearray(_BLANK)  # an event's data go to RECORD_DATA, then append() is called
        self._found = bytearray(_SLOT)
        self._header = bytearray(_HEADER)
        self._mark = bytearray(len(_MARK))
        self._sector = 0  # the one in use
        self._slot = 0  # the next in it
        self._clean = 0  # sectors after it that are erased
        self._seq = 0  # of the sector erased last
        self._oldest = 1
        self.acked = 0
        self.next_no = 1
        self.keep_no = 1 << 29  # events from here on stay, acknowledged or not
        self.lost = 0  # events that found no room
        self.worn = 0  # sectors that have events and no sound header
        self._recover()
        self._begun = self._room() > 0  # a write that was cut at its start may not show yet
        if self.next_no == 1:  # else keep_no must be set first
            self.housekeep()

    def oldest(self):
        """Return the oldest event that can still be read; the next one where there is none."""
        return self._oldest

    def capacity(self):
        """Return how many events it holds, whatever is erased."""
        return (self._medium.sectors - 2) * (self._slots - 1)

    def full(self, margin=8):
        """Return True if fewer than `margin` events fit: the rest is unacknowledged, or waits for housekeep()."""
        return self._room() < margin

    def _room(self):
        return self._slots - self._slot + self._clean * (self._slots - 1)

    def append(self, now_ms, kind, size):
        """Make the event whose data are in `record` durable; count it as lost if there is no room at all."""
        pack_into(wire.RECORD_FORMAT, self.record, 0, self.next_no, now_ms, kind, size)
        close(self.record, _SEAL_AT)
        while self._room():
            if self._write():
                self.next_no += 1
                return
        self.lost += 1

    def _write(self):
        """Program the record into the next slot; strike the slot out and return False if it does not read back."""
        at = self._next_slot()
        self._medium.program(at, self.record)
        self._medium.read(at, self._found)
        if self._found != self.record:
            self._medium.program(at, _STRUCK)
            return False
        if not self._first[self._sector]:
            self._first[self._sector] = self.next_no
        return True

    def _next_slot(self):
        """Take a slot, in the next sector if this one is full, and return its address. There must be room."""
        if self._slot == self._slots:
            self._sector = self._after(self._sector)
            self._slot = 1
            self._clean = 0
        self._slot += 1
        return self._at(self._sector, self._slot - 1)

    def read(self, event_no, buf):
        """Copy one record into buf; False if it is not there. A record that cannot be read becomes a damaged event."""
        if not self._oldest <= event_no < self.next_no:
            return False
        if self._find(event_no):
            for i in range(RECORD):
                buf[i] = self._found[i]
        else:
            pack_into(wire.RECORD_FORMAT, buf, 0, event_no, 0, wire.EV_DAMAGED, 0)
        return True

    def _find(self, event_no):
        """Load a record; every slot struck out before it moves it one slot on."""
        sector = self._sector_of(event_no)
        for slot in range(1 + event_no - self._first[sector], self._slots):
            event = self._load(sector, slot)
            if event >= event_no:
                return event == event_no
        return False

    def _sector_of(self, event_no):
        sector = self._sector
        while not 0 < self._first[sector] <= event_no:
            sector = self._before(sector)
        return sector

    def acknowledge(self, event_no):
        """Note that the gateway holds every event up to this one; ignore numbers that were never given out."""
        if self.acked < event_no < self.next_no:
            self.acked = event_no

    def housekeep(self):
        """Erase the next sector if that is due and nothing in it is needed; never while a card is in the path."""
        sector = self._after(self._sector)
        if not self._clean and self._spent(sector):
            self._prepare(sector)
        if self._begun and not self.full():
            self._begun = False
            self._medium.program(self._next_slot(), _STRUCK)

    def _prepare(self, sector):
        self._first[sector] = 0
        self._oldest = self._oldest_from(self._after(sector))
        self._medium.program(self._at(sector, 0) + _MARK_AT, _MARK)
        self._medium.erase(sector)
        self._seq += 1
        pack_into(_HEADER_FORMAT, self._header, 0, self._seq, self.acked, self.next_no)
        close(self._header, _HEADER_SEAL_AT)
        self._medium.program(self._at(sector, 0), self._header)
        self._clean = 1

    def _spent(self, sector):
        """Return True if nothing in the oldest sector is needed any more."""
        return not self._first[sector] or self._oldest_from(self._after(sector)) <= min(self.acked + 1, self.keep_no)

    def _oldest_from(self, sector):
        """Return the first event in this sector or one after it, up to the one in use."""
        for _ in range(self._medium.sectors):
            if self._first[sector] or sector == self._sector:
                break
            sector = self._after(sector)
        return self._first[sector] or self.next_no

    def _recover(self):
        """Find everything after a restart; the gateway reports itself what it holds by now."""
        newest = self._newest()
        self._open(newest)
        self._clean = 0
        if self._slot == 1:  # it waits to be used
            self._open(self._before(newest))
            self._clean = 1
        self._settle()
        waiting = self._after(newest)
        for sector in range(self._medium.sectors):
            self._first[sector] = self._first_event(sector)
        if not self._in_use(waiting):  # its erase has begun
            self._first[waiting] = 0
        for sector in range(self._medium.sectors):
            self.worn += self._first[sector] > 0 and not self._in_use(sector)
        self.next_no = max(self.next_no, self._last_event() + 1)
        self._oldest = self._oldest_from(waiting)
        self.acked = max(self.acked, self._oldest - 1)

    def _newest(self):
        """Return the sector erased last; its header also has the numbers and acknowledgements of that time."""
        newest = self._medium.sectors - 1
        for sector in range(self._medium.sectors):
            if self._in_use(sector):
                seq, acked, next_no = unpack_from(_HEADER_FORMAT, self._header, 0)
                self.acked = max(self.acked, acked)
                self.next_no = max(self.next_no, next_no)
                if seq > self._seq:
                    self._seq = seq
                    newest = sector
                    self._medium.program(self._at(sector, 0), self._header)  # see _settle
        return newest

    def _in_use(self, sector):
        """Load the header; return True if the sector was wholly erased and its next erase has not begun."""
        at = self._at(sector, 0)
        self._medium.read(at, self._header)
        self._medium.read(at + _MARK_AT, self._mark)
        return sound(self._header, _HEADER_SEAL_AT) and self._mark == _NO_MARK

    def _open(self, sector):
        """Continue in this sector after its last written slot; one without a header takes no more."""
        self._sector = sector
        self._slot = self._end(sector) if self._in_use(sector) else self._slots

    def _end(self, sector):
        """Return the first slot that was never written."""
        for slot in range(1, self._slots):
            self._medium.read(self._at(sector, slot), self._found)
            if self._found == _BLANK:
                return slot
        return self._slots

    def _settle(self):
        """Make the last write final, done or not: cells that were cut short may read differently every time."""
        last = self._slot - 1
        if not last:
            return
        if self._load(self._sector, last):
            self._medium.program(self._at(self._sector, last), self._found)
        elif self._found != _STRUCK and fell(
            self._found, _SEAL_AT
        ):  # it was whole once, and may have been sent: its number is used
            self.next_no = max(self.next_no, number(self._found, wire.RECORD_EVENT_NO) + 1)
        else:
            self._medium.program(self._at(self._sector, last), _STRUCK)

    def _first_event(self, sector):
        """Return the first event of a sector, 0 if it has none; a damaged one before readable ones counts too."""
        damaged = 0
        for slot in range(1, self._slots):
            event = self._load(sector, slot)
            if event or self._found == _BLANK:
                return max(0, event - damaged)
            damaged += self._found != _STRUCK
        return 0

    def _last_event(self):
        sector = self._sector
        for _ in range(self._medium.sectors):
            if self._first[sector]:
                break
            sector = self._before(sector)
        for slot in range(self._slots - 1, 0, -1):
            event = self._load(sector, slot)
            if event:
                return event
        return 0

    def _load(self, sector, slot):
        """Read a slot; return the number of its event, 0 if it has no sound one."""
        found = self._found
        self._medium.read(self._at(sector, slot), found)
        if not found[wire.RECORD_KIND] or found[_HIGH_BYTE] > _MOST_HIGH_BYTE or not sound(found, _SEAL_AT):
            return 0
        return number(found, wire.RECORD_EVENT_NO)

    def _at(self, sector, slot):
        return sector * self._medium.sector_bytes + slot // _SLOTS_A_PAGE * _PAGE + slot % _SLOTS_A_PAGE * _SLOT

    def _after(self, sector):
        return (sector + 1) % self._medium.sectors

    def _before(self, sector):
        return (sector - 1) % self._medium.sectors
