"""Which incident a proof is about: the coup, the shoe and the unit must be the same; and what a flood leaves open."""

from typing import Any

import pytest
from incident_log import GATEWAY, SMITH, UNIT, IncidentLog
from msgspec.structs import replace
from sabot_gateway.incidents.evidence import Evidence
from sabot_gateway.verify import NotThereError, Source
from sabot_protocol.incidents import Done
from shoe_events import SLOTS

OTHER = "5ab0000000000002"
MISDEAL = {"reconstructible": False, "notified_before_next": True}


def misdeal(log: IncidentLog) -> None:
    log.deal()
    log.reported("bad_order", "VOID", **MISDEAL)


def test_the_void_of_one_coup_does_not_settle_another() -> None:
    log = IncidentLog()
    misdeal(log)
    log.coup_no = 2
    misdeal(log)
    log.voided(2)
    assert [one.coup for one in log.open_book.open() if one.kind == "misdeal"] == [1]


def test_the_same_number_at_another_shoe_is_another_coup() -> None:
    log = IncidentLog("crown-baccarat")
    misdeal(log)
    log("shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none", unit=OTHER)
    log("coup_void", shoe_no=1, coup_no=1, reason="misdeal", then="go_on", cards=4, unit=OTHER)
    assert [(one.unit, one.coup) for one in log.open_book.open()] == [(UNIT, 1)]


@pytest.mark.parametrize(
    ("unit", "shoe", "coup", "about"),
    [(UNIT, 3, 17, True), (UNIT, 3, 18, True), (UNIT, 3, 16, False), (UNIT, 4, 17, False), (OTHER, 3, 17, False)],
)
def test_a_coup_without_wagers_settles_what_came_before_it_in_its_shoe(
    unit: str, shoe: int, coup: int, about: bool
) -> None:
    log = IncidentLog("star-rapid")
    misdeal(log)
    incident = log.one()
    proof = Evidence("unwagered_coup", Done("", ""), (unit,), shoe, from_coup=coup)
    assert proof.about(replace(incident, shoe=3, coup=17)) is about


def test_a_coup_that_is_void_already_is_no_second_misdeal() -> None:
    log = IncidentLog()
    log.deal()
    log.voided()
    log.voided()
    assert [one.state for one in log.incidents if one.kind == "misdeal"] == ["closed"]


def test_as_many_cards_as_there_should_be_with_a_wrong_one_are_not_all_there() -> None:
    log = IncidentLog()
    log.deal("9S 2H")
    log.reported("missing_or_foreign_card", "VOID_CHECK")
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    log.command("deck_check", on=1, decks=8)
    for card, seen in (("8H", 7), ("9H", 9)):
        log("deck_check", shoe_no=1, card=card, seen=seen, expected=8)
    log("checked", shoe_no=1, cards=416, differences=2)
    assert "check_cards" in log.states()[-1][2]


def test_cards_that_move_to_another_shoe_and_arrive() -> None:
    log = IncidentLog("star-rapid")
    log.deal("9S 2H")
    log.reported("shoe_not_reading", "SWAP_SHOE", disadvantage=False)
    cards = dict.fromkeys(SLOTS, "--") | {"player_1": "9S", "banker_1": "2H"}
    place: dict[str, Any] = {"shoe_no": 1, "coup_no": 1, "kind": "live", "cards": cards, "decks": 8, "cards_out": 2}
    log("handed_over", **place | {"coups_left": 0, "awaiting": 0, "import": 0})
    assert log.states() == [("moved_cards", "open", ["move_cards"])]
    (alarm,) = log.verifier.alarms.named("handed_over")
    source = Source(GATEWAY, 70, log.time(70))
    log.own(log.verifier._context.clear_alarms([alarm], "the gateway: the coup is played at bac-02", source), 70)
    assert log.states()[-1] == ("moved_cards", "closed", [])
    assert log.step("move_cards").by == "the gateway: the coup is played at bac-02"


def test_where_cards_went_is_a_fact_of_the_incident() -> None:
    log = IncidentLog("crown-baccarat")
    log.deal()
    log.irregularity("wrong_recipient", "CHOICE")
    assert (log.one().facts["wrong_recipient"], log.one().coup_id) == (True, "")


def test_an_incident_keeps_the_first_message_of_its_coup() -> None:
    log = IncidentLog("star-premium")
    log.deal()
    log.irregularity("wrong_recipient", "CHOICE")
    log.result()
    first = log.one().coup_id
    log("shoe_closed", shoe_no=1, coups=1, reason="command")  # nobody confirmed it: it is disputed
    kept = [one.coup_id for one in log.open_book.open() if one.kind == "misdelivery"]
    assert kept == [first] != [""]


def test_coups_that_are_disputed_in_a_flood_of_alarms_are_open_all_the_same() -> None:
    log = IncidentLog()
    for number in range(1, 41):
        log.coup_no = number
        log.deal()
        log.result("banker")
    raised = {alarm.coup for alarm in log.alarms()}
    opened = {one.coup for one in log.incidents if one.kind == "discrepancy"}
    assert len(raised) < 40
    assert opened >= set(range(1, 40))


def test_a_person_opens_nothing_more_when_too_many_are_open() -> None:
    log = IncidentLog(most=1)
    misdeal(log)
    with pytest.raises(NotThereError, match="1 incidents are open at this table: close some with `step` first"):
        log.open_book.open_by(log.opening("void_shoe"), SMITH, Source(GATEWAY, 71, log.time(71)))
    assert [one.kind for one in log.open_book.open()] == ["misdeal"]


def test_an_irregularity_that_the_shoe_finds_is_not_reported_by_the_person_of_an_earlier_command() -> None:
    log = IncidentLog("star-rapid")
    log.person = SMITH
    log.command("authorise", times=1)
    log.irregularity("misread_card", "MANUAL_ENTRY")
    assert log.one().by == ""
    log.command("irregularity", case="wrong_area", facts={})
    for card, slot in (("9S", "player_1"), ("2H", "banker_1"), ("TD", "player_2"), ("3C", "banker_2")):
        log.card(card, slot)
    log.irregularity("wrong_area", "VOID")
    assert [one.by for one in log.incidents if one.kind == "misdelivery"] == [""]
    log.reported("wrong_shoe", "VOID")
    assert [one.by for one in log.incidents if one.kind == "wrong_shoe"] == ["A. Smith"]
