"""Pages as a visitor sees them: nothing is cut off, the screen is used, unknown names lead on, broken is not live."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.screens import TIME, Screens, ScreenSite, resize

PORTRAIT, PHONE = (1080, 1920), (390, 844)
TABLES = [f"look-{number:02}" for number in range(1, 13)]
LONG_STREAK = "B P " * 20 + "P P P P " + "B " * 12  # 32 Banker, 24 Player; the longest texts of a tile
ALARM = {
    "id": "a1", "unit": "SHOE1", "event_no": 0, "time": TIME, "table": "", "shoe": 3, "coup": 72, "rulebook": "",
    "name": "lid", "say": "The lid is open.", "clause": "", "shoe_says": "", "cards_say": "", "alarm": "a1",
    "severity": "critical", "state": "raised",
}  # fmt: skip
# The notices of displays.md D-13 to D-18 in each language: dummy coup, last coup, no more bets.
NOTICES = {
    "en": ("Dummy Coup", "Last coup", "No more bets"),
    "zh-Hans": ("空局", "最后一局", "停止下注"),
    "zh-Hant": ("空局", "最後一局", "停止下注"),
}
CUT = """(where) => [...document.querySelectorAll(where)].filter((one) => {
  const box = one.getBoundingClientRect();
  const tile = one.closest(".tile, .banner, header").getBoundingClientRect();
  return one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline"
    || box.right > tile.right + 1 || box.left < tile.left - 1 || box.bottom > tile.bottom + 1;
}).map((one) => one.textContent)"""


def history(table: str, **more: Any) -> dict[str, Any]:
    base = {"table": table, "time": TIME, "state": "open", "phase": "bets", "unit": "SHOE1", "shoe": 3}
    return {**base, "results": LONG_STREAK, "coup": 72, **more}


def test_twelve_tables_on_the_wall_and_nothing_is_cut_off(screen_site: ScreenSite, screens: Screens) -> None:
    gateway = screen_site.publisher()
    for name in TABLES:
        gateway.table(name)
        kind = "void_hand" if name == TABLES[-1] else "live"  # D-14 to D-18: the longest notice
        gateway.put(f"{name}/history", history(name, kind=kind))
        gateway.put(f"{name}/alarms", {"table": name, "time": TIME, "alarms": [{**ALARM, "table": name}], "more": 1})
    with screens.page(f"{screen_site.url}/wall", size=(1920, 1080)) as page:
        expect(page.locator('[data-table="look-12"] .alarms')).to_contain_text("2")
        tile = page.locator('[data-table="look-01"]')
        expect(tile.locator(".totals")).to_have_text("B 32 P 24 T 0")
        expect(tile.locator(".state")).to_have_text("Coup 72")
        expect(tile.locator("[data-hot]")).to_have_text("Streak")
        expect(page.locator('[data-table="look-12"] .state')).to_have_text("No bets this hand")
        for size in ((1920, 1080), (1280, 720), PORTRAIT, PHONE):
            resize(page, size)
            assert page.evaluate(CUT, ".tile .totals, .tile .state, .tile .name, .tile .alarms, .tile .hot") == []
    for name in TABLES:
        for topic in ("status", "history", "alarms"):
            gateway.put(f"{name}/{topic}", None)


@pytest.mark.parametrize("size", [(1280, 720), PORTRAIT])
def test_notices_and_limits_in_three_languages(
    screen_site: ScreenSite, screens: Screens, size: tuple[int, int]
) -> None:
    gateway = screen_site.publisher()
    gateway.table("area-01")
    with screens.page(f"{screen_site.url}/wall", size=size) as page:
        for language, (dummy, last, no_more) in NOTICES.items():
            gateway.put("area-01/history", history("area-01", kind="dummy", phase="no_more_bets", last_coup=True))
            page.goto(f"{screen_site.url}/display/area-01?lang={language}")
            expect(page.locator('[data-notice="special"]')).to_contain_text(dummy)
            expect(page.locator(".last-coup")).to_have_text(last)
            expect(page.locator(".limits b")).to_have_text(["25", "2,500"])
            assert page.evaluate(CUT, ".notice, .limits, .limits b, h1") == []
            gateway.put("area-01/history", history("area-01", phase="no_more_bets", last_coup=True, next_kind="dummy"))
            expect(page.locator('[data-notice="no_more_bets"]')).to_have_text(no_more)
            expect(page.locator(".notice.next")).to_contain_text(dummy)
            assert page.evaluate(CUT, ".notice, .limits, .limits b, h1") == []
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_the_cards_of_the_last_hand_fill_their_box(screen_site: ScreenSite, screens: Screens) -> None:
    last = {
        "coup": 10, "kind": "live", "winner": "banker", "player": ["8H", "TD", "3C"], "banker": ["KS", "7D"],
        "player_points": 1, "banker_points": 7, "time": TIME,
    }  # fmt: skip
    gateway = screen_site.publisher()
    gateway.table("look-20")
    gateway.put("look-20/history", history("look-20", last=last))
    with screens.page(f"{screen_site.url}/display/look-20", size=(1920, 1080)) as page:
        expect(page.locator("[data-card]")).to_have_count(5)
        side = page.locator(".side.player").bounding_box()
        cards = [card.bounding_box() for card in page.locator(".side.player [data-card]").all()]
        assert side is not None
        first, second, third = (card for card in cards if card is not None)
        assert second["x"] + second["width"] - first["x"] > 0.85 * side["width"]
        assert first["y"] == second["y"] < third["y"]
        assert third["y"] + third["height"] < side["y"] + side["height"]


def test_a_sign_with_few_wagers_has_large_type(screen_site: ScreenSite, screens: Screens) -> None:
    setup = {"game": "baccarat", "wagers": ["player", "banker", "tie"], "decks": 8}
    screen_site.publisher().table("area-02", rulebook="star-rapid", setup=setup)
    with screens.page(f"{screen_site.url}/sign/area-02", size=(1920, 1080)) as page:
        expect(page.get_by_text("Player and Banker have the same points")).to_be_visible()
        bottom = page.locator(".wagers").evaluate("(one) => one.getBoundingClientRect().bottom")
        assert bottom > 0.75 * 1080
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        first_letters = [row.strip()[0] for row in page.locator(".wagers td:first-child").all_inner_texts()]
        assert all(letter.isupper() for letter in first_letters)


UNKNOWN = {
    "/display/nope": "没有赌台 nope",
    "/sign/nope": "没有赌台 nope",
    "/jackpot/nope": "没有累积奖 nope",
    "/display": "请选择赌台",
    "/sign": "请选择赌台",
    "/jackpot": "请选择累积奖",
    "/nothing/here": "没有此名称的页面",
}


def test_an_unknown_name_has_a_sentence_and_leads_on(screen_site: ScreenSite, screens: Screens) -> None:
    screens.expected.append("404")
    with screens.page(f"{screen_site.url}/missing", language="zh-CN", size=PHONE) as page:
        for path, say in UNKNOWN.items():
            page.goto(f"{screen_site.url}{path}")
            expect(page.get_by_role("heading", name=say)).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert page.locator("h1").evaluate("(one) => getComputedStyle(one).color") == "rgb(242, 245, 248)"
        page.get_by_role("link", name="全部赌台").click()
        expect(page.get_by_role("heading", name="全部赌台")).to_be_visible()


# A stream whose events the test makes; `seen` has what the page hears.
LISTEN = """async () => {
  window.EventSource = class extends EventTarget { constructor() { super(); window.stream = this; } close() {} };
  window.seen = [];
  const {listen} = await import("/static/live.js");
  listen("wall", ({state, why}) => window.seen.push([state && state.number, why]));
}"""


def hear(page: Page, event: str, data: str = "{}") -> None:
    page.evaluate("([kind, data]) => window.stream.dispatchEvent(new MessageEvent(kind, {data}))", [event, data])


def test_beats_do_not_make_a_broken_view_live(screen_site: ScreenSite, screens: Screens) -> None:
    with screens.page(f"{screen_site.url}/nothing-live") as page:
        screens.expected.append("404")
        expect(page.get_by_role("link", name="All tables")).to_be_visible()
        page.evaluate(LISTEN)
        for event in ("beat", "broken", "beat"):
            hear(page, event)
        hear(page, "state", '{"number": 1}')
        for event in ("beat", "broken", "beat", "beat"):
            hear(page, event)
        hear(page, "state", '{"number": 2}')
        assert page.evaluate("window.seen") == [[None, "broken"], [1, ""], [1, "broken"], [2, ""]]
