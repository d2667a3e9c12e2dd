"""A session between shoe and gateway: keys of both directions, rising numbers."""

from dataclasses import dataclass

from independent import wire


@dataclass
class Session:
    """Keys are None where shoe and gateway share none."""

    gateway: bytes
    shoe_nonce: bytes
    send_key: bytes | None = None
    take_key: bytes | None = None
    seq: int = 0  # of the next frame
    taken: int = -1  # of the last frame
    refused: int = 0

    def pack(self, kind: int, time_ms: int, body: bytes = b"") -> bytes:
        """The next frame of this session."""
        packed = wire.pack(kind, self.seq, time_ms, body, self.send_key)
        self.seq += 1
        return packed

    def take(self, frame: wire.Frame) -> bool:
        """True if the frame belongs to this session and came in order."""
        if self.take_key is None:
            return not frame.mac
        fits = frame.mac == wire.mac(self.take_key, frame.signed()) and frame.seq > self.taken
        if fits:
            self.taken = frame.seq
        else:
            self.refused += 1
        return fits


def offered(key: bytes | None, gateway: bytes, gateway_nonce: bytes, shoe_nonce: bytes) -> Session:
    """The session that a HELLO offers."""
    if key is None:
        return Session(gateway, shoe_nonce)
    send, take = wire.session_keys(key, gateway_nonce, shoe_nonce)
    return Session(gateway, shoe_nonce, send, take)
