"""The bench of reports: its history is made once, and its figures have goals."""

from datetime import date
from pathlib import Path

from sabot_floor.gaming_day import Calendar, Span
from sabot_floor.reports.day import day_report
from sabot_floor.reports.source import Scope, Source
from sabot_floor.store import audit, open_store
from sabot_tools.bench import report_history
from sabot_tools.bench.figures import reports


def test_the_figures_have_goals(tmp_path: Path) -> None:
    found = {figure.name: figure for figure in reports.figures(2000, 1, tmp_path)}
    assert {name: (figure.goal, figure.unit) for name, figure in found.items()} == {
        "reports.day": (10, "s, at most"),
        "reports.day_memory": (300, "MB, at most"),
        "reports.day_of_table": (10, "s, at most"),
        "reports.naive_over_day": (5, "x"),
    }
    # 50 tables with 40 coups each, one every two minutes from midnight: the day that begins at 6 has none of them.
    assert found["reports.day"].what.startswith("2,000 coups of 50 tables")


def test_the_history_is_kept_and_can_be_read(tmp_path: Path) -> None:
    done: list[int] = []
    made = report_history.history(20_000, done.append, tmp_path)
    assert (sum(done), made.coups, made.made_s > 0) == (20_000, 20_000, True)
    assert report_history.history(20_000, done.append, tmp_path).made_s == 0
    assert [path.name for path in tmp_path.iterdir()] == [made.path.name]
    with open_store(str(made.path), read_only=True) as store:
        assert audit.verify(store).faults == []
        report = day_report(Source(store), Scope(Span("", ""), (), Calendar()), date(2024, 1, 1))
    # 400 coups a table, one every two minutes from midnight: the day begins at 6, after 180 of them.
    assert {row.table: row.coups for row in report.played}["bac-000"] == 220
    assert len(report.played) == 50
    assert report.discrepancies
    assert {row.verdict for row in report.discrepancies} == {"confirmed"}
    assert {row.by.partition(" ")[0] for row in report.unwagered} == {"Person"}
