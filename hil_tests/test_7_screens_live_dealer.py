"""The Dealer Terminal of a real shoe: a coup card by card, Confirm, an overdraw, a card that is keyed in."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.live_table import LiveTable
from support.screens import Screens, ScreenSite
from support.visitor import Visitor

TABLE = "live-01"
PIN, SECOND_PIN = "730155", "518204"


@pytest.fixture(scope="module")
def table(screen_site: ScreenSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveTable]:
    """Yield a table of Rapid Baccarat, where the dealer confirms (P-51) and a supervisor authorises."""
    screen_site.person("rosa", PIN, star_rapid="dealer")
    screen_site.person("nina", PIN, star_rapid="dealer")
    screen_site.person("omar", SECOND_PIN, star_rapid="casino_supervisor")
    made = LiveTable(screen_site, tmp_path_factory.mktemp("live"), TABLE, "star-rapid", 77)
    yield made
    made.close()


@pytest.fixture(scope="module")
def cookies(screen_site: ScreenSite, table: LiveTable) -> list[Any]:
    """Return what a browser keeps of Rosa's session."""
    visitor = Visitor(screen_site.url)
    assert visitor.log_in("rosa", PIN, "dealer").status == 200
    return [{"name": name, "value": value, "url": screen_site.url} for name, value in visitor.cookies.items()]


@pytest.fixture
def page(screen_site: ScreenSite, screens: Screens, cookies: list[Any]) -> Iterator[Page]:
    with screens.page(f"{screen_site.url}/dealer/{TABLE}", size=(1280, 800)) as opened:
        opened.context.add_cookies(cookies)
        opened.reload()
        yield opened


def line(page: Page, text: str) -> None:
    expect(page.locator(".line")).to_have_text(text)


def press_result(page: Page, result: str) -> None:
    """Give the result that 7.7.4.9 asks for before Confirm."""
    dialog = page.get_by_role("dialog", name="Confirm")
    dialog.get_by_role("radio", name=result).check(force=True)
    dialog.get_by_role("button", name="Confirm").click()


def approve(page: Page, person: str = "omar", pin: str = SECOND_PIN) -> None:
    """Let this person approve what Rosa asks for."""
    page.get_by_role("textbox", name="Person").fill(person)
    page.get_by_label("PIN or password").fill(pin)
    page.keyboard.press("Enter")


def test_a_coup_card_by_card_a_reload_and_confirm_at_the_shoe(table: LiveTable, page: Page) -> None:
    line(page, "No shoe is open. Put in new cards.")
    table.open()
    line(page, "Take bets, then call: no more bets")
    page.get_by_role("button", name="No more bets").click()
    line(page, "Card 1: Player's first card")
    expect(page.locator(".notice")).to_have_text("No more bets")
    table.deal("2S 4S 3D")
    line(page, "Card 4: Banker's second card")
    page.reload()
    line(page, "Card 4: Banker's second card")
    expect(page.locator(".hand.player .points")).to_have_text("5")
    table.deal("TS")
    line(page, "Card 5: Player's third card")
    table.deal("6H")
    # 7.7.4.6: the Banker has 4 and draws to a 6.
    line(page, "Card 6: Banker's third card")
    expect(page.locator(".reasons")).to_contain_text("Banker has 4 to Player's third card 6: draws (rule 7.7.4.6)")
    table.deal("2C")
    line(page, "Confirm: Banker wins, 6 over 1")
    page.get_by_role("button", name="Confirm").click()
    press_result(page, "Banker")
    expect(page.locator(".said")).to_contain_text("Coup 1/1 is confirmed. The shoe goes on.")
    line(page, "Take bets, then call: no more bets")
    expect(page.locator("header")).to_contain_text("Coup 1/2")


def test_an_overdraw_shows_the_answer_of_the_book_and_a_dealer_alone_cannot_authorise(
    table: LiveTable, page: Page
) -> None:
    table.deal("6S 2H TS 4D 9C")  # 6 and 6: both stand, and a fifth card comes
    line(page, "Confirm: Tie, 6 all")
    expect(page.locator(".extra")).to_contain_text("9")
    page.get_by_role("button", name="What happened?").click()
    page.get_by_role("button", name="Third card to Player by mistake").click()
    expect(page.locator(".answer")).to_contain_text("deal a dummy hand that starts with this card")
    expect(page.locator(".answer")).to_contain_text("(rule 11.8.3, 11.8.4, 11.8.13, A-32)")
    names = page.locator(".steps button").all_inner_texts()
    assert [name.split("\n")[0] for name in names] == ["Confirm", "Authorise", "A player disputes it"]
    page.locator(".steps").get_by_role("button", name="Confirm").click()
    press_result(page, "Tie")
    expect(page.locator(".said")).to_contain_text("Coup 1/2 is confirmed.")
    line(page, "Do not deal. A supervisor must authorise this coup.")
    page.get_by_role("button", name="Authorise").click()
    approve(page, "nina", PIN)  # another dealer
    second = page.get_by_role("dialog", name="Second person")
    expect(second.locator(".say")).to_contain_text("the lowest role that may is Casino Supervisor")  # and it stays
    approve(page)
    expect(second).to_have_count(0)
    expect(page.locator(".said.ok")).to_contain_text("authorised")
    line(page, "Card 2: Banker's first card")
    expect(page.locator(".notice")).to_have_text("Dummy coup")


def test_a_card_that_was_not_read_is_keyed_in_by_two_people(table: LiveTable, page: Page) -> None:
    table.mishap("blank", "7H")
    line(page, "A card was not read. Do not deal.")
    page.get_by_role("button", name="Key the card in").click()
    page.get_by_role("radio", name="7").check()
    page.get_by_role("radio", name="♥").check()
    page.get_by_role("dialog").get_by_role("button", name="Key the card in").click()
    approve(page)
    expect(page.locator(".said.ok")).to_contain_text("7H counts as the card that was not read.")
    line(page, "Card 3: Player's second card")
    expect(page.locator(".hand.banker").get_by_label("7 of hearts")).to_contain_text("keyed")
