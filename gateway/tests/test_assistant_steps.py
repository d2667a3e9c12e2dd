"""Every step that the irregularity assistant offers is a request that the gateway can read."""

import msgspec
import pytest
from sabot_gateway.operator import requests
from sabot_gateway.operator.requests import TableRequest
from sabot_protocol import irregularities
from sabot_protocol.assistant import FIELDS, HandState, Step, assist
from sabot_protocol.irregularities import CASES

FILLED = {"card": "8H", "patron": "C. Player", "winner": "tie"}
STATES = (
    HandState("bets", "3/17", awaiting=True, first_coup_complete=True),
    HandState("dealing", "3/17", 2, fault="card", reported=frozenset(CASES)),
    HandState("dealing", "1/1", 2, fault="decision"),
    HandState("dealing", "3/17", 2),
    HandState("complete", "3/17", 5, 1, reported=frozenset(CASES)),
    HandState("complete", "3/17", 4, fault="decision", disputed=True),
)


@pytest.mark.parametrize("book", irregularities.ids())
def test_every_step_is_a_request(book: str) -> None:
    verbs = set()
    for case in CASES:
        for facts in irregularities.combinations(case):
            for state in STATES:
                for step in assist(book, case, facts, state, "dealer").steps:
                    verbs.add(parsed(step).name)
    assert verbs >= {"irregularity", "confirm", "void", "authorise", "key-card"}


def parsed(step: Step) -> TableRequest:
    """Return the request of a step, with its fields filled in."""
    assert set(step.fields) <= set(FIELDS)
    args = step.args | {name: FILLED[name] for name in step.fields if name != "clause"}
    line = {"verb": step.verb, "table": "bac-01", "by": "A. Smith", "clause": step.clause or "12.1", "args": args}
    request = requests.parse(msgspec.json.encode(line))
    assert isinstance(request, TableRequest)
    return request
