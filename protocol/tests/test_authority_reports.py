"""Reports and time limits, transcribed by hand from the requirements: row, book, clause, to whom, when."""

import pytest
from sabot_protocol import authority
from sabot_protocol.rulebooks import people

STAR, PREMIUM, NZ, CROWN, RAPID = "star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid"
HOUR, DAY = 60, 24 * 60
# row, report, book, clause, recipients, due, minutes or coups
REPORTS = [
    ("P-74", "shoe_void", STAR, "4.13", "inspector", "daily", 0),
    ("P-74", "shoe_void", PREMIUM, "4.12", "inspector", "daily", 0),
    ("P-75", "missing_or_foreign_card", STAR, "12.11.4", "surveillance inspector", "daily", 0),
    ("P-75", "missing_or_foreign_card", PREMIUM, "14.11.4", "surveillance inspector", "daily", 0),
    ("P-76", "no_bet_coups", STAR, "7.4", "surveillance", "before", 0),
    ("P-77", "side_wager_restriction", STAR, "10.4.1, 10.11.1, 10.16.1, 10.21.1, 10.27.1, 10.32.1, 10.37.1",
     "surveillance players", "before", 0),
    ("P-77", "side_wager_restriction", PREMIUM, "12.4.1, 12.9.1, 12.14.1, 12.19.1, 12.24.1, 12.28.1, 12.33.1",
     "surveillance players", "before", 0),
    ("P-78", "misdelivery", PREMIUM, "14.12.7", "inspector", "month_end", 0),
    ("P-79", "large_wrong_payment", STAR, "12.20.2", "nicc", "month_end", 0),
    ("P-79", "large_wrong_payment", PREMIUM, "14.17.2", "nicc", "month_end", 0),
    ("P-80", "wrong_payment", STAR, "12.18-12.20", "case_file", "reasonable_time", 0),
    ("P-80", "wrong_payment", PREMIUM, "14.15-14.17", "case_file", "reasonable_time", 0),
    ("P-81", "invalid_wager", STAR, "12.17, 12.21, 14.1", "player", "at_once", 0),
    ("P-82", "sign_raised_minimum", STAR, "6.7", "players", "ahead", 20),
    ("P-82", "sign_raised_minimum", PREMIUM, "6.6", "players", "ahead", 20),
    ("P-82", "sign_raised_minimum", CROWN, "6.7", "players", "ahead", 20),
    ("P-82", "sign_change_of_game", STAR, "14.9", "players", "ahead", 20),
    ("P-82", "sign_change_of_game", PREMIUM, "15.8", "players", "ahead", 20),
    ("P-82", "sign_closure", STAR, "14.10", "players", "ahead", 20),
    ("P-82", "sign_closure", PREMIUM, "15.9", "players", "ahead", 20),
    ("P-82", "sign_closure", RAPID, "12.8", "players", "ahead", 20),
    ("P-83", "closure_notice", CROWN, "15.8", "players", "ahead", 3),
    ("P-84", "misdeal_notice", STAR, "12.1(b), 12.1.4", "gaming_staff", "before_next_coup", 0),
    ("P-84", "misdeal_notice", PREMIUM, "14.1", "gaming_staff", "before_next_coup", 0),
    ("P-84", "misdeal_notice", NZ, "15.10", "gaming_staff", "before_collection", 0),
    ("P-84", "misdeal_notice", CROWN, "10.12", "gaming_staff", "before_next_coup", 0),
    ("P-84", "misdeal_notice", RAPID, "11.8.1", "gaming_staff", "before_next_coup", 0),
    ("P-85", "deferred_commission", CROWN, "9.3.1(a)", "player", "end_of_shoe", 0),
    ("P-86", "jackpot_parameters", CROWN, "13.4.1(a)", "vgccc", "before", 0),
    ("P-86", "jackpot_payout", CROWN, "13.4.5", "casino_manager", "at_once", 0),
    ("P-87", "tournament_intention", CROWN, "14.2.2(b)", "vgccc_inspectorate", "before", 0),
    ("P-87", "tournament_change", CROWN, "14.4.1(c)", "vgccc", "before", 0),
    ("P-88", "unrecorded_round", NZ, "18.19", "game_supervisor", "at_once", 0),
    ("P-88", "unrecorded_round", CROWN, "13.4.9(b)", "area_manager", "at_once", 0),
    ("P-89", "dispute_advice", STAR, "14.15", "patron", "at_once", 0),
    ("P-89", "dispute_advice", PREMIUM, "15.14", "patron", "at_once", 0),
    ("P-89", "dispute_advice", CROWN, "15.11, 15.12", "patron", "at_once", 0),
    ("P-89", "dispute_advice", RAPID, "12.12", "patron", "at_once", 0),
    ("P-90", "withheld_payment", RAPID, "9.2", "inspector", "at_once", 0),
    ("P-91", "promotion_terms", STAR, "16.12", "nicc", "ahead", 24 * HOUR),
    ("P-91", "promotion_terms", PREMIUM, "16.12", "nicc", "ahead", 24 * HOUR),
    ("P-91", "promotion_terms", RAPID, "10.9", "authority", "ahead", 24 * HOUR),
    ("P-91", "promotion_amended", STAR, "16.12.1", "nicc", "soon", 0),
    ("P-91", "promotion_amended", PREMIUM, "16.12.1", "nicc", "soon", 0),
    ("P-91", "promotion_amended", RAPID, "10.9.1", "authority", "approval", 0),
    ("P-92", "promotion_compromised", STAR, "16.11", "inspector", "within", 48 * HOUR),
    ("P-92", "promotion_compromised", PREMIUM, "16.11", "inspector", "within", 48 * HOUR),
    ("P-92", "promotion_compromised", RAPID, "10.12", "inspector", "at_once", 0),
    ("P-93", "large_draw", STAR, "16.2", "scrutineer", "before", 0),
    ("P-93", "large_draw", PREMIUM, "16.2", "scrutineer", "before", 0),
    ("P-93", "large_draw", RAPID, "10.2", "scrutineer", "before", 0),
    ("P-93", "draw_winner", STAR, "16.8", "winner", "within", 2 * DAY),
    ("P-93", "draw_winner", PREMIUM, "16.8", "winner", "within", 2 * DAY),
    ("P-93", "draw_winner", RAPID, "10.8", "winner", "within", 2 * DAY),
    ("P-93", "refused_claims", STAR, "16.9", "case_file", "kept", 0),
    ("P-93", "refused_claims", PREMIUM, "16.9", "case_file", "kept", 0),
    ("P-93", "refused_claims", RAPID, "10.10", "case_file", "kept", 0),
]  # fmt: skip


@pytest.mark.parametrize(("row", "report", "book", "clause", "to", "due", "limit"), REPORTS)
def test_a_report(row: str, report: str, book: str, clause: str, to: str, due: str, limit: int) -> None:
    found = authority.load(book).report[report]
    assert (found.row, found.clause, found.to, found.due) == (row, clause, tuple(to.split()), due)
    assert (found.minutes or found.coups) == limit
    assert bool(found.coups) is (row == "P-83")


def test_no_report_is_missing_or_too_many() -> None:
    books = (STAR, PREMIUM, NZ, CROWN, RAPID)
    in_books = {(report, book) for book in books for report in authority.load(book).report}
    assert in_books == {(report, book) for _, report, book, *_ in REPORTS}
    assert {row for row, *_ in REPORTS} == {f"P-{number}" for number in range(74, 94)}
    assert set(people.catalogue().report) == {report for _, report, *_ in REPORTS}


@pytest.mark.parametrize(
    ("report", "over_cents"), [("large_wrong_payment", 1_000_00), ("large_draw", 10_000_00), ("refused_claims", 100_00)]
)
def test_amounts(report: str, over_cents: int) -> None:
    found = [authority.load(book).report.get(report) for book in (STAR, PREMIUM, RAPID)]
    assert {entry.over_cents for entry in found if entry} == {over_cents}


def test_a_scrutineer_may_or_must_oversee_a_draw() -> None:
    optional = [authority.load(book).report["large_draw"].optional for book in (STAR, PREMIUM, RAPID)]
    assert optional == [True, True, False]
