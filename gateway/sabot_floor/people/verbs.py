"""Verbs about people, as the control socket takes them; and how a person logs in for an act."""

from typing import Annotated

import msgspec
from msgspec import Meta

from sabot_floor.people.hashing import MOST_SECRET

PersonId = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,31}\Z")]
Secret = Annotated[str, Meta(min_length=1, max_length=MOST_SECRET)]
Name = Annotated[str, Meta(min_length=1, max_length=64)]


class Login(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person, and a PIN, a password or the code of a badge; person `badge`: the badge shows who it is."""

    person: PersonId
    secret: Secret

    def __repr__(self) -> str:
        return f"Login({self.person!r})"  # never the secret


class UserVerb(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What an account asks for about people."""


class ListPeople(UserVerb, frozen=True):
    """List all people."""


class UserChange(UserVerb, frozen=True):
    """A change of a person."""

    person: PersonId


class AddPerson(UserChange, frozen=True):
    """Add a person."""

    name: Name


class GiveRole(UserChange, frozen=True):
    """Give a person a role in a rulebook; an empty one takes it away."""

    rulebook: Name
    role: Annotated[str, Meta(max_length=64)] = ""


class Disable(UserChange, frozen=True):
    """Keep a person from logging in."""


class Enable(UserChange, frozen=True):
    """Let a disabled person log in again."""


class SetBadge(UserChange, frozen=True):
    """Give a person a badge; an empty code takes it away."""

    code: Annotated[str, Meta(max_length=MOST_SECRET)] = ""

    def __repr__(self) -> str:
        return f"SetBadge({self.person!r})"


class SetSecret(UserChange, frozen=True):
    """Give a person a PIN or a password."""

    secret: Secret

    def __repr__(self) -> str:
        return f"SetSecret({self.person!r})"


class ChangeSecret(UserVerb, frozen=True):
    """Change the own PIN or password, with the one of before."""

    login: Login
    secret: Secret

    def __repr__(self) -> str:
        return f"ChangeSecret({self.login!r})"


USER_VERBS: dict[str, type[UserVerb]] = {
    "user-list": ListPeople,
    "user-add": AddPerson,
    "user-role": GiveRole,
    "user-disable": Disable,
    "user-enable": Enable,
    "user-badge": SetBadge,
    "user-pin": SetSecret,
    "user-own-pin": ChangeSecret,
}
