"""TableView: a table as the desk needs it, and what can be refused by looking at it alone."""

from typing import Any, Protocol

from sabot_protocol import irregularities
from sabot_protocol.irregularities import CASES

from sabot_gateway.operator.requests import Command, DeckCheck, ImportCoup, Irregularity, OpenShoe
from sabot_gateway.shoe.driver import Driver
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Verifier
from sabot_gateway.verify.disputes import coup_label
from sabot_gateway.verify.moves import Cards, as_arguments, import_command, on_table

# Facts that nobody need report: the first two the shoe adds by itself; of the third A-45 says when it is too late.
SHOE_KNOWS = {"last_coup": False, "first_coup_complete": False, "notified_before_next": True}


class TableView(Protocol):
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


def refuse_unserved(seat: TableView) -> None:
    """RefusedError where no shoe can take a command."""
    if seat.link.unit is None:
        raise RefusedError(f"no shoe is served at {seat.name}: {seat.link.problem or 'it has not answered yet'}")


def meant(named: str | None, seat: TableView) -> tuple[int, int] | None:
    """Shoe and coup on the table; RefusedError where another coup is named."""
    on_table = seat.verifier.state.coup_on_table()
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


def refuse_without_clause(seat: TableView) -> None:
    """RefusedError where the table's book lets no coup in progress become one without wagers."""
    if not seat.verifier.book.switch["this_no_bet"].value:
        raise RefusedError(
            f"{seat.verifier.rulebook} has no clause by which a coup in progress becomes one without wagers: finish "
            "it, or void it under a clause of its own. Nothing was done."
        )


def filled_in(act: Command, seat: TableView) -> dict[str, Any]:
    """The data of a command, with what the person left out; RefusedError where it cannot be so at this table."""
    if isinstance(act, ImportCoup):
        return imported(act, seat)
    if isinstance(act, Irregularity):
        return {"case": act.case, "facts": reported(act, seat)}
    given = {name: value for name, value in act.data().items() if value is not None}
    if isinstance(act, OpenShoe):
        refuse_other_decks(act, seat)
        return {"decks": seat.verifier.profile["decks"], "burn": seat.verifier.profile["burn"], **given}
    return {"decks": seat.verifier.profile["decks"], **given} if isinstance(act, DeckCheck) else given


def refuse_other_decks(act: OpenShoe, seat: TableView) -> None:
    """RefusedError where other decks are named than the table's config has."""
    decks = seat.verifier.profile["decks"]
    if act.decks not in (None, decks):
        raise RefusedError(
            f"{seat.name} plays with {decks} decks by the gateway's config, not {act.decks}: leave --decks out, or "
            "change the config to a number that the rulebook allows. Nothing was done."
        )


def reported(act: Irregularity, seat: TableView) -> dict[str, bool]:
    """Every fact of the case; RefusedError where one is missing on which the answer depends."""
    international = bool(seat.verifier.profile["switches"].get("international"))
    try:
        return irregularities.complete_facts(
            seat.verifier.rulebook, act.case, act.facts, {**SHOE_KNOWS, "international": international}
        )
    except irregularities.IrregularityError as error:
        raise RefusedError(f"{error}: say it with --fact or --no-fact. Nothing was done.") from error


def consequence(seat: TableView, event: Event) -> str:
    """What follows from an irregularity that the shoe has told, by the table's book: as its alarm says it."""
    for alarm in seat.verifier.active():
        if (alarm.unit, alarm.event_no, alarm.name) == (event.unit, event.event_no, event.data["case"]):
            return f"{alarm.clause}: {alarm.say}" if alarm.clause else alarm.say
    case, facts = event.data["case"], event.data["facts"]
    advice = irregularities.advise(seat.verifier.rulebook, case, {fact: facts[fact] for fact in CASES[case]})
    return f"{advice.clause}: {advice.say}" if advice.clause else advice.say


def imported(act: ImportCoup, seat: TableView) -> dict[str, Any]:
    """The whole of a coup that comes to this table; RefusedError where it goes on elsewhere, or cannot here."""
    said = act.data()
    cards = on_table(said["cards"])
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
    if not seat.verifier.state.is_new():
        open_it = (
            f"`sabot table {seat.name} open-shoe --decks {moved.position()['decks'] if moved else seat.verifier.decks}`"
        )
        raise RefusedError(f"the coup goes on at a shoe that has dealt none: open one by {open_it}. Nothing was done.")
    unknown = {"decks": seat.verifier.decks, "cards_out": len(cards), "coups_left": 0, "awaiting": 0, "kind": "live"}
    known = {**moved.position(), "kind": moved.kind} if moved else unknown
    whole = {**known, **said}
    _refuse_count(whole["cards_out"], len(cards), whole["decks"], seat)
    return whole


def _refuse_count(out: int, laid_out: int, decks: int, seat: TableView) -> None:
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


def _refuse_other_cards(coup_no: int, cards: Cards, seat: TableView) -> None:
    """RefusedError where a coup of this number left a table here with other cards, and waits for its shoe."""
    other = seat.verifier.moves.with_other_cards(coup_no, cards)
    if other:
        raise RefusedError(
            f"coup {coup_no} left {other.table} with other cards, {as_arguments(other.cards)}: type "
            f"{import_command(coup_no, other.cards, seat.name)}. If this is another coup, from a shoe of another "
            f"gateway, acknowledge first that the one of {other.table} does not go on here: "
            f"`sabot table {other.table} ack-alarm {other.alarm} --by NAME`. Nothing was done."
        )


def exported(seat: TableView, done: Event) -> str:
    """What is to be done with the coup that leaves by this command, whether the shoe has told that yet or not."""
    coup_no, cards = seat.verifier.leaving_coup(done)
    return (
        f"Coup {coup_no} is not void, and its wagers stand. Put all cards into another shoe, open it there, and type "
        f"{import_command(coup_no, cards)}."
    )


def still_disputed(seat: TableView, on: tuple[int, int] | None) -> str:
    """What is to be said of the coup that was just confirmed or voided, where a dispute about it is open."""
    for coup in seat.verifier.disputed():
        if (coup.shoe, coup.coup) == on:
            return f"The coup is still disputed: `sabot table {seat.name} decide --coup {coup_label(coup)}` decides it."
    return ""
