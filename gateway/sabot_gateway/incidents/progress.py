"""Progress: the steps of one incident, after evidence, a card, or a coup of notice."""

from msgspec.structs import replace
from sabot_protocol import authority, incidents, step_order
from sabot_protocol.incidents import NOT_NEEDED, Done
from sabot_protocol.rulebooks.incidents import Proof
from sabot_protocol.topics import CoupMessage, IncidentMessage, Step

from sabot_gateway.incidents import evidence
from sabot_gateway.incidents.evidence import Evidence
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.deciders import BY_SUPERVISOR

_NEEDLESS: dict[Proof, str] = {
    "card_read": f"{NOT_NEEDED}: the card that was due was read",
    "coup_decided": f"{NOT_NEEDED}: the coup is decided",
    "coup_void": f"{NOT_NEEDED}: the coup is void",
    "shoe_closed": f"{NOT_NEEDED}: the shoe is closed",
    "new_shoe": f"{NOT_NEEDED}: a new shoe was opened",
}


def proved(book: str, incident: IncidentMessage, one: Evidence) -> IncidentMessage:
    """Return the incident with the steps done that this proves by the right hand, or makes needless."""
    if not one.about(incident):
        return incident
    hand = hand_of(book, one.done)
    for step in incident.steps:
        if step.done:
            continue
        if one.proof in incidents.needless(step.name):
            done = one.done._replace(note=_NEEDLESS[one.proof])
            incident = incidents.complete(incident, step.name, done, opening=True)
        elif one.proof in incidents.proofs(step.name):
            right = incidents.is_right_hand(book, incident, step, one.proof, hand)
            incident = incidents.complete(incident, step.name, one.done) if right else incident
    return incident


def hand_of(book: str, done: Done) -> str:
    """Return the role of the person behind evidence: at the shoe it is the dealer, or a supervisor with the key."""
    if done.attempt:
        return done.role
    at_shoe = authority.load(book).role[0].id
    return authority.role_without_rule(book) if done.by == BY_SUPERVISOR else at_shoe


def waits_for_card(book: str, incident: IncidentMessage) -> bool:
    """Return True if a card can make a step needless, or late."""
    waiting = [step for step in incident.steps if not step.done]
    return any("card_read" in incidents.needless(one.name) or _before_cards(book, incident, one) for one in waiting)


def _before_cards(book: str, incident: IncidentMessage, step: Step) -> bool:
    if step.done or step.late or not step.due:
        return False
    rule = step_order.rule_of(book, incident.kind, step.name)
    return rule is not None and rule.before_cards


def with_card(book: str, incident: IncidentMessage, event: Event) -> IncidentMessage:
    """Return the incident with the open steps late that were due before the cards of its coup."""
    if not evidence.is_dealt(event, incident):
        return incident
    steps = [replace(step, late=True) if _before_cards(book, incident, step) else step for step in incident.steps]
    return replace(incident, steps=steps)


def with_coup(book: str, incident: IncidentMessage, message: CoupMessage) -> IncidentMessage:
    """Return the incident with one more coup of notice, if it counts them: each that has a result, once.

    A coup that becomes void after its result counts no more.
    """
    label = f"{message.shoe}/{message.coup}"
    if message.corrects and message.kind == "void" and incident.state == "open":
        return replace(incident, facts=step_order.without_coup(incident, label))
    if message.corrects or message.kind == "void" or not step_order.counts_coups(book, incident):
        return incident
    return replace(incident, facts=step_order.with_coup(incident, label))
