"""The evidence page in a browser: one coup from the broker through the store to the page, and to its JSON file."""

import json
from typing import Any

from playwright.sync_api import expect
from sabot_protocol import rulebooks
from support.screens import Publisher, Screens, ScreenSite, wait_for
from support.visitor import Visitor

TABLE, UNIT, GATEWAY = "evi-01", "5ab0000000000e01", "gw-evidence"
ANGEL_EYE = "ae-0000000000e01"
BOOK = rulebooks.load("crown-baccarat")
HAND = {
    "kind": "live", "winner": "banker", "player": ["2S", "3D", "8H"], "banker": ["AH", "AC", "5S"], "player_points": 3,
    "banker_points": 7, "player_pair": False, "banker_pair": True, "natural": False, "last_coup": False,
    "shoe_time_ms": 9000,
}  # fmt: skip

EMPTY = {"time": "", "coup_id": "", "reverses": "", "trigger": "", "counted": "", "not_counted": ""}
OTHER_MONEY = {
    "contributions": [
        {"jackpot": "j", "amount": amount, "currency": currency, **EMPTY}
        for amount, currency in ((5000, "JPY"), (1250, "KWD"), (-25, "AUD"))
    ],
    "digits": {"JPY": 0, "KWD": 3, "AUD": 2},  # ISO 4217
}


def publish(gateway: Publisher) -> None:
    """Publish a coup as a gateway does: it is disputed, and a supervisor whose name is a script confirms it."""
    name = "<script>alert(1)</script>"
    decided = {"by": name, "clause": "10.11", "decided": "2026-10-17T09:02:00.000Z"}
    entries: list[tuple[str, dict[str, Any]]] = [
        ("coup", {"id": "evi-c1", "time": "2026-10-17T09:00:30.000Z", "status": "disputed", **HAND}),
        ("coup", {"id": "evi-c2", "time": "2026-10-17T09:02:00.000Z", "status": "confirmed", "corrects": "evi-c1"}),
        ("confirmed", {"id": "evi-f1", "time": "2026-10-17T09:02:00.000Z", "status": "confirmed", "coup_id": "evi-c2"}),
    ]
    common = {"unit": UNIT, "event_no": 7, "table": TABLE, "shoe": 4, "coup": 9, "rulebook": BOOK.digest().hex()}
    after = {**common, **HAND, "event_no": 8, "unit": ANGEL_EYE, "shoe": 5, "coup": 11}
    for entry, (topic, message) in enumerate(entries, 1):
        place = {"gateway": GATEWAY, "entry": entry, "after": entry - 1} | (
            {"hash": f"{entry:064}"} if entry > 1 else {}
        )
        same = {**HAND, **decided} if entry > 1 else {}
        gateway.put(f"{TABLE}/{topic}", {**place, **common, **same, **message}, retain=False)
    read = {"speed_mm_s": 900, "margin": 0.8, "shoe_time_ms": 0, "slot": "player_1", "card": "2S", "notes": ["keyed"]}
    more: list[tuple[str, dict[str, Any]]] = [  # verified, and confirmed later: no second message on `coup`
        ("cards", {**after, "id": "evi-k1", "time": "2026-10-17T09:05:00.000Z", **read}),
        ("coup", {**after, "id": "evi-v1", "time": "2026-10-17T09:05:30.000Z", "status": "verified"}),
        (
            "confirmed",
            {**after, "id": "evi-f2", "time": "2026-10-17T09:06:00.000Z", "status": "confirmed", "coup_id": "evi-v1"},
        ),
    ]
    for entry, (topic, message) in enumerate(more, len(entries) + 1):
        placed = {"gateway": GATEWAY, "entry": entry, "after": entry - 1, **message}
        gateway.put(f"{TABLE}/{topic}", [placed] if topic == "cards" else placed, retain=False)
    head = {
        "gateway": GATEWAY,
        "entry": 7,
        "hash": "ab" * 32,
        "time": "2026-10-17T09:03:00.000Z",
        "signature": "cd" * 32,
    }
    gateway.put(f"gateway/{GATEWAY}/ledger", head)


def test_the_evidence_about_a_coup(screen_site: ScreenSite, screens: Screens) -> None:
    screen_site.person("evi", "730155", crown_baccarat="area_manager")
    publish(screen_site.publisher())
    visitor = Visitor(screen_site.url)
    assert visitor.get(f"/data/coup/{TABLE}/4/9").status == 401
    assert visitor.log_in("evi", "730155", "dealer").status == 200
    assert visitor.get(f"/data/coup/{TABLE}/4/9").status == 403
    assert visitor.log_in("evi", "730155").status == 200
    wait_for(lambda: len(visitor.get("/data/coup/evi-c1").json().get("ledgers", ())))
    wait_for(lambda: len(visitor.get("/data/coup/evi-v1").json().get("confirmed", ())))
    with screens.page(f"{screen_site.url}/coup/{TABLE}/4/9") as page:
        page.get_by_label("Person").fill("evi")
        page.locator("input[type=password]").fill("730155")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=f"Coup 9 of shoe 4, table {TABLE}")).to_be_visible()
        expect(page.locator(".hand.player li")).to_have_text([r"2♠first card–", r"3♦second card–", r"8♥third card–"])
        expect(page.locator(".hand.banker .points")).to_have_text("7 points")
        expect(page.locator(".cells li.banker")).to_contain_text(
            "Player's third card counts 8: Banker draws on 0–2. Banker has 2 and draws."
        )
        expect(page.locator(".cells li.banker .clause")).to_have_text(f"rule {BOOK.draw.table_2}")
        expect(page.locator(".part-facts")).to_contain_text(BOOK.digest().hex())
        expect(page.locator(".part-corrections tbody tr").nth(1)).to_contain_text("<script>alert(1)</script>")
        expect(page.locator(".part-facts")).not_to_contain_text("Angel Eye")
        expect(page.locator(".part-ledger")).to_contain_text("ab" * 32)
        expect(page.locator(".hashes p")).to_have_text([f"Entry 2, {2:064}", f"Entry 3, {3:064}"])
        with page.expect_download() as saved:
            page.get_by_text("Save as JSON").click()
        assert saved.value.suggested_filename == f"coup-{TABLE}-4-9.json"
        found = json.loads(saved.value.path().read_text())
        assert (found["id"], found["ledgers"][0]["entries"]) == ("evi-c2", [1, 2, 3])
        assert found["ledgers"][0]["hashes"] == [{"entry": 2, "hash": f"{2:064}"}, {"entry": 3, "hash": f"{3:064}"}]
        page.goto(f"{screen_site.url}/coup/{TABLE}/5/11")
        expect(page.locator(".part-facts")).to_contain_text(f"{ANGEL_EYE} Read from an Angel Eye")
        expect(page.locator(".part-facts [data-state]")).to_have_text("confirmed")
        expect(page.locator(".part-events")).to_contain_text("Player, first card: 2♠, keyed in")
        shown = page.locator(".evidence").inner_text()
        assert "player_1" not in shown
        assert "not confirmed" not in shown
        assert "None" not in page.locator(".part-events").inner_text()
        page.route(f"**/data/coup/{TABLE}/4/9", lambda route: route.fulfill(json={**found, **OTHER_MONEY}))
        page.goto(f"{screen_site.url}/coup/{TABLE}/4/9")
        expect(page.locator(".part-jackpots .c-amount")).to_have_text(["5000 JPY", "1.250 KWD", "-0.25 AUD"])
        screens.expected.append("404")
        page.goto(f"{screen_site.url}/coup/{TABLE}/4/10")
        expect(page.get_by_role("alert")).to_contain_text(f"Shoe {TABLE}/4 has no coup 10 in the store")
        expect(page.get_by_role("link", name="Pit console")).to_be_visible()
        expect(page.get_by_role("link", name="All tables")).to_be_visible()
