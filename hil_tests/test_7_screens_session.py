"""Log-in at a page by keyboard and badge, the lock, and markup in names and texts, which stays text."""

import pytest
from playwright.sync_api import Page, expect
from support.screens import TIME, Screens, ScreenSite, log_in

PIN, BADGE = "481516", "00998877"
EVIL = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"


@pytest.fixture(scope="module")
def site(screen_site: ScreenSite) -> ScreenSite:
    screen_site.person("walt", PIN, badge=BADGE, crown_baccarat="area_manager")
    return screen_site


def dialog(page: Page) -> None:
    expect(page.get_by_role("dialog", name="Log in")).to_be_visible()


def test_a_person_logs_in_by_keyboard_alone_and_out(site: ScreenSite, screens: Screens) -> None:
    screens.expected.append("401")
    with screens.page(f"{site.url}/pit") as page:
        dialog(page)
        log_in(page, "walt", "111222")
        expect(page.get_by_role("alert")).to_contain_text("Not logged in")
        page.get_by_label("PIN or password", exact=True).focus()
        page.keyboard.type(f"{PIN}\n")
        expect(page.get_by_text("Walt of walt")).to_be_visible()
        page.reload()
        expect(page.get_by_text("Walt of walt")).to_be_visible()
        page.get_by_role("button", name="Log out").click()
        dialog(page)


def test_a_dealer_who_comes_to_the_pit_logs_in_there(site: ScreenSite, screens: Screens) -> None:
    site.publisher().table("gate-01")
    with screens.page(f"{site.url}/dealer/gate-01") as page:
        log_in(page, "walt", PIN)
        expect(page.get_by_text("Walt of walt")).to_be_visible()
        page.goto(f"{site.url}/pit")
        dialog(page)
        expect(page.get_by_text("Walt of walt has logged in as a dealer. This does not open this page")).to_be_visible()
        log_in(page, "walt", PIN)
        page.get_by_role("button", name="Log out").click()
        dialog(page)
        expect(page.get_by_text("Locked")).to_have_count(0)  # nobody locked it


# As gateways and the floor write them, and what a supervisor reads.
SAID = {
    "then run `sabot table bac-01 deck-check --end --by NAME`.": "then press “End deck check”.",
    "See `sabot gateway status`, then repeat it.": "See the pit console, then repeat it.",
    "See `sabot table bac-01 open`.": "See “Open incidents”.",
    "check the lid; then `sabot table b clear-fault lid --by NAME`, or": "check the lid; then “Clear fault”, or",
    "Run `sabot table b tell unlock --by NAME`.": "Press “Unlock”.",
    "with `sabot table b decide --coup 3/1 --verdict confirmed|void --by NAME --clause N`.": (
        "with “Confirm outcome” or “Void the disputed coup”."
    ),
    "`sabot table b ack-alarm u1-5 --by NAME`": "“Acknowledge”",
    "`sabot table b import-coup 17 player_1=8H --by NAME --clause N`": "“Import coup” with 17 player_1=8H",
    "Reflash the shoe with `sabot flash`.": "Reflash the shoe with the command line (ask a technician).",
    "The shoe locks its exit (fault card): key it in": "The shoe locks its exit: key it in",
    "Fault decision is cleared. The shoe goes on.": "The fault is cleared. The shoe goes on.",
    "Expected `str` matching regex '^[a-z]+$' - at `$.x`": "it has characters that are not allowed there - at `$.x`",
    "No command: `code` <b> & $1 $&": "No command: `code` <b> & $1 $&",
}


def test_commands_of_the_shell_become_names_of_buttons(site: ScreenSite, screens: Screens) -> None:
    with screens.page(f"{site.url}/wall") as page:
        found = page.evaluate("async (texts) => texts.map((await import('/static/said.js')).said)", list(SAID))
        assert found == list(SAID.values())
        assert page.evaluate(
            """async () => (await import('/static/said.js')).parse('{"a": ["`sabot gateway status`"]}')"""
        ) == {"a": ["the pit console"]}


def test_a_badge_reader_types_the_code_and_enter(site: ScreenSite, screens: Screens) -> None:
    with screens.page(f"{site.url}/pit") as page:
        page.get_by_role("button", name="Badge").click()
        expect(page.get_by_label("Hold the badge to the reader")).to_be_focused()
        page.keyboard.type(f"{BADGE}\n")
        expect(page.get_by_text("Walt of walt")).to_be_visible()


def test_the_page_locks_when_the_session_ends_and_shows_nothing(site: ScreenSite, screens: Screens) -> None:
    site.publisher().table("lock-01")
    site.person("temp", "902871", crown_baccarat="area_manager")
    with screens.page(f"{site.url}/pit") as page:
        log_in(page, "temp", "902871")
        expect(page.get_by_role("button", name="lock-01")).to_be_visible()
        assert site.ask("user-disable", person="temp").ok
        dialog(page)
        expect(page.get_by_text("Locked. Temp of temp was logged in here.")).to_be_visible()
        expect(page.get_by_text("lock-01")).to_have_count(0)


def test_markup_in_names_and_texts_stays_text(site: ScreenSite, screens: Screens) -> None:
    gateway = site.publisher()
    assert site.ask("user-add", person="evil", name=EVIL[:64]).ok
    assert site.ask("user-pin", person="evil", secret="577215").ok
    assert site.ask("user-own-pin", login={"person": "evil", "secret": "577215"}, secret="559102").ok
    gateway.table("xss-01", problem=EVIL, next_step=EVIL, fault=EVIL)
    ids = {
        "id": "x1",
        "unit": "U",
        "event_no": 1,
        "table": "xss-01",
        "shoe": 1,
        "coup": 3,
        "time": TIME,
        "rulebook": "r",
    }
    texts = {"name": EVIL, "say": EVIL, "shoe_says": EVIL, "cards_say": EVIL, "clause": EVIL, "alarm": "x1"}
    alarm = {**ids, **texts, "severity": "critical", "state": "raised"}
    gateway.put("xss-01/alarms", {"table": "xss-01", "time": TIME, "alarms": [alarm]})
    gateway.put("xss-01/history", {"table": "xss-01", "time": TIME, "state": "open", "phase": "bets", "results": EVIL})
    meters = {"base": 1, "in": 0, "display": 1, "hits": 0, "wins": 0, "overflow": 0, "reserve": 0}
    meter = {"jackpot": "xss-j", "title": EVIL, "time": TIME, "entry": 1, "hash": "", "parameters": "", "version": 1}
    meter |= {"currency": "AUD", "meters": meters, "balanced": True, "problem": EVIL, "not_offered": {"xss-01": EVIL}}
    gateway.put("jackpot/xss-j/meter", meter)
    for path in ("/wall", "/display/xss-01", "/sign/xss-01", "/jackpot/xss-j", "/pit"):
        with screens.page(f"{site.url}{path}") as page:
            if path == "/pit":
                log_in(page, "evil", "559102")
                expect(page.get_by_text(EVIL[:64], exact=True).first).to_be_visible()
            if path in ("/pit", "/jackpot/xss-j"):
                expect(page.get_by_text(EVIL, exact=False).first).to_be_visible()
            expect(page.locator("#page > *").first).to_be_attached()
            assert page.evaluate(
                "window.hacked === undefined && document.querySelector('#page img[src=x]') === null"
            ), path
    gateway.put("jackpot/xss-j/meter", None)
