"""Authority: which role may do an act by a rulebook; roles in order, each with those above it."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec


class AuthorityError(ValueError):
    """A role or act that the book does not have; the message lists those it has."""


class Role(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A role; `aliases` are other ways to write its id."""

    id: str
    title: str
    aliases: tuple[str, ...] = ()


class Act(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An act: the lowest role that may do it, and the clause."""

    row: str
    role: str
    clause: str
    second_person: bool = False
    notify: str = ""  # who must be notified


class Authority(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one book lays down; the first role is the lowest."""

    role: tuple[Role, ...]
    act: dict[str, Act]

    def find_role(self, name: str) -> Role:
        """Return the role with this id, title or alias; AuthorityError if there is none."""
        wanted = name.strip().lower().replace(" ", "_").replace("-", "_")
        for role in self.role:
            if wanted in (role.id, role.title.lower().replace(" ", "_"), *role.aliases):
                return role
        raise AuthorityError(f"no role {name!r} in this book; there are {', '.join(role.id for role in self.role)}")


class Verdict(NamedTuple):
    """Whether a role may do an act; `say` has the reason."""

    allowed: bool
    second_person: bool
    clause: str
    say: str
    notify: str = ""


@cache
def load(book: str) -> Authority:
    """Return the authority of a book; without a file of its own it has no acts."""
    file = files("sabot_protocol.rulebooks") / "authority" / f"{book}.toml"
    return msgspec.convert(tomllib.loads(file.read_text()), Authority) if file.is_file() else Authority((), {})


def check(book: str, act: str, role: str) -> Verdict:
    """Return whether the role may do the act by the book; AuthorityError for an act or role that the book has not."""
    authority = load(book)
    wanted = authority.act.get(act)
    if wanted is None:
        raise AuthorityError(f"{book} has no act {act!r}; there are {', '.join(authority.act) or 'none'}")
    order = [one.id for one in authority.role]
    given, lowest = authority.find_role(role), authority.find_role(wanted.role)
    allowed = order.index(given.id) >= order.index(lowest.id)
    verb = "may" if allowed else "may not"
    say = f"a {given.title} {verb} do this; the lowest role that may is {lowest.title} ({wanted.clause})"
    return Verdict(allowed, wanted.second_person, wanted.clause, say, wanted.notify)
