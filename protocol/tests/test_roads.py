"""The roads: the vectors of the field, and a naive reading of the drawing rules on random shoes."""

import os
import random
import sys
from itertools import groupby
from typing import Any

import pytest
from sabot_protocol.roads import ResultError, RoadResult, Roads, of_coup, parse

VECTORS = [
    ("BPBPBP", "RRRR", "RRR", "RR"),
    ("BBPPPBTTB", "RLLR", "R", ""),
    ("BBPBBBBBB", "LLRRRR", "RLRRR", ""),
    ("BBBPBBPPPPB", "LLLRLRL", "RLLRRL", "RRLL"),
    ("PPBBPPBBPPPP", "RRRRRRRLR", "RRRRRLR", "RRRLR"),
]


def drawn(results: str, rows: int = 6) -> Roads:
    return Roads.of(map(parse, results), rows)


def circles(roads: Roads) -> list[tuple[int, int, str, int]]:
    return [(cell.row, cell.column, cell.mark, cell.ties) for cell in roads.big]


@pytest.mark.parametrize(("results", "big_eye", "small", "cockroach"), VECTORS)
def test_vectors_of_the_derived_roads(results: str, big_eye: str, small: str, cockroach: str) -> None:
    assert [road.marks() for road in drawn(results).derived] == [big_eye, small, cockroach]


def test_layout_of_seven_seven_one() -> None:
    cells = [(row, column) for row, column, _, _ in circles(drawn("B" * 7 + "P" * 7 + "B"))]
    down = [(row, 0) for row in range(6)]
    assert cells[:7] == [*down, (5, 1)]
    assert cells[7:14] == [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (4, 2), (4, 3)]
    assert cells[14:] == [(0, 2)]


def test_a_tail_stays_on_its_row() -> None:
    """The second tail turns above the first; behind the end of the first it could fall, but does not."""
    assert circles(drawn("B" * 8 + "P" * 9))[-4:] == [(4, 2, "P", 0), (4, 3, "P", 0), (4, 4, "P", 0), (4, 5, "P", 0)]


def test_a_streak_starts_behind_a_tail_on_the_top_row() -> None:
    """On two rows the second streak turns on the top row, so the third starts behind it."""
    assert [cell[:2] for cell in circles(drawn("BBBPPPB", rows=2))] == [
        (0, 0),
        (1, 0),
        (1, 1),
        (0, 1),
        (0, 2),
        (0, 3),
        (0, 4),
    ]


def test_bead_plate_goes_down_six() -> None:
    assert drawn("BPTXBPT").bead == [
        (0, 0, "B"),
        (1, 0, "P"),
        (2, 0, "T"),
        (3, 0, "X"),
        (4, 0, "B"),
        (5, 0, "P"),
        (0, 1, "T"),
    ]


def test_ties_neither_start_nor_break_a_streak() -> None:
    roads = drawn("TTBTBTTP")
    assert (roads.leading_ties, circles(roads)) == (2, [(0, 0, "B", 1), (1, 0, "B", 2), (0, 1, "P", 0)])


def test_a_coup_without_wagers_is_only_a_bead() -> None:
    assert circles(drawn("BXXB")) == circles(drawn("BB"))
    assert len(drawn("BXXB").bead) == 4


def test_what_the_next_result_would_mark() -> None:
    """BPBP: a fifth column compares equal columns; a second P is compared with a column of one."""
    roads = drawn("BPBP")
    assert roads.ask("B") == ("R", "R", "R")
    assert roads.ask("P") == ("L", "L", "L")
    assert drawn("").ask("B") == (None, None, None)
    assert drawn("BP").ask("P") == ("L", None, None)
    assert drawn("BP").ask("B") == ("R", None, None)


def test_each_coup_returns_its_marks() -> None:
    roads = drawn("BP")
    added = roads.add(parse("Bbp"))
    assert added.bead == (2, 0, "B")
    assert added.big is roads.big[-1]
    assert (added.big.banker_pair, added.big.player_pair) == (True, True)
    assert added.derived == ((0, 0, "R"), None, None)
    assert roads.add(parse("T"))[1:] == (None, (None, None, None))
    assert roads.add(parse("X")) == ((4, 0, "X"), None, (None, None, None))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B", ("B", False, False)),
        ("Tb", ("T", True, False)),
        ("Pp", ("P", False, True)),
        ("Bbp", ("B", True, True)),
        ("Bpb", ("B", True, True)),
        ("X", ("X", False, False)),
    ],
)
def test_results(text: str, expected: tuple[str, bool, bool]) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize("text", ["", "b", "Q", "Xb", "Bbb", "Bx", "BB", "B ", "END"])
def test_what_is_not_a_result(text: str) -> None:
    with pytest.raises(ResultError, match="is not a result: expected B, P or T"):
        parse(text)


def test_coups_of_every_kind() -> None:
    assert of_coup("live", "banker", True, False) == RoadResult("B", True, False)
    assert of_coup("free_hand", "tie", False, False) == RoadResult("T")
    assert [of_coup(kind, "player", True, True) for kind in ("no_bet", "dummy", "void_hand")] == [RoadResult("X")] * 3
    assert of_coup("void", None, False, False) is None
    assert of_coup("live", None, False, False) is None


# A naive reading of the rules: every mark from the whole list of results, every cell by trying.


def naive_layout(streaks: list[str], rows: int) -> list[tuple[int, int, str]]:
    taken: dict[tuple[int, int], str] = {}
    start = -1
    for streak in streaks:
        start += 1
        while (0, start) in taken:
            start += 1
        row, column, turned = 0, start, False
        taken[0, start] = streak[0]
        for mark in streak[1:]:
            turned = turned or row + 1 == rows or (row + 1, column) in taken
            row, column = (row, column + 1) if turned else (row + 1, column)
            assert (row, column) not in taken
            taken[row, column] = mark
    return [(row, column, mark) for (row, column), mark in taken.items()]


def naive_streaks(marks: str) -> list[str]:
    return ["".join(group) for _, group in groupby(marks)]


def naive_mark(results: str, distance: int) -> str | None:
    """Return the mark of the last of some results B and P, by depths of whole streaks."""
    depths = [len(streak) for streak in naive_streaks(results)]
    c, r = len(depths) - 1, depths[-1] - 1
    if r > 0:
        return None if c - distance < 0 else "L" if depths[c - distance] == r else "R"
    if c - 1 - distance < 0:
        return None
    return "R" if depths[c - 1] == depths[c - 1 - distance] else "L"


def naive(results: str, rows: int) -> dict[str, Any]:
    sides = results.replace("T", "").replace("X", "")
    wagered = results.replace("X", "")
    after = [len(group) for group in wagered.replace("P", "B").split("B")]
    found: dict[str, Any] = {
        "bead": [(at % rows, at // rows, mark) for at, mark in enumerate(results)],
        "leading": after[0],
        "big": [(*cell, ties) for cell, ties in zip(naive_layout(naive_streaks(sides), rows), after[1:], strict=True)],
    }
    for distance in (1, 2, 3):
        marks = "".join(naive_mark(sides[: at + 1], distance) or "" for at in range(len(sides)))
        found[f"derived {distance}"] = naive_layout(naive_streaks(marks), rows)
    found["ask"] = [tuple(naive_mark(sides + side, distance) for distance in (1, 2, 3)) for side in "BP"]
    return found


def computed(roads: Roads) -> dict[str, Any]:
    found: dict[str, Any] = {"bead": roads.bead, "leading": roads.leading_ties, "big": circles(roads)}
    found |= {f"derived {distance}": road.cells for distance, road in enumerate(roads.derived, 1)}
    found["ask"] = [roads.ask("B"), roads.ask("P")]
    return found


def random_shoe(chance: random.Random) -> str:
    """Return results of a shoe in which streaks are short or long."""
    stay, side, results = chance.choice([0.3, 0.5, 0.8, 0.95]), "B", ""
    for _ in range(chance.randrange(90)):
        side = side if chance.random() < stay else "P" if side == "B" else "B"
        results += chance.choices([side, "T", "X"], [0.85, 0.1, 0.05])[0]
    return results


def test_random_shoes_against_the_naive_reading() -> None:
    """`SABOT_SHOES=100000` tries more of them."""
    chance = random.Random(1)
    for _ in range(int(os.environ.get("SABOT_SHOES", "150"))):
        results, rows = random_shoe(chance), chance.choice([6, 6, 6, 1, 2, 3, 9])
        assert computed(drawn(results, rows)) == naive(results, rows), (results, rows)


def test_a_corrected_shoe_is_the_shoe_of_the_corrected_results() -> None:
    """The fourth coup becomes Player, the sixth is voided."""
    results = [parse(mark) for mark in "BBPBTPB"]
    results[3] = parse("P")
    del results[5]
    assert computed(Roads.of(results)) == naive("BBPPTB", 6)


def calls_of_add(roads: Roads, mark: str) -> int:
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        roads.add(parse(mark))
    finally:
        sys.setprofile(None)
    return count


def test_a_coup_costs_the_same_in_a_long_shoe() -> None:
    assert calls_of_add(drawn("BP" * 10), "B") == calls_of_add(drawn("BP" * 1_000), "B")
    assert calls_of_add(drawn("BP" + "B" * 10), "B") == calls_of_add(drawn("BP" + "B" * 1_000), "B")
