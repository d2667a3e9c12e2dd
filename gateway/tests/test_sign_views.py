"""Views of table sign, Jackpot Display and Jackpot Management Console: messages in, structs out."""

from typing import Any

import msgspec
import pytest
from sabot_floor.gaming_day import Calendar
from sabot_floor.people.verbs import Login
from sabot_floor.signs.board import SignBoard
from sabot_floor.signs.limits import TableLimits
from sabot_floor.web.acts import parse
from sabot_floor.web.site_state import SiteState
from sabot_floor.web.views import jackpot, jackpots, sign
from sabot_protocol.jackpots.messages import (
    FaultMessage,
    MeterMessage,
    Meters,
    PendingMessage,
    Win,
    WinMessage,
    WinState,
)
from sabot_protocol.jackpots.parameters import LuckyTie, Parameters
from sabot_protocol.topics import StatusMessage, TableSetup
from sabot_service.messages import RequestError
from sabot_service.moment import Moment

NOW = "2026-11-17T10:00:00.000Z"
PARAMETERS = Parameters(
    id="lt", title="Lucky Tie", rulebook="crown-baccarat", currency="AUD", tables=("bac-01", "bac-02"), increment=25,
    unreasonable=25, rounding=100, trigger=LuckyTie("option_3", {"lucky_tie": 100}),
)  # fmt: skip


class Screen:
    """A site with a jackpot, by messages."""

    def __init__(self, *, public: bool) -> None:
        board = SignBoard(
            [TableLimits("bac-01", "Salon", minimum="25", maximum="100")], Calendar("06:00", "Asia/Tokyo")
        )
        board.jackpots = (PARAMETERS,)
        self.site = SiteState("s", public=public, signs=board)
        self.site.connected(True)

    def put(self, topic: str, message: msgspec.Struct) -> None:
        self.site.received(f"sabot/v1/s/{topic}", msgspec.json.encode(message), Moment(0.0, NOW))

    def meter(self, display: int = 100_050, **changes: object) -> None:
        meters = Meters(base=0, in_=display, display=display, hits=0, wins=0, overflow=0, reserve=0)
        made = MeterMessage(
            jackpot="lt", title="Lucky Tie", time=NOW, entry=7, hash="", parameters="", version=1, currency="AUD",
            meters=meters, balanced=True, tables=["bac-01", "bac-02"],
        )  # fmt: skip
        self.put("jackpot/lt/meter", msgspec.structs.replace(made, **changes))

    def win(self, number: int, state: WinState, time: str = NOW, prize: int = 0) -> None:
        won = Win(
            win=f"w{number}",
            table="bac-01",
            shoe=1,
            coup=number,
            outcome="lucky_tie",
            percent=100,
            state=state,
            prize=prize,
        )
        made = WinMessage(id=f"{number}{state}", jackpot="lt", title="", time=time, currency="AUD", win=won, display=0)
        self.put("jackpot/lt/win", made)


def test_a_public_jackpot_has_the_amount_and_where_it_is_not_offered() -> None:
    screen = Screen(public=True)
    assert not jackpot.view(screen.site, "lt", Moment(0.0, NOW)).known
    assert jackpot.view(screen.site, "lt", Moment(0.0, NOW)).others == []
    screen.meter(not_offered={"bac-02": "dark screen"})
    assert [one.id for one in jackpot.view(screen.site, "nope", Moment(0.0, NOW)).others] == ["lt"]
    found = jackpot.view(screen.site, "lt", Moment(0.0, NOW))
    assert (found.display, found.digits, found.currency, found.fault) == (100_050, 2, "AUD", False)
    assert found.not_offered == {"bac-02": "dark screen"}
    screen.meter(balanced=False)
    assert jackpot.view(screen.site, "lt", Moment(0.0, NOW)).fault


def test_a_winning_message_lasts_two_minutes() -> None:
    screen = Screen(public=True)
    screen.meter()
    screen.win(1, "pending")
    found = jackpot.view(screen.site, "lt", Moment(0.0, NOW))
    assert (found.won, found.confirming) == (None, ["bac-01"])
    screen.win(1, "paid", prize=99_000)
    found = jackpot.view(screen.site, "lt", Moment(0.0, "2026-11-17T10:01:59.000Z"))
    assert found.won is not None
    assert (found.won.prize, found.won.table, found.won.time) == ("AUD 990.00", "bac-01", "2026-11-17 19:00")
    assert found.confirming == []
    later = jackpot.view(screen.site, "lt", Moment(0.0, "2026-11-17T10:02:00.000Z"))
    assert (later.won, [one.prize for one in later.last]) == (None, ["AUD 990.00"])


def test_a_win_that_is_deemed_invalid_is_no_winning_message() -> None:
    screen = Screen(public=True)
    screen.meter()
    screen.win(1, "pending")
    screen.win(1, "invalid")
    found = jackpot.view(screen.site, "lt", Moment(0.0, NOW))
    assert (found.won, found.confirming, found.last) == (None, [], [])


def test_the_console_has_value_pending_wins_faults_and_who_may_act() -> None:
    """D-61, D-62; roles of P-66, P-68, P-69."""
    screen = Screen(public=False)
    screen.meter()
    won = Win(
        win="w1", table="bac-01", shoe=3, coup=17, outcome="lucky_tie", percent=100, state="pending", at=NOW,
        value=100_050, rounded=100_100, prize=100_100, shares=[50_050, 50_050],
    )  # fmt: skip
    screen.put("jackpot/lt/pending", PendingMessage(jackpot="lt", time=NOW, wins=[won]))
    screen.put("jackpot/lt/fault", FaultMessage(id="1", jackpot="lt", time=NOW, table="bac-02", name="missed", say="A"))
    screen.put("jackpot/lt/fault", FaultMessage(id="2", jackpot="lt", time=NOW, table="bac-01", name="gap", say="B"))
    ended = FaultMessage(id="3", jackpot="lt", time=NOW, table="bac-01", name="gap", say="B", active=False)
    screen.put("jackpot/lt/fault", ended)
    screen.site.read_jackpots = frozenset({"crown-baccarat"})
    (found,) = jackpots.view(screen.site, "", Moment(0.0, NOW)).jackpots
    assert (found.display, found.rounded) == ("AUD 1,000.50", "AUD 1,001.00")
    (pending,) = found.pending
    assert (pending.place, pending.value, pending.rounded) == ("bac-01 3/17", "AUD 1,000.50", "AUD 1,001.00")
    assert (pending.prize, pending.shares, pending.at) == ("AUD 1,001.00", ["500.50", "500.50"], "2026-11-17 19:00")
    assert [fault.say for fault in found.faults] == ["A"]
    confirm, adjust = found.may["confirm"], found.may["adjust"]
    assert (confirm.lowest, confirm.notify, confirm.clause) == ("TG Area Manager", ["Casino Manager"], "13.4.5")
    assert (adjust.lowest, adjust.second) == ("TG Area Manager", "TG Area Manager")


def test_the_console_has_what_a_person_decides_and_settles() -> None:
    """A win whose order is open names the other; a pay-out that was corrected its exact difference."""
    screen = Screen(public=False)
    screen.meter()
    one: dict[str, Any] = {"outcome": "lucky_tie", "percent": 100, "rounded": 100, "value": 100}
    paid = Win(win="w1", table="bac-01", shoe=3, coup=17, state="paid", prize=28_500_100, due=1_500_000, **one)
    void = Win(win="w0", table="bac-02", shoe=3, coup=16, state="paid", prize=100, due=0, **one)
    less = Win(win="w4", table="bac-02", shoe=3, coup=19, state="paid", prize=100, due=350, **one)
    late = Win(win="w2", table="bac-02", shoe=5, coup=9, state="pending", undecided=["w3", "w1"], **one)
    other = Win(win="w3", table="bac-01", shoe=3, coup=18, state="pending", **one)
    wins = [paid, void, less, other, late]
    screen.put("jackpot/lt/pending", PendingMessage(jackpot="lt", time=NOW, wins=wins))
    for number, table in enumerate(("bac-01", "bac-02")):
        fault = FaultMessage(id=str(number), jackpot="lt", time=NOW, table=table, name="difference", say="A")
        screen.put("jackpot/lt/fault", fault)
    screen.site.read_jackpots = frozenset({"crown-baccarat"})
    (found,) = jackpots.view(screen.site, "", Moment(0.0, NOW)).jackpots
    assert [(win.win, win.undecided) for win in found.pending] == [
        ("w3", []),
        ("w2", [jackpots.OtherWin("w3", "bac-01 3/18"), jackpots.OtherWin("w1", "bac-01 3/17")]),
    ]
    assert [(win.win, win.prize, win.due, win.over, win.under) for win in found.differences] == [
        ("w1", "AUD 285,001.00", "AUD 15,000.00", "AUD 270,001.00", ""),
        ("w0", "AUD 1.00", "AUD 0.00", "AUD 1.00", ""),
        ("w4", "AUD 1.00", "AUD 3.50", "", "AUD 2.50"),
    ]
    assert found.faults == []  # they are among the wins, each until it is settled
    assert [found.may[verb].lowest for verb in ("order", "settle")] == ["TG Area Manager"] * 2


def test_pending_wins_are_not_for_the_public() -> None:
    screen = Screen(public=True)
    screen.meter()
    screen.put("jackpot/lt/pending", PendingMessage(jackpot="lt", time=NOW, wins=[], more=3))
    assert screen.site.jackpots["lt"].pending is None


def test_wagers_on_either_hand_are_one_line_where_only_the_hand_differs() -> None:
    screen = Screen(public=True)
    wagers = ["player", "banker", "pair_player", "pair_banker", "shield_player", "shield_banker"]
    wagers += ["dragon_tail_player_early", "dragon_tail_banker_early"]
    setup = TableSetup(game="traditional", wagers=wagers, decks=8)
    screen.put("bac-01/status", StatusMessage(state="online", time=NOW, rulebook="crown-baccarat", setup=setup))
    found = sign.view(screen.site, "bac-01", Moment(0.0, NOW))
    assert [one.title for one in found.sign.wagers] == [
        "Player", "Banker", "Shield on Player, Banker", "Baccarat Pairs Player, Banker",
        "Player, Banker Dragon Tail (Early)",
    ]  # fmt: skip
    either = "The hand has 6 after four cards, the other 0 to 5, the other wins"
    assert found.sign.wagers[2].pays[0].when == either
    assert found.sign.wagers[3].pays[0].when == "The first two cards of the hand are a pair"
    assert found.sign.problems == ()
    assert not sign.view(screen.site, "zz", Moment(0.0, NOW)).known


def test_a_page_can_ask_for_a_change_of_a_sign_and_names_no_person() -> None:
    with pytest.raises(RequestError):
        parse(b'{"do": "sign", "table": "t"}')
    body = b'{"do": "sign", "table": "t", "change": "minimum", "args": {"minimum": "50"}}'
    request = parse(body)(Login("asmith", "session:x"))
    assert (request.verb.change, request.verb.minimum, request.verb.login.person) == ("minimum", "50", "asmith")  # type: ignore[union-attr]
    forged = b'{"do": "sign", "table": "t", "change": "close", "args": {"login": {"person": "x", "secret": "y"}}}'
    with pytest.raises(RequestError, match="who has logged in"):
        parse(forged)(Login("asmith", "session:x"))
