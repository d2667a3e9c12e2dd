"""Pages that lose the server, the broker or the gateway: they show it within 5 s and recover by themselves."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import Page, Route, expect
from support.screens import TIME, Screens, ScreenSite, log_in, not_live, watch_bar

TABLE = "out-01"
PIN = "730155"
STAFF = ("/console/jackpots", f"/dealer/{TABLE}", "/pit")
OTHERS = ("/wall", f"/sign/{TABLE}", "/jackpot/out-j", *STAFF)  # every live page but the display


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScreenSite]:
    """Yield a site whose parts these tests stop."""
    made = ScreenSite(tmp_path_factory.mktemp("outages"))
    made.publisher().table(TABLE)
    meters = {"base": 500, "in": 0, "display": 500, "hits": 0, "wins": 0, "overflow": 0, "reserve": 0}
    meter = {"jackpot": "out-j", "title": "Lucky", "time": TIME, "entry": 1, "hash": "", "parameters": "", "version": 1}
    made.publisher().put("jackpot/out-j/meter", {**meter, "currency": "AUD", "meters": meters, "balanced": True})
    made.person("vera", PIN, crown_baccarat="area_manager")
    yield made
    made.close()


@contextmanager
def opened(site: ScreenSite, screens: Screens, path: str = f"/display/{TABLE}") -> Iterator[Page]:
    """Yield a live page, by default the display, which must never be loaded again."""
    screens.expected += [
        "ERR_CONNECTION_REFUSED",
        "ERR_INCOMPLETE_CHUNKED",
        "ERR_EMPTY_RESPONSE",
        "ERR_CONNECTION_RESET",
    ]
    with screens.page(f"{site.url}{path}") as page:
        if path in STAFF:
            log_in(page, "vera", PIN)
            expect(page.get_by_role("button", name="Log out")).to_be_visible()
        live(page)
        page.evaluate("window.first = true")
        watch_bar(page)
        yield page
        live(page)
        assert page.evaluate("window.first")


def live(page: Page) -> None:
    expect(page.locator("#page > *").first).to_be_attached()
    expect(page.locator(".not-live")).to_have_count(0)


def test_a_restart_of_the_server(site: ScreenSite, screens: Screens) -> None:
    with opened(site, screens) as page:
        site.stop_floor()
        not_live(page, "The server does not answer", time.time())
        site.start_floor()


@pytest.mark.parametrize("path", STAFF)
def test_a_restart_of_the_server_logs_nobody_out(site: ScreenSite, screens: Screens, path: str) -> None:
    with opened(site, screens, path) as page:
        log_out = page.get_by_role("button", name="Log out")
        site.stop_floor()
        not_live(page, "The server does not answer", time.time())
        site.start_floor()
        live(page)
        expect(log_out).to_be_visible()
        log_out.click()
        expect(log_out).to_have_count(0)
        log_in(page, "vera", PIN)
        expect(log_out).to_be_visible()


def test_a_server_that_hangs(site: ScreenSite, screens: Screens) -> None:
    with opened(site, screens) as page, stopped(site.floor_pid()) as began_s:
        not_live(page, "The server does not answer", began_s)


@pytest.mark.parametrize("path", [f"/display/{TABLE}", *OTHERS])
def test_a_server_that_hangs_before_the_first_state(site: ScreenSite, screens: Screens, path: str) -> None:
    def hang(route: Route) -> None:
        os.kill(site.floor_pid(), signal.SIGSTOP)
        route.continue_()

    with opened(site, screens, path) as page, stopped(site.floor_pid(), now=False):
        page.route("**/events/**", hang)
        page.reload()
        expect(page.locator(".not-live")).to_contain_text("The server does not answer")
        page.unroute("**/events/**")
        page.evaluate("window.first = true")


def test_a_restart_of_the_broker(site: ScreenSite, screens: Screens) -> None:
    with opened(site, screens) as page:
        site.broker.stop()
        not_live(page, "no connection to the broker", time.time())
        site.broker.start()


def test_every_page_shows_a_restart_of_the_broker_and_goes_on(site: ScreenSite, screens: Screens) -> None:
    with ExitStack() as stack:
        pages = [stack.enter_context(opened(site, screens, path)) for path in OTHERS]
        site.broker.stop()
        stopped_s = time.time()
        for page in pages:
            not_live(page, "no connection to the broker", stopped_s)
        site.broker.start()


def test_a_broker_that_hangs(site: ScreenSite, screens: Screens) -> None:
    with opened(site, screens) as page, stopped(site.broker.pid()) as began_s:
        not_live(page, "no connection to the broker", began_s)


def test_a_gateway_that_is_lost(site: ScreenSite, screens: Screens) -> None:
    with opened(site, screens) as page:
        site.publisher().put("status", {"state": "offline", "time": TIME})
        not_live(page, "No gateway serves this table", time.time())
        site.publisher().put("status", {"state": "online", "time": TIME})


@contextmanager
def stopped(pid: int, *, now: bool = True) -> Iterator[float]:
    """Yield the time while a process does nothing, at once or when the test stops it; it goes on at the end."""
    if now:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield time.time()
    finally:
        os.kill(pid, signal.SIGCONT)


def test_one_unit_id_at_two_gateways_is_an_alarm_in_the_pit_until_one_is_gone(
    site: ScreenSite, screens: Screens
) -> None:
    publisher, online = site.publisher(), {"state": "online", "time": TIME}
    for number in ("1", "2"):
        publisher.put(f"gateway/gw-{number}/status", online)
        own = {**online, "unit": "5ab00000000000aa", "rulebook": "crown-baccarat", "gateway": f"gw-{number}"}
        publisher.put(f"two-0{number}/status", own)
    with screens.page(f"{site.url}/pit") as page:
        log_in(page, "vera", PIN)
        alarms = page.locator(".alarm", has_text="unit id 5ab00000000000aa, at two-01 and two-02: stop these tables")
        expect(alarms).to_have_count(2)
        expect(alarms.get_by_role("button", name="Acknowledge")).to_have_count(0)
        publisher.put("gateway/gw-2/status", {**online, "state": "offline"})
        expect(alarms).to_have_count(0)
