"""What an emulated Angel Eye has done: frames sent, coups dealt, cards that came out beside the game."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from sabot_sim.angel_eye import drawing
from sabot_sim.angel_eye.copies import Sent

_MOST_SENT: Final = 20_000  # frames: several shoes
_MOST_COUPS: Final = 2_000


@dataclass
class DealtCoup:
    """A coup with its cards and its result as the shoe has reported them."""

    shoe: int
    number: int  # in its shoe
    player: list[str] = field(default_factory=list)
    banker: list[str] = field(default_factory=list)
    result: str | None = None  # as reported; None while no result was given
    player_pair: bool = False
    banker_pair: bool = False
    flags: set[str] = field(default_factory=set)
    over_s: float = 0.0  # when the result was given

    def lay(self, place: drawing.Place, card: str) -> None:
        """Lay a card at its place."""
        getattr(self, place.target).append(card)

    def next_place(self) -> drawing.Place | None:
        """Return where the next card goes; None if the coup is complete."""
        return drawing.next_place(self.player, self.banker)

    def winner(self) -> str:
        """Return who wins by the cards."""
        return drawing.winner(self.player, self.banker)

    def pairs(self) -> dict[str, bool]:
        """Return which hands were reported as pairs."""
        return {"player_pair": self.player_pair, "banker_pair": self.banker_pair}

    def report(self) -> dict[str, Any]:
        """Return hands, result and pairs in the form of the test data."""
        return {
            "shoe": self.shoe,
            "player": self.player,
            "banker": self.banker,
            "result": self.result,
            **self.pairs(),
            "flags": sorted(self.flags),
        }


class Answer(NamedTuple):
    """A command of the host as it came, such as OPLK02, and the code of its NAK; None for ACK."""

    command: str
    nak: int | None


@dataclass
class Truth:
    """Bounded: the newest frames, coups and cards beside the game; `coups` has those with a result."""

    sent: deque[Sent] = field(default_factory=lambda: deque(maxlen=_MOST_SENT))
    coups: deque[DealtCoup] = field(default_factory=lambda: deque(maxlen=_MOST_COUPS))
    abandoned: deque[DealtCoup] = field(default_factory=lambda: deque(maxlen=_MOST_COUPS))  # without a result
    outside: deque[str | None] = field(default_factory=lambda: deque(maxlen=_MOST_COUPS))  # None: not readable
    frames: int = 0  # sent, each in three copies
    results: int = 0  # coups with a result, forced ends too
    answers: deque[Answer] = field(default_factory=lambda: deque(maxlen=_MOST_COUPS))
    burnt: deque[str] = field(default_factory=lambda: deque(maxlen=_MOST_COUPS))
    shoes: int = 0
    begun: int = 0  # coups of this shoe

    def new_shoe(self) -> None:
        """Count a set of cards."""
        self.shoes, self.begun = self.shoes + 1, 0

    def new_coup(self) -> DealtCoup:
        """Return the coup that begins now."""
        self.begun += 1
        return DealtCoup(self.shoes, self.begun)

    def end_coup(self, coup: DealtCoup) -> None:
        """Keep a coup that has its result."""
        self.results += 1
        self.coups.append(coup)

    def received(self, copies: int = 1) -> list[bytes]:
        """Return the frames of which at least so many copies left the shoe undamaged, in the order of the first."""
        found = [sent for sent in self.sent if sent.good >= copies]
        return [sent.frame for sent in sorted(found, key=lambda sent: sent.whole_s)]
