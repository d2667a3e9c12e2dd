"""Roads of a shoe's report: its bead plate and big road, and below them the coups that were corrected or are open."""

from itertools import groupby

from sabot_protocol.roads import Roads, of_coup
from sabot_protocol.roads.picture import Drawing, bead_plate, big_road, inline
from sabot_protocol.topics import CoupKind

from sabot_floor.reports.contents import ShoeReport
from sabot_floor.reports.html.markup import NOTHING, Markup, element, text
from sabot_floor.reports.rows import CoupRow

_LEGEND = (
    "B Banker, P Player, T Tie, X coup without wagers. A dot at the top left is a banker pair, at the bottom right a "
    "player pair. In the big road a green stroke marks ties, with their number from two on. Void coups are left out."
)


def road_section(report: ShoeReport) -> Markup:
    """Return the roads of each unit that dealt this shoe, or nothing if there is no coup."""
    if not report.coups:
        return NOTHING
    units = [(unit, list(coups)) for unit, coups in groupby(sorted(report.coups, key=_order), lambda row: row.unit)]
    return element(
        "section",
        element("h2", text("Roads"), id="roads"),
        *(_unit(unit, coups, len(units) > 1) for unit, coups in units),
        element("p", element("small", text(_LEGEND))),
        _remarks(report),
    )


def _order(row: CoupRow) -> tuple[str, int, str]:
    return row.unit, row.coup, row.time


def _unit(unit: str, coups: list[CoupRow], named: bool) -> Markup:
    results = (of_coup(_kind(row), row.winner, row.banker_pair, row.player_pair) for row in coups)
    roads = Roads.of(result for result in results if result)
    heading = element("h3", text(f"Unit {unit}")) if named else NOTHING
    return Markup(heading + _figure(bead_plate(roads)) + _figure(big_road(roads, letters=True)))


def _kind(row: CoupRow) -> CoupKind:
    return "void" if row.status == "void" else row.kind


def _figure(drawing: Drawing) -> Markup:
    return element("figure", element("figcaption", text(drawing.name)), Markup(inline(drawing)), class_="road")


def _remarks(report: ShoeReport) -> Markup:
    """Return one sentence for each coup that was corrected, and for each that nobody has decided."""
    now = {(row.unit, row.coup): row for row in report.coups}
    corrected = sorted(report.corrected, key=_order)
    sentences = [
        _corrected(list(messages), now.get(key))
        for key, messages in groupby(corrected, lambda row: (row.unit, row.coup))
    ]
    sentences += [
        f"Coup {row.coup} is disputed and not decided; it is drawn as its cards gave it."
        for row in report.coups
        if row.status == "disputed"
    ]
    return element("ul", *(element("li", text(sentence)) for sentence in sentences)) if sentences else NOTHING


def _corrected(messages: list[CoupRow], now: CoupRow | None) -> str:
    before = ", then ".join(dict.fromkeys(map(_state, messages)))
    if now is None:
        return f"Coup {messages[0].coup} was corrected: first {before}."
    person = " ".join(filter(None, [now.by, f"({now.role.replace('_', ' ')})" if now.role else ""]))
    decision = "".join([f", by {person}" if person else "", f", clause {now.clause}" if now.clause else ""])
    if {*map(_state, messages)} == {_state(now)}:
        return f"Coup {now.coup} was decided as it was dealt: {before}{decision}."
    return f"Coup {now.coup} was corrected: first {before}; now {_state(now)}{decision}."


def _state(row: CoupRow) -> str:
    if row.winner is None or _kind(row) == "void":
        return "void"
    kind = "" if row.kind == "live" else f" ({row.kind.replace('_', ' ')})"
    return f"{row.winner.capitalize()}, Player {row.player_points}, Banker {row.banker_points}{kind}"
