"""Notice before an act (P-82, P-83; D-30, D-40, D-41), and Surveillance before a no bet coup (P-76)."""

from typing import Any

import msgspec
import pytest
from incident_log import GATEWAY, SMITH, UNIT, IncidentLog
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.incidents.openings import Opening
from sabot_gateway.verify import Source
from sabot_protocol import incidents
from sabot_protocol.incidents import Done, Opener
from sabot_protocol.topics import IncidentMessage
from test_desk_incidents import ask, bench

STAR, PREMIUM, CROWN, RAPID = "star-baccarat", "star-premium", "crown-baccarat", "star-rapid"


def announced(book: str, act: str, sign: str, at: str = "2026-01-01T10:00:00.000Z", **facts: Any) -> IncidentLog:
    """A table where an act was recorded and its notice given at `at`, with a coup on the table."""
    log = IncidentLog(book)
    log.deal("9S 2H")
    opener = Opener(act=act)
    opening = Opening("notice", opener, UNIT, 1, 1, "", {"act": act, **facts})
    source = Source(GATEWAY, 30, at)
    _, opened = log.open_book.open_by(opening, SMITH, source)
    if any(step.name == sign for step in opened.steps):
        log.open_book.complete(opened, sign, Done(at, "A. Smith"), Source(GATEWAY, 31, at), label="1/1")
    return log


def refusal(log: IncidentLog, act: str, time: str) -> str:
    (incident,) = log.open_book.open()
    return incidents.refusal(log.book.id, incident, act, "A. Smith", time=time)


def finish(log: IncidentLog) -> None:
    """Finish the coup on the table, of which two cards are out."""
    log.card("TD", "player_2")
    log.card("3C", "banker_2")
    log.result()
    log.confirm()


def test_three_coups_are_dealt_before_a_table_is_closed() -> None:
    log, later = announced(CROWN, "close_table", "give_notice"), "2026-01-02T10:00:00.000Z"
    finish(log)  # the notice was given in this one: it is no coup's notice
    for dealt in range(3):
        assert refusal(log, "close_table", later) == (
            f"step close_table is too early: {dealt} of the 3 coups of notice are dealt (15.8). Deal {3 - dealt} more"
        )
        log.coup()
    assert refusal(log, "close_table", later) == ""
    log.coup()
    (incident,) = log.open_book.open()
    assert incident.facts["coups_of_notice"] == 3


def test_a_void_coup_is_no_notice_and_a_correction_counts_once() -> None:
    log = announced(CROWN, "close_table", "give_notice")
    finish(log)
    log.deal()
    log.voided(2)
    log.coup_no = 3
    log.deal()
    log.result("banker")  # disputed
    log.decide("1/3", "confirmed")
    assert "1 of the 3 coups" in refusal(log, "close_table", "2026-01-02T10:00:00.000Z")


def test_a_coup_that_becomes_void_after_its_result_is_no_notice() -> None:
    """Crown 1.1: a void coup has no result; also by a supervisor, or by a decision about a disputed coup."""
    log, later = announced(CROWN, "close_table", "give_notice"), "2026-01-02T10:00:00.000Z"
    finish(log)
    log.coup()
    log.deal()
    log.result()
    assert "2 of the 3 coups" in refusal(log, "close_table", later)
    log.voided(3)
    assert "1 of the 3 coups" in refusal(log, "close_table", later)
    for number in (4, 5):
        log.coup_no = number
        log.deal()
        log.result("banker")  # disputed
        log.button()
    assert refusal(log, "close_table", later) == ""
    log.decide("1/5", "void")
    assert "2 of the 3 coups" in refusal(log, "close_table", later)
    log.decide("1/4", "confirmed")
    assert "2 of the 3 coups" in refusal(log, "close_table", later)


def test_a_coup_from_before_the_notice_that_becomes_void_takes_none_away() -> None:
    log = IncidentLog(CROWN)
    log.deal()
    log.result("banker")  # disputed
    log.button()
    log.coup_no = 2
    log.deal("9S 2H")
    opening = Opening("notice", Opener(act="close_table"), UNIT, 1, 2, "", {"act": "close_table"})
    _, opened = log.open_book.open_by(opening, SMITH, Source(GATEWAY, 30, ""))
    log.open_book.complete(opened, "give_notice", Done("2026-01-01", "A. Smith"), Source(GATEWAY, 31, ""), label="1/2")
    finish(log)
    log.coup()
    log.decide("1/1", "void")
    (incident,) = [one for one in log.open_book.open() if one.kind == "notice"]
    assert incident.facts["coups_of_notice"] == 1


@pytest.mark.parametrize(("phase", "needed"), [("between", 3), ("dealing", 4), ("complete", 4)])
def test_the_coup_in_progress_is_no_notice_and_one_that_has_not_begun_is(phase: str, needed: int) -> None:
    made, log = bench(CROWN), IncidentLog(CROWN)
    log.coup()
    if phase != "between":
        log.deal()
    if phase == "complete":
        log.result()
    made.table.verifier, made.table.incidents = log.verifier, log.open_book
    ask(made, "record", act="close_table", facts={"patrons_at_table": True})
    ask(made, "step", incident="notice", step="give_notice")
    if phase == "dealing":
        log.result()
    if phase != "between":
        log.confirm()
    for dealt in range(needed - (phase != "between")):
        assert f"{dealt} of the 3 coups" in ask(made, "step", incident="notice", step="close_table")
        log.coup()
    assert "is done" in ask(made, "step", incident="notice", step="close_table")


def test_coups_of_notice_go_on_in_the_next_shoe_and_after_a_restart() -> None:
    log = announced(CROWN, "close_table", "give_notice")
    finish(log)
    log.coup()
    stored = [msgspec.json.decode(msgspec.json.encode(one), type=IncidentMessage) for one in log.open_book.open()]
    log.open_book = IncidentBook("bac-01", log.book)
    log.open_book.restore(stored)
    log("shoe_closed", shoe_no=1, coups=2, reason="command")
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    log.coup_no = 1
    for card, slot in (("9S", "player_1"), ("2H", "banker_1"), ("TD", "player_2"), ("3C", "banker_2")):
        log.card(card, slot, shoe_no=2)
    flags = {"player_pair": False, "banker_pair": False, "natural": True, "last_coup": False}
    place: dict[str, Any] = {"shoe_no": 2, "coup_no": 1, "kind": "live"}
    log("coup", **place, winner="player", player_points=9, banker_points=5, flags=flags)
    assert "2 of the 3 coups" in refusal(log, "close_table", "2026-01-02T10:00:00.000Z")


def test_nothing_is_counted_before_the_notice() -> None:
    log = announced(CROWN, "close_table", "")
    finish(log)
    log.coup()
    assert refusal(log, "close_table", "") == "step close_table comes after step give_notice, which is open"


@pytest.mark.parametrize(
    ("book", "act", "sign", "clause"),
    [
        (STAR, "raise_minimum", "sign_raised_minimum", "6.7"),
        (STAR, "change_game", "sign_change_of_game", "14.9"),
        (STAR, "close_table", "sign_closure", "14.10"),
        (PREMIUM, "raise_minimum", "sign_raised_minimum", "6.6"),
        (PREMIUM, "change_game", "sign_change_of_game", "15.8"),
        (PREMIUM, "close_table", "sign_closure", "15.9"),
        (CROWN, "raise_minimum", "sign_raised_minimum", "6.7"),
        (RAPID, "close_table", "sign_closure", "12.8"),
    ],
)
def test_a_sign_is_out_for_twenty_minutes(book: str, act: str, sign: str, clause: str) -> None:
    log = announced(book, act, sign)
    assert refusal(log, act, "2026-01-01T10:19:59.999Z") == (
        f"step {act} is too early: the notice must be out for 20 minutes ({clause}), until 2026-01-01T10:20:00Z"
    )
    assert refusal(log, act, "2026-01-01T10:20:00.000Z") == ""


@pytest.mark.parametrize(
    ("book", "act", "facts"),
    [
        (STAR, "raise_minimum", {"notice_given": False}),  # 6.7.1: players at the table keep the old minimum
        (PREMIUM, "change_game", {"players_agree": True}),  # 15.8
        (CROWN, "close_table", {"patrons_at_table": False}),  # 15.8 is about a table at which players are present
    ],
)
def test_where_no_notice_is_needed(book: str, act: str, facts: dict[str, Any]) -> None:
    log = announced(book, act, "", **facts)
    assert refusal(log, act, "2026-01-01T10:00:01.000Z") == ""


# Surveillance


def no_bet() -> IncidentLog:
    log = IncidentLog(STAR)
    log.person = SMITH
    log.command("no_bet", kind="no_bet")
    assert log.states() == [("no_bet", "open", ["notify_surveillance"])]
    return log


def test_a_no_bet_coup_that_is_dealt_before_surveillance_was_notified_is_late() -> None:
    log = no_bet()
    log("coup_kind", shoe_no=1, coup_no=1, kind="no_bet")
    assert not log.step("notify_surveillance").late
    log.card("9S", "player_1")
    assert log.step("notify_surveillance").late
    assert len(log.incidents) == 2
    log.card("2H", "banker_1")
    assert len(log.incidents) == 2


def test_a_card_of_the_coup_before_makes_nothing_late() -> None:
    log = IncidentLog(STAR)
    log.deal("9S 2H")
    opening = Opening("no_bet", Opener(act="deal_unwagered"), UNIT, 1, 2, "", {})
    log.open_book.open_by(opening, SMITH, Source(GATEWAY, 30, log.time(30)))
    log.card("TD", "player_2")
    log.card("5S", "player_1", coup_no=2, flags={"surplus": True})
    (incident,) = log.open_book.open()
    assert not incident.steps[0].late


# A dummy hand that follows a dummy hand (Rapid 11.8.13)


def waiting(log: IncidentLog) -> list[list[str]]:
    """Return the open steps of the coups without wagers that are open."""
    found = [one for one in log.open_book.open() if one.kind == "unwagered"]
    return [[step.name for step in one.steps if not step.done] for one in found]


def test_the_authorisation_of_one_dummy_hand_is_not_that_of_the_next() -> None:
    log = IncidentLog(RAPID)
    log.deal()
    log.result()
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True, "exposed": True})
    log.irregularity("player_overdraw", "NEXT_NO_BET", exposed=True)
    log.confirm()
    log("coup_kind", shoe_no=1, coup_no=2, kind="dummy")
    log.person = SMITH
    log.command("authorise", times=1)
    assert waiting(log) == []
    for card, slot in (("2H", "banker_1"), ("AC", "player_2"), ("3C", "banker_2")):
        log.card(card, slot)
    log.result(kind="dummy", points=(9, 5))
    log.card("7D", "player_1", coup_no=3, flags={"surplus": True, "exposed": True})
    log.irregularity("player_overdraw", "NEXT_NO_BET", exposed=True)
    log.confirm()  # of dummy hand 2, while hand 3 waits
    log("coup_kind", shoe_no=1, coup_no=3, kind="dummy")
    assert waiting(log) == [["authorise"]]
    log.person = SMITH._replace(role="dealer")
    log.command("authorise", times=1)
    assert waiting(log) == [["authorise"]]
    log.person = SMITH
    log.command("authorise", times=1)
    assert waiting(log) == []
