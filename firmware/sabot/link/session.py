"""Session: the nonces of one conversation with a gateway and, where the shoe has a key, the MAC of every frame.

hashlib allocates some hundred bytes a frame: the link makes MACs after the card path, never in it.
"""

from hashlib import sha256

from micropython import const

from sabot import wire
from sabot.link.frame import short

_BLOCK = const(64)
_INNER = const(0x36)
_OUTER = const(0x5C)
_TO_GATEWAY = b"sabot shoe to gateway"
_TO_SHOE = b"sabot gateway to shoe"


def _pad(key, with_byte):
    padded = bytearray([with_byte] * _BLOCK)
    for i in range(len(key)):
        padded[i] ^= key[i]
    return padded


def _hmac(inner, outer, message):
    hashed = sha256(inner)
    hashed.update(message)
    outside = sha256(outer)
    outside.update(hashed.digest())
    return outside.digest()


class Session:
    """Offered with a nonce of its own to the gateway that asked; sequence numbers of frames rise within it."""

    def __init__(self, key):
        self._key = key
        self.gateway = bytearray(wire.WHO_GATEWAY_BYTES)
        self.gateway_nonce = bytearray(wire.WHO_NONCE_BYTES)
        self.shoe_nonce = bytearray(wire.HELLO_SHOE_NONCE_BYTES)
        self.seq = 0  # of the next frame to send
        self._least_seq = 0  # of the next frame to receive

    def start(self, gateway, gateway_nonce, shoe_nonce):
        """Begin a session with the gateway that asked with this nonce; the shoe's nonce was never used before."""
        self.gateway[:] = gateway
        self.gateway_nonce[:] = gateway_nonce
        self.shoe_nonce[:] = shoe_nonce
        self.seq = 0
        self._least_seq = 0
        if self._key:
            nonces = bytes(gateway_nonce) + bytes(shoe_nonce)
            self._inner_out, self._outer_out = self._pads(_TO_GATEWAY + nonces)
            self._inner_in, self._outer_in = self._pads(_TO_SHOE + nonces)

    def _pads(self, message):
        key = _hmac(_pad(self._key, _INNER), _pad(self._key, _OUTER), message)
        return _pad(key, _INNER), _pad(key, _OUTER)

    def seal(self, body, size):
        """Append the MAC to body[:size] where there is a key, and return the new size."""
        if not self._key:
            return size
        body[wire.FRAME_FLAGS] = wire.FLAG_AUTHENTICATED
        end = size + wire.MAC_BYTES
        body[size:end] = _hmac(self._inner_out, self._outer_out, memoryview(body)[:size])[: wire.MAC_BYTES]
        return end

    def opened(self, body, size):
        """Return the size without MAC of a frame of this session that is newer than the last one, else 0."""
        if not self._key:
            return 0 if body[wire.FRAME_FLAGS] else size
        size -= wire.MAC_BYTES
        seq = short(body, wire.FRAME_SEQ)
        if body[wire.FRAME_FLAGS] != wire.FLAG_AUTHENTICATED or size < wire.FRAME_SIZE or seq < self._least_seq:
            return 0
        mac = _hmac(self._inner_in, self._outer_in, memoryview(body)[:size])
        wrong = 0
        for i in range(wire.MAC_BYTES):  # all of them: the time it takes tells nothing
            wrong |= mac[i] ^ body[size + i]
        if wrong:
            return 0
        self._least_seq = seq + 1
        return size
