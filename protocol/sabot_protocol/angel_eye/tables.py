"""Numbers and names on the line of an Angel Eye shoe: types, places, cards, results, errors, answers, commands."""

from functools import cache
from typing import Final, NamedTuple

from construct import BitsInteger, BitStruct, Construct, Enum, Flag, Padding

STX, ETX, ENQ, ACK, NAK, SYN = 0x02, 0x03, 0x05, 0x06, 0x15, 0x16
UNIT_PREFIX = "ae-"  # of the ids that gateways give these shoes; those of our own shoes are hexadecimal
UNKNOWN: Final = "unknown"
BIT_7: Final = 0x80


class Kind(NamedTuple):
    """A type letter: the name of its message, the bytes after it, what it means."""

    name: str
    size: int
    meaning: str


KINDS: Final = {
    "S": Kind("comm_start", 0, "communication start: power on or restart"),
    "P": Kind("stand_by", 0, "stand-by"),
    "D": Kind("card", 2, "card drawn in the game"),
    "d": Kind("card_outside_game", 2, "card drawn outside the game"),
    "R": Kind("card_again", 2, "card again; the sources disagree about its meaning"),
    "G": Kind("result", 1, "result"),
    "C": Kind("cutting_card", 0, "cutting card came out"),
    "E": Kind("error", 1, "error"),
    "e": Kind("error_cancelled", 1, "error cancelled"),
    "L": Kind("lock", 1, "lock changed by the key"),
    "M": Kind("preset", 6, "preset changed: address and value, plain ASCII"),
}

TARGETS: Final = {"player": 0, "banker": 1, "burn": 2, "burn_first": 4, "burn_count": 5}
HANDS: Final = frozenset({"player", "banker"})
# Indexes that a target can have; for burn_count the index is the count.
INDEXES: Final = {"player": range(1, 4), "banker": range(1, 4), "burn_count": range(1, 11)}
OTHER_INDEXES: Final = range(11)
MODES: Final = {"lock": 0, "error": 1, "setting": 2}
SUITS: Final = {"D": 1, "C": 2, "S": 3, "H": 4}
RANKS: Final = {rank: number for number, rank in enumerate("A23456789TJQK", 1)}
RESULTS: Final = {"player": 1, "tie": 2, "banker": 4, "forced_end": 7}
ERRORS: Final = {
    1: "cannot_read",
    2: "overdraw",
    3: "wrong_button",
    4: "reverse_exit",
    5: "reverse_midway",
    6: "card_code",
    7: "draw_timeout",
}
ERROR_WORDS: Final = {
    "cannot_read": "a card that cannot be read",
    "overdraw": "a card drawn in excess",
    "wrong_button": "a wrong button",
    "reverse_exit": "a card pushed back at the exit",
    "reverse_midway": "a card pushed back midway",
    "card_code": "a card with a wrong code",
    "draw_timeout": "a card that was drawn too slowly",
}
NAKS: Final = {
    0x01: "line_error",
    0x02: "bcc",
    0x03: "no_etx",
    0x11: "format",
    0x12: "address",
    0x13: "command",
    0x14: "type",
    0x21: "busy",
    0x22: "writing",
    0xFF: "other",
}
NAK_CODES: Final = {name: code for code, name in NAKS.items()}
ADDRESS: Final = "OP"  # begins every command
# (type, data): what the shoe does.
COMMANDS: Final = {
    ("LK", "01"): "unlock",
    ("LK", "02"): "lock",
    ("EC", "00"): "clear any error but overdraw",
    ("EC", "01"): "overdraw: keep the card for the next coup",
    ("EC", "02"): "overdraw: discard the card",
    ("GP", "00"): "confirm game process",
}

# The bytes after a type letter; bit 7 is always set.
PLACE: Final[Construct] = BitStruct(
    "bit_7" / Flag, "target" / Enum(BitsInteger(3), **TARGETS), "index" / BitsInteger(4)
)
MODE: Final[Construct] = BitStruct("bit_7" / Flag, "mode" / Enum(BitsInteger(3), **MODES), "low" / BitsInteger(4))
CARD: Final[Construct] = BitStruct("bit_7" / Flag, "suit" / Enum(BitsInteger(3), **SUITS), "rank" / BitsInteger(4))
RESULT: Final[Construct] = BitStruct(
    "bit_7" / Flag,
    "result" / Enum(BitsInteger(3), **RESULTS),
    Padding(2),
    "banker_pair" / Flag,
    "player_pair" / Flag,
)
ERROR: Final[Construct] = BitStruct("bit_7" / Flag, "in_error_mode" / Flag, "code" / BitsInteger(6))
LOCK: Final[Construct] = BitStruct("bit_7" / Flag, Padding(6), "locked" / Flag)
# The bytes after each type letter; the other types have none, `M` has text.
LAYOUTS: Final[dict[str, tuple[Construct, ...]]] = {
    "D": (PLACE, CARD),
    "R": (PLACE, CARD),
    "d": (MODE, CARD),
    "G": (RESULT,),
    "E": (ERROR,),
    "e": (ERROR,),
    "L": (LOCK,),
}

_RANK_NAMES: Final = {number: rank for rank, number in RANKS.items()}


class UndefinedError(ValueError):
    """A value outside the range of its field, without a name for it."""


@cache  # 256 values
def place_of(byte: int) -> tuple[str, int]:
    """Return target and index of a place byte; raise UndefinedError for an index that the target cannot have."""
    parsed = PLACE.parse(bytes([byte]))
    target = _name(parsed.target, TARGETS)
    if parsed.index not in INDEXES.get(target, OTHER_INDEXES):
        raise UndefinedError
    return target, parsed.index


@cache  # 256 values
def mode_of(byte: int) -> tuple[str, int]:
    """Return mode and low bits of the first byte of a `d`."""
    parsed = MODE.parse(bytes([byte]))
    return _name(parsed.mode, MODES), parsed.low


@cache  # 256 values
def card_of(byte: int) -> str | None:
    """Return the card of a card byte; None if suit or rank is missing or not defined."""
    parsed = CARD.parse(bytes([byte]))
    suit, rank = str(parsed.suit), _RANK_NAMES.get(parsed.rank)
    return rank + suit if rank and suit in SUITS else None


@cache  # 256 values
def result_of(byte: int) -> tuple[str, bool, bool]:
    """Return winner, player pair and banker pair of a result byte."""
    parsed = RESULT.parse(bytes([byte]))
    return _name(parsed.result, RESULTS), parsed.player_pair, parsed.banker_pair


@cache  # 256 values
def error_of(byte: int) -> tuple[int, str, bool]:
    """Return code and name of an error byte, and True if the shoe is in error mode."""
    parsed = ERROR.parse(bytes([byte]))
    return parsed.code, ERRORS.get(parsed.code, UNKNOWN), parsed.in_error_mode


@cache  # 256 values
def locked_of(byte: int) -> bool:
    """Return True if the byte of an `L` reports a locked shoe."""
    return bool(LOCK.parse(bytes([byte])).locked)


def _name(value: object, names: dict[str, int]) -> str:
    """Return the name of a parsed number; unknown if it is not defined."""
    return name if (name := str(value)) in names else UNKNOWN
