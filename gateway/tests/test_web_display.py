"""The Winning Result Display as a view: a scripted shoe with cells written by hand, notices, tail, jackpots, limits."""

from typing import Any

import msgspec
import pytest
from sabot_floor.signs.limits import TableLimits
from sabot_floor.signs.state import Closure, ComingLimits, Range, TableSigns
from sabot_floor.web import channels
from sabot_floor.web.site_state import Link, SiteState
from sabot_floor.web.views.display import Display, Limits, Tail, view
from sabot_floor.web.views.shoe_roads import newest_columns, shoe_view
from sabot_service.moment import Moment

AT = Moment(1.0, "2026-10-17T09:00:00.000Z")
TABLE = "bac-01"
OPEN = {"table": TABLE, "time": AT.time, "state": "open", "phase": "bets", "shoe": 3}
ONLINE = {"state": "online", "time": AT.time}
BOOK = "crown-baccarat"
TAIL_WAGERS = ["banker", "player", "dragon_tail_player_early", "dragon_tail_player_late"]
METER = {
    "jackpot": "grand", "title": "Grand", "time": AT.time, "entry": 1, "hash": "", "parameters": "", "version": 1,
    "currency": "AUD", "balanced": True, "tables": [TABLE, "bac-02"],
    "meters": {"base": 0, "in": 0, "display": 12_345_678, "hits": 0, "wins": 0, "overflow": 0, "reserve": 0},
}  # fmt: skip


def shown(
    history: dict[str, Any] | None = None, wagers: list[str] | None = None, game: str = "crown", book: str = BOOK
) -> Display:
    """Return the display of a table with this history and these wagers."""
    site = SiteState("sydney", [TableLimits(TABLE, area="Salon")], public=True)
    site.connected(True)
    put(site, "status", ONLINE)
    setup = {"game": game, "decks": 8, "wagers": ["banker", "player"] if wagers is None else wagers}
    put(site, f"{TABLE}/status", {**ONLINE, "unit": "SHOE1", "rulebook": book, "setup": setup})
    if history is not None:
        put(site, f"{TABLE}/history", {**OPEN, **history})
    return view(site, TABLE, AT)


def put(site: SiteState, topic: str, message: object) -> None:
    assert site.received(f"sabot/v1/sydney/{topic}", msgspec.json.encode(message), AT), topic


def test_the_roads_of_a_scripted_shoe() -> None:
    """T, B with a banker pair, B natural, T, T, P, no wagers, B, P, B, drawn by hand."""
    found = shown({"results": "T Bb Bn T T P X B P B", "coup": 11, "shoe": 3})
    assert found.roads.bead == "T Bb Bn T T P X B P B"
    assert found.roads.big == "B0.0b=1 B1.0n=2 P0.1 B0.2 P0.3 B0.4"
    assert found.roads.big_eye == "L0.0 R0.1 R1.1"
    assert (found.roads.small, found.roads.cockroach) == ("L0.0 R0.1", "L0.0")
    assert (found.roads.ask_banker, found.roads.ask_player) == ("LLL", "RRR")
    assert found.counts == {
        "banker": 4, "player": 2, "tie": 3, "banker_pair": 1, "player_pair": 0, "natural": 1, "no_bet": 1,
    }  # fmt: skip
    assert (found.shoe, found.coup, found.phase, found.area) == (3, 11, "bets", "Salon")


def test_ties_before_the_first_circle_wait_in_its_cell() -> None:
    assert shown({"results": "T T"}).roads.big == "T0.0=2"
    assert shown({"results": "T T P"}).roads.big == "P0.0=2"


def test_a_correction_and_a_void_coup_draw_the_shoe_anew() -> None:
    assert shown({"results": "B B P"}).roads.big == "B0.0 B1.0 P0.1"
    assert shown({"results": "B P P"}).roads.big == "B0.0 P0.1 P1.1"
    assert shown({"results": "B P"}).roads.big == "B0.0 P0.1"


def test_a_new_shoe_clears_everything() -> None:
    found = shown({"results": "", "shoe": 4, "coup": 1})
    assert (found.roads.bead, found.roads.big, found.last) == ("", "", None)
    assert sum(found.counts.values()) == 0


def test_results_that_cannot_be_read_are_not_drawn() -> None:
    found = shown({"results": "B Q P"})
    assert (found.gap, found.roads.bead) == (True, "")
    assert not shown({"results": "B P"}).gap


def test_a_dummy_coup_is_there_at_once() -> None:
    found = shown({"results": "B", "kind": "live", "next_kind": "dummy", "phase": "no_more_bets"})
    assert (found.kind, found.next_kind) == ("live", "dummy")
    assert shown({"results": "B", "kind": "dummy", "phase": "no_more_bets"}).kind == "dummy"


@pytest.mark.parametrize(
    ("results", "state", "expected"),
    [
        ("P P P", "open", Tail(0, 3, False)),
        ("P P X P", "open", Tail(0, 3, False)),  # a Dummy Coup has no effect (10.8.4)
        ("P P T", "open", Tail(0, 0, False)),
        ("P P B", "open", Tail(1, 0, False)),
        ("B B B B B B", "open", Tail(6, 0, True)),
        ("B B B", "closed", Tail(0, 0, False)),  # the end of the shoe
    ],
)
def test_the_dragon_tail_indicator_where_the_wager_is_offered(results: str, state: str, expected: Tail) -> None:
    assert shown({"results": results, "state": state}, TAIL_WAGERS).tail == expected
    assert shown({"results": results, "state": state}).tail is None


def test_a_table_that_lists_no_wagers_offers_all_of_its_game() -> None:
    """Crown has Dragon Tail in its games of two hands; no other book has it."""
    assert shown({"results": "B B"}, []).tail == Tail(2, 0, False)
    assert shown({"results": "B B"}, [], game="three_card").tail is None
    assert shown({"results": "B B"}, [], game="even_money", book="star-baccarat").tail is None
    assert shown({"results": "B B"}, [], book="of nobody").tail is None


def test_limits_of_the_table() -> None:
    site = SiteState("sydney", [TableLimits(TABLE, currency="AUD", minimum="25", maximum="2,500.50")])
    assert view(site, TABLE, AT).limits == Limits("AUD", "25", "2,500.50")
    assert view(SiteState("sydney", [TableLimits(TABLE)]), TABLE, AT).limits is None


def test_a_raised_minimum_and_a_closure_are_announced() -> None:
    site = SiteState("sydney", [TableLimits(TABLE, currency="AUD", minimum="25", maximum="2,500")])
    coming = ComingLimits(Range(5_000, 250_000), "2026-10-17T09:20:00.000Z")
    site.signs.tables = {TABLE: TableSigns(limits=Range(2_500, 250_000), coming=coming)}
    limits = view(site, TABLE, AT).limits
    assert limits is not None
    assert (limits.minimum, limits.next_minimum, limits.next_at) == ("25", "50", "09:20")
    later = Moment(2.0, "2026-10-17T09:20:01.000Z")
    after = view(site, TABLE, later).limits
    assert after is not None
    assert (after.minimum, after.next_minimum) == ("50", "")
    site.signs.tables = {TABLE: TableSigns(closure=Closure(AT.time, AT.time, coups=3, shoe=0, coup=0))}
    closing = view(site, TABLE, AT).limits
    assert closing is not None
    assert (closing.closes_after, closing.closes_at) == (3, "")


def test_jackpots_of_the_table_and_their_faults() -> None:
    site = SiteState("sydney", public=True)
    put(site, "jackpot/grand/meter", METER)
    (jackpot,) = view(site, TABLE, AT).jackpots
    assert (jackpot.title, jackpot.amount, jackpot.why) == ("Grand", "AUD 123,456.78", "")
    assert view(site, "bac-09", AT).jackpots == []
    put(site, "jackpot/grand/meter", {**METER, "not_offered": {TABLE: "display dark"}})
    assert view(site, TABLE, AT).jackpots[0].why == "display dark"
    assert view(site, "bac-02", AT).jackpots[0].why == ""


def test_a_table_without_data_and_a_table_that_nobody_knows() -> None:
    found = shown()
    assert (found.known, found.state, found.phase, found.roads.bead) == (True, "unknown", "none", "")
    unknown = view(SiteState("sydney"), "nix", AT)
    assert (unknown.known, unknown.link) == (False, Link(False, False, False))


def test_a_game_without_banker_and_player_has_no_roads() -> None:
    assert not shown(game="three_card").has_roads
    assert shown().has_roads


def test_the_display_depends_on_nothing_for_staff() -> None:
    channel = channels.CHANNELS["display"]
    assert channel.public
    assert channel.keyed
    assert channel.topics == {"table/status", "table/history", "jackpots/meter"}


def test_the_newest_columns_of_a_road() -> None:
    assert newest_columns("B0.0 P0.1 B0.2b=12 P0.3", 2) == "B0.0b=12 P0.1"
    assert newest_columns("B0.9 P0.10n", 2) == "B0.0 P0.1n"
    assert newest_columns("", 2) == ""
    long_tail = shoe_view("B " * 30 + "P").roads.big
    assert newest_columns(long_tail, 10).split()[-1] == "P0.0"
