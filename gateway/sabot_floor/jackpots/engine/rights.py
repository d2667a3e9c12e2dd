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


def _plain(name: str) -> str:
    return "".join(name.replace(".", " ").split()).casefold()


def refuse_people(names: tuple[str, ...], count: int) -> Refused | None:
    """Return the refusal unless there are this many different people, each with a name."""
    if len({_plain(name) for name in names} - {""}) == count == len(names):
        return None
    needed = "one person's name" if count == 1 else f"the names of {count} different people"
    return Refused("people", f"by: give {needed}; found {', '.join(map(repr, names)) or 'none'}")
