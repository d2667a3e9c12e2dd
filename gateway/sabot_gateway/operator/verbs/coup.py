"""Verbs about a coup: confirm, void, decide, no-bet, this-no-bet, authorise."""

import re
from collections.abc import Callable
from typing import Annotated, Any, cast, get_args

from msgspec import Meta
from sabot_protocol import fields
from sabot_protocol.angel_eye.tables import UNIT_PREFIX
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.topics import Winner

from sabot_gateway.operator.table_view import TableView, next_step
from sabot_gateway.operator.verbs import void_reasons
from sabot_gateway.operator.verbs.verb import (
    Coup,
    Effect,
    Id,
    RefusedError,
    ShoeVerb,
    TableVerb,
    expect,
    still_locked,
)
from sabot_gateway.screens.unseen import is_unseen
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Source, disputes
from sabot_gateway.verify.confirmations import confirm_first
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.disputes import Decision, coup_label, decide_command, where_dealt
from sabot_gateway.verify.reports.exit_lock import AWAITING
from sabot_gateway.verify.state import ShoeState

_COUP = re.compile(rf"(\d{{1,5}}/)?\d{{1,5}}|([0-9a-f]{{16}}|{UNIT_PREFIX}[0-9a-f]{{13}})-\d+[a-z0-9_-]*")
_VERDICTS: tuple[str, ...] = get_args(Decision)
_WINNERS: tuple[str, ...] = get_args(Winner)


class CoupVerb(ShoeVerb, frozen=True):
    """A verb about the coup on the table: refused if another coup is named, as 3/17 or 17."""

    coup: Id | None = None

    def __post_init__(self) -> None:
        """Raise ValueError if no coup can have this name."""
        expect_coup(self.coup)

    def bound_to(self, table: TableView) -> Coup | None:
        """Return the coup on the table; None if part of the log is missing and no coup is named."""
        on_table = table.verifier.state.coup_on_table()
        if self.coup is None:
            return on_table
        if on_table is None:
            raise RefusedError(
                "part of the shoe's log is missing, so the coup on the table is not known. Leave --coup out."
            )
        shoe, coup = on_table
        if self.coup in (f"{shoe}/{coup}", str(coup)):
            return on_table
        raise RefusedError(
            f"coup {shoe}/{coup} is on the table, not {self.coup}. If {self.coup} is disputed, run "
            f"{decide_command(table.name, self.coup)}."
        )

    def data(self, table: TableView) -> dict[str, Any]:
        """Leave the coup out: the shoe's command is about the one on the table."""
        return {name: value for name, value in super().data(table).items() if name != "coup"}


class Confirm(CoupVerb, frozen=True):
    """Confirm the coup on the table, as the dealer's Confirm button does."""

    title = "Confirm"
    command = "confirm"
    not_now = "no complete coup waits for Confirm. Deal the cards that are due, then confirm."
    winner: str | None = None  # the dealer's entry of the result, where the rulebook wants it before Confirm

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown coup or winner."""
        super().__post_init__()
        if self.winner is not None:
            expect("winner", self.winner, _WINNERS)

    def data(self, table: TableView) -> dict[str, Any]:
        """Leave the entry out: the shoe knows its own, and the gateway has compared this one."""
        return {name: value for name, value in super().data(table).items() if name != "winner"}

    def possible(self, state: ShoeState) -> bool:
        """Return True if a complete coup is on the table."""
        return state.phase == "complete"

    def why_not_now(self, table: TableView) -> str:
        """Return that no coup waits, or that none ever does at this table."""
        if table.verifier.confirmed_by_result:
            return "at this table the shoe's result confirms a coup, and none waits for a person. Deal on."
        return super().why_not_now(table)

    def check(self, table: TableView) -> None:
        """Refuse if the coup on the table is disputed: that is for a supervisor to decide, under a clause."""
        state = table.verifier.state
        disputed = table.verifier.disputes.at((state.unit, *(state.coup_on_table() or (0, 0))))
        if disputed:
            label = coup_label(disputed)
            raise RefusedError(f"coup {label} is disputed: decide it with {decide_command(table.name, label)}.")
        if state.phase == "complete":
            self._check_entry(table)

    def _check_entry(self, table: TableView) -> None:
        """Refuse without the dealer's entry of the result, where the rulebook wants it, or with a wrong one."""
        state, clause = table.verifier.state, confirm_first(table.verifier.book)
        entered = self.winner or (state.entered if clause else state.winner)
        if not entered:
            raise RefusedError(
                f"the winning result comes first ({clause}): press it at the shoe, or give it with --winner."
            )
        if entered != state.winner:
            face_up = table.verifier.profile["switches"]["dealt_face_up"]
            own = state.winner if face_up else "another"  # not every card may be turned
            raise RefusedError(
                f"the result entered is {entered}, and the shoe's is {own}{f' ({clause})' if clause else ''}. "
                "Enter the result again; if the cards on the table are not the shoe's, report scan_discrepancy."
            )

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return that it is confirmed, and how to decide the coup if it is still disputed."""
        for one in table.verifier.disputed():
            if (one.shoe, one.coup) == coup:
                return f"The coup is still disputed: decide it with {decide_command(table.name, coup_label(one))}."
        return f"{_named(coup)} is confirmed. The shoe goes on."


class ConfirmDecided(Confirm, frozen=True):
    """Confirm at the shoe what a supervisor has decided: the dealer's entry counts no more."""

    def check(self, table: TableView) -> None:
        """Refuse nothing: the decision is stored."""


class Void(CoupVerb, frozen=True):
    """Void the coup on the table: it has no result."""

    title = "Void"
    command = "void_coup"
    needs_clause = True
    not_now = (
        "no card of a coup is on the table, so there is nothing to void. To decide an earlier coup that is disputed, "
        f"run {decide_command('{table}', 'SHOE/COUP')}."
    )
    reason: str = "supervisor"
    then: str = "go_on"

    def __post_init__(self) -> None:
        """Raise ValueError for a coup, a reason or a next step that the shoe does not know."""
        super().__post_init__()
        expect("reason", self.reason, fields.VoidReason.encmapping)
        expect("then", self.then, fields.Then.encmapping)

    def possible(self, state: ShoeState) -> bool:
        """Return True if cards of a coup are on the table."""
        return state.phase in ("dealing", "complete")

    def check(self, table: TableView) -> None:
        """Refuse a reason that the table contradicts: another reason needs another person."""
        problem = void_reasons.contradiction(self.reason, table.verifier)
        if problem:
            raise RefusedError(problem)

    def data(self, table: TableView) -> dict[str, Any]:
        """Have the shoe end after a foreign card, where the rulebook has the rest of it removed."""
        removed = {"then": "new_cards"} if self._removes(table) else {}
        return {**super().data(table), **removed}

    def _removes(self, table: TableView) -> bool:
        return self.reason == "foreign_card" and table.verifier.book.switch["foreign_card_rule"].value != "silent"

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return what to do with stakes and cards."""
        cards = "Replace the cards, then open a new shoe." if self.then == "new_cards" else "The shoe goes on."
        if self._removes(table):
            cards = "The shoe ends: take the remaining cards out, and have every card checked before the next shoe."
        return f"{_named(coup)} is void: return all stakes. {cards}"


class Decide(TableVerb, frozen=True):
    """Decide a disputed coup; if its dispute locks the shoe, the shoe gets the same decision."""

    title = "Decide"
    needs_clause = True
    coup: Id
    verdict: str
    winner: str | None = None
    reason: Annotated[str, Meta(max_length=500)] = ""  # why the winner is not that of the cards

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown coup, verdict or winner, or for a void coup with a winner."""
        expect_coup(self.coup)
        expect("verdict", self.verdict, _VERDICTS)
        if self.winner is not None:
            expect("winner", self.winner, _WINNERS)
            if self.verdict == "void":
                raise ValueError("a void coup has no winner: leave --winner out, or confirm the coup")

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Store the decision; then confirm or void at the shoe, if it waits for that."""
        coup, source = table.verifier.disputes.find(self.coup), new_source()
        verdict, winner = cast(Decision, self.verdict), cast(Winner | None, self.winner)
        reason, against = plain(self.reason), disputes.contradicted(coup, winner)
        if against and not reason:
            if is_unseen(coup, table.screens.results, face_up=table.verifier.profile["switches"]["dealt_face_up"]):
                against = "the cards say another winner"
            raise RefusedError(
                f"{against}, and {winner} needs a reason: which cards lie on the table, and who has looked at them. "
                "Add --reason TEXT, or leave --winner out."
            )
        records = table.verifier.decide(coup, verdict, person, source, winner, reason)
        say = f"Coup {coup_label(coup)} is {verdict}."
        on_table = table.verifier.state.awaits_confirm(*where_dealt(coup))
        if on_table and table.fault == "decision":
            command = ConfirmDecided() if verdict == "confirmed" else Void(reason="discrepancy", then="go_on")
            return Effect([(source, records)], say, command)
        press = "Press Confirm at the shoe to go on." if on_table and table.fault == "none" else ""
        return Effect([(source, records)], " ".join(filter(None, (say, press, next_step(table)))))


class NoBet(ShoeVerb, frozen=True):
    """Deal the next coup without wagers."""

    title = "No bet"
    command = "no_bet"
    not_now = "no shoe is open. Open one with `sabot table {table} open-shoe --by NAME`."
    kind: str | None = None  # None: what the rulebook calls it

    def __post_init__(self) -> None:
        """Raise ValueError for a kind of coup that does not exist, or has wagers."""
        if self.kind is not None:
            expect("kind", self.kind, [kind for kind in fields.CoupKind.encmapping if kind != "live"])

    def possible(self, state: ShoeState) -> bool:
        """Return True if a shoe is open, or if that is not known."""
        return state.phase not in ("closed", "checking")

    def check(self, table: TableView) -> None:
        """Refuse wagers on a coup that a rule has dealt without any (New Zealand 12.1(b), 12.2(b))."""
        verifier = table.verifier
        number = verifier.state.unbegun_coup_no()
        if self.kind == "free_hand" and verifier.checks.kinds.ordered(number):
            raise RefusedError(
                f"coup {verifier.state.shoe_no}/{number} is a Void Hand, because a card was drawn in excess and seen: "
                "no wagers are permitted on it. Deal it, then repeat this."
            )

    def data(self, table: TableView) -> dict[str, Any]:
        """Add the kind that the rulebook has, if it was left out."""
        return {"kind": self.kind or table.verifier.profile["unwagered"]}

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return what the dealer announces."""
        kind = str(self.data(table)["kind"]).replace("_", " ")
        wagers = "Wagers are allowed." if kind == "free hand" else "Announce it: no wagers are taken."
        return f"The next coup is a {kind}. {wagers}"


class ThisNoBet(CoupVerb, frozen=True):
    """Go on with the coup in progress, without wagers."""

    title = "No bet for this coup"
    command = "this_no_bet"
    needs_clause = True
    not_now = "no coup is in progress. For the next coup run `sabot table {table} no-bet --by NAME`."

    def possible(self, state: ShoeState) -> bool:
        """Return True if a coup is in progress."""
        return state.dealing()

    def check(self, table: TableView) -> None:
        """Refuse if the rulebook has no clause for it."""
        if not table.verifier.book.switch["this_no_bet"].value:
            raise RefusedError(
                f"{table.verifier.rulebook} has no clause by which a coup in progress becomes one without wagers. "
                "Finish the coup, or void it under its own clause."
            )

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return what to do with wagers and cards."""
        return f"{_named(coup)} goes on without wagers: return them, then deal the rest of it."


class Authorise(ShoeVerb, frozen=True):
    """Authorise what the rulebook leaves to a supervisor, as the supervisor's key does."""

    title = "Authorise"
    command = "authorise"
    not_now = "no shoe is open. Open one with `sabot table {table} open-shoe --by NAME`."
    times: Annotated[int, Meta(ge=1, le=255)] = 1

    def done(self, table: TableView, event: Event, coup: Coup | None) -> str:
        """Return what is authorised, and what still locks the exit."""
        acts = "The next act that needs a supervisor is" if self.times == 1 else f"{self.times} acts are"
        return " ".join(
            filter(None, (f"{acts} authorised: a coup without wagers, or a keyed card.", still_locked(table, AWAITING)))
        )


def expect_coup(name: str | None) -> None:
    """Raise ValueError if no coup can have this name."""
    if name is not None and not _COUP.fullmatch(name):
        raise ValueError(f"{name!r} names no coup: expected shoe and coup as 3/17, or its id from the status")


def _named(coup: Coup | None) -> str:
    return f"Coup {coup[0]}/{coup[1]}" if coup else "The coup on the table"
