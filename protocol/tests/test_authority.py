"""Who may do what: the evaluator, the people of one act, and files that must be refused."""

from importlib.resources import files

import pytest
from sabot_protocol import authority, rulebooks
from sabot_protocol.authority import AuthorityError, Person, check, check_people

ANNE, BORIS = "Anne Smith", "Boris Lee"


def test_the_example_of_the_contract() -> None:
    verdict = check("star-baccarat", "void_misdeal", "casino_supervisor", {})
    assert verdict[:3] == (True, False, "12.1.2")
    assert verdict.say == "a Casino Supervisor may do this; the lowest role that may is Casino Supervisor (12.1.2)"
    assert (verdict.must, verdict.enforced, verdict.row) == (True, True, "P-39")


def test_a_lower_role_reads_why() -> None:
    verdict = check("star-rapid", "void_misdeal", "cs")
    assert not verdict.allowed
    assert verdict.say == (
        "a Casino Supervisor may not do this; the lowest role that may is Assistant Gaming Manager (11.8.1.3)"
    )


@pytest.mark.parametrize(
    "name", ["hdd", "HDD", "TG Higher Duties Dealer", "tg-higher-duties-dealer", " higher_duties_dealer "]
)
def test_the_names_of_a_role(name: str) -> None:
    assert authority.find_role("crown-baccarat", name).id == "higher_duties_dealer"


def test_an_inclusive_role() -> None:
    """The Star 1.1: a Casino Supervisor includes a Gaming Supervisor; Premium's Assistant Gaming Manager is above."""
    assert check("star-baccarat", "decide_discrepancy", "gaming_supervisor").allowed
    assert check("star-baccarat", "decide_discrepancy", "assistant_gaming_manager").allowed
    assert not check("star-premium", "deal_unwagered", "casino_supervisor").allowed
    assert check("star-premium", "deal_unwagered", "assistant_gaming_manager").allowed


@pytest.mark.parametrize(
    ("book", "act", "role", "context", "error"),
    [
        ("macau", "void_misdeal", "dealer", {}, "unknown rulebook 'macau': choose one of crown-baccarat, nz-bac"),
        (
            "star-baccarat",
            "void_mideal",
            "dealer",
            {},
            "star-baccarat has no act 'void_mideal'; there are check_cards, ",
        ),
        (
            "nz-baccarat",
            "void_misdeal",
            "gaming_manager",
            {},
            "nz-baccarat has no role 'gaming_manager'; there are dealer, ",
        ),
        ("nz-baccarat", "void_misdeal", "", {}, "nz-baccarat has no role ''"),
        (
            "nz-baccarat",
            "reopen_wagers",
            "cs",
            {"wet": True},
            "context.wet: unknown fact; reopen_wagers in nz-baccarat is decided by exposed; all facts: ",
        ),
        ("nz-baccarat", "reopen_wagers", "cs", {"exposed": 0}, "context.exposed: 0 is neither true nor false"),
    ],
)
def test_what_there_is_not(book: str, act: str, role: str, context: dict[str, object], error: str) -> None:
    with pytest.raises(AuthorityError) as caught:
        check(book, act, role, context)
    assert str(caught.value).startswith(error)


def test_facts_of_other_acts_change_nothing() -> None:
    assert check("star-baccarat", "close_table", "cs", {"exposed": True, "notice_given": True}).allowed
    of_the_case = {"reconstructible": False, "notified_before_next": True, "banker_draws": True}
    assert check("star-baccarat", "void_misdeal", "cs", of_the_case).allowed


def test_a_fact_that_is_not_given_is_taken_as_the_rule_needs_it() -> None:
    """The Star 12.12: not Method A, nothing exposed."""
    assert check("star-baccarat", "reopen_wagers", "cs").assumed == ("exposed", "method_a")
    assert check("star-baccarat", "reopen_wagers", "cs", {"exposed": False, "method_a": False}).assumed == ()
    refused = check("star-baccarat", "reopen_wagers", "gaming_manager", {"exposed": True})
    assert not refused.allowed
    assert refused.say == (
        "the rulebook allows this only if no card has been exposed and the game is not dealt by Method A (12.12)"
    )


def test_what_a_book_does_not_have() -> None:
    silent = check("star-baccarat", "key_in_card", "gaming_manager")
    assert (silent.allowed, silent.basis, silent.clause) == (False, "silent", "")
    assert silent.say == "star-baccarat has no rule for this"
    elsewhere = check("nz-baccarat", "close_table", "cs")
    assert elsewhere.say.endswith("it is ruled in division 1 (2.1), which is not part of this text")


def test_who_decides_without_a_rule() -> None:
    """A-80, by the general reading for acts without a named role."""
    deciding = {book: authority.role_without_rule(book) for book in rulebooks.ids()}
    assert deciding == {
        "star-baccarat": "casino_supervisor",
        "star-premium": "casino_supervisor",
        "star-rapid": "casino_supervisor",
        "nz-baccarat": "casino_supervisor",
        "crown-baccarat": "higher_duties_dealer",
    }
    assert authority.role_without_rule("nz-baccarat", "gs") == "game_supervisor"


def test_the_lowest_role_of_an_act() -> None:
    assert authority.lowest_role("nz-baccarat", "jackpot_adjust") == "game_supervisor"
    assert authority.lowest_role("nz-baccarat", "jackpot_invalid") == "casino_supervisor"
    assert authority.lowest_role("star-baccarat", "jackpot_adjust") == ""


def test_the_site_names_the_operator() -> None:
    """New Zealand: the operator is the Casino Supervisor, or the role that he delegates to."""
    assert not check("nz-baccarat", "jackpot_invalid", "gs").allowed
    assert check("nz-baccarat", "jackpot_invalid", "gs", operator="gs").allowed
    assert not check("nz-baccarat", "open_banker_first", "gs", operator="gs").allowed  # 8.17 names the role
    assert not check("star-baccarat", "dispute_final", "gm").allowed
    assert check("star-baccarat", "dispute_final", "gm", operator="gm").allowed


def test_acts_that_only_people_can_do_are_not_enforced() -> None:
    assert not check("star-baccarat", "exclude_from_casino", "cs").enforced
    assert not check("crown-baccarat", "detain_person", "am").enforced
    assert check("star-baccarat", "void_foreign_card", "cs").enforced


@pytest.mark.parametrize("name", [ANNE, "anne  SMITH ", "Anne\tSmith"])
def test_nobody_approves_his_own_request(name: str) -> None:
    """Also when a Higher Duties Dealer deals (Crown 1.2)."""
    dealing = Person(ANNE, "hdd")
    refused = check_people("crown-baccarat", "deal_unwagered", dealing, Person(name, "hdd"))
    assert not refused.allowed
    assert "asks for this and cannot approve it" in refused.say
    assert check_people("crown-baccarat", "deal_unwagered", dealing, Person(BORIS, "hdd")).allowed
    assert check_people("crown-baccarat", "deal_unwagered", None, Person(ANNE, "hdd")).allowed
    assert not check_people("crown-baccarat", "deal_unwagered", dealing, Person(BORIS, "dealer")).allowed
    assert not check_people("crown-baccarat", "deal_unwagered", dealing, Person(" ", "hdd")).allowed


@pytest.mark.parametrize(
    ("asks", "approves", "allowed"),
    [
        (Person(ANNE, "dealer"), Person(BORIS, "casino_supervisor"), True),
        (Person(ANNE, "casino_supervisor"), Person(BORIS, "gaming_supervisor"), True),
        (Person(ANNE, "dealer"), Person(BORIS, "dealer"), False),
        (Person(ANNE, "casino_supervisor"), Person(BORIS, "dealer"), False),
        (Person(ANNE, "inspector"), Person(BORIS, "casino_supervisor"), False),
        (Person(ANNE, "dealer"), Person(ANNE, "casino_supervisor"), False),
        (Person("", "dealer"), Person(BORIS, "casino_supervisor"), False),
        (None, Person(BORIS, "casino_supervisor"), False),
    ],
)
def test_a_card_is_keyed_in_by_two_people(asks: Person | None, approves: Person, allowed: bool) -> None:
    """Rapid 11.8.12: the dealer may, with Casino Supervisor approval."""
    verdict = check_people("star-rapid", "key_in_card", asks, approves)
    assert verdict.allowed is allowed
    assert (verdict.clause, verdict.second_role) == ("11.8.12", "casino_supervisor")
    assert verdict.say


def test_a_second_person_from_outside() -> None:
    """New Zealand 17.8: a limit set by the operator and approved by the Secretary."""
    operator, secretary = Person(ANNE, "operator"), Person(BORIS, "secretary")
    assert check_people("nz-baccarat", "cap_payout", operator, secretary).allowed
    assert not check_people("nz-baccarat", "cap_payout", secretary, operator).allowed
    assert not check_people("nz-baccarat", "cap_payout", operator, Person(BORIS, "cs")).allowed
    assert check_people("nz-baccarat", "cap_payout", None, operator, {"insurance": True}).allowed  # 11H.5(a)


def test_the_hash_covers_authority_and_a_profile_does_not() -> None:
    """A change of who may do what is a change of the rulebook; the shoes need no new profile for it."""
    changed = _parsed(
        'void_misdeal = { row = "P-39", role = "casino_supervisor"', 'void_misdeal = { row = "P-39", role = "dealer"'
    )
    book = rulebooks.load("star-baccarat")
    assert changed.digest() != book.digest()
    assert changed.profile(8, 1) == book.profile(8, 1)


def _parsed(old: str, new: str) -> rulebooks.Rulebook:
    text = (files("sabot_protocol.rulebooks") / "star-baccarat.toml").read_text()
    assert text.count(old) == 1
    return rulebooks.parse("star-baccarat.toml", text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('open_banker_first = { row = "P-35", silent = true }\n', "", "act.open_banker_first: missing"),
        ("open_banker_first = {", "open_hands = {", "act.open_banker_first: missing"),
        ("[authority.act]\n", '[authority.act]\ndance = { row = "P-35", silent = true }\n', "act.dance: unknown act"),
        ('open_banker_first = { row = "P-35"', 'open_banker_first = { row = "P-36"', "row 'P-36' is not P-35"),
        (
            'row = "P-22", role = "dealer"',
            'row = "P-22", role = "croupier"',
            "act.no_more_bets: rule 1: no role 'croupier'",
        ),
        (
            'row = "P-22", role = "dealer"',
            'row = "P-22"',
            "act.no_more_bets: rule 1: a rule needs a role, or one of auto",
        ),
        (
            'row = "P-22", role = "dealer"',
            'row = "P-22", auto = true, role = "dealer"',
            "a rule needs a role, or one of",
        ),
        ('row = "P-22", role = "dealer"', 'row = "P-22", auto = true, free = true', "more than one of auto, free"),
        ('row = "P-22", role = "dealer", clause = "7.1"', 'row = "P-22", role = "dealer"', "clause is missing"),
        (
            "when = { scanning_shoe = false }",
            "when = { wet = false }",
            "act.replace_same_back: rule 2: unknown fact 'wet'",
        ),
        (
            "when = { scanning_shoe = false }",
            "when = { scanning_shoe = true }",
            "act.replace_same_back: rule 2 is never reached",
        ),
        (
            'clause = "4.13", notify = ["inspector"]',
            'clause = "4.13", notify = ["press"]',
            "notify: unknown party 'press'",
        ),
        ('operator = "operator"', 'operator = "owner"', "authority.operator: no role 'owner'"),
        (
            'under = "operator"',
            'under = "owner"',
            "authority.role tournament_manager: under 'owner' is not a role in the order",
        ),
        ('aliases = ["tm"]', 'aliases = ["gm"]', "authority.role: 'gm' is there twice"),
        ("shoe_void = {", "shoe_empty = {", "authority.report.shoe_empty: unknown report"),
        ('row = "P-74"', 'row = "P-75"', "authority.report.shoe_void: row 'P-75' is not P-74"),
        ('to = ["inspector"], due = "daily"', 'to = ["press"], due = "daily"', "to: unknown party 'press'"),
        ('after = ["void_shoe"]', 'after = ["void_ship"]', "after: no act 'void_ship'"),
        ('due = "month_end", over', 'due = "within", over', "authority.report.large_wrong_payment: minutes or coups"),
        ('due = "month_end", over', 'due = "someday", over', "Invalid enum value 'someday'"),
        ("[authority.act]\n", "[authority.act]\n[authority.deed]\n", "unknown field `deed`"),
    ],
)
def test_a_file_that_is_wrong_is_refused(old: str, new: str, problem: str) -> None:
    with pytest.raises(rulebooks.RulebookError) as caught:
        _parsed(old, new)
    assert str(caught.value).startswith("rulebook star-baccarat.toml: ")
    assert problem in str(caught.value)
