"""sabot angel-eye decode and session against the slow reference: some hundred cases; `make angel-eye` has more."""

from itertools import chain, islice

from angel_eye_cases import at_two_gateways, random_case, systematic_cases
from angel_eye_check import compare, pairs_agree, printed


def test_the_commands_agree_with_the_reference() -> None:
    cases = chain(islice(systematic_cases(1), 0, None, 3), (random_case(1, number) for number in range(200)))
    tally, differs = compare(cases, lambda tally: None)
    assert differs is None, printed(differs)
    assert tally.cases > 300


def test_two_gateways_agree_about_one_shoe() -> None:
    for number in range(20):
        assert pairs_agree(*at_two_gateways(1, number)), number
