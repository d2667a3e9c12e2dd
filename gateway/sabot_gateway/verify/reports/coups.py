"""Reports about coups: results, voids, confirmations, disputes and their end."""

from typing import Any

from msgspec.structs import replace
from sabot_protocol import irregularities
from sabot_protocol.command_acts import UNWAGERED_CODES
from sabot_protocol.topics import UNWAGERED, CoupMessage

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import disputes, records
from sabot_gateway.verify.alarms import wording
from sabot_gateway.verify.alarms.catalogue import FOREIGN
from sabot_gateway.verify.deciders import BY_DEALER, BY_SUPERVISOR, Decider
from sabot_gateway.verify.disputes import Where
from sabot_gateway.verify.findings import Finding
from sabot_gateway.verify.records import Record, Source
from sabot_gateway.verify.reports.context import Common, Context
from sabot_gateway.verify.state import NO_COUP, ShoeState

_ENDS_DECISION = ("clear_fault", "irregularity")  # commands that can end the fault `decision` before Confirm


def publish(context: Context, coup: CoupMessage, where: Where | None = None, *, entry: bool = False) -> list[Record]:
    """Return the record of a coup, and the one on `confirmed` that follows from it."""
    context.disputes.follow(coup, where or disputes.where_dealt(coup), entry=entry)
    return [Record("coup", coup), *context.confirmations.follow(coup)]


def coup(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """The result of a coup: verified, or disputed if anything about it does not agree."""
    state, number = context.state, event.data["coup_no"]
    agreed = number not in state.doubtful and not _in_doubt(found)
    state.doubtful.discard(number)
    in_doubt = context.cards_in_doubt()
    message = context.coup(event, state.dealt.get(number, []), "disputed" if in_doubt or not agreed else "verified")
    if state.came is not None or state.no_bet_by is not None:
        message = replace(message, **_origin(state, number))
    known = any(finding.name == "discrepancy" for finding in found)  # has its alarm, with what is wrong
    why = _from_cards_in_doubt(context, event, in_doubt) if in_doubt and not known else []
    return publish(context, message) + why


def _from_cards_in_doubt(context: Context, event: Event, clause: str) -> list[Record]:
    """Say why the coup is disputed: its cards had to be checked or replaced first."""
    text = wording.cards_in_doubt(context.table, clause.strip("-"))
    return context.raise_alarm(context.common(event), "discrepancy", **text)


def _in_doubt(found: list[Finding]) -> bool:
    """Return True if one of these puts a coup in doubt."""
    return bool(found) and any(finding.coup_no for finding in found)


def _origin(state: ShoeState, number: int) -> dict[str, str]:
    """Where a coup began that came from another shoe, and who made it one without wagers."""
    came, state.came = state.came, None
    no_bet_by, state.no_bet_by = state.no_bet_by, None
    began = {"began": came.began} if came and came.coup_no == number else {}
    return began | (no_bet_by[1].fields() if no_bet_by and no_bet_by[0] == number else {})


def void(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """A coup is void; this corrects its result, if it had one. A coup that is void already is not voided again."""
    common = context.common(event)
    state, data = context.state, event.data
    number, where = data["coup_no"], (event.unit, common["shoe"], data["coup_no"])
    state.doubtful.discard(number)
    before = context.disputes.at(where) or context.disputes.last_at(where)
    reason = data["reason"].replace("_", " ")
    pressed, decider = context.void_cause.by_button(), context.void_cause.of_void(reason)
    if before and before.status == "void":
        return [Record()]
    if pressed and context.notices.kind_of(number) not in UNWAGERED:
        return _ended_by_button(context, event, before, decider.by)
    changes: dict[str, Any] = {"status": "void", "corrects": before.id} if before else {}
    dealt, source = state.dealt.get(number, []), context.source(event)
    out = publish(context, records.no_result(event, common, dealt, **changes, **decider.fields()))
    text = wording.coup_void(data, reason, decider.clause, state.cards(number))
    out += context.raise_alarm(common, "coup_void", **text) + end_dispute(context, where, decider.by, source)
    return out + _foreign(context, event, decider)


def _ended_by_button(context: Context, event: Event, before: CoupMessage | None, by: str) -> list[Record]:
    """A coup with wagers that the dealer alone has ended: disputed until a person of the role decides (P-39)."""
    if before and before.status == "disputed":
        return [Record()]
    state, number = context.state, event.data["coup_no"]
    changes = {"corrects": before.id} if before else {}
    ended = records.no_result(
        event, context.common(event), state.dealt.get(number, []), kind="live", status="disputed", by=by, **changes
    )
    text = wording.ended_by_button(context.book.id, number, state.cards(number))
    return publish(context, ended) + context.raise_alarm(context.common(event), "discrepancy", **text)


def _foreign(context: Context, event: Event, decider: Decider) -> list[Record]:
    """After a foreign card the rest of the shoe goes; a person who voids for it raises its alarm, too."""
    if event.data["reason"] != "foreign_card" or not context.removes_cards():
        return []
    context.state.spoiled = True
    if context.alarms.named(FOREIGN):
        return []
    text = wording.foreign_card(context.book, f"coup void by {decider.by}")
    return context.raise_alarm(context.common(event), FOREIGN, **text)


def end_dispute(context: Context, where: Where, by: str, source: Source) -> list[Record]:
    """Clear the alarms that disputed this coup."""
    unit, shoe, coup = where
    over = [
        alarm
        for alarm in context.alarms.named("discrepancy", "not_confirmed")
        if (alarm.shoe, alarm.coup) == (shoe, coup) and alarm.alarm.startswith(f"{unit}-")
    ]
    return context.clear_alarms(over, by, source)


# Confirm


def button(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """Confirm: the dealer confirms the result; after a supervisor's decision at the shoe it also ends a dispute."""
    if event.data["button"] != "confirm":
        return [Record()]
    state = context.state
    own = confirm(context, event, found, Decider(BY_DEALER, "", state.time))
    if not state.decision_cleared:
        return [own]
    supervisor = state.cleared_by or Decider(BY_SUPERVISOR, time=state.time)
    return [own, *_confirm_dispute(context, event, supervisor)]


def command_done(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """`confirm` confirms the result and ends a dispute; what a result or Confirm needs later is noted."""
    command = event.data["command"]
    if command == "this_no_bet":
        return [Record(), *_this_no_bet(context, event)]
    if command in _ENDS_DECISION:
        context.state.cleared_by = context.void_cause.of_command(event)
    if command != "confirm":
        return [Record()]
    decider = context.void_cause.of_command(event)
    own = confirm(context, event, found, decider)
    return [own, *_confirm_dispute(context, event, decider)]


def _this_no_bet(context: Context, event: Event) -> list[Record]:
    """Note who took the wagers of the coup away; an alarm if nothing in its log leads to that."""
    state, decider = context.state, context.void_cause.of_command(event)
    number = state.next_coup_no()
    state.no_bet_by = number, decider
    if state.codes(number) & UNWAGERED_CODES:
        return []
    text = wording.unwagered_by_order(decider, state.cards(number), number)
    return context.raise_alarm({**context.common(event), "coup": number}, "unwagered_by_order", **text)


def confirm(context: Context, event: Event, found: list[Finding], decider: Decider) -> Record:
    """The result on the table may be settled, once, unless it is in doubt."""
    where = context.where(event)
    last = context.disputes.last_at(where)
    if last is None or context.state.phase != "complete" or not context.confirmations.awaited(last):
        return Record()
    if found and any(finding.coup_no == where[2] for finding in found):
        return Record()
    return context.confirmations.confirm(last, decider, context.source(event))


def _confirm_dispute(context: Context, event: Event, decider: Decider) -> list[Record]:
    """A supervisor has decided about the dealer's entry: the shoe's result is confirmed."""
    where = (*context.where(event)[:2], context.state.coup_no)
    disputed = context.disputes.at(where)
    if disputed is None or not context.disputes.ends_at_the_shoe(disputed):
        return []
    clause = irregularities.advise(context.book.id, "scan_discrepancy", {"confirmed": True}).clause
    source, decider = context.source(event), decider.under(clause)
    decision = disputes.decided(disputed, "confirmed", decider, source, disputed.winner)
    records = publish(context, replace(decision, id=f"{source.id}-confirmed"))
    return records + end_dispute(context, where, decider.by, source)


# Results that nobody confirmed, or that are lost


def any_coup(event: Event, last: CoupMessage) -> bool:
    """After this event no coup of the shoe can be confirmed."""
    return True


def another_coup(event: Event, last: CoupMessage) -> bool:
    """Return True if the event belongs to another coup."""
    return bool((event.data["shoe_no"], event.data["coup_no"]) != (last.shoe, last.coup))


def card_of_another_coup(event: Event, last: CoupMessage) -> bool:
    """Return True if the event is a card that was due in another coup."""
    data = event.data
    return data["slot"] not in NO_COUP and not data["flags"].get("surplus") and another_coup(event, last)


def not_confirmed(context: Context, last: CoupMessage, event: Event, found: list[Finding]) -> list[Record]:
    """Dispute the last result: play goes on and nobody has confirmed it, so it must not be settled."""
    if any(finding.coup_no == last.coup for finding in found):
        return []  # that disputes it
    event_no, time = event.event_no if event.unit == last.unit else last.event_no, context.state.time
    changes = {"id": f"{last.id}-not-confirmed", "event_no": event_no, "time": time}
    disputed = replace(last, **changes, status="disputed", corrects=last.id)
    common = context.common_now(Source(last.unit, event_no, time))
    common |= {"id": last.id, "shoe": last.shoe, "coup": last.coup}
    text = wording.not_confirmed(context.table, context.book.id, disputes.coup_label(last), event.kind)
    return publish(context, disputed) + context.raise_alarm(common, "not_confirmed", **text)


def lost_result(context: Context, event: Event, common: Common) -> list[Record]:
    """Publish a coup whose result is in the missing part of the log: from its cards, disputed."""
    state, coup_no = context.state, context.state.gap_in
    if coup_no is None:
        return []
    state.gap_in, dealt = None, state.dealt.get(coup_no, [])
    common = {**common, "shoe": state.shoe_no or 0, "coup": coup_no}
    lost = {"id": f"{common['id']}-lost", "kind": "live", "status": "disputed"}
    text = wording.lost_result(context.book.id, coup_no, [card for _, card in dealt])
    coup = records.no_result(event, common, dealt, **lost)
    return [*publish(context, coup), *context.raise_alarm({**common, "id": lost["id"]}, "discrepancy", **text)]
