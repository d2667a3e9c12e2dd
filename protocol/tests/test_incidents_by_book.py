"""Incidents of each rulebook, transcribed by hand from the requirements: what opens one, and its steps."""

import pytest
from sabot_protocol import incidents
from sabot_protocol.incidents import Opener

STAR, PREMIUM, NZ, CROWN, RAPID = "star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid"
CS, AGM, GM, GS, OP = (
    "casino_supervisor", "assistant_gaming_manager", "gaming_manager", "gaming_supervisor", "operator",
)  # fmt: skip
HDD, AM = "higher_duties_dealer", "area_manager"
TIME = "2026-01-31T10:00:00.000Z"
IN_TIME, LATE = {"notified_before_next": True}, {"notified_before_next": False}
CAN, CANNOT = {"reconstructible": True, **IN_TIME}, {"reconstructible": False, **IN_TIME}


def alarm(name: str, code: str = "") -> Opener:
    return Opener(alarm=name, code=code)


def act(name: str) -> Opener:
    return Opener(act=name)


def report(name: str) -> Opener:
    return Opener(report=name)


# book, what opens it, facts, kind; then its steps: name, lowest role or party, clause, when
CASES = [
    # P-43
    (STAR, alarm("discrepancy"), {}, "discrepancy", [("decide", CS, "12.13", "")]),
    (STAR, alarm("not_confirmed"), {}, "discrepancy", [("decide", CS, "12.13", "")]),
    (PREMIUM, alarm("scan_discrepancy", "VOID"), {}, "discrepancy", [("decide", CS, "14.13", "")]),
    (RAPID, alarm("discrepancy"), {}, "discrepancy", [("decide", CS, "11.8.11", "")]),
    (NZ, alarm("discrepancy"), {}, "", []),
    (CROWN, alarm("not_confirmed"), {}, "", []),
    # P-38, P-39, P-84
    (STAR, alarm("bad_order", "RECON_WITHDRAW"), CAN, "misdeal", [
        ("notice", "gaming_staff", "12.1(b), 12.1.4", "before_next_coup"), ("reconstruct", CS, "12.1.1", "")]),
    (STAR, alarm("banker_got_players_card", "VOID"), CANNOT, "misdeal", [
        ("notice", "gaming_staff", "12.1(b), 12.1.4", "before_next_coup"), ("void", CS, "12.1.2", "")]),
    (STAR, alarm("bad_order", "PLAY_ON"), LATE, "misdeal", [
        ("notice", "gaming_staff", "12.1(b), 12.1.4", "before_next_coup")]),
    (PREMIUM, alarm("bad_order", "VOID"), CANNOT, "misdeal", [
        ("notice", "gaming_staff", "14.1", "before_next_coup"), ("void", CS, "14.1.2", "")]),
    (NZ, alarm("bad_order", "RECON_BINDING"), CAN, "misdeal", [("reconstruct", CS, "12.6", "")]),
    (NZ, alarm("bad_order", "VOID"), CANNOT, "misdeal", [("void", CS, "12.6", "")]),
    (CROWN, alarm("bad_order", "VOID"), CANNOT, "misdeal", [
        ("notice", "gaming_staff", "10.12", "before_next_coup"), ("void", HDD, "10.11", "")]),
    (CROWN, alarm("bad_order", "RECON_BINDING"), CAN, "misdeal", [
        ("notice", "gaming_staff", "10.12", "before_next_coup"), ("reconstruct", "", "the alarm's", "")]),
    (CROWN, alarm("bad_order", "PLAY_ON"), LATE, "misdeal", [("notice", "gaming_staff", "10.12", "before_next_coup")]),
    (RAPID, alarm("bad_order", "VOID"), CAN, "misdeal", [  # 11.8.1: never reconstructed
        ("notice", "gaming_staff", "11.8.1", "before_next_coup"), ("void", AGM, "11.8.1.3", "")]),
    # P-45, P-78
    (STAR, alarm("wrong_area", "RECON_WITHDRAW"), {"wrong_recipient": False}, "misdelivery", [
        ("choose", CS, "12.1", "")]),
    (STAR, alarm("wrong_recipient", "PLAY_ON"), {"wrong_recipient": True}, "", []),  # 12.15: the result stands
    (PREMIUM, alarm("wrong_recipient", "CHOICE"), {}, "misdelivery", [
        ("choose", CS, "14.12", ""), ("report_inspector", "inspector", "14.12.7", "month_end")]),
    (PREMIUM, act("decide_misdelivery"), {}, "misdelivery", [  # an early reveal (14.12.3)
        ("choose", CS, "14.12", ""), ("report_inspector", "inspector", "14.12.7", "month_end")]),
    (NZ, alarm("wrong_area", "WITHDRAW_OPTION"), {"international": True}, "misdelivery", [
        ("notice", "gaming_staff", "15.10", "before_collection"), ("choose", CS, "15.10", "")]),
    (NZ, alarm("wrong_area", "RECON_BINDING"), {"international": False}, "misdelivery", [
        ("reconstruct", CS, "12.6", "")]),
    (CROWN, alarm("wrong_area", "CHOICE"), {}, "misdelivery", [("choose", HDD, "10.7", "")]),
    (RAPID, alarm("wrong_area", "VOID"), {}, "misdelivery", [("void", AGM, "11.8.1", "")]),
    # P-42, P-75
    (STAR, alarm("missing_or_foreign_card", "VOID_CHECK"), {"coup_running": True}, "foreign_card", [
        ("void", CS, "12.11", ""), ("close_shoe", CS, "12.11", ""), ("check_cards", CS, "12.11", ""),
        ("notify_surveillance", "surveillance", "12.11.4", "daily"),
        ("notify_inspector", "inspector", "12.11.4", "daily")]),
    (PREMIUM, alarm("missing_or_foreign_card", "VOID_CHECK"), {"coup_running": False}, "foreign_card", [
        ("close_shoe", CS, "14.11", ""), ("check_cards", CS, "14.11", ""),
        ("notify_surveillance", "surveillance", "14.11.4", "daily"),
        ("notify_inspector", "inspector", "14.11.4", "daily")]),
    (RAPID, act("void_foreign_card"), {}, "foreign_card", [
        ("void", CS, "11.8.10", ""), ("close_shoe", CS, "11.8.10", ""), ("check_cards", CS, "11.8.10", "")]),
    (NZ, alarm("missing_or_foreign_card", "NO_RULE"), {}, "", []),
    (CROWN, alarm("missing_or_foreign_card", "NO_RULE"), {}, "", []),
    # P-46
    (RAPID, alarm("misread_card", "MANUAL_ENTRY"), {}, "keyed_card", [("key_card", CS, "11.8.12", "")]),
    (STAR, alarm("misread_card", "NO_RULE"), {}, "", []),
    # P-44
    (RAPID, alarm("excess_card", "NEXT_NO_BET"), {}, "unwagered", [("authorise", CS, "11.8.13", "")]),
    (RAPID, alarm("excess_card", "NOT_USED"), {}, "", []),
    (NZ, alarm("first_card_face_up", "THIS_NO_BET"), {}, "unwagered", [("announce", "dealer", "12.1-12.3, 15.11", "")]),
    (CROWN, alarm("player_overdraw", "NEXT_NO_BET"), {}, "unwagered", [("announce", "dealer", "10.4-10.6", "")]),
    (STAR, alarm("first_card_face_up", "THIS_NO_BET"), {}, "", []),  # 12.3 works without approval
    # P-37, P-76
    (STAR, act("deal_unwagered"), {"marker": False}, "no_bet", [
        ("notify_surveillance", "surveillance", "7.4", "before")]),
    (STAR, act("deal_unwagered"), {"marker": True}, "no_bet", []),
    (STAR, act("deal_unwagered"), {"patrons_at_table": True, "players_agree": True}, "no_bet", []),  # 7.5
    (PREMIUM, act("deal_unwagered"), {}, "", []),
    # P-11, P-74
    (STAR, act("void_shoe"), {}, "shoe_void", [
        ("close_shoe", CS, "4.13", ""), ("notify_inspector", "inspector", "4.13", "daily")]),
    (PREMIUM, act("void_shoe"), {}, "shoe_void", [
        ("close_shoe", GM, "4.12", ""), ("notify_inspector", "inspector", "4.12", "daily")]),
    (NZ, act("void_shoe"), {}, "shoe_void", [("reshuffle", "", "7.1(c)", "")]),
    (CROWN, act("void_shoe"), {}, "shoe_void", [("reshuffle", HDD, "4.1.1(d)", "")]),
    (RAPID, act("void_shoe"), {}, "", []),
    # P-47, P-48
    (RAPID, alarm("wrong_shoe", "VOID"), {}, "wrong_shoe", [("void", AGM, "11.8.2", "")]),
    (RAPID, alarm("shoe_not_reading", "SWAP_SHOE"), {"disadvantage": False}, "moved_cards", [
        ("move_cards", CS, "11.8.15, 11.8.16", "")]),
    (RAPID, alarm("shoe_not_reading", "NO_RULE"), {"disadvantage": True}, "moved_cards", []),
    (STAR, act("move_cards"), {"shuffling_device": True}, "moved_cards", [("move_cards", CS, "13.2-13.5", "")]),
    # cut and shuffle missed; a missed burn changes nothing
    (STAR, alarm("cut_missed", "FINISH_RESHUFFLE"), {}, "reshuffle", [("reshuffle", "", "the alarm's", "")]),
    (RAPID, alarm("not_shuffled_after_cutting_card", "FINISH_RESHUFFLE"), {}, "reshuffle", [
        ("reshuffle", "", "the alarm's", "")]),
    (NZ, alarm("insufficient_cards", "VOID_NEW_CARDS"), {}, "reshuffle", [("reshuffle", "", "12.5", "")]),
    (NZ, alarm("cut_missed", "NO_RULE"), {}, "", []),
    (STAR, alarm("burn_missed", "PLAY_ON"), {}, "", []),
    (STAR, alarm("insufficient_cards", "VOID"), {}, "", []),
    # P-62, P-89
    (STAR, Opener(verb="dispute"), {}, "player_dispute", [
        ("first", GS, "14.14", ""), ("review", CS, "14.14", ""), ("final", OP, "14.15", ""),
        ("advise_inspector", "patron", "14.15", "at_once")]),
    (PREMIUM, Opener(verb="dispute"), {}, "player_dispute", [
        ("first", GS, "15.13", ""), ("review", CS, "15.13", ""), ("final", OP, "15.14", ""),
        ("advise_inspector", "patron", "15.14", "at_once")]),
    (RAPID, Opener(verb="dispute"), {}, "player_dispute", [
        ("first", GS, "12.11", ""), ("review", CS, "12.11", ""), ("final", OP, "12.12", ""),
        ("advise_inspector", "patron", "12.12", "at_once")]),
    (CROWN, Opener(verb="dispute"), {}, "player_dispute", [
        ("final", AM, "15.10", ""), ("advise_inspector", "patron", "15.11, 15.12", "at_once"),
        ("advise_vgccc", "patron", "15.11, 15.12", "at_once")]),
    (NZ, Opener(verb="dispute"), {}, "", []),
    # P-79, P-80: "> $1,000"
    (STAR, Opener(verb="payment"), {"amount_cents": 100_000, "intentional": False}, "wrong_payment", [
        ("enquire", "case_file", "12.18-12.20", "reasonable_time"),
        ("rectify", "case_file", "12.18-12.20", "reasonable_time")]),
    (STAR, Opener(verb="payment"), {"amount_cents": 100_001, "intentional": True}, "wrong_payment", [
        ("enquire", "case_file", "12.18-12.20", "reasonable_time"),
        ("rectify", "case_file", "12.18-12.20", "reasonable_time"),
        ("identify_patron", "case_file", "12.18-12.20", "reasonable_time"),
        ("notify_nicc", "nicc", "12.20.2", "month_end")]),
    (PREMIUM, Opener(verb="payment"), {"amount_cents": 250_000, "intentional": False}, "wrong_payment", [
        ("enquire", "case_file", "14.15-14.17", "reasonable_time"),
        ("rectify", "case_file", "14.15-14.17", "reasonable_time"), ("notify_nicc", "nicc", "14.17.2", "month_end")]),
    (RAPID, Opener(verb="payment"), {}, "", []),
    (CROWN, Opener(verb="payment"), {}, "", []),
    # P-81 to P-88, P-90, P-77
    (STAR, act("return_wager"), {}, "invalid_wager", [("return_wager", "player", "12.17, 12.21, 14.1", "at_once")]),
    (STAR, act("close_table"), {}, "notice", [
        ("sign_closure", "players", "14.10", "ahead"), ("close_table", CS, "14.10", "")]),
    (STAR, act("close_table"), {"patrons_at_table": False}, "notice", [("close_table", CS, "14.10", "")]),
    (STAR, act("raise_minimum"), {"notice_given": False}, "notice", [("raise_minimum", CS, "6.7.1", "")]),
    (STAR, act("change_game"), {"players_agree": True}, "notice", [("change_game", CS, "14.9", "")]),
    (PREMIUM, act("change_game"), {}, "notice", [
        ("sign_change_of_game", "players", "15.8", "ahead"), ("change_game", CS, "15.8", "")]),
    (CROWN, act("raise_minimum"), {}, "notice", [
        ("sign_raised_minimum", "players", "6.7", "ahead"), ("raise_minimum", AM, "6.7", "")]),
    (CROWN, act("close_table"), {}, "notice", [
        ("give_notice", "players", "15.8", "ahead"), ("close_table", HDD, "15.8", "")]),
    (RAPID, act("close_table"), {}, "notice", [
        ("sign_closure", "players", "12.8", "ahead"), ("close_table", CS, "12.8", "")]),
    (RAPID, act("raise_minimum"), {}, "", []),
    (CROWN, act("defer_commission"), {}, "deferred_commission", [
        ("settle_commission", "player", "9.3.1(a)", "end_of_shoe")]),
    (CROWN, act("jackpot_parameters"), {}, "jackpot_report", [("notify_vgccc", "vgccc", "13.4.1(a)", "before")]),
    (CROWN, act("jackpot_confirm"), {}, "jackpot_report", [
        ("notify_casino_manager", "casino_manager", "13.4.5", "at_once")]),
    (NZ, alarm("jackpot_not_incremented"), {}, "jackpot_round", [
        ("notify_supervisor", "game_supervisor", "18.19", "at_once"),
        ("make_good", "game_supervisor", "18.19, 18.20", "")]),
    (CROWN, alarm("jackpot_not_incremented"), {}, "jackpot_round", [
        ("notify_supervisor", AM, "13.4.9(b)", "at_once"), ("make_good", AM, "13.4.9(b)", "")]),
    (CROWN, report("tournament_intention"), {}, "tournament", [
        ("advise_inspectorate", "vgccc_inspectorate", "14.2.2(b)", "before")]),
    (CROWN, report("tournament_change"), {}, "tournament", [("notify_change", "vgccc", "14.4.1(c)", "before")]),
    (RAPID, act("withhold_winnings"), {}, "withheld_payment", [
        ("notify_inspector", "inspector", "9.2", "at_once"), ("inspector_review", "inspector", "9.2", "at_once")]),
    (CROWN, act("withhold_winnings"), {}, "", []),
    (STAR, act("restrict_side_wagers"), {}, "side_wagers", [
        ("notify_surveillance", "surveillance", "10.4.1, 10.11.1, 10.16.1, 10.21.1, 10.27.1, 10.32.1, 10.37.1",
         "before"),
        ("sign", "players", "10.4.1, 10.11.1, 10.16.1, 10.21.1, 10.27.1, 10.32.1, 10.37.1", "before")]),
    # P-91 to P-93
    (STAR, report("promotion_terms"), {}, "promotion", [("submit_terms", "nicc", "16.12", "ahead")]),
    (STAR, report("promotion_amended"), {}, "promotion", [("submit_amendment", "nicc", "16.12.1", "soon")]),
    (RAPID, report("promotion_amended"), {}, "promotion", [("get_approval", "authority", "10.9.1", "approval")]),
    (PREMIUM, report("promotion_compromised"), {}, "promotion", [
        ("report_compromise", "inspector", "16.11", "within")]),
    (RAPID, report("promotion_compromised"), {}, "promotion", [
        ("report_compromise", "inspector", "10.12", "at_once")]),
    (RAPID, report("large_draw"), {}, "promotion", [("call_scrutineer", "scrutineer", "10.2", "before")]),
    (STAR, report("draw_winner"), {}, "promotion", [("notify_winner", "winner", "16.8", "within")]),
    (RAPID, report("refused_claims"), {}, "promotion", [("keep_claims", "case_file", "10.10", "kept")]),
    (NZ, report("promotion_terms"), {}, "", []),
]  # fmt: skip


@pytest.mark.parametrize(("book", "opener", "facts", "kind", "steps"), CASES)
def test_what_opens_an_incident_and_its_steps(
    book: str, opener: Opener, facts: dict[str, bool | int], kind: str, steps: list[tuple[str, str, str, str]]
) -> None:
    assert incidents.kind_of(book, opener) == kind
    if kind:
        found = incidents.steps(book, kind, opener, facts, TIME, "the alarm's")
        assert [(step.name, ",".join(step.to) or step.role, step.clause, step.due) for step in found] == steps


@pytest.mark.parametrize(
    ("book", "name", "facts", "until"),
    [
        (STAR, "promotion_compromised", {}, "2026-02-02T10:00:00.000Z"),  # within 48 hours
        (STAR, "draw_winner", {}, "2026-02-02T10:00:00.000Z"),  # within 2 days
        (STAR, "promotion_terms", {"at": "2026-02-10T06:00:00.000Z"}, "2026-02-09T06:00:00.000Z"),  # 24 hours before
        (STAR, "promotion_terms", {}, ""),
        (STAR, "promotion_terms", {"at": "soon"}, ""),
        (RAPID, "promotion_compromised", {}, ""),  # immediately
    ],
)
def test_time_limits(book: str, name: str, facts: dict[str, str], until: str) -> None:
    opener = report(name)
    (step,) = incidents.steps(book, "promotion", opener, facts, TIME)
    assert step.until == until


def test_a_sign_of_a_closure_is_up_20_minutes_before() -> None:
    step, _ = incidents.steps(PREMIUM, "notice", act("close_table"), {"at": "2026-01-31T23:10:00.000Z"}, TIME)
    assert step.until == "2026-01-31T22:50:00.000Z"
