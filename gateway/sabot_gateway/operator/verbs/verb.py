"""Verb: the base of all verbs. Each verb is one struct: arguments, check, command to the shoe, and answer."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta
from sabot_protocol import clauses
from sabot_protocol.cards import DECK
from sabot_protocol.inputs.plain_text import plain

from sabot_gateway.angel_eye.refusals import answer_text
from sabot_gateway.operator.table_view import TableView, next_step
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Record, Source
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.reports.exit_lock import EXIT_LOCKS
from sabot_gateway.verify.state import ShoeState

Id = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_./-]{1,128}\Z")]  # of a message, or shoe and coup as 3/17
Decks = Annotated[int, Meta(ge=1, le=8)]
Coup = tuple[int, int]  # shoe and coup number

_REFUSED = {  # by the outcome that the shoe logs; `not_now` is the verb's own
    "not_permitted": "the rulebook of {table} does not permit it. Ask for what the clause allows instead.",
    "not_authorised": "it needs a supervisor. Turn the supervisor's key at the shoe, or run `sabot table {table} "
    "authorise --by NAME`; then repeat it.",
    "bad_value": "the shoe does not accept one of the values. Check them against the cards and the rulebook.",
    "unknown": "the shoe's firmware does not know this command. Reflash the shoe with `sabot flash`.",
}


class RefusedError(Exception):
    """Why a request is refused, and what to do next."""


class Verb(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a person asks for; the fields are the arguments, and a value out of range is a ValueError."""


@dataclass(frozen=True)
class Effect:
    """What a verb does: records to store, the sentence that is then true, and the command that the shoe gets."""

    stored: list[tuple[Source, list[Record]]] = field(default_factory=list)
    say: str = ""
    command: "ShoeVerb | None" = None


def refuse_unidentified(person: Decider) -> None:
    """Refuse what another person must do: at a socket without roles one person can type two names."""
    if not person.role:
        raise RefusedError(
            "nobody is identified here, and a name that is typed is no other person. Do it at a page of the floor "
            "service, or give the accounts of this PC roles: [roles] in the gateway's config."
        )


class TableVerb(Verb, frozen=True):
    """A verb for a table."""

    title: ClassVar[str]  # begins a refusal: "Void refused: …"
    needs_clause: ClassVar[bool] = False

    def check_clause(self, table: TableView, clause: str) -> None:
        """Raise ClauseError if the rulebook has no such clause, RefusedError if the verb needs one and has none."""
        if clause:
            clauses.named(table.verifier.rulebook, clause)
        elif self.needs_clause:
            raise RefusedError(f"it needs a clause of {table.verifier.rulebook}. Add --clause N.")

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Return what the verb does at this table; RefusedError if it does nothing."""
        raise NotImplementedError


class ShoeVerb(TableVerb, frozen=True):
    """A verb that becomes one command of the shoe, and is answered when the shoe has logged the outcome."""

    command: ClassVar[str]
    of_coup: ClassVar[bool] = False  # about the coup that has begun, and never done to the next
    not_now: ClassVar[str] = "the shoe cannot do it in its present state. See `sabot gateway status`, then repeat it."

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Send the command; nothing is stored but the attempt."""
        return Effect(command=self)

    def bound_to(self, table: TableView) -> Coup | None:
        """Return the coup that must still be on the table when the command is sent; None if any may be."""
        return self.coup_meant(table) if self.of_coup else None

    def coup_meant(self, table: TableView) -> Coup | None:
        """Return the coup that it would be done to now; None if part of the log is missing."""
        state = table.verifier.state
        return state.coup_begun() if self.of_coup else state.coup_on_table()

    def check(self, table: TableView) -> None:
        """Raise RefusedError if the table cannot take it."""

    def possible(self, state: ShoeState) -> bool:
        """Return True if the gateway can carry it out now; asked where the shoe cannot do that itself."""
        return True

    def data(self, table: TableView) -> dict[str, Any]:
        """Return the fields of the command; an argument that was left out is left out here too."""
        given: dict[str, Any] = msgspec.to_builtins(self)
        return {name: value for name, value in given.items() if value is not None}

    def completed_by(self, event: Event) -> bool:
        """Return whether the answer can be given with this event of the shoe."""
        return event.kind == "command_done"

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return what was done and what follows, after "Done."."""
        return ""

    def why_not_now(self, table: TableView) -> str:
        """Return why it cannot be done in the present state, and the next step."""
        return self.not_now

    def refused(self, table: TableView, outcome: str) -> str:
        """Return the sentence for a command that the shoe refused."""
        reason = self.why_not_now(table) if outcome == "not_now" else _REFUSED.get(outcome) or answer_text(outcome)
        return f"{self.title} refused: {reason.format(table=table.name)}"


def still_locked(table: TableView, *ended: str) -> str:
    """Return why the exit stays locked and how it is released; `ended` are alarms that end with this command."""
    names = [name for name in EXIT_LOCKS if name not in ended]
    return next_step(table) or " ".join(alarm.say for alarm in table.verifier.alarms.named(*names))


def refuse_without_shoe(table: TableView) -> None:
    """Raise RefusedError if no shoe can take a command."""
    if table.link.unit is None:
        problem = (table.link.problem or "it has not answered yet").rstrip(".")
        raise RefusedError(f"no shoe is connected at {table.name}: {problem}. See `sabot gateway status`.")


def refuse_for_driver(table: TableView, verb: ShoeVerb) -> None:
    """Raise RefusedError if the shoe at this table has no such command, or the gateway cannot carry it out now."""
    refused = table.link.refuses(verb.command, msgspec.to_builtins(verb))
    if not refused and table.link.done_here(verb.command) and not verb.possible(table.verifier.state):
        refused = verb.why_not_now(table)
    if refused:
        raise RefusedError(refused.format(table=table.name))


def expect_card(name: str, card: str) -> None:
    """Raise ValueError if this is not one of the 52 cards."""
    if card not in DECK:
        raise ValueError(f"{name} {plain(card)[:8]!r} is not a card: expected value and suit, such as 8H, TD or AS")


def expect(name: str, value: str, known: Iterable[str]) -> None:
    """Raise ValueError if the value is not one of the known ones."""
    *most, last = known
    if value not in (*most, last):
        raise ValueError(f"unknown {name} {plain(value)[:40]!r}: expected {', '.join(most)} or {last}")
