"""Amounts: money as people write it, exactly, in minor units."""

import re
from typing import Final

from sabot_protocol.jackpots.currency import number

MOST_MINOR: Final = 10**15
_TEXT = re.compile(r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,16})(?:\.([0-9]{1,3}))?")


class AmountError(ValueError):
    """A text that is no amount of money; the message has the form that is expected."""


def minor_units(text: str, currency: str) -> int:
    """Return an amount such as `2,500.50` in minor units of a currency; AmountError if it is none."""
    found = _TEXT.fullmatch(text.strip())
    digits = _digits(currency)
    if found is None:
        raise AmountError(f'{text!r:.40} is no amount of money; write it as "25", "2,500" or "2.50"')
    whole, rest = found[1].replace(",", ""), found[2] or ""
    if rest.rstrip("0")[digits:]:
        raise AmountError(f"{text!r:.40} has parts that {currency} has no coins for; write at most {digits} decimals")
    minor = int(whole + f"{rest:0<3}"[:digits])
    if minor > MOST_MINOR:
        raise AmountError(f"{text!r:.40} is more than a sign can have; write at most {written(MOST_MINOR, currency)}")
    return minor


def written(minor: int, currency: str) -> str:
    """Return an amount as a sign has it, without decimals where they are zero: 2,500 or 2.50."""
    text = number(minor, currency)
    whole, point, rest = text.partition(".")
    return whole if not point or not rest.strip("0") else text


def _digits(currency: str) -> int:
    return len(number(0, currency).partition(".")[2])
