"""Verifier of an Angel Eye: its messages become coups by the tracker, then the records that our own shoe's events get.

The protocol is built from public facts. No recording of a real shoe exists, and this was never tried on one.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from sabot_protocol.angel_eye.messages import stored
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.topics import CoupMessage, DriverName, Unknown, Winner

from sabot_gateway.angel_eye import reports, words
from sabot_gateway.angel_eye.checks import AngelEyeChecks
from sabot_gateway.angel_eye.coup import FIRST_CARD_MISSING
from sabot_gateway.angel_eye.events import CONNECT, KIND
from sabot_gateway.angel_eye.rows import ROWS
from sabot_gateway.angel_eye.steps import Step
from sabot_gateway.angel_eye.tracker import Tracker
from sabot_gateway.angel_eye.translate import Translator
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.confirmations import confirm_first
from sabot_gateway.verify.deciders import Decider, Who, nobody
from sabot_gateway.verify.dispatch import Row
from sabot_gateway.verify.disputes import Decision
from sabot_gateway.verify.moves import Moves
from sabot_gateway.verify.records import Record, Source
from sabot_gateway.verify.state import ShoeState
from sabot_gateway.verify.verifier import Part, Verifier

# Parts that are messages: ids count them, whatever alarms are raised beside them, so that a restart gives the same.
_MESSAGES: Final = ("shoe_opened", "shoe_closed", "card", "coup", "coup_void", "button")


class Settings(NamedTuple):
    """How a table uses its Angel Eye."""

    confirm: Literal["result", "dealer"] = "result"  # what confirms a coup: the shoe's result, or a person
    resent_card: Literal["keep", "ignore"] = "keep"  # what a card that is sent again after an overdraw means


class AngelEyeVerifier(Verifier):
    """One table with an Angel Eye: takes its messages and the outcomes of commands in order.

    One class because each method is the Angel Eye's form of one of Verifier, or a step of it.
    """

    driver: DriverName = "angel-eye"
    rows: Mapping[str, Row[Any]] = ROWS
    several_parts = True

    def __init__(
        self,
        table: str,
        rulebook: Rulebook,
        profile: dict[str, Any],
        who: Who = nobody,
        moves: Moves | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._settings = settings or Settings()
        self.confirmed_by_result = self._settings.confirm == "result" and not confirm_first(rulebook)
        self._tracker = Tracker(resent_card=self._settings.resent_card)
        self._parts: list[Part] = []
        super().__init__(table, rulebook, profile, who, moves)

    def _begin_unit(self, unit: str) -> ShoeState:
        """Forget the coup on the table; the tracker still knows the numbers of shoe and coup."""
        state, checks = super()._begin_unit(unit), self.checks
        assert isinstance(checks, AngelEyeChecks)
        state.decks = int(self.profile["decks"])
        self._translator = Translator(state, checks, self.profile, confirms=self.confirmed_by_result)
        self._translator.go_on(self._tracker.coup)
        return state

    def _new_checks(self, state: ShoeState) -> AngelEyeChecks:
        return AngelEyeChecks(self.table, state, self.book, self.profile, self.moves, self._who)

    def unread_copy(self) -> "AngelEyeVerifier":
        """Return a verifier for the same table that has seen no event."""
        return AngelEyeVerifier(self.table, self.book, self.profile, self._who, self.moves, self._settings)

    def uses(self, rulebook: Rulebook, profile: dict[str, Any], settings: object = None) -> bool:
        """Return True if it verifies by this rulebook, profile and settings."""
        return settings == self._settings and super().uses(rulebook, profile)

    def unknown(self) -> tuple[Unknown, ...]:
        """Return what the shoe has not reported since it was connected, and what cannot be known of its coup."""
        tracker, coup = self._tracker, self._tracker.coup
        coup_known = tracker.coup_known or self.state.phase == "between"
        known: dict[Unknown, bool] = {
            "shoe": self.state.whole,
            "coup": coup_known and not (coup and FIRST_CARD_MISSING in coup.flags),
            "lock": tracker.condition.locked is not None,
            "error": tracker.condition.error_known,
        }
        return tuple(name for name, is_known in known.items() if not is_known)

    def results_missing(self) -> bool:
        """Return True if a coup is known to be lost; what a line brought while it was closed, nobody can know."""
        return self.state.missed

    def line_lost(self) -> tuple[str, str] | None:
        """Note that the port is gone; return the alarm and its text if the shoe is in play."""
        state = self.state
        if not reports.in_play(state):
            return None
        state.line_lost = True
        coup = f"{state.shoe_no}/{state.coup_no}" if state.phase == "dealing" else ""
        return reports.INTERRUPTED, words.line_lost(coup)

    def exit_locked(self, *, fault: bool) -> bool | None:
        """Return whether the exit is locked, by the key, a command or an error; None if it is not known."""
        condition = self._tracker.condition
        if condition.locked or condition.error:
            return True
        return None if condition.locked is None or not condition.error_known else False

    def unread_cards(self) -> int | None:
        """Return 0: an Angel Eye takes no keyed card."""
        return 0

    def standing_error(self) -> dict[str, str]:
        """Return the error in which the shoe stands and what a person does about it; nothing without one."""
        error = self._tracker.condition.error
        return {"fault": error, "next_step": words.next_step(error)} if error else {}

    # Events

    def resume(self, shoe: int, event: Event) -> None:
        """Get ready to take again the events from this one on, with which the ledger's newest shoe was opened."""
        resent_card = self._settings.resent_card
        if event.kind == KIND and event.data["message"].name == CONNECT:
            self._tracker = Tracker(shoe=shoe, resent_card=resent_card)
        else:
            self._tracker = Tracker(shoe=shoe - 1, shoe_coups=1, shoe_changes=True, resent_card=resent_card)
            self.state.unit, self.state.shoe_no = event.unit, shoe - 1

    def resume_after(self, shoe: int) -> None:
        """Get ready for a line whose log cannot be taken again: the next connect opens the next shoe."""
        self._begin_unit("")
        self._tracker = Tracker(shoe=shoe + 1, resent_card=self._settings.resent_card)

    def take(self, event: Event, time: str) -> list[Record]:
        """Verify the next event and return its records; the first is the event's own."""
        if event.unit != self.state.unit:
            self._begin_unit(event.unit)
        self.state.time = time
        self._parts, messages = [], 0
        try:
            for part in self._translated(event):
                self._context.suffix = _suffix(messages)
                source = Source(event.unit, event.event_no, time, _suffix(len(self._parts)))
                self._parts.append(Part(part, self._verify(part), source))
                messages += part.kind in _MESSAGES
        finally:
            self._context.suffix = ""
        silence_over = reports.silence_over(self._context, event) if event.kind == KIND else []
        return _own_first([part.records for part in self._parts]) + silence_over

    def parts(self, event: Event, records: list[Record], time: str) -> list[Part]:
        """Return what the last event meant, each part with its records."""
        return self._parts or super().parts(event, records, time)

    def _translated(self, event: Event) -> Iterator[Event]:
        """Yield the event as our own shoe would have logged it: none, one or several, each by the state before it."""
        if event.kind != KIND:
            yield event
        steps = self._steps(event)
        yield from self._translator.translate(event, steps, self._tracker.shoe)
        if event.kind == "command_done":
            yield from self._translator.commanded(event)

    def _steps(self, event: Event) -> list[Step]:
        if event.kind == KIND:
            return self._tracker.take(event.data["message"])
        return self._tracker.take(stored(event.raw)) if event.kind == "command_done" else []

    def failed(self, event: Event, error: Exception, time: str) -> list[Record]:
        """Store an event on which our own checks failed; the numbers of shoe and coup go on."""
        records = super().failed(event, error, time)
        self.state.shoe_no, self.state.coup_no = self._tracker.shoe, self._tracker.shoe_coups
        self.state.missed = True
        self._parts = []
        return records

    # People

    def decide(
        self,
        coup: CoupMessage,
        status: Decision,
        decider: Decider,
        source: Source,
        winner: Winner | None = None,
        reason: str = "",
    ) -> list[Record]:
        """Confirm or void a disputed coup; if it is on the table, the next can begin."""
        out = super().decide(coup, status, decider, source, winner, reason)
        self._end_coup(coup)
        return out

    def recall_decisions(self, decisions: list[CoupMessage]) -> None:
        """Take from the ledger what people have decided here lately."""
        super().recall_decisions(decisions)
        for decision in decisions:
            self._end_coup(decision)

    def recall_confirmed(self, message_id: str) -> None:
        """Take from the ledger whether the newest coup is confirmed, whatever confirms one since then."""
        last, state = self.disputes.last, self.state
        if last is None or last.status != "verified" or (last.shoe, last.coup) != (state.shoe_no, state.coup_no):
            return
        self.confirmations.recall_result(last.id, message_id)
        if message_id:
            self._end_coup(last)
        elif self.confirmations.awaited(last) and state.phase in ("between", "unknown"):
            state.phase = "complete"

    def _end_coup(self, coup: CoupMessage) -> None:
        """No button ends a coup at the shoe: the decision does."""
        state = self.state
        if state.phase == "complete" and (coup.shoe, coup.coup) == (state.shoe_no, state.coup_no):
            state.phase = "between"


def _suffix(before: int) -> str:
    """Return what is behind the id of the event in the ids of a part with so many before it."""
    return f"-{before + 1}" if before else ""


def _own_first(parts: list[list[Record]]) -> list[Record]:
    """Return the records of all parts, without empty ones: first the event's own, which is empty if no part has one."""
    own = next((records[0] for records in parts if records[0].topic), None)
    rest = [record for records in parts for record in records if record.topic and record is not own]
    return [own or Record(), *rest]
