"""Journal: every event gets a number that never repeats and stays until it is acknowledged."""

from struct import pack_into, unpack_from

from micropython import const

from sabot.frame import crc16

# A record: event_no, time_ms, kind, size of the body, the body, CRC.
RECORD = const(32)
BODY = const(10)
_CRC_AT = const(30)
_MOST = const(0x3FFFFFFF)
_DAMAGED = const(10)  # the kind of event that stands for one that cannot be read


class Journal:
    """A ring of records on a medium with read(slot, buf) and write(slot, buf)."""

    def __init__(self, medium, slots):
        self._medium = medium
        self._slots = slots
        self.record = bytearray(RECORD)  # stages write an event's body at BODY, then call append()
        self.acked = 0
        self.next_no = 1
        self._recover()

    def _recover(self):
        """Find the newest record after a restart; what the gateway holds it will say itself."""
        for slot in range(self._slots):
            self._medium.read(slot, self.record)
            event_no = unpack_from("<I", self.record, 0)[0]
            if 0 < event_no < _MOST and event_no % self._slots == slot and self._sound(self.record, event_no):
                self.next_no = max(self.next_no, event_no + 1)
        self.acked = self.oldest() - 1

    @staticmethod
    def _sound(record, event_no):
        """The record is of this event, and as it was written."""
        crc = record[_CRC_AT] | record[_CRC_AT + 1] << 8
        number = record[0] | record[1] << 8 | record[2] << 16 | record[3] << 24
        return number == event_no and crc == crc16(record, 0, _CRC_AT)

    def oldest(self):
        """The oldest event that can still be sent."""
        return max(1, self.next_no - self._slots)

    def full(self, margin=8):
        """True while fewer than `margin` events fit before an unacknowledged one would be overwritten."""
        return self.next_no - self.acked > self._slots - margin

    def append(self, now_ms, kind, size):
        """Make the event in record[BODY:] durable."""
        pack_into("<IIBB", self.record, 0, self.next_no, now_ms, kind, size)
        pack_into("<H", self.record, _CRC_AT, crc16(self.record, 0, _CRC_AT))
        self._medium.write(self.next_no % self._slots, self.record)
        self.next_no += 1

    def read(self, event_no, buf):
        """Copy one record into buf; False when it is not, or no longer, there. A damaged one is told as such."""
        if not self.oldest() <= event_no < self.next_no:
            return False
        self._medium.read(event_no % self._slots, buf)
        if not self._sound(buf, event_no):
            pack_into("<IIBB", buf, 0, event_no, 0, _DAMAGED, 0)
        return True

    def acknowledge(self, event_no):
        """The gateway holds everything up to this event; numbers never given out are ignored."""
        if self.acked < event_no < self.next_no:
            self.acked = event_no


class Count:
    """A 16-bit number in one slot of a medium that only goes up."""

    def __init__(self, medium, slot):
        self._medium = medium
        self._slot = slot
        self._stored = bytearray(4)

    def bump(self):
        """The next number, stored before it is used."""
        stored = self._stored
        self._medium.read(self._slot, stored)
        number = (stored[0] | stored[1] << 8) + 1 & 0xFFFF
        pack_into("<H", stored, 0, number)
        self._medium.write(self._slot, stored)
        return number
