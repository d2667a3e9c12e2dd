"""Roles of commands whose act depends on what they do to the coup on the table."""

from typing import Any

import pytest
from floor_commands_bench import CommandBench, signed
from shoe_events import cards

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
        ("star-rapid", "void", {"reason": "short_shoe"}, "gaming_supervisor", "dealer"),
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


def test_a_new_shoe_in_mid_coup_needs_the_role_that_voids_the_coup(bench: CommandBench) -> None:
    bench.table.verifier.rulebook = "star-rapid"  # P-08, P-39
    bench.give(signed("open-shoe", role="casino_supervisor"))
    assert bench.refused() == {}
    bench.table.follow(*cards(2, "9S 2H"))
    bench.give(signed("open-shoe", role="casino_supervisor"))
    assert bench.refused() == {"role": 1}
