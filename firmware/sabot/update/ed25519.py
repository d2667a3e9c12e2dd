"""Ed25519 (RFC 8032): checks a signature in small steps, on long integers. MicroPython has no SHA-512, so it is here.

Nothing here is secret, so nothing takes care to use the same time for every value.
"""

from micropython import const

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_TWICE_D = 2 * _D % _P
_ROOT = pow(2, (_P - 1) // 4, _P)  # of -1
_MASK = 0xFFFFFFFFFFFFFFFF
_ROUNDS = const(80)
_BLOCK = const(128)
_BITS = const(253)
_BITS_A_STEP = const(4)


def verify(key, message, signature):
    """Return a generator that returns True if the holder of the key has signed the message; it yields between steps."""
    rest = int.from_bytes(signature[32:], "little")
    a, r = _point(key), _point(signature[:32])
    yield
    if a is None or r is None or rest >= _ORDER:
        return False
    k = int.from_bytes(sha512(signature[:32] + key + message), "little") % _ORDER
    yield
    base = _point(b"\x58" + b"\x66" * 31)
    minus = (_P - a[0], a[1], 1, _P - a[3])
    table = (None, base, minus, _add(base, minus))
    found = (0, 1, 1, 0)
    for bit in range(_BITS - 1, -1, -1):
        found = _double(found)
        which = (rest >> bit & 1) | (k >> bit & 1) << 1
        if which:
            found = _add(found, table[which])
        if bit % _BITS_A_STEP == 0:
            yield
    x, y, z, _ = found
    return (x - r[0] * z) % _P == 0 and (y - r[1] * z) % _P == 0


def _point(text):
    """Return the point of 32 bytes in extended coordinates, None if there is none."""
    y = int.from_bytes(text, "little")
    sign = y >> 255
    y &= (1 << 255) - 1
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P or (sign and not x):
        return None
    if x & 1 != sign:
        x = _P - x
    return (x, y, 1, x * y % _P)


def _add(one, two):
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = two
    a, b = (y1 - x1) * (y2 - x2) % _P, (y1 + x1) * (y2 + x2) % _P
    c, d = t1 * t2 % _P * _TWICE_D % _P, 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def _double(one):
    x, y, z, _ = one
    a, b = x * x % _P, y * y % _P
    e, g = (x + y) * (x + y) - a - b, b - a
    f, h = g - 2 * z * z, -a - b
    e, f = e % _P, f % _P
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def sha512(message):
    """Return the SHA-512 of a message."""
    primes = _primes(_ROUNDS)
    state = [_fraction(prime, 2) for prime in primes[:8]]
    constants = [_fraction(prime, 3) for prime in primes]
    padded = message + b"\x80" + bytes(-(len(message) + 17) % _BLOCK) + (8 * len(message)).to_bytes(16, "big")
    for at in range(0, len(padded), _BLOCK):
        _compress(state, constants, padded[at : at + _BLOCK])
    return b"".join([word.to_bytes(8, "big") for word in state])


def _primes(count):
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


def _fraction(prime, degree):
    """Return the first 64 bits after the point of a root of a prime: by them the standard defines its constants."""
    wanted, low = prime << 64 * degree, 0
    for bit in range(68, -1, -1):
        if (low | 1 << bit) ** degree <= wanted:
            low |= 1 << bit
    return low & _MASK


def _turned(word, by):
    return (word >> by | word << 64 - by) & _MASK


def _compress(state, constants, block):
    words = [int.from_bytes(block[at : at + 8], "big") for at in range(0, _BLOCK, 8)]
    a, b, c, d, e, f, g, h = state
    for i in range(_ROUNDS):
        w = words[i & 15]
        s1 = _turned(e, 14) ^ _turned(e, 18) ^ _turned(e, 41)
        s0 = _turned(a, 28) ^ _turned(a, 34) ^ _turned(a, 39)
        t1 = h + s1 + (e & f ^ ~e & _MASK & g) + constants[i] + w
        t2 = s0 + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = (t1 + t2) & _MASK, a, b, c, (d + t1) & _MASK, e, f, g
        v, u = words[i + 1 & 15], words[i + 14 & 15]
        v = _turned(v, 1) ^ _turned(v, 8) ^ v >> 7
        u = _turned(u, 19) ^ _turned(u, 61) ^ u >> 6
        words[i & 15] = (w + v + words[i + 9 & 15] + u) & _MASK
    for i, word in enumerate((a, b, c, d, e, f, g, h)):
        state[i] = state[i] + word & _MASK
