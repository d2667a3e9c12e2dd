"""The shape of [sign] and [demo] in a rulebook: what its table sign says, and what the demo shows of it."""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from sabot_protocol.cards import INDEX

_AMOUNT = re.compile(r"\d{1,3}(,\d{3})*|\d+")
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

    def payout_clause(self, wager: str) -> str:
        """Return the clause by which the pay-out of a wager may be limited (D-49); empty if the book has none."""
        return self.limited_payout.get(without_side(wager)) or self.limited_payout.get(wager, "")


def without_side(wager: str) -> str:
    """Return a wager's name without its hand: pair_player is pair."""
    return wager.removesuffix("_player").removesuffix("_banker")


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


def sign_problems(sign: Sign, games: dict[str, object], styles: tuple[str, ...], wagers: set[str]) -> Iterator[str]:
    """Yield what the types cannot check."""
    if "tie" not in sign.standoff:
        yield "standoff.tie is missing"
    for number, sentence in enumerate(sign.sentence, 1):
        yield from (f"sentence {number}: no game {game!r}" for game in sentence.games if game not in games)
        yield from (f"sentence {number}: no style {name!r}" for name in {sentence.style} - {"", *styles})
        yield from (f"sentence {number}: no wager {name!r}" for name in sentence.wagers if name not in wagers)
    bases = {without_side(name) for name in wagers}
    yield from (f"limited_payout: no wager {name!r}" for name in sign.limited_payout if name not in wagers | bases)
    for change, notice in sign.notice.items():
        given = (("minutes", notice.minutes), ("coups", notice.coups))
        yield from (f"notice.{change}: {key}: {number} is below 0" for key, number in given if number < 0)
        if bool(notice.minutes) == bool(notice.coups):
            yield f"notice.{change}: give either minutes or coups"


def demo_problems(demo: Demo, roles: set[str], wagers: set[str]) -> Iterator[str]:
    """Yield what the types cannot check."""
    for key in ("minimum", "maximum", "pair_minimum", "pair_maximum"):
        if not _AMOUNT.fullmatch(amount := getattr(demo, key)):
            yield f"{key}: {amount!r} is no amount: write 50 or 10,000"
    if demo.jackpot:
        if demo.jackpot.wager not in wagers:
            yield f"jackpot.wager: no wager {demo.jackpot.wager!r}"
        for name, cards in demo.jackpot.hands.items():
            yield from (f"jackpot.hands.{name}: {card!r} is no card" for card in cards if card not in INDEX)
    named = [("supervisor", demo.supervisor), ("manager", demo.manager)]
    named += [("jackpot.role", demo.jackpot.role)] if demo.jackpot else []
    yield from (f"{key}: no role {role!r}" for key, role in named if role not in roles)
