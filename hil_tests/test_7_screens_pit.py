"""The pit console in a real browser, with firmware, gateway, floor service and people: decide, key in, refuse, lock."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from support.live_site import PIN, LiveSite
from support.screens import Screens, ScreenSite, wait_for
from support.screens import log_in as log_in_at

STAR, RAPID = "star-baccarat", "star-rapid"
# However long a test waits for something, no page is locked.
AREAS = """idle_s = 86400

[[table]]
name = "bac-01"
area = "Main floor"
minimum = "25"
maximum = "5,000"

[[table]]
name = "bac-02"
area = "Rapid pit"
"""
# Change a field, and return what the browser holds against it before any other key can come.
TYPED = """async (field, text) => {
  field.value = text;
  field.dispatchEvent(new Event("input", {bubbles: true}));
  await Promise.resolve();
  return field.validationMessage;
}"""
SCRIPT = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """Yield a table where the dealer presses a wrong button, and one where a card cannot be read."""
    made = LiveSite(tmp_path_factory.mktemp("pit"), (STAR, RAPID), ("wrong_button", "misread"), AREAS)
    try:
        made.person("dan", "Dan Dealer", star_baccarat="dealer", star_rapid="dealer")
        made.person("sue", "Sue Visor", star_baccarat="casino_supervisor", star_rapid="casino_supervisor")
        yield made
    finally:
        made.close()


def log_in(page: Page, person: str) -> None:
    """By keyboard alone: the first field has the focus."""
    log_in_at(page, person, PIN)
    expect(page.get_by_role("heading", name="Pit console")).to_be_visible()


def press(page: Page, button: Locator) -> None:
    """Press a button by keyboard."""
    expect(button).to_be_enabled()
    button.focus()
    page.keyboard.press("Enter")


def test_a_dealer_sees_everything_and_may_not_decide(site: LiveSite, screens: Screens) -> None:
    site.trouble("bac-01")
    with screens.page(f"{site.url}/pit", size=(1920, 1080)) as page:
        log_in(page, "dan")
        alarm = page.locator(".alarm.critical", has_text="bac-01")
        expect(alarm).to_contain_text("rule 12.13")
        age = alarm.locator(".age").inner_text()
        button = alarm.get_by_role("button", name="Void the disputed coup")
        expect(button).to_contain_text("needs Casino Supervisor")
        press(page, button)
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_label("Clause of the book")).to_have_value("12.13")
        press(page, dialog.get_by_role("button", name="Do it"))
        expect(dialog.get_by_role("alert")).to_contain_text(
            "a Dealer may not do this; the lowest role that may is Casino"
        )
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(alarm.locator(".age")).not_to_have_text(age)
        page.get_by_label("Area").select_option("Rapid pit")
        expect(alarm).to_have_count(0)
        page.reload()  # the address keeps the filter
        expect(page.locator(".alarm", has_text="bac-02").first).to_be_visible()
        expect(alarm).to_have_count(0)
    assert [entry for entry in site.entries("attempt", "bac-01") if entry["by"] == "Dan Dealer"] == []


def test_a_discrepancy_is_decided_by_keyboard_under_the_clause_of_the_book(site: LiveSite, screens: Screens) -> None:
    site.trouble("bac-01")
    site.hold("bac-01")
    with screens.page(f"{site.url}/pit", size=(1920, 1080)) as page:
        log_in(page, "sue")
        incident = page.locator(".incident", has_text="The result of a coup is in doubt")
        expect(incident).to_contain_text("Lowest role: Casino Supervisor.")
        press(page, incident.get_by_role("button", name="Confirm outcome"))
        dialog = page.get_by_role("dialog")
        clause = dialog.get_by_label("Clause of the book")
        expect(clause).to_have_value("12.13")
        assert "star-baccarat has no such clause" in clause.evaluate(TYPED, "99.9")
        press(page, dialog.get_by_role("button", name="Do it"))
        expect(clause).to_be_focused()  # the browser sends nothing, and says why at the field
        assert clause.evaluate(TYPED, "12.13") == ""
        press(page, dialog.get_by_role("button", name="Do it"))
        expect(page.get_by_role("status").last).to_contain_text("is confirmed")
        expect(incident).to_have_count(0)
        expect(page.locator(".acts li").first).to_contain_text("Sue Visor (Casino Supervisor)")
        page.reload()
        expect(page.locator(".acts li", has_text="Decide").first).to_contain_text("rule 12.13")
    attempt = site.entries("attempt", "bac-01")[-1]
    assert (attempt["verb"], attempt["by"], attempt["clause"], attempt["origin"]) == (
        "decide",
        "Sue Visor",
        "12.13",
        "floor",
    )
    assert attempt["command"]["role"] == "casino_supervisor"
    decided = next(coup for coup in site.entries("coup", "bac-01") if coup.get("by"))
    assert (decided["status"], decided["by"], decided["clause"]) == ("confirmed", "Sue Visor", "12.13")


def test_a_card_is_keyed_in_by_two_different_people(site: LiveSite, screens: Screens) -> None:
    card = site.trouble("bac-02").card
    assert card is not None
    with screens.page(f"{site.url}/pit#panel=bac-02", size=(1280, 720)) as page:
        log_in(page, "sue")
        panel = page.locator(".panel")
        expect(panel).to_contain_text("A card was not read.")
        press(page, panel.get_by_role("button", name="Authorise"))
        press(page, page.get_by_role("button", name="Do it"))
        expect(page.get_by_role("status").last).to_contain_text("authorised")
        press(page, panel.get_by_role("button", name="Key in card"))
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Value").select_option(card[0])
        dialog.get_by_label("Suit").select_option(card[1])
        expect(dialog.get_by_label("Clause of the book")).to_have_value("11.8.12")
        expect(
            dialog.get_by_role("group", name="Second person, who approves: Casino Supervisor or above")
        ).to_be_visible()
        for second, say in (("sue", "Two different people are needed"), ("dan", "Dan Dealer may not approve this")):
            dialog.get_by_label("Person; leave it empty").fill(second)
            dialog.get_by_label("PIN, password or badge").fill(PIN)
            page.keyboard.press("Enter")
            expect(dialog.get_by_role("alert")).to_contain_text(say)
        page.keyboard.press("Escape")
        assert site.entries("attempt", "bac-02")[-1]["verb"] == "authorise"
        page.get_by_role("button", name="Log out").click()
        log_in(page, "dan")
        press(page, panel.get_by_role("button", name="Key in card"))
        dialog.get_by_label("Value").select_option(card[0])
        dialog.get_by_label("Suit").select_option(card[1])
        dialog.get_by_label("Person; leave it empty").fill("sue")
        dialog.get_by_label("PIN, password or badge").fill(PIN)
        page.keyboard.press("Enter")
        expect(page.get_by_role("status").last).to_contain_text(f"{card} counts as the card that was not read")
    attempt = site.entries("attempt", "bac-02")[-1]
    assert (attempt["verb"], attempt["by"], attempt["command"]["asks"]) == ("key-card", "Sue Visor", "Dan Dealer")
    assert attempt["args"]["card"] == card


def test_records_by_touch_and_a_script_in_a_name_is_text(site: LiveSite, screens: Screens) -> None:
    with screens.page(f"{site.url}/pit#panel=bac-01", size=(390, 844), has_touch=True) as page:
        log_in(page, "sue")
        page.get_by_role("button", name="Tables").tap()
        page.get_by_role("button", name="bac-01 Main floor").tap()
        page.locator(".panel").get_by_role("button", name="Dispute").tap()
        page.get_by_label("Name or number of the patron").fill(SCRIPT)
        page.get_by_label("Note").fill("says that the Banker won")
        page.get_by_role("button", name="Do it").tap()
        page.get_by_role("button", name="Open 1").tap()
        incident = page.locator(".incident", has_text="A player disputes a decision")
        expect(incident).to_contain_text("says that the Banker won")
        assert page.locator("img").count() == 0
        incident.get_by_role("button", name="Withdraw").tap()
        page.get_by_label("Reason").fill(SCRIPT)
        page.get_by_role("button", name="Do it").tap()
        expect(incident).to_have_count(0)
        page.get_by_role("button", name="Tables").tap()
        page.get_by_role("button", name="bac-01 Main floor").tap()
        page.locator(".panel").get_by_role("button", name="Record an act").tap()
        page.get_by_label("What was done").select_option("Close a table with players")
        expect(page.get_by_label("Clause of the book")).to_have_value("14.10")  # P-61
        page.get_by_label("When it takes place").fill("2031-05-01T22:00")
        page.get_by_role("button", name="Do it").tap()
        page.get_by_role("button", name="Open 1").tap()
        expect(page.locator(".incident .limit")).to_be_visible()  # 20 minutes before, P-82
    closure = next(entry for entry in site.entries("incident", "bac-01") if entry["kind"] == "notice")
    assert (closure["facts"]["act"], closure["steps"][0]["name"]) == ("close_table", "sign_closure")
    assert (closure["facts"]["at"][:10], closure["steps"][0]["until"] < closure["facts"]["at"]) == ("2031-05-01", True)
    opened = [entry for entry in site.entries("incident", "bac-01") if entry["kind"] == "player_dispute"]
    assert (opened[0]["facts"]["patron"], opened[-1]["state"]) == (SCRIPT, "closed")


def test_the_sign_is_changed_from_the_panel_with_the_notice_of_the_book(site: LiveSite, screens: Screens) -> None:
    with screens.page(f"{site.url}/pit#panel=bac-01", size=(1280, 900)) as page:
        log_in(page, "sue")
        sign, dialog = page.locator(".panel .sign"), page.get_by_role("dialog")
        expect(sign).to_contain_text("25–5,000 AUD")
        sign.get_by_role("button", name="Change limits").click()
        expect(dialog).to_contain_text("at least 20 minutes before (rule 6.7)")  # D-30
        dialog.get_by_label("Minimum").fill("50")
        too_early = page.evaluate("new Date(Date.now() + 300000).toTimeString().slice(0, 5)")
        dialog.get_by_label("From, by the clock").fill(too_early)
        dialog.get_by_role("button", name="Do it").click()
        expect(dialog.get_by_role("alert")).to_contain_text("must be displayed for at least 20 minutes")
        dialog.get_by_label("From, by the clock").fill("")
        dialog.get_by_role("button", name="Do it").click()
        expect(sign).to_contain_text(": 50–5,000 AUD")
        sign.get_by_role("button", name="Cancel new limits").click()
        dialog.get_by_role("button", name="Do it").click()
        expect(sign.get_by_role("button", name="Cancel new limits")).to_have_count(0)


def test_the_panel_has_the_coups_with_their_evidence_and_the_trends(site: LiveSite, screens: Screens) -> None:
    with screens.page(f"{site.url}/pit#panel=bac-01", size=(1920, 1080)) as page:
        log_in(page, "sue")
        page.get_by_role("button", name="Sound off").click()
        expect(page.get_by_role("button", name="Sound on")).to_be_visible()
        panel = page.locator(".panel")
        row = panel.locator("tr", has_text="Sue Visor")
        expect(row).to_contain_text("Confirmed")
        disputed = next(coup for coup in site.entries("coup", "bac-01") if coup["status"] == "disputed")
        expect(row.get_by_role("link")).to_have_attribute("href", f"/coup/{disputed['corrects']}")
        panel.get_by_role("button", name="Who did what").click()
        expect(panel.locator(".decisions li", has_text="Decide")).to_contain_text("Sue Visor (Casino Supervisor)")
        panel.get_by_role("button", name="Close shoe").click()
        page.get_by_role("button", name="Do it").click()
        expect(page.get_by_role("status").last).to_contain_text("The shoe is closed")
        wait_for(lambda: len(site.entries("health", "bac-01")) == 4)
        panel.get_by_role("button", name="Sensor trends").click()
        expect(panel.locator(".trends th[scope=row]")).to_have_text(["Entry", "Track A", "Track B", "Exit"])
        expect(panel.locator(".chart canvas")).to_have_count(3)


# Notes that tables were shown: a page may be locked again before anybody looks.
NOTE = """
new MutationObserver(() => { if (document.querySelector(".tables button")) window.shown = true; })
  .observe(document, {subtree: true, childList: true});
"""


def test_a_page_that_nobody_touches_is_locked_and_shows_nothing(
    tmp_path_factory: pytest.TempPathFactory, screens: Screens
) -> None:
    own = ScreenSite(tmp_path_factory.mktemp("left"), "idle_s = 15")
    try:
        own.person("sue", PIN, star_baccarat="casino_supervisor")
        own.publisher().table("bac-01")
        with screens.page(f"{own.url}/pit") as left:
            left.evaluate(NOTE)
            log_in_at(left, "sue", PIN)
            left.wait_for_function("() => window.shown")
            expect(left.get_by_role("textbox", name="Person")).to_be_visible()
            expect(left.get_by_text("Sue of sue")).to_be_visible()  # whose page it was
            assert left.locator(".alarm, .incident, .table, .acts").count() == 0
            left.evaluate("() => { window.shown = false; }")
            log_in_at(left, "sue", PIN)
            left.wait_for_function("() => window.shown")
    finally:
        own.close()
