"""Reports of events that are alarms: faults, rejects, irregularities, a coup that moves, records that are damaged."""

from sabot_protocol.topics import UNWAGERED

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.alarms import wording
from sabot_gateway.verify.alarms.catalogue import LOCKING
from sabot_gateway.verify.findings import Finding
from sabot_gateway.verify.records import Record
from sabot_gateway.verify.reports.context import Context

# Alarms that are over with the fault that they led to.
SETTLED = ("reject", "misread_card")


def reject(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """Something passed the reader that is no certain card."""
    common = context.common(event)
    return [Record(), *context.raise_alarm(common, "reject", **wording.reject(event.data))]


def fault(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """A fault locks the exit until the shoe reports that it is over."""
    name = event.data["fault"]
    common = {**context.common(event), "coup": context.state.fault_coup_no(name)}
    if name == "none":
        return [Record()]
    raised = context.raise_alarm(common, f"fault_{name}", **wording.fault(name))
    return [Record(), *_replaced(context, event, f"fault_{name}"), *raised]


def _replaced(context: Context, event: Event, name: str) -> list[Record]:
    """A shoe reports one fault at a time: the alarm of the one before is over."""
    if name not in LOCKING:
        return []
    before = [other for other in LOCKING if other != name]
    context.alarms.drop_postponed(*before)
    return context.clear_alarms(context.alarms.named(*before), "the shoe: another fault", context.source(event))


def fault_cleared(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """The fault is settled, and so are its alarms: the reject that led to it, and the card that was not read."""
    fault, by = event.data["fault"], event.data["by"].replace("_", " ")
    if fault == "decision":
        context.state.decision_cleared = True
        context.state.cleared_by = context.state.cleared_by if by == "command" else None
    names = [f"fault_{fault}", *([] if fault == "journal_full" else SETTLED)]
    context.alarms.drop_postponed(*names)
    return [Record(), *context.clear_alarms(context.alarms.named(*names), f"the shoe: {by}", context.source(event))]


def irregularity(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """Raise the case as an alarm with the book's next step; a coup that is disputed already has its alarm."""
    common = context.common(event)
    state, case = context.state, event.data["case"]
    if case == "scan_discrepancy" and context.disputes.at((event.unit, common["shoe"], state.coup_no)):
        return [Record()]
    state.spoiled |= event.data["code"] == "VOID_CHECK"
    number = state.surplus[-1] if state.surplus else state.coup_no + 1
    unwagered = context.notices.kind_of(number) in UNWAGERED
    text = wording.irregularity(context.book.id, event.data, none_to_void=state.none_to_void(), unwagered=unwagered)
    return [Record(), *context.raise_alarm(common, case, **text)]


def handed_over(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """A coup in progress left this shoe, or came to it."""
    common = context.common(event)
    name, text = wording.handed_over(event.data)
    return [Record(), *context.raise_alarm(common, name, **text)]


def damaged(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """A record of the shoe's log is damaged."""
    common = context.common(event)
    return [Record(), *context.raise_alarm(common, "log_damaged", **wording.log_damaged(event))]


def unreadable(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """An event does not fit the protocol."""
    common = context.common(event)
    return [Record(), *context.raise_alarm(common, "unreadable_event", **wording.unreadable_event(event))]
