"""Card checks: which acts and steps of people settle cards that no coup may be dealt from, or put them in doubt."""

from sabot_gateway.operator.table_view import TableView
from sabot_gateway.verify import Record, Source
from sabot_gateway.verify.alarms.catalogue import FOREIGN, MISSING, SHOE_VOID
from sabot_gateway.verify.deciders import Decider

_REPLACED = ("replace_cards", "replace_same_back", "replace_unfit_cards")
_CHECKED = ("verify_cards", *_REPLACED)
_SETTLE = {FOREIGN: _CHECKED, MISSING: _CHECKED, SHOE_VOID: ("order_shuffle", *_REPLACED)}  # acts, by alarm
_CHECK = ("foreign_card", "check_cards")
_STEPS = {FOREIGN: _CHECK, MISSING: _CHECK, SHOE_VOID: ("shoe_void", "reshuffle")}  # kind and step, by alarm
_OPEN = ("between", "dealing", "complete")  # phases


def settled_by_step(table: TableView, kind: str, step: str, person: Decider, source: Source) -> list[Record]:
    """Return what ends because a person did this step."""
    names = [name for name, settles in _STEPS.items() if settles == (kind, step)]
    return table.verifier.cards_settled(names, person.by, source)


def effects_on_cards(table: TableView, act: str, person: Decider, source: Source) -> list[Record]:
    """Return what an act that a person records does to the cards: the shoe is void, or they are good again."""
    verifier = table.verifier
    if act == "void_shoe":
        return verifier.declare_shoe_void(person, source)
    if act == "void_foreign_card":
        return verifier.declare_foreign_card(person, source)
    own_shoe_is_open = verifier.driver == "sabot" and verifier.state.phase in _OPEN
    names = [name for name, acts in _SETTLE.items() if act in acts and not own_shoe_is_open]
    return verifier.cards_settled(names, person.by, source)
