"""A ledger that cannot be written: nothing is published that is not stored, the alarm is clear, play continues."""

import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from support.disk import Disk, FailingDisk
from support.site_watcher import DRIVERS, SiteWatcher, WatchSite, contiguous, sabot

TABLE = "bac-01"
every_driver = pytest.mark.parametrize("driver", DRIVERS)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    made = Disk(tmp_path / "disk")
    made.mount()
    yield made
    made.unmount()


@pytest.fixture
def failing(tmp_path: Path) -> Iterator[FailingDisk]:
    made = FailingDisk(tmp_path / "disk")
    made.mount()
    yield made
    made.unmount()


def problem(watcher: SiteWatcher) -> str | None:
    """Return the problem that the gateway publishes about itself."""
    found: str | None = watcher.site_status()[-1].get("problem") if watcher.site_status() else None
    return found


def drawn(watcher: SiteWatcher) -> int:
    return len(watcher.site.tables[TABLE].dealer.drawn)


def deal_on(watcher: SiteWatcher, cards: int) -> None:
    """Deal this many more cards, or as many as the shoe releases."""
    goal = drawn(watcher) + cards
    watcher.run_until(lambda watcher: drawn(watcher) >= goal)


def nothing_lost(watcher: SiteWatcher, cuts: int = 0) -> None:
    """Check, once the rest has arrived, that everything was published once and in order.

    An Angel Eye keeps no log: what it sent while no gateway could store it is gone, and its coup is disputed.
    """
    watcher.site.power_off(TABLE)
    watcher.run_until_received()
    assert watcher.received_ids(TABLE) == watcher.stored(TABLE)
    assert contiguous(watcher.ledger_events())
    assert watcher.wrong_coups(cuts=cuts, settled=True) == []


def dealing(watch_site: WatchSite, driver: str, disk: Path) -> SiteWatcher:
    """Return a site with this shoe and its ledger on this disk, after two coups."""
    watcher = watch_site(kind=driver, speed=100.0, ledger=disk / "ledger.db", lasting=True)
    watcher.run_for_coups(2)
    return watcher


def starts_again(watcher: SiteWatcher) -> None:
    """Start the gateway: three more coups come, and nothing is lost but what an Angel Eye sent to no gateway."""
    watcher.site.start_gateway()
    watcher.run_for_coups(3)
    nothing_lost(watcher, cuts=1)


def _held(watcher: SiteWatcher, *, table: str, problem: str) -> bool:
    """Return True if the table's status shows that no shoe is served, and why."""
    status = watcher.messages("status", table)[-1]
    return (status["state"], status.get("problem")) == ("offline", problem)


def holds(watcher: SiteWatcher, *words: str) -> None:
    """Check that broker and status report the ledger's problem, and that nothing more is stored or published."""
    watcher.run_until(lambda watcher: problem(watcher) is not None)
    found = str(problem(watcher))
    assert "the ledger refused" in found
    assert "nothing is taken from any shoe until the ledger can be used again" in found
    assert any(word in found for word in words)
    for table in watcher.site.plan.table_names():
        watcher.run_until(partial(_held, table=table, problem=found))
    stored = watcher.ledger_events()
    deal_on(watcher, 5)
    assert watcher.ledger_events() == stored
    assert set(watcher.received_ids(TABLE)) <= set(watcher.stored(TABLE))
    status = sabot("gateway", "status", "--config", str(watcher.site.config_path))
    assert found in status.stdout


@every_driver
def test_a_full_disk_holds_everything_until_there_is_room(disk: Disk, watch_site: WatchSite, driver: str) -> None:
    watcher = dealing(watch_site, driver, disk.path)
    for _ in range(2 if driver == "sabot" else 1):
        disk.fill()
        holds(watcher, "full", "disk I/O error")
        disk.empty()
        watcher.run_until(lambda watcher: problem(watcher) is None)
        watcher.run_for_coups(3)
    nothing_lost(watcher)


def test_a_table_removed_while_the_disk_is_full_and_a_stop_that_finds_it_full(
    disk: Disk, watch_site: WatchSite
) -> None:
    watcher = watch_site(speed=100.0, tables=2, ledger=disk.path / "ledger.db", lasting=True)
    for table in watcher.site.plan.table_names():
        watcher.run_for_coups(2, table)
    disk.fill()
    holds(watcher, "full", "disk I/O error")
    whole = watcher.site.gateway_config()
    head, first, _ = whole.split("\n[[table]]\n")
    watcher.site.config_path.write_text(f"{head}\n[[table]]\n{first}")
    for _ in range(50):
        watcher.site.gateway.send_signal(signal.SIGHUP)
    disk.empty()
    watcher.run_until(lambda watcher: problem(watcher) is None)
    watcher.run_until(
        lambda watcher: "not in the gateway's config" in watcher.messages("status", "bac-02")[-1].get("problem", "")
    )
    watcher.run_for_coups(3)
    assert watcher.messages("status")[-1]["state"] == "online"
    assert [alarm["name"] for alarm in watcher.messages("alarms", "bac-02")[-1]["alarms"]] == ["ledger_not_writable"]
    disk.fill()
    watcher.run_until(lambda watcher: problem(watcher) is not None)
    watcher.site.children.release(watcher.site.gateway)
    watcher.site.gateway.terminate()
    assert watcher.site.gateway.wait() == 0
    watcher.run_until(lambda watcher: watcher.site_status()[-1]["state"] == "offline")


@every_driver
def test_what_a_full_disk_did_not_take_was_not_acknowledged(disk: Disk, watch_site: WatchSite, driver: str) -> None:
    """The gateway dies with what it could not store; our own shoe still has it, an Angel Eye does not."""
    watcher = dealing(watch_site, driver, disk.path)
    full_s = time.monotonic()
    disk.fill()
    holds(watcher, "full", "disk I/O error")
    watcher.ledger_refuses_and_gateway_dies(full_s)
    watcher.site.kill_gateway()
    deal_on(watcher, 5)
    disk.empty()
    starts_again(watcher)


@every_driver
def test_a_gateway_does_not_start_on_a_read_only_ledger_and_gives_the_reason(
    disk: Disk, watch_site: WatchSite, driver: str
) -> None:
    watcher = dealing(watch_site, driver, disk.path)
    watcher.site.kill_gateway()
    disk.remount("ro")
    started = sabot("gateway", "run", "--config", str(watcher.site.config_path))
    assert started.returncode == 1
    assert f"ledger {watcher.site.ledger_path}: " in started.stderr
    assert "check the path, the disk and its permissions" in started.stderr
    assert "Traceback" not in started.stderr
    deal_on(watcher, 5)
    disk.remount("rw")
    starts_again(watcher)


@every_driver
def test_a_disk_that_turns_read_only_under_the_gateway(
    failing: FailingDisk, watch_site: WatchSite, driver: str
) -> None:
    watcher = dealing(watch_site, driver, failing.path)
    failed_s = time.monotonic()
    failing.fail()
    holds(watcher, "readonly", "disk I/O error")
    watcher.ledger_refuses_and_gateway_dies(failed_s)
    watcher.site.kill_gateway()
    failing.repair()
    starts_again(watcher)


@every_driver
def test_a_gateway_that_starts_on_a_full_disk_holds_until_there_is_room(
    disk: Disk, watch_site: WatchSite, driver: str
) -> None:
    watcher = dealing(watch_site, driver, disk.path)
    watcher.site.kill_gateway()
    disk.fill()
    watcher.site.start_gateway()
    holds(watcher, "full", "disk I/O error")
    disk.empty()
    watcher.run_until(lambda watcher: problem(watcher) is None)
    watcher.run_for_coups(3)
    nothing_lost(watcher, cuts=1)
