"""A gateway that is lost: jackpots, their console and the pit show it, with the right time and without buttons."""

import msgspec
import pytest
from sabot_floor.web.site_state import SiteState
from sabot_floor.web.views import dealer, display, jackpot, jackpots, pit
from sabot_protocol.jackpots.parameters import Parameters
from sabot_service.moment import Moment

BORN, NOW = "2026-10-17T09:00:00.000Z", "2026-10-17T11:30:00.000Z"
AT = Moment(9000.0, NOW)
NOBODY: frozenset[str] = frozenset()
PARAMETERS = msgspec.convert(
    {
        "id": "lt",
        "title": "L",
        "rulebook": "crown-baccarat",
        "currency": "AUD",
        "tables": ["t", "u"],
        "unreasonable": 25,
        "rounding": 100,
        "trigger": {"kind": "lucky_tie", "option": "option_1", "percent": {}},
    },
    Parameters,
)


def put(site: SiteState, topic: str, message: object, at: Moment = AT) -> None:
    site.received(f"sabot/v1/s/{topic}", msgspec.json.encode(message), at)
    assert site.unreadable == 0


@pytest.fixture
def site() -> SiteState:
    """Return a site of two gateways with a table each, at which one jackpot runs."""
    made = SiteState("s")
    made.connected(True)
    made.signs.jackpots = [PARAMETERS]
    for gateway, table in (("one", "t"), ("two", "u")):
        put(made, f"gateway/{gateway}/status", {"state": "online", "time": BORN})
        status = {"state": "online", "time": BORN, "rulebook": "crown-baccarat", "gateway": gateway}
        put(made, f"{table}/status", status)
        hand = {"table": table, "time": BORN, "phase": "dealing", "shoe": 1, "coup": 1, "unit": "U"}
        put(made, f"{table}/hand", hand)
    meters = {"base": 0, "in": 0, "display": 0, "hits": 0, "wins": 0, "overflow": 0, "reserve": 0}
    meter = {"jackpot": "lt", "title": "L", "time": BORN, "entry": 1, "hash": "", "parameters": "", "version": 1}
    withdrawn = {"u": "Fault of the shoe: card"}
    meter |= {"currency": "AUD", "meters": meters, "balanced": True, "tables": ["t", "u"], "not_offered": withdrawn}
    put(made, "jackpot/lt/meter", meter)
    return made


def console(site: SiteState) -> jackpots.ConsoleJackpot:
    """Return the jackpot as a person has it who may read it."""
    (found,) = jackpots.view(site.as_seen(NOBODY, "", frozenset(("crown-baccarat",))), "", AT).jackpots
    return found


def test_the_console_shows_no_jackpot_whose_rulebook_is_not_known(site: SiteState) -> None:
    site.signs.jackpots = []
    page = jackpots.view(site.as_seen(NOBODY, "", frozenset(("crown-baccarat",))), "", AT)
    assert (page.jackpots, page.refused) == ([], [jackpots.RefusedJackpot("lt", "L")])


def test_jackpots_name_the_tables_whose_gateway_is_lost(site: SiteState) -> None:
    assert (jackpot.view(site, "lt", AT).away, console(site).away) == ([], [])
    put(site, "gateway/one/status", {"state": "offline", "time": BORN})
    assert (jackpot.view(site, "lt", AT).away, console(site).away) == (["t"], ["t"])


def test_players_do_not_read_which_part_of_a_shoe_has_a_fault(site: SiteState) -> None:
    assert jackpot.view(site, "lt", AT).not_offered == {"u": "shoe_fault"}
    assert [one.why for one in display.jackpots(site, "u")] == ["shoe_fault"]
    assert console(site).not_offered == {"u": "Fault of the shoe: card"}  # staff do


def test_a_lost_gateway_has_the_time_of_its_loss_and_no_buttons(site: SiteState) -> None:
    put(site, "gateway/one/status", {"state": "offline", "time": BORN})  # a will has the time of its birth
    (one, two) = pit.view(site, "", AT).gateways
    assert [(one.online, one.time), (two.online, two.time)] == [(False, NOW), (True, BORN)]
    moves = [move for group in pit.panel(site, "t", AT).moves.values() for move in group]
    assert {move.not_now for move in moves} == {"no_gateway"}
    moves = [move for group in pit.panel(site, "u", AT).moves.values() for move in group]
    assert "no_gateway" not in {move.not_now for move in moves}


def test_a_silent_gateway_has_the_time_of_its_last_beat(site: SiteState) -> None:
    site.received("sabot/v1/s/gateway/one/beat", msgspec.json.encode({"time": NOW}), AT)
    site.beats.look(AT.now_s + 60)
    later = Moment(AT.now_s + 60, "2026-10-17T11:31:00.000Z")
    assert pit.view(site, "", later).gateways[0].time == NOW


def test_the_dealer_terminal_has_buttons_while_somebody_takes_its_commands(site: SiteState) -> None:
    def buttons() -> list[str]:
        return [one.name for one in dealer.view(site.as_seen(NOBODY, "t"), "t", AT).actions]

    before = buttons()
    assert before
    put(site, "gateway/one/status", {"state": "offline", "time": BORN})
    assert buttons() == []
    put(site, "gateway/one/status", {"state": "online", "time": NOW})
    assert buttons() == before
    site.connected(False)
    assert buttons() == []


def test_an_instruction_about_a_coup_long_over_is_on_no_dealer_terminal(site: SiteState) -> None:
    about = {"id": "a", "unit": "U", "event_no": 1, "table": "t", "shoe": 1, "time": BORN, "rulebook": "", "clause": ""}
    says = {"say": "Stop dealing and call the supervisor.", "shoe_says": "", "cards_say": "", "state": "raised"}
    alarm = about | says | {"name": "wrong_area", "severity": "warning"}
    alarms = [alarm | {"coup": coup, "alarm": f"a{coup}"} for coup in (1, 2, 3)]
    put(site, "t/alarms", {"table": "t", "time": BORN, "alarms": alarms})
    put(site, "t/hand", {"table": "t", "time": BORN, "phase": "dealing", "shoe": 1, "coup": 3, "unit": "U"})
    page = dealer.view(site.as_seen(NOBODY, "t"), "t", AT)
    assert ([one.alarm for one in page.alarms], page.more) == (["a2", "a3"], 1)  # the pit console has them all


def test_the_pit_has_what_is_open_about_jackpots_as_incidents_of_the_table(site: SiteState) -> None:
    """It is made of the retained list: whatever was restarted, it is there until a person has settled it."""
    paid = {"win": "w-1", "table": "t", "shoe": 3, "coup": 7, "outcome": "suited", "percent": 100, "state": "paid"}
    paid |= {"closed": BORN, "value": 100_050, "rounded": 100_100, "prize": 100_100, "due": 85_100}
    held = {"win": "w-2", "table": "u", "shoe": 1, "coup": 2, "outcome": "suited", "percent": 100, "state": "pending"}
    held |= {"at": BORN, "undecided": ["w-3"]}
    other = {**held, "win": "w-3", "table": "t", "coup": 9, "undecided": []}
    put(site, "jackpot/lt/pending", {"jackpot": "lt", "time": BORN, "wins": [paid, other, held], "more": 0})
    found = pit.view(site, "", AT)
    shown = {(one.table, one.kind, one.shoe, one.coup): one for one in found.incidents}
    assert list(shown) == [("t", "jackpot_difference", 3, 7), ("u", "jackpot_order", 1, 2)]
    assert "AUD 1,001.00 were paid, AUD 851.00 were due: AUD 150.00 overpaid" in found.incidents[0].say
    assert "u 1/2 may have been recorded before t 1/9. None of them can be paid" in found.incidents[1].say
    assert {one.table: one.open for one in found.tables} == {"t": 1, "u": 1}
    put(site, "jackpot/lt/pending", {"jackpot": "lt", "time": BORN, "wins": [], "more": 0})
    assert pit.view(site, "", AT).incidents == []
