"""Reports as HTML: strict markup, every value of every row, nothing from outside, no markup that people wrote."""

import re
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from report_samples import full, head, report
from sabot_floor.reports.contents import REPORTS, Kind, Report, filled
from sabot_floor.reports.html import render
from sabot_floor.reports.html.style import css_text, style
from sabot_floor.reports.people_rows import AlarmRow, IncidentRow, NotificationRow
from sabot_floor.reports.rows import CardRow, CoupCountRow, DaySumRow, ShoeRow

WITHOUT_END = {"meta", "br"}
SAID = {"local": "at the table pc", "floor": "by the floor service"}
HOSTILE = "</td></table></style><script>alert(1)</script>\"'&lt; {}"


class StrictParser(HTMLParser):
    """Reads a page; an element that is not ended, or ended twice, is an error."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs), tag
        if tag not in WITHOUT_END:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.texts.append(data)


def parsed(page: str) -> StrictParser:
    parser = StrictParser()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


def words(page: str) -> str:
    """Return the text of a page, with single spaces."""
    return " ".join(" ".join(parsed(page).texts).split())


def values(rows: list[Any]) -> list[Any]:
    """Return each value of some rows, lists taken apart."""
    found = [getattr(row, name) for row in rows for name in row.__struct_fields__]
    return [part for value in found for part in (value if isinstance(value, list) else [value])]


def written(value: Any) -> set[str]:
    """Return the ways in which a page may write a value."""
    if isinstance(value, int) and not isinstance(value, bool):
        minutes, seconds = divmod(value, 60)
        times = {f"{minutes} min {seconds:02} s", f"{value / 3600:.1f}"}
        return {f"{value:,}", f"{value / 100:.2f}"} | times
    return {SAID.get(value, str(value).replace("_", " "))}


@pytest.mark.parametrize("kind", REPORTS)
@pytest.mark.parametrize("pdf_ready", [False, True])
def test_a_page_is_strict_and_refers_to_nothing_outside(kind: Kind, pdf_ready: bool) -> None:
    page = render(full(kind), pdf_ready)
    parser = parsed(page)
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert {tag for tag, _ in parser.tags}.isdisjoint({"script", "link", "img", "iframe", "base", "object", "form"})
    ids = [attributes["id"] for _, attributes in parser.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in parser.tags:
        assert "src" not in attributes
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#") == "#" or (attributes["href"] or "").lstrip("#") in ids, tag
    assert not re.search(r"https?:|//|url\(|@import|expression\(", page)


@pytest.mark.parametrize("kind", REPORTS)
def test_every_value_of_every_row_is_on_the_page(kind: Kind) -> None:
    sample = full(kind)
    shown = words(render(sample)).lower()
    for section, rows in filled(sample):
        assert section.title.lower() in shown
        texts = [value for value in values(rows) if not isinstance(value, bool)]
        missing = [value for value in texts if not any(way in shown for way in written(value))]
        assert missing == [], section.name


@pytest.mark.parametrize("kind", REPORTS)
def test_nothing_that_people_wrote_is_markup(kind: Kind) -> None:
    """The same page with harmless and with hostile texts has the same elements."""
    hostile = full(kind, around=HOSTILE)
    about = HOSTILE.format("about")
    hostile = msgspec.structs.replace(hostile, head=head(kind, about=about, site=HOSTILE, warnings=[HOSTILE] * 2))
    harmless = msgspec.structs.replace(full(kind), head=head(kind, warnings=["one", "two"]))
    assert [tag for tag, _ in parsed(render(hostile)).tags] == [tag for tag, _ in parsed(render(harmless)).tags]
    assert "<script" not in render(hostile)
    assert "</style><script>alert(1)</script>" in words(render(hostile))


def test_characters_that_cannot_be_printed_are_replaced() -> None:
    """A right-to-left override would show a name backwards; a line break would break a line."""
    page = render(msgspec.structs.replace(report("person"), head=head("person", about="A.\u202e\x07\nSmith")))
    assert "Report on a person: A.\ufffd\ufffd Smith" in words(page)


def test_head_and_summary() -> None:
    text = words(render(report("day")))
    assert text.startswith("sydney, Day report: 2026-11-17 Day report: 2026-11-17 Site sydney")
    assert "Period 2026-11-17 06:00:00 until 2026-11-18 06:00:00" in text
    assert "Gaming day from 06:00, times by the clock of Australia/Sydney Tables all Made 2026-11-18 08:04:11" in text
    assert "None of these: Missing entries, How long the tables played, Shoes," in text


def test_what_is_missing_comes_first() -> None:
    changed = head(complete=False, empty=True, warnings=["Gateway pit-2 is silent."], tables=["bac-01", "bac-02"])
    text = words(render(msgspec.structs.replace(report("day"), head=changed)))
    assert "This report is not complete: entries of this time are missing. The store has nothing of this." in text
    assert "Gateway pit-2 is silent." in text
    assert "Tables bac-01, bac-02" in text


def sample(kind: type[Any], **changed: Any) -> Any:
    """Return a row of a type with some values changed."""
    found = next(rows[0] for name in REPORTS for section, rows in filled(full(name)) if section.row is kind)
    return msgspec.structs.replace(found, **changed)


def test_what_is_still_open_is_counted() -> None:
    incidents = [
        sample(IncidentRow, incident=f"i{number}", state=state) for number, state in enumerate(("open", "closed"))
    ]
    duties = [sample(NotificationRow, incident=state, state=state) for state in ("open", "late", "done", "done late")]
    alarm = sample(AlarmRow, state="acknowledged")
    page = render(report("day", incidents=incidents, notifications=duties, alarms=[alarm]))
    assert "Still open: alarms not cleared 1, incidents 1, notifications 2 (1 late)." in words(page)
    assert "Still open" not in render(report("day", incidents=incidents[1:]))


def test_a_row_of_alarms() -> None:
    alarm = AlarmRow(
        alarm="unit-13-bad_order",
        raised="2026-11-17T09:00:05.786Z",
        table="bac-01",
        shoe=3,
        coup=17,
        name="bad_order",
        severity="critical",
        state="cleared",
        clause="12.1.1",
        say="Cards were dealt in the wrong order.",
        acknowledged="2026-11-17T09:01:00.000Z",
        acknowledged_by="A. Smith",
        cleared="",
        cleared_by="",
        acknowledged_s=54.2,
        cleared_s=None,
    )
    text = words(render(report("day", alarms=[alarm])))
    assert (
        "2026-11-17 20:00:05 bac-01 shoe 3, coup 17 bad order critical , cleared clause 12.1.1 "
        "Cards were dealt in the wrong order. 2026-11-17 20:01:00 after 54.2 s A. Smith alarm unit-13-bad_order" in text
    )


def test_what_a_person_recorded() -> None:
    facts = '{"amount_cents": 100001, "direction": "over", "intentional": false, "patron": "J. <Doe>", "flags": {}, '
    facts += '"seen": {"face_up": true, "exposed": false}, "cards": [1, 2]}'
    text = words(render(report("day", incidents=[sample(IncidentRow, facts=facts)])))
    assert "overpayment $1,000.01, intentional: no, patron: J. <Doe>, seen: face up, cards: [1,2]" in text
    assert "flags" not in text
    assert "not {JSON" in words(render(report("day", incidents=[sample(IncidentRow, facts="not {JSON")])))


def test_a_shoe_whose_opening_is_missing() -> None:
    shoe = sample(ShoeRow, decks=0, card_set=0, burn="", opened="")
    text = words(render(report("day", shoes=[shoe])))
    assert "not in the store" in text
    assert "0 decks" not in text


def test_an_id_that_all_rows_share_is_written_once() -> None:
    cards = [sample(CardRow, unit="5ab0000000000001", card=card) for card in ("8H", "TD")]
    page = render(report("shoe", cards=cards))
    assert page.count("5ab0000000000001") == 1
    assert "All rows: unit 5ab0000000000001" in words(page)
    assert "8♥" in page
    assert "10♦" in page
    assert "All rows" not in render(report("shoe", cards=cards[:1]))


def test_coups_are_counted_in_one_line_a_table() -> None:
    rows = [
        CoupCountRow(table="bac-01", kind="live", status="confirmed", coups=1200),
        CoupCountRow(table="bac-01", kind="void", status="void", coups=3),
        CoupCountRow(table="bac-02", kind="no_bet", status="confirmed", coups=7),
    ]
    text = words(render(report("day", coups=rows)))
    assert "Coups by kind and status 1,210" in text
    assert "Table live, confirmed no bet, confirmed void all bac-01 1,200 0 3 1,203 bac-02 0 7 0 7" in text


def test_the_days_of_a_month_are_summed() -> None:
    days = [sample(DaySumRow, day=f"2026-11-0{number}", coups=number * 1000, complete=number < 2) for number in (1, 2)]
    page = render(report("month", days=days))
    assert re.search(r'<tbody class="total"><tr><td><span class="whole">all days</span></td>', page)
    assert re.search(r"all days.*?3,000.*?<td>no</td>", page)
    assert "all days" not in render(report("month", days=days[:1]))


def test_headings_are_repeated_and_rows_are_whole_on_paper() -> None:
    page = render(full("day"))
    assert "@media print" in page
    assert "thead { display: table-header-group; }" in page
    assert "tbody, .single tr, figure, .warning, dl { break-inside: avoid; }" in page
    assert page.count("<table") == page.count("<thead")
    assert '@bottom-right { content: "page " counter(page) " of " counter(pages);' in page


def test_a_page_for_pdf_has_a_fixed_size() -> None:
    assert "@page { size: A4;" in render(report("day"))
    fixed = render(report("day"), pdf_ready=True)
    assert "@page { size: 210mm 297mm;" in fixed
    assert "@media print" not in fixed


def test_text_in_the_footer_cannot_leave_its_string() -> None:
    assert css_text('a"}</style>\\\n') == "a\\000022 \\00007d \\00003c \\00002f style\\00003e \\00005c \\00000a "


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_contrast_is_that_of_wcag_aa() -> None:
    """4.5 : 1 on the darkest background that text has."""
    colours = set(re.findall(r"[ ;{]color: (#[0-9a-f]{6});", style("", pdf_ready=False)))
    backgrounds = set(re.findall(r"background: (#[0-9a-f]{6});", style("", pdf_ready=False)))
    assert (len(colours), len(backgrounds)) == (6, 2)
    darkest = min(map(luminance, backgrounds)) + 0.05
    ratios = {colour: darkest / (luminance(colour) + 0.05) for colour in colours}
    assert {colour: ratio for colour, ratio in ratios.items() if ratio < 4.5} == {}


def test_an_empty_report_is_a_page() -> None:
    for kind in REPORTS:
        empty: Report = report(kind)
        assert "<table" not in render(empty)
