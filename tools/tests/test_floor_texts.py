"""Texts about the floor service: messages that wait, and tables that can be drawn though nobody may play there."""

from typing import Any

from msgspec.structs import replace
from sabot_protocol.jackpots.messages import MeterMessage, Meters, Win
from sabot_tools.text.floor_status import status_lines
from sabot_tools.text.jackpot_show import show_lines

METER = MeterMessage(
    jackpot="seat", title="Lucky Seat", time="", entry=4, hash="", parameters="", version=1, currency="NZD",
    meters=Meters(base=100, in_=0, display=100, hits=0, wins=0, overflow=0, reserve=0), balanced=True,
)  # fmt: skip


def status(projection: dict[str, Any] | None = None, config: str = "", **broker: Any) -> list[str]:
    return status_lines(
        {
            "projection": projection or {},
            "site": "s", "worker": "1", "time": "", "store": {"place": "floor.db", "problem": None},
            "broker": {"url": "mqtt://b", "connected": True, "problem": None, **broker}, "jackpots": [], "refused": {},
            "newest_refusals": [],
        },
        config,
    )  # fmt: skip


def test_the_status_has_for_how_long_messages_wait() -> None:
    waits = "floor: 3 messages wait for others that should have come before"
    assert status(ahead=3, ahead_s=42, patience_s=300)[-1] == (
        f"{waits}, the first for 42 s; after 300 s those are taken as missing"
    )
    assert status(ahead=3)[-1] == waits  # of an earlier release
    assert not any("wait" in line for line in status(ahead=0, ahead_s=0, patience_s=300))


def test_show_names_tables_that_can_be_drawn_though_nobody_may_play_there() -> None:
    data: dict[str, Any] = {"open": [], "closed": [], "missed": [], "waiting": None, "parameters": {}}
    lines = show_lines({**data, "meter": replace(METER, commitment="ab"), "doubtful": {"nz-02": "is offline"}})
    assert "  nz-02 can be drawn, but is offline: withdraw it if nobody plays there" in lines


def coverage(gaps: int, first_gaps: list[list[int]], *, more_gaps: bool = False, head: int = 0) -> str:
    """The line of a gateway whose entries are covered up to 20."""
    one = {"gateway": "ab", "covered_to": 20, "gaps": gaps, "first_gaps": first_gaps, "more_gaps": more_gaps}
    lines = status({"gateways": [{**one, "head": head}], "counts": {}}, ahead=0)
    return next(line for line in lines if line.startswith("gateway"))


def test_the_status_has_what_is_missing_of_each_ledger_and_the_next_step() -> None:
    have = "gateway ab: entries up to 20; the newest head of its ledger is"
    assert coverage(0, [], head=19) == f"{have} older, of entry 19; no gap"
    assert coverage(0, [], head=20) == f"{have} of the same entry; no gap"
    later = "of entry 21: those between are not published, or not here yet"
    assert coverage(0, [], head=21) == f"{have} {later}; no gap"
    step = (
        "Next: give the ledger of this gateway to `sabot floor rebuild --ledger FILE`; what was pruned there stays "
        "missing"
    )
    assert coverage(2, [[3, 3], [7, 9]]) == f"gateway ab: entries up to 20; missing: 3, 7 to 9. {step}"
    assert "missing: 3 and 6 more gaps. Next" in coverage(7, [[3, 3]])
    assert "there were more than can be kept" in coverage(1, [[3, 3]], more_gaps=True)


def test_the_next_step_of_the_status_names_the_config_in_use() -> None:
    one = {"gateway": "ab", "covered_to": 20, "gaps": 1, "first_gaps": [[3, 3]], "more_gaps": False, "head": 0}
    lines = status({"gateways": [one], "counts": {}}, "pit a/floor.toml", ahead=0)
    assert "`sabot floor rebuild --ledger FILE --config 'pit a/floor.toml'`" in "".join(lines)


def test_the_status_has_what_could_not_be_taken_into_the_projection() -> None:
    lines = status({"gateways": [], "counts": {"unplaced": 2, "unreadable": 1}}, ahead=0)
    assert lines[-2:] == [
        "projection: 2 messages without a place in a ledger: update the gateway that sent it",
        "projection: 1 entry not readable, so not in the projection: report it with the ledger",
    ]


def test_the_status_of_a_site_without_jackpots_has_no_heading_of_jackpots() -> None:
    lines = status(ahead=1)
    assert "no jackpots" in lines
    assert not any("overflow" in line for line in lines)
    assert lines[-1] == "floor: 1 message waits for others that should have come before"


def test_the_status_has_the_pages_and_what_is_wrong_with_them() -> None:
    web = {"url": "http://127.0.0.1:8480/", "problem": None, "streams": 1, "refused": 0, "dropped": 2, "broken": 0}
    store = {"place": "floor.db", "problem": None}
    broker = {"url": "mqtt://b", "connected": True, "problem": None, "ahead": 0}
    given: dict[str, Any] = {"site": "s", "worker": "1", "time": "", "store": store, "broker": broker, "jackpots": []}
    given |= {"refused": {}, "newest_refusals": []}
    line = "pages at http://127.0.0.1:8480/: 1 stream; 2 dropped, since they did not read"
    assert line in status_lines({**given, "web": web})
    assert "pages: no pages are served" in status_lines({**given, "web": {**web, "problem": "no pages are served"}})
    assert not any("pages" in one for one in status_lines({**given, "web": None}))
    assert not any("pages" in one for one in status_lines(given))  # of an earlier release


def test_show_has_every_open_difference_however_many_wins_were_closed_since() -> None:
    made = Win(win="w-0", table="nz-01", outcome="drawn", percent=100, state="paid", rounded=900, prize=900, due=100)
    closed = [made, *(replace(made, win=f"w-{number}") for number in range(1, 10))]
    data: dict[str, Any] = {"open": [], "closed": closed, "missed": [], "waiting": None, "parameters": {}}
    data |= {"meter": METER, "doubtful": {}, "differences": [replace(made, settled=500)]}
    lines = [line.strip() for line in show_lines(data)]
    at = next(number for number, line in enumerate(lines) if line.startswith("difference: w-0"))
    assert lines[at + 1] == "NZD 1.00 were due, NZD 9.00 were paid, NZD 5.00 as settled"
    assert lines[at + 2].startswith("not settled")
