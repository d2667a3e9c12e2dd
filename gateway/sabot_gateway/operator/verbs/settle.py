"""Verbs about incidents: step, withdraw, dispute, payment, record."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, tzinfo
from typing import Annotated

import msgspec
from msgspec import Meta
from sabot_protocol import authority, incidents, step_order
from sabot_protocol.incidents import RECORDED, Done, Fact, Opener
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.rulebooks.incidents import OWN_FACTS, UNWAGERED_COUP
from sabot_protocol.rulebooks.people import catalogue
from sabot_protocol.topics import IncidentMessage

from sabot_gateway.incidents.evidence import dealing_units
from sabot_gateway.incidents.openings import Opening
from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs.card_checks import effects_on_cards, settled_by_step
from sabot_gateway.operator.verbs.verb import Effect, Id, RefusedError, TableVerb, expect, refuse_unidentified
from sabot_gateway.verify import Source
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.disputes import decide_command
from sabot_gateway.verify.reports.exit_lock import AWAITING
from sabot_gateway.verify.state import NOT_OPEN, ShoeState

Text = Annotated[str, Meta(max_length=500)]
Cents = Annotated[int, Meta(ge=1, le=10**12)]
_SAME = ("act", "patron")  # facts: another act, or that of another player, is another incident
_NO_BET = "deal_unwagered"  # of the next coup
_SEE = "`sabot authority --rulebook ID --table` lists them, with the rulebook of the table as ID"
_VOID_MISDEAL = "void_misdeal"
_MISDEALS = (_VOID_MISDEAL, "decide_misdelivery")


class StepDone(TableVerb, frozen=True):
    """Record that a step of an incident is done."""

    title = "Step"
    incident: Id
    step: Id
    note: Text = ""
    settled: bool = False  # the steps after it are not needed

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Store the step; an incident is closed with its last one."""
        incident = table.incidents.find(self.incident)
        book, time = table.verifier.rulebook, person.time
        problem = incidents.refusal(book, incident, self.step, person.by, person.role, time)
        if not problem and self.step == "review":
            refuse_unidentified(person)
        if not problem and self.settled and incident.kind != "player_dispute":
            problem = f"only a dispute of a player can be settled before its last step, and this is {incident.kind}"
        problem = problem or _contradiction(table, incident, self.step)
        if problem:
            raise RefusedError(f"{problem}. See `sabot table {table.name} open`.")
        source = new_source()
        done = Done(source.time, person.by, person.role, plain(self.note), person.attempt)
        record, after = table.incidents.complete(
            incident, self.step, done, source,
            settled=self.settled, label=_begun(table), undealt=_is_undealt(table.verifier.state, incident),
        )  # fmt: skip
        settled = settled_by_step(table, incident.kind, self.step, person, source)
        say = f"Step {self.step} of {incident.kind} is done. {_rest(table.name, after)}"
        return Effect([(source, [record, *settled])], say)


class Withdraw(TableVerb, frozen=True):
    """Withdraw an incident that a person opened by mistake."""

    title = "Withdraw"
    incident: Id
    reason: Annotated[str, Meta(min_length=1, max_length=500)]

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Store that it is withdrawn, by whom and why; its steps are not needed."""
        incident, reason = table.incidents.find(self.incident), plain(self.reason)
        if not reason:
            raise RefusedError("it needs a reason. Add --reason TEXT.")
        if not incidents.opened_by_person(incident):
            raise RefusedError(
                f"{incident.incident} ({incident.kind}) was opened by an alarm or by the shoe's log, and only what a "
                f"person opened can be withdrawn. Record its steps; see `sabot table {table.name} open`."
            )
        source = new_source()
        done = Done(source.time, person.by, person.role, attempt=person.attempt)
        record, _ = table.incidents.withdraw(incident, reason, done, source)
        return Effect([(source, [record])], f"{incident.incident} ({incident.kind}) is withdrawn: {reason}.")


class Opens(TableVerb, frozen=True, kw_only=True):
    """A verb that opens an incident: of the coup named, as 3/17, or of the one on the table."""

    coup: Annotated[str, Meta(pattern=r"\A[0-9]{1,9}/[0-9]{1,9}\Z")] | None = None
    note: Text = ""

    def open(
        self,
        table: TableView,
        opener: Opener,
        say: str,
        facts: Mapping[str, Fact],
        person: Decider,
        new_source: Callable[[], Source],
        done: tuple[str, ...] = (),
    ) -> Effect:
        """Open an incident of this table for a person; `done` are steps that are done already."""
        kind = incidents.kind_of(table.verifier.rulebook, opener) or RECORDED
        shoe, coup = self._place(table, opener)
        unit, note = table.verifier.state.unit, plain(self.note)
        facts = {name: value for name, value in (dict(facts) | {"note": note}).items() if value != ""}
        opening = Opening(kind, opener, unit, shoe, coup, f"{say}{f': {note}' if note else ''}.", facts, done=done)
        if kind == RECORDED:
            opening = opening._replace(clause=person.clause)
        open_already = table.incidents.is_open(opening, _SAME) if opener.act and kind != RECORDED else None
        if open_already and (news := _new_facts(open_already, opening)) and not done:
            return _with_facts(table, open_already, opening._replace(facts=news), person, new_source())
        if open_already:
            raise RefusedError(
                f"{open_already.incident} is open for this. Record its steps with `step`; or, if it was opened by "
                f"mistake: `sabot table {table.name} withdraw --incident {open_already.incident} --by NAME "
                "--reason TEXT`."
            )
        _refuse_unknown(table, opening, person)
        source = new_source()
        record, incident = table.incidents.open_by(opening, person, source)
        return Effect([(source, [record])], f"{incident.incident}: {say.lower()}. {_rest(table.name, incident)}")

    def refuse_not_dealt(self, table: TableView) -> None:
        """Refuse a coup that was never dealt here."""
        shoe, _, coup = (self.coup or "").partition("/")
        if shoe and (problem := table.why_not_dealt(int(shoe), int(coup))):
            raise RefusedError(f"{problem}. Name another coup with --coup, or leave it out for the one on the table.")

    def _place(self, table: TableView, opener: Opener) -> tuple[int, int]:
        """Return shoe and coup."""
        if self.coup is not None:
            shoe, _, coup = self.coup.partition("/")
            return int(shoe), int(coup)
        state = table.verifier.state
        on_table = state.coup_on_table() or (state.shoe_no or 0, 0)
        return (on_table[0], state.next_coup_no()) if opener.act == _NO_BET else on_table


class Dispute(Opens, frozen=True, kw_only=True):
    """Open the dispute of a player about a decision."""

    title = "Dispute"
    patron: Annotated[str, Meta(min_length=1, max_length=200)]

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Store the dispute with its instances as steps."""
        opener = _of_verb(table, "dispute", "disputes of players")
        self.refuse_not_dealt(table)
        return self.open(table, opener, "Dispute of a player", {"patron": plain(self.patron)}, person, new_source)


class Payment(Opens, frozen=True, kw_only=True):
    """Open the case file of an over- or underpayment."""

    title = "Payment"
    direction: str
    amount_cents: Cents
    date: str = ""  # of the error; empty: today, by the clock and the time zone of this PC
    patron: Annotated[str, Meta(max_length=200)] = ""
    intentional: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown direction or a date that is none."""
        expect("direction", self.direction, ("over", "under"))
        if self.date and date.fromisoformat(self.date).isoformat() != self.date:
            raise ValueError(f"{plain(self.date)[:40]!r} is not a date such as 2026-05-01")

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Store the case file; an amount above the limit is reported at the end of the month."""
        today = local_date(person.time)
        if self.date > today:
            raise RefusedError(f"{self.date} is not over: it is {today} at this gateway. Give the date of the error.")
        facts: dict[str, Fact] = {
            "direction": self.direction,
            "amount_cents": self.amount_cents,
            "date": self.date or today,
            "patron": plain(self.patron),
            "intentional": self.intentional,
        }
        done = ("identify_patron",) if self.intentional and facts["patron"] else ()
        opener = _of_verb(table, "payment", "wrong payments")
        self.refuse_not_dealt(table)
        return self.open(table, opener, f"{self.direction}payment".capitalize(), facts, person, new_source, done)


class RecordAct(Opens, frozen=True, kw_only=True):
    """Record an act that only people do, or the cause of a report; nothing is enforced."""

    title = "Record"
    act: Id | None = None
    report: Id | None = None
    facts: Annotated[dict[str, bool], Meta(max_length=20)] = msgspec.field(default_factory=dict)
    patron: Annotated[str, Meta(max_length=200)] = ""
    amount_cents: Cents | None = None
    at: Annotated[str, Meta(max_length=40)] = ""  # when the act takes place, if that is later
    done: Annotated[list[Id], Meta(max_length=10)] = msgspec.field(default_factory=list)

    def __post_init__(self) -> None:
        """Raise ValueError for an act, report, fact or time that there is not."""
        if (self.act is None) == (self.report is None):
            raise ValueError("give an act or a report, and not both")
        if self.act is not None and self.act not in catalogue().acts():
            raise ValueError(f"unknown act {plain(self.act)[:40]!r}: {_SEE}")
        if self.report is not None and self.report not in catalogue().report:
            raise ValueError(f"unknown report {plain(self.report)[:40]!r}: {_SEE}")
        for fact in self.facts:
            if fact not in (*catalogue().fact, *OWN_FACTS):
                raise ValueError(f"unknown fact {plain(fact)[:40]!r}")
        _utc(self.at)

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Store the act; the steps and reports that follow from it by the rulebook are open."""
        book = table.verifier.rulebook
        known = authority.load(book)
        if self.act and known.act[self.act].silent:
            raise RefusedError(f"{book} has no rule for {self.act}. See `sabot authority --rulebook {book} --table`.")
        if self.report and self.report not in known.report:
            raise RefusedError(f"{book} has no report {self.report}. It has {', '.join(known.report)}.")
        entry = catalogue().acts()[self.act] if self.act else catalogue().report[self.report or ""]
        facts: dict[str, Fact] = {"act": self.act or "", "report": self.report or ""}
        facts |= self._presumed(table) | self.facts
        facts |= {"patron": plain(self.patron), "at": _utc(self.at)}
        facts |= {"amount_cents": self.amount_cents} if self.amount_cents else {}
        opener = Opener(act=self.act or "", report=self.report or "")
        effect = self.open(table, opener, entry.title, facts, person, new_source, tuple(self.done))
        (source, records), *_ = effect.stored
        effect.stored[0] = source, [*records, *effects_on_cards(table, self.act or "", person, source)]
        return effect

    def _presumed(self, table: TableView) -> dict[str, Fact]:
        """Return what goes without saying: a void misdeal cannot be reconstructed; one of an earlier coup is late."""
        on_table = table.verifier.state.coup_on_table()
        late = self.coup is not None and on_table is not None and self.coup != f"{on_table[0]}/{on_table[1]}"
        facts: dict[str, Fact] = {"reconstructible": False} if self.act == _VOID_MISDEAL else {}
        return facts | ({"notified_before_next": False} if late and self.act in _MISDEALS else {})


def _contradiction(table: TableView, incident: IncidentMessage, name: str) -> str:
    """Return why a step cannot be done yet, by what the gateway knows itself; empty if nothing speaks against it."""
    proofs, state = incidents.proofs(name), table.verifier.state
    label = f"{incident.shoe}/{incident.coup}"
    if "coup_decided" in proofs or "coup_void" in proofs:
        if table.verifier.disputes.at((incident.unit, incident.shoe, incident.coup)):
            return f"coup {label} is still disputed: run {decide_command(table.name, label)}"
        on_table = (state.unit, *(state.coup_on_table() or ())) == (incident.unit, incident.shoe, incident.coup)
        if name == "void" and (problem := _not_void(table, incident, on_table=on_table)):
            return problem
    if _needs_closed(table, name) and _is_open(state, incident):
        return f"shoe {state.shoe_no} is still open: run `sabot table {table.name} tell close-shoe --by NAME`"
    follows = incident.facts.get(UNWAGERED_COUP)
    if not isinstance(follows, int) or not _is_open(state, incident) or state.next_coup_no() > follows:
        return ""
    if name == "authorise" and table.verifier.alarms.named(AWAITING):
        command = f"`sabot table {table.name} authorise --by NAME`"
        return f"the shoe waits for it: turn the supervisor's key at the shoe, or run {command}"
    return f"coup {incident.shoe}/{follows} is not dealt yet: announce it, and deal it" if name == "announce" else ""


def _not_void(table: TableView, incident: IncidentMessage, *, on_table: bool) -> str:
    """Return why a coup counts as not void: it waits on the table, or its result stands and a person was mistaken."""
    newest, _ = table.find_coup(incident.shoe, incident.coup)
    stands = newest is not None and newest.kind != "void" and incident.unit in dealing_units(newest)
    label = f"{incident.shoe}/{incident.coup}"
    if on_table and (stands or not table.verifier.state.none_to_void()):
        return f"coup {label} is on the table and not void: run `sabot table {table.name} void --by NAME --clause N`"
    if not stands or not incidents.opened_by_person(incident):
        return ""
    return (
        f"coup {label} is not void: play went on, and its result stands. If that is right: `sabot table {table.name} "
        f"withdraw --incident {incident.incident} --by NAME --reason TEXT`"
    )


def _needs_closed(table: TableView, name: str) -> bool:
    """Return True for a step that no open shoe allows; the log of another maker's shoe may not show its end."""
    return name in ("close_shoe", "check_cards") or (name == "reshuffle" and table.verifier.driver == "sabot")


def _is_open(state: ShoeState, incident: IncidentMessage) -> bool:
    """Return True if the shoe of an incident is still open at the table."""
    same = (state.unit, state.shoe_no) == (incident.unit, incident.shoe)
    return same and state.phase not in NOT_OPEN


def _is_undealt(state: ShoeState, incident: IncidentMessage) -> bool:
    """Return True if the incident's coup has not begun; False where that is not known."""
    return _is_open(state, incident) and state.phase != "unknown" and incident.coup > state.coup_no


def _new_facts(incident: IncidentMessage, opening: Opening) -> dict[str, Fact]:
    """Return what a person adds to an incident that the log of the shoe opened; nothing for another one."""
    if incident.alarm or incidents.opened_by_person(incident):
        return {}
    given = {name: value for name, value in opening.facts.items() if isinstance(value, bool)}
    return {name: value for name, value in given.items() if name not in incident.facts}


def _with_facts(
    table: TableView, incident: IncidentMessage, opening: Opening, person: Decider, source: Source
) -> Effect:
    """Store facts of an incident; `opening` has only those that are new."""
    say = "; ".join(catalogue().fact[name][not value] for name, value in opening.facts.items())
    done = Done(source.time, person.by, person.role, say, person.attempt)
    record, after = table.incidents.add_facts(incident, opening, done, source)
    return Effect([(source, [record])], f"{incident.incident}: {say}. {_rest(table.name, after)}")


def _begun(table: TableView) -> str:
    """Return the coup that has begun, or was dealt last, as 3/17; empty if none is known."""
    return "/".join(map(str, table.verifier.state.coup_begun() or ()))


def _refuse_unknown(table: TableView, opening: Opening, person: Decider) -> None:
    """Refuse a step as done that the incident will not have, that comes later, or that a higher role must do."""
    book, rest = table.verifier.rulebook, (opening.kind, opening.opener, opening.facts)
    found = incidents.steps(book, *rest, "") if rest[0] != RECORDED else []
    there = {step.name: step for step in found}
    for name in opening.done:
        if name not in there:
            raise RefusedError(f"no step {name} follows from this: {', '.join(there) or 'nothing follows'}.")
        rule = step_order.rule_of(book, opening.kind, name)
        for before in rule.after if rule else ():
            if before in there:
                raise RefusedError(f"step {name} comes after step {before}. Record it with `step` when that is done.")
        if problem := incidents.role_refusal(book, there[name], person.role):
            raise RefusedError(f"step {name}: {problem}. Leave it out of --done.")


def _of_verb(table: TableView, verb: str, what: str) -> Opener:
    book, opener = table.verifier.rulebook, Opener(verb=verb)
    if not incidents.kind_of(book, opener):
        raise RefusedError(f"{book} has no rule about {what}. Follow the procedures of the house.")
    return opener


def local_date(time: str, zone: tzinfo | None = None) -> str:
    """Return the date of a time of a message, in the time zone of this PC or in another."""
    return datetime.fromisoformat(time).astimezone(zone).date().isoformat()


def _utc(time: str) -> str:
    """Return a time as messages write it; ValueError if it is none."""
    if not time:
        return ""
    moment = datetime.fromisoformat(time)
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _rest(table: str, incident: IncidentMessage) -> str:
    """Return what is left to do."""
    waiting = [step.name for step in incident.steps if not step.done]
    if not waiting:
        return "Nothing is left to do."
    return f"Open steps: {', '.join(waiting)}. See `sabot table {table} open`."
