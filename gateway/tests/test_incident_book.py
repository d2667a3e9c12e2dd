"""Incidents of a table, from the alarm to the last step, by the shoe's log alone."""

from typing import Any

import msgspec
import pytest
from incident_log import GATEWAY, SMITH, UNIT, IncidentLog
from jsonschema import Draft202012Validator
from sabot_gateway.incidents.book import MOST, IncidentBook
from sabot_gateway.incidents.listing import newest_that_fit
from sabot_gateway.verify import NotThereError, Source
from sabot_protocol import schemas
from sabot_protocol.incidents import Done
from sabot_protocol.topics import IncidentMessage

STAR, PREMIUM, NZ, CROWN, RAPID = "star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid"
VOID: dict[str, Any] = {"shoe_no": 1, "coup_no": 1, "then": "go_on", "cards": 4}


def disputed(rulebook: str = STAR) -> IncidentLog:
    """A coup that the Player wins, and the shoe logs the Banker as winner."""
    log = IncidentLog(rulebook)
    log.deal()
    log.result("banker")
    return log


# Discrepancy (P-43)


@pytest.mark.parametrize("verdict", ["confirmed", "void"])
@pytest.mark.parametrize(("rulebook", "clause"), [(STAR, "12.13"), (PREMIUM, "14.13"), (RAPID, "11.8.11")])
def test_a_discrepancy_is_closed_by_the_decision(rulebook: str, clause: str, verdict: str) -> None:
    log = disputed(rulebook)
    opened = log.one()
    assert (opened.kind, opened.state, opened.shoe, opened.coup) == ("discrepancy", "open", 1, 1)
    assert (opened.alarm, opened.coup_id) == (f"{UNIT}-6-discrepancy", f"{UNIT}-6")
    assert (opened.id, opened.incident) == (f"{UNIT}-6-incident",) * 2
    assert [(step.name, step.role, step.clause) for step in opened.steps] == [("decide", "casino_supervisor", clause)]
    log.decide("1/1", verdict)
    closed = log.one()
    assert (closed.state, closed.id, closed.incident) == ("closed", f"{GATEWAY}-50-incident", opened.incident)
    step = log.step("decide")
    assert (step.done, step.by, step.by_role, step.attempt) == (
        "2026-01-01T00:00:50.000Z", "A. Smith", "casino_supervisor", f"{GATEWAY}-5",
    )  # fmt: skip
    assert log.open_book.open() == []


@pytest.mark.parametrize("rulebook", [NZ, CROWN])
def test_a_book_that_is_silent_has_no_such_incident(rulebook: str) -> None:
    log = disputed(rulebook)
    assert [alarm.name for alarm in log.verifier.active()] == ["discrepancy"]
    assert log.incidents == []


def test_an_acknowledged_alarm_leaves_its_incident_open() -> None:
    log = disputed()
    log.acknowledge_all()
    assert log.states() == [("discrepancy", "open", ["decide"])]


def test_a_second_discrepancy_of_the_coup_opens_no_second_incident_and_one_after_its_decision_does() -> None:
    log = disputed()
    log.button("banker")
    assert len({incident.incident for incident in log.incidents}) == 1
    log.decide("1/1", "confirmed")
    assert log.states()[-1][1] == "closed"


def test_a_coup_that_nobody_confirmed() -> None:
    log = IncidentLog()
    log.deal()
    log.result()
    log("shoe_closed", shoe_no=1, coups=1, reason="command")
    assert log.states() == [("discrepancy", "open", ["decide"])]
    log.decide("1/1", "void")
    assert log.states()[-1] == ("discrepancy", "closed", [])


def test_a_discrepancy_about_no_coup_is_nothing_to_decide() -> None:
    log = IncidentLog()
    log("composition", shoe_no=1, half=0, counts=bytes([1] * 13))
    assert len(log.alarms()) == 1
    assert log.incidents == []


# Misdeal (P-38, P-39, P-84)

RECONSTRUCTED = {STAR: "RECON_WITHDRAW", PREMIUM: "RECON_WITHDRAW", NZ: "RECON_BINDING", CROWN: "RECON_BINDING"}


@pytest.mark.parametrize("rulebook", [STAR, PREMIUM, NZ, CROWN])
def test_a_misdeal_that_can_be_reconstructed_ends_with_confirm(rulebook: str) -> None:
    log = IncidentLog(rulebook)
    log.deal("9S 2H")
    facts = {"reconstructible": True, "notified_before_next": True}
    log.reported("bad_order", RECONSTRUCTED[rulebook], **facts)
    assert log.states() == [("misdeal", "open", ["reconstruct"])]
    log.card("TD", "player_2")
    log.card("3C", "banker_2")
    log.result()
    assert log.open_book.open()
    log.confirm()
    assert log.states()[-1] == ("misdeal", "closed", [])
    assert log.step("reconstruct").by == "the dealer, at the shoe"


@pytest.mark.parametrize(
    ("rulebook", "role"),
    [
        (STAR, "casino_supervisor"), (PREMIUM, "casino_supervisor"), (NZ, "casino_supervisor"),
        (CROWN, "higher_duties_dealer"), (RAPID, "assistant_gaming_manager"),
    ],
)  # fmt: skip
def test_a_misdeal_that_cannot_be_reconstructed_is_void(rulebook: str, role: str) -> None:
    log = IncidentLog(rulebook)
    log.deal()
    log.person = SMITH._replace(role=role)
    log.reported("bad_order", "VOID", reconstructible=False, notified_before_next=True)
    assert log.states() == [("misdeal", "open", ["void"])]
    assert (log.one().by, log.step("void").role) == ("A. Smith", role)
    log("coup_void", **VOID, reason="misdeal")
    assert log.states()[-1] == ("misdeal", "closed", [])
    assert len(log.incidents) == 2  # the void coup opens no other
    assert (log.step("void").by, log.step("void").by_role) == ("A. Smith", role)


@pytest.mark.parametrize("rulebook", [STAR, PREMIUM, CROWN, RAPID])
def test_a_misdeal_that_is_reported_after_the_next_coup_began_is_late_and_nothing_is_left_to_do(rulebook: str) -> None:
    log = IncidentLog(rulebook)
    log.coup()
    log.deal("9S")
    log.reported("bad_order", "PLAY_ON", reconstructible=True, notified_before_next=False)
    assert log.states() == [("misdeal", "closed", [])]
    assert log.step("notice").late


def test_a_misdeal_in_time_is_not_late() -> None:
    log = IncidentLog()
    log.deal()
    log.reported("bad_order", "VOID", reconstructible=False, notified_before_next=True)
    step = log.step("notice")
    assert (step.late, step.due, step.done != "") == (False, "before_next_coup", True)


def test_a_coup_that_is_voided_as_misdealt_without_a_report_is_recorded() -> None:
    log = IncidentLog()
    log.deal()
    log.person = SMITH
    log.command("void_coup", reason="misdeal", then="go_on")
    log("coup_void", **VOID, reason="misdeal")
    assert log.states() == [("misdeal", "closed", [])]
    assert (log.one().by, log.step("void").by_role) == ("A. Smith", "casino_supervisor")


# Foreign card (P-42, P-75)

NOTIFY = ["notify_surveillance", "notify_inspector"]


def foreign(rulebook: str) -> IncidentLog:
    log = IncidentLog(rulebook)
    log.deal("9S 2H")
    log.reported("missing_or_foreign_card", "VOID_CHECK")
    return log


@pytest.mark.parametrize(("rulebook", "notify"), [(STAR, NOTIFY), (PREMIUM, NOTIFY), (RAPID, [])])
def test_a_foreign_card_from_the_void_coup_to_the_deck_check(rulebook: str, notify: list[str]) -> None:
    log = foreign(rulebook)
    log("coup_void", **VOID | {"cards": 2}, reason="foreign_card")
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    log.command("deck_check", on=1, decks=8)
    log.verifier.state.whole = False  # 416 cards are not written here
    log("checked", shoe_no=1, cards=416, differences=0)
    assert log.states() == [
        ("foreign_card", "open", ["void", "close_shoe", "check_cards", *notify]),
        ("foreign_card", "open", ["close_shoe", "check_cards", *notify]),
        ("foreign_card", "open", ["check_cards", *notify]),
        ("foreign_card", "open" if notify else "closed", notify),
    ]


def test_cards_that_differ_are_not_all_there() -> None:
    log = foreign(STAR)
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    log.command("deck_check", on=1, decks=8)
    log("deck_check", shoe_no=1, card="8H", seen=7, expected=8)
    log("checked", shoe_no=1, cards=415, differences=1)
    assert log.states()[-1][2] == ["void", "check_cards", *NOTIFY]


@pytest.mark.parametrize(("shoe", "decks"), [(2, 8), (1, 1)])
def test_a_deck_check_of_another_shoe_or_of_fewer_decks_proves_nothing(shoe: int, decks: int) -> None:
    log = foreign(RAPID)
    for number in range(1, shoe + 1):
        if number > 1:
            log("shoe_opened", shoe_no=number, card_set=1, decks=8, burn="none")
        log("shoe_closed", shoe_no=number, coups=0, reason="command")
    log.command("deck_check", on=1, decks=decks)
    log.verifier.state.whole = False
    log("checked", shoe_no=shoe, cards=52 * decks, differences=0)
    assert log.states()[-1][2] == ["void", "check_cards"]


def test_a_complete_coup_stands_and_is_not_to_be_voided() -> None:
    log = IncidentLog()
    log.deal()
    log.result()
    log.reported("missing_or_foreign_card", "VOID_CHECK")
    assert log.states() == [("foreign_card", "open", ["close_shoe", "check_cards", *NOTIFY])]


def test_a_coup_that_people_void_for_a_foreign_card_opens_the_rest() -> None:
    log = IncidentLog()
    log.deal()
    log.result()
    log.person = SMITH
    log.command("void_coup", reason="foreign_card", then="go_on")
    log("coup_void", **VOID, reason="foreign_card")
    assert log.states() == [("foreign_card", "open", ["close_shoe", "check_cards", *NOTIFY])]
    assert log.step("void").by == "A. Smith"


# Other kinds


def test_a_card_that_is_keyed_in_at_rapid() -> None:
    log = IncidentLog(RAPID)
    log.deal("9S 2H")
    log.irregularity("misread_card", "MANUAL_ENTRY")
    assert log.states() == [("keyed_card", "open", ["key_card"])]
    log.person = SMITH
    log.command("key_card", card="TD", flags={"face_up": False, "exposed": False})
    assert log.states()[-1] == ("keyed_card", "closed", [])
    assert (log.step("key_card").by, log.step("key_card").role) == ("A. Smith", "casino_supervisor")


@pytest.mark.parametrize(("rulebook", "step"), [(NZ, "announce"), (CROWN, "announce")])
def test_a_coup_without_wagers_after_an_error_is_closed_when_it_is_dealt(rulebook: str, step: str) -> None:
    log = IncidentLog(rulebook)
    log.deal()
    log.result()
    log.reported("banker_overdraw", "NEXT_NO_BET", exposed=True, last_coup=False)
    assert log.states() == [("unwagered", "open", [step])]
    log.confirm()
    kind = log.book.shoe.unwagered.kind
    log.deal()
    log.result(kind=kind)
    assert log.states()[-1] == ("unwagered", "closed", [])


def test_a_dummy_hand_at_rapid_is_authorised() -> None:
    log = IncidentLog(RAPID)
    log.deal()
    log.result()
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True, "exposed": True})
    log.irregularity("player_overdraw", "NEXT_NO_BET", exposed=True)
    log.confirm()
    log("coup_kind", shoe_no=1, coup_no=2, kind="dummy")
    assert log.states() == [("unwagered", "open", ["authorise"])]
    log.person = SMITH
    log.command("authorise", times=1)
    assert log.states()[-1] == ("unwagered", "closed", [])
    assert (log.step("authorise").by, log.step("authorise").by_role) == ("A. Smith", "casino_supervisor")


def test_no_bet_coups_at_the_star_need_a_notification_of_surveillance() -> None:
    log = IncidentLog()
    log.person = SMITH
    log.command("no_bet", kind="no_bet")
    log.command("no_bet", kind="no_bet")
    assert log.states() == [("no_bet", "open", ["notify_surveillance"])]
    assert (log.one().by, log.one().coup) == ("A. Smith", 1)


def test_wrong_shoe_and_misdelivery_at_rapid_are_void() -> None:
    log = IncidentLog(RAPID)
    log.deal("9S 2H")
    log.irregularity("wrong_shoe", "VOID")
    log.irregularity("wrong_area", "VOID", international=False)
    log.voided(role="assistant_gaming_manager", reason="wrong_shoe", cards=2)
    assert [state[:2] for state in log.states()] == [
        ("wrong_shoe", "open"), ("misdelivery", "open"), ("wrong_shoe", "closed"), ("misdelivery", "closed"),
    ]  # fmt: skip
    assert len({incident.id for incident in log.incidents}) == 4


def test_premium_reports_every_misdelivery() -> None:
    log = IncidentLog(PREMIUM)
    log.deal()
    log.irregularity("wrong_recipient", "CHOICE", international=False)
    log.result()
    log.confirm()
    assert log.states()[-1] == ("misdelivery", "open", ["choose", "report_inspector"])  # Confirm chooses nothing
    log.open_book.complete(log.one(), "choose", Done(log.time(50), "A. Smith"), Source(GATEWAY, 50, log.time(50)))
    (left,) = log.open_book.open()
    assert [step.name for step in left.steps if not step.done] == ["report_inspector"]


def test_cards_that_were_not_cut_are_shuffled_before_the_next_shoe() -> None:
    log = IncidentLog()
    log.deal()
    log.reported("cut_missed", "FINISH_RESHUFFLE")
    assert (log.one().clause, log.step("reshuffle").clause) == ("12.7", "12.7")
    log.result(natural=True, last_coup=True)
    log.confirm()
    log("shoe_closed", shoe_no=1, coups=1, reason="command")
    assert log.one().state == "open"
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    assert log.one().state == "closed"


# The book


def test_what_is_restored_goes_on_where_it_was() -> None:
    log = foreign(STAR)
    stored = [msgspec.json.decode(msgspec.json.encode(one), type=IncidentMessage) for one in log.incidents]
    log.open_book = IncidentBook("bac-01", log.book)
    log.open_book.restore(stored[-1:])
    log("coup_void", **VOID | {"cards": 2}, reason="foreign_card")
    assert log.states()[-1] == ("foreign_card", "open", ["close_shoe", "check_cards", *NOTIFY])
    assert len({incident.incident for incident in log.incidents}) == 1


def test_what_was_closed_before_a_restart_is_not_opened_again_by_the_act_that_closed_it() -> None:
    log = IncidentLog()
    log.command("no_bet", kind="no_bet")
    record, _ = log.open_book.complete(log.one(), "notify_surveillance", Done("2026", "A"), Source(GATEWAY, 60, ""))
    closed = record.message
    assert isinstance(closed, IncidentMessage)
    log.open_book = IncidentBook("bac-01", log.book)
    log.open_book.restore([closed])
    log.command("no_bet", kind="no_bet")
    assert log.open_book.open() == []


def test_more_than_the_most_are_counted() -> None:
    log = IncidentLog(most=1)
    log.deal()
    log.reported("bad_order", "VOID", reconstructible=False, notified_before_next=True)
    log.reported("missing_or_foreign_card", "VOID_CHECK")
    assert ([one.kind for one in log.open_book.open()], log.open_book.more) == (["misdeal"], 1)
    assert MOST == 100


def test_commission_that_is_not_settled_at_the_next_shoe_is_late() -> None:
    log = IncidentLog(CROWN)
    opening = log.opening("defer_commission")
    record, opened = log.open_book.open_by(opening, SMITH, Source(GATEWAY, 30, log.time(30)))
    assert [step.name for step in opened.steps] == ["settle_commission"]
    log._kept([record])
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    assert not log.step("settle_commission").late
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    assert log.step("settle_commission").late
    assert log.open_book.open()


def test_a_step_becomes_late_by_time_alone_once() -> None:
    log = IncidentLog()
    opening = log.opening("promotion_compromised", report=True)
    log.open_book.open_by(opening, SMITH, Source(GATEWAY, 30, "2026-01-01T00:00:00.000Z"))
    assert not log.open_book.has_overdue("2026-01-03T00:00:00.000Z")
    assert log.open_book.has_overdue("2026-01-03T00:00:00.001Z")
    (late,) = log.open_book.overdue(Source(GATEWAY, 31, "2026-01-03T00:00:01.000Z"))
    assert isinstance(late.message, IncidentMessage)
    assert (late.message.steps[0].late, late.message.state) == (True, "open")
    assert not log.open_book.has_overdue("2026-01-03T00:00:02.000Z")


def test_an_incident_is_found_by_its_id_or_by_a_kind_that_is_open_once() -> None:
    log = disputed()
    assert log.open_book.find("discrepancy") == log.open_book.find(f"{UNIT}-6-incident") == log.one()
    with pytest.raises(NotThereError, match=r"no incident misdeal is open; open: .*-6-incident"):
        log.open_book.find("misdeal")
    log.decide("1/1", "confirmed")
    with pytest.raises(NotThereError, match="no incident discrepancy is open; open: none"):
        log.open_book.find("discrepancy")


def test_the_newest_that_fit_are_listed() -> None:
    incident = disputed().one()
    size = len(msgspec.json.encode(incident)) + 1
    assert len(newest_that_fit([incident] * 5, 3 * size)) == 3


def test_the_messages_fit_their_schema() -> None:
    strict = Draft202012Validator(schemas.strict(schemas.schema("incident")))
    for log in (disputed(), foreign(PREMIUM)):
        for one in log.incidents:
            assert list(strict.iter_errors(msgspec.to_builtins(one))) == []
