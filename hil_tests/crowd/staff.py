"""Staff: one person with a badge for every role of every rulebook."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sabot_protocol import authority

LOCAL_ROLE: Final = "dealer"  # of the account of this test at the gateway's own socket, in every book


@dataclass(frozen=True)
class Member:
    """A person of the staff."""

    id: str
    name: str
    book: str
    role: str
    badge: str


def members(book: str) -> Iterator[Member]:
    """Yield a person for each role of a book, lowest first; and a second one, who can approve what the first asks."""
    for number, role in enumerate(authority.load(book).role):
        for copy in "ab":
            person, title = f"{book}-{number}{copy}", role.id.replace("_", " ").title()
            yield Member(person, f"{copy.upper()}. {title} of {book}", book, role.id, f"BADGE-{person}-7731")


class Staff:
    """The people of one table."""

    def __init__(self, rng: random.Random, book: str) -> None:
        self._rng, self.book, self.people = rng, book, list(members(book))

    def anybody(self) -> Member:
        """Return a random person."""
        return self._rng.choice(self.people)

    def with_role(self, role: str) -> Member:
        """Return the first person with this role."""
        return next(one for one in self.people if one.role == role)

    def other_than(self, one: Member, role: str) -> Member:
        """Return a person with a role who is not this one."""
        return next(found for found in self.people if found.role == role and found.id != one.id)

    def in_order(self) -> list[Member]:
        """Return a person for each role that stands in the order, the lowest first."""
        beside = {role.id for role in authority.load(self.book).role if role.beside}
        return [one for one in self.people[::2] if one.role not in beside]
