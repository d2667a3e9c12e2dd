"""The buttons of the pit console: for each alarm, step and table the commands that settle it, with clause and role."""

from typing import Any

import msgspec
import pytest
from sabot_floor.web.views import pit_moves
from sabot_floor.web.views.pit_moves import Place
from sabot_gateway.operator.verbs import VERBS
from sabot_gateway.verify.alarms.catalogue import ALARMS
from sabot_protocol import incidents, rulebooks
from sabot_protocol.incidents import Opener
from sabot_protocol.table_states import HandCard, HandMessage, HandResult, HistoryMessage
from sabot_protocol.topics import AlarmMessage, IncidentMessage, StatusMessage

STAR, CROWN, RAPID = "star-baccarat", "crown-baccarat", "star-rapid"
TIME = "2026-05-01T10:03:00.000Z"
COMMON: dict[str, Any] = {
    "unit": "u1",
    "event_no": 5,
    "table": "bac-01",
    "shoe": 3,
    "coup": 17,
    "time": TIME,
    "rulebook": "",
}


def alarm(name: str, **fields: Any) -> AlarmMessage:
    given = {"name": name, "say": "", "clause": "", "shoe_says": "", "cards_say": "", "alarm": "u1-5"}
    return AlarmMessage(**{**COMMON, "id": "u1-5", "severity": "critical", "state": "raised", **given, **fields})


def incident(book: str, kind: str, opener: Opener, **fields: Any) -> IncidentMessage:
    facts = fields.pop("facts", {})
    steps = incidents.steps(book, kind, opener, facts, TIME)
    given = {"incident": "i-1", "kind": kind, "state": "open", "say": "", "clause": "", "opened": TIME}
    return IncidentMessage(**{**COMMON, "id": "i-1", **given, "facts": facts, "steps": steps, **fields})


def hand(phase: Any, **fields: Any) -> HandMessage:
    return HandMessage(table="bac-01", time=TIME, shoe=3, coup=17, phase=phase, **fields)


def done(moves: list[pit_moves.Move]) -> list[str]:
    return [move.do for move in moves]


DISPUTED = hand(
    "complete",
    cards=[HandCard(slot="player_1", card="8H")],
    result=HandResult(id="u1-9", status="disputed", winner="player", player_points=8, banker_points=6),
)


def test_a_discrepancy_is_decided_under_its_clause_or_acknowledged() -> None:
    moves = pit_moves.of_alarm(Place(STAR, DISPUTED), alarm("discrepancy"))
    assert done(moves) == ["decide_confirmed", "decide_winner", "decide_void", "acknowledge"]
    decide = moves[0]
    assert (decide.verb, decide.args) == ("decide", {"coup": "3/17", "verdict": "confirmed"})
    assert (decide.clause, decide.clause_needed, decide.role) == ("12.13", True, "Casino Supervisor")
    assert (moves[1].ask, moves[2].args["verdict"]) == (("winner", "reason"), "void")
    assert moves[-1].args == {"alarm": "u1-5"}


def test_where_the_book_has_no_clause_that_of_the_alarm_is_filled_in() -> None:
    moves = pit_moves.of_alarm(Place(CROWN, DISPUTED), alarm("discrepancy", clause="10.11"))
    assert (moves[0].clause, moves[0].role) == ("10.11", "TG Higher Duties Dealer")
    assert pit_moves.of_alarm(Place(STAR, DISPUTED), alarm("discrepancy", clause="12.1"))[0].clause == "12.13"


def test_an_acknowledged_alarm_is_not_acknowledged_again() -> None:
    assert done(pit_moves.of_alarm(Place(STAR), alarm("reject"))) == ["acknowledge"]
    assert pit_moves.of_alarm(Place(STAR), alarm("reject", state="acknowledged")) == []


def test_an_exit_that_waits_for_the_check_of_the_cards_is_not_unlocked_by_hand() -> None:
    place = pit_moves.Place("star-rapid", hand("closed"))
    by_hand, for_cards = alarm("exit_locked"), alarm("exit_locked", clause="11.8.10")
    assert done(pit_moves.of_alarm(place, by_hand)) == ["unlock", "acknowledge"]
    assert done(pit_moves.of_alarm(place, for_cards)) == ["acknowledge"]


def test_a_card_that_was_not_read_is_keyed_in_by_two_people_at_rapid() -> None:
    moves = pit_moves.of_alarm(Place(RAPID), alarm("fault_card"))
    assert done(moves) == ["key_card", "clear_fault", "acknowledge"]
    assert (moves[0].clause, moves[0].second, moves[1].args) == ("11.8.12", "Casino Supervisor", {"fault": "card"})


def test_the_error_of_an_angel_eye_is_cleared_from_the_console_where_commands_are_switched_on() -> None:
    def buttons(fault: str | None, *, commands: bool = True) -> list[str]:
        status = StatusMessage(state="online", time=TIME, fault=fault, driver="angel-eye", commands=commands)
        return done(pit_moves.of_alarm(Place(STAR, status=status), alarm("shoe_error")))

    assert buttons("overdraw") == ["keep_card", "discard_card", "acknowledge"]
    assert buttons("cannot_read") == ["clear_error", "acknowledge"]
    assert buttons(None) == buttons("overdraw", commands=False) == ["acknowledge"]
    overdrawn = StatusMessage(state="online", time=TIME, fault="overdraw", driver="angel-eye", commands=True)
    moves = {move.do: move.clause_needed for move in pit_moves.of_table(Place(STAR, status=overdrawn))["shoe"]}
    assert (moves["keep_card"], moves["discard_card"]) == (False, True)
    own = StatusMessage(state="online", time=TIME, fault="card")
    assert "clear_error" not in done(pit_moves.of_table(Place(STAR, status=own))["shoe"])


def test_a_card_that_was_keyed_in_is_not_asked_for_again() -> None:
    keyed = hand("dealing", cards=[HandCard(slot="player_1", card="8H")])
    assert done(pit_moves.of_alarm(Place(CROWN, keyed), alarm("misread_card"))) == ["acknowledge"]
    waits = hand("dealing", fault="card")
    assert done(pit_moves.of_alarm(Place(CROWN, waits), alarm("misread_card"))) == ["key_card", "acknowledge"]


def test_a_card_that_did_not_leave_the_shoe_is_not_keyed_in_at_any_book() -> None:
    for book in (STAR, "star-premium", "nz-baccarat", CROWN, RAPID):
        back, stale = hand("dealing", fault="card", unread=0), hand("bets", unread=0)
        assert done(pit_moves.of_alarm(Place(book, back), alarm("fault_card"))) == ["clear_fault", "acknowledge"]
        for now in (back, stale, hand("closed", unread=0), hand("checking", unread=0), hand("burning", unread=0)):
            assert done(pit_moves.of_alarm(Place(book, now), alarm("misread_card"))) == ["acknowledge"]
            (move,) = [move for move in pit_moves.of_table(Place(book, now))["coup"] if move.do == "key_card"]
            assert move.not_now == "no_unread"
    opened = incident(RAPID, "keyed_card", Opener(alarm="misread_card"))
    moves = pit_moves.of_step(Place(RAPID, hand("dealing", fault="card", unread=0)), opened, opened.steps[0])
    assert done(moves) == ["step"]


def test_keying_a_card_in_stands_out_only_where_the_book_has_a_rule_for_it() -> None:
    waits = hand("dealing", fault="card", unread=1)
    for book, plain in ((STAR, True), (CROWN, True), ("nz-baccarat", True), (RAPID, False)):
        move = pit_moves.of_alarm(Place(book, waits), alarm("fault_card"))[0]
        assert (move.do, move.plain) == ("key_card", plain)


def test_a_dispute_is_decided_and_its_fault_not_merely_cleared() -> None:
    held = msgspec.structs.replace(DISPUTED, fault="decision")
    moves = done(pit_moves.of_alarm(Place(STAR, held), alarm("fault_decision")))
    assert moves == ["decide_confirmed", "decide_winner", "decide_void", "acknowledge"]
    assert "clear_fault" not in done(pit_moves.of_table(Place(STAR, held))["shoe"])
    missed_burn = hand("dealing", fault="decision")  # Crown 10.1.1
    assert "clear_fault" in done(pit_moves.of_table(Place(CROWN, missed_burn))["shoe"])


def test_a_coup_on_the_table_that_is_not_disputed_is_confirmed_or_void() -> None:
    verified = hand(
        "complete", result=HandResult(id="u1-9", status="verified", winner="tie", player_points=1, banker_points=1)
    )
    opened = incident(STAR, "discrepancy", Opener(alarm="scan_discrepancy"))
    moves = pit_moves.of_step(Place(STAR, verified), opened, opened.steps[0])
    assert done(moves) == ["confirm", "void", "step"]
    assert moves[1].args == {"coup": "3/17", "reason": "discrepancy"}
    assert moves[1].clause == "12.13"


def test_an_earlier_coup_is_decided_while_the_next_is_dealt() -> None:
    history = HistoryMessage(table="bac-01", time=TIME, shoe=3, state="open", undecided=[16], phase="bets", coup=17)
    opened = incident(STAR, "discrepancy", Opener(alarm="not_confirmed"), coup=16)
    moves = pit_moves.of_step(Place(STAR, hand("dealing"), history), opened, opened.steps[0])
    assert done(moves) == ["decide_confirmed", "decide_winner", "decide_void", "step"]
    assert moves[0].args["coup"] == "3/16"


def test_a_foreign_card_has_a_button_for_each_step() -> None:
    opened = incident(STAR, "foreign_card", Opener(alarm="missing_or_foreign_card"), facts={"coup_running": True})
    place = Place(STAR, hand("dealing"))
    by_step = {step.name: pit_moves.of_step(place, opened, step) for step in opened.steps}
    assert {name: done(moves) for name, moves in by_step.items()} == {
        "void": ["void", "step"],
        "close_shoe": ["close_shoe", "step"],
        "check_cards": ["deck_check", "step"],
        "notify_surveillance": ["step"],
        "notify_inspector": ["step"],
    }
    assert (by_step["void"][0].args["reason"], by_step["void"][0].clause) == ("foreign_card", "12.11")
    assert by_step["notify_inspector"][0].clause == "12.11.4"
    assert by_step["notify_inspector"][0].ask == ("note",)
    assert pit_moves.of_incident(place, opened) == []


def test_a_deck_check_that_runs_is_ended() -> None:
    for phase, do, on in (("checking", "deck_check_end", 0), ("closed", "deck_check", 1)):
        found = pit_moves.of_table(Place(STAR, hand(phase)))["shoe"]
        assert [move.args for move in found if move.verb == "deck-check"] == [{"on": on}]
        assert do in done(found)


def test_a_shoe_is_ended_and_an_outcome_invalidated_by_who_may_for_any_cause() -> None:
    crown = {move.do: move for some in pit_moves.of_table(Place("crown-baccarat")).values() for move in some}
    # P-03, P-10, P-11 and P-58 are the Higher Duties Dealer's; P-59, fraud, is the Casino Manager's: the dialog has it.
    for do in ("end_shoe", "invalidate"):
        assert (crown[do].role, crown[do].clause) == ("TG Higher Duties Dealer", "")
        assert "dealer" not in crown[do].may
    dealing = {move.do: move.not_now for move in pit_moves.of_table(Place(STAR, hand("dealing")))["shoe"]}
    assert dealing["end_shoe"] == "dealing"


@pytest.mark.parametrize(
    ("book", "code", "clause", "role"),
    [  # P-44 needs nobody; without a case in the log it is P-37
        (STAR, "RECON_WITHDRAW", "12.1.1", ""),
        ("star-premium", "CHOICE", "14.12.1", "Casino Supervisor"),
        (STAR, "", "7.4", "Casino Supervisor"),
    ],
)
def test_a_coup_loses_its_wagers_under_the_clause_of_its_case(book: str, code: str, clause: str, role: str) -> None:
    case = alarm("bad_order", shoe_says=code, clause=clause) if code else None
    found = pit_moves.of_table(Place(book, hand("dealing"), case=case))["coup"]
    assert [(move.clause, move.role) for move in found if move.verb == "this-no-bet"] == [(clause, role)]


def test_a_dispute_of_a_player_can_be_settled_or_withdrawn() -> None:
    opened = incident(STAR, "player_dispute", Opener(verb="dispute"), facts={"patron": "B. Lee"}, by="A. Smith")
    first = pit_moves.of_step(Place(STAR), opened, opened.steps[0])
    assert (done(first), first[0].ask, first[0].role) == (["step"], ("note", "settled"), "Gaming Supervisor")
    assert [(move.verb, move.ask) for move in pit_moves.of_incident(Place(STAR), opened)] == [("withdraw", ("reason",))]


def test_a_table_offers_what_its_book_has() -> None:
    rapid, nz = pit_moves.of_table(Place(RAPID)), pit_moves.of_table(Place("nz-baccarat"))
    assert "burn_card" not in done(rapid["shoe"])  # never, 3.12
    assert "dispute" not in done(nz["records"])  # the text has no rule
    assert {"invalidate", "dispute", "payment", "record"} == set(done(pit_moves.of_table(Place(STAR))["records"]))


def test_every_move_is_a_verb_of_the_gateway_for_every_alarm_incident_and_book() -> None:
    for book in rulebooks.ids():
        place = Place(book, hand("dealing", fault="card"))
        moves = [move for group in pit_moves.of_table(place).values() for move in group]
        for name in ALARMS:
            moves += pit_moves.of_alarm(place, alarm(name))
        for kind in incidents.kinds(book):
            opened = incident(book, kind, Opener())
            moves += [move for step in opened.steps for move in pit_moves.of_step(place, opened, step)]
        assert {move.verb for move in moves} <= VERBS.keys()
        assert all(move.may for move in moves), [move for move in moves if not move.may]
