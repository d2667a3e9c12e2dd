"""Crashes: nothing lost, nothing doubled."""

from support.site_watcher import SiteWatcher, WatchSite, contiguous


def coups(it: SiteWatcher) -> int:
    return len(it.messages("coup"))


def run_to_coup(it: SiteWatcher, number: int) -> None:
    it.run_until(lambda it: coups(it) >= number)


def draw_more(it: SiteWatcher, cards: int) -> None:
    """Let the dealer draw so many cards from now."""
    dealer = it.site.tables["bac-01"].dealer
    target = len(dealer.drawn) + cards
    it.run_until(lambda it: len(dealer.drawn) >= target)


def draw_into_next_coup(it: SiteWatcher, cards: int) -> None:
    """Let the dealer confirm a coup and draw so many cards of the next; all but the last are surely out."""
    dealer = it.site.tables["bac-01"].dealer
    seen = dealer.coups_seen
    it.run_until(lambda it: dealer.coups_seen > seen)
    draw_more(it, cards)


def test_the_gateway_is_killed_in_mid_coup(watch_site: WatchSite) -> None:
    it = watch_site(speed=100.0)
    for more in (2, 5, 9):
        run_to_coup(it, more)
        draw_more(it, 2)
        it.site.kill_gateway()
        it.site.start_gateway()
    run_to_coup(it, 12)
    assert [message["coup"] for message in it.messages("coup")] == list(range(1, coups(it) + 1))
    assert {message["status"] for message in it.messages("coup")} == {"verified"}
    assert contiguous(it.ledger_events())
    assert it.messages("alarm") == []


def test_the_shoe_loses_power_in_mid_coup(watch_site: WatchSite) -> None:
    it = watch_site(speed=100.0)
    run_to_coup(it, 2)
    draw_into_next_coup(it, 3)
    it.site.power_cycle("bac-01")
    before = coups(it)
    run_to_coup(it, before + 3)
    assert contiguous(it.ledger_events())
    assert [message["name"] for message in it.messages("alarm")] == ["shoe_restarted"]
    assert [(message["state"], message["shoe"]) for message in it.messages("shoe")] == [("open", 1)]
    assert [message["coup"] for message in it.messages("coup")] == list(range(1, coups(it) + 1))
    assert {message["status"] for message in it.messages("coup")} == {"verified"}


def test_the_gateway_joins_late(watch_site: WatchSite) -> None:
    it = watch_site(speed=100.0)
    run_to_coup(it, 1)
    it.site.kill_gateway()
    draw_more(it, 30)
    it.site.start_gateway()
    run_to_coup(it, 6)
    assert [message["coup"] for message in it.messages("coup")] == list(range(1, coups(it) + 1))
    assert contiguous(it.ledger_events())


def test_a_gateway_with_a_new_ledger_gets_the_whole_log(watch_site: WatchSite) -> None:
    it = watch_site(speed=100.0)
    run_to_coup(it, 3)
    it.site.kill_gateway()
    for file in it.site.plan.work_dir.glob("ledger.db*"):
        file.unlink()
    it.site.start_gateway()
    run_to_coup(it, 5)
    assert contiguous(it.ledger_events())


def test_a_full_journal_locks_the_exit_until_the_gateway_is_back(watch_site: WatchSite) -> None:
    it = watch_site()
    run_to_coup(it, 2)
    it.site.kill_gateway()
    waiting = 1 | 256
    it.run_until(lambda it: it.site.tables["bac-01"].bench.outputs == waiting)
    it.site.start_gateway()
    seen = coups(it)
    run_to_coup(it, seen + 150)
    assert contiguous(it.ledger_events())
    assert [message["coup"] for message in it.messages("coup") if message["shoe"] == 1] == list(
        range(1, len([message for message in it.messages("coup") if message["shoe"] == 1]) + 1)
    )
    assert it.messages("alarm") == []


def test_status_says_who_is_there(watch_site: WatchSite) -> None:
    it = watch_site(speed=100.0)
    run_to_coup(it, 1)
    assert [message["state"] for message in it.messages("status")] == ["online"]
    assert [message["state"] for message in it.site_status()] == ["online"]
    it.site.kill_gateway()
    it.run_until(lambda it: it.site_status()[-1]["state"] == "offline")  # its will
    it.site.start_gateway()
    it.run_until(lambda it: it.site_status()[-1]["state"] == "online")
    it.site.power_off("bac-01")
    it.run_until(lambda it: it.messages("status")[-1]["state"] == "offline")
