"""Then: coups of four, five and six cards, as the printed tables have them."""

import pytest
from support import oracle
from support.bench_shoe import Shoe


@pytest.mark.parametrize("cards", [4, 5, 6])
def test_a_coup_follows_the_printed_tables(shoe: Shoe, cards: int) -> None:
    stock = next(one["stock"] for one in oracle.GOLDEN if len(one["stock"]) == cards)
    expected = oracle.coup(list(stock))
    shoe.press("new_shoe")
    for card in ["KS", *stock]:
        shoe.card(card)
    shoe.press("confirm")
    hands: dict[str, list[str]] = {"player": [], "banker": []}
    for event in shoe.of("card")[1:]:
        hands[event.data["slot"][:-2]].append(event.data["card"])
    (coup,) = shoe.of("coup")
    flags = [name for name in ("natural", "player_pair", "banker_pair") if coup.data["flags"][name]]
    assert hands == {"player": expected["player"], "banker": expected["banker"]}
    assert [coup.data[name] for name in ("winner", "player_points", "banker_points")] == [
        expected[name] for name in ("winner", "player_points", "banker_points")
    ]
    assert flags == [name for name in ("natural", "player_pair", "banker_pair") if expected[name]]
