"""Verbs about the wagers of a coup: no-more-bets, reopen-wagers, card-exposed."""

from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta
from sabot_protocol.rulebooks.people import Rule, catalogue
from sabot_protocol.topics import UNWAGERED
from sabot_protocol.wagers.closing import reopening, stated

from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs.coup import expect_coup
from sabot_gateway.operator.verbs.verb import Effect, Id, RefusedError, TableVerb, expect
from sabot_gateway.screens.calls import TOPICS, CallMessage, WagersAct
from sabot_gateway.screens.coup_now import CoupNow, closing, coup_now
from sabot_gateway.verify import Record, Source
from sabot_gateway.verify.deciders import Decider

_CALL = "Call no more bets (`sabot table {table} no-more-bets --by NAME`)"


class WagersVerb(TableVerb, frozen=True):
    """A verb about the wagers of the coup on the table, or of the next; refused if another coup is named."""

    act: ClassVar[WagersAct]
    coup: Id | None = None  # as 3/17; any, unless given

    def __post_init__(self) -> None:
        """Raise ValueError if no coup can have this name."""
        expect_coup(self.coup)

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Store the act, once for a coup."""
        now = self._now(table)
        problem = self.why_not(table, now)
        if problem:
            raise RefusedError(problem)
        label = f"{table.verifier.state.shoe_no}/{now.number}"
        again = self.again(now)
        if again:
            return Effect(say=again.format(coup=label))
        source, state = new_source(), table.verifier.state
        message = CallMessage(
            id=source.id,
            unit=state.unit,
            event_no=source.event_no,
            table=table.name,
            shoe=state.shoe_no or 0,
            coup=now.number,
            time=source.time,
            rulebook=table.verifier.digest,
            by=person.by,
            clause=person.clause or self.clause(table),
            attempt=person.attempt,
            act=self.act,
        )
        say = self.done(table, now).format(coup=label, table=table.name)
        return Effect([(source, [Record(TOPICS[self.act], message)])], say)

    def why_not(self, table: TableView, now: CoupNow) -> str:
        """Return why it is not possible now; empty if it is."""
        raise NotImplementedError

    def again(self, now: CoupNow) -> str:
        """Return that it is so already; empty if it is not."""
        return ""

    def clause(self, table: TableView) -> str:
        """Return the clause of the act where the person gives none."""
        return ""

    def done(self, table: TableView, now: CoupNow) -> str:
        """Return what is true now, and the next step."""
        raise NotImplementedError

    def _now(self, table: TableView) -> CoupNow:
        """Return the coup that is meant; RefusedError if there is none, or if another is named."""
        state, coup = table.verifier.state, table.verifier.state.coup_on_table()
        if state.shoe_no is None or state.phase in ("closed", "checking"):
            raise RefusedError("no shoe is open. Open one; its first coup can have wagers after the burn.")
        if coup is None:
            raise RefusedError(
                "part of the shoe's log is missing, so the coup on the table is not known. Close the wagers by voice."
            )
        if state.burning:
            raise RefusedError("the burn is not over. Burn the cards, then call it before the first card.")
        label = f"{coup[0]}/{coup[1]}"
        if self.coup not in (None, label, str(coup[1])):
            which = "on the table" if state.phase in ("dealing", "complete") else "the next one"
            raise RefusedError(f"coup {label} is {which}, not {self.coup}. Name it, or leave --coup out.")
        return coup_now(table.verifier, table.screens)


class NoMoreBets(WagersVerb, frozen=True):
    """Record the dealer's call of no more bets, while the wagers of a coup are open."""

    title = "No more bets"
    act = "called"

    def why_not(self, table: TableView, now: CoupNow) -> str:
        """Return what has closed the wagers already; empty while they are open."""
        state = table.verifier.state
        if now.closed_by in ("", "called"):
            return ""
        if state.phase == "complete":
            return "the coup on the table waits for Confirm. Confirm it, then call no more bets for the next one."
        if now.closed_by == "exposed":
            clause = table.verifier.book.closing.exposed_clause
            return f"a card of this coup is exposed, so wagers are closed already ({clause}). Deal the coup to its end."
        return "cards of this coup are out, so wagers are closed already. Deal the coup to its end."

    def again(self, now: CoupNow) -> str:
        """Return that it was called for this coup."""
        return "No more bets was called for coup {coup} already." if now.known.called else ""

    def done(self, table: TableView, now: CoupNow) -> str:
        """Return what the dealer does next."""
        return f"No more bets for coup {{coup}}. {_next_card(table, now)}"


def _next_card(table: TableView, now: CoupNow) -> str:
    """Return what is to be dealt: before a coup cards in excess may lie there that begin it."""
    if now.known.cards:
        return "Deal on, or turn the cards."
    kept = len(table.verifier.state.cards(now.number))
    if not kept:
        return "Deal the first card."
    lie = "first card lies" if kept == 1 else f"first {kept} cards lie"
    return f"Its {lie} there already. Deal the next one."


class ReopenWagers(WagersVerb, frozen=True):
    """Let wagers of a coup be placed or changed again, by the role and clause of the rulebook; until the next call."""

    title = "Reopen wagers"
    act = "reopened"
    facts: Annotated[dict[str, bool], Meta(max_length=5)] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for a coup or a fact that cannot be."""
        super().__post_init__()
        for fact in self.facts:
            expect("fact", fact, catalogue().fact)

    def why_not(self, table: TableView, now: CoupNow) -> str:
        """Return why the rulebook does not let this coup's wagers be reopened; empty if it does."""
        book = table.verifier.book
        rule = reopening(book)
        if rule is None:
            at = closing(table.verifier)
            return f"{book.id} has no clause that reopens wagers ({at.clause} closes them). Deal the coup to its end."
        if now.kind in UNWAGERED:
            return "this coup is dealt without wagers. Deal it to its end."
        if not now.closed_by:
            return f"wagers of this coup are open. {_CALL.format(table=table.name)} when they are placed."
        if now.closed_by == "exposed":
            clauses = ", ".join(dict.fromkeys((rule.clause, book.closing.exposed_clause)))
            return f"a card of this coup is exposed ({clauses}). Deal the coup to its end."
        if table.verifier.state.phase == "complete" and table.verifier.profile["switches"]["dealt_face_up"]:
            return "the coup is complete. Confirm it."
        return _missing_facts(rule, self.facts)

    def clause(self, table: TableView) -> str:
        """Return the clause by which the rulebook reopens them."""
        rule = reopening(table.verifier.book)
        return rule.clause if rule else ""

    def done(self, table: TableView, now: CoupNow) -> str:
        """Return what follows: another call, and stakes that are recorded again."""
        return (
            "Wagers of coup {coup} are open again. Draw and turn no card. When they are changed, call no more bets "
            "again and record the stakes again."
        )


class CardExposed(WagersVerb, frozen=True):
    """Record that a card of the coup was turned, disclosed or handled by a patron: its wagers are closed for good."""

    title = "Card exposed"
    act = "exposed"

    def why_not(self, table: TableView, now: CoupNow) -> str:
        """Return that no card is out; empty if one is."""
        if now.known.cards or table.verifier.state.cards(now.number):
            return ""
        return "no card of this coup is out. Deal the first card, or report what you saw."

    def again(self, now: CoupNow) -> str:
        """Return that a card was exposed before."""
        return "A card of coup {coup} is exposed already: its wagers are closed." if now.known.exposed else ""

    def clause(self, table: TableView) -> str:
        """Return the clause by which an exposed card closes wagers."""
        return table.verifier.book.closing.exposed_clause

    def done(self, table: TableView, now: CoupNow) -> str:
        """Return that wagers are closed."""
        return "A card of coup {coup} is exposed: its wagers are closed. Deal the coup to its end."


def _missing_facts(rule: Rule, given: Mapping[str, bool]) -> str:
    """Return the fact on which the clause depends and that is missing or otherwise; empty if there is none."""
    texts = catalogue().fact
    for fact, value in stated(rule).items():
        needed = texts[fact][0 if value else 1]
        if given.get(fact) is not value:
            option = "--fact" if value else "--no-fact"
            return f"{rule.clause} allows it only if {needed}. If that is so, repeat it with {option} {fact}."
    return ""
