"""A fault on the Dealer Terminal: where the card is by the reason of the reject; its picture and its main button."""

from collections.abc import Iterable

from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.table_states import HandMessage
from sabot_protocol.topics import AlarmMessage

# By reason of a reject, as fields.py names them: the fault as the page names it. Without a known reason it is `card`.
_CAUSES = {
    "blank": "card",
    "columns": "card",
    "doubtful": "card",
    "not_in_set": "card",
    "spacing": "card",
    "short_pull": "card_back",
    "pushed_back": "card_either",
    "pushed_back_midway": "card_either",
    "half_drawn": "card_half",
    "double": "card_two",
    "foreign": "card_foreign",
}
_PICTURES = {  # by fault: the part of the shoe to look at
    "card": "unread",
    "card_back": "returned",
    "card_either": "pushed",
    "card_half": "stopped",
    "card_two": "double",
    "card_foreign": "foreign",
    "lid": "lid",
    "composition": "cards",
    "sensor": "sensor",
    "journal": "controller",
    "image": "controller",
    "program": "controller",
    "journal_full": "link",
}
_MAY_BE_OUT = ("card", "card_either", "card_half", "card_two")
_IS_OUT = ("card", "card_half")
_NEVER_KEYED = ("card_either", "card_half", "card_two")  # one of another set is certain to be out
_OPEN = ("burning", "bets", "dealing", "complete")


def cause(hand: HandMessage, alarms: Iterable[AlarmMessage]) -> str:
    """Return the fault as the page names it: of a card fault, what the newest reject tells about the card."""
    if hand.fault != "card" or hand.unread:
        return hand.fault
    rejects = [one for one in alarms if one.name == "reject" and reason(one) in _CAUSES]
    newest = max(rejects, key=lambda one: (one.time, one.event_no), default=None)
    return _CAUSES[reason(newest)] if newest else "card"


def may_be_out(hand: HandMessage, alarms: Iterable[AlarmMessage]) -> bool:
    """Return True if a card may be out that cannot be keyed in: its coup can be void."""
    return hand.fault == "card" and not hand.unread and cause(hand, alarms) in _NEVER_KEYED


def reason(reject: AlarmMessage) -> str:
    """Return the reason of a reject, as fields.py names it."""
    return reject.shoe_says.partition(",")[0].replace(" ", "_")


def picture(cause: str, book: Rulebook | None) -> str:
    """Return the picture of a fault; empty if there is none."""
    found = _PICTURES.get(cause, "")
    return "unread_call" if found == "unread" and not has_rule(book) else found


def has_rule(book: Rulebook | None) -> bool:
    """Return True if the rulebook has a rule for keying a card in."""
    return book is not None and book.switch["manual_entry"].value != "silent"


def may_key(cause: str, hand: HandMessage) -> bool:
    """Return True if a card is out that was not read; without that fact, if the card of this fault may be out."""
    out = cause in _MAY_BE_OUT if hand.unread is None else hand.waits_for_card()
    return out and hand.phase in _OPEN


def main_button(cause: str, hand: HandMessage, book: Rulebook) -> str:
    """Return the one thing to do; empty where a person must look first, or the rulebook has no rule."""
    if cause == "card_back":
        return "clear_fault"
    return "key_card" if cause in _IS_OUT and may_key(cause, hand) and has_rule(book) else ""
