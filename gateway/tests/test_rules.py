"""The gateway's reading of the rules against the printed tables and the golden coups."""

import json
from pathlib import Path
from typing import Any

import pytest
from sabot_gateway import rules

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
DRAW: dict[str, Any] = json.loads((VECTORS / "draw.json").read_text())
COUPS: list[dict[str, Any]] = [json.loads(line) for line in (VECTORS / "coups.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("points", range(10))
def test_table_1(points: int) -> None:
    assert rules.player_draws(points) is (DRAW["table_1"][points] == "D")


@pytest.mark.parametrize("banker", range(10))
@pytest.mark.parametrize("column", range(11))
def test_table_2(banker: int, column: int) -> None:
    third = None if column == 0 else column - 1
    assert rules.banker_draws(banker, third) is (DRAW["table_2"][banker][column] == "D")


def test_golden_coups() -> None:
    assert len(COUPS) == 532
    for expected in COUPS:
        coup = rules.play([*expected["stock"], "5C", "5D"])
        assert list(coup.player) == expected["player"], expected["state"]
        assert list(coup.banker) == expected["banker"], expected["state"]
        assert len(coup.slots) == len(expected["stock"]), expected["state"]
        for key in ("player_points", "banker_points", "winner", "natural", "player_pair", "banker_pair"):
            assert getattr(coup, key) == expected[key], (expected["state"], key)


@pytest.mark.parametrize("cards", [[], ["2S"] * 3, ["2S", "2H", "2D", "2C"], ["2S", "2H", "2D", "AC", "4S"]])
def test_too_few_cards_are_no_coup(cards: list[str]) -> None:
    with pytest.raises(rules.NotACoupError):
        rules.play(cards)


def test_slots_in_the_order_drawn() -> None:
    assert rules.play(["6S", "2H", "TD", "3C", "4S"]).slots == (
        "player_1",
        "banker_1",
        "player_2",
        "banker_2",
        "banker_3",
    )
