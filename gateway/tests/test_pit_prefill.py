"""What the pit console fills in: clause, role and second person of each act, as people.md has them for each book."""

import inspect

import pytest
from sabot_floor.web.views.pit_prefill import NEED_CLAUSE, for_act, for_verb
from sabot_gateway.operator.verbs import VERBS
from sabot_gateway.operator.verbs.verb import TableVerb
from sabot_protocol import clauses, rulebooks

STAR, PREMIUM, NZ, CROWN, RAPID = "star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid"


@pytest.mark.parametrize(
    ("book", "verb", "args", "clause", "role"),
    [  # by the rows P-nn of people.md, each cell read there
        (STAR, "decide", {}, "12.13", "Casino Supervisor"),  # P-43
        (PREMIUM, "decide", {}, "14.13", "Casino Supervisor"),
        (RAPID, "decide", {}, "11.8.11", "Casino Supervisor"),
        (STAR, "void", {"reason": "misdeal"}, "12.1.2", "Casino Supervisor"),  # P-39
        (RAPID, "void", {}, "11.8.1.3", "Assistant Gaming Manager"),
        (NZ, "void", {"reason": "misdeal"}, "12.6", "Casino Supervisor"),  # the operator, by our reading
        (CROWN, "void", {"reason": "misdeal"}, "10.11", "TG Higher Duties Dealer"),
        (RAPID, "void", {"reason": "wrong_shoe"}, "11.8.2", "Assistant Gaming Manager"),  # P-48
        (PREMIUM, "no-bet", {}, "7.4", "Assistant Gaming Manager"),  # P-37
        (CROWN, "open-shoe", {}, "4.4.1", "TG Higher Duties Dealer"),  # P-08
        (STAR, "deck-check", {}, "3.11", "Casino Supervisor or Inspector"),  # P-02
        (RAPID, "this-no-bet", {}, "", "Casino Supervisor"),  # P-37: no rule
        (STAR, "this-no-bet", {}, "7.4", "Casino Supervisor"),
        (PREMIUM, "this-no-bet", {}, "7.4", "Assistant Gaming Manager"),
    ],
)
def test_clause_and_role_are_those_of_the_book(
    book: str, verb: str, args: dict[str, str], clause: str, role: str
) -> None:
    found = for_verb(book, verb, args)
    assert (found.clause, found.role) == (clause, role)


def test_a_card_is_keyed_in_by_two_people_at_rapid_alone() -> None:
    assert (for_verb(RAPID, "key-card", {}).clause, for_verb(RAPID, "key-card", {}).second) == (
        "11.8.12",
        "Casino Supervisor",
    )
    for book in (STAR, PREMIUM, NZ, CROWN):
        assert (for_verb(book, "key-card", {}).clause, for_verb(book, "key-card", {}).second) == ("", "")


def test_the_facts_choose_the_clause() -> None:
    assert for_act(RAPID, "unwagered_after_error", {"system_prompted": True}).clause == "11.8.14"
    assert for_act(CROWN, "burn_otherwise", {"cards_exposed": True}).role == "Casino Manager"
    running = for_act(NZ, "replace_cards", {"coup_running": True})  # no rule fits: as without facts
    assert (running.clause, running.role, running.never) == ("7.9", "Casino Supervisor", False)


def test_what_nobody_may_do_is_shown_as_such() -> None:
    assert for_verb(RAPID, "burn-card", {}).never  # P-06, 3.12
    assert for_verb(RAPID, "burn-card", {}).clause == "3.12"


def test_without_a_rule_the_role_of_the_reading_decides() -> None:
    found = for_verb(CROWN, "decide", {})
    assert (found.clause, found.role, found.title) == ("", "TG Higher Duties Dealer", "")
    assert "dealer" not in found.may
    assert {"higher_duties_dealer", "area_manager", "casino_manager"} <= set(found.may)


def test_a_void_for_too_few_cards_has_its_clause_and_the_role_of_the_reading() -> None:
    found = for_verb(STAR, "void", {"reason": "short_shoe"})
    assert (found.clause, found.role) == ("12.6", "Casino Supervisor")


def test_people_beside_the_order_give_no_commands() -> None:
    assert "inspector" not in for_verb(STAR, "no-more-bets", {}).may
    assert "dealer" in for_verb(STAR, "no-more-bets", {}).may
    assert "inspector" in for_verb(STAR, "deck-check", {}).may


def test_every_clause_filled_in_is_one_of_the_book() -> None:
    for book in rulebooks.ids():
        for verb in VERBS:
            if clause := for_verb(book, verb, {}).clause:
                assert clauses.named(book, clause) == clause


def test_the_verbs_that_need_a_clause_are_those_of_the_gateway() -> None:
    needing = {
        name
        for name, verb in VERBS.items()
        if inspect.isclass(verb) and issubclass(verb, TableVerb) and verb.needs_clause
    }
    assert needing == NEED_CLAUSE
