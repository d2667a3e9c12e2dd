"""The irregularity assistant for a page: a table, a case, facts and a person's roles in; question or answer out."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace
from sabot_protocol import assistant
from sabot_protocol.angel_eye.verbs import is_possible
from sabot_protocol.assistant import Answer
from sabot_protocol.irregularities import IrregularityError
from sabot_protocol.table_states import HandMessage

from sabot_floor.web.site_state import SiteState
from sabot_floor.web.unturned import book_of
from sabot_floor.web.views.dealer_hand import hand_state, is_void

_MOST_FACTS_BYTES = 1000
_facts = msgspec.json.Decoder(dict[str, bool])


class NoAnswerError(ValueError):
    """The assistant cannot answer; the message has the reason and the next step."""


def answer(site: SiteState, table: str, case: str, facts: str, roles: Mapping[str, str]) -> Answer:
    """Return the next question, or the rulebook's answer with the steps that this person can take."""
    state_of = site.tables.get(table)
    status = state_of.status if state_of else None
    book = book_of(status)
    if state_of is None or status is None or book is None:
        raise NoAnswerError(f"No gateway serves {table}: its rulebook is not known. Call a supervisor.")
    role = roles.get(book.id)
    if role is None:
        raise NoAnswerError(f"You have no role in {book.title}. Call a supervisor.")
    hand = state_of.hand or HandMessage(table=table, time="", phase="unknown")
    voided = is_void(hand, state_of.history, state_of.shoe)
    state = hand_state(book, status.setup, hand, state_of.alarms, voided=voided)
    state = state._replace(takes_reports=is_possible(status, "irregularity"))
    try:
        found = assistant.assist(book.id, case, given_facts(facts), state, role)
    except IrregularityError as error:
        raise NoAnswerError(f"{error}.") from None
    return replace(found, steps=tuple(step for step in found.steps if is_possible(status, step.verb)))


def given_facts(text: str) -> dict[str, bool]:
    """Return facts from JSON, such as {"exposed": true}; NoAnswerError for anything else."""
    try:
        if len(text) > _MOST_FACTS_BYTES:
            raise ValueError("too long")
        return _facts.decode(text or "{}")
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise NoAnswerError("These facts cannot be read: each is true or false.") from None
