"""Roads on the page of a shoe: what is drawn, and what stands below about corrected and disputed coups."""

import re
from typing import Any

from report_samples import report
from sabot_floor.reports.html import render
from sabot_floor.reports.rows import CoupRow
from sabot_protocol.topics import Winner


def coup(number: int, winner: Winner | None, **changed: Any) -> CoupRow:
    """Return a coup of bac-01, shoe 3."""
    values: dict[str, Any] = {
        "coup_id": f"unit-{number}",
        "time": f"2026-11-17T10:{number:02}:00.000Z",
        "table": "bac-01",
        "unit": "5ab0000000000001",
        "shoe": 3,
        "coup": number,
        "kind": "live",
        "status": "confirmed",
        "winner": winner,
        "player": ["8H", "KC"],
        "banker": ["2S", "4D"],
        "player_points": 8,
        "banker_points": 6,
        "player_pair": False,
        "banker_pair": False,
        "natural": True,
        "last_coup": False,
    }
    return CoupRow(**values | changed)


def pictures(page: str) -> list[str]:
    """Return the letters and numbers in each picture of a page, in the order drawn."""
    found = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    return ["".join(re.findall(r"<text[^>]*>([^<]*)</text>", picture)) for picture in found]


def remarks(page: str) -> list[str]:
    """Return the sentences below the roads."""
    section = page[page.index('id="roads"') :].partition("</section>")[0]
    return re.findall(r"<li>(.*?)</li>", section)


def test_bead_plate_and_big_road_follow_the_coups() -> None:
    """Drawn in the order of play whatever the order of the rows: B, P, tie, coup without wagers, B."""
    rows = [
        coup(5, "banker"),
        coup(1, "banker", banker_pair=True),
        coup(2, "player"),
        coup(3, "tie"),
        coup(4, "player", kind="no_bet"),
    ]
    page = render(report("shoe", coups=rows))
    assert pictures(page) == ["BPTXB", "BPB"]
    assert remarks(page) == []
    assert 'aria-label="Bead plate"' in page
    assert "xmlns" not in page


def test_a_void_coup_is_left_out_and_its_correction_is_below() -> None:
    first = coup(2, "player", corrected_by="unit-9")
    void = coup(2, None, kind="void", status="void", by="A. Smith", role="gaming_supervisor", clause="12.1.2")
    page = render(report("shoe", coups=[coup(1, "banker"), void, coup(3, "banker")], corrected=[first]))
    assert pictures(page) == ["BB", "BB"]
    assert remarks(page) == [
        "Coup 2 was corrected: first Player, Player 8, Banker 6; "
        "now void, by A. Smith (gaming supervisor), clause 12.1.2."
    ]


def test_the_status_alone_makes_a_coup_void() -> None:
    page = render(report("shoe", coups=[coup(1, "banker"), coup(2, "player", status="void")]))
    assert pictures(page) == ["B", "B"]


def test_a_corrected_winner_is_drawn_as_it_is_now() -> None:
    now = coup(1, "tie", player_points=6, by="<b>A. Smith</b>")
    page = render(report("shoe", coups=[now, coup(2, "player")], corrected=[coup(1, "banker")]))
    assert pictures(page) == ["TP", "P"]
    assert remarks(page) == [
        "Coup 1 was corrected: first Banker, Player 8, Banker 6; now Tie, Player 6, Banker 6, "
        "by &lt;b&gt;A. Smith&lt;/b&gt;."
    ]


def test_a_dispute_that_changed_nothing_is_no_correction() -> None:
    rows = [coup(1, "banker", by="A. Smith", clause="12.13")]
    page = render(report("shoe", coups=rows, corrected=[coup(1, "banker", status="disputed")]))
    assert remarks(page) == [
        "Coup 1 was decided as it was dealt: Banker, Player 8, Banker 6, by A. Smith, clause 12.13."
    ]


def test_a_void_coup_has_cards_and_no_points() -> None:
    page = render(report("shoe", coups=[coup(1, None, kind="void", player=["2S"], banker=[], player_points=0)]))
    assert "2♠" in page
    assert "points" not in page
    assert "no result" in page


def test_a_disputed_coup_is_named() -> None:
    page = render(report("shoe", coups=[coup(1, "banker", status="disputed")]))
    assert remarks(page) == ["Coup 1 is disputed and not decided; it is drawn as its cards gave it."]
    assert "Still open: disputed coups 1." in page


def test_a_shoe_of_two_units_has_the_roads_of_each() -> None:
    """Shoe numbers are per unit: after an exchange of units a table may have the same number again."""
    page = render(report("shoe", coups=[coup(1, "banker"), coup(1, "player", unit="5ab0000000000002")]))
    assert pictures(page) == ["B", "B", "P", "P"]
    assert "<h3>Unit 5ab0000000000002</h3>" in page


def test_a_shoe_without_coups_has_no_roads() -> None:
    assert 'id="roads"' not in render(report("shoe"))
