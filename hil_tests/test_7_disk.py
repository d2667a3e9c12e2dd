"""A ledger that cannot be written: nothing is published that is not stored, the alarm is clear, and all goes on."""

import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from support.disk import Disk, FailingDisk
from support.site_watcher import SiteWatcher, WatchSite, contiguous, sabot

TABLE = "bac-01"


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


def problem(it: SiteWatcher) -> str | None:
    """What the gateway says on the broker that is wrong with it."""
    said: str | None = it.site_status()[-1].get("problem") if it.site_status() else None
    return said


def drawn(it: SiteWatcher) -> int:
    return len(it.site.tables[TABLE].dealer.drawn)


def deal_on(it: SiteWatcher, cards: int) -> None:
    """So many cards more, or as many as the shoe releases."""
    goal = drawn(it) + cards
    it.run_until(lambda it: drawn(it) >= goal)


def nothing_lost(it: SiteWatcher) -> None:
    """After the rest has been heard."""
    it.site.power_off(TABLE)
    it.run_until_heard()
    assert it.heard(TABLE) == it.stored(TABLE)
    assert contiguous(it.ledger_events())
    coups = it.messages("coup")
    assert contiguous([message["coup"] for message in coups])
    assert {message["status"] for message in coups} == {"verified"}


def _held(it: SiteWatcher, *, table: str, problem: str) -> bool:
    """The table's status says that no shoe is served, and why."""
    status = it.messages("status", table)[-1]
    return (status["state"], status.get("problem")) == ("offline", problem)


def holds(it: SiteWatcher, *words: str) -> None:
    """The ledger's trouble is told, on the broker and to who asks, and nothing is stored or published beyond it."""
    it.run_until(lambda it: problem(it) is not None)
    said = str(problem(it))
    assert "the ledger refused" in said
    assert "nothing is taken from any shoe until the ledger can be used again" in said
    assert any(word in said for word in words)
    for table in it.site.plan.table_names():
        it.run_until(partial(_held, table=table, problem=said))
    stored = it.ledger_events()
    deal_on(it, 5)
    assert it.ledger_events() == stored
    assert set(it.heard(TABLE)) <= set(it.stored(TABLE))
    asked = sabot("gateway", "status", "--config", str(it.site.config_path))
    assert said in asked.stdout


def test_a_full_disk_holds_everything_and_goes_on_when_there_is_room(disk: Disk, watch_site: WatchSite) -> None:
    it = watch_site(speed=100.0, ledger=disk.path / "ledger.db", lasting=True)
    it.run_for_coups(2)
    for _ in range(2):
        disk.fill()
        holds(it, "full", "disk I/O error")
        disk.empty()
        it.run_until(lambda it: problem(it) is None)
        it.run_for_coups(3)
    nothing_lost(it)


def test_a_table_removed_while_the_disk_is_full_and_a_stop_that_finds_it_full(
    disk: Disk, watch_site: WatchSite
) -> None:
    it = watch_site(speed=100.0, tables=2, ledger=disk.path / "ledger.db", lasting=True)
    for table in it.site.plan.table_names():
        it.run_for_coups(2, table)
    disk.fill()
    holds(it, "full", "disk I/O error")
    whole = it.site.gateway_config()
    head, first, _ = whole.split("\n[[table]]\n")
    it.site.config_path.write_text(f"{head}\n[[table]]\n{first}")
    for _ in range(50):
        it.site.gateway.send_signal(signal.SIGHUP)
    disk.empty()
    it.run_until(lambda it: problem(it) is None)
    it.run_until(lambda it: "not in the gateway's config" in it.messages("status", "bac-02")[-1].get("problem", ""))
    it.run_for_coups(3)
    assert it.messages("status")[-1]["state"] == "online"
    assert [alarm["name"] for alarm in it.messages("alarms", "bac-02")[-1]["alarms"]] == ["ledger_not_writable"]
    disk.fill()
    it.run_until(lambda it: problem(it) is not None)
    it.site.children.release(it.site.gateway)
    it.site.gateway.terminate()
    assert it.site.gateway.wait() == 0
    it.run_until(lambda it: it.site_status()[-1]["state"] == "offline")


def test_what_a_full_disk_did_not_take_was_not_acknowledged(disk: Disk, watch_site: WatchSite) -> None:
    """The gateway dies with what it could not store; the shoe still has it."""
    it = watch_site(speed=100.0, ledger=disk.path / "ledger.db", lasting=True)
    it.run_for_coups(2)
    disk.fill()
    holds(it, "full", "disk I/O error")
    it.site.kill_gateway()
    deal_on(it, 5)
    disk.empty()
    it.site.start_gateway()
    it.run_for_coups(3)
    nothing_lost(it)


def test_a_gateway_does_not_start_on_a_read_only_ledger_and_says_why(disk: Disk, watch_site: WatchSite) -> None:
    it = watch_site(speed=100.0, ledger=disk.path / "ledger.db", lasting=True)
    it.run_for_coups(2)
    it.site.kill_gateway()
    disk.remount("ro")
    started = sabot("gateway", "run", "--config", str(it.site.config_path))
    assert started.returncode == 1
    assert f"ledger {it.site.ledger_path}: " in started.stderr
    assert "check the path, the disk and its permissions" in started.stderr
    assert "Traceback" not in started.stderr
    deal_on(it, 5)
    disk.remount("rw")
    it.site.start_gateway()
    it.run_for_coups(3)
    nothing_lost(it)


def test_a_disk_that_turns_read_only_under_the_gateway(failing: FailingDisk, watch_site: WatchSite) -> None:
    it = watch_site(speed=100.0, ledger=failing.path / "ledger.db", lasting=True)
    it.run_for_coups(2)
    failing.fail()
    holds(it, "readonly", "disk I/O error")
    it.site.kill_gateway()
    failing.repair()
    it.site.start_gateway()
    it.run_for_coups(3)
    nothing_lost(it)


def test_a_gateway_that_starts_on_a_full_disk_holds_and_goes_on_when_there_is_room(
    disk: Disk, watch_site: WatchSite
) -> None:
    it = watch_site(speed=100.0, ledger=disk.path / "ledger.db", lasting=True)
    it.run_for_coups(2)
    it.site.kill_gateway()
    disk.fill()
    it.site.start_gateway()
    holds(it, "full", "disk I/O error")
    disk.empty()
    it.run_until(lambda it: problem(it) is None)
    it.run_for_coups(3)
    nothing_lost(it)
