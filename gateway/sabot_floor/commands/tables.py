"""Tables: the rulebook of each table, and whether its gateway is there, from the retained statuses of the gateways."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.topics import ROOT, StatusMessage

from sabot_floor.commands.same_units import SameUnits

_MOST = 2000  # tables, and gateways
_MOST_NAMED = 20
_MOST_TEXT = 200


class Served(NamedTuple):
    """A table whose gateway is online."""

    table: str
    rulebook: str


class Tables:
    """The newest status of every table and gateway of one site; bounded."""

    def __init__(self, site: str) -> None:
        self._root, self._site = f"{ROOT}/{site}/", site
        self._tables: dict[str, StatusMessage] = {}
        self._gateways: dict[str, StatusMessage] = {}  # by name; empty if the site has one
        self.same_units = SameUnits()

    def filters(self) -> list[str]:
        """Return the topics of gateways that have names; those of tables and of a gateway without one come anyway."""
        return [f"{self._root}gateway/+/status"]

    def received(self, topic: str, payload: bytes) -> None:
        """Take a status; whatever else comes is left out."""
        match topic.removeprefix(self._root).split("/"):
            case ["status"]:
                _keep(self._gateways, "", payload)
            case ["gateway", name, "status"]:
                _keep(self._gateways, name, payload)
            case [name, "status"]:
                _keep(self._tables, name, payload)

    def status(self, table: str) -> StatusMessage | None:
        """Return the newest status of a table, None if no gateway has it."""
        return self._tables.get(table)

    def look(self, now_s: float) -> None:
        """Find shoes with one unit id; the last status of a gateway that is gone proves nothing."""
        self.same_units.look(self._units(), now_s)

    def _units(self) -> Iterator[tuple[str, str]]:
        for table, status in self._tables.items():
            gateway = self._gateway_of(status)
            if status.unit and status.state == "online" and gateway is not None and gateway.state == "online":
                yield table, status.unit

    def _gateway_of(self, status: StatusMessage) -> StatusMessage | None:
        return self._gateways.get(plain(status.gateway or "")[:_MOST_TEXT])

    def find(self, table: str) -> Served | str:
        """Return a table that can take commands, or why it cannot, with the next step."""
        status = self._tables.get(table)
        if status is None:
            known = sorted(name for name, one in self._tables.items() if one.rulebook)
            there_are = ", ".join(known[:_MOST_NAMED]) + (" …" if len(known) > _MOST_NAMED else "") or "none yet"
            return f"No gateway of {self._site} has a table {table}; there are {there_are}."
        if not status.rulebook:
            why = plain(status.problem or "its status names no rulebook")[:_MOST_TEXT]
            return f"No gateway serves {table}: {why}. Check the gateway's config, or update the gateway."
        gateway = self._gateway_of(status)
        if gateway is None or gateway.state != "online":
            since = f" since {plain(gateway.time)[:_MOST_TEXT]}" if gateway else ""
            return (
                f"The gateway of {table} is offline{since}: nothing was sent. Give the command at the table PC; its "
                "ledger keeps it as a local one."
            )
        return Served(table, status.rulebook)


def _keep(found: dict[str, StatusMessage], name: str, payload: bytes) -> None:
    try:
        status = msgspec.json.decode(payload, type=StatusMessage) if payload else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return
    found.pop(name, None)
    if status is not None:
        found[name] = status
    if len(found) > _MOST:
        del found[next(iter(found))]
