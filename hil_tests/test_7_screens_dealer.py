"""The Dealer Terminal in a real browser: what is due, offers, cards face down, the assistant, roles, keyboard only."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.screens import TIME, Screens, ScreenSite, resize
from support.visitor import Visitor

SIZE = "(button) => [button.getBoundingClientRect().width, button.getBoundingClientRect().height]"
PIN, SECOND_PIN = "730155", "518204"
TABLET, PORTRAIT, PHONE = (1280, 800), (800, 1280), (390, 844)
SLOTS = ("player_1", "banker_1", "player_2", "banker_2")
BANKER_WINS = {"id": "c", "status": "verified", "winner": "banker", "player_points": 5, "banker_points": 6}


@pytest.fixture(scope="module")
def site(screen_site: ScreenSite) -> ScreenSite:
    roles = {"crown_baccarat": "dealer", "star_rapid": "dealer", "nz_baccarat": "dealer", "star_baccarat": "dealer"}
    screen_site.person("dana", PIN, **roles)
    screen_site.person("hugo", SECOND_PIN, crown_baccarat="higher_duties_dealer", star_rapid="casino_supervisor")
    return screen_site


@pytest.fixture(scope="module")
def dana(site: ScreenSite) -> Iterator[list[Any]]:
    """Yield what a browser keeps of Dana's session."""
    visitor = Visitor(site.url)
    assert visitor.log_in("dana", PIN, "dealer").status == 200
    kept = [{"name": name, "value": value, "url": site.url} for name, value in visitor.cookies.items()]
    yield kept
    visitor.post("/logout", {})


@pytest.fixture
def page(site: ScreenSite, screens: Screens, dana: list[Any]) -> Iterator[Page]:
    """Yield the page of table dlr-01, Dana logged in."""
    put(site)
    with screens.page(f"{site.url}/dealer/dlr-01", size=TABLET) as opened:
        opened.context.add_cookies(dana)
        opened.reload()
        yield opened


def put(
    site: ScreenSite, book: str = "crown-baccarat", game: str = "traditional", dealing: str = "face_up", **hand: Any
) -> None:
    """Publish the table as a gateway would."""
    gateway = site.publisher()
    gateway.table("dlr-01", rulebook=book, setup={"game": game, "decks": 8, "shoe": {"dealing": dealing}})
    about = {"table": "dlr-01", "time": TIME, "unit": "SHOE1", "shoe": 3, "coup": 17, "phase": "bets"}
    gateway.put("dlr-01/hand", {**about, **hand})


def cards(text: str, *more: str) -> list[dict[str, str]]:
    return [{"slot": slot, "card": card} for slot, card in zip((*SLOTS, *more), text.split(), strict=False)]


def line(page: Page, text: str) -> None:
    expect(page.locator(".line")).to_have_text(text)


def test_a_coup_card_by_card_and_an_offer_before_card_5(site: ScreenSite, page: Page) -> None:
    line(page, "Take bets, then call: no more bets")
    put(site, phase="dealing", due="banker_2", cards=cards("2S 2H 3D"), player_points=5, banker_points=2)
    line(page, "Card 4: Banker's second card")
    expect(page.locator(".hand.player .points")).to_have_text("5")
    expect(page.locator(".hand.player").get_by_label("3 of diamonds")).to_be_visible()
    put(site, phase="dealing", due="player_3", cards=cards("2S 2H 3D 4H"), player_points=5, banker_points=6)
    line(page, "Card 5: Player's third card")
    expect(page.locator(".reasons")).to_contain_text("Player has 5: draws (rule 8.2)")
    expect(page.locator(".offers")).to_contain_text("Offer now: Banker Shield, 5 to 2")
    page.reload()
    line(page, "Card 5: Player's third card")
    done = cards("2S 2H 3D 4H TD", "player_3")
    put(site, phase="complete", cards=done, player_points=5, banker_points=6, result=BANKER_WINS, last_coup=True)
    line(page, "Confirm: Banker wins, 6 over 5")
    expect(page.locator(".notice")).to_have_text("Last coup")
    expect(page.locator(".offers")).to_have_count(0)


def test_a_card_that_is_not_turned_is_not_on_the_page(site: ScreenSite, page: Page) -> None:
    four = {"cards": cards("3S 2H 4S 3H"), "player_points": 7, "banker_points": 5}
    put(site, "nz-baccarat", "standard", "face_down", phase="dealing", due="banker_3", **four)
    line(page, "Turn the cards")
    expect(page.locator(".card.back")).to_have_count(4)
    assert "7" not in page.locator(".table").inner_text()
    page.get_by_role("button", name="Player's cards are turned").click()
    expect(page.locator(".hand.player .points")).to_have_text("7")
    expect(page.locator(".offers")).to_contain_text("Player Insurance, Bet 1")  # 11H.3(b)
    line(page, "Turn the cards")
    page.get_by_role("button", name="Banker's cards are turned").click()
    line(page, "Card 6: Banker's third card")
    expect(page.locator(".offers")).to_contain_text("Player Insurance, Bet 2")  # 11H.3(d)


def test_the_assistant_asks_only_what_decides_and_names_who_must_approve(site: ScreenSite, page: Page) -> None:
    extra = {"slot": "unused", "card": "9C", "notes": ["surplus"]}
    tie = {**BANKER_WINS, "winner": "tie", "player_points": 6, "banker_points": 6}
    laid = [*cards("6S 2H TS 4H"), extra]
    put(site, phase="complete", cards=laid, surplus=1, player_points=6, banker_points=6, result=tie)
    page.get_by_role("button", name="What happened?").click()
    page.get_by_role("button", name="Third card to Player by mistake").click()
    # Crown 10.6.1(b): the Banker stands on 6, so there is no question left.
    expect(page.locator(".answer")).to_contain_text("Settle this Coup first, whether or not the card was seen")
    expect(page.locator(".answer")).to_contain_text("(rule 10.6.1(b))")
    expect(page.locator(".steps button").first).to_have_text("Card is back in the shoewith TG Higher Duties Dealer")
    page.get_by_role("button", name="Back", exact=True).click()
    page.get_by_role("button", name="Cards in the wrong order").click()
    expect(page.get_by_role("heading", name="Is the right order of the cards known?")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="What happened?")).to_be_focused()


def test_a_fault_shows_its_picture_and_the_whole_page_works_by_keyboard(site: ScreenSite, page: Page) -> None:
    put(
        site,
        "star-rapid",
        "baccarat",
        phase="dealing",
        due="banker_2",
        cards=cards("2S 2H 3D"),
        fault="card",
        locked=True,
    )
    line(page, "A card was not read. Do not deal.")
    expect(page.get_by_role("img")).to_be_visible()
    expect(page.locator(".exit-card.hot")).to_have_count(1)
    press(page, "Key the card in")
    expect(page.get_by_role("radio", name="A")).to_be_focused()
    page.keyboard.press("Space")  # the first rank: the ace
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")  # from spades to hearts
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    second = page.get_by_role("dialog", name="Second person")
    expect(second).to_contain_text("Casino Supervisor approves: Key the card in")
    page.evaluate("document.activeElement.blur()")  # as in the moment before the first field has the focus
    page.keyboard.press("Escape")
    expect(second).to_have_count(0)


def press(page: Page, name: str) -> None:
    """Go to a button with Tab, and press Enter."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText").startswith(name):
            page.keyboard.press("Enter")
            return
    pytest.fail(f"Tab does not come to {name}")


def test_a_card_that_is_back_in_the_shoe_is_not_keyed_in(site: ScreenSite, page: Page) -> None:
    place = {"id": "a", "unit": "U", "event_no": 1, "table": "dlr-01", "shoe": 3, "coup": 17, "time": TIME}
    about = {"name": "reject", "say": "S", "clause": "", "shoe_says": "short pull", "cards_say": "", "alarm": "a"}
    alarm = place | about | {"rulebook": "", "severity": "warning", "state": "raised"}
    site.publisher().put("dlr-01/alarms", {"table": "dlr-01", "time": TIME, "alarms": [alarm]})
    put(site, "star-rapid", "baccarat", phase="dealing", due="banker_2", fault="card", locked=True)
    line(page, "A card was pulled and released. Do not deal.")
    expect(page.locator(".fault p")).to_have_text(
        "The card is back in the shoe. A supervisor clears the fault. Then deal on."
    )
    expect(page.locator(".actions button")).to_have_text(["Clear the faultwith Casino Supervisor"])
    expect(page.locator(".actions .main")).to_have_count(1)
    site.publisher().put("dlr-01/alarms", None)


def test_it_fits_a_tablet_and_a_phone_with_targets_of_48_pixels(site: ScreenSite, page: Page) -> None:
    put(site, phase="complete", cards=cards("2S 2H 3D 4H TD", "player_3"), result=BANKER_WINS)
    expect(page.get_by_role("button", name="Confirm")).to_be_visible()
    for size in (TABLET, PORTRAIT, PHONE):
        resize(page, size)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        found = page.evaluate(f"[...document.querySelectorAll('button')].map({SIZE})")
        assert all(wide >= 48 and high >= 48 for wide, high in found), found


def test_what_an_alarm_contains_is_text(site: ScreenSite, page: Page) -> None:
    say = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    place = {"id": "a", "unit": "U", "event_no": 1, "table": "dlr-01", "shoe": 3, "coup": 17, "time": TIME}
    about = {"name": "reject", "say": say, "clause": "", "shoe_says": "", "cards_say": "", "alarm": "a"}
    alarm = place | about | {"rulebook": "", "severity": "warning", "state": "raised"}
    site.publisher().put("dlr-01/alarms", {"table": "dlr-01", "time": TIME, "alarms": [alarm]})
    expect(page.locator(".alarms li p")).to_have_text(say)
    site.publisher().put("dlr-01/alarms", None)
    expect(page.locator(".alarms")).to_have_count(0)


def test_without_a_log_in_nobody_sees_a_hand(site: ScreenSite) -> None:
    put(site, phase="dealing", due="banker_2", cards=cards("2S 2H 3D"))
    visitor = Visitor(site.url)
    assert visitor.get("/events/dealer/dlr-01").body == b"event: locked\ndata: {}\n\n"
    assert visitor.get("/data/assistant/dlr-01?case=bad_order").status == 401
    visitor.log_in("dana", PIN, "dealer")
    found = visitor.get("/data/assistant/dlr-01?case=nonsense")
    assert (found.status, "unknown case" in found.json()["say"]) == (400, True)
    facts = json.dumps({"reconstructible": False, "notified_before_next": True})
    answer = visitor.get(f"/data/assistant/dlr-01?case=bad_order&facts={facts.replace(' ', '')}").json()
    assert (answer["code"], answer["clause"]) == ("VOID", "10.11")
    visitor.post("/logout", {})
