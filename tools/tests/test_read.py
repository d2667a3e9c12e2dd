"""sabot cards and sabot read, as outside programs call them."""

import json
import subprocess
from typing import Any

import forked_sabot
import pytest
from sabot_protocol.cardcode import set_words
from sabot_protocol.cards import DECK
from sabot_sim.optics import signals

GEOMETRY = {
    "columns": 10,
    "pitch_um": 2000,
    "mark_um": 1000,
    "first_mark_um": 6000,
    "card_um": 88000,
    "sensors_um": {"entry": 0, "a": 12000, "b": 12000, "exit": 50000},
}
CARD = signals.card_edges(set_words(1)["8H"], 800)
CUTTING_CARD = signals.cutting_card_edges(500)


def sabot(*args: str, lines: str = "") -> subprocess.CompletedProcess[str]:
    return forked_sabot.sabot(*args, lines=lines)


def answers(*lines: Any, bench: str = "cpython", status: int = 0) -> list[Any]:
    """Return the replies of `sabot read` to these lines; a line that is not text is sent as JSON."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    ran = sabot("read", "--bench", bench, lines=text)
    assert ran.returncode == status, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def later(edges: list[signals.Edge], start_us: int) -> list[signals.Edge]:
    return [(start_us + t_us, pins) for t_us, pins in edges]


def test_cards_as_json() -> None:
    output = json.loads(sabot("cards", "--set", "2", "--json").stdout)
    assert (output["set"], output["geometry"]) == (2, GEOMETRY)
    assert output["pins"] == {"entry": 0, "a": 1, "b": 2, "exit": 3}
    assert list(output["words"]) == list(DECK)
    assert output["words"] == set_words(2)


def test_cards_for_people() -> None:
    shown = sabot("cards", "--set", "3").stdout
    assert "set 3 of 4" in shown
    assert f"8H {set_words(3)['8H']}" in shown


def test_an_unknown_card_set() -> None:
    ran = sabot("cards", "--set", "5")
    assert ran.returncode == 2
    assert "5 is not in the range 1<=x<=4" in ran.stderr


@pytest.mark.parametrize("bench", ["unix", "cpython"])
def test_a_card_the_cutting_card_and_a_reject(bench: str) -> None:
    replies = answers(
        {"id": 0, "set": 1, "edges": CARD},
        {"id": "one", "set": 1, "edges": CUTTING_CARD},
        {"id": 2, "set": 2, "edges": CARD},
        {"id": 3, "set": 1, "edges": [[0, 1], [30_000, 0]]},
        bench=bench,
    )
    assert (replies[0]["id"], replies[0]["card"], replies[0]["margin"], replies[0]["speed_mm_s"]) == (0, "8H", 1.0, 800)
    assert (replies[1]["id"], replies[1]["card"]) == ("one", "CUT")
    assert [line["reject"] for line in replies[2:]] == ["foreign", "short_pull"]


def test_doubtful_columns_are_named() -> None:
    start_us = 18_000 * 1000 // 800 + 2_500 * set_words(1)["8H"].index("A")
    edges = [(t, p | 4 if start_us <= t < start_us + 500 else p) for t, p in CARD]
    edges = sorted([*edges, (start_us + 500, 1 | 2)])
    (reply,) = answers({"id": 0, "edges": edges})
    assert (reply["reject"], reply["doubtful"]) == ("doubtful", [set_words(1)["8H"].index("A") + 1])


def test_several_cards_in_one_line() -> None:
    edges = [*CARD, *later(CUTTING_CARD, 1_000_000), *later([(0, 1), (30_000, 0)], 3_000_000)]
    (reply,) = answers({"id": 7, "edges": edges})
    assert reply["cards"] == ["8H", "CUT", None]
    assert [read.get("card") for read in reply["reads"]] == ["8H", "CUT", None]
    assert reply["reject"] == "short_pull"


def test_noise_beside_a_card_is_only_counted() -> None:
    spikes = [(0, 2), (40, 0), (60_000, 1), (60_050, 0)]
    (reply,) = answers({"id": 0, "edges": [*spikes, *later(CARD, 300_000)]})
    assert (reply["card"], reply["noise"]) == ("8H", 2)
    assert answers({"id": 0, "edges": spikes})[0]["reject"] == "noise"


def test_times_count_from_the_first_edge() -> None:
    assert answers({"id": 0, "edges": later(CARD, 1_763_000_000_000_000)})[0]["card"] == "8H"


def test_bad_lines_are_answered_with_an_error_and_the_others_are_unaffected() -> None:
    replies = answers(
        {"id": 0, "set": 9, "edges": []},
        {"id": 1, "edges": [[5, 1], [3, 0]]},
        {"id": 2, "edges": [[0, 1], [90_000_000_000, 0]]},
        {"id": 3, "edges": [[-1, 1]]},
        {"id": 4},
        "no JSON",
        {"id": 6, "edges": CARD},
        status=1,
    )
    errors = ["$.set", "edges[1]: 3 us comes after 5 us", "more than a day", "edges[0][0]", "missing", "line 6"]
    for line, error in zip(replies[:6], errors, strict=True):
        assert error in line["error"]
    assert [line["id"] for line in replies] == [0, 1, 2, 3, 4, None, 6]
    assert replies[6]["card"] == "8H"


def test_an_unknown_bench() -> None:
    ran = sabot("read", "--bench", "rp2350")
    assert ran.returncode == 2
    assert "unix, cpython" in ran.stderr


def test_bench_optics_as_json() -> None:
    args = ["bench", "optics", "--reads", "30", "--profile", "clean", "--profile", "double", "--json"]
    output = json.loads(sabot(*args, "--bench", "cpython").stdout)
    assert (output["reads"], output["wrong"], output["ok"]) == (60, 0, True)
    assert output["profiles"]["clean"]["right"] == 30
    assert output["profiles"]["double"]["refused"] == 30
