"""Parameters of jackpots for tests: a Crown Lucky Tie, a New Zealand outcome, a random draw."""

from typing import Any

from sabot_protocol.jackpots.parameters import LuckyTie, Outcome, Parameters, Random

OPTION_1 = LuckyTie("option_1", {"suited": 100, "coloured": 15, "non_coloured": 8})
OPTION_2 = LuckyTie("option_2", {"suited": 100, "non_suited": 12})
OPTION_3 = LuckyTie("option_3", {"lucky_tie": 100})


def crown(**changes: Any) -> Parameters:
    """Return a Lucky Tie at Crown, 25 minor units for each coup."""
    given: dict[str, Any] = {
        "id": "lucky-tie",
        "title": "Lucky Tie",
        "rulebook": "crown-baccarat",
        "currency": "AUD",
        "tables": ("bac-01", "bac-02"),
        "increment": 25,
        "unreasonable": 100,
        "rounding": 100,
        "qualifying": ("tie",),
        "trigger": OPTION_1,
    }
    return Parameters(**(given | changes))


def new_zealand(**changes: Any) -> Parameters:
    """Return a jackpot on Perfect Pairs in New Zealand, 10 minor units for each round and 1.5 % of the stakes."""
    given: dict[str, Any] = {
        "id": "pairs",
        "title": "Perfect Pair",
        "rulebook": "nz-baccarat",
        "currency": "NZD",
        "tables": ("bac-01",),
        "funding": "both",
        "increment": 10,
        "wager_increment": {"perfect_pair_player": "1.5%"},
        "unreasonable": 100_000,
        "rounding": 500,
        "qualifying": ("perfect_pair_player",),
        "trigger": Outcome("perfect_pair_player", {"perfect": 100, "coloured": 20}),
    }
    return Parameters(**(given | changes))


def random_seat(**changes: Any) -> Parameters:
    """Return a jackpot that a draw of table and seat decides."""
    return new_zealand(id="seat", title="Lucky Seat", trigger=Random(("table", "seat")), qualifying=(), **changes)
