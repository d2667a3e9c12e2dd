"""Forms of the pit: choices for a coup that comes from another gateway, times of the site, the focus after a dialog."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from sabot_protocol.table_states import HandMessage
from support.screens import TIME, Screens, ScreenSite, log_in

PIN = "730155"


def test_a_coup_of_another_gateway_is_imported_by_choices(screen_site: ScreenSite, screens: Screens) -> None:
    screen_site.person("form-fay", PIN, star_rapid="casino_supervisor")
    gateway = screen_site.publisher()
    gateway.table("form-01", rulebook="star-rapid")
    hand = HandMessage(table="form-01", time=TIME, unit="SHOE1", shoe=4, coup=1, phase="bets", locked=False)
    gateway.put("form-01/hand", hand)
    address = f"{screen_site.url}/pit#panel=form-01"
    with screens.page(address, size=(1920, 1080), timezone_id="America/New_York") as page:
        log_in(page, "form-fay", PIN)
        button = page.locator(".panel").get_by_role("button", name="Import coup")
        button.click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Player 1", exact=False).first.select_option("TD")
        for label, choice in (("Kind of the coup", "dummy"), ("Coups left after it", "2")):
            dialog.get_by_label(label).select_option(choice)
        for label, text in (("Decks of its shoe", "8"), ("Cards that have left that shoe", "70")):
            dialog.get_by_label(label).fill(text)
        dialog.get_by_label("Number of the coup").fill("17")
        dialog.get_by_label("Clause of the book").fill("11.8.15")
        with page.expect_request("**/act") as sent:
            dialog.get_by_role("button", name="Do it").click()
        args = (sent.value.post_data_json or {})["args"]
        assert args == {
            "coup_no": 17, "cards": {"player_1": "TD"}, "kind": "dummy", "decks": 8, "cards_out": 70, "coups_left": 2,
        }  # fmt: skip
        expect(dialog.get_by_role("alert")).to_be_visible()  # no gateway is behind this table
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(button).to_be_focused()


def test_times_are_those_of_the_site_whatever_the_browser_is_set_to(screen_site: ScreenSite, screens: Screens) -> None:
    screen_site.person("form-flo", PIN, star_rapid="casino_supervisor")
    gateway = screen_site.publisher()
    gateway.table("form-02", rulebook="star-rapid")
    about = {"id": "a", "unit": "SHOE1", "event_no": 1, "table": "form-02", "shoe": 1, "coup": 1, "time": TIME}
    about |= {"name": "reject", "say": "Look.", "clause": "", "shoe_says": "", "cards_say": "", "alarm": "a"}
    alarm = about | {"rulebook": "", "severity": "critical", "state": "raised"}
    gateway.put("form-02/alarms", {"table": "form-02", "time": TIME, "alarms": [alarm]})
    with screens.page(f"{screen_site.url}/pit", language="en-US", timezone_id="America/New_York") as page:
        log_in(page, "form-flo", PIN)
        age = page.locator(".alarm", has_text="form-02").locator("time.age")
        expect(age).to_have_attribute("title", re.compile(r"^2026-10-17 09:00:00$"))


def test_clause_and_role_of_an_outcome_that_is_invalidated_are_those_of_its_cause(
    screen_site: ScreenSite, screens: Screens
) -> None:
    screen_site.person("form-fin", PIN, crown_baccarat="casino_manager")
    screen_site.publisher().table("form-03")
    with screens.page(f"{screen_site.url}/pit#panel=form-03", size=(1920, 1080)) as page:
        log_in(page, "form-fin", PIN)
        page.locator(".panel").get_by_role("button", name="Invalidate outcome").click()
        dialog = page.get_by_role("dialog")
        clause = dialog.get_by_label("Clause of the book")
        for cause, number, role in (("Fraud", "15.3", "Casino Manager"), ("Disruption", "15.4", "TG Higher Duties")):
            dialog.get_by_label("Cause").select_option(cause)
            expect(clause).to_have_value(number)
            expect(dialog).to_contain_text(f"Lowest role: {role}")
        dialog.get_by_label("Coup, as 3/17").fill("3/17")
        dialog.get_by_label("Reason").fill("fire alarm")
        with page.expect_request("**/act") as sent:
            dialog.get_by_role("button", name="Do it").click()
        body = sent.value.post_data_json or {}
        assert (body["command"], body["clause"]) == ("invalidate", "15.4")
        assert body["args"] == {"cause": "disruption", "coup": "3/17", "reason": "fire alarm"}


def test_a_shoe_is_ended_by_its_cause_with_the_consent_of_the_players(
    screen_site: ScreenSite, screens: Screens
) -> None:
    screen_site.person("form-fox", PIN, star_baccarat="casino_supervisor")
    screen_site.publisher().table("form-04", rulebook="star-baccarat")
    with screens.page(f"{screen_site.url}/pit#panel=form-04", size=(1920, 1080)) as page:
        log_in(page, "form-fox", PIN)
        page.locator(".panel").get_by_role("button", name="End shoe").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Cause").select_option("Extra shuffle")
        expect(dialog.get_by_label("Clause of the book")).to_have_value("4.1.3")
        dialog.get_by_label("Cause").select_option("Void misdeal: shuffle the rest")
        expect(dialog.get_by_label("Clause of the book")).to_have_value("12.1.3")
        dialog.get_by_label("All players at the table agree").check()
        with page.expect_request("**/act") as sent:
            dialog.get_by_role("button", name="Do it").click()
        body = sent.value.post_data_json or {}
        assert (body["command"], body["clause"]) == ("end-shoe", "12.1.3")
        assert body["args"] == {"cause": "misdeal", "agreed": True}


@pytest.fixture(scope="module")
def far_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScreenSite]:
    """Yield a floor in New Zealand: 13 hours from UTC on the day of TIME."""
    site = ScreenSite(tmp_path_factory.mktemp("far"), more='time_zone = "Pacific/Auckland"\n')
    site.person("form-fred", PIN, star_rapid="casino_supervisor", crown_baccarat="area_manager")
    yield site
    site.close()


def test_a_sentence_has_times_of_the_site_and_no_option_of_the_shell(far_site: ScreenSite, screens: Screens) -> None:
    gateway = far_site.publisher()
    gateway.table("far-01", rulebook="star-rapid")
    say = f"Not listed since {TIME}: 3 reject. Notice until 2026-10-17T09:20:00Z (rule 3.3). "
    say += "Name the coup with --coup SHOE/COUP."
    about = {"id": "a", "unit": "SHOE1", "event_no": 1, "table": "far-01", "shoe": 1, "coup": 1, "time": TIME}
    about |= {"name": "alarm_flood", "say": say, "clause": "", "shoe_says": "", "cards_say": f"at {TIME}", "alarm": "a"}
    alarm = about | {"rulebook": "", "severity": "critical", "state": "raised"}
    gateway.put("far-01/alarms", {"table": "far-01", "time": TIME, "alarms": [alarm]})
    fault = {"id": "f", "jackpot": "lucky", "time": TIME, "table": "far-01", "fault": "clock", "clause": "", "v": 1}
    gateway.put("jackpot/lucky/fault", fault | {"say": f"No count since {TIME}."}, retain=False)
    with screens.page(f"{far_site.url}/pit", timezone_id="America/New_York") as page:
        log_in(page, "form-fred", PIN)
        shown = page.locator(".alarm", has_text="Not listed since 2026-10-17 22:00:00: 3 reject.")
        expect(shown).to_contain_text("Notice until 2026-10-17 22:20:00 (rule 3.3). Name the coup.")
        assert "T09:" not in page.locator("body").inner_text()
