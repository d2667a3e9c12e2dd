"""Frames as an Angel Eye shoe sends them, commands as a host sends them, and the reader of commands for an emulator."""

import re
from typing import Final, NamedTuple

from sabot_protocol.angel_eye.messages import bcc, bcc_form
from sabot_protocol.angel_eye.tables import (
    ACK,
    ADDRESS,
    CARD,
    ENQ,
    ERROR,
    ETX,
    LOCK,
    MODE,
    NAK,
    PLACE,
    RANKS,
    RESULT,
    STX,
)

_SET = {"bit_7": True}
_MOST_COMMAND_BYTES: Final = 32
_COMMAND = re.compile(rb"\x02([^\x02\x03]{0,28})\x03([^\x00-\x1f]{2})|\x02[^\x02]*\Z", re.DOTALL)


def frame(seq: str, letter: str, data: bytes = b"") -> bytes:
    """Return a frame of the shoe: ENQ, sequence, type, data, ETX, BCC."""
    checked = (seq + letter).encode("latin-1") + data + bytes([ETX])
    return bytes([ENQ]) + checked + bcc(checked)


def card(seq: str, target: str | int, index: int, drawn: str | None, letter: str = "D") -> bytes:
    """Return a `D` or `R` frame; for target burn_count the index is the count."""
    return frame(seq, letter, PLACE.build({**_SET, "target": target, "index": index}) + card_byte(drawn))


def card_outside(seq: str, mode: str | int, low: int, drawn: str | None) -> bytes:
    """Return a `d` frame; in error mode `low` is the error code."""
    return frame(seq, "d", MODE.build({**_SET, "mode": mode, "low": low}) + card_byte(drawn))


def card_byte(drawn: str | None) -> bytes:
    """Return the byte of a card such as 8S, or of none."""
    suit, rank = (drawn[1], RANKS[drawn[0]]) if drawn else (0, 0)
    return bytes(CARD.build({**_SET, "suit": suit, "rank": rank}))


def result(seq: str, winner: str | int, *, player_pair: bool = False, banker_pair: bool = False) -> bytes:
    """Return a `G` frame: player, tie, banker or forced_end."""
    fields = {**_SET, "result": winner, "player_pair": player_pair, "banker_pair": banker_pair}
    return frame(seq, "G", RESULT.build(fields))


def error(seq: str, code: int, *, in_error_mode: bool) -> bytes:
    """Return an `E` frame."""
    return frame(seq, "E", ERROR.build({**_SET, "in_error_mode": in_error_mode, "code": code}))


def error_cancelled(seq: str, code: int) -> bytes:
    """Return an `e` frame."""
    return frame(seq, "e", ERROR.build({**_SET, "in_error_mode": False, "code": code}))


def lock(seq: str, *, locked: bool) -> bytes:
    """Return an `L` frame."""
    return frame(seq, "L", LOCK.build({**_SET, "locked": locked}))


def preset(seq: str, address: str, value: str) -> bytes:
    """Return an `M` frame: two characters of address, four of value."""
    return frame(seq, "M", (address + value).encode("ascii"))


def ack() -> bytes:
    """Return the answer to a command that was taken."""
    return bytes([ACK])


def nak(code: int) -> bytes:
    """Return the answer to a command that was refused."""
    return bytes([NAK, code])


def stx_frame(text: str, *, with_stx: bool) -> bytes:
    """Return an STX frame, as a host sends a command and a shoe a reply; `with_stx` chooses the form of its BCC."""
    checked = text.encode("latin-1") + bytes([ETX])
    start = bytes([STX])
    return start + checked + bcc(start + checked if with_stx else checked)


def command(kind: str, data: str, *, with_stx: bool) -> bytes:
    """Return a command to the shoe such as LK 02; the vendor's example counts STX in the BCC, its text does not."""
    return stx_frame(f"{ADDRESS}{kind}{data}", with_stx=with_stx)


def parts(text: str) -> tuple[str, str, str]:
    """Return address, type and data of the text of a command."""
    return text[:2], text[2:4], text[4:]


class Command(NamedTuple):
    """A command as it came: the text between STX and ETX, and the form of its BCC: with_stx, without_stx or wrong."""

    text: str
    bcc: str
    raw: bytes

    @property
    def parts(self) -> tuple[str, str, str]:
        """Return address, type and data."""
        return parts(self.text)


class CommandReader:
    """Bytes from hosts in, commands out; holds at most one half command."""

    def __init__(self) -> None:
        self._half = b""

    def feed(self, data: bytes) -> list[Command]:
        """Return every command that ends in these bytes; anything else is skipped."""
        commands, self._half, data = [], b"", self._half + data
        for match in _COMMAND.finditer(data):
            if match[2] is None:
                self._half = match[0][:_MOST_COMMAND_BYTES]
            else:
                commands.append(Command(match[1].decode("latin-1"), bcc_form(match[0]) or "wrong", match[0]))
        return commands
