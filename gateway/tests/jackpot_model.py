"""A model of a jackpot's arithmetic, written again from the rules, for a jackpot without reserve and limit."""

from dataclasses import dataclass, field
from fractions import Fraction

from sabot_floor.jackpots.engine import JackpotState
from sabot_protocol.jackpots.parameters import Parameters, Part


@dataclass
class Pending:
    """A recorded win; `seen` is the display at its record."""

    entry: int  # in the ledger of its gateway
    win: str
    percent: Part
    wagers: int
    seen: int

    def place(self) -> int:
        return self.entry


@dataclass
class Model:
    """Display, wins and base, with wins in the order of recording."""

    parameters: Parameters
    plain: bool
    display: int = 0
    paid: int = 0
    hits: int = 0
    adjusted: int = 0
    pending: list[Pending] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.display = self.parameters.base

    def move(self, amount: int) -> None:
        """Add a contribution, a reversal or an adjustment."""
        self.display += amount

    def record(self, entry: int, win: str, percent: Part, wagers: list[int]) -> None:
        """Note a win: it sees the display, but no more than a later win saw before it."""
        new = Pending(entry, win, percent, len(wagers), self.display)
        later = [one.seen for one in self.pending if one.place() > new.place()]
        new.seen = min([self.display, *later])
        self.pending = sorted([*self.pending, new], key=Pending.place)

    def worth(self) -> list[tuple[str, int, int]]:
        """Return id, value and prize of each pending win, in order."""
        taken, found = 0, []
        for one in self.pending:
            value = one.seen - taken
            prize = int(self._rounded(value) * Fraction(str(one.percent)) / 100) if one.wagers else 0
            found.append((one.win, value, prize))
            taken += self._taken(one, value, prize)
        return found

    def confirm(self, win: str, prize: int) -> None:
        """Pay a win: what it takes from the display, it takes from what later wins saw."""
        if not self.plain:
            return
        place = next(place for place, one in enumerate(self.pending) if one.win == win)
        _, value, expected = self.worth()[place]
        assert prize == expected
        paid = self.pending.pop(place)
        taken = self._taken(paid, value, prize)
        self.display -= taken
        for later in self.pending[place:]:
            later.seen -= taken
        self.paid += prize
        self.hits += bool(paid.wagers)

    def cancel(self, win: str) -> None:
        """Forget a win that was cancelled or deemed invalid."""
        self.pending = [one for one in self.pending if one.win != win]

    def check(self, state: JackpotState, pending: list[tuple[str, int, int]]) -> None:
        """Compare with the engine."""
        if self.plain:
            assert (self.display, self.paid, self.hits) == (state.display, state.wins, state.hits)
            assert self.worth() == pending

    def _rounded(self, value: int) -> int:
        unit = self.parameters.rounding
        return value + (-value) % unit

    def _taken(self, one: Pending, value: int, prize: int) -> int:
        if not one.wagers:
            return 0
        return value - self.parameters.reset_value if one.percent == 100 else prize
