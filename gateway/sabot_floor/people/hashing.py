"""Hashing: PINs and passwords with argon2, badges with a keyed hash; and which secrets are too simple."""

import hmac
import unicodedata
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

LEAST_PIN, LEAST_PASSWORD, MOST_SECRET = 6, 8, 128  # digits, characters
LEAST_BADGE = 6
_LEAST_DIFFERENT = 4  # characters of a password
_LEAST_WORD = 3  # characters of a name that a password must not have in it
PASSES, MEMORY_KIB, LANES = 2, 65536, 1  # about 0.1 s and 64 MiB for one check


# The hash of a secret that nobody knows: what is given for no person takes as long to check as any other.
NOBODY = "$argon2id$v=19$m=65536,t=2,p=1$L/hzdT4E6q7sCugVj8D/Wg$5u255d0KycW2SqCjTbEeAUfQWeU5f0mU/b3OfjKlkZo"


class HashingError(RuntimeError):
    """No secret can be checked here; the message has the next step."""


def too_simple(secret: str, *names: str) -> str:
    """Return why a PIN or password is refused, or an empty text."""
    secret = _normal(secret)
    if not secret.isprintable() or len(secret) > MOST_SECRET:
        return f"A PIN or password has at most {MOST_SECRET} characters, all printable."
    if secret.isascii() and secret.isdigit():
        return _simple_pin(secret)
    if len(secret) < LEAST_PASSWORD or len(set(secret)) < _LEAST_DIFFERENT:
        return (
            f"Too simple: a PIN has at least {LEAST_PIN} digits; a password has at least {LEAST_PASSWORD} characters, "
            f"{_LEAST_DIFFERENT} of them different."
        )
    words = [word for name in names for word in name.casefold().split() if len(word) >= _LEAST_WORD]
    if any(word in secret.casefold() for word in words):
        return "Too simple: a password does not have the id or the name of its person in it."
    return ""


def _simple_pin(pin: str) -> str:
    if len(pin) < LEAST_PIN:
        return f"Too simple: a PIN has at least {LEAST_PIN} digits."
    steps = {(int(right) - int(left)) % 10 for left, right in pairwise(pin)}
    if len(steps) == 1:
        return "Too simple: the digits of a PIN are not all the same and not a row such as 123456."
    if len(set(pin)) <= 2 or any(_repeats(pin, size) for size in range(2, len(pin) // 2 + 1)):
        return "Too simple: a PIN has at least 3 different digits and is not a repetition such as 123123."
    return ""


def _repeats(pin: str, size: int) -> bool:
    return (pin[:size] * (len(pin) // size + 1))[: len(pin)] == pin


def make_hash(secret: str) -> str:
    """Return the argon2id hash of a PIN or password, with its salt; takes about 0.1 s."""
    hasher, _ = _argon2()
    return str(hasher.hash(_normal(secret)))


def unused(secret: str, before: Iterable[str]) -> str:
    """Return the hash of a PIN or password; empty if it is one of before."""
    return "" if any(fits(one, secret) for one in before) else make_hash(secret)


def fits(hashed: str, secret: str) -> bool:
    """Return True if this is the secret of a hash; takes about 0.1 s."""
    hasher, errors = _argon2()
    try:
        return bool(hasher.verify(hashed, _normal(secret)))
    except errors:
        return False


def _argon2() -> tuple[Any, tuple[type[Exception], ...]]:
    """Return the hasher and its errors: a service that nobody logs in to needs no argon2."""
    try:
        from argon2 import PasswordHasher
        from argon2.exceptions import InvalidHashError, VerificationError
    except ImportError as error:
        raise HashingError(
            f"PINs and passwords cannot be checked ({error}): install Sabot with its extra `floor`: "
            "pip install 'sabot[floor]'"
        ) from error
    hasher = PasswordHasher(time_cost=PASSES, memory_cost=MEMORY_KIB, parallelism=LANES)
    return hasher, (InvalidHashError, VerificationError)


def badge_problem(code: str) -> str:
    """Return why a badge's code is refused, or an empty text."""
    if LEAST_BADGE <= len(code.strip()) <= MOST_SECRET and code.strip().isprintable():
        return ""
    return f"The code of a badge has {LEAST_BADGE} to {MOST_SECRET} characters: hold it to the reader again."


def badge_hash(key: str, code: str) -> str:
    """Return the hash of a badge's code with the site's key, hex; empty where there is no key yet."""
    return hmac.digest(bytes.fromhex(key), _normal(code.strip()).encode(), "sha256").hex() if key else ""


def _normal(secret: str) -> str:
    return unicodedata.normalize("NFC", secret)
