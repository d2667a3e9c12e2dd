"""The Table of Play against the printed tables and the golden coups."""

import json
from pathlib import Path
from typing import Any

import pytest
from sabot_protocol import rulebooks, table_of_play
from sabot_protocol.table_of_play import Basis, Decision

VECTORS = Path(__file__).parents[1] / "vectors"
DRAW: dict[str, Any] = json.loads((VECTORS / "draw.json").read_text())
COUPS: list[dict[str, Any]] = [json.loads(line) for line in (VECTORS / "coups.jsonl").read_text().splitlines()]
NZ = rulebooks.load("nz-baccarat").draw


def test_every_cell_of_table_2() -> None:
    for banker in range(10):
        for column in range(11):
            third = None if column == 0 else column - 1
            assert table_of_play.banker_draws(banker, third) is (DRAW["table_2"][banker][column] == "D"), (
                banker,
                third,
            )


def test_the_card_due_in_every_golden_coup() -> None:
    for expected in COUPS:
        left: dict[str, list[str]] = {"player": [*expected["player"]], "banker": [*expected["banker"]]}
        laid: dict[str, list[str]] = {"player": [], "banker": []}
        for card in expected["stock"]:
            side = table_of_play.due(laid["player"], laid["banker"]).partition("_")[0]
            assert left[side].pop(0) == card, expected["state"]
            laid[side].append(card)
        assert table_of_play.due(laid["player"], laid["banker"]) == "", expected["state"]


NATURAL: tuple[Basis, str] = ("natural", "9.2")
STANDS = Decision("player", False, 6, None, "table_1", "9.3")
DRAWS = Decision("player", True, 5, None, "table_1", "9.3")


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    [  # New Zealand 9.2 to 9.5
        ("2S 3S", "4S", ()),
        (
            "9S TS",
            "2S 2H",
            (Decision("player", False, 9, None, *NATURAL), Decision("banker", False, 4, None, *NATURAL)),
        ),
        ("2S 3S", "4S TS", (DRAWS,)),
        ("2S 3S 6H", "4S TS", (DRAWS, Decision("banker", True, 4, 6, "table_2", "9.4"))),
        ("2S 4S", "6S TS", (STANDS, Decision("banker", False, 6, None, "player_stands", "9.5"))),
    ],
)
def test_the_cell_that_decides(player: str, banker: str, expected: tuple[Decision, ...]) -> None:
    assert table_of_play.decisions(NZ, player.split(), banker.split()) == expected
