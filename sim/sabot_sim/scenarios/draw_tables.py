"""The printed draw tables (protocol/vectors): which cards a coup takes, and who wins it."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from sabot_protocol.cards import POINTS

_INSTALLED: Final = Path(__file__).with_name("draw.json")  # as the wheel carries it
_DRAW: Final = _INSTALLED if _INSTALLED.exists() else Path(__file__).parents[3] / "protocol" / "vectors" / "draw.json"


@cache
def _tables() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_DRAW.read_text())
    return found


def hands(cards: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return Player's and Banker's cards of the coup that these cards begin with; IndexError if they are too few."""
    player, banker = [cards[0], cards[2]], [cards[1], cards[3]]
    if max(points(player), points(banker)) > 7:
        return player, banker
    column = 0
    if _tables()["table_1"][points(player)] == "D":
        player.append(cards[4])
        column = 1 + POINTS[cards[4]]
    if _tables()["table_2"][points(banker)][column] == "D":
        banker.append(cards[5 if column else 4])
    return player, banker


def points(hand: Sequence[str]) -> int:
    """Return the points of a hand."""
    return sum(POINTS[card] for card in hand) % 10


def winner(player: Sequence[str], banker: Sequence[str]) -> str:
    """Return player, banker or tie."""
    difference = points(player) - points(banker)
    return "tie" if not difference else "player" if difference > 0 else "banker"
