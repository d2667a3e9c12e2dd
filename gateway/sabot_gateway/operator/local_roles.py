"""Local roles: what an account of the table PC may do at its tables, by the role that the config gives its groups."""

import grp
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sabot_protocol import authority, command_acts
from sabot_protocol.authority import Person
from sabot_protocol.commands import CommandError

from sabot_gateway.operator.command_acts import act_of, facts_of
from sabot_gateway.operator.requests import TableRequest
from sabot_gateway.operator.table_view import TableView

Roles = Mapping[str, str | tuple[str, ...]]  # of each group
NO_ROLES = (
    "no [roles] in the config: each account that can open the control socket may do everything at every table; give "
    'groups of this PC a role, such as sabot-dealers = "dealer"'
)


class Granted(NamedTuple):
    """The role by which a request is granted, or refused with a sentence; both empty if the config has no roles."""

    role: str = ""
    refused: str = ""


NOT_CHECKED = Granted()


def names(given: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the roles of a group: one, or one for each rulebook."""
    return (given,) if isinstance(given, str) else given


class LocalRoles:
    """Roles by group; without any, everything is granted."""

    def __init__(self, roles: Roles) -> None:
        self.configure(roles)

    def configure(self, roles: Roles) -> None:
        """Use these from now on."""
        self._roles = {group: names(given) for group, given in roles.items()}

    def problem(self) -> str:
        """Return what to change about the roles; empty if nothing is wrong."""
        return "; ".join(group_problems(self._roles)) if self._roles else NO_ROLES

    def check(self, request: TableRequest, table: TableView | None, groups: Iterable[int]) -> Granted:
        """Return the highest role of these groups that may do it at this table, or the refusal."""
        if not self._roles or table is None:
            return Granted()
        book = table.verifier.rulebook
        roles = authority.ranked(book, self._of(groups))
        if not roles:
            return Granted("", f"this account has no role at {table.name}. {self._join()}")
        act, refusals = act_of(request, table), list[str]()
        for role in roles:
            try:
                asks = Person(request.asks, role) if request.asks else None
                command_acts.check(book, act, Person(request.by, role), asks, facts_of(request.verb))
            except CommandError as error:
                refusals.append(str(error))
            else:
                return Granted(role)
        return Granted(roles[0], f"{refusals[0]}. The role is that of this account's groups ([roles] in the config).")

    def check_any(self, books: Iterable[str], groups: Iterable[int]) -> str:
        """Return why these groups may not decide about the gateway itself; empty if they may at one of its tables."""
        roles = list(self._of(groups))
        if not self._roles:
            return ""
        for book in set(books):
            if any(authority.check_without_rule(book, role).allowed for role in authority.ranked(book, roles)):
                return ""
        return f"The role of this account is too low, or it has none. {self._join()}"

    def _of(self, groups: Iterable[int]) -> Iterator[str]:
        """Yield the roles of these groups; one that the PC does not have gives none."""
        wanted = frozenset(groups)
        for name, given in self._roles.items():
            if gid_of(name) in wanted:
                yield from given

    def _join(self) -> str:
        return f"Join one of the groups {', '.join(self._roles)} ([roles] in the gateway's config), and log in again."


def gid_of(group: str) -> int | None:
    """Return the number of a group of this PC, None if there is none."""
    try:
        return grp.getgrnam(group).gr_gid
    except KeyError:
        return None


def role_problems(roles: Roles, books: Mapping[str, str]) -> Iterator[str]:
    """Yield roles that no rulebook of these tables has, and tables whose rulebook has no role of a group."""
    known = {book: [role.id for role in authority.load(book).role] for book in set(books.values())}
    for group, given in roles.items():
        for role in names(given):
            if not any(role in ids for ids in known.values()):
                there_are = "; ".join(f"{book} has {', '.join(ids)}" for book, ids in sorted(known.items()))
                yield f"roles.{group}: no rulebook of the tables has a role {role!r}; {there_are}"
        for table, book in books.items():
            if not {*names(given)} & {*known[book]}:
                ids = ", ".join(known[book])
                yield f"roles.{group}: {book} of table {table} has none of its roles; add one of {ids}, in a list"


def group_problems(roles: Roles) -> Iterator[str]:
    """Yield groups that this PC does not have."""
    for group in roles:
        if gid_of(group) is None:
            yield f"roles.{group}: this PC has no such group, so nobody has its role; make it: `groupadd {group}`"
