"""The shape of [sign] and [demo] in a rulebook: what its table sign says, and what the demo shows of it."""

from collections.abc import Iterator
from typing import Literal

import msgspec

Change = Literal["minimum", "game", "closure"]


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Unknown keys are errors."""


class ChangeNotice(_Strict, frozen=True):
    """What must pass between the sign and a change: minutes, or coups."""

    clause: str
    minutes: int = 0
    coups: int = 0


class Sentence(_Strict, frozen=True):
    """A sentence that the sign shows if the table fits all that is named; {game} is the title of its game."""

    say: str
    clause: str
    games: tuple[str, ...] = ()
    style: str = ""
    wagers: tuple[str, ...] = ()  # any of these

    def fits(self, game: str, style: str, wagers: tuple[str, ...]) -> bool:
        """Return True if a table with this game, style and wagers shows it."""
        by_wager = not self.wagers or any(wager in self.wagers for wager in wagers)
        return by_wager and (not self.games or game in self.games) and self.style in ("", style)


class Insurance(_Strict, frozen=True):
    """The clauses that have the sign list Insurance Wagers, and limit what they pay."""

    offered: str
    capped: str


class Sign(_Strict, frozen=True):
    """What the book demands of a table sign, and its words where they are not those of the others."""

    notice: dict[Change, ChangeNotice]  # a change that is not here needs none
    standoff: dict[str, str]  # by outcome
    sentence: tuple[Sentence, ...] = ()
    insurance: Insurance | None = None
    limited_payout: dict[str, str] = {}  # clause by wager, without its side: what it pays may be limited
    title: dict[str, str] = {}  # by wager
    outcome: dict[str, str] = {}  # by wager and outcome
    odds: dict[str, str] = {}  # by wager and outcome, or by value


class DemoJackpot(_Strict, frozen=True):
    """A jackpot of the demo: its parameters as a file of jackpots has them, and who takes part."""

    parameters: str  # TABLES stands for the tables
    hands: dict[str, tuple[str, str, str, str]]  # first four cards of a winning coup, by name for --stack
    wager: str  # that takes part in the pay-out
    role: str  # of the person who confirms


class Demo(_Strict, frozen=True):
    """A table of the demo: its place, its limits, and the roles of the demo's people."""

    area: str
    currency: str
    minimum: str
    maximum: str
    pair_minimum: str
    pair_maximum: str
    supervisor: str
    manager: str
    order: int = 1000  # of the books
    jackpot: DemoJackpot | None = None


def sign_problems(sign: Sign, games: dict[str, object]) -> Iterator[str]:
    """Yield what the types cannot check."""
    if "tie" not in sign.standoff:
        yield "standoff.tie is missing"
    for number, sentence in enumerate(sign.sentence, 1):
        yield from (f"sentence {number}: no game {game!r}" for game in sentence.games if game not in games)
    for change, notice in sign.notice.items():
        if bool(notice.minutes) == bool(notice.coups):
            yield f"notice.{change}: give either minutes or coups"


def demo_problems(demo: Demo, roles: set[str]) -> Iterator[str]:
    """Yield what the types cannot check."""
    named = [("supervisor", demo.supervisor), ("manager", demo.manager)]
    named += [("jackpot.role", demo.jackpot.role)] if demo.jackpot else []
    yield from (f"{key}: no role {role!r}" for key, role in named if role not in roles)
