"""Flows from alarm to final state, in every rulebook that has them: firmware, broker, ledger, and people with roles.

Clauses and roles were read by hand from the printed rules; the table of flows is in README.md.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from sabot_protocol.commands import CommandReply
from sabot_sim.scenarios.example_coups import BANKER, FIVE, FOUR, PLAYER, SIX
from sabot_tools.stand.broker import LocalBroker
from support.flow_table import DEALER, FlowTable, name_of
from support.play_table import CROWN, NZ, PREMIUM, RAPID, STAR


class People(NamedTuple):
    """The lowest role that decides as a supervisor in a book, and the next one below it."""

    supervisor: str
    below: str


# people.md, "Who counts as whom": GS counts as CS in 000, 001 and 004; OP is CS in 002; HDD follows the dealer in 003
PEOPLE = {
    STAR: People("gaming_supervisor", DEALER),
    PREMIUM: People("gaming_supervisor", DEALER),
    NZ: People("casino_supervisor", "game_supervisor"),
    CROWN: People("higher_duties_dealer", DEALER),
    RAPID: People("gaming_supervisor", DEALER),
}
# P-39: 004 11.8.1.3 wants the Assistant Gaming Manager.
MISDEAL = {**PEOPLE, RAPID: People("assistant_gaming_manager", "casino_supervisor")}


@pytest.fixture(scope="module")
def table(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, server: LocalBroker
) -> Iterator[FlowTable]:
    """Yield the table of a book, for all flows of this module."""
    made = FlowTable(tmp_path_factory.mktemp(request.param), server, request.param, dealing="face_up")
    yield made
    made.close()


def books(*names: str) -> pytest.MarkDecorator:
    """Run a flow at the tables of these books."""
    return pytest.mark.parametrize("table", names, indirect=True, ids=names)


EVERY = books(*PEOPLE)


# Steps that flows share


def supervised(
    table: FlowTable, verb: str, clause: str = "", people: People | None = None, **args: Any
) -> CommandReply:
    """The next lower role is refused and changes nothing; the lowest that may gives the command."""
    people = people or PEOPLE[table.book]
    refused = table.ask(people.below, verb, clause, **args)
    assert (refused.ok, refused.reason) == (False, "role"), refused.say
    reply = table.ask(people.supervisor, verb, clause, **args)
    assert reply.ok, reply.say
    return reply


def assert_settled(table: FlowTable, *, closed: bool = False) -> None:
    """Nothing is open on any surface, the exit is free, and the ledger names person, role, clause and time."""
    supervisor = PEOPLE[table.book].supervisor
    if table.active():
        assert table.ask(supervisor, "ack-alarm").ok
    assert table.active() == []
    status = table.status()
    assert (status["disputed"], status["fault"], status["next_step"]) == ([], None, None)
    assert table.locked() == closed
    assert_recorded(table)


def assert_recorded(table: FlowTable) -> None:
    """Each decision in the ledger has person, role, clause and time; each correction names what it corrects."""
    attempts = {attempt["id"]: attempt for attempt in table.entries("attempt")}
    outcomes = {outcome["attempt"] for outcome in table.entries("outcome")}
    assert set(attempts) == outcomes
    for attempt in attempts.values():
        assert attempt["time"]
        assert attempt["by"] == name_of(attempt["command"]["role"])
    for refused in table.entries("refused"):
        assert refused["time"]
        assert refused["name"] == name_of(refused["role"])
    coups = {coup["id"]: coup for coup in table.entries("coup")}
    for coup in coups.values():
        assert not coup["corrects"] or (coups[coup["corrects"]]["shoe"], coups[coup["corrects"]]["coup"]) == (
            coup["shoe"],
            coup["coup"],
        )
        if coup["status"] in ("confirmed", "void") and coup["by"] != "the dealer, at the shoe":
            decision = attempts[coup["attempt"]]
            assert (coup["by"], coup["clause"]) == (decision["by"], decision["clause"])
            assert coup["decided"]
    assert {coup["id"] for coup in table.messages("coup")} == set(coups)  # what is published is what is stored


def plays_on(table: FlowTable, coup_no: int) -> None:
    """The next coup is an ordinary one."""
    table.deal(BANKER)
    table.confirm()
    assert table.coups()[-1] == (coup_no, "verified", "banker")
    assert table.messages("coup")[-1]["kind"] == "live"
    assert table.coups("confirmed")[-1] == (coup_no, "confirmed", "banker")


# Discrepancy: P-43


@books(STAR, PREMIUM, RAPID)
@pytest.mark.parametrize("verdict", ["confirmed", "void"])
def test_a_discrepancy_is_confirmed_or_void(table: FlowTable, verdict: str) -> None:
    clause = {STAR: "12.13", PREMIUM: "14.13", RAPID: "11.8.11"}[table.book]
    table.begin()
    table.deal(SIX)
    table.press("tie")
    assert table.raised() == ["discrepancy", "fault_decision"]
    assert table.messages("alarm")[0]["clause"] == clause
    assert table.ask(PEOPLE[table.book].supervisor, "ack-alarm").ok
    assert (table.active(), table.locked()) == (["discrepancy", "fault_decision"], True)
    shoe = table.status()["shoe"]
    reply = supervised(table, "decide", clause, coup=f"{shoe}/1", verdict=verdict)
    assert reply.say == f"Coup {shoe}/1 is {verdict}. The shoe goes on."
    first, disputed, decided = table.messages("coup")
    assert (disputed["corrects"], decided["corrects"]) == (first["id"], disputed["id"])
    assert (decided["status"], decided["winner"]) == (verdict, "player" if verdict == "confirmed" else None)
    assert len(table.coups("confirmed")) == (verdict == "confirmed")
    plays_on(table, 2)
    assert_settled(table)


@books(NZ, CROWN)
def test_a_wrong_button_where_the_book_has_no_rule_is_ended_by_a_supervisor_and_confirm(table: FlowTable) -> None:
    table.begin()
    table.deal(SIX)
    table.press("tie")
    assert (table.active(), table.locked()) == (["discrepancy", "fault_decision"], True)
    supervised(table, "clear-fault", fault="decision")
    table.confirm()
    assert table.coups()[-1] == (1, "confirmed", "player")
    plays_on(table, 2)
    assert_settled(table)


# Misdeal: P-38, P-39, P-84

RECONSTRUCTED = {STAR: "12.1.1", PREMIUM: "14.1.1", NZ: "12.6", CROWN: "10.11"}
NOT_IN_ORDER = {STAR: "12.1.2", PREMIUM: "14.1.2", NZ: "12.6", CROWN: "10.11", RAPID: "11.8.1.3"}
TOO_LATE = {STAR: "12.1.4", PREMIUM: "14.1.4", NZ: "12.8", CROWN: "10.12", RAPID: "11.8.1.5"}


@books(*RECONSTRUCTED)
def test_a_misdeal_is_put_in_order_and_the_coup_goes_on(table: FlowTable) -> None:
    clause = RECONSTRUCTED[table.book]
    table.begin()
    table.deal("2S KH 2D")
    facts = {"reconstructible": True, "notified_before_next": True}
    reply = supervised(table, "irregularity", clause, case="bad_order", facts=facts)
    assert f"(rule {clause})" in reply.say
    assert ("let every player withdraw" in reply.say) == (
        table.book in (STAR, PREMIUM)
    )  # 002 12.6 binds; 003 10.11 is silent
    table.deal("3C 5S 4H")
    table.confirm()
    assert table.coups() == [(1, "verified", "player")]
    plays_on(table, 2)
    assert_settled(table)


@books(STAR, PREMIUM)
def test_all_players_withdraw_after_a_misdeal(table: FlowTable) -> None:
    clause = RECONSTRUCTED[table.book]
    table.begin()
    table.deal("9S 2H")
    facts = {"reconstructible": True, "notified_before_next": True}
    supervised(table, "irregularity", clause, case="bad_order", facts=facts)
    reply = table.ask(PEOPLE[table.book].supervisor, "this-no-bet", clause)
    assert "goes on without wagers" in reply.say
    table.deal("KD 5C")
    (coup,) = table.messages("coup")
    assert (coup["kind"], coup["by"], coup["clause"]) == ("no_bet", name_of("gaming_supervisor"), clause)
    table.confirm()
    plays_on(table, 2)
    assert_settled(table)


@books(NZ, RAPID)
def test_where_no_wager_may_be_withdrawn_a_coup_in_progress_keeps_them(table: FlowTable) -> None:
    table.begin()
    table.deal("9S 2H")
    refused = table.ask(PEOPLE[table.book].supervisor, "this-no-bet", {NZ: "12.6", RAPID: "11.8.1"}[table.book])
    assert "has no clause by which a coup in progress becomes one without wagers" in refused.say
    table.deal("KD 5C")
    table.confirm()
    assert_settled(table)


@EVERY
def test_a_misdeal_that_cannot_be_put_in_order_is_void(table: FlowTable) -> None:
    clause = NOT_IN_ORDER[table.book]
    table.begin()
    table.deal("2S KH 2D")
    facts = {"reconstructible": False, "notified_before_next": True}
    reply = supervised(table, "irregularity", clause, MISDEAL[table.book], case="bad_order", facts=facts)
    assert f"(rule {clause})" in reply.say
    assert table.raised() == ["bad_order", "coup_void"]
    assert table.coups() == [(1, "void", None)]
    (void,) = table.messages("coup")
    assert (void["by"], void["clause"]) == (name_of(MISDEAL[table.book].supervisor), clause)
    assert table.coups("confirmed") == []
    plays_on(table, 2)
    assert_settled(table)


@EVERY
def test_a_misdeal_notified_before_the_next_card_voids_the_confirmed_coup(table: FlowTable) -> None:
    clause = NOT_IN_ORDER[table.book]
    table.begin()
    table.deal(FOUR)
    table.confirm()
    facts = {"reconstructible": False, "notified_before_next": True}
    supervised(table, "irregularity", clause, MISDEAL[table.book], case="bad_order", facts=facts)
    first, void = table.messages("coup")
    assert (void["corrects"], void["kind"], void["coup"]) == (first["id"], "void", 1)
    settled, taken_back = table.messages("confirmed")
    assert (taken_back["corrects"], taken_back["status"]) == (settled["id"], "void")
    plays_on(table, 2)
    assert_settled(table)


@EVERY
def test_a_misdeal_notified_too_late_changes_no_result(table: FlowTable) -> None:
    clause = TOO_LATE[table.book]
    table.begin()
    table.deal(FOUR)
    table.confirm()
    table.deal("3H")
    facts = {"reconstructible": False, "notified_before_next": False}
    reply = supervised(table, "irregularity", clause, case="bad_order", facts=facts)
    assert f"(rule {clause})" in reply.say
    table.deal("9C 4D KS")
    table.confirm()
    assert table.coups() == [(1, "verified", "player"), (2, "verified", "banker")]
    assert_settled(table)


# A card that was not read: P-46


@books(RAPID)
def test_a_card_is_keyed_in_by_dealer_and_supervisor(table: FlowTable) -> None:
    table.begin()
    table.deal("9S 2H KD")
    table.script.mishap("blank", "5C")
    table.play()
    assert table.raised() == ["reject", "misread_card", "fault_card"]
    key = {"verb": "key-card", "clause": "11.8.12", "card": "5C", "flags": {}}
    for role, asks in (("gaming_supervisor", ""), (DEALER, DEALER), (DEALER, "")):
        refused = table.ask(role, asks=asks, **key)
        assert (refused.ok, refused.reason) == (False, "role"), (role, asks)
    supervised(table, "authorise", "11.8.12", times=1)
    reply = table.ask("gaming_supervisor", asks=DEALER, **key)
    assert reply.say == "Done. 5C counts as the card that was not read. The shoe goes on."
    (card,) = [card for card in table.messages("cards") if "keyed" in card["notes"]]
    assert (card["card"], card["slot"]) == ("5C", "banker_2")
    table.confirm()
    assert table.coups() == [(1, "verified", "player")]
    plays_on(table, 2)
    assert_settled(table)


@books(STAR, PREMIUM, NZ, CROWN)
def test_a_card_is_keyed_in_by_a_supervisor_where_the_book_is_silent(table: FlowTable) -> None:
    table.begin()
    table.deal("9S 2H KD")
    table.script.mishap("blank", "5C")
    table.play()
    supervised(table, "key-card", card="5C", flags={})
    table.confirm()
    assert table.coups() == [(1, "verified", "player")]
    assert_settled(table)


# Coups without wagers: P-37, P-44

KINDS = {STAR: "no_bet", PREMIUM: "no_bet", NZ: "void_hand", CROWN: "dummy", RAPID: "dummy"}
BANKER_OVERDRAW = {STAR: "12.3", PREMIUM: "14.3", NZ: "12.2", CROWN: "10.6.2", RAPID: "11.8.4"}


@EVERY
def test_a_card_too_many_begins_a_coup_without_wagers(table: FlowTable) -> None:
    """A sixth card though the Banker stands; cards are dealt face up, so it is disclosed."""
    table.begin()
    table.deal(f"{FIVE} 8D")
    assert table.raised() == ["banker_overdraw"]
    assert table.messages("alarm")[0]["clause"].startswith(BANKER_OVERDRAW[table.book])
    table.confirm()
    if table.book == RAPID:  # 11.8.13
        assert table.ask("gaming_supervisor", "ack-alarm").ok
        assert (table.active(), table.locked()) == (["awaiting_authorisation"], True)
        supervised(table, "authorise", "11.8.13", times=1)
    assert not table.locked()
    table.deal("KH KC 9H")
    assert table.messages("coup")[-1]["kind"] == KINDS[table.book]
    table.confirm()
    plays_on(table, 3)
    assert_settled(table)


# P-37: 7.4, 7.4, 8.3, 7.4; 004 has no rule but the dummy hand of 11.8.14.
UNWAGERED = {
    STAR: ("7.4", PEOPLE[STAR]),
    PREMIUM: ("7.4", People("assistant_gaming_manager", "casino_supervisor")),
    NZ: ("8.3", PEOPLE[NZ]),
    CROWN: ("7.4", PEOPLE[CROWN]),
    RAPID: ("11.8.14", PEOPLE[RAPID]),
}


@EVERY
def test_a_coup_without_wagers_is_ordered(table: FlowTable) -> None:
    clause, people = UNWAGERED[table.book]
    table.begin()
    if table.book in (CROWN, RAPID):  # 10.8.2: only if expressly authorised; 11.8.14
        refused = table.ask(people.supervisor, "no-bet", clause)
        assert refused.say.startswith("No bet refused: it needs a supervisor.")
        assert table.ask(people.supervisor, "authorise", clause, times=1).ok
    reply = supervised(table, "no-bet", clause, people)
    assert (
        reply.say
        == f"Done. The next coup is a {KINDS[table.book].replace('_', ' ')}. Announce it: no wagers are taken."
    )
    table.deal(PLAYER)
    assert table.messages("coup")[0]["kind"] == KINDS[table.book]
    table.confirm()
    plays_on(table, 2)
    assert_settled(table)


# A foreign card: P-42, P-75


@books(STAR, PREMIUM, RAPID)
def test_a_foreign_card_voids_the_coup_and_the_decks_are_checked(table: FlowTable) -> None:
    clause = {STAR: "12.11", PREMIUM: "14.11", RAPID: "11.8.10"}[table.book]
    table.begin()
    table.deal("9S 2H")
    table.script.foreign("KD", 2)
    table.play()
    assert table.raised() == ["reject", "missing_or_foreign_card", "fault_card", "coup_void"]
    assert table.coups() == [(1, "void", None)]
    assert table.messages("coup")[0]["clause"] == clause
    supervised(table, "deck-check", clause, on=1, decks=1)
    table.deal("9S 2H")
    supervised(table, "deck-check", clause, on=0, decks=1)
    assert table.raised()[-1] == "decks_differ"
    assert_settled(table, closed=True)


@books(NZ, CROWN)
def test_a_foreign_card_where_the_book_has_no_rule_is_put_aside_by_a_supervisor(table: FlowTable) -> None:
    table.begin()
    table.deal("9S 2H")
    table.script.foreign("KD", 2)
    table.play()
    assert (table.active()[-1], table.locked()) == ("fault_composition", True)
    supervised(table, "clear-fault", fault="composition")
    table.deal("KD 5C")
    table.confirm()
    assert table.coups() == [(1, "verified", "player")]
    assert_settled(table)


# The wrong shoe of two, a shoe that dies: P-47, P-48


@books(RAPID)
def test_a_card_from_the_wrong_shoe_of_two_voids_the_coup(table: FlowTable) -> None:
    table.begin()
    table.deal("9S 2H KD")
    supervised(table, "irregularity", "11.8.2", MISDEAL[RAPID], case="wrong_shoe", facts={})
    assert table.coups() == [(1, "void", None)]
    assert table.messages("coup")[0]["clause"] == "11.8.2"
    plays_on(table, 2)
    assert_settled(table)


@books(RAPID)
def test_a_coup_is_exported_and_goes_on_in_a_new_shoe(table: FlowTable) -> None:
    """Two units and two tables: test_7_hand_over.py, and the recording `shoe-dies`."""
    table.begin()
    table.deal("9S 2H KD")
    supervised(table, "irregularity", "11.8.15", case="shoe_not_reading", facts={"disadvantage": False})
    reply = supervised(table, "export-coup", "11.8.15")
    assert "Coup 1 is not void, and its wagers stand." in reply.say
    assert table.active()[-1] == "handed_over"
    table.press("new_shoe")
    cards = {"player_1": "9S", "banker_1": "2H", "player_2": "KD"}
    supervised(table, "import-coup", "11.8.15", coup_no=1, cards=cards)
    assert "handed_over" not in table.active()
    table.deal("5C")
    table.confirm()
    (coup,) = table.messages("coup")
    assert (coup["coup"], coup["kind"], coup["winner"]) == (1, "live", "player")
    plays_on(table, 2)
    assert_settled(table)


# What was forgotten


@EVERY
def test_a_missed_burn(table: FlowTable) -> None:
    clause = {STAR: "12.8", PREMIUM: "14.8", NZ: "12.7", CROWN: "10.1.1", RAPID: "11.8.8"}[table.book]
    table.begin(burn=False)
    reply = supervised(table, "irregularity", clause, case="burn_missed", facts={})
    assert f"(rule {clause})" in reply.say
    if table.book == CROWN:  # 10.1.1: nothing is dealt, so the shoe begins again with the burn
        table.deal("KS")
    table.deal(FOUR)
    table.confirm()
    assert table.coups() == [(1, "verified", "player")]
    assert_settled(table)


@books(CROWN)
@pytest.mark.parametrize("again", [True, False])
def test_a_burn_missed_in_the_first_coup_is_a_supervisors_choice(table: FlowTable, again: bool) -> None:
    table.begin(burn=False)
    for verb, args in (("close-shoe", {}), ("open-shoe", {"burn": "none"})):
        assert table.ask("higher_duties_dealer", verb, **args).ok
    table.deal("9S 2H")
    supervised(table, "irregularity", "10.1.1", case="burn_missed", facts={})
    assert (table.active()[-1], table.locked()) == ("fault_decision", True)
    assert "burn-card" in table.status()["next_step"]
    if again:
        supervised(table, "burn-card", "10.1.1")
        table.deal("9S 2H KD 7C 5S")  # the first of them is burnt
    else:
        supervised(table, "clear-fault", "10.1", fault="decision")
        table.deal("KD 5C")
    table.confirm()
    assert [coup for coup, *_ in table.coups()] == [1]
    assert_settled(table)


FORGOTTEN = {
    "cut_missed": {STAR: "12.7", PREMIUM: "14.7", RAPID: "11.8.7"},
    "not_shuffled_after_cutting_card": {STAR: "12.9", PREMIUM: "14.9", RAPID: "11.8.9"},
}


@books(STAR, PREMIUM, RAPID)
@pytest.mark.parametrize("case", FORGOTTEN)
def test_cards_not_cut_or_not_shuffled_end_with_the_coup(table: FlowTable, case: str) -> None:
    clause = FORGOTTEN[case][table.book]
    table.begin()
    table.deal("9S 2H")
    reply = supervised(table, "irregularity", clause, case=case, facts={})
    assert f"(rule {clause})" in reply.say
    table.deal("KD 5C")
    table.confirm()
    assert table.coups() == [(1, "verified", "player")]
    assert table.messages("shoe")[-1]["state"] == "closed"
    assert_settled(table, closed=True)
