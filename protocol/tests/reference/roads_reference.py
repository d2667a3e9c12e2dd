"""A slow reference for the roads, written from the drawing rules alone: it draws every mark on paper, cell by cell.

It shares no code with sabot_protocol and answers in the form of `sabot roads`.
"""

from typing import Any

Cells = list[list[Any]]
ROADS = ((1, "big_eye"), (2, "small"), (3, "cockroach"))


def reference(results: list[str], rows: int) -> dict[str, Any]:
    """Return all roads of some results."""
    answer = bead_plate(results, rows) | big_road(results, rows)
    sides = [result[0] for result in results if result[0] in "BP"]
    for k, name in ROADS:
        marks = [mark for count in range(1, len(sides) + 1) if (mark := derived_mark(sides[:count], k))]
        answer[name] = "".join(marks)
        answer[f"{name}_cells"] = draw(marks, rows)
    answer["ask"] = {side: [derived_mark([*sides, side], k) for k, _ in ROADS] for side in "BP"}
    return answer


def bead_plate(results: list[str], rows: int) -> dict[str, Any]:
    """Every coup, down, then the next column."""
    answer: dict[str, Any] = {"bead": [], "bead_pairs": [], "bead_naturals": []}
    row = column = 0
    for result in results:
        answer["bead"].append([row, column, result[0]])
        pairs = ("b" if "b" in result else "") + ("p" if "p" in result else "")
        if pairs:
            answer["bead_pairs"].append([row, column, pairs])
        if result.endswith("n"):
            answer["bead_naturals"].append([row, column])
        row += 1
        if row == rows:
            row, column = 0, column + 1
    return answer


def big_road(results: list[str], rows: int) -> dict[str, Any]:
    """Streaks of B and P; a tie belongs to the circle before it, or to the first cell."""
    sides: list[str] = []
    ties = [0]  # before the first circle, then after each
    for result in results:
        if result[0] in "BP":
            sides.append(result[0])
            ties.append(0)
        elif result[0] == "T":
            ties[-1] += 1
    cells = draw(sides, rows)
    return {"big": [[*cell, count] for cell, count in zip(cells, ties[1:], strict=True)], "leading_ties": ties[0]}


def draw(marks: list[str], rows: int) -> Cells:
    """Give each mark a cell of an empty sheet: down while there is room, else to the right and then on that row."""
    sheet: set[tuple[int, int]] = set()
    cells: Cells = []
    start, turned = -1, False
    for at, mark in enumerate(marks):
        if at == 0 or mark != marks[at - 1]:
            row, turned = 0, False
            column = start = next(free for free in range(start + 1, len(marks) + 1) if (0, free) not in sheet)
        else:
            turned = turned or row == rows - 1 or (row + 1, column) in sheet
            row, column = (row, column + 1) if turned else (row + 1, column)
        assert (row, column) not in sheet, f"two marks in row {row}, column {column} of {''.join(marks)}"
        sheet.add((row, column))
        cells.append([row, column, mark])
    return cells


def derived_mark(sides: list[str], k: int) -> str | None:
    """Return what the last result marks in the road that looks k columns back, by the depths of all streaks."""
    d: list[int] = []
    for at, side in enumerate(sides):
        if at and side == sides[at - 1]:
            d[-1] += 1
        else:
            d.append(1)
    c, r = len(d) - 1, d[-1] - 1
    if r > 0:
        if c - k < 0:
            return None
        return "L" if d[c - k] == r else "R"
    if c - 1 - k < 0:
        return None
    return "R" if d[c - 1] == d[c - 1 - k] else "L"


def consecutive(results: list[str]) -> dict[str, int]:
    """Return the Dragon Tail Indicator: how many of the newest results are B and how many P, without a gap."""
    numbers = {"B": 0, "P": 0}
    for result in reversed([result for result in results if result[0] != "X"]):
        if result[0] == "T" or any(numbers[side] for side in numbers if side != result[0]):
            break
        numbers[result[0]] += 1
    return numbers
