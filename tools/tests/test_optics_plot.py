"""sabot optics: the lines it prints, the picture it draws, and what it says when it cannot."""

import itertools
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from sabot_protocol.cardcode import SETS, set_words
from sabot_sim.optics import signals
from sabot_tools.actions.optics import ReadLine, app, decode, right
from sabot_tools.plot import picture
from sabot_tools.plot.card_read import Caption, Column, read_shapes, speed_text, speeds_m_s
from sabot_tools.plot.picture import Box, Line, Shape, Text
from sabot_tools.plot.time_axis import LEFT, RIGHT, TimeAxis, round_step
from typer.testing import CliRunner, Result

CARD = "8H"
WORD = set_words(1)[CARD]
EDGES = signals.card_edges(WORD, 1000)
COLUMNS: list[Column] = [
    (18_000 + 2_000 * place, 19_000 + 2_000 * place, letter, place == 4) for place, letter in enumerate(WORD)
]
SVG = "{http://www.w3.org/2000/svg}"


def run(*args: object) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args])


def drawn(edges: list[signals.Edge], columns: list[Column]) -> list[Shape]:
    return read_shapes(edges, columns, Caption("title", "8H, margin 0.83", True, "notes"))[0]


def words(shapes: list[Shape]) -> list[str]:
    return [shape.text for shape in shapes if isinstance(shape, Text)]


def test_show_prints_input_lines_of_sabot_read() -> None:
    ran = run("show", "--profile", "dirty", "--seed", 3, "--number", 7, "--set", 2)
    one = signals.read("dirty", 3, 7, 2)
    assert ran.exit_code == 0
    assert json.loads(ran.stdout) == {
        "id": 7,
        "set": 2,
        "edges": [list(edge) for edge in one.edges],
        "kind": one.kind,
        "truth": one.truth,
    }


def test_show_prints_the_number_of_reads_requested() -> None:
    lines = run("show", "--profile", "hostile", "--number", 5, "--count", 4).stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [5, 6, 7, 8]


def test_an_unknown_profile_is_an_error() -> None:
    ran = run("show", "--profile", "sunny")
    assert ran.exit_code == 1
    assert ran.stderr.startswith("sabot optics show: unknown profile 'sunny': expected one of clean,")


def test_an_unknown_card_set_is_an_error() -> None:
    ran = run("show", "--profile", "clean", "--set", SETS + 1)
    assert ran.exit_code == 2
    assert "--set" in ran.stderr


def texts(file: Path) -> list[str]:
    return [element.text or "" for element in ElementTree.parse(file).getroot().iter(f"{SVG}text")]


def test_plot_writes_a_picture_with_all_inputs_and_the_answer(tmp_path: Path) -> None:
    out = tmp_path / "read.svg"
    ran = run("plot", "--profile", "clean", "--seed", 1, "--number", 3, "--out", out)
    assert ran.exit_code == 0
    assert ran.stdout == ""
    one, shown = signals.read("clean", 1, 3), texts(out)
    assert shown[0].startswith(f"{one.truth}: card · ")
    assert shown[0].endswith(" · clean, seed 1, read 3, set 1")
    assert shown[1].startswith(f"answer: {one.truth}, margin 1.00, ")
    assert [name for name in shown if name in ("entry", "exit")] == ["entry", "exit"]
    assert "".join(text for text in shown if text in ("A", "B", "X")).startswith("AB")


def test_a_line_from_show_makes_the_same_picture(tmp_path: Path) -> None:
    line, whole, again = tmp_path / "line.json", tmp_path / "whole.svg", tmp_path / "again.svg"
    line.write_text(run("show", "--profile", "stop_go", "--number", 4).stdout)
    assert run("plot", "--profile", "stop_go", "--number", 4, "--out", whole).exit_code == 0
    assert run("plot", "--edges", line, "--out", again).exit_code == 0
    shapes = [[e.attrib for e in ElementTree.parse(file).iter(f"{SVG}polyline")] for file in (whole, again)]
    assert shapes[0] == shapes[1]
    assert len(shapes[0]) > 6


def test_a_recorded_read_has_neither_kind_nor_truth(tmp_path: Path) -> None:
    line, out = tmp_path / "line.json", tmp_path / "read.svg"
    line.write_text(json.dumps({"id": 12, "set": 1, "edges": EDGES}) + "\n")
    assert run("plot", "--edges", line, "--out", out).exit_code == 0
    assert texts(out)[:2] == [
        "recorded read · 1.00 m/s · line.json, id 12, set 1",
        f"answer: {CARD}, margin 1.00, 1000 mm/s",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Input data was truncated"),
        ('{"id":1}', "Object missing required field `edges`"),
        ('{"edges":[[1]]}', "`$.edges[0]`"),
        ('{"edges":[],"set":99}', "Expected `int` <= 4 - at `$.set`"),
    ],
)
def test_a_bad_line_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    line = tmp_path / "line.json"
    line.write_text(text)
    ran = run("plot", "--edges", line, "--out", tmp_path / "read.svg")
    assert ran.exit_code == 1
    assert ran.stderr.startswith(f"sabot optics plot: {line}: ")
    assert message in ran.stderr


def test_a_missing_file_and_an_unknown_picture_format_are_errors(tmp_path: Path) -> None:
    ran = run("plot", "--edges", tmp_path / "none.json", "--out", tmp_path / "read.svg")
    assert (ran.exit_code, "No such file" in ran.stderr) == (1, True)
    ran = run("plot", "--out", tmp_path / "read.gif")
    assert (ran.exit_code, ran.stderr) == (
        1,
        f"sabot optics plot: {tmp_path / 'read.gif'}: choose a name that ends in .svg or .png\n",
    )
    ran = run("plot", "--out", tmp_path / "nowhere" / "read.svg")
    assert (ran.exit_code, "No such file" in ran.stderr) == (1, True)


def test_without_pillow_a_png_is_an_error_with_the_next_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    ran = run("plot", "--out", tmp_path / "read.png")
    assert ran.exit_code == 1
    assert ran.stderr == "sabot optics plot: a .png needs Pillow: pip install pillow, or write a .svg\n"


def test_a_png_is_twice_the_size_and_shows_the_bands(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    out = tmp_path / "read.png"
    assert run("plot", "--profile", "clean", "--number", 3, "--out", out).exit_code == 0
    with image.open(out) as shown:
        colours = {colour for _, colour in shown.getcolors(1 << 20)}
        assert shown.width == 2 * 1280
    assert (0xCF, 0xE3, 0xFF) in colours


@pytest.mark.parametrize("name", ["show", "plot"])
def test_help_shows_an_example(name: str) -> None:
    assert f"Example: sabot optics {name}" in run(name, "--help").stdout


def test_decode_is_the_readers_answer_and_its_columns() -> None:
    answer, columns = decode(EDGES, 1)
    assert answer == f"{CARD}, margin 1.00, 1000 mm/s"
    assert columns == [(start_us, end_us, letter, False) for start_us, end_us, letter, _ in COLUMNS]
    assert decode(EDGES[:8], 1)[0] == "reject: half drawn"
    assert decode([], 1) == ("reject: nothing", [])
    assert decode(EDGES, 2)[0] == "reject: foreign"


def test_decode_marks_doubtful_columns() -> None:
    """Track B on for four tenths of the first column that has only A."""
    start_us = 18_000 + 2_000 * WORD.index("A")
    half = signals.edges_of([*_switches(EDGES), (start_us, 4), (start_us + 400, 4)])
    answer, columns = decode(half, 1)
    assert answer == "reject: doubtful"
    assert [place for place, (_, _, _, doubtful) in enumerate(columns) if doubtful] == [WORD.index("A")]


def _switches(edges: list[signals.Edge]) -> list[tuple[int, int]]:
    levels = [0, *(level for _, level in edges)]
    return [(t_us, level ^ before) for (t_us, level), before in zip(edges, levels, strict=False)]


@pytest.mark.parametrize(
    ("answer", "kind", "truth", "is_right"),
    [
        ("8H, margin 0.83", "card", "8H", True),
        ("9H, margin 0.83", "card", "8H", False),
        ("8H", "double", None, False),
        ("reject: two cards", "double", None, True),
        ("reject: doubtful", "card", "8H", None),
        ("8H", "", None, None),
    ],
)
def test_an_answer_is_right_wrong_or_not_known(
    answer: str, kind: str, truth: str | None, is_right: bool | None
) -> None:
    assert right(answer, ReadLine([], kind=kind, truth=truth)) is is_right


def test_speeds_come_from_the_presence_edges() -> None:
    assert speeds_m_s(EDGES) == [1.0, 1.0, 1.0]
    assert speed_text(signals.card_edges(WORD, 500)) == "0.50 m/s"
    # 50 mm at 1 m/s, 38 mm at 0.5, 50 mm at 2
    changing = [(0, 1), (50_000, 9), (126_000, 8), (151_000, 0)]
    assert speeds_m_s(changing) == [1.0, 0.5, 2.0]
    assert speed_text(changing) == "0.50 to 2.00 m/s"


@pytest.mark.parametrize(
    "edges",
    [
        [],
        [(0, 1), (50_000, 9)],  # half drawn
        [(0, 1), (20_000, 0)],  # pushed back midway
        [(0, 1), (4, 9), (7, 1), (50_000, 9), (88_000, 8), (138_000, 0)],  # a spike at the exit
    ],
)
def test_without_four_good_presence_edges_there_is_no_speed(edges: list[signals.Edge]) -> None:
    assert speeds_m_s(edges) == []
    assert speed_text(edges) == ""


def test_time_without_cuts_is_linear() -> None:
    axis = TimeAxis.of([0, 40, 60, 100], 0, 100)
    assert [axis.x(t_us) for t_us in (0, 50, 100)] == [LEFT, (LEFT + RIGHT) / 2, RIGHT]
    assert axis.holds(70)
    assert not axis.holds(101)


def test_a_pause_longer_than_everything_else_is_cut_out() -> None:
    axis = TimeAxis.of([100, 200, 10_200, 10_300], 0, 10_400)
    # 400 us remain, of which 3 per cent stay on either side of the cut
    assert [piece[:2] for piece in axis.pieces] == [(0, 212), (10_188, 10_400)]
    assert not axis.holds(5_000)
    assert axis.pieces[0][3] < axis.x(5_000) < axis.pieces[1][2]
    assert axis.pieces[0][3] - axis.pieces[0][2] == pytest.approx(axis.pieces[1][3] - axis.pieces[1][2])
    assert axis.x(10_400) == pytest.approx(RIGHT)


def test_every_pause_longer_than_any_pull_is_cut_out() -> None:
    axis = TimeAxis.of([100_000, 900_000, 1_000_000, 1_800_000], 0, 1_900_000)
    assert len(axis.pieces) == 3


def test_a_slow_card_is_not_cut() -> None:
    slow = [t_us for t_us, _ in signals.card_edges(WORD, 100)]
    assert len(TimeAxis.of(slow, 0, 1_400_000).pieces) == 1


@pytest.mark.parametrize(("least", "step"), [(1, 1), (1.1, 2), (3, 5), (7, 10), (0.03, 0.05), (1_500, 2_000)])
def test_steps_are_round(least: float, step: float) -> None:
    assert round_step(least) == pytest.approx(step)


def test_columns_are_bands_with_letters_and_doubt_is_red() -> None:
    shapes = drawn(EDGES, COLUMNS)
    letters = [shape for shape in shapes if isinstance(shape, Text) and shape.size == 16 and shape.y > 100]
    assert "".join(one.text for one in letters) == WORD[:5] + "?" + WORD[5:]
    assert [one.colour == "#c8102e" for one in letters] == [place == 4 for place in range(10)]
    bands = [shape for shape in shapes if isinstance(shape, Box)]
    assert len(bands) == 20  # in both panels
    assert [bool(band.outline) for band in bands[10:]] == [place == 4 for place in range(10)]
    pitches = [after.x - before.x for before, after in itertools.pairwise(bands[10:])]
    assert pitches == pytest.approx([2 * bands[10].wide] * 9)


def test_bands_lie_where_the_trace_goes_up() -> None:
    shapes = drawn(EDGES, COLUMNS)
    traces = [shape for shape in shapes if isinstance(shape, Line) and shape.width == 1.6]
    assert len(traces) == 6  # four inputs, and two tracks in large
    track_a = traces[4]
    ups = [
        x
        for (x, low), (again, high) in zip(track_a.points, track_a.points[1:], strict=False)
        if x == again and high < low
    ]
    bands = [shape for shape in shapes if isinstance(shape, Box)][10:]
    assert ups == [pytest.approx(band.x) for band, letter in zip(bands, WORD, strict=True) if letter != "B"]


def test_millimetres_are_drawn_at_constant_speed_only() -> None:
    shapes = drawn(EDGES, COLUMNS)
    assert "travel of the leading edge, mm" in words(shapes)
    exit_x = next(shape.points[1][0] for shape in shapes if isinstance(shape, Line) and shape.width == 1.6)
    entry = next(shape for shape in shapes if isinstance(shape, Text) and shape.text == "0" and shape.y < 140)
    assert entry.x == pytest.approx(exit_x)
    changing = [(0, 1), (50_000, 9), (126_000, 8), (151_000, 0)]
    assert "travel of the leading edge, mm" not in words(drawn(changing, []))


def test_an_open_lid_has_its_own_trace() -> None:
    assert "lid" not in words(drawn(EDGES, COLUMNS))
    assert "lid" in words(drawn([*EDGES, (200_000, 1 << 10)], COLUMNS))


def test_a_cut_shows_its_length() -> None:
    paused = [(t_us + (2_000_000 if t_us > 28_500 else 0), level) for t_us, level in EDGES]
    assert any(text.startswith("19") and text.endswith(" ms") for text in words(drawn(paused, [])))


@pytest.mark.parametrize("edges", [[], [(5, 1)], [(0, 1), (1, 0)], [(5, 2), (9, 0)]])
def test_a_picture_of_very_few_edges(edges: list[signals.Edge]) -> None:
    shapes, wide, high = read_shapes(edges, [], Caption("title", "answer"))
    assert ElementTree.fromstring(picture.svg(shapes, wide, high)).tag == f"{SVG}svg"


@pytest.mark.parametrize("number", range(0, 60, 3))
def test_every_sort_of_read_makes_a_picture_within_its_frame(number: int) -> None:
    one = signals.read("hostile", 1, number)
    shapes, wide, high = read_shapes(one.edges, decode(one.edges, 1)[1], Caption("title", "answer"))
    points = [point for shape in shapes if isinstance(shape, Line) for point in shape.points]
    points += [(shape.x, shape.y) for shape in shapes if not isinstance(shape, Line)]
    assert all(0 <= x <= wide and 0 <= y <= high for x, y in points)


def test_svg_escapes_markup() -> None:
    root = ElementTree.fromstring(picture.svg([Text(0, 0, "<A & B>")], 10, 10))
    assert [element.text for element in root.iter(f"{SVG}text")] == ["<A & B>"]
