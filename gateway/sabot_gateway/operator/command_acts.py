"""Command acts: which act of the rulebook a verb is, and whether the person of a command may do it."""

from sabot_protocol import authority
from sabot_protocol.authority import AuthorityError, Person, Verdict
from sabot_protocol.commands import CommandError, CommandMessage

from sabot_gateway.operator.verbs.coup import Void
from sabot_gateway.operator.verbs.verb import TableVerb

# The act of each verb, with its row of the requirements. Where no rulebook has the act it is empty: then the role
# decides that decides what a rulebook has no rule for.
ACTS: dict[str, str] = {
    "decide": "decide_discrepancy",  # P-43
    "confirm": "confirm_result",  # P-51
    "no-bet": "deal_unwagered",  # P-37
    "this-no-bet": "unwagered_after_error",  # P-44
    "authorise": "",
    "key-card": "key_in_card",  # P-46
    "burn-card": "burn_otherwise",  # P-06
    "card-returned": "reconstruct",  # P-38
    "open-shoe": "replace_cards",  # P-08
    "close-shoe": "replace_cards",  # P-08
    "deck-check": "verify_cards",  # P-02
    "lock": "",
    "unlock": "",
    "self-test": "",
    "reboot": "",
    "ack-alarm": "",
    "clear-fault": "",
    "irregularity": "",
    "export-coup": "move_cards",  # P-47
    "import-coup": "move_cards",  # P-47
    "stakes": "jackpot_increment",  # P-64
    "record-win": "jackpot_record",  # P-65
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
_BY_ITSELF = ("auto", "free")  # nobody approves it; people beside the order give no commands all the same


def act_of(name: str, verb: TableVerb) -> str:
    """Return the act of a verb; empty if no rulebook has it."""
    return VOID_ACTS[verb.reason] if isinstance(verb, Void) else ACTS[name]


def check_person(message: CommandMessage, act: str, book: str) -> None:
    """Raise CommandError unless the rulebook lets the role of the command do the act."""
    try:
        beside = authority.find_role(book, message.role).beside
        verdict = _verdict(message, act, book)
    except AuthorityError as error:
        raise CommandError("unknown_role", f"{error}; give the person a role of {book}") from None
    if verdict.basis in _BY_ITSELF and beside:
        raise CommandError("role", f"the role {message.role} gives no commands to a table")
    if not verdict.allowed:
        raise CommandError("role", verdict.say)


def _verdict(message: CommandMessage, act: str, book: str) -> Verdict:
    if not act:
        return authority.check_without_rule(book, message.role)
    asks = Person(message.asks, message.asks_role) if message.asks else None
    verdict = authority.check_people(book, act, asks, Person(message.name, message.role))
    return authority.check_without_rule(book, message.role) if verdict.basis == "silent" else verdict
