"""Currency: an amount in minor units as people write it."""

from typing import Final

# Digits after the point, where they are not two (ISO 4217).
_DIGITS: Final = {
    **dict.fromkeys(("CLP", "ISK", "JPY", "KRW", "PYG", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
}


def number(minor: int, currency: str) -> str:
    """Return an amount without its currency: 123450 of AUD is 1,234.50."""
    digits = _DIGITS.get(currency, 2)
    whole, rest = divmod(abs(minor), 10**digits)
    return f"{'-' if minor < 0 else ''}{whole:,}{f'.{rest:0{digits}}' if digits else ''}"


def written(minor: int, currency: str) -> str:
    """Return an amount with its currency: AUD 1,234.50."""
    return f"{currency} {number(minor, currency)}"
