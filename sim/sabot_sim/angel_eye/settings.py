"""Settings of an emulated Angel Eye: what differs from one to the next, what nobody has published, and line faults."""

from dataclasses import dataclass, field
from typing import Final, Literal

CYCLES: Final = {"1-9": "123456789", "0-9": "0123456789", "1-F": "123456789ABCDEF"}
BAUD: Final = 4800
_BITS_A_CHARACTER: Final = 10  # 8N1: start, eight, stop

Burn = Literal["first_card", "one", "none"]


@dataclass(frozen=True)
class LineFaults:
    """The share of copies, or of gaps before them, that each fault affects."""

    flipped: float = 0.0  # one bit of the copy is wrong
    cut: float = 0.0  # the end of the copy is missing
    lost: float = 0.0  # the copy is not sent
    noise: float = 0.0  # bytes that belong to no frame come before the copy
    refused: float = 0.0  # of commands: answered with one of `naks`, and not carried out
    naks: tuple[int, ...] = (0x01, 0x02, 0x21)


@dataclass(frozen=True)
class Settings:
    """How one shoe behaves; times are in seconds of the time that is passed in."""

    cycle: str = CYCLES["1-9"]  # of sequence characters
    baud: int = BAUD
    gap_s: tuple[float, float] = (0.05, 0.05)  # between two copies of a message: least and most
    data_bits: int = 8  # 7: a converter that is set wrongly strips the highest bit of every byte
    interleaved: bool = False  # a copy of the next message may come before the last copy of this one
    flat_out: bool = False  # no time passes on the line
    bcc_with_stx: bool = True  # of commands, as this hardware counts it; both are described
    burn: Burn = "one"  # card, as every rulebook here; or as many as the points of the first card; or none
    burn_cards_sent: bool = True  # each burnt card is reported
    keeps_hand: bool = True  # a restart in mid-coup goes on with the cards on the table
    answers_gp: bool = False  # GP 00 sends the cards of the coup again, as R
    boot_s: float = 1.2  # from power on to communication start
    wake_s: float = 0.6  # from communication start to stand-by
    stand_by_s: float = 1.2  # from the result to stand-by
    answer_s: float = 0.05  # from a command to its answer
    faults: LineFaults = field(default_factory=LineFaults)

    def character_s(self) -> float:
        """Return how long one character takes on the line."""
        return 0.0 if self.flat_out else _BITS_A_CHARACTER / self.baud

    def after(self, seconds: float) -> float:
        """Return this pause, or none if no time passes on the line."""
        return 0.0 if self.flat_out else seconds
