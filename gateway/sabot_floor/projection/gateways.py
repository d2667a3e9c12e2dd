"""Gateways: which gateway speaks for which table; entry and state → state, and why a message does not count; pure."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

MOST_GATEWAYS: Final = 2000  # ledgers of a site, the replaced ones too
MOST_OF_NAME: Final = 100  # ledgers of one gateway, one after the other
MOST_PAIRS: Final = 4000  # tables and their gateways

Ledger = Annotated[str, Meta(description="id of the gateway's ledger, as its entries name it")]
Name = Annotated[str, Meta(description="name of the gateway, as its own topics have it; empty if the site has one")]


class Named(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="named"):
    """On its own topics a gateway names its ledger, and one of this release its tables."""

    time: str
    name: Name
    gateway: Ledger
    tables: list[str] | None


class Bound(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="bound"):
    """From now on this gateway speaks for the table."""

    time: str
    table: str
    gateway: Ledger
    how: Annotated[
        Literal["named", "first", "kept"],
        Meta(description="the gateway names it; nobody spoke for it before; it is in a store of an earlier release"),
    ]


class Accepted(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="accepted"):
    """A person accepts that a gateway speaks for a table, or that it has another name."""

    time: str
    gateway: Ledger
    table: str = ""
    name: Name | None = None
    by: str
    role: str
    person: str = ""
    reason: str


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="refused"):
    """Messages that do not count: the first of them since the service was started."""

    time: str
    table: str
    gateway: Ledger
    say: str


Entry = Named | Bound | Accepted | Refused


class Gateway(msgspec.Struct):
    """What is known of a ledger's gateway; None before its own topic has named it."""

    name: str | None = None
    tables: list[str] | None = None


class GatewaysState(msgspec.Struct):
    """Gateways by the id of their ledger; of each table those that may speak for it, with a rising number."""

    gateways: dict[str, Gateway] = {}
    tables: dict[str, dict[str, int]] = {}
    number: int = 0

    def rank(self, table: str, gateway: str) -> tuple[int, int]:
        """Return how well founded it is that a gateway speaks for a table; of two messages the smaller counts.

        All tables that a gateway names are alike: there the message that came first counts.
        """
        known = self.gateways.get(gateway)
        if known is not None and known.tables is not None and table in known.tables:
            return 0, 0
        return 1, self.tables.get(table, {}).get(gateway, MOST_PAIRS + self.number)


def problem(state: GatewaysState, table: str, gateway: str) -> str:
    """Return why a message on a table's topic does not count if it names this gateway; empty if it counts."""
    bound = state.tables.get(table, {})
    if gateway in bound:
        return ""
    known = state.gateways.get(gateway) or Gateway()
    if known.tables is not None and table not in known.tables:
        return f"gateway {_called(gateway, known)} does not name {table} among its tables"
    before = max(bound, key=bound.__getitem__, default="")
    if not before:
        return ""
    if known.tables is None:
        return f"{table} belongs to gateway {before}, and gateway {gateway} has not named its tables"
    old = state.gateways.get(before) or Gateway()
    if old.tables is None or old.name == known.name or table not in old.tables:
        return ""
    return f"gateway {_called(before, old)} names {table} among its tables too"


def is_replaced(state: GatewaysState, table: str, gateway: str) -> bool:
    """Return True if a gateway does not serve a table any more: it does not name it, or its name has a later ledger."""
    known, bound = state.gateways.get(gateway) or Gateway(), state.tables.get(table, {})
    if known.tables is not None and table not in known.tables:
        return True
    later = [other for other, number in bound.items() if number > bound.get(gateway, number)]
    return known.name is not None and any(state.gateways.get(one, Gateway()).name == known.name for one in later)


def _called(gateway: str, known: Gateway) -> str:
    return f"{gateway} ({known.name})" if known.name else gateway


def other_name(state: GatewaysState, gateway: str, name: str) -> str:
    """Return why nothing on this name's topics is believed about a gateway; empty if it is."""
    known = state.gateways.get(gateway)
    if known is None or known.name in (None, name):
        return ""
    return f"gateway {gateway} has the {_topics(known.name or '')}, and is named on the {_topics(name)}"


def _topics(name: str) -> str:
    return f"topics gateway/{name}" if name else "topics of the site"


def apply(state: GatewaysState, entry: Entry) -> str:
    """Change the state by an entry and return an empty text; or return why it cannot be, and change nothing."""
    match entry:
        case Named():
            return _named(state, entry)
        case Bound():
            refused = "" if entry.how == "kept" else problem(state, entry.table, entry.gateway)
            return refused or _bound(state, entry.table, entry.gateway)
        case Accepted():
            return _accepted(state, entry)
        case Refused():
            return ""


def _named(state: GatewaysState, entry: Named) -> str:
    if refused := other_name(state, entry.gateway, entry.name):
        return refused
    if entry.gateway not in state.gateways and (refused := _no_room(state, entry.name)):
        return refused
    known = state.gateways.get(entry.gateway) or Gateway()
    state.gateways[entry.gateway] = Gateway(entry.name, known.tables if entry.tables is None else entry.tables)
    return ""


def _no_room(state: GatewaysState, name: str) -> str:
    """Return why another ledger of this name is not taken: one name uses up no other's room."""
    if len(state.gateways) >= MOST_GATEWAYS:
        return f"a site has at most {MOST_GATEWAYS} gateways"
    if sum(one.name == name for one in state.gateways.values()) >= MOST_OF_NAME:
        return f"on the {_topics(name)} {MOST_OF_NAME} ledgers were named, the most for one gateway"
    return ""


def _bound(state: GatewaysState, table: str, gateway: str) -> str:
    if sum(map(len, state.tables.values())) >= MOST_PAIRS:
        return f"a site has at most {MOST_PAIRS} tables with their gateways"
    state.number += 1
    state.tables.setdefault(table, {})[gateway] = state.number
    return ""


def _accepted(state: GatewaysState, entry: Accepted) -> str:
    known = state.gateways.get(entry.gateway)
    if entry.name is not None:
        if known is None:
            return f"gateway {entry.gateway} is not known"
        state.gateways[entry.gateway] = Gateway(entry.name, known.tables)
    return _bound(state, entry.table, entry.gateway) if entry.table else ""


def decode(data: bytes | None) -> GatewaysState:
    """Return the state; msgspec.ValidationError if it is damaged."""
    return msgspec.json.decode(data, type=GatewaysState) if data is not None else GatewaysState()


def encode(state: GatewaysState) -> bytes:
    """Return the state as the store keeps it."""
    return msgspec.json.encode(state)
