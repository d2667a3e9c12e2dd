"""Closing: what has closed the wagers of a coup, by the book's own rule and what is known of the coup."""

from typing import Final, Literal, NamedTuple

from sabot_protocol.rulebooks.model import ClosingEvent, Rulebook, StyleClosing
from sabot_protocol.rulebooks.people import Rule

REOPEN: Final = "reopen_wagers"  # P-21
Cause = Literal["", "called", "first_card", "exposed"]

# Events that are the first card itself, whether or not anybody has seen it or called.
_FIRST_CARD: Final[frozenset[ClosingEvent]] = frozenset(
    ("first_card_removed", "first_card_dealt", "end_of_wagering_period")
)


class Known(NamedTuple):
    """What is known of a coup, in the order in which it can happen."""

    called: bool = False  # no more bets, and wagers are not reopened since
    cards: bool = False  # a card of it is out, read or not
    reopened: bool = False  # by the role that the book names
    exposed: bool = False  # a card of it was seen, or handled by a patron


def closed_by(closing: StyleClosing, known: Known) -> Cause:
    """Return what has closed the wagers; empty while they are open."""
    if known.exposed:
        return "exposed"
    if known.called:
        return "called"
    return "first_card" if known.cards and closing.event in _FIRST_CARD and not known.reopened else ""


def reopening(book: Rulebook) -> Rule | None:
    """Return the rule by which a book reopens wagers while nothing is exposed; None if it has none."""
    rule = book.authority.act[REOPEN]
    return None if rule.basis in ("silent", "never") else rule


def stated(rule: Rule) -> dict[str, bool]:
    """Return the facts of that rule that the person who reopens must state; the gateway knows what is exposed."""
    return {fact: value for fact, value in rule.when.items() if fact != "exposed"}
