"""Plays coups by the printed tables in protocol/vectors, with neither the shoe's code nor the gateway's."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
DRAW: dict[str, Any] = json.loads((VECTORS / "draw.json").read_text())
GOLDEN: list[dict[str, Any]] = [json.loads(line) for line in (VECTORS / "coups.jsonl").read_text().splitlines()]
COMPARED = ("player", "banker", "player_points", "banker_points", "winner", "natural", "player_pair", "banker_pair")


def total(hand: list[str]) -> int:
    return sum("A23456789".find(card[0]) + 1 for card in hand) % 10


def coup(stock: list[str]) -> dict[str, Any]:
    """Play one coup from the front of the stock and remove its cards."""
    player, banker = [stock.pop(0)], [stock.pop(0)]
    player.append(stock.pop(0))
    banker.append(stock.pop(0))
    natural = max(total(player), total(banker)) > 7
    if not natural:
        column = 0
        if DRAW["table_1"][total(player)] == "D":
            player.append(stock.pop(0))
            column = 1 + total(player[2:])
        if DRAW["table_2"][total(banker)][column] == "D":
            banker.append(stock.pop(0))
    player_points, banker_points = total(player), total(banker)
    return {
        "player": player,
        "banker": banker,
        "player_points": player_points,
        "banker_points": banker_points,
        "winner": "tie" if player_points == banker_points else "player" if player_points > banker_points else "banker",
        "natural": natural,
        "player_pair": player[0][0] == player[1][0],
        "banker_pair": banker[0][0] == banker[1][0],
    }


def golden_shoes(decks: int = 8) -> list[list[str]]:
    """Return the golden coups as stacks of this many decks, the cutting card before the last coup of each."""
    shoes: list[list[list[str]]] = [[]]
    used: Counter[str] = Counter()
    for golden in GOLDEN:
        if any((used + Counter(golden["stock"]))[card] > decks - 1 for card in golden["stock"]):
            shoes.append([])
            used.clear()
        used.update(golden["stock"])
        shoes[-1].append(golden["stock"])
    return [["KS", *(card for stock in coups[:-1] for card in stock), "CUT", *coups[-1]] for coups in shoes]
