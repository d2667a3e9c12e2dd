"""Pictures of the roads: shapes, colours and places by the conventions of the field."""

from xml.etree import ElementTree

from sabot_protocol.roads import Roads, parse
from sabot_protocol.roads.picture import BLUE_INK, GREEN_INK, RED_INK, bead_plate, big_road, derived_roads, svg

SVG = "{http://www.w3.org/2000/svg}"


def shapes(drawing: str, tag: str) -> list[dict[str, str]]:
    return [element.attrib for element in ElementTree.fromstring(drawing).iter(f"{SVG}{tag}")]


def texts(drawing: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(drawing).iter(f"{SVG}text")]


def roads(*results: str) -> Roads:
    return Roads.of(map(parse, results))


def test_beads_are_filled_and_pairs_are_dots_in_their_corners() -> None:
    bead, pair_banker, pair_player = shapes(svg(bead_plate(roads("Tbp"))), "circle")
    assert (bead["fill"], bead["cx"], bead["cy"]) == (GREEN_INK, "10", "10")
    assert (pair_banker["fill"], pair_banker["cx"], pair_banker["cy"]) == (RED_INK, "4", "4")
    assert (pair_player["fill"], pair_player["cx"], pair_player["cy"]) == (BLUE_INK, "16", "16")


def test_a_coup_without_wagers_has_its_own_bead() -> None:
    drawing = svg(bead_plate(roads("X")))
    assert shapes(drawing, "circle")[0]["fill"] == "white"
    assert texts(drawing) == ["X"]


def test_a_natural_is_underlined() -> None:
    grid, line = shapes(svg(bead_plate(roads("Pn"))), "path")
    assert (line["d"], line["stroke"]) == ("M7 16H13", "white")
    assert shapes(svg(bead_plate(roads("P"))), "path") == [grid]


def test_the_big_road_has_hollow_circles() -> None:
    circles = shapes(svg(big_road(roads("B", "P"))), "circle")
    assert [(circle["fill"], circle["stroke"]) for circle in circles] == [("none", RED_INK), ("none", BLUE_INK)]
    assert [(circle["cx"], circle["cy"]) for circle in circles] == [("10", "10"), ("30", "10")]


def test_ties_are_green_strokes_with_a_count_from_two_on() -> None:
    one, three = svg(big_road(roads("B", "T"))), svg(big_road(roads("B", "T", "T", "T")))
    assert [path["stroke"] for path in shapes(one, "path")[1:]] == [GREEN_INK]
    assert (texts(one), texts(three)) == ([], ["3"])


def test_ties_before_the_first_circle_are_in_the_first_cell() -> None:
    before, after = svg(big_road(roads("T", "T"))), svg(big_road(roads("T", "T", "P", "T")))
    assert shapes(before, "path")[1]["d"] == shapes(after, "path")[1]["d"] == "M2 18L18 2"
    assert (texts(before), texts(after)) == (["2"], ["3"])


def test_letters_for_paper_without_colours() -> None:
    assert texts(svg(big_road(roads("B", "P", "T", "T"), letters=True))) == ["2", "B", "P"]


def test_rings_dots_and_slashes() -> None:
    """BPBP then P: each derived road has red first and blue last."""
    ring, dot, slash = (svg(drawing) for drawing in derived_roads(roads(*"BPBPP")))
    assert [(circle["fill"], circle["stroke"]) for circle in shapes(ring, "circle")] == [
        ("none", RED_INK),
        ("none", RED_INK),
        ("none", BLUE_INK),
    ]
    assert [circle["fill"] for circle in shapes(dot, "circle")] == [RED_INK, BLUE_INK]
    assert [path["stroke"] for path in shapes(slash, "path")[1:]] == [BLUE_INK]


def test_a_picture_is_as_wide_as_its_road_and_at_least_twelve_columns() -> None:
    (small,) = shapes(svg(big_road(roads("B"))), "svg")
    (wide,) = shapes(svg(big_road(roads(*"BP" * 10))), "svg")
    assert (small["viewBox"], wide["viewBox"]) == ("0 0 241 121", "0 0 401 121")
    assert (small["role"], small["aria-label"]) == ("img", "Big road")
