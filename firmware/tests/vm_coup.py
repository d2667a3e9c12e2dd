"""The coup machine against the printed tables and the golden coups."""

from sabot.dealing.coup import _TABLE_1, _TABLE_2, NONE, Coup, value
from sabot.wire import SLOT_BANKER_3, SLOT_PLAYER_3
from support import golden_coups, number, vectors

SLOTS = ("", "player_1", "banker_1", "player_2", "banker_2", "player_3", "banker_3")
WINNERS = ("", "player", "banker", "tie")


def deal(cards):
    coup = Coup()
    for card in cards:
        assert coup.due != NONE, "a card too many"
        coup.draw(number(card))
    return coup


def hand(total):
    """Two ranks with this total that are no pair and no natural by themselves."""
    return ("T", "A23456789"[total - 1]) if total else ("T", "K")


def test_every_cell_of_table_1():
    table = vectors("draw")["table_1"]
    for points in range(8):
        player, banker = hand(points), hand(0)
        coup = deal([player[0] + "S", banker[0] + "H", player[1] + "D", banker[1] + "C"])
        assert (coup.due == SLOT_PLAYER_3) == (table[points] == "D"), points


def test_every_cell_of_table_2():
    table = vectors("draw")["table_2"]
    cells = 0
    for banker_points in range(8):
        for column in range(11):
            player, banker = hand(0 if column else 6), hand(banker_points)
            cards = [player[0] + "S", banker[0] + "H", player[1] + "D", banker[1] + "C"]
            if column:
                cards.append("TA23456789"[column - 1] + "S")
            due = deal(cards).due
            assert (due == SLOT_BANKER_3) == (table[banker_points][column] == "D"), (banker_points, column)
            cells += 1
    assert cells == 88


def test_golden_coups():
    count = 0
    for expected in golden_coups():
        count += 1
        coup = deal(expected["stock"])
        assert coup.due == NONE, expected["state"]
        assert coup.player_points == expected["player_points"], expected["state"]
        assert coup.banker_points == expected["banker_points"], expected["state"]
        assert WINNERS[coup.winner()] == expected["winner"], expected["state"]
        assert bool(coup.natural()) == expected["natural"], expected["state"]
        assert coup.player_pair() == expected["player_pair"], expected["state"]
        assert coup.banker_pair() == expected["banker_pair"], expected["state"]
    assert count == 532


def test_order_of_the_first_four():
    coup = Coup()
    seen = []
    for card in ("2C", "3D", "4H", "2S"):
        seen.append(SLOTS[coup.due])
        coup.draw(number(card))
    assert seen == ["player_1", "banker_1", "player_2", "banker_2"]


def test_card_values():
    assert [value(number(rank + "H")) for rank in "A23456789TJQK"] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0]


def test_ten_and_king_are_no_pair():
    coup = deal(["TC", "2D", "KC", "2H"])
    assert not coup.player_pair()
    assert coup.banker_pair()


def test_the_tables_are_as_printed():
    printed = vectors("draw")
    assert _TABLE_1.decode() == printed["table_1"]
    assert _TABLE_2.decode() == "".join(printed["table_2"])
