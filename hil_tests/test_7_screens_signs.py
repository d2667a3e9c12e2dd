"""Table sign, Jackpot Display and Jackpot Management Console in a real browser, with a real floor service."""

from collections.abc import Iterator
from typing import Any

import pytest
from floor_rig import JACKPOTS, Table
from playwright.sync_api import Page, expect
from sabot_floor.config import load
from sabot_protocol.topics import increment_topic, recorded_topic
from support.screens import SITE, TIME, Publisher, Screens, ScreenSite, log_in, wait_for

TABLES = """
[[table]]
name = "star-01"
area = "Main floor"
minimum = "25"
maximum = "5,000"
restricted = ["pair"]
[table.wager.pair]
minimum = "5"
maximum = "300"

[[table]]
name = "rapid-01"
minimum = "10"
maximum = "1,000"

[[table]]
name = "nz-02"
currency = "NZD"
minimum = "20"
maximum = "2,000"
ante = "2.50"
"""
MAIN = "player banker tie"
# By table: rulebook, game, wagers, options; and what a player must be able to read, from the texts.
SIGNS: dict[str, tuple[str, str, str, dict[str, str], list[str]]] = {
    "star-01": (
        "star-baccarat", "even_money", f"{MAIN} pair_player pair_banker tiger", {},
        ["Even Money Baccarat", "25", "5,000", "1 to 2", "8 to 1", "Pairs Player, Banker", "5 – 300", "11 to 1",
         "12 to 1", "22 to 1", "and 1 to 2 if Banker wins with 6"],
    ),
    "premium-01": (
        "star-premium", "tie_premium", MAIN, {"tie_percent": "6"},
        ["Tie Premium Baccarat", "19 to 20", "6% of the wager", "Tie: 6% of each wager on Player or Banker is paid"],
    ),
    "rapid-01": ("star-rapid", "baccarat", f"{MAIN} pair_player", {}, ["Rapid Baccarat", "10", "1,000", "19 to 20"]),
    "nz-02": (
        "nz-baccarat", "two_to_one_b6", f"{MAIN} perfect_pair_player", {"tie_odds": "9", "perfect_pair_scale": "3"},
        ["2 to 1 Baccarat is offered at this table.", "9 to 1", "1 to 2 ($100 pays $50)", "2 to 1", "loses",
         "Perfect Pair: Pay Scale Three", "25 to 1", "Ante Up Baccarat: the Ante is 2.50."],
    ),
    "bac-01": (
        "crown-baccarat", "tie", f"{MAIN} super_6", {"tie_percent_banker": "5", "super6_option": "2"},
        ["Tie Baccarat", "1 to 1 less 5% commission", "Tie: 5% of each wager on Banker is paid", "16 to 1",
         "Super 6: Option 2", "Jackpot Lucky Tie", "all four eights of the same suit: 100%"],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def signs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScreenSite]:
    """Yield a floor with signs, a jackpot, and people of different roles."""
    work_dir = tmp_path_factory.mktemp("signs")
    (work_dir / "jackpots.toml").write_text(JACKPOTS)
    site = ScreenSite(work_dir, TABLES, f'jackpots = "{work_dir}/jackpots.toml"\n')
    site.person("asmith", "730155", crown_baccarat="area_manager", star_baccarat="casino_supervisor")
    site.person("bjones", "840266", crown_baccarat="area_manager")
    site.person("senior", "951377", crown_baccarat="higher_duties_dealer")
    site.person("cmanager", "306518", crown_baccarat="casino_manager")
    yield site
    site.close()


def test_the_sign_of_each_book(signs: ScreenSite, screens: Screens) -> None:
    gateway = signs.publisher()
    with screens.page(f"{signs.url}/sign/unknown-01") as page:
        expect(page.get_by_text("There is no table unknown-01")).to_be_visible()
        for table, (rulebook, game, wagers, options, texts) in SIGNS.items():
            setup = {"game": game, "options": options, "wagers": wagers.split(), "decks": 8}
            gateway.table(table, rulebook=rulebook, setup=setup)
            page.goto(f"{signs.url}/sign/{table}")
            for text in texts:
                expect(page.get_by_text(text, exact=text[0].isdigit()).first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_a_change_comes_to_the_sign(signs: ScreenSite, screens: Screens) -> None:
    gateway = signs.publisher()
    gateway.table("star-01", rulebook="star-baccarat", setup={"game": "baccarat", "decks": 8})
    login = {"person": "asmith", "secret": "730155"}
    wait_for(lambda: _changed(signs, "minimum", login, minimum="100", keep_old=True))
    with screens.page(f"{signs.url}/sign/star-01?lang=zh-Hant", size=(1080, 1920)) as page:
        expect(page.get_by_text("此前已在本枱的玩家")).to_be_visible()
        expect(page.locator(".minimum")).to_have_text(["100", "25"])
        assert _changed(signs, "close", login)
        expect(page.get_by_text("關閉")).to_be_visible()
        assert _changed(signs, "cancel", login, what="closure")
        expect(page.get_by_text("關閉")).to_have_count(0)


def _changed(site: ScreenSite, change: str, login: dict[str, str], **args: Any) -> bool:
    return site.ask("sign", table="star-01", change=change, login=login, **args).ok


def table_of(site: ScreenSite) -> Table:
    """Return the table that contributes; one for all tests, for its increments are counted."""
    if not hasattr(site, "bac_01"):
        site.bac_01 = Table("bac-01", "lucky-tie", load(site.config).parameters()[0].digest)  # type: ignore[attr-defined]
    found: Table = site.bac_01  # type: ignore[attr-defined]
    return found


def play(site: ScreenSite, trigger: str = "") -> None:
    """Publish a coup's increment, and the dealer's record where it wins."""
    gateway, table = site.publisher(), table_of(site)
    won = table.increment(trigger=trigger)
    _send(gateway, increment_topic(SITE, table.name, "lucky-tie"), won)
    if trigger:
        _send(gateway, recorded_topic(SITE, table.name, "lucky-tie"), table.recorded(won, stakes={"tie": [500]}))


def _send(gateway: Publisher, topic: str, message: object) -> None:
    gateway.put(topic.split("/", 3)[3], message, retain=False)


def test_the_jackpot_display_counts_up_and_never_shows_more_than_the_meter(signs: ScreenSite, screens: Screens) -> None:
    with screens.page(f"{signs.url}/jackpot/lucky-tie?table=bac-02") as page:
        expect(page.get_by_role("heading", name="Lucky Tie")).to_be_visible()
        before = int(page.locator(".amount").get_attribute("data-meter") or 0)
        page.evaluate(WATCH)
        play(signs)
        expect(page.locator(".amount")).to_have_attribute("data-shown", str(before + 25))
        shown = page.evaluate("window.seen")
        assert shown == sorted(shown)
        assert max(shown) == before + 25
        login = {"person": "asmith", "secret": "730155"}
        assert signs.ask("withdraw", jackpot="lucky-tie", table="bac-02", reason="dark screen", login=login).ok
        expect(page.get_by_text("Not offered at this table")).to_be_visible()
        expect(page.get_by_text("Reason: dark screen")).to_be_visible()
        assert signs.ask("restore", jackpot="lucky-tie", table="bac-02", login=login).ok
        expect(page.get_by_text("Not offered at this table")).to_have_count(0)


WATCH = """() => {
  window.seen = [];
  const amount = document.querySelector(".amount");
  new MutationObserver(() => {
    if (Number(amount.dataset.shown) > Number(amount.dataset.meter)) throw new Error("more than the meter");
    window.seen.push(Number(amount.dataset.shown));
  }).observe(amount, {attributes: true, attributeFilter: ["data-shown"]});
}"""


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the button of this name has the focus."""
    button = page.get_by_role("button", name=name, exact=True).first
    expect(button).to_be_enabled()
    for _ in range(60):
        page.keyboard.press("Tab")
        if button.evaluate("(one) => one === document.activeElement"):
            return
    raise AssertionError(f"Tab never comes to {name}")


def test_a_win_is_confirmed_by_the_right_role_with_the_keyboard_alone(signs: ScreenSite, screens: Screens) -> None:
    """D-61, D-62: console and display have the same value; 003 13.4.5."""
    play(signs, "non_coloured")
    with (
        screens.page(f"{signs.url}/console/jackpots") as page,
        screens.page(f"{signs.url}/jackpot/lucky-tie") as display,
    ):
        expect(display.get_by_text("A win at table bac-01 is being confirmed")).to_be_visible()
        log_in(page, "senior", "951377")
        expect(page.get_by_text("recorded", exact=True)).to_be_visible()
        value = display.locator(".amount").inner_text().split()
        expect(page.locator("section", has_text="Lucky Tie").locator(".value")).to_have_text(" ".join(value))
        ask_to_confirm(page)
        page.keyboard.type("Cmanager")
        tab_to(page, "Confirm this act")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert").filter(has_text="may not do this")).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Log out").click()
        log_in(page, "asmith", "730155")
        ask_to_confirm(page)
        expect(page.get_by_role("option")).to_have_text(["choose", "Cmanager of cmanager (Casino Manager)"])
        page.keyboard.type("Cmanager")
        tab_to(page, "Confirm this act")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert").filter(has_text="Confirmed.")).to_be_visible()
        expect(page.locator("section", has_text="Lucky Tie").get_by_text("No win is pending.")).to_be_visible()
        expect(display.get_by_text("Jackpot won!")).to_be_visible()
        expect(display.get_by_text("at table bac-01")).to_be_visible()


def ask_to_confirm(page: Page) -> None:
    """Begin to confirm the pending win; the form has the focus where the person notified is chosen."""
    tab_to(page, "Confirm")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Lowest role: TG Area Manager")).to_be_visible()
    expect(page.get_by_text("To be notified: Casino Manager")).to_be_visible()
    expect(page.get_by_label("Who was notified")).to_be_focused()


def test_an_adjustment_needs_two_people(signs: ScreenSite, screens: Screens) -> None:
    with screens.page(f"{signs.url}/console/jackpots") as page:
        log_in(page, "asmith", "730155")
        jackpot = page.locator("section", has_text="Lucky Tie")
        before = jackpot.locator(".value").inner_text()
        jackpot.get_by_role("button", name="Adjust the meter").click()
        expect(page.get_by_label("Amount")).to_be_focused()
        page.keyboard.type("five")
        page.keyboard.press("Tab")
        page.keyboard.type("meter was reset")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Write an amount such as 5.00")).to_be_visible()
        page.get_by_label("Amount").fill("12.50")
        page.keyboard.press("Enter")
        for person, pin, said in (("asmith", "730155", "Two different people"), ("bjones", "840266", "Adjusted by")):
            expect(page.get_by_text("Lucky Tie: adjust the meter by 12.50")).to_be_visible()
            page.get_by_label("Person", exact=True).fill(person)  # the dialog stays after a refusal
            page.get_by_label("PIN or password").fill(pin)
            page.keyboard.press("Enter")
            expect(page.get_by_role("alert").filter(has_text=said)).to_be_visible()
            if person == "asmith":
                expect(jackpot.locator(".value")).to_have_text(before)
        expect(jackpot.locator(".value")).not_to_have_text(before)
        jackpot.get_by_role("button", name="Missed coups and last wins").click()
        expect(jackpot.get_by_text("No coup was missed.")).to_be_visible()


def test_a_page_changes_a_sign_in_the_name_of_its_session(signs: ScreenSite, screens: Screens) -> None:
    signs.publisher().table("bac-02", setup={"game": "traditional", "decks": 8})
    shoe = {"table": "bac-02", "time": TIME, "state": "open", "phase": "bets", "unit": "SHOE1", "shoe": 1, "coup": 5}
    signs.publisher().put("bac-02/history", shoe)
    with screens.page(f"{signs.url}/console/jackpots") as page:
        log_in(page, "asmith", "730155")
        expect(page.get_by_role("button", name="Log out")).to_be_visible()
        answer = page.evaluate(ACT, {"do": "sign", "table": "bac-02", "change": "close"})
        assert (answer["ok"], answer["say"]) == (True, "bac-02: closes after 3 coups (15.8).")
        page.goto(f"{signs.url}/sign/bac-02")
        expect(page.get_by_text("This table closes after 3 more coups")).to_be_visible()
        signs.publisher().put("bac-02/history", {**shoe, "coup": 9})
        expect(page.get_by_role("alert")).to_have_text("This table is closed")
        expect(page.locator(".limits, .wagers, .jackpot")).to_have_count(0)
        page.goto(f"{signs.url}/display/bac-02")
        expect(page.locator("[data-notice]")).to_have_text("This table is closed")


ACT = "async (body) => (await import('/static/session.js')).act(body)"
