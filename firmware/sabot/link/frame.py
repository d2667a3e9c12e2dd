"""Frame: CRC-16 and COBS, both ways, in buffers that exist once."""

from array import array

from micropython import const

from sabot import wire

_CRC_BYTES = const(2)
_MAX_FRAME = wire.MAX_BODY_BYTES + _CRC_BYTES
_CRC_SEED = const(0xFFFF)


def _crc_table():
    table = array("H", bytes(512))
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
        table[byte] = crc
    return table


_CRC = _crc_table()


def short(buf, at):
    """Return the 16-bit number at an offset of a frame or a record."""
    return buf[at] | buf[at + 1] << 8


def put_short(buf, at, value):
    """Write a 16-bit number at an offset of a frame or a record."""
    buf[at] = value & 0xFF
    buf[at + 1] = value >> 8


def number(buf, at):
    """Return the 32-bit number at an offset, of which 30 bits are ever sent or kept."""
    return short(buf, at) | buf[at + 2] << 16 | (buf[at + 3] & 0x3F) << 24


def crc16(buf, start, end):
    """Return the CRC-16/IBM-3740 of buf[start:end]."""
    crc = _CRC_SEED
    table = _CRC
    for i in range(start, end):
        crc = (crc << 8 & 0xFFFF) ^ table[crc >> 8 ^ buf[i]]
    return crc


def encode(body, size, out, at):
    """Write body[:size] with its CRC as one frame into out[at:] and return its end; body has room for the CRC."""
    put_short(body, size, crc16(body, 0, size))
    code_at = at
    at += 1
    code = 1
    for i in range(size + _CRC_BYTES):
        byte = body[i]
        if byte:
            out[at] = byte
            at += 1
            code += 1
        else:
            out[code_at] = code
            code_at = at
            at += 1
            code = 1
    out[code_at] = code
    out[at] = 0
    return at + 1


class Decoder:
    """Takes bytes one by one; damaged frames are counted in `errors`."""

    def __init__(self):
        self.body = bytearray(_MAX_FRAME)
        self.errors = 0
        self._start()

    def _start(self):
        self._size = 0
        self._left = 0  # bytes until the next code byte
        self._zero = False  # a zero comes before the next block
        self._bad = False
        self._begun = False

    def feed(self, byte):
        """Take one byte; return the size of the sound frame body that it completes in `body`, else 0."""
        if byte == 0:
            return self._finish()
        self._begun = True
        if self._bad:
            return 0
        if self._left:
            self._left -= 1
            self._put(byte)
            return 0
        if self._zero:
            self._put(0)
        self._left = byte - 1
        self._zero = byte != 0xFF
        return 0

    def _put(self, byte):
        if self._size == _MAX_FRAME:
            self._bad = True
            return
        self.body[self._size] = byte
        self._size += 1

    def _finish(self):
        size = self._size - _CRC_BYTES
        begun = self._begun
        good = not self._bad and not self._left and size > 0
        if good:
            good = crc16(self.body, 0, size) == short(self.body, size)
        self._start()
        if begun and not good:
            self.errors = self.errors + 1 & 0xFFFF
        return size if good else 0
