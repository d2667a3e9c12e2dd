"""Verbs that end what was dealt by a decision of people: invalidate (an outcome), end-shoe (its cards)."""

from collections.abc import Callable, Mapping
from typing import Annotated

from msgspec import Meta
from sabot_protocol import authority, command_acts, command_clauses, incidents
from sabot_protocol.incidents import RECORDED, Opener
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.rulebooks.people import catalogue

from sabot_gateway.incidents.openings import Opening
from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs.card_checks import effects_on_cards
from sabot_gateway.operator.verbs.coup import Void
from sabot_gateway.operator.verbs.shoe import CloseShoe
from sabot_gateway.operator.verbs.verb import Effect, RefusedError, TableVerb, expect
from sabot_gateway.verify import Source
from sabot_gateway.verify.deciders import Decider

Reason = Annotated[str, Meta(min_length=1, max_length=500)]


class Invalidate(TableVerb, frozen=True):
    """Invalidate the outcome of a coup, however long ago it was settled: for a disruption, or for fraud."""

    title = "Invalidate"
    coup: Annotated[str, Meta(pattern=r"\A[0-9]{1,9}/[0-9]{1,9}\Z")]
    cause: str
    reason: Reason

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown cause."""
        expect("cause", self.cause, command_acts.INVALIDATE_ACTS)

    def check_clause(self, table: TableView, clause: str) -> None:
        """Refuse it without the clause of the act, where the rulebook has one."""
        super().check_clause(table, clause)
        refuse_without(table, command_acts.INVALIDATE_ACTS[self.cause], clause)

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Void the coup on the table at the shoe; of an earlier one correct what was published."""
        reason, shoe, coup = plain(self.reason), *map(int, self.coup.split("/"))
        if not reason:
            raise RefusedError("it needs a reason. Add --reason TEXT.")
        verifier, state = table.verifier, table.verifier.state
        on_table = (shoe, coup) == state.coup_on_table() and state.phase in ("dealing", "complete")
        disputed = verifier.disputes.at((state.unit, shoe, coup)) if on_table else None
        if on_table and not disputed:
            return Effect(command=Void(coup=self.coup))
        newest, confirmed = (disputed, "") if disputed else table.find_coup(shoe, coup)
        if newest is None:
            raise RefusedError(f"{table.why_not_dealt(shoe, coup) or f'no coup {self.coup} is in the ledger'}.")
        if newest.kind == "void":
            raise RefusedError(f"coup {self.coup} is void already: {newest.by or 'the shoe'} decided that.")
        source = new_source()
        records = verifier.invalidate(newest, confirmed, person, source, f"{self.cause}: {reason}")
        say = f"The outcome of coup {self.coup} is invalid: refund every wager on it, and take back what was paid."
        held = on_table and table.fault == "decision"
        return Effect([(source, records)], say, Void(coup=self.coup, reason="discrepancy") if held else None)


class EndShoe(TableVerb, frozen=True):
    """End the shoe because its cards must be shuffled or replaced, under the rule of the cause."""

    title = "End shoe"
    cause: str
    agreed: bool = False  # all players at the table agree
    note: Annotated[str, Meta(max_length=500)] = ""

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown cause."""
        expect("cause", self.cause, command_acts.END_ACTS)

    def check_clause(self, table: TableView, clause: str) -> None:
        """Refuse it without the clause of the act, where the rulebook has one."""
        super().check_clause(table, clause)
        refuse_without(table, command_acts.END_ACTS[self.cause], clause)

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Record the act with the steps that follow, and have an open shoe closed."""
        act, state = command_acts.END_ACTS[self.cause], table.verifier.state
        if state.dealing():
            raise RefusedError("a coup is in progress. Finish it, or void it under its own clause; then repeat it.")
        if self.cause == "misdeal":
            self._refuse_rest(table, act)
        source = new_source()
        record = table.incidents.open_by(self._opening(table, act, person), person, source)[0]
        records = [record, *effects_on_cards(table, act, person, source)]
        title = catalogue().acts()[act].title
        command = CloseShoe() if state.phase in ("between", "complete") else None
        return Effect([(source, records)], f"{title}: recorded.", command)

    def _opening(self, table: TableView, act: str, person: Decider) -> Opening:
        opener = Opener(act=act)
        kind = incidents.kind_of(table.verifier.rulebook, opener) or RECORDED
        state, note = table.verifier.state, plain(self.note)
        shoe, coup = state.coup_on_table() or (state.shoe_no or 0, 0)
        facts: Mapping[str, incidents.Fact] = {"act": act} | ({"note": note} if note else {})
        say = f"{catalogue().acts()[act].title}{f': {note}' if note else ''}."
        return Opening(kind, opener, state.unit, shoe, coup, say, dict(facts), person.clause)

    def _refuse_rest(self, table: TableView, act: str) -> None:
        """The rest of the shoe goes only after a void misdeal, and where the book asks the players, if all agree."""
        last, state = table.verifier.disputes.last, table.verifier.state
        here = last is not None and (state.phase == "unknown" or last.shoe == state.shoe_no)
        if last is None or last.kind != "void" or not here:
            raise RefusedError(
                "the newest coup of this shoe is not void. Void it as a misdeal first, if it cannot be reconstructed."
            )
        rule = authority.load(table.verifier.rulebook).act[act]
        if rule.when.get("players_agree") and not self.agreed:
            raise RefusedError(f"all players at the table must agree ({rule.clause}). Ask them, then add --agreed.")


def refuse_without(table: TableView, act: str, clause: str) -> None:
    """Raise RefusedError if an act with a rule comes without its clause."""
    book = table.verifier.rulebook
    if not clause and not authority.load(book).act[act].silent:
        raise RefusedError(
            f"it needs a clause of {book}: {', '.join(command_clauses.of_act(book, act))}. Add --clause N."
        )
