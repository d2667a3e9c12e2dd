"""Reports of jackpots: each win with all that it was paid by, and rows that add up to the meter."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

from jackpot_desk import CROWN, Desk, time_of
from msgspec.structs import replace
from report_scene import Scene, scope
from sabot_floor.jackpots.batch import Batch, log_name
from sabot_floor.jackpots.engine import Applied, Entry, Refused
from sabot_floor.jackpots.engine import entries as entry
from sabot_floor.reports.contents import REPORTS, DayReport, MonthReport, sections
from sabot_floor.reports.day import day_report
from sabot_floor.reports.files import json_of, write_csv
from sabot_floor.reports.html.page import render
from sabot_floor.reports.month import month_report
from sabot_floor.reports.play import ShoeKey
from sabot_floor.reports.shoe import coup_report, shoe_report
from sabot_floor.reports.source import Source
from sabot_floor.store import Store
from sabot_protocol.jackpots.messages import IncrementMessage

DAY = date(2026, 11, 18)  # of Sydney, in which the desk's evening lies
LATER = "2026-11-25T00:00:00.000Z"


class StoredDesk(Desk):
    """A desk whose log is in a store, and whose gateways' messages are in its projection."""

    def __init__(self, store: Store, **changes: Any) -> None:
        super().__init__(replace(CROWN, reserve="10%", limit=120_000), **changes)
        self.store, self.scene = store, Scene(store)
        self._append(entry.Opened(time=time_of(0), parameters=self.parameters))

    def _append(self, made: Entry) -> Batch:
        batch = Batch(self.parameters.id, time_of(self.now), [made], secret=bytes(32))
        self.store.append(log_name(self.parameters.id), batch.decide)
        return batch

    def apply(self, made: Entry) -> Applied | Refused:
        self.now += 1
        batch = self._append(made)
        assert batch.state is not None
        self.state = batch.state
        return batch.results[0]

    def increment(self, table: str = "", **fields: Any) -> IncrementMessage:
        """Return the next message of a table, of the table's own gateway."""
        return super().increment(table, **{"gateway": "gw-2" if table == "bac-02" else "gw-1", **fields})

    def send(self, message: IncrementMessage) -> Applied | Refused:
        self.publish(message)
        return super().send(message)

    def publish(self, message: IncrementMessage) -> None:
        """The gateway sends a message, which the jackpot's log need not have."""
        self.scene.add(f"jackpot/{message.jackpot}", message, message.gateway)
        self.scene.save()


def came_in(report: DayReport | MonthReport) -> int:
    """Return what came in, from the rows alone."""
    contributed = sum(row.amount for row in report.increments) - sum(row.amount or 0 for row in report.not_counted)
    return contributed + sum(row.amount or 0 for row in report.jackpot_acts)


def meter_is_recomputed(report: DayReport | MonthReport) -> None:
    """Check the meters of the report against its rows."""
    ends = {row.at: row for row in report.meters}
    end, begin = ends["end"], ends.get("begin")
    assert came_in(report) == end.came_in - (begin.came_in if begin else 0)
    paid = sum(row.amount for row in report.wins if row.state == "paid")
    assert paid == end.wins - (begin.wins if begin else 0)
    assert end.base + end.came_in == end.display + end.wins + end.overflow + end.reserve


def test_contributions_less_those_not_counted_give_the_meter(store: Store) -> None:
    desk = StoredDesk(store)
    for table in ("bac-01", "bac-02", "bac-01"):
        desk.coup(table)
    desk.withdraw("bac-02")
    withdrawn = [desk.coup("bac-02") for _ in range(2)]  # they are remembered, and one of them is made good
    desk.restore("bac-02")
    desk.made_good(withdrawn[0])
    reversed_ = desk.coup("bac-02")
    desk.reverse(reversed_)
    desk.adjusted(777)
    desk.done(entry.Proposed(time=time_of(9), table="bac-01", unit="bac-01-u", shoe=1, coup=9, reason="none came"))
    lost = desk.increment("bac-01")
    desk.publish(lost)  # the floor service never gets it
    desk.win("suited")
    report = day_report(Source(store), scope(now=LATER), DAY)
    meter_is_recomputed(report)
    rows = [(row.table, row.coup, row.count, row.amount) for row in report.not_counted]
    assert ("bac-02", 2, 1, 25) in rows
    assert ("bac-02", 3, 1, 25) in rows
    assert ("bac-01", 9, 0, None) in rows
    assert [row.amount for row in report.jackpot_acts if row.act == "made_good"] == [25]
    meter_is_recomputed(month_report(Source(store), scope(now=LATER), 2026, 11))


def test_a_contribution_that_the_floor_never_had_is_a_row_of_its_own(store: Store) -> None:
    desk = StoredDesk(store)
    desk.coup("bac-01")
    desk.publish(desk.increment("bac-01"))
    report = day_report(Source(store), scope(now=LATER), DAY)
    (row,) = report.not_counted
    assert (row.table, row.count, row.amount, row.currency) == ("bac-01", 1, 25, "AUD")
    assert "not in the jackpot's log" in row.reason
    meter_is_recomputed(report)


def test_a_win_has_all_that_it_was_paid_by(store: Store) -> None:
    desk = StoredDesk(store)
    coup = desk.coup("bac-01", trigger="coloured")
    desk.record(coup, stakes={"tie": [100, 300]})
    settled = time_of(desk.now)
    desk.confirm(coup)
    (row,) = day_report(Source(store), scope(now=LATER), DAY).wins
    # base 1,000.00 and 90 % of 0.25 on the display: rounded up to 5.00 it is 1,005.00, of which 10 % are 100.50
    assert (row.value, row.rounded, row.percent, row.amount) == (100_023, 100_500, "10", 10_050)
    assert (row.stakes, row.shares) == (["100", "300"], ["5025", "5025"])
    assert (row.recorder, row.by, row.notified, row.state) == ("Dee", "Ann", "Max", "paid")
    assert row.at < settled


def test_what_people_decide_and_what_it_was_about_is_in_the_report(store: Store) -> None:
    desk = StoredDesk(store)
    late, paid = desk.coup("bac-01", trigger="suited"), desk.coup("bac-02", trigger="suited")
    desk.record(paid, gateway="gw-2", at=5)
    desk.confirm(paid)
    desk.record(late, gateway="gw-1", at=9)
    olga: dict[str, Any] = {"time": time_of(9), "by": "Olga", "role": "casino_manager"}
    desk.done(entry.Ordered(win=late, before=paid, reason="video", **olga))
    desk.done(entry.Settled(win=paid, reason="voucher 17", **olga))
    report = day_report(Source(store), scope(now=LATER), DAY)
    acts = [(row.act, row.by, row.reason) for row in report.jackpot_acts if row.by]
    assert acts == [
        ("ordered", ["Olga"], f"win {late} before {paid}: video"),
        ("settled", ["Olga"], f"win {paid}: voucher 17"),
    ]
    faults = [(row.name, row.table, row.state) for row in report.jackpot_faults]
    assert [one for one in faults if one[0] == "difference"] == [
        ("difference", "bac-02", "open"),
        ("difference", "bac-02", "ended"),
    ]
    said = next(row.say for row in report.jackpot_faults if row.name == "difference")
    assert "overpaid" in said
    assert "were due" in said


@contextmanager
def _coup_of_shoe(desk: StoredDesk, win: str, ahead_ms: int = 0) -> Iterator[None]:
    message = desk.messages[win]
    desk.scene.coup("m1", time_of(ahead_ms), message.shoe, message.coup, unit=message.unit)
    desk.scene.confirmed(win, time_of(ahead_ms + 1), message.shoe, message.coup, "m1")
    desk.scene.save()
    yield


def test_the_pay_out_is_in_the_report_of_its_coup_and_shoe_however_late(store: Store) -> None:
    desk = StoredDesk(store)
    win = desk.coup("bac-01", trigger="suited")
    desk.record(win)
    with _coup_of_shoe(desk, win):
        key, source = ShoeKey("bac-01", "", 1), Source(store)
        assert [row.state for row in coup_report(source, scope(now=LATER), key, 1).wins] == ["pending"]
        desk.now = 30 * 60_000
        desk.confirm(win)
        for report in (coup_report(source, scope(now=LATER), key, 1), shoe_report(source, scope(now=LATER), key)):
            assert [(row.win, row.state, row.amount) for row in report.wins] == [(win, "paid", 100_500)]


def test_the_pay_out_is_in_the_report_of_its_coup_though_the_clock_of_its_table_is_ahead(store: Store) -> None:
    desk = StoredDesk(store)
    win = desk.coup("bac-01", trigger="suited")
    with _coup_of_shoe(desk, win, ahead_ms=45 * 60_000):
        desk.record(win)
        key, source = ShoeKey("bac-01", "", 1), Source(store)
        assert [row.state for row in coup_report(source, scope(now=LATER), key, 1).wins] == ["pending"]
        desk.confirm(win)
        for report in (coup_report(source, scope(now=LATER), key, 1), shoe_report(source, scope(now=LATER), key)):
            assert [(row.win, row.state) for row in report.wins] == [(win, "paid")]


def test_the_sections_are_in_every_form_of_the_report(store: Store, tmp_path: Any) -> None:
    desk = StoredDesk(store)
    desk.win("coloured", stakes={"tie": [100, 300]})
    desk.withdraw("bac-02")
    desk.coup("bac-02")
    report = day_report(Source(store), scope(now=LATER), DAY)
    assert b'"shares":["5025","5025"]' in json_of(report)
    shown = render(report)
    for text in ("AUD 1,005.00", "10 %", "50.25 of 1.00", "Dee", "display dark", "Meters of jackpots"):
        assert text in shown, text
    for section in sections(REPORTS["day"]):
        with (tmp_path / f"{section.name}.csv").open("wb") as out:
            write_csv(section, getattr(report, section.name), out)
    assert '"5025; 5025"' in (tmp_path / "wins.csv").read_text()
