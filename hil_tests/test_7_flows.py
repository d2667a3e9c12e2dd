"""Flows from alarm to final state about a result: discrepancy and misdeal, in every rulebook that has them.

Firmware, broker and ledger are real, and commands are signed. Clauses and roles were read by hand from the printed
rules; the table of all flows is in README.md.
"""

import pytest
from sabot_sim.scenarios.example_coups import FOUR, SIX
from support.flow_steps import EVERY, MISDEAL, PEOPLE, Expected, People, assert_settled, books, plays_on, supervised
from support.flow_table import FlowTable, name_of
from support.play_table import CROWN, NZ, PREMIUM, RAPID, STAR

# Discrepancy: P-43


@books(STAR, PREMIUM, RAPID)
@pytest.mark.parametrize("verdict", ["confirmed", "void"])
def test_a_discrepancy_is_confirmed_or_void(table: FlowTable, verdict: str) -> None:
    clause = {STAR: "12.13", PREMIUM: "14.13", RAPID: "11.8.11"}[table.book]
    table.begin()
    table.deal(SIX)
    table.press("tie", *(["confirm"] if table.book == RAPID else []))  # 7.7.4.10: it counts with Confirm
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
    assert_settled(table, {"discrepancy": {"decide": ("gaming_supervisor", clause)}})


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
INCREMENTS = {NZ: ("perfect-pair", 50), CROWN: ("lucky-tie", 25)}  # by the parameters of the tables' jackpots
NOTICE = {STAR: "12.1(b), 12.1.4", PREMIUM: "14.1", CROWN: "10.12", RAPID: "11.8.1"}
TOO_LATE = {STAR: "12.1.4", PREMIUM: "14.1.4", NZ: "12.8", CROWN: "10.12", RAPID: "11.8.1.5"}


def misdealt(table: FlowTable, people: People, **steps: tuple[str, str]) -> Expected:
    """The incident of a misdeal: notified by the person who reported it, where the book has a time for that."""
    notice = {"notice": (people.supervisor, NOTICE[table.book])} if table.book in NOTICE else {}
    return {"misdeal": notice | steps}


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
    assert_settled(table, misdealt(table, PEOPLE[table.book], reconstruct=("", clause)))


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
    assert_settled(table, misdealt(table, PEOPLE[table.book], reconstruct=("", clause)))


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
    people = MISDEAL[table.book]
    assert_settled(table, misdealt(table, people, void=(people.supervisor, clause)))


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
    if table.book in INCREMENTS:  # a void coup contributes nothing: 002 18.10, 003 13.4.2 with A-42
        jackpot, amount = INCREMENTS[table.book]
        added, back = table.messages(f"jackpot/{jackpot}")
        assert (added["amount"], back["amount"], back["reverses"]) == (amount, -amount, added["id"])
    plays_on(table, 2)
    people = MISDEAL[table.book]
    assert_settled(table, misdealt(table, people, void=(people.supervisor, clause)))


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
    assert [step["late"] for one in table.incidents() for step in one["steps"]] == [True] * (table.book in NOTICE)
    assert_settled(table, misdealt(table, PEOPLE[table.book]) if table.book in NOTICE else {})


# Disputes of players: P-62, P-89


@books(STAR, PREMIUM, RAPID)
def test_a_players_dispute_goes_through_all_instances(table: FlowTable) -> None:
    first, final = {STAR: ("14.14", "14.15"), PREMIUM: ("15.13", "15.14"), RAPID: ("12.11", "12.12")}[table.book]
    table.begin()
    table.deal(FOUR)
    table.confirm()
    shoe = table.status()["shoe"]
    supervised(table, "dispute", first, patron="B. Lee", coup=f"{shoe}/1", note="saw a nine")
    assert table.open() == {"player_dispute": ["first", "review", "final", "advise_inspector"]}
    people = {
        "first": People("gaming_supervisor", "dealer"),
        "review": People("casino_supervisor", "dealer"),
        "final": People("operator", "gaming_manager"),
        "advise_inspector": People("gaming_supervisor", "dealer"),
    }
    early = table.ask("operator", "step", first, incident="player_dispute", step="final")
    assert "comes after step first, which is open" in early.say
    for step, who in people.items():
        if step == "review":
            again = table.ask("gaming_supervisor", "step", first, incident="player_dispute", step="review")
            assert "decided first and cannot review that decision" in again.say
        supervised(table, "step", first, who, incident="player_dispute", step=step)
    plays_on(table, 2)
    clauses = {"first": first, "review": first, "final": final, "advise_inspector": final}
    assert_settled(table, {"player_dispute": {step: (people[step].supervisor, clauses[step]) for step in people}})


@books(CROWN)
def test_a_dispute_at_crown_is_decided_by_the_area_manager(table: FlowTable) -> None:
    table.begin()
    supervised(table, "dispute", "15.10", patron="B. Lee")
    supervised(
        table, "step", "15.10", People("area_manager", "higher_duties_dealer"), incident="player_dispute", step="final"
    )
    assert table.open() == {"player_dispute": ["advise_inspector", "advise_vgccc"]}
    for step in ("advise_inspector", "advise_vgccc"):
        supervised(table, "step", "15.11", incident="player_dispute", step=step)
    advised = ("higher_duties_dealer", "15.11, 15.12")
    final = ("area_manager", "15.10")
    assert_settled(table, {"player_dispute": {"final": final, "advise_inspector": advised, "advise_vgccc": advised}})


@books(NZ)
def test_a_dispute_where_the_book_is_silent(table: FlowTable) -> None:
    table.begin()
    refused = table.ask("casino_supervisor", "dispute", patron="B. Lee")
    assert "nz-baccarat has no rule about disputes of players" in refused.say
    assert_settled(table)


# Cards in the wrong area: P-45, P-78


@EVERY
def test_cards_in_the_wrong_area(table: FlowTable) -> None:
    clause = {STAR: "12.1", PREMIUM: "14.12", NZ: "12.6", CROWN: "10.7", RAPID: "11.8.1"}[table.book]
    step = {NZ: "reconstruct", RAPID: "void"}.get(table.book, "choose")
    people = MISDEAL[table.book]
    table.begin()
    table.deal("2S KH 2D")
    supervised(table, "irregularity", clause, people, case="wrong_area", facts={})
    if table.book != RAPID:
        table.deal("3C 5S 4H")
        table.confirm()
    if step == "choose":  # Confirm chooses nothing
        supervised(table, "step", clause, people, incident="misdelivery", step="choose")
    steps = {step: (people.supervisor if step != "reconstruct" else "", clause)}
    if table.book == PREMIUM:
        assert table.open() == {"misdelivery": ["report_inspector"]}
        supervised(table, "step", "14.12.7", incident="misdelivery", step="report_inspector")
        steps["report_inspector"] = ("gaming_supervisor", "14.12.7")
    plays_on(table, 2)
    assert_settled(table, {"misdelivery": steps})


# The sequence of a shoe was revealed: P-11, P-74


@books(STAR, PREMIUM, CROWN)
def test_a_shoe_whose_sequence_was_revealed_is_void(table: FlowTable) -> None:
    clause = {STAR: "4.13", PREMIUM: "4.12", CROWN: "4.1.1(d)"}[table.book]
    people = {PREMIUM: People("gaming_manager", "assistant_gaming_manager")}.get(table.book, PEOPLE[table.book])
    table.begin()
    supervised(table, "record", clause, people, act="void_shoe")
    supervised(table, "close-shoe", clause)
    if table.book == CROWN:
        assert table.open() == {"shoe_void": ["reshuffle"]}
        steps = {"reshuffle": ("", clause)}
    else:
        assert table.open() == {"shoe_void": ["notify_inspector"]}
        supervised(table, "step", clause, incident="shoe_void", step="notify_inspector")
        steps = {"close_shoe": ("", clause), "notify_inspector": ("gaming_supervisor", clause)}
    assert not table.ask(PEOPLE[table.book].supervisor, "open-shoe").ok
    shuffled = {STAR: "4.1.3", PREMIUM: "4.1.3", CROWN: "4.1.1(d)"}[table.book]
    supervised(table, "record", shuffled, act="order_shuffle")
    table.new_shoe()
    plays_on(table, 1)
    assert_settled(table, {"shoe_void": steps})
