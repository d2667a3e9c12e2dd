"""The table sign at 5 m: type, pages and languages, for each game of each book with all wagers, in a real browser."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from sabot_protocol import rulebooks
from support.screens import Screens, ScreenSite, resize

SIZES = ((1920, 1080), (1080, 1920))
LEAST_PX = 56  # at 1080 px on 40 cm: a capital letter of 15 mm
TABLES = """
[[table]]
name = "big-01"
area = "Main floor"
minimum = "100"
maximum = "50,000"
area_maximum = "100,000"
differential = "40,000"
aggregate_maximum = "200,000"
unit = "25"
multiple_of = "5"
restricted = ["pair", "tiger", "dragon_bonus"]
[table.wager.pair]
minimum = "5"
maximum = "3,000"
[table.wager.insurance3]
minimum = "5"
maximum = "3,000"
"""
LOGIN = {"person": "asmith", "secret": "730155"}
# Every text of the sign, how large it is, and whether it is cut off; and the pages over which each row goes.
TEXTS = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.querySelector(".sign"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement, range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const within = one.closest(".sheet, .limits, .announced, header").getBoundingClientRect();
    const sheet = one.closest(".sheet");
    const step = sheet ? sheet.getBoundingClientRect().width + parseFloat(getComputedStyle(sheet).columnGap) : 1e9;
    const cut = [...range.getClientRects()].some((rect) => {
      const left = sheet ? ((rect.left - within.left + sheet.scrollLeft + 2) % step) - 2 : rect.left - within.left;
      if (rect.top < within.top - 1 || rect.bottom > within.bottom + 1) return true;
      return left < -2 || left + rect.width > within.width + 1;
    });
    const hidden = getComputedStyle(one).clipPath !== "none";
    if (!hidden && walker.currentNode.data.trim()) {
      found.push({text: walker.currentNode.data, px: parseFloat(getComputedStyle(one).fontSize), cut});
    }
  }
  const broken = [...document.querySelectorAll(".sheet li")].filter((one) => one.getClientRects().length > 1);
  return {texts: found, broken: broken.map((one) => one.innerText)};
}"""


@pytest.fixture(scope="module")
def signs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScreenSite]:
    """Yield a floor with a table that has many limits."""
    site = ScreenSite(tmp_path_factory.mktemp("signs"), TABLES)
    site.person("asmith", "730155", star_baccarat="casino_supervisor")
    yield site
    site.close()


def offer(site: ScreenSite, book: str, game: str) -> None:
    """Offer all wagers of a game."""
    setup = {"game": game, "options": {}, "wagers": [], "decks": 8}
    site.publisher().table("big-01", rulebook=book, setup=setup)


def looked_at(page: Page) -> list[str]:
    """Return the texts of the sign; none is too small, cut off, or broken over two pages."""
    page.evaluate("document.fonts.ready")
    found = page.evaluate(TEXTS)
    wrong = [one for one in found["texts"] if one["px"] < LEAST_PX or one["cut"]]
    assert wrong == [], wrong
    assert found["broken"] == [], found["broken"]
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    return [one["text"] for one in found["texts"]]


@pytest.mark.parametrize("book", rulebooks.ids())
def test_everything_can_be_read_at_5_m(signs: ScreenSite, screens: Screens, book: str) -> None:
    for game in rulebooks.load(book).game:
        offer(signs, book, game)
        for language in ("en", "zh-Hans", "zh-Hant"):
            with screens.page(f"{signs.url}/sign/big-01?lang={language}", SIZES[0]) as page:
                for size in SIZES:
                    resize(page, size)
                    expect(page.locator(".wagers li").first).to_be_attached()
                    texts = looked_at(page)
                if language != "en":
                    english = [
                        one for one in texts if re.search("[A-Za-z]{2}", re.sub("big-01|Main floor|AUD", "", one))
                    ]
                    assert english == [], (game, language)


_ROUND_MS = 60_000  # a player waits no longer for the one line that he wants


@pytest.mark.parametrize("size", SIZES)
def test_pages_turn_and_the_limits_stay(signs: ScreenSite, screens: Screens, size: tuple[int, int]) -> None:
    offer(signs, "crown-baccarat", "traditional")  # the game with the most wagers
    with screens.page(f"{signs.url}/sign/big-01?lang=en", size) as page:
        page.clock.install()
        page.reload()
        pages = int(page.locator(".page").inner_text().split(" / ")[1])
        seen = set[str]()
        assert pages * 4000 <= _ROUND_MS
        for number in range(1, pages + 1):
            expect(page.locator(".page")).to_have_text(f"{number} / {pages}")
            for limit in (".minimum", ".maximum"):
                expect(page.locator(limit)).to_be_in_viewport(ratio=1)
            seen |= set(page.evaluate(IN_SIGHT))
            page.clock.fast_forward(max(4000, _ROUND_MS // pages) + 1)
        expect(page.locator(".page")).to_have_text(f"1 / {pages}")
        assert seen == set(page.evaluate("[...document.querySelectorAll('.sheet li')].map((one) => one.innerText)"))


IN_SIGHT = """() => [...document.querySelectorAll(".sheet li")].filter((one) => {
  const at = one.getBoundingClientRect();
  return at.left >= 0 && at.right <= innerWidth && at.bottom <= innerHeight;
}).map((one) => one.innerText)"""


def test_what_is_announced_leaves_the_type_as_large(signs: ScreenSite, screens: Screens) -> None:
    offer(signs, "star-baccarat", "baccarat")
    changes: list[tuple[str, dict[str, Any]]] = [
        ("minimum", {"minimum": "2,500", "keep_old": True}),
        ("close", {}),
        ("game", {"game": "even_money"}),
    ]
    with screens.page(f"{signs.url}/sign/big-01") as page:
        expect(page.get_by_role("heading", name="Baccarat", exact=True)).to_be_visible()
    for change, args in changes:
        answer = signs.ask("sign", table="big-01", change=change, login=LOGIN, **args)
        assert answer.ok, answer.say
    for language in ("en", "zh-Hant"):
        with screens.page(f"{signs.url}/sign/big-01?lang={language}") as page:
            for size in SIZES:
                resize(page, size)
                expect(page.locator(".minimum")).to_have_text(["2,500", "100"])
                looked_at(page)
