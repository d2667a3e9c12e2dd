"""Every case of every book as printed, typed from the clauses; and files and questions that must be refused."""

from importlib.resources import files
from itertools import product

import pytest
from sabot_protocol import irregularities
from sabot_protocol.irregularities import CASES, Advice, IrregularityError, advise

BOOKS = ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")

# Case and the facts that are true (the others are false), then code and clauses in the order of BOOKS.
MATRIX = """
player_overdraw
    | NEXT_LIVE 12.2 | NEXT_LIVE 14.2 | NEXT_LIVE 12.1(b) | NEXT_NO_BET 10.6.1(b)
    | NEXT_NO_BET 11.8.3, 11.8.4, 11.8.13, A-32
player_overdraw exposed
    | NEXT_NO_BET 12.2, 12.3, A-19 | NEXT_NO_BET 14.2, 14.3, A-19 | NEXT_NO_BET 12.1(b) | NEXT_NO_BET 10.6.1(b)
    | NEXT_NO_BET 11.8.3, 11.8.4, 11.8.13, A-32
player_overdraw last_coup
    | NOT_USED 12.2, 4.9, 4.10 | NOT_USED 14.2, 4.9, 4.10 | NOT_USED 12.1(b), 11.2 | NEXT_NO_BET 10.6.1(b)
    | NOT_USED 11.8.3, 3.13, 3.14
player_overdraw exposed last_coup
    | NOT_USED 12.2, 4.9, 4.10 | NOT_USED 14.2, 4.9, 4.10 | NOT_USED 12.1(b), 11.2 | NEXT_NO_BET 10.6.1(b)
    | NOT_USED 11.8.3, 3.13, 3.14
player_overdraw banker_draws
    | BANKER_THIRD 12.2 | BANKER_THIRD 14.2 | BANKER_THIRD 12.1(a) | BANKER_THIRD 10.6.1(a) | BANKER_THIRD 11.8.3
player_overdraw banker_draws exposed
    | BANKER_THIRD 12.2 | BANKER_THIRD 14.2 | BANKER_THIRD 12.1(a) | BANKER_THIRD 10.6.1(a) | BANKER_THIRD 11.8.3
player_overdraw banker_draws last_coup
    | BANKER_THIRD 12.2 | BANKER_THIRD 14.2 | BANKER_THIRD 12.1(a) | BANKER_THIRD 10.6.1(a) | BANKER_THIRD 11.8.3
player_overdraw banker_draws exposed last_coup
    | BANKER_THIRD 12.2 | BANKER_THIRD 14.2 | BANKER_THIRD 12.1(a) | BANKER_THIRD 10.6.1(a) | BANKER_THIRD 11.8.3
banker_overdraw
    | NEXT_NO_BET 12.3 | NEXT_NO_BET 14.3 | NEXT_LIVE 12.2(a) | NEXT_NO_BET 10.6.2 | NEXT_NO_BET 11.8.4, 11.8.13
banker_overdraw exposed
    | NEXT_NO_BET 12.3 | NEXT_NO_BET 14.3 | NEXT_NO_BET 12.2(b) | NEXT_NO_BET 10.6.2 | NEXT_NO_BET 11.8.4, 11.8.13
banker_overdraw last_coup
    | NOT_USED 12.3, 4.9, 4.10 | NOT_USED 14.3, 4.9, 4.10 | NOT_USED 12.2, 11.2 | NEXT_NO_BET 10.6.2
    | NOT_USED 11.8.4, 3.13, 3.14
banker_overdraw exposed last_coup
    | NOT_USED 12.3, 4.9, 4.10 | NOT_USED 14.3, 4.9, 4.10 | NOT_USED 12.2, 11.2 | NEXT_NO_BET 10.6.2
    | NOT_USED 11.8.4, 3.13, 3.14
excess_card
    | NEXT_LIVE 12.3 | NEXT_LIVE 14.3 | NEXT_LIVE 12.2(a) | NEXT_LIVE 10.2 | NEXT_NO_BET 11.8.13, A-32
excess_card exposed
    | NEXT_NO_BET 12.3 | NEXT_NO_BET 14.3 | NEXT_NO_BET 12.2(b) | NEXT_NO_BET 10.8.1(a), 10.6, A-20
    | NEXT_NO_BET 11.8.13, A-32
excess_card last_coup
    | NOT_USED 12.3, 4.9, 4.10 | NOT_USED 14.3, 4.9, 4.10 | NOT_USED 12.2, 11.2 | NOT_USED 10.2
    | NOT_USED 11.8.13, 3.13, 3.14
excess_card exposed last_coup
    | NOT_USED 12.3, 4.9, 4.10 | NOT_USED 14.3, 4.9, 4.10 | NOT_USED 12.2, 11.2 | NEXT_NO_BET 10.8.1(a), 10.6, A-20
    | NOT_USED 11.8.13, 3.13, 3.14
first_card_face_up
    | THIS_NO_BET 12.3 | THIS_NO_BET 14.3 | THIS_NO_BET 12.3 | THIS_NO_BET 10.5.1 | THIS_NO_BET 11.8.4, 11.8.14
second_to_fourth_card_face_up
    | PLAY_ON 12.5 | PLAY_ON 14.5 | PLAY_ON 12.4 | PLAY_ON 10.5.2 | PLAY_ON 11.8.5
second_to_fourth_card_face_up international
    | PLAY_ON 12.5 | PLAY_ON 14.5 | THIS_NO_BET 15.11 | PLAY_ON 10.5.2 | PLAY_ON 11.8.5
third_card_face_up
    | PLAY_ON 12.5 | PLAY_ON 14.5 | PLAY_ON 12.4 | PLAY_ON 10.5.2 | PLAY_ON 11.8.5
insufficient_cards
    | VOID 12.6, A-40 | VOID 14.6, A-40 | VOID_NEW_CARDS 12.5 | VOID 10.10, A-40 | VOID 11.8.6, A-40
burn_missed
    | PLAY_ON 12.8 | PLAY_ON 14.8 | PLAY_ON 12.7 | RESTART_SHOE 10.1.1 | PLAY_ON 11.8.8
burn_missed first_coup_complete
    | PLAY_ON 12.8 | PLAY_ON 14.8 | PLAY_ON 12.7 | PLAY_ON 10.1 | PLAY_ON 11.8.8
cut_missed
    | FINISH_RESHUFFLE 12.7 | FINISH_RESHUFFLE 14.7 | NO_RULE | NO_RULE | FINISH_RESHUFFLE 11.8.7
not_shuffled_after_cutting_card
    | FINISH_RESHUFFLE 12.9 | FINISH_RESHUFFLE 14.9 | NO_RULE | NO_RULE | FINISH_RESHUFFLE 11.8.9
bad_order
    | PLAY_ON 12.1.4 | PLAY_ON 14.1.4 | PLAY_ON 12.8 | PLAY_ON 10.12 | PLAY_ON 11.8.1.5
bad_order reconstructible
    | PLAY_ON 12.1.4 | PLAY_ON 14.1.4 | PLAY_ON 12.8 | PLAY_ON 10.12 | PLAY_ON 11.8.1.5
bad_order notified_before_next
    | VOID 12.1.2 | VOID 14.1.2 | VOID 12.6 | VOID 10.11 | VOID 11.8.1.3
bad_order reconstructible notified_before_next
    | RECON_WITHDRAW 12.1.1 | RECON_WITHDRAW 14.1.1 | RECON_BINDING 12.6 | RECON_BINDING 10.11 | VOID 11.8.1.3
banker_got_players_card
    | PLAY_ON 12.1.4 | PLAY_ON 14.1.4 | PLAY_ON 12.8 | PLAY_ON 10.12 | PLAY_ON 11.8.1.5
banker_got_players_card reconstructible
    | PLAY_ON 12.1.4 | PLAY_ON 14.1.4 | PLAY_ON 12.8 | PLAY_ON 10.12 | PLAY_ON 11.8.1.5
banker_got_players_card notified_before_next
    | VOID 12.1.2 | VOID 14.1.2 | VOID 12.6 | VOID 10.11 | VOID 11.8.1.3
banker_got_players_card reconstructible notified_before_next
    | RECON_WITHDRAW 12.1.1 | RECON_WITHDRAW 14.1.1 | RECON_BINDING 12.6 | PLAYER_THIRD 10.3 | VOID 11.8.1.3
missing_or_foreign_card
    | VOID_CHECK 12.11 | VOID_CHECK 14.11 | NO_RULE | NO_RULE | VOID_CHECK 11.8.10
scan_discrepancy
    | VOID 12.13 | VOID 14.13 | NO_RULE | NO_RULE | VOID 11.8.11
scan_discrepancy confirmed
    | CONFIRM 12.13 | CONFIRM 14.13 | NO_RULE | NO_RULE | CONFIRM 11.8.11
wrong_shoe
    | NO_RULE | NO_RULE | NO_RULE | NO_RULE | VOID 11.8.2
wrong_area
    | RECON_WITHDRAW 12.1.1 | CHOICE 14.12.1 | RECON_BINDING 12.6 | CHOICE 10.7.1 | VOID 11.8.1.3
wrong_area international
    | RECON_WITHDRAW 12.1.1 | CHOICE 14.12.1 | WITHDRAW_OPTION 15.10(a) | CHOICE 10.7.1 | VOID 11.8.1.3
wrong_recipient
    | PLAY_ON 12.15 | CHOICE 14.12.2 | RECON_BINDING 12.6 | CHOICE 10.7.2 | NO_RULE
wrong_recipient international
    | PLAY_ON 12.15 | CHOICE 14.12.2 | WITHDRAW_OPTION 15.10(b) | CHOICE 10.7.2 | NO_RULE
misread_card
    | NO_RULE | NO_RULE | NO_RULE | NO_RULE | MANUAL_ENTRY 11.8.12
shoe_not_reading
    | NO_RULE | NO_RULE | NO_RULE | NO_RULE | SWAP_SHOE 11.8.15
shoe_not_reading disadvantage
    | NO_RULE | NO_RULE | NO_RULE | NO_RULE | NO_RULE
first_card_exposed
    | THIS_NO_BET 12.3, A-58 | THIS_NO_BET 14.3, A-58 | PLAY_ON 12.10(a), A-58 | PLAY_ON 10.9.1, A-58
    | THIS_NO_BET 11.8.4, 11.8.14
unauthorised_coup
    | NO_RULE | NO_RULE | NO_RULE | PLAY_ON 10.8.1, 10.8.2, A-57 | PLAY_ON 11.8.13, 11.8.14, A-57
"""


def typed() -> list[tuple[str, str, frozenset[str], str, str]]:
    """The matrix as book, case, true facts, code, clause."""
    lines = MATRIX.replace("\n    |", " |").strip().splitlines()
    found = []
    for head, *cells in (line.split(" | ") for line in lines):
        case, *true = head.split()
        for book, cell in zip(BOOKS, cells, strict=True):
            code, _, clause = cell.partition(" ")
            found.append((book, case, frozenset(true), code, clause))
    return found


def context(case: str, true: frozenset[str]) -> dict[str, bool]:
    return {fact: fact in true for fact in CASES[case]}


@pytest.mark.parametrize(("book", "case", "true", "code", "clause"), typed())
def test_values_printed_in_the_rulebooks(book: str, case: str, true: frozenset[str], code: str, clause: str) -> None:
    assert true <= set(CASES[case])
    advice = advise(book, case, context(case, true))
    assert (advice.code, advice.clause) == (code, clause)


def test_the_matrix_is_whole() -> None:
    combinations = {
        (book, case, frozenset(fact for fact, value in zip(facts, values, strict=True) if value))
        for book in BOOKS
        for case, facts in CASES.items()
        for values in product((False, True), repeat=len(facts))
    }
    requests = [(book, case, true) for book, case, true, _, _ in typed()]
    assert len(CASES) == 21
    assert len(requests) == len(set(requests)) == 5 * 46
    assert set(requests) == combinations


def test_the_five_books() -> None:
    assert irregularities.ids() == sorted(BOOKS)


@pytest.mark.parametrize("book", BOOKS)
def test_next_steps_are_one_or_two_whole_sentences(book: str) -> None:
    for case, rows in irregularities.load(book).cases.items():
        for row in rows:
            assert row.say.endswith("."), case
            assert row.say.count(". ") <= 1, f"{case}: more than two sentences"
            assert row.say[0].isupper(), case


# Whom the clause or the reading names, and what it grants: typed from the texts.
STEPS = [
    ("star-baccarat", "bad_order", "notified_before_next", "casino supervisor, who must authorise"),
    ("star-baccarat", "bad_order", "notified_before_next", "if every player agrees"),
    (
        "star-baccarat",
        "bad_order",
        "notified_before_next reconstructible",
        "let every player withdraw the wager, but change nothing else",
    ),
    ("star-baccarat", "missing_or_foreign_card", "", "Surveillance and the Inspector"),
    ("star-baccarat", "missing_or_foreign_card", "", "at the table"),
    ("star-baccarat", "insufficient_cards", "", "The shoe ends here"),
    ("star-premium", "bad_order", "notified_before_next", "casino supervisor, who must authorise"),
    ("star-premium", "wrong_area", "", "monthly report"),
    ("star-premium", "wrong_recipient", "", "retract or reduce"),
    ("nz-baccarat", "bad_order", "notified_before_next reconstructible", "nobody may withdraw"),
    ("nz-baccarat", "player_overdraw", "exposed", "Void Hand"),
    ("nz-baccarat", "insufficient_cards", "", "replaced or, where allowed, reshuffled"),
    ("nz-baccarat", "wrong_area", "international", "withdraw whole wagers"),
    ("crown-baccarat", "player_overdraw", "", "Settle this Coup first"),
    ("crown-baccarat", "excess_card", "exposed", "TG Higher Duties Dealer (or above) to direct a Dummy Coup"),
    ("crown-baccarat", "first_card_face_up", "", "Run and Dragon Tail wagers"),
    ("crown-baccarat", "shoe_not_reading", "", "TG Area Manager (or above)"),
    ("star-rapid", "bad_order", "notified_before_next", "Assistant Gaming Manager must authorise"),
    ("star-rapid", "wrong_shoe", "", "Assistant Gaming Manager must authorise"),
    ("star-rapid", "excess_card", "", "supervisor must approve"),
    ("star-rapid", "misread_card", "", "Casino Supervisor's approval"),
    ("star-rapid", "misread_card", "", "value and suit"),
]


@pytest.mark.parametrize(("book", "case", "true", "step"), STEPS)
def test_who_must_authorise_and_what(book: str, case: str, true: str, step: str) -> None:
    assert step in advise(book, case, context(case, frozenset(true.split()))).say


@pytest.mark.parametrize("book", BOOKS)
def test_where_the_rulebook_is_silent_a_supervisor_is_called(book: str) -> None:
    silent = [row for rows in irregularities.load(book).cases.values() for row in rows if row.code == "NO_RULE"]
    assert silent
    for row in silent:
        assert "upervisor, who decides" in row.say or "TG Higher Duties Dealer (or above), who decides" in row.say


def test_facts_that_change_nothing_may_be_missing() -> None:
    third = advise("star-baccarat", "player_overdraw", {"banker_draws": True})
    assert third.code == "BANKER_THIRD"
    assert advise("crown-baccarat", "player_overdraw", {"banker_draws": False}).code == "NEXT_NO_BET"
    assert advise("star-premium", "wrong_area", {}).code == "CHOICE"
    assert advise("star-rapid", "bad_order", {"notified_before_next": True}).code == "VOID"
    assert advise("star-baccarat", "banker_overdraw", {"last_coup": False}).code == "NEXT_NO_BET"
    assert isinstance(third, Advice)


@pytest.mark.parametrize(
    ("book", "case", "facts", "error"),
    [
        (
            "star-baccarat",
            "player_overdraw",
            {"banker_draws": False, "last_coup": False},
            "context.exposed: missing; the answer of star-baccarat to player_overdraw depends on it",
        ),
        ("star-baccarat", "player_overdraw", {}, "context.banker_draws, context.exposed, context.last_coup: missing"),
        ("crown-baccarat", "player_overdraw", {}, "context.banker_draws: missing"),
        ("crown-baccarat", "excess_card", {"exposed": False}, "context.last_coup: missing"),
        ("nz-baccarat", "wrong_recipient", {}, "context.international: missing"),
        ("nz-baccarat", "bad_order", {"notified_before_next": True}, "context.reconstructible: missing"),
        ("star-rapid", "shoe_not_reading", {}, "context.disadvantage: missing"),
        ("star-rapid", "bad_order", {"reconstructible": True}, "context.notified_before_next: missing"),
        (
            "star-rapid",
            "banker_overdraw",
            {"wet": True},
            "context.wet: unknown fact 'wet': banker_overdraw is decided by exposed, last_coup",
        ),
        ("star-rapid", "wrong_shoe", {"dry": True}, "unknown fact 'dry': wrong_shoe is decided by no facts"),
        ("nz-baccarat", "wrong_area", {"international": 1}, "context.international: 1 is neither true nor false"),
        (
            "nz-baccarat",
            "wrong_area",
            {"international": "true"},
            "context.international: 'true' is neither true nor false",
        ),
        ("nz-baccarat", "wrong_area", {"international": None}, "context.international: None is neither true nor false"),
        ("star-baccarat", "wrong_area", {"international": 0}, "context.international: 0 is neither true nor false"),
        ("star-baccarat", "hurricane", {}, "unknown case 'hurricane': choose one of player_overdraw, banker_overdraw"),
        (
            "macau",
            "cut_missed",
            {},
            "unknown rulebook 'macau': choose one of crown-baccarat, nz-baccarat, star-baccarat",
        ),
    ],
)
def test_a_request_that_cannot_be_answered(book: str, case: str, facts: dict[str, object], error: str) -> None:
    with pytest.raises(IrregularityError) as refused:
        advise(book, case, facts)
    assert error in str(refused.value)


GOOD = (files("sabot_protocol") / "rulebooks" / "irregularities" / "star-rapid.toml").read_text()
SHOE = """[[cases.wrong_shoe]]
code = "VOID"
clause = "11.8.2"
"""
SILENT = """code = "NO_RULE"
clause = ""
say = "The rulebook has no rule for a reading"""
SWAP = """when = { disadvantage = false }
code = "SWAP_SHOE"
"""


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ('id = "star-rapid"', 'id = "other"', "id is 'other', which is not the file name"),
        ('id = "star-rapid"', "id = 5", "$.id"),
        ('id = "star-rapid"', 'id = "star-rapid"\ncolour = 3', "colour"),
        ('id = "star-rapid"', 'id = "star-rapid" 5', "line 2"),
        ("[[cases.wrong_shoe]]", "[[cases.lost_shoe]]", "cases.lost_shoe: unknown case"),
        ("[[cases.wrong_shoe]]", "[[cases.wrong_area]]", "cases.wrong_shoe is missing"),
        ("[[cases.wrong_shoe]]", "[cases.wrong_shoe]", "cases.wrong_shoe: Expected `array`"),
        (SHOE, SHOE.replace("VOID", "VODI"), "cases.wrong_shoe: Invalid enum value 'VODI' - at `$[0].code`"),
        (SHOE, SHOE.replace('clause = "11.8.2"', ""), "cases.wrong_shoe: Object missing required field `clause`"),
        (SHOE, SHOE + "colour = 3\n", "cases.wrong_shoe: Object contains unknown field `colour`"),
        (SHOE, SHOE.replace("11.8.2", ""), "cases.wrong_shoe: row 1: clause is '': NO_RULE must have none"),
        (SHOE, SHOE.replace("VOID", "NO_RULE"), "cases.wrong_shoe: row 1: clause is '11.8.2': NO_RULE must have none"),
        (SHOE, SHOE + "when = { exposed = true }\n", "cases.wrong_shoe: row 1: unknown fact 'exposed'"),
        (SWAP, SWAP.replace("false", '"no"'), "cases.shoe_not_reading: Expected `bool`"),
        (SWAP, SWAP.replace("false", "1"), "cases.shoe_not_reading: Expected `bool`"),
        (SWAP, 'code = "SWAP_SHOE"\n', "cases.shoe_not_reading: row 2 is never reached"),
        (
            SILENT,
            f"when = {{ disadvantage = false }}\n{SILENT}",
            "cases.shoe_not_reading: no row applies to disadvantage = true",
        ),
        (
            "say = \"With the Casino Supervisor's approval, key the card's value and suit in at the dealer terminal.\"",
            'say = ""',
            "cases.misread_card: Expected `str` of length >= 1",
        ),
    ],
)
def test_a_bad_file_is_refused_with_file_key_and_reason(old: str, new: str, error: str) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(IrregularityError) as refused:
        irregularities.parse("star-rapid.toml", GOOD.replace(old, new))
    assert error in str(refused.value)
    assert "irregularities star-rapid.toml: " in str(refused.value)


def test_a_case_without_rows_is_refused() -> None:
    rows = GOOD[GOOD.index("[[cases.shoe_not_reading]]") : GOOD.index("[[cases.first_card_exposed]]")]
    empty = GOOD.replace(rows, "").replace('id = "star-rapid"', 'id = "star-rapid"\ncases.shoe_not_reading = []')
    with pytest.raises(IrregularityError, match=r"cases.shoe_not_reading: no row applies to disadvantage = false"):
        irregularities.parse("star-rapid.toml", empty)


def test_the_good_file_is_good() -> None:
    assert irregularities.parse("star-rapid.toml", GOOD) == irregularities.load("star-rapid")
