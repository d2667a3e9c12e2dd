"""Command acts: which act of the rulebook a request to a table is, by what it does to the coup on the table."""

import msgspec
from sabot_protocol import command_acts, incidents

from sabot_gateway.operator.requests import TableRequest
from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs.card import BurnCard
from sabot_gateway.operator.verbs.coup import Void
from sabot_gateway.operator.verbs.incident import Irregularity
from sabot_gateway.operator.verbs.settle import StepDone, Withdraw
from sabot_gateway.operator.verbs.shoe import OpenShoe
from sabot_gateway.verify import NotThereError


def act_of(request: TableRequest, table: TableView) -> str:
    """Return the act of a request; empty if no rulebook has it."""
    match request.verb:
        case Irregularity() as report:  # the shoe carries out what the rulebook's code asks for
            return command_acts.act_of_report(table.verifier.rulebook, report.case, report.known_facts(table))
        case OpenShoe() if table.verifier.state.dealing():
            return command_acts.VOID_ACTS["misdeal"]  # a coup that is not complete becomes void
        case BurnCard() if table.fault == "decision" and table.verifier.state.dealing():
            return command_acts.ACTS["card-returned"]  # the first coup is dealt again (Crown 10.1.1)
        case Void(reason="short_shoe"):
            return ""  # the rule needs nobody, but then the shoe voids the coup by itself
        case StepDone(incident=incident, step=step):
            return _act_of_step(table, incident, step)
        case Withdraw(incident=incident):
            return _act_of_record(table, incident)
    act = command_acts.act_of(request.name, msgspec.to_builtins(request.verb))
    assert act is not None, request.name  # a test looks at every verb
    return act


def _act_of_step(table: TableView, incident: str, name: str) -> str:
    """Return the act of an open step; empty if it has none, or if there is no such step."""
    try:
        step = incidents.open_step(table.incidents.find(incident), name)
    except NotThereError:
        return ""
    return step.act if step else ""


def _act_of_record(table: TableView, incident: str) -> str:
    """Return the act that a person recorded; empty if it was none, or if it is not open."""
    try:
        return str(table.incidents.find(incident).facts.get("act", ""))
    except NotThereError:
        return ""
