"""Shoes that are not what they should be, beside tables that deal on: a clone, unreadable events, an erased journal."""

import signal
from collections.abc import Iterator

import pytest
from support.site_watcher import SiteWatcher, WatchSite, contiguous
from tcp_floor import LogShoe, body_of

CONFIRM = body_of("button", shoe_no=1, coup_no=1, button="confirm")


@pytest.fixture
def neighbours() -> Iterator[list[LogShoe]]:
    """Shoes behind TCP ports; closed after the test."""
    made: list[LogShoe] = []
    yield made
    for shoe in made:
        shoe.close()


def add_table(watcher: SiteWatcher, name: str, shoe: LogShoe) -> None:
    """One more table in the config of the daemon that runs."""
    with watcher.site.config_path.open("a") as config:
        config.write(f'\n[[table]]\nname = "{name}"\nport = "{shoe.port}"\nrulebook = "star-baccarat"\n')
    watcher.site.gateway.send_signal(signal.SIGHUP)


def problem(watcher: SiteWatcher, table: str) -> str:
    return str((watcher.messages("status", table) or [{}])[-1].get("problem"))


def test_a_clone_and_an_unreadable_shoe_disturb_no_table(watch_site: WatchSite, neighbours: list[LogShoe]) -> None:
    watcher = watch_site(speed=100.0, tables=2)
    for table in watcher.site.plan.table_names():
        watcher.run_for_coups(1, table)
    unit = watcher.messages("coup", "bac-02")[0]["unit"]
    clone, odd = LogShoe(unit), LogShoe("5ab00000000000ff")
    neighbours += [clone, odd]
    clone.log = [CONFIRM] * 500
    odd.log = [CONFIRM, b"\x63odd", CONFIRM]
    add_table(watcher, "clone", clone)
    add_table(watcher, "odd", odd)

    def reported(watcher: SiteWatcher) -> bool:
        clone.turn()
        odd.turn()
        return odd.acked == 3 and "is served at table bac-02" in problem(watcher, "clone")

    watcher.run_until(reported)
    for table in ("bac-01", "bac-02"):
        watcher.run_for_coups(3, table)
    assert {message["status"] for message in watcher.messages("coup", "bac-02")} == {"verified"}
    assert all(map(contiguous, watcher.events_by_unit().values()))
    assert len(watcher.events_by_unit()["5ab00000000000ff"]) == 3
    assert clone.acked == 0
    assert [alarm["name"] for alarm in watcher.messages("alarm", "odd")] == ["unreadable_event"]
    watcher.run_until(lambda watcher: "Event 2 of shoe 5ab00000000000ff cannot be read" in problem(watcher, "odd"))
    assert watcher.messages("status", "odd")[-1]["state"] == "online"


def test_an_erased_journal_is_not_taken_up_though_its_numbers_are_ahead(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    watcher.site.kill_gateway()
    stored = watcher.ledger_events()
    watcher.site.power_off("bac-01")
    (watcher.site.plan.work_dir / "bac-01" / "journal.bin").unlink()
    watcher.site.power_on("bac-01")
    dealer = watcher.site.tables["bac-01"].dealer
    goal = len(dealer.drawn) + 2 * len(stored)
    watcher.run_until(lambda watcher: len(dealer.drawn) >= goal)
    watcher.site.start_gateway()
    watcher.run_until(lambda watcher: "its journal was erased" in problem(watcher, "bac-01"))
    watcher.run_until(lambda watcher: [alarm["name"] for alarm in watcher.messages("alarm")] == ["log_lost"])
    assert watcher.messages("status")[-1]["state"] == "offline"
    assert watcher.ledger_events() == stored
