"""Entries of the log `people`: every change of a person, and every log-in; secrets only as hashes."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

By = Annotated[str, Meta(description="the account at the control socket, from the kernel; `web ADDRESS` of a page")]

Here = Annotated[bool, Meta(description="it counts for this account or address; in an earlier release it did not")]


class Opened(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="opened"):
    """The first entry."""

    time: str
    commitment: Annotated[str, Meta(description="SHA-256 of the key that badges are hashed with, hex")]


class Added(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="added"):
    """A person is known from now on; without a secret he cannot log in yet."""

    time: str
    person: str
    name: str
    by: By


class RoleGiven(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="role"):
    """A person has this role in a rulebook, or none if it is empty."""

    time: str
    person: str
    rulebook: str
    role: str
    by: By


class Disabled(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="disabled"):
    """A person can do nothing until enabled."""

    time: str
    person: str
    by: By


class Enabled(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="enabled"):
    """A disabled person can log in again."""

    time: str
    person: str
    by: By


class BadgeSet(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="badge"):
    """A person has this badge, or none if it is empty."""

    time: str
    person: str
    badge: Annotated[str, Meta(description="HMAC-SHA256 of its code, hex")]
    by: By


class SecretSet(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="secret"):
    """A person has this PIN or password; failures and a lock-out end."""

    time: str
    person: str
    hash: Annotated[str, Meta(description="argon2id, with its parameters and its salt")]
    by: By
    initial: Annotated[
        bool, Meta(description="an administrator knows it: the person changes it before the first act")
    ] = False


class SecretChanged(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="changed"):
    """A person has changed the own PIN or password, with the one of before; failures and a lock-out end."""

    time: str
    person: str
    hash: Annotated[str, Meta(description="argon2id, with its parameters and its salt")]
    by: By


class NotKnown(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="unknown"):
    """Somebody gave an id that no person has, or of one who cannot log in there, such as a disabled person."""

    time: str
    given: str
    act: str
    by: By


class LoggedIn(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="login"):
    """A person has logged in for one act; with a session, which a log-in before has opened."""

    time: str
    person: str
    means: Literal["secret", "badge", "session"]
    act: str
    by: By
    here: Here = False


class LoginFailed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="failed"):
    """A wrong secret for a person; of no person if an account gave a badge that nobody has."""

    time: str
    person: str
    act: str
    by: By
    here: Here = False


class LockedOut(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="locked"):
    """A person cannot log in there until then, but with the badge; if none is named, the account can use no badges."""

    time: str
    person: str
    until: str
    by: By
    here: Here = False


Entry = (
    Opened | Added | RoleGiven | Disabled | Enabled | BadgeSet | SecretSet | SecretChanged | LoggedIn | LoginFailed
    | LockedOut | NotKnown
)  # fmt: skip
