"""Session: the nonces of one conversation with a gateway and, where the shoe has a key, the MAC of every frame.

hashlib allocates some hundred bytes a frame: MACs are made by the link, after the card path, never in it.
"""

from hashlib import sha256

from micropython import const

from sabot.link.frame import short

_MAC = const(8)
_BLOCK = const(64)
_INNER = const(0x36)
_OUTER = const(0x5C)
_AUTHENTICATED = const(1)
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
    """Offered with a nonce of its own to the gateway that asked; frames carry rising numbers within it."""

    def __init__(self, key):
        self._key = key
        self.gateway = bytearray(8)
        self.gateway_nonce = bytearray(8)
        self.shoe_nonce = bytearray(8)
        self.seq = 0  # of the next frame out
        self._least_seq = 0  # of the next frame in

    def start(self, gateway, gateway_nonce, shoe_nonce):
        """A gateway asked with this nonce; ours has never been used."""
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
        """Put the MAC behind body[:size], where there is a key; the new size."""
        if not self._key:
            return size
        body[1] = _AUTHENTICATED
        body[size : size + _MAC] = _hmac(self._inner_out, self._outer_out, memoryview(body)[:size])[:_MAC]
        return size + _MAC

    def opened(self, body, size):
        """The size without its MAC of a frame that belongs to this session and is newer than the last; else 0."""
        if not self._key:
            return 0 if body[1] else size
        size -= _MAC
        seq = short(body, 2)
        if body[1] != _AUTHENTICATED or size < _MAC or seq < self._least_seq:
            return 0
        mac = _hmac(self._inner_in, self._outer_in, memoryview(body)[:size])
        wrong = 0
        for i in range(_MAC):  # all of them, whatever the first says
            wrong |= mac[i] ^ body[size + i]
        if wrong:
            return 0
        self._least_seq = seq + 1
        return size
