"""Roles of commands whose act depends on what they do to the coup on the table."""

from typing import Any

import pytest
from floor_commands_bench import CommandBench, signed
from sabot_gateway.incidents.book import IncidentBook
from shoe_events import cards
from verified_log import Log

_NOT_IN_ORDER = {"case": "bad_order", "facts": {"reconstructible": False}}
_IN_ORDER = {"case": "bad_order", "facts": {"reconstructible": True}}


@pytest.fixture
def bench() -> CommandBench:
    return CommandBench()


@pytest.mark.parametrize(
    ("book", "verb", "args", "lowest", "below"),
    [  # by people.md: what a report does to the coup decides who may make it
        ("star-rapid", "irregularity", _NOT_IN_ORDER, "assistant_gaming_manager", "casino_supervisor"),  # P-39
        ("star-rapid", "irregularity", {"case": "wrong_shoe"}, "assistant_gaming_manager", "casino_supervisor"),  # P-48
        ("star-rapid", "irregularity", {"case": "missing_or_foreign_card"}, "gaming_supervisor", "dealer"),  # P-42
        (
            "star-rapid",
            "void",
            {"reason": "short_shoe"},
            "assistant_gaming_manager",
            "casino_supervisor",
        ),  # P-39: it is full
        ("star-rapid", "irregularity", {"case": "burn_missed"}, "gaming_supervisor", "dealer"),
        ("star-baccarat", "irregularity", _NOT_IN_ORDER, "gaming_supervisor", "dealer"),  # P-39
        ("star-baccarat", "irregularity", _IN_ORDER, "gaming_supervisor", "dealer"),  # P-38
        ("nz-baccarat", "irregularity", _NOT_IN_ORDER, "casino_supervisor", "game_supervisor"),  # P-39: OP
        ("crown-baccarat", "irregularity", _NOT_IN_ORDER, "higher_duties_dealer", "dealer"),  # P-39
    ],
)
def test_a_report_that_voids_a_coup_needs_the_role_of_that_act(
    bench: CommandBench, book: str, verb: str, args: dict[str, Any], lowest: str, below: str
) -> None:
    bench.table.verifier.rulebook = book
    bench.give(signed(verb, role=below, args=args))
    assert bench.refused() == {"role": 1}
    bench.give(signed(verb, role=lowest, args=args))
    assert bench.refused() == {"role": 1}


@pytest.mark.parametrize(
    ("book", "case", "role", "allowed"),
    [  # by people.md P-44: auto, auto, the dealer, the dealer or who directs it, a supervisor's approval
        ("star-baccarat", "first_card_face_up", "dealer", True),
        ("star-premium", "first_card_face_up", "dealer", True),
        ("nz-baccarat", "first_card_face_up", "dealer", True),
        ("crown-baccarat", "first_card_face_up", "dealer", True),
        ("crown-baccarat", "excess_card", "dealer", False),  # 10.8.1
        ("crown-baccarat", "excess_card", "higher_duties_dealer", True),
        ("star-rapid", "first_card_face_up", "dealer", False),  # 11.8.14
        ("star-rapid", "first_card_face_up", "gaming_supervisor", True),
        ("star-baccarat", "first_card_face_up", "inspector", False),  # gives no commands
    ],
)
def test_a_report_that_takes_the_wagers_away_needs_the_role_of_that_act(
    bench: CommandBench, book: str, case: str, role: str, allowed: bool
) -> None:
    bench.table.verifier.rulebook = book
    facts = {"exposed": True} if case == "excess_card" else {}
    bench.give(signed("irregularity", role=role, args={"case": case, "facts": facts}))
    assert bench.refused() == ({} if allowed else {"role": 1})


def test_a_new_shoe_in_mid_coup_needs_the_role_that_voids_the_coup(bench: CommandBench) -> None:
    bench.table.verifier.rulebook = "star-rapid"  # P-08, P-39
    bench.give(signed("open-shoe", role="casino_supervisor"))
    assert bench.refused() == {}
    bench.table.follow(*cards(2, "9S 2H"))
    bench.give(signed("open-shoe", role="casino_supervisor"))
    assert bench.refused() == {"role": 1}


@pytest.mark.parametrize(
    ("book", "act", "facts", "lowest", "below"),
    [  # by people.md: what a person says about an act decides whose it is
        ("crown-baccarat", "burn_otherwise", {"cards_exposed": True}, "casino_manager", "area_manager"),  # P-06
        ("crown-baccarat", "burn_otherwise", {"cards_exposed": False}, "dealer", ""),  # P-06
        ("crown-baccarat", "dealing_style", {"three_card": True}, "casino_manager", "higher_duties_dealer"),  # P-31
        ("crown-baccarat", "unwagered_after_error", {"ordered_by_rule": False}, "higher_duties_dealer", "dealer"),
        (
            "star-rapid",
            "rebuild_wagers",
            {"automated_wheel_error": True},
            "electronic_gaming_supervisor",
            "casino_supervisor",
        ),
        ("nz-baccarat", "check_cards", {"prechecked": True}, "casino_supervisor", "game_supervisor"),  # P-01
        ("star-baccarat", "void_misdeal", {"notified_before_next": False}, "gaming_supervisor", "dealer"),  # a record
    ],
)
def test_a_recorded_act_needs_the_role_that_its_facts_ask_for(
    bench: CommandBench, book: str, act: str, facts: dict[str, bool], lowest: str, below: str
) -> None:
    log = Log(book)
    bench.table.verifier, bench.table.incidents = log.verifier, IncidentBook("bac-01", log.book)
    if below:
        bench.give(signed("record", role=below, args={"act": act, "facts": facts}))
        assert bench.refused() == {"role": 1}
    before = sum(bench.refused().values())
    reply = bench.give(signed("record", role=lowest, args={"act": act, "facts": facts}))
    assert reply is not None
    assert reply.ok, reply.say
    assert sum(bench.refused().values()) == before
