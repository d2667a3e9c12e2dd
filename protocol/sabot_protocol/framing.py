"""Frames on the wire: COBS with a zero delimiter, CRC-16 after the body, bounded size, every loss counted."""

from binascii import crc_hqx
from dataclasses import dataclass, field

from cobs import cobs

MAX_BODY_BYTES = 128
_MAX_ENCODED_BYTES = MAX_BODY_BYTES + 2 + 1  # CRC and COBS overhead
_CRC_SEED = 0xFFFF


def crc16(data: bytes) -> int:
    """CRC-16/IBM-3740 (CCITT, seed 0xFFFF): "123456789" gives 0x29B1."""
    return crc_hqx(data, _CRC_SEED)


def encode(body: bytes) -> bytes:
    """Return a frame as sent, delimiter included."""
    if len(body) > MAX_BODY_BYTES:
        raise ValueError(f"a frame body of {len(body)} bytes: at most {MAX_BODY_BYTES} fit")
    encoded: bytes = cobs.encode(body + crc16(body).to_bytes(2, "little"))
    return encoded + b"\0"


@dataclass
class Deframer:
    """Bytes in, checked frame bodies out; damaged frames are counted and dropped."""

    crc_errors: int = 0
    cobs_errors: int = 0
    oversize: int = 0
    _partial: bytearray = field(default_factory=bytearray)
    _skipping: bool = False

    @property
    def mid_frame(self) -> bool:
        """True while the end of a frame has not come."""
        return bool(self._partial) or self._skipping

    def feed(self, data: bytes) -> list[bytes]:
        """Return the body of every whole frame that ends in these bytes."""
        *ends, rest = data.split(b"\0")
        if ends and (self._partial or self._skipping):
            ends[0] = self._joined(ends[0])
        bodies = [body for part in ends if part and (body := self._checked(part)) is not None]
        if rest:
            self._keep(rest)
        return bodies

    def _keep(self, part: bytes) -> None:
        """Hold the start of a frame, never more than one frame's worth."""
        if self._skipping:
            return
        self._partial += part
        if len(self._partial) > _MAX_ENCODED_BYTES:
            self.oversize += 1
            self._skipping = True
            self._partial.clear()

    def _joined(self, part: bytes) -> bytes:
        """Return the frame that began in an earlier read and ends with this part; empty if it is too long."""
        self._keep(part)
        encoded = bytes(self._partial)
        self._partial.clear()
        self._skipping = False
        return encoded

    def _checked(self, encoded: bytes) -> bytes | None:
        if len(encoded) > _MAX_ENCODED_BYTES:
            self.oversize += 1
            return None
        try:
            frame: bytes = cobs.decode(encoded)
        except cobs.DecodeError:
            self.cobs_errors += 1
            return None
        body = frame[:-2]
        if not body or crc_hqx(body, _CRC_SEED) != frame[-2] | frame[-1] << 8:
            self.crc_errors += 1
            return None
        return body
