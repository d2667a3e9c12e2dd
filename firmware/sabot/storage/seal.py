"""Seal: CRC-16 and a count of zeros, so that a write or an erase that was cut short never passes for a whole one.

A cut leaves ones where zeros should be, nothing else. Then there are fewer zeros than were counted or, where the count
itself is cut, it is too large: the two cannot agree by chance. The CRC detects all other damage.
"""

from micropython import const

from sabot.link.frame import crc16, put_short, short

SEAL = const(4)
# How many of four bits are 0.
_ZEROS = b"\x04\x03\x03\x02\x03\x02\x02\x01\x03\x02\x02\x01\x02\x01\x01\x00"


def close(buf, end):
    """Seal buf[:end] in the four bytes after it."""
    put_short(buf, end, crc16(buf, 0, end))
    put_short(buf, end + 2, _zeros(buf, end + 2))


def sound(buf, end):
    """Return True if buf[:end] is as it was when it was sealed."""
    return short(buf, end + 2) == _zeros(buf, end + 2) and short(buf, end) == crc16(buf, 0, end)


def fell(buf, end):
    """Return True if buf[:end] was sealed and one bit has fallen to 0 since, and set that bit again.

    Such a record has more zeros than were counted; a write that was cut short has fewer.
    """
    if _zeros(buf, end + 2) <= short(buf, end + 2):
        return False
    for bit in range(8 * (end + SEAL)):
        mask = 1 << (bit & 7)
        if not buf[bit >> 3] & mask:
            buf[bit >> 3] |= mask
            if sound(buf, end):
                return True
            buf[bit >> 3] ^= mask
    return False


def _zeros(buf, end):
    """Return how many bits of buf[:end] are 0."""
    zeros = 0
    table = _ZEROS
    for i in range(end):
        byte = buf[i]
        zeros += table[byte >> 4] + table[byte & 15]
    return zeros
