"""Seat: a table as the desk needs it, and what can be refused by looking at it alone."""

from typing import Any, Protocol

from sabot_gateway.driver import Driver
from sabot_gateway.parse import Event
from sabot_gateway.requests import ImportCoup
from sabot_gateway.verify import Verifier
from sabot_gateway.verify.disputes import screen
from sabot_gateway.verify.moves import Cards, laid, line, told


class Seat(Protocol):
    """What the desk needs of a table."""

    @property
    def name(self) -> str:
        """The table's."""

    @property
    def link(self) -> Driver:
        """To its shoe."""

    @property
    def verifier(self) -> Verifier:
        """Of its log."""

    @property
    def fault(self) -> str:
        """For which the shoe holds its exit; `none` where it does not."""


class RefusedError(Exception):
    """Why a request is not carried out, in words."""


def refuse_unserved(seat: Seat) -> None:
    """RefusedError where no shoe can take a command."""
    if seat.link.unit is None:
        raise RefusedError(f"no shoe is served at {seat.name}: {seat.link.problem or 'it has not answered yet'}")


def meant(named: str | None, seat: Seat) -> tuple[int, int] | None:
    """Shoe and coup on the table; RefusedError where another coup is named."""
    on_table = seat.verifier.on_the_table()
    if named is None:
        return on_table
    if on_table is None:
        raise RefusedError(
            "part of the shoe's log is missing: which coup is on the table is not known; leave --coup out"
        )
    shoe, coup = on_table
    if named in (f"{shoe}/{coup}", str(coup)):
        return on_table
    decide = f"a disputed coup is decided by `sabot table {seat.name} decide --coup {named}`"
    raise RefusedError(f"coup {named} is not on the table: that is {shoe}/{coup}; {decide}. Nothing was done.")


def refuse_without_clause(seat: Seat) -> None:
    """RefusedError where the table's book lets no coup in progress become one without wagers."""
    if not seat.verifier.permits("this_no_bet"):
        raise RefusedError(
            f"{seat.verifier.rulebook} has no clause by which a coup in progress becomes one without wagers: finish "
            "it, or void it under a clause of its own. Nothing was done."
        )


def imported(act: ImportCoup, seat: Seat) -> dict[str, Any]:
    """The whole of a coup that comes to this table; RefusedError where it goes on elsewhere, or cannot here."""
    said = act.data()
    cards = laid(said["cards"])
    moved = seat.verifier.moves.find(act.coup_no, cards)
    if moved is None:
        _refuse_other_cards(act.coup_no, cards, seat)
    if moved and moved.taken_by:
        raise RefusedError(
            f"coup {act.coup_no} of {moved.table} goes on at {moved.taken_by} already. Nothing was done."
        )
    if moved and act.coup_kind not in (None, moved.kind):
        raise RefusedError(
            f"coup {act.coup_no} left {moved.table} as {moved.kind}, and a coup keeps its kind: leave --kind out. "
            "Nothing was done."
        )
    if not seat.verifier.new_shoe():
        open_it = (
            f"`sabot table {seat.name} open-shoe --decks {moved.place()['decks'] if moved else seat.verifier.decks}`"
        )
        raise RefusedError(f"the coup goes on at a shoe that has dealt none: open one by {open_it}. Nothing was done.")
    unknown = {"decks": seat.verifier.decks, "cards_out": len(cards), "coups_left": 0, "awaiting": 0, "kind": "live"}
    known = {**moved.place(), "kind": moved.kind} if moved else unknown
    whole = {**known, **said}
    _refuse_count(whole["cards_out"], len(cards), whole["decks"], seat)
    return whole


def _refuse_count(out: int, laid_out: int, decks: int, seat: Seat) -> None:
    """RefusedError where so many cards cannot be out; from a continuous shoe they come again."""
    if out < laid_out:
        raise RefusedError(
            f"--cards-out {out}: {laid_out} cards are on the table, and they are out too. Say how many cards have left "
            "that shoe, the coup's own included. Nothing was done."
        )
    if out > 52 * decks and not seat.verifier.continuous:
        raise RefusedError(
            f"--cards-out {out}: {decks} decks have {52 * decks} cards. Say how many cards have left that shoe, and "
            "its --decks. Nothing was done."
        )


def _refuse_other_cards(coup_no: int, cards: Cards, seat: Seat) -> None:
    """RefusedError where a coup of this number left a table here with other cards, and waits for its shoe."""
    other = seat.verifier.moves.with_other_cards(coup_no, cards)
    if other:
        raise RefusedError(
            f"coup {coup_no} left {other.table} with other cards, {told(other.cards)}: type "
            f"{line(coup_no, other.cards, seat.name)}. If this is another coup, from a shoe of another gateway, "
            f"acknowledge first that the one of {other.table} does not go on here: "
            f"`sabot table {other.table} ack-alarm {other.alarm} --by NAME`. Nothing was done."
        )


def exported(seat: Seat, done: Event) -> str:
    """What is to be done with the coup that leaves by this command, whether the shoe has told that yet or not."""
    coup_no, cards = seat.verifier.leaves(done)
    return (
        f"Coup {coup_no} is not void, and its wagers stand. Put all cards into another shoe, open it there, and type "
        f"{line(coup_no, cards)}."
    )


def still_disputed(seat: Seat, on: tuple[int, int] | None) -> str:
    """What is to be said of the coup that was just confirmed or voided, where a dispute about it is open."""
    for coup in seat.verifier.disputed():
        if (coup.shoe, coup.coup) == on:
            return f"The coup is still disputed: `sabot table {seat.name} decide --coup {screen(coup)}` decides it."
    return ""
