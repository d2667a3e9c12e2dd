"""The roads: the vectors of the field, and random shoes against a slow reference."""

import sys

import pytest
from roads_check import check
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
        ("Bn", ("B", False, False)),
        ("Tbpn", ("T", True, True)),
        ("X", ("X", False, False)),
    ],
)
def test_results(text: str, expected: tuple[str, bool, bool]) -> None:
    assert parse(text) == (*expected, text.endswith("n"))


@pytest.mark.parametrize("text", ["", "b", "Q", "Xb", "Xn", "Bnb", "Bnn", "n", "Bbb", "Bx", "BB", "B ", "END"])
def test_what_is_not_a_result(text: str) -> None:
    with pytest.raises(ResultError, match="is not a result: expected B, P or T"):
        parse(text)


def test_a_result_as_text() -> None:
    assert [parse(text).text() for text in ("B", "Tpb", "Pbpn", "X")] == ["B", "Tbp", "Pbpn", "X"]


def test_coups_of_every_kind() -> None:
    assert of_coup("live", "banker", True, False) == RoadResult("B", True, False)
    assert of_coup("live", "banker", False, True, natural=True) == RoadResult("B", False, True, True)
    assert of_coup("free_hand", "tie", False, False) == RoadResult("T")
    assert [of_coup(kind, "player", True, True) for kind in ("no_bet", "dummy", "void_hand")] == [RoadResult("X")] * 3
    assert of_coup("void", None, False, False) is None
    assert of_coup("live", None, False, False) is None


def test_random_shoes_against_the_reference() -> None:
    """`make roads` compares 100,000 of them."""
    tally = check(shoes=200, seed=1)
    assert tally.corrections > 50


def test_a_corrected_shoe_is_the_shoe_of_the_corrected_results() -> None:
    """The fourth coup becomes Player, the sixth is voided; expected by hand."""
    results = [parse(mark) for mark in "BBPBTPB"]
    roads = Roads.of(results)
    results[3] = parse("P")
    del results[5]
    corrected = roads.updated(results)
    assert circles(corrected) == [(0, 0, "B", 0), (1, 0, "B", 0), (0, 1, "P", 0), (1, 1, "P", 1), (0, 2, "B", 0)]
    assert [road.marks() for road in corrected.derived] == ["RR", "", ""]


def test_results_that_continue_a_shoe_are_added_to_it() -> None:
    roads = drawn("BBP")
    assert roads.updated([parse(mark) for mark in "BBPT"]) is roads
    assert circles(roads)[-1] == (0, 1, "P", 1)
    assert roads.updated([parse(mark) for mark in "BB"]) is not roads


def test_the_newest_streak_ignores_ties() -> None:
    assert [drawn(results).streak() for results in ("", "TT", "B", "BPPTP", "BPPTPXB")] == [
        ("", 0),
        ("", 0),
        ("B", 1),
        ("P", 3),
        ("B", 1),
    ]


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
