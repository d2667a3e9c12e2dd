"""Judge: compares the truth of a day, section by section, with ledgers and reports; every difference is a sentence."""

from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from sabot_sim.world.truth import Truth

from day import expected, known, ledgers
from day.compare import Line, differences
from day.floor import gaming_days, report, sabot
from day.period import Period

_SECTIONS = {
    "shoes": ("table", "shoe"),
    "coups": ("table", "shoe", "coup"),
    "alarms": ("table", "raised", "name"),
    "decisions": ("table", "time", "verb"),
    "incidents": ("table", "opened", "kind"),
    "steps": ("table", "shoe", "coup", "kind", "name"),
}
_ABOUT_A_COUP = ("irregularities", "voids", "discrepancies", "unwagered", "keyed_cards", "alarms", "incidents")
_NOT_REPORTED = ("lower_role",)  # refused before it becomes a request; the ledger has it


class Section(NamedTuple):
    """A section: how many lines the truth has, and what differs."""

    name: str
    lines: int
    differences: list[str]


def of_ledgers(truth: Truth, paths: Iterable[Path]) -> list[Section]:
    """Compare with the entries of all ledgers."""
    stored, found = ledgers.entries(paths), []
    for name, keys in _SECTIONS.items():
        lines = getattr(known, name)(truth)
        differ = differences(f"ledger: {name}", keys, lines, getattr(ledgers, name)(stored))
        found.append(Section(f"ledger: {name}", len(lines), differ))
    return found


Printed = list[tuple[date, Period, dict[str, Any]]]  # the report of each gaming day


def print_reports(truth: Truth, store: Path) -> Printed:
    """Return the reports of the gaming days, as `sabot report day --json` prints them."""
    times = [one.time_s for one in truth.decisions] + [one.ended_s for one in truth.coups]
    return [(day, period, report(store, "day", day.isoformat())) for day, period in gaming_days(times)]


def of_reports(truth: Truth, reports: Printed) -> list[Section]:
    """Compare with the report of each gaming day."""
    found = []
    for day, period, printed in reports:
        found += [
            _of_section(f"{day}: {name}", section.keys, section.rows(truth, period), rows_of(printed, name))
            for name, section in expected.DAY.items()
        ]
        found.append(Section(f"{day}: complete", 1, [] if printed["head"]["complete"] else [str(printed["head"])]))
    found.append(_provoked(truth, reports))
    return found


def of_projection(store: Path, paths: Iterable[Path], new: Path) -> Section:
    """Compare the projection that was fed over the broker with what `sabot floor rebuild` makes, byte by byte.

    It is made in a new store, and in the one that was fed, which also has the heads that came over the broker.
    """
    ledgers = [part for path in paths for part in ("--ledger", str(path))]
    fed, said = _dump(store), list[str]()
    for other in (new, store):
        sabot("floor", "rebuild", "--store", str(other), *ledgers)
        said += _rows_differ(fed, _dump(other))
    return Section("projection", len(fed), said)


def _dump(store: Path) -> list[bytes]:
    return sabot("floor", "dump", "--store", str(store)).splitlines()


def _rows_differ(fed: list[bytes], again: list[bytes]) -> Iterator[str]:
    for one, two in zip(fed, again, strict=False):
        if one != two:
            yield f"projection: fed {one.decode()}, rebuilt {two.decode()}"
    if len(fed) != len(again):
        yield f"projection: {len(fed)} rows were fed and {len(again)} are rebuilt"


def _provoked(truth: Truth, reports: Printed) -> Section:
    """Look for each irregularity that was provoked: in the rows of its coup, or as a check of cards."""
    rows = (row for _, _, printed in reports for name in _ABOUT_A_COUP for row in printed[name])
    coups = {(row["table"], row["shoe"], row["coup"]) for row in rows}
    checked = {row["table"] for _, _, printed in reports for row in printed["deck_checks"]}
    due = [one for one in truth.irregularities if one.situation not in _NOT_REPORTED]
    missing = [
        f"provoked: {one.number} {one.situation} at {one.table} {one.shoe}/{one.coup} is in no section"
        for one in due
        if (one.table, one.shoe, one.coup) not in coups and not (one.situation == "deck_check" and one.table in checked)
    ]
    return Section("provoked", len(due), missing)


def _of_section(title: str, keys: tuple[str, ...], lines: list[Line], rows: list[Line]) -> Section:
    return Section(title, len(lines), differences(title, keys, lines, rows))


def rows_of(printed: dict[str, Any], name: str) -> list[Line]:
    """Return the rows of a section: cards of a void coup in order, and coups counted by kind, void ones apart."""
    rows: list[Line] = printed[name]
    if name == "voids":
        return [{**row, "cards": sorted(row["cards"])} for row in rows]
    if name != "coups":
        return rows
    counted: dict[tuple[str, str], Line] = {}
    for row in rows:
        kind = "void" if row["status"] == "void" else row["kind"]
        line = counted.setdefault((row["table"], kind), {"table": row["table"], "kind": kind, "coups": 0})
        line["coups"] += row["coups"]
    return list(counted.values())
