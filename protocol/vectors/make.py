"""Writes coups.jsonl from draw.json; imports nothing of what it tests."""

import json
from itertools import cycle
from pathlib import Path

HERE = Path(__file__).parent
DRAW = json.loads((HERE / "draw.json").read_text())
RANK_OF_VALUE = {0: "TJQK", **{value: "A23456789"[value - 1] for value in range(1, 10)}}


def cards_of() -> "dict[int, cycle[str]]":
    """For each value, its cards in turn, so that ranks and suits vary."""
    return {value: cycle([rank + suit for suit in "SHDC" for rank in ranks]) for value, ranks in RANK_OF_VALUE.items()}


def initial_totals() -> "list[tuple[int, int, list[int | None]]]":
    """Player's points, Banker's points, and the Player's third cards to try: every state of the first four cards."""
    states: list[tuple[int, int, list[int | None]]] = []
    for player in range(10):
        for banker in range(10):
            natural = player >= 8 or banker >= 8
            draws = not natural and DRAW["table_1"][player] == "D"
            states.append((player, banker, list(range(10)) if draws else [None]))
    return states


def coups() -> "list[dict[str, object]]":
    """One coup for each state and third card; splits of a total into two cards vary from coup to coup."""
    deal, firsts, thirds = cards_of(), cycle(range(10)), cycle([0, 7, 4, 1, 8, 5, 2, 9, 6, 3])
    found = []
    for player_total, banker_total, third_cards in initial_totals():
        for third in third_cards:
            p1, b1 = next(firsts), next(firsts)
            player = [next(deal[p1]), next(deal[(player_total - p1) % 10])]
            banker = [next(deal[b1]), next(deal[(banker_total - b1) % 10])]
            natural = player_total >= 8 or banker_total >= 8
            stock = [player[0], banker[0], player[1], banker[1]]
            if third is not None:
                player.append(next(deal[third]))
                stock.append(player[2])
            column = 0 if third is None else third + 1
            banker_points = banker_total
            if not natural and DRAW["table_2"][banker_total][column] == "D":
                value = next(thirds)
                banker.append(next(deal[value]))
                stock.append(banker[2])
                banker_points = (banker_total + value) % 10
            player_points = (player_total + (third or 0)) % 10
            found.append(
                {
                    "state": f"Player {player_total}, Banker {banker_total}, third {third}",
                    "stock": stock,
                    "player": player,
                    "banker": banker,
                    "player_points": player_points,
                    "banker_points": banker_points,
                    "winner": ("tie", "player", "banker")[
                        (player_points > banker_points) - (player_points < banker_points)
                    ],
                    "natural": natural,
                    "player_pair": player[0][0] == player[1][0],
                    "banker_pair": banker[0][0] == banker[1][0],
                }
            )
    return found


def main() -> None:
    """Rewrite the file."""
    (HERE / "coups.jsonl").write_text("".join(json.dumps(coup) + "\n" for coup in coups()))


if __name__ == "__main__":
    main()
