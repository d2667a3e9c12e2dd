"""The jackpots of the demo, by rulebook: parameters as an operator would set them, and hands that win."""

from collections.abc import Sequence
from dataclasses import dataclass

from sabot_protocol import rulebooks

_BURNT = 1  # card, face down: as every rulebook with a jackpot has it
_FIRST_COUP = ("KC", "2D", "9C", "3D")  # Player 9, a natural: four cards


class NoSuchHandError(ValueError):
    """A hand that the book's jackpot does not have; the message lists those that there are."""


@dataclass(frozen=True)
class DemoJackpot:
    """One jackpot that links all tables, and the people who pay it."""

    id: str
    currency: str
    toml: str  # without its tables
    hands: dict[str, tuple[str, str, str, str]]  # name for --stack: first four cards of a winning coup; first: default
    wager: str  # that takes part in the pay-out
    role: str  # of the person who confirms

    @property
    def division(self) -> str:
        """How a prize is divided, in words."""
        return "equal" if 'division = "equal"' in self.toml else "in proportion to the stakes"

    def text(self, tables: Sequence[str]) -> str:
        """Return the parameters as TOML, for these tables."""
        names = ", ".join(f'"{name}"' for name in tables)
        return self.toml.replace("TABLES", f"[{names}]")


_CROWN = DemoJackpot(
    id="lucky-tie",
    currency="AUD",
    toml="""\
[[jackpot]]
id = "lucky-tie"
title = "Lucky Tie Jackpot"
rulebook = "crown-baccarat"
currency = "AUD"
in_force = "2025-01-01"
tables = TABLES
funding = "operator"
increment = 25
base = 1000000
unreasonable = 2500
rounding = 100
division = "proportional"
qualifying = ["tie"]
equipment = ["console", "display", "handset"]

[jackpot.trigger]
kind = "lucky_tie"
option = "option_1"
percent = { suited = 100, coloured = 20, non_coloured = 10 }
""",
    hands={
        "lucky-tie": ("8H", "8H", "8H", "8H"),
        "lucky-tie:suited": ("8S", "8S", "8S", "8S"),
        "lucky-tie:coloured": ("8H", "8D", "8D", "8H"),
        "lucky-tie:non-coloured": ("8H", "8S", "8D", "8C"),
    },
    wager="tie",
    role="area_manager",
)

_NEW_ZEALAND = DemoJackpot(
    id="perfect-pair",
    currency="NZD",
    toml="""\
[[jackpot]]
id = "perfect-pair"
title = "Perfect Pair Jackpot"
rulebook = "nz-baccarat"
currency = "NZD"
in_force = "2025-01-01"
tables = TABLES
funding = "operator"
increment = 50
base = 500000
unreasonable = 5000
rounding = 500
division = "equal"
qualifying = ["perfect_pair_player"]
equipment = ["console", "display"]

[jackpot.trigger]
kind = "outcome"
wager = "perfect_pair_player"
percent = { perfect = 100 }
""",
    hands={"perfect-pair": ("4H", "2C", "4H", "KC")},  # Player 8, a natural: four cards
    wager="perfect_pair_player",
    role="casino_supervisor",
)

JACKPOTS = {"crown-baccarat": _CROWN, "nz-baccarat": _NEW_ZEALAND}


def book_of(hand: str) -> str:
    """Return the rulebook whose jackpot this hand wins; the first one with a jackpot, if there is none."""
    return next((book for book, jackpot in JACKPOTS.items() if hand in jackpot.hands), next(iter(JACKPOTS)))


def stacked_cards(rulebook: str, hand: str) -> tuple[str | None, ...]:
    """Return the first cards of a shoe whose second coup is this hand; NoSuchHandError if the book has no such win."""
    jackpot = JACKPOTS.get(rulebooks.load(rulebook).id)
    if jackpot is None:
        choices = " or ".join(f"--rulebook {name}" for name in JACKPOTS)
        raise NoSuchHandError(f"--stack {hand}: rulebook {rulebook} has no jackpot in the demo; use {choices}")
    if hand not in jackpot.hands:
        raise NoSuchHandError(f"--stack {hand}: the jackpot of {rulebook} is won by {', '.join(jackpot.hands)}")
    return (*[None] * _BURNT, *_FIRST_COUP, *jackpot.hands[hand])
