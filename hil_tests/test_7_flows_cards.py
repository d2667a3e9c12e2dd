"""Flows from alarm to final state about cards and shoes: unread, too many, foreign, forgotten, moved to a new shoe."""

from typing import Any

import pytest
from sabot_protocol.cards import DECK
from sabot_sim.scenarios.example_coups import FIVE, FOUR, PLAYER
from support.flow_steps import EVERY, MISDEAL, PEOPLE, Expected, People, assert_settled, books, plays_on, supervised
from support.flow_table import DEALER, FlowTable
from support.play_table import CROWN, NZ, PREMIUM, RAPID, STAR

# A card that was not read: P-46


@books(RAPID)
def test_a_card_is_keyed_in_by_dealer_and_supervisor(table: FlowTable) -> None:
    table.begin()
    table.deal("9S 2H KD")
    table.script.mishap("blank", "5C")
    table.play()
    assert table.raised() == ["reject", "misread_card", "fault_card"]
    key: dict[str, Any] = {"verb": "key-card", "clause": "11.8.12", "card": "5C", "flags": {}}
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
    assert_settled(table, {"keyed_card": {"key_card": ("gaming_supervisor", "11.8.12")}})


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


@EVERY
@pytest.mark.parametrize("mishap", ["short_pull", "pushed_back"])
def test_a_card_that_went_back_into_the_shoe_is_not_keyed_in(table: FlowTable, mishap: str) -> None:
    """Also not with a fault cleared, an authorisation given or the key turned; its alarms end with it."""
    table.begin()
    table.deal("9S 2H KD")
    table.script.mishap(mishap, "5C")
    table.play()
    assert table.raised() == ["reject", "fault_card"]
    supervisor = PEOPLE[table.book].supervisor
    table.ask(supervisor, "authorise", "11.8.12" if table.book == RAPID else "", times=1)
    key: dict[str, Any] = {"verb": "key-card", "card": "5C", "flags": {}, "asks": DEALER}
    refused = table.ask(supervisor, **key)
    assert (refused.ok, "no card is out that left the shoe" in refused.say) == (False, True)
    supervised(table, "clear-fault", fault="card")
    assert table.active() == []
    assert not table.ask(supervisor, **key).ok
    table.script.turn_key()
    table.play()
    assert not table.ask(supervisor, **key).ok
    table.script.turn_key()
    table.deal("5C")
    table.confirm()
    assert table.coups() == [(1, "verified", "player")]
    assert not [card for card in table.messages("cards") if "keyed" in card.get("notes", [])]
    assert_settled(table)


@EVERY
@pytest.mark.parametrize("mishap", ["half_drawn", "double"])
def test_a_card_half_drawn_or_one_of_two_that_is_out_voids_the_coup(table: FlowTable, mishap: str) -> None:
    """It cannot be keyed in, with the key turned or an authorisation given either; the alarm says what to do."""
    table.begin()
    table.deal("9S 2H KD")
    table.script.mishap(mishap, "5C")
    table.play()
    alarm = next(one for one in table.messages("alarm") if (one["name"], one["state"]) == ("reject", "raised"))
    assert alarm["shoe_says"].startswith(mishap.replace("_", " "))
    assert "keyed in" in alarm["say"]
    assert "void" in alarm["say"]
    supervisor = MISDEAL[table.book].supervisor
    table.ask(supervisor, "authorise", "11.8.12" if table.book == RAPID else "", times=1)
    table.script.turn_key()
    table.play()
    refused = table.ask(supervisor, "key-card", card="5C", flags={}, asks=DEALER)
    assert (refused.ok, "void the coup" in refused.say) == (False, True)
    table.script.turn_key()
    table.play()
    clause = {STAR: "12.1.2", PREMIUM: "14.1.2", NZ: "12.6", CROWN: "10.11", RAPID: "11.8.1.3"}[table.book]
    reply = table.ask(supervisor, "void", clause, reason="misdeal", then="go_on", asks=DEALER)
    assert reply.ok, reply.say
    assert table.coups() == [(1, "void", None)]
    plays_on(table, 2)
    for kind, steps in table.open().items():
        for step in steps:
            assert table.ask(supervisor, "step", incident=kind, step=step, note="as the book has it").ok
    if table.active():
        assert table.ask(supervisor, "ack-alarm").ok
    assert (table.active(), table.open()) == ([], {})


# Coups without wagers: P-37, P-44

KINDS = {STAR: "no_bet", PREMIUM: "no_bet", NZ: "void_hand", CROWN: "dummy", RAPID: "dummy"}
UNWAGERED_AFTER_ERROR: dict[str, Expected] = {  # P-44; in 000 and 001 the rule works by itself
    NZ: {"unwagered": {"announce": ("", "12.1-12.3, 15.11")}},
    CROWN: {"unwagered": {"announce": ("", "10.4-10.6")}},
    RAPID: {"unwagered": {"authorise": ("gaming_supervisor", "11.8.13")}},
}
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
    assert_settled(table, UNWAGERED_AFTER_ERROR.get(table.book))


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
    if table.book == STAR:  # P-76: surveillance is notified before
        notified_first = supervised(table, "record", clause, act="deal_unwagered", done=["notify_surveillance"])
        assert notified_first.say.endswith("Nothing is left to do.")
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
    notified: Expected = {"no_bet": {"notify_surveillance": ("gaming_supervisor", "7.4")}}
    assert_settled(table, notified if table.book == STAR else {})


@books(STAR)
def test_surveillance_that_was_not_notified_before_a_no_bet_coup_is_an_open_step_until_it_is(table: FlowTable) -> None:
    table.begin()
    supervised(table, "no-bet", "7.4")
    table.deal(PLAYER)
    table.confirm()
    assert table.open() == {"no_bet": ["notify_surveillance"]}
    supervised(table, "step", "7.4", incident="no_bet", step="notify_surveillance", note="by telephone")
    ((step,),) = [one["steps"] for one in table.incidents()]
    assert (step["late"], step["note"]) == (True, "by telephone")
    assert_settled(table, {"no_bet": {"notify_surveillance": ("gaming_supervisor", "7.4")}})


# A foreign card: P-42, P-75


@books(STAR, PREMIUM, RAPID)
def test_a_foreign_card_voids_the_coup_and_the_decks_are_checked(table: FlowTable) -> None:
    clause = {STAR: "12.11", PREMIUM: "14.11", RAPID: "11.8.10"}[table.book]
    table.begin()
    table.deal("9S 2H")
    table.script.foreign("KD", 2)
    table.play()
    assert table.raised() == ["reject", "missing_or_foreign_card", "fault_card", "exit_locked", "coup_void"]
    assert table.coups() == [(1, "void", None)]
    opens_no_shoe(table)
    assert table.messages("coup")[0]["clause"] == clause
    notify = ["notify_surveillance", "notify_inspector"] if table.book != RAPID else []  # 004 has no such duty
    assert table.open() == {"foreign_card": ["check_cards", *notify]}
    assert check_cards(table, clause) == ({"foreign_card": notify} if notify else {})
    for step in notify:
        supervised(table, "step", clause, incident="foreign_card", step=step)
    checked = ("", clause) if table.book == STAR else ("gaming_supervisor", clause)
    table.new_shoe()
    assert (table.messages("shoe")[-1]["state"], table.locked()) == ("open", False)
    steps = {"void": ("", clause), "close_shoe": ("", clause), "check_cards": checked}
    notified = ("gaming_supervisor", f"{clause}.4")
    plays_on(table, 1)
    assert_settled(table, {"foreign_card": steps | dict.fromkeys(notify, notified)})


def opens_no_shoe(table: FlowTable) -> None:
    """Neither the shoe nor a person opens the next one, with the key turned and after a power cut too."""
    table.script.turn_key()
    table.press("new_shoe")
    table.script.turn_key()
    table.act("power", state="off")
    table.act("power", state="on")
    table.press("new_shoe")
    for verb in ("open-shoe", "unlock"):
        assert not table.ask(PEOPLE[table.book].supervisor, verb).ok
    assert table.messages("shoe")[-1]["state"] == "closed"
    assert "exit_locked" in table.active()


@books(STAR, PREMIUM)
def test_a_void_shoe_is_locked_until_the_cards_are_shuffled_again(table: FlowTable) -> None:
    clause, people = {STAR: ("4.13", PEOPLE[STAR]), PREMIUM: ("4.12", None)}[table.book]
    table.begin()
    table.deal(FOUR)
    table.confirm()
    people = people or People("gaming_manager", "assistant_gaming_manager")
    assert not table.locked()
    table.ask(people.supervisor, "record", clause, act="void_shoe")
    assert table.locked()
    assert table.ask(people.supervisor, "close-shoe").ok
    opens_no_shoe(table)
    assert table.ask(people.supervisor, "record", "4.1.3", act="order_shuffle").ok
    table.new_shoe()
    plays_on(table, 1)
    assert table.ask(people.supervisor, "step", clause, incident="shoe_void", step="notify_inspector").ok
    assert (table.active(), table.open()) == ([], {})


def check_cards(table: FlowTable, clause: str) -> dict[str, list[str]]:
    """Check the decks and return what is open then: at one table by a whole deck check, else a person has done it."""
    supervised(table, "deck-check", clause, on=1, decks=table.decks if table.book == STAR else 1)
    table.deal(" ".join(DECK * table.decks) if table.book == STAR else "9S 2H")
    table.act("gateway", state="kill")
    table.act("gateway", state="start")
    supervised(table, "deck-check", clause, on=0)
    if table.book != STAR:
        assert "check_cards" in table.open()["foreign_card"]
        assert table.raised()[-1] == "decks_differ"
        supervised(table, "step", clause, incident="foreign_card", step="check_cards", note="counted by hand")
    return table.open()


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


# New shoe while a fault stands: P-39


@EVERY
def test_the_button_new_shoe_ends_no_coup_that_nobody_has_voided(table: FlowTable) -> None:
    table.begin()
    table.deal("9S 2H")
    table.script.mishap("blank", "5C")
    table.play()
    shoe = table.status()["shoe"]
    table.new_shoe()
    assert table.coups() == [(1, "disputed", None)]
    assert table.ask(PEOPLE[table.book].supervisor, "ack-alarm").ok
    clause = {STAR: "12.13", PREMIUM: "14.13", RAPID: "11.8.11", NZ: "12.6", CROWN: "10.11"}[table.book]
    step = {} if table.book in (NZ, CROWN) else {"discrepancy": ["decide"]}  # P-43: no rule, so no incident
    assert (table.active(), table.open()) == (["discrepancy"], step)
    supervised(table, "decide", clause, coup=f"{shoe}/1", verdict="void")
    assert table.coups() == [(1, "disputed", None), (1, "void", None)]
    assert (table.active(), table.open()) == ([], {})
    plays_on(table, 1)


# The wrong shoe of two, a shoe that dies: P-47, P-48


@books(RAPID)
def test_a_card_from_the_wrong_shoe_of_two_voids_the_coup(table: FlowTable) -> None:
    table.begin()
    table.deal("9S 2H KD")
    supervised(table, "irregularity", "11.8.2", MISDEAL[RAPID], case="wrong_shoe", facts={})
    assert table.coups() == [(1, "void", None)]
    assert table.messages("coup")[0]["clause"] == "11.8.2"
    plays_on(table, 2)
    assert_settled(table, {"wrong_shoe": {"void": ("assistant_gaming_manager", "11.8.2")}})


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
    assert_settled(table, {"moved_cards": {"move_cards": ("", "11.8.15, 11.8.16")}})


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
    assert (table.messages("shoe")[-1]["state"], table.open()) == ("closed", {"reshuffle": ["reshuffle"]})
    table.new_shoe()
    assert_settled(table, {"reshuffle": {"reshuffle": ("", clause)}})
