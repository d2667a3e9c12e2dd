"""Verbs: every way in which a verb can be refused is answered with what happened and what to do next."""

import re

import pytest
from desk_bench import Table
from sabot_gateway.operator.verbs import TABLE_VERBS
from sabot_gateway.operator.verbs.verb import ShoeVerb
from sabot_protocol import fields
from test_requests import GOOD

SHOE_VERBS = {name: verb for name, verb in TABLE_VERBS.items() if issubclass(verb, ShoeVerb)}
REFUSALS = [outcome for outcome in fields.Outcome.encmapping if outcome != "done"]


@pytest.mark.parametrize("name", TABLE_VERBS)
def test_every_verb_has_a_title_of_its_own(name: str) -> None:
    assert [verb.title for verb in TABLE_VERBS.values()].count(TABLE_VERBS[name].title) == 1


@pytest.mark.parametrize("name", SHOE_VERBS)
@pytest.mark.parametrize("outcome", REFUSALS)
def test_every_refusal_names_the_reason_and_the_next_step(name: str, outcome: str) -> None:
    verb = SHOE_VERBS[name](**GOOD.get(name, {}))
    sentence = verb.refused(Table(), outcome)
    assert re.fullmatch(r"[A-Z][A-Za-z -]+ refused: [a-z][^{}]+\. [A-Z][^{}]+\.", sentence), sentence
