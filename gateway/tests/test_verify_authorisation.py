"""Verify: coups without wagers, their authorisation, and an exposed first card, from hand-written logs."""

from typing import Any

import pytest
from shoe_events import SLOTS
from verified_log import Log

# Authorisation


def dummy_hand(log: Log, *authorisations: str) -> None:
    """A surplus card, and the dummy hand that begins with it; authorised so before its next card."""
    log.deal()
    log.result()
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True, "exposed": True})
    log.irregularity("player_overdraw", "NEXT_NO_BET", exposed=True)
    log.confirm()
    log("coup_kind", shoe_no=1, coup_no=2, kind="dummy")
    for authorisation in authorisations:
        if authorisation == "key":
            log("key", on=1)
        else:
            log.command("authorise", times=1)
    log.card("2H", "banker_1", flags={"exposed": True})


@pytest.mark.parametrize("authorisation", ["key", "authorise"])
def test_an_authorised_dummy_hand_is_no_alarm(authorisation: str) -> None:
    log = Log("star-rapid")
    dummy_hand(log, authorisation)
    log.card("KD", "player_2")
    assert log.alarms("discrepancy", "unauthorised_coup") == []


def test_a_dummy_hand_without_authorisation_is_an_alarm() -> None:
    log = Log("star-rapid")  # 11.8.13, 11.8.14
    dummy_hand(log)
    log.irregularity("unauthorised_coup", "PLAY_ON")
    log.card("KD", "player_2")
    assert log.alarms() == []
    (alarm,) = log.alarms("unauthorised_coup")
    assert alarm.clause == "11.8.13, 11.8.14, A-57"
    assert "authorisation" in alarm.say


def test_a_dummy_hand_without_authorisation_that_the_shoe_does_not_report() -> None:
    log = Log("star-rapid")
    dummy_hand(log)
    log.card("KD", "player_2")
    assert log.alarm().cards_say.startswith("unauthorised coup: 2H came")


def test_a_dummy_coup_that_the_crown_book_orders_needs_no_authorisation() -> None:
    log = Log("crown-baccarat")  # 10.6.1(b)
    dummy_hand(log)
    log.card("KD", "player_2")
    assert log.alarms() == []


# A coup in progress that continues without wagers


@pytest.mark.parametrize(("book", "kind"), [("star-baccarat", "no_bet"), ("crown-baccarat", "dummy")])
def test_a_coup_that_a_supervisor_made_one_without_wagers(book: str, kind: str) -> None:
    log = Log(book)
    log.card("9S", "player_1")
    log.command("this_no_bet")
    log("coup_kind", shoe_no=1, coup_no=1, kind=kind)
    for card, slot in zip(["2H", "TD", "3C"], SLOTS[1:], strict=False):
        log.card(card, slot)
    log.result(kind=kind)
    assert log.alarms() == []
    (coup,) = log.coup_messages()
    assert (coup.kind, coup.status, coup.by) == (kind, "verified", "unknown person, command 2")


def test_a_coup_that_stays_live_after_this_no_bet() -> None:
    log = Log()
    log.card("9S", "player_1")
    log.command("this_no_bet")
    for card, slot in zip(["2H", "TD", "3C"], SLOTS[1:], strict=False):
        log.card(card, slot)
    log.result()
    assert log.alarm().cards_say == "no_bet: a supervisor's command"


def test_a_book_without_a_clause_for_this_no_bet() -> None:
    log = Log("star-rapid")
    log.card("9S", "player_1")
    log.command("this_no_bet")
    assert log.alarm().clause == "7.3, A-60"


# An exposed first card


def test_the_shoe_must_report_an_exposed_first_card() -> None:
    log = Log()  # 12.3
    log.card("9S", "player_1", flags={"exposed": True})
    log.card("2H", "banker_1")
    assert log.alarm().cards_say == "first card exposed: 9S was exposed too early"


def test_an_exposed_first_card_that_the_shoe_reports() -> None:
    log = Log()
    log.card("9S", "player_1", flags={"exposed": True})
    log.irregularity("first_card_exposed", "THIS_NO_BET")
    log("coup_kind", shoe_no=1, coup_no=1, kind="no_bet")
    for card, slot in zip(["2H", "TD", "3C"], SLOTS[1:], strict=False):
        log.card(card, slot)
    log.result(kind="no_bet")
    assert log.alarms() == []


def test_a_table_that_deals_face_up_exposes_the_first_card() -> None:
    log = Log("star-baccarat", dealing="face_up")
    log.card("9S", "player_1", flags={"exposed": True})
    log.card("2H", "banker_1")
    assert log.alarms() == []


# What an authorisation is for


def face_up_first(log: Log) -> None:
    """A first card that lay face up: the coup is a dummy hand, which the system prompts (Rapid 11.8.14)."""
    log.card("8C", "player_1", coup_no=log.coup_no, flags={"face_up": True, "exposed": True})
    log.irregularity("first_card_face_up", "THIS_NO_BET")
    log("coup_kind", shoe_no=1, coup_no=log.coup_no, kind="dummy")


def test_an_authorisation_given_before_the_prompt_frees_nothing() -> None:
    log = Log("star-rapid")
    log.command("authorise", times=2)
    face_up_first(log)
    assert log.alarms("awaiting_authorisation")
    log.card("2H", "banker_1", flags={"exposed": True})
    log.irregularity("unauthorised_coup", "PLAY_ON")
    log.card("KD", "player_2", flags={"exposed": True})
    assert log.alarms() == []


def test_an_authorisation_given_twice_frees_one_prompt() -> None:
    log = Log("star-rapid")
    dummy_hand(log, "authorise", "authorise")
    log.card("KD", "player_2", flags={"exposed": True})
    log.card("3C", "banker_2", flags={"exposed": True})
    log.coup_no = 2
    log.result(kind="dummy", points=(8, 5))
    log.confirm()
    face_up_first(log)
    assert len(log.alarms("awaiting_authorisation")) == 2
    assert log.verifier.exit_locked(fault=False)


@pytest.mark.parametrize("authorisation", ["authorise", "key"])
def test_a_dummy_coup_that_book_and_person_order_waits_for_nobody(authorisation: str) -> None:
    log = Log("crown-baccarat")  # 10.6.1(b)
    log.deal()
    log.result()
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True, "exposed": True})
    log.irregularity("player_overdraw", "NEXT_NO_BET", exposed=True)
    if authorisation == "key":
        log("key", on=1)
    else:
        log.command("authorise", times=1)
    log.command("no_bet", kind="dummy")
    log("key", on=0)
    log.confirm()
    log("coup_kind", shoe_no=1, coup_no=2, kind="dummy")
    log.card("2H", "banker_1")
    log.card("KD", "player_2")
    assert log.alarms("discrepancy", "awaiting_authorisation", "unauthorised_coup") == []


@pytest.mark.parametrize(("left", "found"), [(2, 0), (1, 1), (3, 1)])
def test_the_shoe_must_count_authorisations_as_its_log_shows_them(left: int, found: int) -> None:
    log = Log("crown-baccarat")
    log("key", on=0)
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    log.command("authorise", times=3)
    log.command("no_bet", kind="dummy")
    fields: dict[str, Any] = {"decks": 8, "cards_out": 0, "coups_left": 0, "kind": "dummy", "locked": 0, "before": 0}
    log("checkpoint", shoe_no=2, coup_no=1, authorised=left, **fields)
    assert len(log.alarms()) == found


@pytest.mark.parametrize(("left", "found"), [(0, 0), (1, 1)])
def test_an_authorisation_after_the_last_card_is_for_the_coup_dealt_without(left: int, found: int) -> None:
    log = Log("star-rapid")  # 11.8.13: it waits until a supervisor approves, and is complete meanwhile
    face_up_first(log)
    log.card("2H", "banker_1", flags={"exposed": True})
    log.irregularity("unauthorised_coup", "PLAY_ON")
    log.card("KD", "player_2", flags={"exposed": True})
    log.card("3C", "banker_2", flags={"exposed": True})
    log.result(kind="dummy", points=(8, 5))
    log.command("authorise", times=1)
    log.confirm()
    fields: dict[str, Any] = {"decks": 8, "cards_out": 4, "coups_left": 0, "kind": "live", "locked": 0, "before": 4}
    log("checkpoint", shoe_no=1, coup_no=2, authorised=left, **fields)
    assert len(log.alarms()) == found


# A card too many where the next coup has no wagers already


@pytest.mark.parametrize("book", ["star-baccarat", "star-premium", "crown-baccarat", "nz-baccarat"])
@pytest.mark.parametrize("ordered", [False, True])
def test_a_card_too_many_of_a_coup_without_wagers_says_so(book: str, ordered: bool) -> None:
    log = Log(book)
    log.deal()
    log.result()
    if ordered:  # by a person
        log("key", on=1)
        log.command("no_bet", kind="dummy" if book == "crown-baccarat" else "no_bet")
    else:  # by the first card too many, which was seen
        log.card("8D", "player_1", coup_no=2, flags={"surplus": True, "exposed": True})
        log.irregularity("player_overdraw", "NEXT_NO_BET", exposed=True)
    slots = ("player_1",) if ordered else ("banker_1", "player_2")
    cases = ("excess_card",) if ordered else ("banker_overdraw", "excess_card")
    for case, slot in zip(cases, slots, strict=True):
        log.card("4D", slot, coup_no=2, flags={"surplus": True})
        code = "NEXT_NO_BET" if (book, case) == ("crown-baccarat", "banker_overdraw") else "NEXT_LIVE"
        log.irregularity(case, code)
    say = log.alarm("excess_card").say
    assert ("without wagers" in say, "wagers are taken" in say) == (True, False)


# Cards in excess that run past the next coup


def test_a_disclosed_card_of_the_coup_after_the_next_says_nothing_of_the_next() -> None:
    """Four unseen cards are coup 2; a disclosed one begins coup 3, which is a Dummy Coup (Crown 10.8.1, 10.6)."""
    log = Log("crown-baccarat")
    log.deal("TS KH JD QC 3C 4D")
    log.result("banker", (3, 4), natural=False)
    for card, slot in zip(["9S", "2H", "TD", "2D"], SLOTS, strict=False):
        log.card(card, slot, coup_no=2, flags={"surplus": True})
        log.irregularity("excess_card", "NEXT_LIVE")
    log.card("3S", "player_1", coup_no=3, flags={"surplus": True, "exposed": True})
    log.irregularity("excess_card", "NEXT_NO_BET", exposed=True)
    assert [log.verifier.checks.notices.kind_of(number) for number in (2, 3)] == ["live", "dummy"]
    log.confirm()
    log.result("player", (9, 4), natural=True, banker_pair=True)
    log.confirm()
    log("coup_kind", shoe_no=1, coup_no=3, kind="dummy")
    assert log.coups() == [(1, "verified"), (2, "verified")]
    assert log.verifier.checks.authorisation.awaiting


def card_ahead(log: Log, card: str, number: int) -> None:
    """One more card of coup 3 was seen, while coup 1 is complete and four unseen cards are coup 2."""
    slot = SLOTS[number - 1]
    log.card(card, slot, coup_no=3, flags={"surplus": True, "exposed": True})
    log.irregularity("excess_card", "NEXT_NO_BET", exposed=True)


def four_ahead(log: Log) -> None:
    log.deal()
    log.result()
    for card, slot in zip(["9D", "2C", "TS", "3H"], SLOTS, strict=False):
        log.card(card, slot, coup_no=2, flags={"surplus": True})
        log.irregularity("excess_card", "NEXT_LIVE")


@pytest.mark.parametrize("how", ["NOT_USED", "NEXT_LIVE", "card_returned"])
@pytest.mark.parametrize(("cards", "kind"), [(["3S"], "live"), (["3S", "7S"], "dummy")])
def test_a_card_taken_from_the_coup_after_the_next_leaves_it_its_wagers(how: str, cards: list[str], kind: str) -> None:
    """10.6, 7.1.5: a coup has no wagers because of the card that was seen; another one that waits still takes them."""
    log = Log("crown-baccarat")
    log("key", on=0)
    four_ahead(log)
    for number, card in enumerate(cards, 1):
        card_ahead(log, card, number)
    if how == "card_returned":
        log.command(how)
    else:
        log.command("irregularity", case="excess_card", facts={})
        log.irregularity("excess_card", how)
    notices, authorisation = log.verifier.checks.notices, log.verifier.checks.authorisation
    assert [notices.kind_of(number) for number in (1, 2, 3)] == ["live", "live", kind]
    assert authorisation._prompted == ({3} if kind == "dummy" else set())


def test_a_card_of_the_next_coup_that_is_not_used_leaves_it_without_wagers() -> None:
    """The shoe has announced the next coup to come without wagers, and a person has not ordered otherwise."""
    log = Log("star-premium")
    four_ahead(log)
    card_ahead(log, "3S", 1)
    log.confirm()  # coup 2 is on the table, so coup 3 is the next
    log.command("irregularity", case="excess_card", facts={})
    log.irregularity("excess_card", "NOT_USED", exposed=True, last_coup=True)
    assert log.verifier.checks.notices.kind_of(3) == "no_bet"
