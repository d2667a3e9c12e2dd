"""Rights: which role may do an act about a jackpot, by its rulebook."""

from sabot_protocol import authority

from sabot_floor.jackpots.engine.results import Refused
from sabot_floor.jackpots.engine.state import JackpotState


def refuse_role(state: JackpotState, act: str, role: str) -> Refused | None:
    """Return the refusal if the role may not do the act, or the book has no such role or act; None if it may."""
    try:
        verdict = authority.check(state.parameters.rulebook, act, role)
    except authority.AuthorityError as error:
        return Refused("role", str(error))
    return None if verdict.allowed else Refused("role", verdict.say)


def person_to_notify(state: JackpotState, act: str) -> str:
    """Return the title of the person whom the book has notified of the act; empty if none."""
    book = state.parameters.rulebook
    wanted = authority.load(book).act.get(act)
    return ", ".join(authority.party_title(book, party) for party in wanted.notify) if wanted else ""


def clause(state: JackpotState, act: str) -> str:
    """Return the clause of an act; empty if the book has no such act."""
    wanted = authority.load(state.parameters.rulebook).act.get(act)
    return wanted.clause if wanted else ""


def same_person(one: str, other: str) -> bool:
    """Return True if two names differ in no more than case, dots and spaces."""
    return _plain(one) == _plain(other) != ""


def same_as(name: str, own_id: str, other: str, other_id: str) -> bool:
    """Return True if two people are one: by their ids if both have logged in, else by their names."""
    return own_id == other_id if own_id and other_id else same_person(name, other)


def may_be_notified(state: JackpotState, act: str, role: str) -> bool:
    """Return True if a role is one that the book has notified of the act, or above it."""
    book = state.parameters.rulebook
    wanted = authority.load(book).act[act].notify
    try:
        return any(authority.includes(book, role, party) for party in wanted)
    except authority.AuthorityError:
        return False


def _plain(name: str) -> str:
    return "".join(name.replace(".", " ").split()).casefold()


def refuse_people(names: tuple[str, ...], count: int) -> Refused | None:
    """Return the refusal unless there are this many different people, each with a name."""
    if len({_plain(name) for name in names} - {""}) == count == len(names):
        return None
    needed = "one person's name" if count == 1 else f"the names of {count} different people"
    return Refused("people", f"by: give {needed}; found {', '.join(map(repr, names)) or 'none'}")
