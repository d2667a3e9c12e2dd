"""People of the site in reports: their names by id, names that are near to one, failed log-ins and lock-outs."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

import msgspec

from sabot_floor.gaming_day import Span
from sabot_floor.people import log as people_log
from sabot_floor.people.entries import LockedOut, LoginFailed, NotKnown
from sabot_floor.people.state import PeopleState
from sabot_floor.reports.people_rows import DecisionRow
from sabot_floor.reports.source import Source, same_name

_MOST_NEAR = 5
_entry = msgspec.json.Decoder(LoginFailed | LockedOut | NotKnown)


def names_by_id(source: Source) -> dict[str, str]:
    """Return the names of the people of the site, by id."""
    head = source.store.head(people_log.LOG)
    try:
        state = msgspec.json.decode(head.state, type=PeopleState) if head and head.state else PeopleState()
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {}
    return {person.id: person.name for person in state.people.values()}


def name_of(source: Source, given: str) -> str:
    """Return the name of the person with this id; any other text as it is."""
    return next((name for own_id, name in names_by_id(source).items() if same_name(own_id, given)), given)


def unknown_person(source: Source, given: str) -> str:
    """Return a sentence if no name or id in the store is this one, with those that are near; else an empty text."""
    people = names_by_id(source)
    known = {*people, *people.values(), *source.names()}
    if any(same_name(given, one) for one in known):
        return ""
    near = _near(given, known)
    listed = f"; near to it: {', '.join(near)}" if near else ""
    return (
        f"no person in the store has the name or id {given!r:.80}{listed}. `sabot users list` has the people of a site"
    )


def _near(given: str, known: Iterable[str]) -> list[str]:
    """Return names that have this text in them, and those that look like it."""
    by_case = {one.casefold(): one for one in sorted(known) if one}
    wanted = given.casefold()
    inside = [one for one in by_case if wanted.strip() and wanted.strip() in one]
    found = dict.fromkeys([*inside, *get_close_matches(wanted, by_case, _MOST_NEAR, 0.6)])
    return [by_case[one] for one in found][:_MOST_NEAR]


def login_entries(source: Source, span: Span) -> Iterator[LoginFailed | LockedOut | NotKnown]:
    """Yield the failed log-ins and lock-outs of a time."""
    for logged in source.logged(people_log.LOG, span, ("failed", "locked", "unknown")):
        try:
            yield _entry.decode(logged.payload)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            continue


def login_row(entry: LoginFailed | LockedOut | NotKnown, names: dict[str, str]) -> DecisionRow:
    """Return the row of a failed log-in or a lock-out."""
    person = entry.given if isinstance(entry, NotKnown) else entry.person
    if isinstance(entry, NotKnown):
        say = f"Nobody has the id {person}, or its person cannot log in there now, for: {entry.act}."
    elif isinstance(entry, LockedOut):
        here = f" at {entry.by}" if entry.here else ""
        what = f"Log-ins{here} are" if entry.person else f"Badges of account {entry.by} are"
        say = f"{what} locked out until {entry.until}."
    else:
        wrong = "The PIN, password or badge was wrong" if entry.person else "Nobody has this badge"
        say = f"{wrong}, for: {entry.act}."
    return DecisionRow(
        time=entry.time,
        table="",
        verb="log-in",
        act="",
        by=names.get(person, person),
        role="",
        asks="",
        asks_role="",
        origin="floor",
        user=entry.by,
        clause="",
        coup="",
        args="",
        ok=False,
        answered=entry.time,
        say=say,
        attempt="",
    )
