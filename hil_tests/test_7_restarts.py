"""Crashes: nothing lost, nothing doubled."""

import pytest
from sabot_sim.rigs.vm import VmShoe
from support.site_watcher import DRIVERS, SiteWatcher, WatchSite, contiguous

UNANSWERED = ("offline", "no shoe has answered at this table since the gateway started")
every_driver = pytest.mark.parametrize("driver", DRIVERS)


def coups(watcher: SiteWatcher) -> int:
    return len(watcher.messages("coup"))


def run_to_coup(watcher: SiteWatcher, number: int) -> None:
    watcher.run_until(lambda watcher: coups(watcher) >= number)


def draw_more(watcher: SiteWatcher, cards: int) -> None:
    """Let the dealer draw this many more cards."""
    dealer = watcher.site.tables["bac-01"].dealer
    target = len(dealer.drawn) + cards
    watcher.run_until(lambda watcher: len(dealer.drawn) >= target)


def draw_into_next_coup(watcher: SiteWatcher, cards: int) -> None:
    """Let the dealer confirm a coup and draw this many cards of the next; all but the last are certainly out."""
    dealer = watcher.site.tables["bac-01"].dealer
    seen = dealer.coups_seen
    watcher.run_until(lambda watcher: dealer.coups_seen > seen)
    draw_more(watcher, cards)


@every_driver
def test_the_gateway_is_killed_in_mid_coup(watch_site: WatchSite, driver: str) -> None:
    watcher = watch_site(kind=driver, speed=100.0)
    for more in (2, 5, 9) if driver == "sabot" else (2, 6):
        run_to_coup(watcher, more)
        draw_more(watcher, 2)
        watcher.site.kill_gateway()
        watcher.site.start_gateway()
    run_to_coup(watcher, more + 3)
    assert watcher.wrong_coups(cuts=3) == []
    assert contiguous(watcher.ledger_events())
    assert bool(watcher.messages("alarm")) == (driver == "angel-eye")  # its coups were cut, and there is no log


@every_driver
def test_the_shoe_loses_power_in_mid_coup(watch_site: WatchSite, driver: str) -> None:
    watcher = watch_site(kind=driver, speed=100.0)
    run_to_coup(watcher, 2)
    draw_into_next_coup(watcher, 3)
    watcher.site.power_cycle("bac-01")
    before = coups(watcher)
    run_to_coup(watcher, before + 3)
    assert contiguous(watcher.ledger_events())
    alarms = [message["name"] for message in watcher.messages("alarm")]
    assert alarms == ["shoe_restarted"] or (driver, alarms) == ("angel-eye", ["shoe_restarted", "discrepancy"])
    assert [(message["state"], message["shoe"]) for message in watcher.messages("shoe")] == [("open", 1)]
    assert watcher.wrong_coups(cuts=1) == []


@every_driver
def test_the_gateway_joins_late(watch_site: WatchSite, driver: str) -> None:
    watcher = watch_site(kind=driver, speed=100.0)
    run_to_coup(watcher, 1)
    watcher.site.kill_gateway()
    draw_more(watcher, 30)
    watcher.site.start_gateway()
    run_to_coup(watcher, 6)
    assert watcher.wrong_coups(cuts=1) == []
    assert contiguous(watcher.ledger_events())


def test_a_gateway_with_a_new_ledger_gets_the_whole_log(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0)
    run_to_coup(watcher, 3)
    watcher.site.kill_gateway()
    for file in watcher.site.plan.work_dir.glob("ledger.db*"):
        file.unlink()
    watcher.site.start_gateway()
    run_to_coup(watcher, 5)
    assert contiguous(watcher.ledger_events())


def test_a_full_journal_locks_the_exit_until_the_gateway_is_back(watch_site: WatchSite) -> None:
    watcher = watch_site()
    run_to_coup(watcher, 2)
    watcher.site.kill_gateway()
    waiting = 1 | 256
    bench = watcher.site.tables["bac-01"].bench
    assert isinstance(bench, VmShoe)
    watcher.run_until(lambda _: bench.outputs == waiting)
    watcher.site.start_gateway()
    seen = coups(watcher)
    run_to_coup(watcher, seen + 150)
    assert contiguous(watcher.ledger_events())
    assert [message["coup"] for message in watcher.messages("coup") if message["shoe"] == 1] == list(
        range(1, len([message for message in watcher.messages("coup") if message["shoe"] == 1]) + 1)
    )
    assert watcher.messages("alarm") == []


@every_driver
def test_status_shows_whether_gateway_and_shoe_are_online(watch_site: WatchSite, driver: str) -> None:
    watcher = watch_site(kind=driver, speed=100.0)
    run_to_coup(watcher, 1)
    seen = [(message["state"], message.get("problem")) for message in watcher.messages("status")]
    if seen[0] == UNANSWERED:  # the broker answered before the shoe did
        seen.pop(0)
    assert set(seen) == {("online", None)}
    assert [message["state"] for message in watcher.site_status()] == ["online"]
    watcher.site.kill_gateway()
    watcher.run_until(lambda watcher: watcher.site_status()[-1]["state"] == "offline")  # its will
    watcher.site.start_gateway()
    watcher.run_until(lambda watcher: watcher.site_status()[-1]["state"] == "online")
    watcher.run_until(lambda watcher: watcher.messages("status")[-1]["state"] == "online")
    watcher.site.power_off("bac-01")
    if driver == "sabot":  # silence of an Angel Eye is normal and proves nothing
        watcher.run_until(lambda watcher: watcher.messages("status")[-1]["state"] == "offline")
    assert watcher.messages("status")[-1]["state"] == ("offline" if driver == "sabot" else "online")
