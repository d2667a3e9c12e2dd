"""Acts of commands: which act of the rulebook a verb of a table is, and whether people may do it; for every surface."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from sabot_protocol import authority, irregularities, rulebooks
from sabot_protocol.authority import NO_FACTS, AuthorityError, Person, Verdict
from sabot_protocol.commands import CommandError
from sabot_protocol.irregularities import IrregularityError

# The act of each verb, with its row of the requirements. Where no rulebook has the act it is empty: then the role
# decides that decides what a rulebook has no rule for.
ACTS: dict[str, str] = {
    "decide": "decide_discrepancy",  # P-43
    "confirm": "confirm_result",  # P-51
    "no-more-bets": "no_more_bets",  # P-22
    "reopen-wagers": "reopen_wagers",  # P-21
    "card-exposed": "draw_cards",  # P-13
    "no-bet": "deal_unwagered",  # P-37
    "this-no-bet": "deal_unwagered",  # P-37; after a case that leads there: act_of_this_no_bet
    "authorise": "",
    "key-card": "key_in_card",  # P-46
    "burn-card": "burn_otherwise",  # P-06
    "card-returned": "reconstruct",  # P-38
    "open-shoe": "replace_cards",  # P-08
    "close-shoe": "replace_cards",  # P-08
    "deck-check": "verify_cards",  # P-02
    "lock": "",
    "unlock": "",
    "clear-error": "",
    "self-test": "",
    "reboot": "",
    "push-firmware": "",
    "ack-alarm": "",
    "clear-fault": "",
    "irregularity": "",
    "export-coup": "move_cards",  # P-47
    "import-coup": "move_cards",  # P-47
    "stakes": "jackpot_increment",  # P-64
    "record-win": "jackpot_record",  # P-65
    "invalidate": "",  # the act of the cause
    "end-shoe": "",  # the act of the cause
    "step": "",  # the act of the step
    "dispute": "",
    "payment": "",
    "record": "",  # the act that is recorded
    "withdraw": "",  # the act that was recorded
}
VOID_ACTS: dict[str, str] = {  # by the reason
    "supervisor": "void_misdeal",  # P-39
    "misdeal": "void_misdeal",  # P-39
    "face_up": "void_misdeal",  # P-39
    "short_shoe": "void_insufficient_cards",  # P-41
    "foreign_card": "void_foreign_card",  # P-42
    "discrepancy": "decide_discrepancy",  # P-43
    "wrong_shoe": "void_wrong_shoe",  # P-48
}
INVALIDATE_ACTS: dict[str, str] = {  # by the cause
    "disruption": "invalidate_disruption",  # P-58
    "fraud": "invalidate_fraud",  # P-59
}
END_ACTS: dict[str, str] = {  # by the cause for which a shoe ends
    "shuffle": "order_shuffle",  # P-03
    "unfit": "replace_unfit_cards",  # P-10
    "revealed": "void_shoe",  # P-11
    "misdeal": "shuffle_rest",  # P-40
}
BY_CAUSE = {"invalidate": INVALIDATE_ACTS, "end-shoe": END_ACTS}
_REPORTED: dict[str, str] = {  # by the case of a report by which the shoe voids the coup; else it is a misdeal
    "wrong_shoe": "void_wrong_shoe",  # P-48
    "missing_or_foreign_card": "void_foreign_card",  # P-42
    "scan_discrepancy": "decide_discrepancy",  # P-43
    "insufficient_cards": "",
}
_MISDEAL, _RECONSTRUCT = "void_misdeal", "reconstruct"
UNWAGERED = "unwagered_after_error"  # P-44
UNWAGERED_CODES = frozenset(("RECON_WITHDRAW", "CHOICE", "THIS_NO_BET"))  # after which a coup can lose its wagers
_NO_BET = ("THIS_NO_BET", "NEXT_NO_BET")
_VOID, _REASON = "void", "supervisor"  # the reason of a void that gives none
# Cards of a coup that are out when its face-up card is found; more of them show the outcome.
_FOUND_AT = {"first_card_face_up": 1, "first_card_exposed": 1, "second_to_fourth_card_face_up": 4}
_BY_ITSELF = ("auto", "free")  # nobody approves it; people beside the order give no commands all the same


def act_of(verb: str, args: Mapping[str, object]) -> str | None:
    """Return the act of a verb, empty if no rulebook has it; None if only the gateway can tell."""
    if verb == _VOID:
        return VOID_ACTS.get(str(args.get("reason", _REASON)))
    if verb in BY_CAUSE:
        return BY_CAUSE[verb].get(str(args.get("cause")), "")
    if verb in ("step", "withdraw"):
        return None
    if verb == "record":
        return str(args.get("act") or "")
    return ACTS.get(verb)


def act_of_report(book: str, case: str, facts: Mapping[str, object], cards: int = 0) -> str:
    """Return the act that a reported irregularity is by the rulebook's code for it; empty if it only informs.

    `cards` of the coup are out: a face-up card that is reported after the next one is for a person to judge (A-80).
    """
    try:
        code = irregularities.advise(book, case, facts).code
    except IrregularityError:
        return ""  # a fact is missing, so the shoe gets no report
    if code.startswith("VOID") or (code, case) == ("CONFIRM", "scan_discrepancy"):
        return _REPORTED.get(case, _MISDEAL)
    if code in _NO_BET:
        return "" if _directed(book, case) or cards > _FOUND_AT.get(case, cards) else UNWAGERED
    return _RECONSTRUCT if code.startswith("RECON") else ""


def act_of_this_no_bet(codes: Iterable[str]) -> str:
    """Return the act that makes a coup in progress one without wagers, by the codes that its log has: people order it.

    After a reconstruction in which no wager is left the rule itself asks for it; after a misdelivery it is a choice.
    """
    if not UNWAGERED_CODES.isdisjoint(codes):
        return "decide_misdelivery" if "CHOICE" in codes else UNWAGERED
    return ACTS["this-no-bet"]


def _directed(book: str, case: str) -> bool:
    """Return True if no rule orders a coup without wagers after this case: a supervisor directs it (Crown 10.8.1)."""
    ordered = str(rulebooks.load(book).switch["dummy_ordered_by"].value).split()
    needed = bool(rulebooks.load(book).switch["dummy_needs_authorisation"].value)
    return needed and bool(ordered) and case not in ordered


def check(
    book: str, act: str, by: Person, asks: Person | None = None, facts: Mapping[str, object] = NO_FACTS
) -> Verdict:
    """Return the verdict that lets these people do the act; CommandError if the rulebook does not.

    `facts` are those that a person gives with it.
    """
    try:
        beside = authority.find_role(book, by.role).beside
        verdict = _verdict(book, act, by, asks, facts)
    except AuthorityError as error:
        raise CommandError("unknown_role", f"{error}; give the person a role of {book}") from None
    if verdict.basis in _BY_ITSELF and beside:
        raise CommandError("role", f"the role {by.role} gives no commands to a table")
    if not verdict.allowed:
        raise CommandError("role", verdict.say)
    return verdict


def _verdict(book: str, act: str, by: Person, asks: Person | None, facts: Mapping[str, object]) -> Verdict:
    if not act:
        return authority.check_without_rule(book, by.role)
    verdict = authority.check_people(book, act, asks, by, _deciding(book, act, facts))
    return authority.check_without_rule(book, by.role) if verdict.basis == "silent" else verdict


def _deciding(book: str, act: str, facts: Mapping[str, object]) -> dict[str, bool]:
    """Return the facts that choose a rule of the act; none if they fit no rule: people record what has happened."""
    known = authority.load(book).act.get(act)
    given = {name: fact for name in (known.facts() if known else ()) if isinstance(fact := facts.get(name), bool)}
    return given if known and any(rule.fits(given) for rule in known.rules) else {}


class Grant(NamedTuple):
    """How people get a command done: `alone`, or with another person, who approves it."""

    alone: bool
    second: str = ""  # id of the lowest role of the other person; empty if none is needed
    title: str = ""  # of that role
    say: str = ""  # why not alone


@cache
def grant(book: str, act: str, role: str) -> Grant | None:
    """Return how a person of this role gets the act done; None if the rulebook lets nobody, or has no such role."""
    one, refused = Person("1", role), ""
    try:
        check(book, act, one)
        return Grant(alone=True)
    except CommandError as error:
        if error.reason == "unknown_role":
            return None
        refused = str(error)
    for other in (found for found in authority.load(book).role if not found.counts_as):
        try:
            check(book, act, Person("2", other.id), one)
        except CommandError:
            continue
        return Grant(False, other.id, other.title, refused)
    return None
