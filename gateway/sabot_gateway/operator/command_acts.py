"""Command acts: which act of the rulebook a request to a table is."""

import msgspec
from sabot_protocol import command_acts

from sabot_gateway.operator.requests import TableRequest


def act_of(request: TableRequest) -> str:
    """Return the act of a request; empty if no rulebook has it."""
    act = command_acts.act_of(request.name, msgspec.to_builtins(request.verb))
    assert act is not None, request.name  # a test looks at every verb
    return act
