"""The Jackpot Management Console as people use it: a late win is put in order, wins are paid, a difference is settled.

By hand (003 13.4.7): base 1,000.00 and two coups of 0.25, payable in whole dollars, both wins 100 %: 1,001.00, then the
new 1,000.00. The coup of the first is void after that: nothing was due to it, and 1,001.00 to the second.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from floor_rig import JACKPOT, JACKPOTS, Table
from msgspec.structs import replace
from playwright.sync_api import Locator, Page, expect
from sabot_protocol.jackpots import loading
from sabot_protocol.jackpots.messages import IncrementMessage
from support.screens import Publisher, Screens, ScreenSite, log_in, wait_for
from support.visitor import Visitor

PIN = "730155"
CROWN, NEW_ZEALAND = "crown-baccarat", "nz-baccarat"
PEOPLE = {"con-olga": "area_manager", "con-ann": "area_manager", "con-max": "casino_manager"}
# P-67: 003 13.3.2(c) lets a TG Higher Duties Dealer or above read the console, 002 18.9(c) the Casino Operator.
READERS: dict[str, tuple[dict[str, str], list[str]]] = {
    "con-dora": ({CROWN: "dealer", NEW_ZEALAND: "dealer"}, []),
    "con-gus": ({NEW_ZEALAND: "game_supervisor"}, []),
    "con-hal": ({CROWN: "higher_duties_dealer"}, ["Lucky Tie"]),
    "con-cas": ({CROWN: "dealer", NEW_ZEALAND: "casino_supervisor"}, ["Lucky Seat"]),
    "con-both": ({CROWN: "area_manager", NEW_ZEALAND: "casino_supervisor"}, ["Lucky Seat", "Lucky Tie"]),
}
REFUSED = [
    {"id": "seat", "title": "Lucky Seat", "lowest": "Casino Supervisor", "clause": "18.9(c)"},
    {"id": "lucky-tie", "title": "Lucky Tie", "lowest": "TG Higher Duties Dealer", "clause": "13.3.2(c)"},
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScreenSite]:
    """Yield a site with a jackpot of two tables, and people who may act."""
    folder = tmp_path_factory.mktemp("console")
    (folder / "jackpots.toml").write_text(JACKPOTS)
    with ExitStack() as stack:
        made = ScreenSite(folder, more=f'jackpots = "{folder / "jackpots.toml"}"')
        stack.callback(made.close)
        for person, role in PEOPLE.items():
            made.person(person, PIN, crown_baccarat=role)
        for person, (roles, _) in READERS.items():
            made.person(person, PIN, **{book.replace("-", "_"): role for book, role in roles.items()})
        yield made


def hits(site: ScreenSite, gateway: Publisher) -> tuple[Table, IncrementMessage]:
    """Have a table of each gateway win the jackpot, and the dealers record it; the second record comes again, late."""
    (parameters,) = (one for one in loading.load(site.work_dir / "jackpots.toml") if one.id == JACKPOT)
    tables = [Table(f"bac-0{number}", JACKPOT, parameters.digest) for number in (1, 2)]
    won = [table.increment(trigger="suited", gateway=f"gw-{table.name}") for table in tables]
    for made in won:
        gateway.table(made.table)
        gateway.put(f"{made.table}/jackpot/{JACKPOT}", made, retain=False)
    for number, (table, made) in enumerate(zip(tables, won, strict=True)):
        record = replace(table.recorded(made, stakes={"tie": [100]}), gateway=made.gateway, first=number)
        gateway.put(f"{table.name}/jackpot/{JACKPOT}/recorded", record, retain=False)
    return tables[0], won[0]


def row(page: Page, place: str) -> Locator:
    rows = page.locator("section.jackpot", has_text="Lucky Tie").locator("tbody tr")
    return rows.filter(has=page.locator("td:first-child", has_text=place))


def answer(page: Page, button: Locator, **fields: str) -> None:
    """Fill the form behind a button and send it; `before` and `notified` are choices."""
    button.click()
    form = page.locator("form.act")
    for name, value in fields.items():
        if name == "reason":
            form.get_by_label("Reason").fill(value)
        else:
            form.get_by_role("combobox").select_option(label=value)
    form.get_by_role("button", name="Confirm this act").click()


def test_an_order_is_decided_wins_are_paid_and_a_difference_is_settled(site: ScreenSite, screens: Screens) -> None:
    gateway = site.publisher()
    console, size = f"{site.url}/console/jackpots", (1280, 900)
    with screens.page(console, size=size) as page:
        log_in(page, "con-olga", PIN)
        expect(page.locator("section.jackpot", has_text="Lucky Tie")).to_be_visible()  # the floor listens
        table, won = hits(site, gateway)
        late, first = row(page, "bac-02 1/1"), row(page, "bac-01 1/1")
        expect(late).to_contain_text("bac-01 1/1")
        for held in (late, first):
            expect(held.get_by_role("button", name="Confirm")).to_be_disabled()
        answer(
            page,
            late.get_by_role("button", name="Decide the order"),
            before="after all of them",
            reason="video of 20:15",
        )
        expect(page.locator(".said.good")).to_contain_text("Ordered")
        answer(page, first.get_by_role("button", name="Confirm"), notified="Con-Max of con-max (Casino Manager)")
        expect(page.locator("form.act [role=alert]")).to_contain_text("another person must confirm it")
    with screens.page(console, size=size) as page:
        log_in(page, "con-ann", PIN)
        for place, prize in (("bac-01 1/1", "AUD 1,001.00"), ("bac-02 1/1", "AUD 1,000.00")):
            expect(row(page, place)).to_contain_text(prize)
            button = row(page, place).get_by_role("button", name="Confirm")
            answer(page, button, notified="Con-Max of con-max (Casino Manager)")
            expect(page.locator(".said.good")).to_contain_text(f"prize {prize}")
        void = table.increment(
            amount=-25, operator=-25, reverses=won.id, coup_id=f"{table.unit}-9", coup=1, gateway=won.gateway
        )
        gateway.put(f"bac-01/jackpot/{JACKPOT}", void, retain=False)
        expect(row(page, "bac-02 1/1")).to_contain_text("AUD 1.00")
        expect(row(page, "bac-01 1/1")).to_contain_text("AUD 1,001.00")
        answer(page, row(page, "bac-01 1/1").get_by_role("button", name="Settle"), reason="voucher 17")
        expect(page.locator("form.act [role=alert]")).to_contain_text("another person must settle it")
        page.goto(f"{site.url}/pit")
        expect(page.locator(".incident")).to_have_count(2)
    with screens.page(console, size=size) as page:
        log_in(page, "con-max", PIN)
        for place in ("bac-01 1/1", "bac-02 1/1"):
            answer(page, row(page, place).get_by_role("button", name="Settle"), reason="voucher 17")
            expect(row(page, place)).to_have_count(0)
        expect(page.locator("table.differences")).to_have_count(0)
        page.goto(f"{site.url}/pit")
        expect(page.locator("section.incidents")).to_contain_text("0")
        expect(page.locator(".incident")).to_have_count(0)


def console_of(visitor: Visitor) -> dict[str, Any]:
    """Return the first state of the console's stream."""
    event, _, data = visitor.first_event("/events/jackpots").partition(b"data: ")
    assert event == b"event: state\n"
    found: dict[str, Any] = json.loads(data)
    return found


@pytest.mark.parametrize("person", READERS)
def test_the_stream_has_the_jackpots_that_the_book_lets_a_person_read(site: ScreenSite, person: str) -> None:
    read, visitor = READERS[person][1], Visitor(site.url)
    assert visitor.log_in(person, PIN).status == 200
    wait_for(lambda: len([*(seen := console_of(visitor))["jackpots"], *seen.get("refused", [])]) == len(REFUSED))
    found = console_of(visitor)
    assert [one["title"] for one in found["jackpots"]] == read
    assert found["refused"] == [one for one in REFUSED if one["title"] not in read]


def test_the_page_names_the_role_and_the_clause_to_those_who_may_not_read(site: ScreenSite, screens: Screens) -> None:
    with screens.page(f"{site.url}/console/jackpots", size=(1280, 900)) as page:
        log_in(page, "con-dora", PIN)
        for title, role, clause in (
            ("Lucky Tie", "TG Higher Duties Dealer", "13.3.2(c)"),
            ("Lucky Seat", "Casino Supervisor", "18.9(c)"),
        ):
            refused = page.locator("section.jackpot", has_text=title)
            expect(refused).to_contain_text(f"The lowest role that may read this jackpot is {role} (rule {clause}).")
            expect(refused.locator(".value, table, button")).to_have_count(0)
        expect(page.get_by_role("button", name="Log out")).to_be_visible()
        page.get_by_role("button", name="Log out").click()
        log_in(page, "con-both", PIN)
        expect(page.locator("section.jackpot .value")).to_have_count(2)
