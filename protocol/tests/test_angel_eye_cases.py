"""The generator of cases for the Angel Eye: it repeats itself, reaches everything, and two gateways agree."""

import itertools

from angel_eye_cases import Case, at_two_gateways, random_case, systematic_cases
from angel_eye_reference import NAMES, Report, decode, session

STATUSES = {"complete", "disputed", "partial", "incomplete", "forced_end", "open"}
FLAGS = {
    "first_card_missing",
    "carried_first_card",
    "conflict",
    "again_unclear",
    "result_mismatch",
    "pair_mismatch",
    "third_card_wrong",
    "cutting_card_inside",
    "restart_inside",
    "error_inside",
    "link_lost_inside",
}


def reference(case: Case) -> Report:
    return decode(case.vector) if case.vector else session(case.events)


def test_a_seed_gives_the_same_cases() -> None:
    assert [random_case(3, number) for number in range(20)] == [random_case(3, number) for number in range(20)]
    assert random_case(3, 0) != random_case(4, 0)


def test_the_cases_reach_everything() -> None:
    answers = [reference(random_case(1, number)) for number in range(120)]
    answers += [reference(case) for case in itertools.islice(systematic_cases(1), 0, None, 3)]
    coups = [coup for answer in answers for coup in answer["coups"]]
    assert {coup["status"] for coup in coups} == STATUSES
    assert {flag for coup in coups for flag in coup["flags"]} == FLAGS
    assert {reason for answer in answers for reason in answer["rejected"]} == {"bcc", "short", "bit7", "value"}
    names = {message["name"] for answer in answers for message in answer["messages"]}
    assert names == {*NAMES.values(), "unknown", "ack", "nak", "reply"}


def test_two_gateways_read_the_same_from_one_shoe() -> None:
    for number in range(40):
        first, second = (reference(case) for case in at_two_gateways(1, number))
        assert first["coups"] == second["coups"], number
        assert first["final"] == second["final"], number
        assert frames(first) == frames(second), number


def frames(answer: Report) -> list[Report]:
    """The shoe's own frames; a damaged ETX may look like the start of a reply."""
    return [message for message in answer["messages"] if "seq" in message]
