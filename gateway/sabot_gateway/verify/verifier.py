"""Verify: an independent reading of the shoe's log; what the shoe reports and what the rules give must agree."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.topics import AlarmMessage, CoupMessage, DriverName, Unknown, Winner

from sabot_gateway.shoe.continuity import log_lost
from sabot_gateway.shoe.parse import UNREADABLE, Event
from sabot_gateway.verify import disputes, effects
from sabot_gateway.verify.alarms import wording
from sabot_gateway.verify.alarms.book import NotThereError
from sabot_gateway.verify.alarms.catalogue import FOREIGN, LOCKING, SHOE_VOID
from sabot_gateway.verify.confirmations import confirm_first
from sabot_gateway.verify.deciders import Decider, Who, nobody
from sabot_gateway.verify.dispatch import ROWS, Checks, Row
from sabot_gateway.verify.disputes import Decision
from sabot_gateway.verify.effects import Effect
from sabot_gateway.verify.findings import NONE, Check, Finding
from sabot_gateway.verify.moves import LEFT, Cards, Moved, Moves
from sabot_gateway.verify.records import Record, Source
from sabot_gateway.verify.reports import coups, exit_lock, findings
from sabot_gateway.verify.reports.alarms import SETTLED
from sabot_gateway.verify.reports.context import Context, Report
from sabot_gateway.verify.reports.shoe import REVERTED
from sabot_gateway.verify.state import NOT_OPEN, ShoeState

__all__ = ["NotThereError", "Record", "Source", "Verifier"]
_ONLY_THE_EVENT = Record()


class Part(NamedTuple):
    """An event, or one part of what it means, with its records."""

    event: Event
    records: list[Record]
    source: Source


@dataclass
class _Prepared:
    """A row for the shoe on the table."""

    checks: tuple[Check, ...]
    report: Report | None
    effect: Effect | None
    passes: Callable[[Event, CoupMessage], bool] | None
    locks: bool  # the event can lock the exit, or free it

    @classmethod
    def of(cls, kind: str, row: Row[Any], checks: Checks) -> "_Prepared":
        """Return the row with the checks of this shoe."""
        return cls(row.checks(checks), row.report, row.effect, row.passes, kind in exit_lock.KINDS)


class Verifier:
    """One table: takes the events of its shoe in order; holds its alarms and its disputed coups.

    One class because shoe, people and daemon change the same alarms and disputes, whichever shoe it is.
    """

    driver: DriverName = "sabot"
    rows: Mapping[str, Row[Any]] = ROWS
    several_parts = False  # True: an event can mean several things that our own shoe would log one by one
    confirmed_by_result = False  # True: the shoe's result confirms a coup, no person
    checks: Checks

    def __init__(
        self,
        table: str,
        rulebook: Rulebook,
        profile: dict[str, Any],
        who: Who = nobody,
        moves: Moves | None = None,
    ) -> None:
        self.table, self.book, self.profile, self._who = table, rulebook, profile, who
        self.rulebook, self.continuous = rulebook.id, bool(profile["switches"]["continuous"])
        self.moves = Moves() if moves is None else moves  # of all tables of a gateway
        self.digest = rulebook.digest().hex()  # goes with every message and ledger entry
        self._context = Context(table, rulebook, self.digest)
        self.alarms, self.disputes = self._context.alarms, self._context.disputes
        self._begin_unit("")
        self.confirmations, self.wear = self._context.confirmations, self._context.wear
        self.moves.active_alarms[table] = lambda: {alarm.alarm for alarm in self.alarms.named(LEFT)}

    def _begin_unit(self, unit: str) -> ShoeState:
        """Forget the shoe: another unit is on the table, or its log cannot be followed."""
        decks = int(self.profile["decks"])
        self.state = state = ShoeState(unit=unit, table_decks=decks, result_first=bool(confirm_first(self.book)))
        self.checks = checks = self._new_checks(state)
        self._prepared: dict[str, _Prepared] = {}  # by kind, from its first event on
        self._context.state, self._context.void_cause = state, checks.void_cause
        self._context.authorisation, self._context.notices = checks.authorisation, checks.notices
        return state

    def _new_checks(self, state: ShoeState) -> Checks:
        return Checks(self.table, state, self.book, self.profile, self.moves, self._who)

    def unread_copy(self) -> "Verifier":
        """Return a verifier for the same table that has seen no event."""
        return Verifier(self.table, self.book, self.profile, self._who, self.moves)

    def uses(self, rulebook: Rulebook, profile: dict[str, Any], settings: object = None) -> bool:
        """Return True if it verifies by this rulebook and profile; `settings` are those of another maker's shoe."""
        return settings is None and (self.digest, self.profile) == (rulebook.digest().hex(), profile)

    @property
    def decks(self) -> int:
        """Decks of the shoe on the table; without one, of the table's profile."""
        return self.state.decks or int(self.profile["decks"])

    def unknown(self) -> tuple[Unknown, ...]:
        """Return what is not known of the shoe now: never anything of our own, which logs all of it."""
        return ()

    def standing_error(self) -> dict[str, str]:
        """Return the error of another maker's shoe, and the next step; our own reports faults in its HELLO."""
        return {}

    def results_missing(self) -> bool:
        """Return True if results of this shoe may be missing, because part of its log is."""
        return not self.state.whole

    def line_lost(self) -> tuple[str, str] | None:
        """Note that the port is gone; return the alarm and its text if something can be lost by that."""
        return None  # our own shoe keeps its log

    def exit_locked(self, *, fault: bool) -> bool | None:
        """Return whether the exit is locked, by a fault, a command, the lid or the rules; None if it is not known."""
        state, checks = self.state, self.checks
        if state.phase in NOT_OPEN:
            return True if state.phase == "closed" else None
        return fault or checks.lock.on or checks.authorisation.awaiting or state.lid_open or state.phase == "complete"

    def locks_itself(self) -> bool:
        """Return True if the shoe locks its exit by itself now; its event may still be on its way."""
        return exit_lock.locks_itself(self._context)

    def lock_due(self) -> str:
        """Return `lock` or `unlock` if the shoe must get this command: the cards are in doubt, or good again."""
        return exit_lock.lock_due(self._context, self.checks.lock.on) if self.driver == "sabot" else ""

    def unread_cards(self) -> int | None:
        """Return how many cards may be keyed in: they left the shoe and were not read; None if it is not known."""
        return self.checks.unread.out

    def leaving_coup(self, done: Event) -> tuple[int, Cards]:
        """Return number and cards of the coup that this command exports."""
        moved, number = self.moves.last(self.table), self.state.next_coup_no()
        if moved and moved.event.unit == done.unit and moved.event.event_no > done.event_no:
            return moved.coup_no, moved.cards
        return number, tuple(self.state.dealt.get(number, ()))

    # Events of the shoe

    def take(self, event: Event, time: str) -> list[Record]:
        """Verify the next event and return its records; the first is the event's own."""
        state = self.state
        if event.unit != state.unit or (state.phase == "unknown" and state.missed_a_shoe(event)):
            state = self._begin_unit(event.unit)
        state.time = time
        return self._verify(event)

    def _verify(self, event: Event) -> list[Record]:
        """Run the row of an event: its checks, its report, its effect."""
        row = self._prepared.get(event.kind) or self._prepare(event.kind)
        found: list[Finding] = []
        for check in row.checks:
            more = check(event)
            if more is not NONE:
                found += more
        not_confirmed = self._not_confirmed(row, event, found)
        out = [_ONLY_THE_EVENT] if row.report is None else row.report(self._context, event, found)
        if not_confirmed:
            out += not_confirmed
        if found or row.locks or self.alarms.postponed:
            out += self._alarms(row, event, found)
        if row.effect is not None:
            row.effect(self.state, event.data)
        return out

    def _prepare(self, kind: str) -> _Prepared:
        """Return the row of a kind with the checks of this shoe, and keep it."""
        row = self._prepared[kind] = _Prepared.of(kind, self.rows[kind], self.checks)
        return row

    def parts(self, event: Event, records: list[Record], time: str) -> list[Part]:
        """Return the parts of the event that was taken last: our own shoe logs one thing with each."""
        return [Part(event, records, Source(event.unit, event.event_no, time))]

    def _alarms(self, row: _Prepared, event: Event, found: list[Finding]) -> list[Record]:
        """Return the alarms of what was found, of locks, and those that a flood has postponed."""
        context = self._context
        out = findings.alarms(context, event, found) if found else []
        if row.locks:
            out += exit_lock.alarms(context, event)
        return out + context.postponed_alarms() if context.alarms.postponed else out

    def _not_confirmed(self, row: _Prepared, event: Event, found: list[Finding]) -> list[Record] | None:
        """Return the records of the last coup if play goes on before it is confirmed; None if it does not."""
        last = self.disputes.last
        if last is None or (row.passes is None and event.unit == last.unit):
            return None
        if not self._context.confirmations.awaited(last):
            return None
        if event.unit == last.unit and row.passes is not None and not row.passes(event, last):
            return None
        return coups.not_confirmed(self._context, last, event, found)

    def lost(self, event: Event, first: int, last: int, time: str) -> list[Record]:
        """Note that these events before this one are lost; return nothing if their alarm is active."""
        state, context = self.state, self._context
        if event.unit != state.unit:
            state = self._begin_unit(event.unit)
        state.time = time
        for check in self._prepare(UNREADABLE).checks:
            check(event)
        effects.log_gap(state, {})
        say = log_lost(event.unit, first, last)
        if any(alarm.say == say for alarm in self.alarms.named("log_lost")):
            return []
        where = f"events {first} to {last} were overwritten"
        return context.raise_alarm(context.common(event), "log_lost", say=say, shoe_says=where)

    def failed(self, event: Event, error: Exception, time: str) -> list[Record]:
        """Store an event on which our own checks failed; nothing more is known of its shoe."""
        self._begin_unit(event.unit)
        common = self._context.common_now(Source(event.unit, event.event_no, time))
        return [Record(), *self._context.raise_alarm(common, "not_verified", **wording.not_verified(event, error))]

    # After a restart

    def resume(self, shoe: int, event: Event) -> None:
        """Get ready to take again the events from this one on, with which the ledger's newest shoe was opened."""

    def resume_after(self, shoe: int) -> None:
        """Get ready for a line whose log cannot be taken again; the ledger's newest shoe of its unit is this one."""

    def recall_key(self, unit: str, *, on: bool) -> None:
        """Take from the ledger whether the supervisor's key of a shoe was turned before its next event."""
        self._begin_unit(unit)
        self.checks.authorisation.recall_key(on=on)

    def restore(self, alarms: list[AlarmMessage], disputed: list[CoupMessage], more: int = 0) -> None:
        """Take from the ledger what is active and disputed, and how many more coups are disputed."""
        self.alarms.restore(alarms)
        self.disputes.restore(disputed, more)
        state = self.state
        for alarm in self.alarms.named("discrepancy"):
            if state.phase == "dealing" and (alarm.shoe, alarm.coup) == (state.shoe_no, state.coup_no):
                state.doubtful.add(state.coup_no)

    def recall_decisions(self, decisions: list[CoupMessage]) -> None:
        """Take from the ledger what people have decided here lately."""
        for decision in decisions:
            self.confirmations.recall(decision)
            self.disputes.recall(decision, (self.state.unit, decision.shoe, decision.coup))

    def recall_confirmed(self, message_id: str) -> None:
        """Take from the ledger which message confirmed the newest coup, or none; our own shoe's log has that."""

    def recall_wear(self, events: Iterable[Event]) -> None:
        """Take from the ledger what sensors and controllers measured after the last shoes, the oldest first."""
        shoe_no = 0
        for event in events:
            if event.kind == "sensor":
                data, shoe_no = event.data, event.data["shoe_no"]
                self.wear.sensor(event.unit, data["sensor"], shoe_no, data["reads"], data["margin_mean_pct"])
            elif shoe_no:
                self.wear.health(event.unit, shoe_no, event.event_no, event.data["heap_free_bytes"])

    def recall_move(self, event: Event, time: str) -> None:
        """Take from the ledger a coup that left and has an active alarm; the cards out with it are not known."""
        where = event.data["shoe_no"], event.data["coup_no"]
        doubtful = any((alarm.shoe, alarm.coup) == where for alarm in self.alarms.named("discrepancy"))
        self.moves.recall(Moved(self.table, event, time, Counter(), doubtful))

    # People

    def active(self) -> list[AlarmMessage]:
        """Return the active alarms, oldest first."""
        return self.alarms.active()

    def disputed(self) -> list[CoupMessage]:
        """Return the coups that wait for a supervisor, oldest first."""
        return self.disputes.open()

    def acknowledge(self, alarm_id: str, by: str, source: Source) -> list[Record]:
        """Record that somebody has seen an alarm; raise NotThereError if it is not active."""
        disputed = {(coup.shoe, coup.coup) for coup in self.disputed()}
        return [Record("alarm", message) for message in self.alarms.acknowledge(alarm_id, by, source, disputed)]

    def decide(
        self,
        coup: CoupMessage,
        status: Decision,
        decider: Decider,
        source: Source,
        winner: Winner | None = None,
        reason: str = "",
    ) -> list[Record]:
        """Confirm or void a disputed coup; an alarm if the winner is not that of the cards."""
        where, context = disputes.where_dealt(coup), self._context
        decision = disputes.decided(coup, status, decider, source, winner)
        out = coups.publish(context, decision, where)
        out += coups.end_dispute(context, where, decider.by, source)
        by_cards = disputes.contradicted(coup, winner)
        if not by_cards:
            return out
        place = {**context.common_now(source), "shoe": coup.shoe, "coup": coup.coup}
        text = wording.decided_by_word(decider, decision, by_cards, reason)
        return out + context.raise_alarm(place, "decided_by_word", **text)

    def invalidate(
        self, coup: CoupMessage, confirmed: str, decider: Decider, source: Source, reason: str
    ) -> list[Record]:
        """Void a coup of any time that has an outcome; `confirmed` is the id of the message that confirmed it."""
        context, where = self._context, disputes.where_dealt(coup)
        if confirmed:
            self.confirmations.recall_result(coup.id, confirmed)
        out = coups.publish(context, disputes.decided(coup, "void", decider, source, None), where)
        out += coups.end_dispute(context, where, decider.by, source)
        place = {**context.common_now(source), "shoe": coup.shoe, "coup": coup.coup}
        text = wording.outcome_invalid(decider, coup, reason)
        return out + context.raise_alarm(place, "outcome_invalid", **text)

    def cards_settled(self, names: Iterable[str], by: str, source: Source) -> list[Record]:
        """End alarms after which no coup counts: a person has recorded that the cards are checked or replaced."""
        over = [alarm for alarm in self.alarms.held() if alarm.name in names]
        return self._context.clear_alarms(over, by, source)

    def declare_shoe_void(self, decider: Decider, source: Source) -> list[Record]:
        """Raise the alarm of a shoe that a person declared void; nothing if it is active."""
        text = wording.shoe_void(self.table, decider)
        return self._context.raise_alarm(self._context.common_now(source), SHOE_VOID, **text)

    def declare_foreign_card(self, decider: Decider, source: Source) -> list[Record]:
        """Raise the alarm of a missing or foreign card that a person found, where the book has the cards checked."""
        if not self._context.removes_cards() or self.alarms.named(FOREIGN):
            return []
        text = wording.foreign_card(self.book, f"recorded by {decider.by}")
        return self._context.raise_alarm(self._context.common_now(source), FOREIGN, **text)

    # The daemon

    def match_fault(self, fault: str, source: Source) -> list[Record]:
        """Raise and clear alarms of faults that lock the exit, so that they show what the shoe reports."""
        context, name = self._context, f"fault_{fault}"
        over = [alarm for alarm in self.active() if alarm.name in LOCKING and alarm.name != name]
        over += self.alarms.named(*SETTLED) if over and name not in LOCKING else []
        out = context.clear_alarms(over, "the shoe reports no such fault", source)
        if name in LOCKING and not self.alarms.named(name):
            common = {**context.common_now(source), "coup": self.state.fault_coup_no(fault)}
            out += context.raise_alarm(common, name, **wording.fault(fault))
        return out

    def match_state(self, name: str, say: str, source: Source) -> list[Record]:
        """Raise an alarm that lasts as long as the daemon has something to say about it; clear it without."""
        if say:
            return self.gateway_alarm(name, say, source)
        return self._context.clear_alarms(self.alarms.named(name), "the gateway: the cause is gone", source)

    def match_moves(self, source: Source) -> list[Record]:
        """Clear the alarms of coups that left and have come to a table of this gateway."""
        taken = self.moves.taken(self.table)
        over = [alarm for alarm in self.alarms.named(LEFT) if alarm.alarm in taken]
        tables = ", ".join(dict.fromkeys(taken[alarm.alarm] for alarm in over))
        return self._context.clear_alarms(over, f"the gateway: the coup is played at {tables}", source)

    def firmware_pushed(self, unit: str, source: Source) -> list[Record]:
        """Clear the alarms of a unit that went back to its old firmware: it runs the one that was pushed."""
        over = [alarm for alarm in self.alarms.named(REVERTED) if alarm.alarm.startswith(f"{unit}-")]
        return self._context.clear_alarms(over, "the gateway: the shoe runs the firmware that was pushed", source)

    def gateway_alarm(
        self, name: str, say: str, source: Source, *, clause: str = "", coup: tuple[int, int] | None = None
    ) -> list[Record]:
        """Raise an alarm that the daemon has found: about a coup, as shoe and number; or else unless it is active."""
        context, where = self._context, dict(zip(("shoe", "coup"), coup or (), strict=False))
        if coup is None and self.alarms.named(name):
            return []
        return context.raise_alarm(context.common_now(source) | where, name, say=say, clause=clause)
