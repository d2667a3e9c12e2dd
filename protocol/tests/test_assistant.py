"""The irregularity assistant: questions, answers and steps; expected by hand from the rulebooks and people.md."""

from typing import get_args

import pytest
from sabot_protocol import assistant, authority, command_acts, irregularities
from sabot_protocol.assistant import Answer, HandState, Step, assist
from sabot_protocol.authority import Person
from sabot_protocol.irregularities import CASES, IrregularityError

BOOKS = ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")
DEALING = HandState(phase="dealing", coup="3/17", cards=3, first_coup_complete=True)
COMPLETE = HandState(phase="complete", coup="3/17", cards=4, first_coup_complete=True)
OVERDRAWN = COMPLETE._replace(cards=5, surplus=1, banker_draws=False, reported=frozenset({"player_overdraw"}))

NOT_IN_ORDER = {"reconstructible": False, "notified_before_next": True}


def steps(answer: Answer) -> list[str]:
    """Return each step as its name and who must approve."""
    return [f"{one.name}{'' if one.alone else f' with {one.role}'}" for one in answer.steps]


def test_every_case_is_in_one_group() -> None:
    grouped = [case for cases in assistant.GROUPS.values() for case in cases]
    assert sorted(grouped) == sorted(CASES)


@pytest.mark.parametrize(
    ("book", "case", "given", "state", "asked"),
    [  # only what decides this case in this book is asked, one fact at a time
        ("crown-baccarat", "player_overdraw", {}, DEALING, "banker_draws"),
        ("crown-baccarat", "player_overdraw", {"banker_draws": False}, DEALING, ""),  # 10.6.1(b): seen or not
        ("nz-baccarat", "player_overdraw", {"banker_draws": False}, DEALING, "exposed"),  # 12.1(b)
        ("nz-baccarat", "player_overdraw", {}, DEALING._replace(banker_draws=False), "exposed"),
        ("nz-baccarat", "player_overdraw", {}, DEALING._replace(banker_draws=True), ""),
        ("nz-baccarat", "player_overdraw", {}, DEALING._replace(banker_draws=False, dealt_face_up=True), ""),
        ("star-baccarat", "bad_order", {}, DEALING, "reconstructible"),
        ("star-baccarat", "bad_order", {"reconstructible": True}, DEALING, "notified_before_next"),
        ("star-rapid", "bad_order", {}, DEALING, "notified_before_next"),  # 11.8.1.3: never reconstructed
        ("star-rapid", "shoe_not_reading", {}, DEALING, "disadvantage"),
        ("star-premium", "shoe_not_reading", {}, DEALING, ""),
        ("nz-baccarat", "second_to_fourth_card_face_up", {}, DEALING, ""),  # the table's setup has the style
    ],
)
def test_the_next_question(book: str, case: str, given: dict[str, bool], state: HandState, asked: str) -> None:
    answer = assist(book, case, given, state, "dealer")
    assert answer.ask == asked
    assert bool(answer.code) is (not asked)


@pytest.mark.parametrize(
    ("book", "case", "given", "state", "role", "code", "expected"),
    [
        # The Star 12.3 makes the coup a no bet coup by itself, and so does the report (P-44).
        (
            "star-baccarat", "first_card_face_up", {}, DEALING, "dealer", "THIS_NO_BET",
            ["report with Casino Supervisor", "dispute with Casino Supervisor"],
        ),
        (
            "star-baccarat", "first_card_face_up", {}, DEALING._replace(cards=1), "dealer", "THIS_NO_BET",
            ["report", "dispute with Casino Supervisor"],
        ),
        # A shoe that takes no reports: who orders coups without wagers does it.
        (
            "star-baccarat", "first_card_face_up", {}, DEALING._replace(takes_reports=False), "dealer", "THIS_NO_BET",
            ["this_no_bet with Casino Supervisor", "report with Casino Supervisor", "dispute with Casino Supervisor"],
        ),
        # No wager is left after the reconstruction, once the log has it.
        (
            "star-baccarat", "bad_order", {"reconstructible": True, "notified_before_next": True},
            DEALING._replace(reported=frozenset({"bad_order"})), "dealer", "RECON_WITHDRAW",
            ["no_wager_left", "dispute with Casino Supervisor"],
        ),
        # Rapid 11.8.14: a supervisor authorises the dummy hand.
        (
            "star-rapid", "first_card_face_up", {}, DEALING, "dealer", "THIS_NO_BET",
            ["report with Casino Supervisor", "authorise with Casino Supervisor", "dispute with Casino Supervisor"],
        ),
        # Rapid 7.7.4.9: the dealer himself confirms (P-51); a supervisor approves the dummy hand (11.8.13).
        (
            "star-rapid", "player_overdraw", {}, OVERDRAWN._replace(dealt_face_up=True), "dealer", "NEXT_NO_BET",
            ["confirm", "authorise with Casino Supervisor", "dispute with Casino Supervisor"],
        ),
        # Crown 10.6.1(b): settle first, the Dummy Coup needs no authorisation; 7.1.5 lets the card go back.
        (
            "crown-baccarat", "player_overdraw", {}, OVERDRAWN, "dealer", "NEXT_NO_BET",
            [
                "card_returned with TG Higher Duties Dealer", "confirm with TG Higher Duties Dealer",
                "dispute with TG Higher Duties Dealer",
            ],
        ),
        # The Star 12.2: unseen, the card is the first of the next coup; nothing to do but Confirm.
        (
            "star-baccarat", "player_overdraw", {"exposed": False}, OVERDRAWN, "casino_supervisor", "NEXT_LIVE",
            ["confirm", "dispute"],
        ),
        # It was seen, which the shoe cannot know: the report makes the next coup a no bet coup.
        (
            "star-baccarat", "player_overdraw", {"exposed": True}, OVERDRAWN, "casino_supervisor", "NEXT_NO_BET",
            ["report", "confirm", "dispute"],
        ),
        # Rapid 11.8.1.3: the Assistant Gaming Manager voids the coup (P-39).
        (
            "star-rapid", "bad_order", {"notified_before_next": True}, DEALING, "casino_supervisor", "VOID",
            ["report with Assistant Gaming Manager", "dispute"],
        ),
        # Rapid 11.8.12: the dealer keys the card in, a Casino Supervisor approves (P-46).
        (
            "star-rapid", "misread_card", {}, DEALING._replace(fault="card", reported=frozenset({"misread_card"})),
            "dealer", "MANUAL_ENTRY", ["key_card with Casino Supervisor", "dispute with Casino Supervisor"],
        ),
        # New Zealand has no rule for it: who decides what no rule covers; and none for disputes.
        (
            "nz-baccarat", "misread_card", {}, DEALING._replace(fault="card", reported=frozenset({"misread_card"})),
            "casino_supervisor", "NO_RULE", ["key_card", "void", "clear_fault"],
        ),
        # Premium 14.12: three ways, the supervisor's choice (P-45).
        (
            "star-premium", "wrong_area", {}, DEALING, "dealer", "CHOICE",
            [
                "finish_valid with Casino Supervisor", "finish_reduced with Casino Supervisor",
                "report with Casino Supervisor", "dispute with Casino Supervisor",
            ],
        ),
        (
            "star-premium", "wrong_area", {}, DEALING._replace(reported=frozenset({"wrong_area"})), "dealer", "CHOICE",
            [
                "finish_valid with Casino Supervisor", "finish_reduced with Casino Supervisor",
                "this_no_bet with Casino Supervisor", "dispute with Casino Supervisor",
            ],
        ),
        # Crown 10.1.1: the first coup may be dealt again after the burn, or played on.
        (
            "crown-baccarat", "burn_missed", {},
            HandState(phase="dealing", coup="1/1", cards=2, fault="decision", reported=frozenset({"burn_missed"})),
            "higher_duties_dealer", "RESTART_SHOE", ["deal_again", "play_on", "dispute"],
        ),
        # The Star 12.13: a casino supervisor confirms the actual outcome, or voids (P-43).
        (
            "star-baccarat", "scan_discrepancy", {"confirmed": True},
            COMPLETE._replace(disputed=True, fault="decision"), "dealer", "CONFIRM",
            ["decide_confirmed with Casino Supervisor", "dispute with Casino Supervisor"],
        ),
        # Rapid 11.8.15: another shoe.
        (
            "star-rapid", "shoe_not_reading", {"disadvantage": False}, DEALING, "dealer", "SWAP_SHOE",
            ["export_coup with Casino Supervisor", "report with Casino Supervisor", "dispute with Casino Supervisor"],
        ),
        # Crown 10.8.1(a): a seen excess card is no case that a rule orders, so a supervisor directs the Dummy Coup.
        (
            "crown-baccarat", "excess_card", {"exposed": True},
            COMPLETE._replace(cards=5, surplus=1, reported=frozenset({"excess_card"})), "higher_duties_dealer",
            "NEXT_NO_BET", ["card_returned", "report", "confirm", "authorise", "dispute"],
        ),
        # No shoe is open: nothing can be reported to it.
        ("star-premium", "cut_missed", {}, HandState(phase="closed"), "dealer", "FINISH_RESHUFFLE",
         ["dispute with Casino Supervisor"]),
    ],
)  # fmt: skip
def test_the_steps(
    book: str, case: str, given: dict[str, bool], state: HandState, role: str, code: str, expected: list[str]
) -> None:
    answer = assist(book, case, given, state, role)
    assert (answer.code, steps(answer)) == (code, expected)


@pytest.mark.parametrize(
    ("book", "case", "given", "state", "absent"),
    [
        # What the shoe refuses now, or what is done already, is no step.
        ("star-baccarat", "first_card_face_up", {}, COMPLETE, "report"),  # every card is out
        ("star-baccarat", "first_card_face_up", {}, DEALING._replace(live=False), "this_no_bet"),
        ("star-baccarat", "scan_discrepancy", {"confirmed": False}, COMPLETE, "decide_void"),  # nothing is in dispute
        ("star-rapid", "player_overdraw", {}, OVERDRAWN._replace(dealt_face_up=True, fault="lid"), "confirm"),
        ("star-baccarat", "insufficient_cards", {}, COMPLETE, "report"),
        ("star-baccarat", "bad_order", NOT_IN_ORDER, HandState("bets"), "report"),
        ("star-rapid", "shoe_not_reading", {"disadvantage": False}, COMPLETE, "export_coup"),
    ],
)  # fmt: skip
def test_what_is_no_step(book: str, case: str, given: dict[str, bool], state: HandState, absent: str) -> None:
    answer = assist(book, case, given, state, "casino_supervisor")
    assert answer.code
    assert absent not in [one.name for one in answer.steps]


def test_a_shoe_that_runs_out_is_void_for_that_reason() -> None:
    state = DEALING._replace(reported=frozenset({"insufficient_cards"}))
    step = assist("star-baccarat", "insufficient_cards", {}, state, "casino_supervisor").steps[0]
    assert (step.verb, step.args["reason"], step.clause) == ("void", "short_shoe", "12.6, A-40")


def test_a_step_has_all_that_the_command_needs() -> None:
    answer = assist("star-rapid", "misread_card", {}, DEALING._replace(fault="card"), "dealer")
    key_card = answer.steps[0]
    assert (key_card.verb, key_card.clause, key_card.fields) == ("key-card", "11.8.12", ("card",))
    assert (key_card.first, key_card.second) == ("authorise", "casino_supervisor")
    angel_eye = DEALING._replace(takes_reports=False)
    no_bet = assist("star-baccarat", "first_card_face_up", {}, angel_eye, "dealer").steps[0]
    assert (no_bet.verb, no_bet.args, no_bet.clause) == ("this-no-bet", {"coup": "3/17"}, "12.3")
    no_rule = assist("crown-baccarat", "wrong_shoe", {}, DEALING, "higher_duties_dealer").steps[0]
    assert (no_rule.verb, no_rule.args["reason"], no_rule.fields) == ("void", "wrong_shoe", ("clause",))


@pytest.mark.parametrize(
    ("book", "role", "fields", "clause"),
    [
        ("star-rapid", "dealer", ("winner",), "7.5, 7.7.4.9, 7.7.4.10, 8.1"),
        ("star-baccarat", "casino_supervisor", (), "12.11"),
    ],
)
def test_the_result_is_asked_for_with_confirm_where_the_book_wants_it_first(
    book: str, role: str, fields: tuple[str, ...], clause: str
) -> None:
    found = assist(book, "missing_or_foreign_card", {}, COMPLETE, role).steps
    assert [(step.fields, step.clause) for step in found if step.verb == "confirm"] == [(fields, clause)]


def test_a_void_has_the_clause_of_the_void_where_the_case_is_reconstructed() -> None:
    state = DEALING._replace(reported=frozenset({"wrong_area"}))
    found = assist("star-baccarat", "wrong_area", {}, state, "casino_supervisor").steps
    assert [step.clause for step in found if step.verb == "void"] == ["12.1.2"]  # P-39; the case has 12.1.1


def test_a_complete_coup_stands_when_a_foreign_card_is_found() -> None:
    answer = assist("star-baccarat", "missing_or_foreign_card", {}, COMPLETE, "casino_supervisor")
    assert answer.say.startswith("No coup is void; every complete coup stands.")
    assert "confirm" in steps(answer)


@pytest.mark.parametrize(
    ("case", "given"), [("nonsense", {}), ("bad_order", {"moon": True}), ("bad_order", {"reconstructible": 1})]
)
def test_what_is_unknown_is_refused(case: str, given: dict[str, bool]) -> None:
    with pytest.raises(IrregularityError):
        assist("star-baccarat", case, given, DEALING, "dealer")


STATES = [
    HandState(phase, "3/17", cards, surplus, fault, disputed=disputed, awaiting=awaiting, reported=reported)
    for phase, cards in (("closed", 0), ("burning", 0), ("bets", 0), ("dealing", 2), ("complete", 4))
    for surplus, fault in ((0, ""), (1, ""), (0, "card"), (0, "decision"))
    for disputed, awaiting in ((False, True), (True, False))
    for reported in (frozenset[str](), frozenset(CASES))
]


@pytest.mark.parametrize("book", BOOKS)
def test_every_step_offered_is_allowed_or_names_who_must_approve(book: str) -> None:
    """Every case with every combination of facts in every state: the evaluator of commands is the judge."""
    roles = [role.id for role in authority.load(book).role]
    verdicts: dict[tuple[str, str, str, bool], bool] = {}
    count = 0
    for case in CASES:
        for facts in irregularities.combinations(case):
            for state in STATES:
                answer = assist(book, case, facts, state, "dealer")
                assert answer.code
                for step in answer.steps:
                    key = (act_of(book, step, case, facts, state), "dealer", step.second, step.alone)
                    verdicts.setdefault(key, allowed(book, *key[:3]))
                    count += 1
    assert count > 1000
    assert all(verdicts.values()), [key for key, fine in verdicts.items() if not fine]
    assert {second for _, _, second, alone in verdicts if not alone} <= set(roles)
    assert all(bool(second) is not alone for _, _, second, alone in verdicts)


def act_of(book: str, step: Step, case: str, facts: dict[str, bool], state: HandState) -> str:
    """Return the act as the gateway finds it."""
    if step.verb == "irregularity":
        return command_acts.act_of_report(book, case, facts, state.cards)
    if step.verb == "this-no-bet":
        return command_acts.act_of_this_no_bet(
            {irregularities.advise(book, case, facts).code} & codes_in_log(case, state)
        )
    if step.verb == "void" and step.args["reason"] == "short_shoe":
        return ""
    return command_acts.act_of(step.verb, step.args) or ""


def codes_in_log(case: str, state: HandState) -> set[str]:
    return set(get_args(irregularities.Code)) if case in state.reported and state.takes_reports else set()


def allowed(book: str, act: str, role: str, second: str) -> bool:
    one = Person("A. Smith", role)
    verdict = (
        command_acts.check(book, act, Person("B. Jones", second), one) if second else command_acts.check(book, act, one)
    )
    return verdict.allowed


@pytest.mark.parametrize(
    ("book", "case", "facts", "who"),
    [  # people.md P-44, by hand: who must approve a dealer's report that makes a coup one without wagers
        ("star-baccarat", "first_card_face_up", {}, ""),  # auto, 12.3
        ("star-baccarat", "first_card_exposed", {}, ""),
        ("star-baccarat", "excess_card", {"exposed": True, "last_coup": False}, ""),
        ("star-premium", "first_card_face_up", {}, ""),  # auto, 14.3
        ("star-premium", "banker_overdraw", {"exposed": True, "last_coup": False}, ""),
        ("nz-baccarat", "first_card_face_up", {}, ""),  # the dealer announces, 12.3
        ("nz-baccarat", "second_to_fourth_card_face_up", {"international": True}, ""),  # 15.11
        ("crown-baccarat", "first_card_face_up", {}, ""),  # 10.5.1
        ("crown-baccarat", "banker_overdraw", {"exposed": True, "last_coup": False}, ""),  # 10.6.2
        ("crown-baccarat", "excess_card", {"exposed": True, "last_coup": False}, "TG Higher Duties Dealer"),  # 10.8.1
        ("star-rapid", "first_card_face_up", {}, "Casino Supervisor"),  # 11.8.14
        ("star-rapid", "excess_card", {"exposed": True, "last_coup": False}, "Casino Supervisor"),  # 11.8.13
    ],
)
def test_who_must_approve_a_report_that_takes_the_wagers_away(
    book: str, case: str, facts: dict[str, bool], who: str
) -> None:
    assert irregularities.advise(book, case, facts).code in ("THIS_NO_BET", "NEXT_NO_BET")
    found = command_acts.grant(book, command_acts.act_of_report(book, case, facts), "dealer")
    assert found is not None
    assert (found.alone, found.title) == (not who, who)
    beside = command_acts.grant(book, command_acts.act_of_report(book, case, facts), "inspector")
    assert beside is None or not beside.alone
