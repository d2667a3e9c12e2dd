"""The Dealer Terminal: messages in, view out; expected values by hand from the rulebooks and displays.md."""

from typing import Any

import msgspec
import pytest
from sabot_floor.web import dealer_assistant
from sabot_floor.web.channels import CHANNELS
from sabot_floor.web.dealer_assistant import NoAnswerError
from sabot_floor.web.site_state import SiteState, Subject
from sabot_floor.web.views import dealer
from sabot_floor.web.views.dealer import Dealer
from sabot_floor.web.views.dealer_hand import hand_state
from sabot_protocol import rulebooks
from sabot_protocol.table_states import HandMessage
from sabot_service.moment import Moment

TIME = "2026-10-17T09:00:00.000Z"
AT = Moment(100.0, TIME)
SLOTS = ("player_1", "banker_1", "player_2", "banker_2")
VERIFIED = {"id": "c", "status": "verified", "winner": "banker", "player_points": 5, "banker_points": 6}

DISPUTED = VERIFIED | {"status": "disputed"}


def cards(text: str, *more: str) -> list[dict[str, str]]:
    """Return cards in the order drawn; `more` are the slots from the fifth card on."""
    return [{"slot": slot, "card": card} for slot, card in zip((*SLOTS, *more), text.split(), strict=False)]


def site_with(
    book: str = "crown-baccarat",
    *,
    game: str = "traditional",
    dealing: str = "face_up",
    alarms: list[dict[str, Any]] | None = None,
    jackpot: bool = False,
    **hand: Any,
) -> SiteState:
    """Return a site with one table whose hand is this."""
    site = SiteState("s")
    site.connected(True)
    setup = {"game": game, "decks": 8, "shoe": {"dealing": dealing}}
    status = {"state": "online", "time": TIME, "unit": "U", "rulebook": book, "setup": setup}
    put(site, "status", {"state": "online", "time": TIME})
    put(site, "t/status", status)
    put(site, "t/hand", {"table": "t", "time": TIME, "shoe": 3, "coup": 17, **hand})
    put(site, "t/alarms", {"table": "t", "time": TIME, "alarms": alarms or []})
    if jackpot:
        meters = {"base": 0, "in": 0, "display": 0, "hits": 0, "wins": 0, "overflow": 0, "reserve": 0}
        meter = {"jackpot": "lt", "title": "L", "time": TIME, "entry": 1, "hash": "", "parameters": "", "version": 1}
        put(site, "jackpot/lt/meter", meter | {"currency": "AUD", "meters": meters, "balanced": True, "tables": ["t"]})
    return site


def seen(book: str = "crown-baccarat", **given: Any) -> Dealer:
    """Return the page of a table whose hand is this."""
    return dealer.view(site_with(book, **given).as_seen(frozenset(), "t"), "t", AT)


def put(site: SiteState, topic: str, message: object) -> None:
    site.received(f"sabot/v1/s/{topic}", msgspec.json.encode(message), AT)
    assert site.unreadable == 0


def alarm(
    name: str, severity: str = "warning", coup: int = 17, say: str = "Do this.", time: str = TIME, shoe_says: str = ""
) -> dict[str, Any]:
    place = {"id": name, "unit": "U", "event_no": 1, "table": "t", "shoe": 3, "coup": coup, "time": time}
    about = {"name": name, "say": say, "clause": "10.6", "shoe_says": shoe_says, "cards_say": "", "alarm": name}
    return place | about | {"rulebook": "", "severity": severity, "state": "raised"}


@pytest.mark.parametrize(
    ("hand", "key", "values", "level"),
    [
        ({"phase": "closed"}, "closed", {}, "wait"),
        ({"phase": "unknown"}, "unknown", {}, "wait"),
        ({"phase": "unknown", "shoe": 0, "coup": 0}, "closed", {}, "wait"),
        ({"phase": "checking"}, "checking", {}, "wait"),
        ({"phase": "burning"}, "burning", {"burn": "one"}, "go"),
        ({"phase": "bets"}, "bets", {}, "go"),
        ({"phase": "bets", "called": True, "due": "player_1"}, "card", {"number": 1, "slot": "player_1"}, "go"),
        ({"phase": "bets", "kind": "dummy", "due": "player_1"}, "card", {"number": 1, "slot": "player_1"}, "go"),
        (
            {"phase": "dealing", "due": "banker_2", "cards": cards("2S 3S 4S")},
            "card", {"number": 4, "slot": "banker_2"}, "go",
        ),
        ({"phase": "dealing", "due": "banker_3"}, "card", {"number": 6, "slot": "banker_3"}, "go"),
        ({"phase": "dealing", "due": "banker_2", "fault": "card"}, "locked_fault", {"fault": "card"}, "stop"),
        ({"phase": "dealing", "due": "banker_2", "locked": True}, "locked", {}, "stop"),
        ({"phase": "bets", "kind": "dummy", "authorisation_needed": True}, "authorisation", {"kind": "dummy"}, "stop"),
        ({"phase": "complete", "result": VERIFIED}, "confirm", {"winner": "banker", "player": 5, "banker": 6}, "go"),
        ({"phase": "complete", "locked": True, "result": VERIFIED}, "confirm", VERIFIED, "go"),
        ({"phase": "complete", "result": DISPUTED}, "disputed", {}, "stop"),
        ({"phase": "complete", "fault": "decision", "result": DISPUTED}, "disputed", {}, "stop"),
        ({"phase": "complete", "result": VERIFIED | {"status": "void", "winner": None}}, "void", {}, "wait"),
    ],
)  # fmt: skip
def test_what_is_due_in_one_line(hand: dict[str, Any], key: str, values: dict[str, Any], level: str) -> None:
    line = seen(**hand).line
    assert (line.key, line.level) == (key, level)
    assert values is VERIFIED or line.values == values


def test_the_cells_that_decide_have_their_clauses() -> None:
    shown = seen(phase="dealing", due="banker_3", cards=cards("2S 4S 3S TS 6H", "player_3"))
    # Crown 8.2: the Player draws on 5; 8.3: the Banker draws on 4 to a 6.
    assert [(one.key, one.values, one.clause) for one in shown.reasons] == [
        ("table_1_draws", {"side": "player", "points": 5}, "8.2"),
        ("table_2_draws", {"side": "banker", "points": 4, "third": 6}, "8.3"),
    ]
    assert [one.card for one in shown.player.cards] == ["2S", "3S", "6H"]
    assert [one.card for one in shown.banker.cards] == ["4S", "TS"]


def test_an_offer_is_due_before_card_5_and_not_in_a_dummy_coup() -> None:
    four: dict[str, Any] = {"phase": "dealing", "due": "player_3", "cards": cards("2S 2H 3S 4H")}  # Player 5, Banker 6
    assert [one.wager for one in seen(**four).offers] == ["shield_banker"]
    assert [one.wager for one in seen(game="crown", **four).offers] == ["insurance_no_6"]
    assert seen(kind="dummy", **four).offers == []
    assert seen(fault="card", **four).offers == []  # nobody deals, and the dealer has other worries
    assert seen(**four | {"due": "banker_3", "cards": cards("2S 2H 3S 4H 9D", "player_3")}).offers == []


def test_confirm_is_bound_to_the_coup_and_names_who_must_approve() -> None:
    rapid = seen("star-rapid", game="baccarat", phase="complete", result=VERIFIED).actions
    assert [(one.name, one.verb, one.args) for one in rapid] == [("confirm", "confirm", {"coup": "3/17"})]
    assert rapid[0].who["dealer"] == ""  # P-51
    star = seen("star-baccarat", phase="complete", result=VERIFIED).actions[0]
    assert (star.who["dealer"], star.who["casino_supervisor"]) == ("Casino Supervisor", "")
    assert star.who["inspector"] == "Casino Supervisor"


@pytest.mark.parametrize(
    ("book", "hand", "names"),
    [
        ("crown-baccarat", {"phase": "bets"}, ["no_more_bets", "no_bet", "burn_card"]),  # 7.2.2(b)
        ("star-baccarat", {"phase": "bets"}, ["no_more_bets", "no_bet"]),
        ("star-baccarat", {"phase": "bets", "called": True}, ["no_bet"]),
        ("star-premium", {"phase": "dealing", "wagers": "bets"}, ["no_more_bets", "card_exposed"]),  # 5.3
        ("star-premium", {"phase": "complete", "wagers": "bets"}, ["no_more_bets", "card_exposed"]),
        ("star-premium", {"phase": "dealing", "wagers": "no_more_bets"}, []),  # no clause reopens them
        ("star-baccarat", {"phase": "dealing", "wagers": "no_more_bets"}, ["reopen_wagers", "card_exposed"]),  # 12.12
        ("star-baccarat", {"phase": "dealing", "wagers": "no_more_bets", "exposed": True}, []),
        ("star-baccarat", {"phase": "dealing", "wagers": "no_more_bets", "kind": "no_bet"}, []),
        ("nz-baccarat", {"phase": "bets", "wagers": "no_more_bets", "called": True}, ["reopen_wagers", "no_bet"]),
        ("star-baccarat", {"phase": "closed"}, ["open_shoe"]),
        ("star-baccarat", {"phase": "dealing", "fault": "card"}, ["key_card", "clear_fault"]),
        ("star-baccarat", {"phase": "complete", "fault": "decision", "result": VERIFIED}, []),
        (
            "star-baccarat",
            {"phase": "complete", "fault": "decision", "result": DISPUTED},
            ["decide_confirmed", "decide_void"],
        ),
        ("crown-baccarat", {"phase": "dealing", "fault": "decision"}, ["deal_again", "play_on"]),  # 10.1.1
        ("star-rapid", {"phase": "bets", "kind": "dummy", "authorisation_needed": True}, ["authorise"]),
    ],
)
def test_the_buttons_of_each_state(book: str, hand: dict[str, Any], names: list[str]) -> None:
    assert [one.name for one in seen(book, **hand).actions] == names


@pytest.mark.parametrize(
    ("book", "clause", "facts"),
    [
        ("star-baccarat", "12.12", {"method_a": False}),
        ("nz-baccarat", "5.14", {}),
        ("crown-baccarat", "10.9.1", {"dealer_holds_shoe": True}),
    ],
)
def test_wagers_are_reopened_by_the_role_and_clause_of_the_book(book: str, clause: str, facts: dict[str, bool]) -> None:
    button = seen(book, phase="dealing", wagers="no_more_bets").actions[0]
    assert (button.verb, button.clause, button.args) == ("reopen-wagers", clause, {"coup": "3/17", "facts": facts})
    assert "dealer" not in {one for one, second in button.who.items() if second == ""}


def test_a_result_in_dispute_is_decided_under_the_clause_of_the_book() -> None:
    star, nz = (seen(book, phase="complete", result=DISPUTED).actions[0] for book in ("star-baccarat", "nz-baccarat"))
    assert (star.clause, star.fields, star.who["dealer"]) == ("12.13", (), "Casino Supervisor")  # P-43
    assert (star.args, nz.fields) == ({"coup": "3/17", "verdict": "confirmed"}, ("clause",))  # no rule: A-80


def test_a_keyed_card_at_rapid_is_authorised_first_by_a_supervisor() -> None:
    key_card = seen("star-rapid", game="baccarat", phase="dealing", fault="card").actions[0]
    assert (key_card.first, key_card.clause, key_card.fields) == ("authorise", "11.8.12", ("card",))
    assert key_card.who["dealer"] == key_card.who["casino_supervisor"] == "Casino Supervisor"  # two people
    assert seen(phase="dealing", fault="card").actions[0].first == ""


@pytest.mark.parametrize("reason", ["short pull", "pushed back", "half drawn", "double"])
def test_a_card_is_keyed_in_only_if_one_is_known_to_be_out(reason: str) -> None:
    for book in ("star-rapid", "star-baccarat", "crown-baccarat", "nz-baccarat"):
        shown = seen(book, phase="dealing", fault="card", unread=0, alarms=[rejected(reason)])
        assert [one.name for one in shown.actions] == ["clear_fault"]
        waits = seen(book, phase="dealing", fault="card", unread=1, alarms=[rejected("blank"), rejected(reason)])
        assert {one.name: one.main for one in waits.actions}["key_card"] == (book == "star-rapid")
        key_on = seen(book, phase="dealing", unread=1)
        assert [(one.name, one.main) for one in key_on.actions] == [("key_card", False)]


def test_a_win_is_recorded_where_the_jackpot_runs() -> None:
    found = [one for one in seen(phase="bets", jackpot=True).actions if one.name == "record_win"]
    assert [(one.args, one.title, one.who["dealer"]) for one in found] == [({"jackpot": "lt"}, "L", "")]  # 13.4.4
    assert "record_win" not in [one.name for one in seen(phase="bets").actions]
    assert dealer.jackpots_of(site_with(phase="bets", jackpot=True), "another") == {}


@pytest.mark.parametrize(
    ("hand", "alarms", "picture"),
    [
        ({"fault": "card"}, [], "unread_call"),  # Crown has no rule for keying a card in
        ({"fault": "card"}, [alarm("reject", shoe_says="half drawn")], "stopped"),
        ({"fault": "lid"}, [], "lid"),
        ({"fault": "sensor"}, [], "sensor"),
        ({"fault": "composition"}, [], "cards"),
        ({"fault": "image"}, [], "controller"),
        ({"locked": True}, [alarm("lid_open")], "lid"),
        ({"locked": True}, [], "exit"),
        ({"locked": True, "authorisation_needed": True}, [], ""),
        ({}, [], ""),
    ],
)
def test_a_fault_has_its_picture(hand: dict[str, Any], alarms: list[dict[str, Any]], picture: str) -> None:
    assert seen(phase="dealing", due="banker_2", alarms=alarms, **hand).picture == picture


def rejected(reason: str, time: str = TIME) -> dict[str, Any]:
    """Return the alarm of a reject; `reason` as the shoe gives it, with the speed."""
    return alarm("reject", shoe_says=reason, time=time)


@pytest.mark.parametrize(
    ("book", "reason", "fault", "picture", "names", "main"),
    [  # by the reasons of PROTOCOL.md; only Rapid has a rule for keying a card in (P-46, 11.8.12)
        ("star-rapid", "doubtful, column 3, 400 mm/s", "card", "unread", ["key_card", "clear_fault"], "key_card"),
        ("star-rapid", "blank", "card", "unread", ["key_card", "clear_fault"], "key_card"),
        ("crown-baccarat", "doubtful", "card", "unread_call", ["key_card", "clear_fault"], ""),
        ("star-baccarat", "spacing", "card", "unread_call", ["key_card", "clear_fault"], ""),
        ("star-rapid", "short pull", "card_back", "returned", ["clear_fault"], "clear_fault"),  # it is in the shoe
        ("nz-baccarat", "short pull", "card_back", "returned", ["clear_fault"], "clear_fault"),
        ("star-rapid", "pushed back", "card_either", "pushed", ["key_card", "clear_fault"], ""),
        ("star-rapid", "pushed back midway, 90 mm/s", "card_either", "pushed", ["key_card", "clear_fault"], ""),
        ("star-rapid", "half drawn", "card_half", "stopped", ["key_card", "clear_fault"], "key_card"),
        ("star-rapid", "double", "card_two", "double", ["key_card", "clear_fault"], ""),
    ],
)
def test_a_card_fault_asks_for_what_the_reason_of_the_reject_asks_for(
    book: str, reason: str, fault: str, picture: str, names: list[str], main: str
) -> None:
    earlier = [rejected("noise"), rejected("double", time="2026-10-17T08:00:00.000Z")]
    shown = seen(book, phase="dealing", due="banker_2", fault="card", alarms=[*earlier, rejected(reason)])
    assert (shown.line.values, shown.picture) == ({"fault": fault}, picture)
    assert sorted(one.name for one in shown.actions) == sorted(names)
    assert [one.name for one in shown.actions if one.main] == [main] * bool(main)
    assert not main or shown.actions[0].main


def test_a_deck_check_takes_no_keyed_card() -> None:
    shown = seen("star-rapid", phase="checking", fault="card", alarms=[rejected("doubtful")])
    assert [one.name for one in shown.actions] == ["clear_fault"]


@pytest.mark.parametrize(
    ("changes", "say"),
    [  # The Star 12.11: the coup in which the foreign card came is void, complete ones stand
        ({}, "This coup is void, earlier ones stand: return all stakes"),
        ({"coups": [1, 2, 3, 4, 5]}, "No coup is void; every complete coup stands."),
        ({"undecided": [5]}, "No coup is void; every complete coup stands."),
    ],
)
def test_the_assistant_knows_that_the_shoe_has_voided_the_coup(changes: dict[str, Any], say: str) -> None:
    site = site_with("star-baccarat", phase="closed", coup=0, alarms=[alarm("coup_void", coup=5)])
    closed = {"id": "s", "unit": "U", "event_no": 9, "table": "t", "shoe": 3, "coup": 5, "time": TIME}
    about = {"rulebook": "star-baccarat", "state": "closed", "decks": 8, "card_set": 1, "burn": "one"}
    put(site, "t/shoe", closed | about)
    history = {"table": "t", "time": TIME, "unit": "U", "shoe": 3, "state": "closed", "phase": "none"}
    put(site, "t/history", history | {"results": "B P T B", "coups": [1, 2, 3, 4]} | changes)
    roles = {"star-baccarat": "dealer"}
    assert dealer_assistant.answer(site, "t", "missing_or_foreign_card", "", roles).say.startswith(say)
    assert dealer.view(site, "t", AT).line.key == ("closed" if changes else "void")  # return the stakes first
    put(site, "t/alarms", {"table": "t", "time": TIME, "alarms": [alarm("coup_void") | {"state": "acknowledged"}]})
    assert dealer.view(site, "t", AT).line.key == "closed"


def test_the_page_is_sent_again_when_a_message_that_it_shows_changes() -> None:
    for name in ("status", "shoe", "history", "hand", "alarms"):
        assert CHANNELS["dealer"].depends(Subject("table", "t", name), "t"), name


def test_alarms_are_sorted_by_severity_and_bounded() -> None:
    many = [alarm(f"a{number}", time=f"2026-10-17T09:00:{number:02}.000Z") for number in range(20)]
    shown = seen(phase="bets", alarms=[*many, alarm("worst", "critical")])
    assert [one.name for one in shown.alarms[:3]] == ["worst", "a19", "a18"]
    assert (len(shown.alarms), shown.more) == (8, 13)


def test_a_shoe_that_does_not_answer_stops_the_deal() -> None:
    site = site_with(phase="dealing", due="banker_2", cards=cards("2S 3S 4S"))
    put(site, "t/status", {"state": "offline", "time": TIME, "rulebook": "crown-baccarat", "problem": "no answer"})
    shown = dealer.view(site, "t", AT)
    assert (shown.line.key, shown.line.level, shown.picture) == ("shoe_away", "stop", "power")
    assert [one.card for one in shown.player.cards] == ["2S", "4S"]  # they are still on the table


def test_new_shoe_is_not_offered_while_it_does_nothing() -> None:
    shown = seen("star-premium", phase="closed", alarms=[alarm("exit_locked")])  # 14.11: the cards are in doubt
    assert (shown.line.key, shown.line.level, shown.actions) == ("locked", "stop", [])


def test_an_exit_that_is_locked_because_no_card_is_due_has_no_picture() -> None:
    assert seen(phase="complete", locked=True, result=VERIFIED).picture == ""


def test_the_first_card_of_the_next_coup_is_an_extra_card() -> None:
    laid = [*cards("6S 2H TS 4H"), {"slot": "player_1", "card": "9C", "notes": ["surplus", "exposed"]}]
    shown = seen(phase="complete", cards=laid, surplus=1, result=VERIFIED)
    assert [one.card for one in shown.extra] == ["9C"]
    assert [one.card for one in shown.player.cards] == ["6S", "TS"]


def test_a_clause_is_shown_once() -> None:
    alarms = [alarm("a", say="Do this (rule 10.6)."), alarm("b", say="Do that.")]
    assert {one.name: one.clause for one in seen(phase="bets", alarms=alarms).alarms} == {"a": "", "b": "10.6"}


def test_a_table_that_nobody_knows_has_a_page_without_buttons() -> None:
    shown = dealer.view(SiteState("s"), "nobody", AT)
    assert (shown.line.key, shown.actions, shown.link.broker) == ("closed", [], False)


def test_the_state_for_the_assistant() -> None:
    book = rulebooks.load("crown-baccarat")
    hand = {"table": "t", "time": TIME, "shoe": 3, "coup": 17, "phase": "complete", "surplus": 1, "result": VERIFIED}
    laid = [*cards("6S 2H TS 4H"), {"slot": "player_1", "card": "9C", "notes": ["surplus"]}]  # Player 6, Banker 6
    message = msgspec.convert(hand | {"cards": laid}, HandMessage)
    site = SiteState("s")
    put(
        site,
        "t/alarms",
        {"table": "t", "time": TIME, "alarms": [alarm("player_overdraw"), alarm("bad_order", coup=16)]},
    )
    state = hand_state(book, None, message, site.tables["t"].alarms)
    assert (state.coup, state.cards, state.surplus, state.banker_draws) == ("3/17", 4, 1, False)
    assert state.reported == {"player_overdraw"}
    assert not state.dealt_face_up
    assert state.first_coup_complete


@pytest.mark.parametrize(
    ("dealt", "draws"),
    [  # Crown 8.1 to 8.3, where the Player stands: the Banker draws on 0 to 5, and not after a natural
        ("6S 2H TS 3H", True),
        ("6S 2H TS 4H", False),
        ("9S 2H TS 3H", False),
        ("6S 2H TS", None),
    ],
)
def test_whether_the_banker_must_draw_is_not_asked(dealt: str, draws: bool | None) -> None:
    hand = {"table": "t", "time": TIME, "shoe": 3, "coup": 1, "phase": "dealing", "cards": cards(dealt)}
    state = hand_state(rulebooks.load("crown-baccarat"), None, msgspec.convert(hand, HandMessage), None)
    assert (state.banker_draws, state.first_coup_complete) == (draws, False)


def test_the_first_coup_is_complete_with_its_result() -> None:
    hand = {"table": "t", "time": TIME, "shoe": 3, "coup": 1, "phase": "complete"}
    assert hand_state(
        rulebooks.load("crown-baccarat"), None, msgspec.convert(hand, HandMessage), None
    ).first_coup_complete


def test_the_assistant_of_a_page_asks_and_answers() -> None:
    site = site_with("crown-baccarat", phase="dealing", due="banker_2", cards=cards("2S 3S 4S"))
    roles = {"crown-baccarat": "dealer"}
    assert dealer_assistant.answer(site, "t", "player_overdraw", "", roles).ask == "banker_draws"
    found = dealer_assistant.answer(site, "t", "player_overdraw", '{"banker_draws": true}', roles)
    assert (found.code, found.clause) == ("BANKER_THIRD", "10.6.1(a)")


@pytest.mark.parametrize(
    ("table", "case", "facts", "roles", "say"),
    [
        ("nobody", "bad_order", "", {"crown-baccarat": "dealer"}, "No gateway serves nobody"),
        ("t", "bad_order", "", {"star-rapid": "dealer"}, "You have no role in Crown"),
        ("t", "nonsense", "", {"crown-baccarat": "dealer"}, "unknown case 'nonsense'"),
        ("t", "bad_order", "[1]", {"crown-baccarat": "dealer"}, "These facts cannot be read"),
        ("t", "bad_order", "{" * 2000, {"crown-baccarat": "dealer"}, "These facts cannot be read"),
        ("t", "bad_order", '{"moon": true}', {"crown-baccarat": "dealer"}, "unknown fact 'moon'"),
    ],
)
def test_a_page_learns_why_the_assistant_has_no_answer(
    table: str, case: str, facts: str, roles: dict[str, str], say: str
) -> None:
    with pytest.raises(NoAnswerError, match=say):
        dealer_assistant.answer(site_with("crown-baccarat", phase="bets"), table, case, facts, roles)
