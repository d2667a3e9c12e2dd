"""Verify: an independent reading of the shoe's log; what the shoe says and what the rules give must agree."""

from collections import Counter
from typing import Any

from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.topics import AlarmMessage, CoupMessage, Winner

from sabot_gateway.shoe.continuity import log_lost
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import disputes
from sabot_gateway.verify.alarms.book import NotThereError
from sabot_gateway.verify.alarms.catalogue import ALARMS, FAULTS, HOLDING
from sabot_gateway.verify.checks.registry import Checks
from sabot_gateway.verify.confirmations import Confirmations
from sabot_gateway.verify.deciders import Decider, Who, nobody
from sabot_gateway.verify.disputes import Decision, Disputes
from sabot_gateway.verify.findings import Finding
from sabot_gateway.verify.moves import LEFT, Cards, Moved, Moves, as_arguments, on_table
from sabot_gateway.verify.records import Record, Source
from sabot_gateway.verify.reports import Telling
from sabot_gateway.verify.state import ShoeState

__all__ = ["NotThereError", "Record", "Source", "Verifier"]


class Verifier:
    """One table's reading of its shoe's log, in order; its alarms and its disputed coups."""

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
        self._telling = Telling(table, rulebook, self.digest, who)
        self._serve("")
        self.moves.active_alarms[table] = lambda: {alarm.alarm for alarm in self._telling.alarms.named(LEFT)}

    def _serve(self, unit: str) -> None:
        """Another shoe is on the table: nothing is known of it."""
        self.state = ShoeState(unit=unit)
        self._checks = Checks(self.state, self.book, self.profile)
        self._telling.serve(self.state)

    def unread_copy(self) -> "Verifier":
        """Return a verifier for the same table that has seen no event."""
        return Verifier(self.table, self.book, self.profile, self._who, self.moves)

    def uses(self, rulebook: Rulebook, profile: dict[str, Any]) -> bool:
        """Return True if it verifies by this rulebook and profile."""
        return (self.digest, self.profile) == (rulebook.digest().hex(), profile)

    @property
    def decks(self) -> int:
        """Decks of the shoe on the table; without one, of the table's profile."""
        return self.state.decks or int(self.profile["decks"])

    def leaving_coup(self, done: Event) -> tuple[int, Cards]:
        """Return number and cards of the coup that this command exports."""
        moved, number = self.moves.last(self.table), self.state.next_coup_no()
        if moved and moved.event.unit == done.unit and moved.event.event_no > done.event_no:
            return moved.coup_no, moved.cards
        return number, tuple(self.state.dealt.get(number, ()))

    def take(self, event: Event, time: str) -> list[Record]:
        """What this event means; the first record is the event's own."""
        state = self.state
        if event.unit != state.unit or state.missed_a_shoe(event):
            self._serve(event.unit)
        moves = self._hand_over(event, time) if event.kind == "handed_over" else []
        found = moves + self._checks.findings(event, time)
        out = self._telling.tell(event, time, found) + self._telling.owed(time)
        self.state.follow(event)
        return out

    def _hand_over(self, event: Event, time: str) -> list[Finding]:
        """A coup leaves with all that is known of it, or comes with what is known of it here; what is wrong then."""
        composition, number = self._checks.composition, event.data["coup_no"]
        if not event.data["import"]:
            doubtful = self._telling.in_doubt(number)
            self.moves.left(Moved(self.table, event, time, composition.all_out(), doubtful))
            return []
        moved = self.moves.arrived(event, self.table, time)
        if moved is None:
            return self._came_wrongly(number, on_table(event.data["cards"]))
        composition.came_with(moved.out)
        self._telling.came(moved)
        if event.data["kind"] == moved.kind:
            return []
        fact = f"A coup came from another shoe as another kind than it was when it left {moved.table}."
        return [Finding(fact, event.data["kind"], moved.kind, "", number)]

    def _came_wrongly(self, number: int, cards: Cards) -> list[Finding]:
        """What this gateway knows otherwise of a coup that came: it goes on elsewhere, or left with other cards."""
        says, same = f"coup {number}: {as_arguments(cards)}", self.moves.find(number, cards)
        if same:
            fact = "A coup came from another shoe that goes on elsewhere already."
            return [Finding(fact, says, f"coup {number} of {same.table} goes on at {same.taken_by}", "", number)]
        other = self.moves.with_other_cards(number, cards)
        if other is None:
            return []
        fact = f"A coup came from another shoe with other cards than it had when it left {other.table}."
        return [Finding(fact, says, f"coup {number}: {as_arguments(other.cards)}", "", number)]

    def lost(self, event: Event, first: int, last: int, time: str) -> list[Record]:
        """Events that came before this one and can no longer be had; nothing where their alarm is active."""
        if event.unit != self.state.unit:
            self._serve(event.unit)
        self._checks.gap()
        say, telling = log_lost(event.unit, first, last), self._telling
        if any(alarm.say == say for alarm in telling.alarms.named("log_lost")):
            return []
        where = f"events {first} to {last} were overwritten"
        return telling.raise_(telling.common(event, time), "log_lost", say=say, shoe_says=where)

    def failed(self, event: Event, error: Exception, time: str) -> list[Record]:
        """Our own checks met an error: the event is kept as it came, and nothing more is known of the shoe."""
        self._serve(event.unit)
        telling = self._telling
        say = (
            "An event of this shoe could not be checked: the fault is the gateway's. It is in the ledger. Check the "
            "coups by hand until a new shoe is opened, and report this with the ledger."
        )
        where = f"event {event.event_no}, {event.kind}: {type(error).__name__}: {error}"
        common = telling.place(Source(event.unit, event.event_no, time))
        return [Record(), *telling.raise_(common, "not_verified", say=say, shoe_says=where)]

    # What people and the daemon do

    def active(self) -> list[AlarmMessage]:
        """The alarms that are not over, oldest first, as last said."""
        return self._telling.alarms.active()

    def disputed(self) -> list[CoupMessage]:
        """The coups that wait for a supervisor."""
        return self._telling.disputes.open()

    def restore(self, alarms: list[AlarmMessage], disputed: list[CoupMessage], more: int = 0) -> None:
        """After a restart: what the ledger says is active and disputed, and how many more coups are."""
        self._telling.alarms.restore(alarms)
        self._telling.disputes.restore(disputed, more)
        self._telling.doubt_again()

    def recall_move(self, event: Event, time: str) -> None:
        """After a restart: a coup that left, of which an alarm stands; which cards were out with it is not known."""
        where = event.data["shoe_no"], event.data["coup_no"]
        doubtful = any((alarm.shoe, alarm.coup) == where for alarm in self._telling.alarms.named("discrepancy"))
        self.moves.recall(Moved(self.table, event, time, Counter(), doubtful))

    @property
    def disputes(self) -> Disputes:
        """The disputed coups."""
        return self._telling.disputes

    @property
    def confirmations(self) -> Confirmations:
        """The coups that were confirmed."""
        return self._telling.confirmations

    def recall_decisions(self, decisions: list[CoupMessage]) -> None:
        """After a restart: what people have decided here lately."""
        for decision in decisions:
            self._telling.confirmations.recall(decision)
            self._telling.disputes.recall(decision, (self.state.unit, decision.shoe, decision.coup))

    def acknowledge(self, alarm_id: str, by: str, source: Source) -> list[Record]:
        """Somebody has seen an alarm; NotThereError where it is not active."""
        alarm = next((one for one in self.active() if one.alarm == alarm_id), None)
        ends = alarm is not None and self._ends_when_seen(alarm)
        return [
            Record("alarm", message) for message in self._telling.alarms.acknowledge(alarm_id, by, source, ends=ends)
        ]

    def _ends_when_seen(self, alarm: AlarmMessage) -> bool:
        """What a decision ends ends so only where no coup waits for one."""
        waits = any((coup.shoe, coup.coup) == (alarm.shoe, alarm.coup) for coup in self.disputed())
        ends = ALARMS[alarm.name].ends
        return "acknowledged" in ends and not ("decision" in ends and waits)

    def dispute(self, named: str) -> CoupMessage:
        """The disputed coup of this id, or of shoe and coup as 3/17; NotThereError says why it is not disputed."""
        return self._telling.disputes.find(named)

    def decide(
        self, coup: CoupMessage, status: Decision, decider: Decider, source: Source, winner: Winner | None = None
    ) -> list[Record]:
        """A supervisor confirms or voids a disputed coup."""
        where = disputes.where_dealt(coup)
        out = self._telling.tell_coup(disputes.decided(coup, status, decider, source, winner), where)
        return out + self._telling.settled(where, decider.by, source)

    def match_fault(self, fault: str, source: Source) -> list[Record]:
        """The shoe reports this fault, or none: the alarms of faults that hold its exit must show the same."""
        telling, name = self._telling, f"fault_{fault}"
        over = [alarm for alarm in self.active() if alarm.name in HOLDING and alarm.name != name]
        out = telling.over(over, "the shoe reports no such fault", source)
        if name in HOLDING and not telling.alarms.named(name):
            words = {"say": FAULTS[fault], "shoe_says": fault.replace("_", " ")}
            out += telling.raise_(telling.place(source), name, **words)
        return out

    def match_moves(self, source: Source) -> list[Record]:
        """A coup that left has come to a table of this gateway: its alarm is over."""
        taken = self.moves.taken(self.table)
        over = [alarm for alarm in self._telling.alarms.named(LEFT) if alarm.alarm in taken]
        tables = ", ".join(dict.fromkeys(taken[alarm.alarm] for alarm in over))
        return self._telling.over(over, f"the gateway: it goes on at {tables}", source)

    def gateway_alarm(self, name: str, say: str, source: Source) -> list[Record]:
        """What the daemon itself finds; nothing where it is active already."""
        telling = self._telling
        return [] if telling.alarms.named(name) else telling.raise_(telling.place(source), name, say=say)
