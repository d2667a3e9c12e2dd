"""Verbs about trouble: ack-alarm, clear-fault, irregularity."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from sabot_protocol import authority, command_clauses, fields, irregularities
from sabot_protocol.irregularities import CASES, IrregularityError

from sabot_gateway.operator.table_view import TableView, next_step
from sabot_gateway.operator.verbs.verb import (
    Coup,
    Effect,
    Id,
    RefusedError,
    ShoeVerb,
    TableVerb,
    expect,
    refuse_unidentified,
)
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Source
from sabot_gateway.verify.alarms.book import own_act
from sabot_gateway.verify.alarms.shoe_texts import with_rule
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.disputes import coup_label, decide_command

# Facts that nobody needs to report: the shoe knows the first two; A-45 says when the third is too late.
_DEFAULT_FACTS = {"last_coup": False, "first_coup_complete": False, "notified_before_next": True}


class AckAlarm(TableVerb, frozen=True):
    """Acknowledge an alarm, or all of them."""

    title = "Acknowledge"
    alarm: Id = "all"

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Store one acknowledgement for each alarm."""
        for_another = {alarm.alarm for alarm in table.verifier.active() if alarm.state == "raised" and alarm.by}
        active = [alarm.alarm for alarm in table.verifier.active() if not own_act(alarm, person.by)]
        if not person.role and self.alarm == "all":
            active = [alarm for alarm in active if alarm not in for_another] or active
        chosen = active if self.alarm == "all" else [self.alarm]
        if not for_another.isdisjoint(chosen):
            refuse_unidentified(person)
        if not chosen:
            raise RefusedError(_nothing_to_acknowledge(table, person.by))
        stored = []
        for alarm in chosen:
            source = new_source()
            stored.append((source, table.verifier.acknowledge(alarm, person.by, source)))
        left = dict.fromkeys(alarm.name.replace("_", " ") for alarm in table.verifier.active() if alarm.alarm in chosen)
        stay = f"These stay active until their cause is gone: {', '.join(left)}." if left else ""
        return Effect(stored, " ".join(filter(None, (f"{len(chosen)} acknowledged.", stay, next_step(table)))))


def _nothing_to_acknowledge(table: TableView, by: str) -> str:
    if table.verifier.active():
        return f"only alarms about acts of {by} are active at {table.name}. Another person acknowledges them."
    return f"no alarm is active at {table.name}. There is nothing to acknowledge."


class ClearFault(ShoeVerb, frozen=True):
    """Clear the fault that the shoe reports; the coup goes on where it was."""

    title = "Clear fault"
    command = "clear_fault"
    of_coup = True
    not_now = (
        "the shoe does not report this fault, its lid is open, or its log is damaged. Shut the lid, and clear the "
        "fault that `sabot gateway status` shows."
    )
    fault: str

    def __post_init__(self) -> None:
        """Raise ValueError for a fault that does not exist."""
        expect("fault", self.fault, [name for name in fields.Fault.encmapping if name != "none"])

    def check(self, table: TableView) -> None:
        """Refuse to release a disputed coup that the book has a person decide under a clause."""
        verifier = table.verifier
        disputed = verifier.disputes.at((verifier.state.unit, *(verifier.state.coup_on_table() or (0, 0))))
        if self.fault == "decision" and disputed and authority.load(verifier.rulebook).act["decide_discrepancy"].clause:
            label = coup_label(disputed)
            raise RefusedError(f"coup {label} is disputed: decide it with {decide_command(table.name, label)}.")

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return that the fault is over."""
        return f"Fault {self.fault} is cleared. The shoe goes on where it was."


class Irregularity(ShoeVerb, frozen=True):
    """Report an irregularity, with the facts that decide it; the answer is what the rulebook says."""

    title = "Report"
    command = "irregularity"
    of_coup = True
    not_now = (
        "the shoe cannot apply this case to the coup on the table. Check the case and the coup with `sabot gateway "
        "status`."
    )
    case: str
    facts: dict[str, bool] = msgspec.field(default_factory=dict)
    coup: Annotated[str, Meta(pattern=r"\A[0-9]{1,9}/[0-9]{1,9}\Z")] | None = None  # that had begun when it was seen

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown case, or a fact that does not decide it."""
        expect("case", self.case, CASES)
        for fact in self.facts:
            if fact not in CASES[self.case]:
                facts = ", ".join(CASES[self.case]) or "no facts"
                raise ValueError(f"unknown fact {fact!r}: {self.case} is decided by {facts}")

    def check(self, table: TableView) -> None:
        """Refuse if a fact is missing on which the rulebook's answer depends."""
        try:
            self._facts(table)
        except IrregularityError as error:
            raise RefusedError(f"{error}. Give it with --fact or --no-fact.") from error

    def bound_to(self, table: TableView) -> Coup | None:
        """Return the coup that has begun; refused if it is not the one that was seen."""
        begun = self.coup_meant(table)
        if self.coup is None or begun is None or self.coup == f"{begun[0]}/{begun[1]}":
            return begun
        late = " A misdeal of that coup is reported with --no-fact notified_before_next."
        raise RefusedError(
            f"it was for coup {self.coup}, and coup {begun[0]}/{begun[1]} has begun. Look at the table, then report "
            f"what you see.{late if 'notified_before_next' in CASES[self.case] else ''}"
        )

    def data(self, table: TableView) -> dict[str, Any]:
        """Add the facts that nobody needs to report."""
        return {"case": self.case, "facts": self._facts(table)}

    def known_facts(self, table: TableView) -> dict[str, bool]:
        """Return the facts of the case that are given, or need not be."""
        international = bool(table.verifier.profile["switches"].get("international"))
        known = {**_DEFAULT_FACTS, "international": international}
        return {fact: known[fact] for fact in CASES[self.case] if fact in known} | self.facts

    def clauses(self, table: TableView) -> tuple[str, ...]:
        """Return the clauses of the consequence; none if a fact is missing."""
        try:
            return command_clauses.split(
                irregularities.advise(table.verifier.rulebook, self.case, self._facts(table)).clause
            )
        except IrregularityError:
            return ()

    def _facts(self, table: TableView) -> dict[str, bool]:
        return irregularities.complete_facts(table.verifier.rulebook, self.case, self.known_facts(table), {})

    def completed_by(self, event: Event) -> bool:
        """Wait for the irregularity itself: the shoe logs it after the command, with the rulebook's code."""
        return event.kind == "irregularity" and event.data["case"] == self.case

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return what follows and under which rule, as the alarm of this irregularity has it."""
        for alarm in table.verifier.active():
            if (alarm.unit, alarm.event_no, alarm.name) == (event.unit, event.event_no, self.case):
                return alarm.say
        facts = {fact: event.data["facts"][fact] for fact in CASES[self.case]}
        advice = irregularities.advise(table.verifier.rulebook, self.case, facts)
        return with_rule(advice.say, advice.clause)
