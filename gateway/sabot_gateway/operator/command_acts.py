"""Command acts: which act of the rulebook a request to a table is, by what it does to the coup on the table."""

from collections.abc import Iterable, Mapping, Set

import msgspec
from sabot_protocol import command_acts, command_clauses, incidents
from sabot_protocol.incidents import Opener
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.topics import Step

from sabot_gateway.operator.requests import TableRequest
from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs import void_reasons
from sabot_gateway.operator.verbs.card import BurnCard, CardReturned, KeyCard
from sabot_gateway.operator.verbs.coup import Decide, ThisNoBet, Void
from sabot_gateway.operator.verbs.incident import AckAlarm, Irregularity
from sabot_gateway.operator.verbs.settle import Dispute, Payment, RecordAct, StepDone, Withdraw
from sabot_gateway.operator.verbs.shoe import CloseShoe, DeckCheck, OpenShoe
from sabot_gateway.operator.verbs.verb import RefusedError, TableVerb
from sabot_gateway.verify import NotThereError

_WITHDRAWN = "RECON_WITHDRAW"  # the code of a misdeal after which no wager may be left
_BY_CASE = ("reconstruct", "decide_misdelivery")  # acts whose clauses need their case in the log


def act_of(request: TableRequest, table: TableView) -> str:
    """Return the act of a request; empty if no rulebook has it."""
    return act_of_verb(request.name, request.verb, table)


def act_of_verb(name: str, verb: TableVerb, table: TableView) -> str:
    """Return the act of a verb at a table now; empty if no rulebook has it."""
    match verb:
        case Void(reason="short_shoe") | Irregularity(case="insufficient_cards") if _is_enough(table):
            return command_acts.VOID_ACTS["misdeal"]  # by the log no card is lacking, so a person decides
        case Irregularity() as report:  # the shoe carries out what the rulebook's code asks for
            state = table.verifier.state
            facts, cards = report.known_facts(table), len(state.cards(state.next_coup_no()))
            return command_acts.act_of_report(table.verifier.rulebook, report.case, facts, cards)
        case ThisNoBet():
            return command_acts.act_of_this_no_bet(_codes(table))
        case OpenShoe() if table.verifier.state.dealing():
            return command_acts.VOID_ACTS["misdeal"]  # a coup that is not complete becomes void
        case BurnCard() if table.fault == "decision" and table.verifier.state.dealing():
            return command_acts.ACTS["card-returned"]  # the first coup is dealt again (Crown 10.1.1)
        case Void(reason="short_shoe"):
            return ""  # the rule needs nobody, but then the shoe voids the coup by itself
        case Void(reason="discrepancy") if not void_reasons.is_disputed(table.verifier):
            return command_acts.VOID_ACTS["misdeal"]  # where nothing disagrees, another reason is meant
        case StepDone(incident=incident, step=step):
            return _act_of_step(table, incident, step)
        case Withdraw(incident=incident):
            return _act_of_record(table, incident)
    found = command_acts.act_of(name, msgspec.to_builtins(verb))
    assert found is not None, name  # a test looks at every verb
    return found


def facts_of(verb: TableVerb) -> Mapping[str, bool]:
    """Return the facts that a person gives with a recorded act; they decide whose it is."""
    return verb.facts if isinstance(verb, RecordAct) else {}


def _is_enough(table: TableView) -> bool:
    """Return True if by its log the shoe has cards for another coup."""
    return table.verifier.checks.composition.left_for_a_coup() > 0


def _codes(table: TableView) -> set[str]:
    """Return the codes of the irregularities that the log has for the coup in progress."""
    state = table.verifier.state
    return state.codes(state.next_coup_no())


def _act_of_step(table: TableView, incident: str, name: str) -> str:
    """Return the act of an open step; empty if it has none, or if there is no such step."""
    try:
        step = incidents.open_step(table.incidents.find(incident), name)
    except NotThereError:
        return ""
    return step.act if step else ""


def _act_of_record(table: TableView, incident: str) -> str:
    """Return the act that a person recorded; empty if it was none, or if it is not open."""
    try:
        return str(table.incidents.find(incident).facts.get("act", ""))
    except NotThereError:
        return ""


# Clauses


def refuse_foreign_clause(name: str, verb: TableVerb, table: TableView, clause: str) -> None:
    """Raise RefusedError if a clause does not belong to what is asked, with those that do."""
    book, belonging = table.verifier.rulebook, clauses_of(name, verb, table) if clause else ()
    foreign = command_clauses.foreign(book, clause, belonging) if belonging else []
    if foreign:
        raise RefusedError(
            f"{', '.join(foreign)} of {book} is not about this. Clauses that are: {', '.join(belonging)}."
        )


def clauses_of(name: str, verb: TableVerb, table: TableView) -> tuple[str, ...]:
    """Return the clauses that belong to a verb at a table now; none if the verb refuses for another reason."""
    book, act = table.verifier.rulebook, act_of_verb(name, verb, table)
    return tuple(dict.fromkeys(_clauses_of(name, verb, table, book, act)))


def _clauses_of(name: str, verb: TableVerb, table: TableView, book: str, act: str) -> tuple[str, ...]:
    own = command_clauses.of_act(book, act)
    match verb:
        case ThisNoBet():
            return _of_this_no_bet(table.verifier.book, act, _codes(table), in_log=is_in_log(table))
        case StepDone(incident=incident):
            return (*_of_incident(table, incident), *own)
        case Irregularity() as report:
            return (*report.clauses(table), *own)
        case Void(reason="short_shoe"):
            return (*own, *command_clauses.of_act(book, command_acts.VOID_ACTS["short_shoe"]))
        case OpenShoe() | CloseShoe() | DeckCheck():  # the cards go, or are counted, after an irregularity too
            open_steps = (clause for one in table.incidents.open() for clause in _of_steps(one.steps))
            burns = command_clauses.of_switch(book, "burn_modes") if isinstance(verb, OpenShoe) else ()
            return (*own, *burns, *open_steps, *command_clauses.of_irregularities(book))
        case KeyCard(flags=flags) if flags.face_up or flags.exposed:
            return (*own, *command_clauses.of_face_up(book))
        case BurnCard() if act == command_acts.ACTS["burn-card"]:
            return (*own, *command_clauses.of_permission(book, "mid_shoe_burn"))
        case CardReturned():
            return (*own, *command_clauses.of_permission(book, "card_may_return_to_shoe"))
        case AckAlarm() | Decide():
            return (*own, *_of_alarms(table))
        case Dispute() | Payment():
            return _of_kind(book, name) or own
        case RecordAct(report=str(report)):
            return command_clauses.of_report(book, report)
    return own


def is_in_log(table: TableView) -> bool:
    """Return True if the shoe at a table logs what people report: then its log has the case of an act."""
    return table.verifier.driver == "sabot"


def _of_this_no_bet(rules: Rulebook, act: str, codes: Set[str], *, in_log: bool) -> tuple[str, ...]:
    """Return the clauses of the act, and those of the switch that need no case in the log, or the one that is there."""
    book, switch = rules.id, command_clauses.of_switch(rules.id, "this_no_bet")
    if not rules.switch["this_no_bet"].value:
        return ()
    if not in_log:
        cases = [
            clause for name in (*_BY_CASE, command_acts.UNWAGERED) for clause in command_clauses.of_act(book, name)
        ]
        return tuple(dict.fromkeys((*command_clauses.of_act(book, act), *switch, *cases)))
    there = "reconstruct" if act == command_acts.UNWAGERED and _WITHDRAWN in codes else act
    own = [clause for name in _BY_CASE if name == there for clause in command_clauses.of_act(book, name)]
    barred = [clause for name in _BY_CASE if name != there for clause in command_clauses.of_act(book, name)]
    free = tuple(
        clause
        for clause in switch
        if command_clauses.foreign(book, clause, barred) or not command_clauses.foreign(book, clause, own)
    )
    directed = command_clauses.of_directed(book) if act == command_acts.ACTS["this-no-bet"] else ()
    return tuple(dict.fromkeys((*command_clauses.of_act(book, act), *free, *directed)))


def _of_incident(table: TableView, label: str) -> tuple[str, ...]:
    try:
        return _of_steps(table.incidents.find(label).steps)
    except NotThereError:
        return ()


def _of_steps(steps: Iterable[Step]) -> tuple[str, ...]:
    return tuple(part for step in steps for part in command_clauses.split(step.clause))


def _of_alarms(table: TableView) -> tuple[str, ...]:
    return tuple(part for alarm in table.verifier.active() for part in command_clauses.split(alarm.clause))


def _of_kind(book: str, verb: str) -> tuple[str, ...]:
    """Return the clauses of the steps of what a verb opens."""
    opener = Opener(verb=verb)
    kind = incidents.kind_of(book, opener)
    return _of_steps(incidents.steps(book, kind, opener, {}, "")) if kind else ()
