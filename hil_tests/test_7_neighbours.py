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


def add_table(it: SiteWatcher, name: str, shoe: LogShoe) -> None:
    """One more table in the config of the daemon that runs."""
    with it.site.config_path.open("a") as config:
        config.write(f'\n[[table]]\nname = "{name}"\nport = "{shoe.port}"\nrulebook = "star-baccarat"\n')
    it.site.gateway.send_signal(signal.SIGHUP)


def problem(it: SiteWatcher, table: str) -> str:
    return str((it.messages("status", table) or [{}])[-1].get("problem"))


def test_a_clone_and_a_shoe_nobody_can_read_disturb_no_table(watch_site: WatchSite, neighbours: list[LogShoe]) -> None:
    it = watch_site(speed=100.0, tables=2)
    for table in it.site.plan.table_names():
        it.run_for_coups(1, table)
    unit = it.messages("coup", "bac-02")[0]["unit"]
    clone, odd = LogShoe(unit), LogShoe("5ab00000000000ff")
    neighbours += [clone, odd]
    clone.log = [CONFIRM] * 500
    odd.log = [CONFIRM, b"\x63odd", CONFIRM]
    add_table(it, "clone", clone)
    add_table(it, "odd", odd)

    def told(it: SiteWatcher) -> bool:
        clone.turn()
        odd.turn()
        return odd.acked == 3 and "is served at table bac-02" in problem(it, "clone")

    it.run_until(told)
    for table in ("bac-01", "bac-02"):
        it.run_for_coups(3, table)
    assert {message["status"] for message in it.messages("coup", "bac-02")} == {"verified"}
    assert all(map(contiguous, it.events_by_unit().values()))
    assert len(it.events_by_unit()["5ab00000000000ff"]) == 3
    assert clone.acked == 0
    assert [alarm["name"] for alarm in it.messages("alarm", "odd")] == ["unreadable_event"]
    it.run_until(lambda it: "Event 2 of shoe 5ab00000000000ff cannot be read" in problem(it, "odd"))
    assert it.messages("status", "odd")[-1]["state"] == "online"


def test_an_erased_journal_is_not_taken_up_though_its_numbers_are_ahead(watch_site: WatchSite) -> None:
    it = watch_site(speed=100.0)
    it.run_for_coups(1)
    it.site.kill_gateway()
    stored = it.ledger_events()
    it.site.power_off("bac-01")
    (it.site.plan.work_dir / "bac-01" / "journal.bin").unlink()
    it.site.power_on("bac-01")
    dealer = it.site.tables["bac-01"].dealer
    goal = len(dealer.drawn) + 2 * len(stored)
    it.run_until(lambda it: len(dealer.drawn) >= goal)
    it.site.start_gateway()
    it.run_until(lambda it: "its journal was erased" in problem(it, "bac-01"))
    it.run_until(lambda it: [alarm["name"] for alarm in it.messages("alarm")] == ["log_lost"])
    assert it.messages("status")[-1]["state"] == "offline"
    assert it.ledger_events() == stored
