"""Hand-made entries of ledgers for the tests of reports, fed through the projection's changes."""

from collections import Counter
from typing import Any

import msgspec
from sabot_floor.gaming_day import Calendar, Span
from sabot_floor.projection.changes import changes
from sabot_floor.projection.writing import PROJECTION, insert
from sabot_floor.reports.source import Scope
from sabot_floor.store import Store
from sabot_floor.store.rows import Row
from sabot_protocol.jackpots.messages import IncrementMessage
from sabot_protocol.topics import (
    AlarmMessage,
    CardMessage,
    ConfirmedMessage,
    CoupMessage,
    IncidentMessage,
    ShoeMessage,
    Step,
)

UNIT = "5ab0000000000001"
SYDNEY = Calendar("06:00", "Australia/Sydney")
NOW = "2026-11-18T00:00:00.000Z"


def at(clock: str, day: int = 16) -> str:
    """Return a time of November 2026, UTC, such as 19:05 or 19:05:30."""
    return f"2026-11-{day:02}T{clock if clock.count(':') == 2 else f'{clock}:00'}.000Z"


def scope(*tables: str, now: str = NOW) -> Scope:
    """Return the scope of a report in Sydney; its time is set by the report."""
    return Scope(Span("", ""), tables, SYDNEY, "sydney", now)


class Scene:
    """Adds entries to the ledgers of gateways, after a number; `save` stores what was added."""

    def __init__(self, store: Store, after: int = 0) -> None:
        self.store = store
        self._entries: Counter[str] = Counter({"gw-1": after})
        self._rows: list[Row] = []
        self.gateway = ""  # of every entry from now on; empty: that of its table

    def add(self, topic: str, message: object, gateway: str = "gw-1") -> None:
        """Add one entry to a ledger."""
        gateway = self.gateway or gateway
        self._entries[gateway] += 1
        table = "bac-02" if gateway == "gw-2" else "bac-01"
        row = changes(gateway, self._entries[gateway], table, topic, msgspec.json.encode(message))
        self._rows += [] if row is None else [row]

    def save(self) -> None:
        """Store what was added."""
        with self.store.writing(PROJECTION):
            insert(self.store, self._rows)
        self._rows = []

    def covered(self, gateway: str, after: int, entry: int) -> None:
        """Note which entries of a ledger are in the store."""
        with self.store.writing(PROJECTION):
            self.store.execute("INSERT INTO coverage VALUES (?, ?, ?)", (gateway, after, entry))

    def common(self, own_id: str, time: str, shoe: int, coup: int, table: str = "bac-01") -> dict[str, Any]:
        """Return what every message has."""
        unit = UNIT if table == "bac-01" else "5ab0000000000002"
        return {
            "id": own_id,
            "unit": unit,
            "event_no": 1,
            "table": table,
            "shoe": shoe,
            "coup": coup,
            "time": time,
            "rulebook": "5f3a",
        }

    def shoe(self, time: str, shoe: int, state: str, table: str = "bac-01") -> None:
        """Open or close a shoe of eight decks."""
        common = self.common(f"s-{table}-{shoe}-{state}", time, shoe, 0, table) | {"state": state}
        self.add("shoe", ShoeMessage(**common, decks=8, card_set=1, burn="one"), _of(table))

    def coup(self, own_id: str, time: str, shoe: int, coup: int, table: str = "bac-01", **given: Any) -> None:
        """Publish a coup that the banker wins by 6 to 5."""
        fields: dict[str, Any] = {"kind": "live", "status": "verified", "winner": "banker"}
        fields |= {"player": ["2S", "3D"], "banker": ["KH", "6C"], "player_points": 5, "banker_points": 6}
        fields |= {"player_pair": False, "banker_pair": False, "natural": False, "last_coup": False}
        message = CoupMessage(**(self.common(own_id, time, shoe, coup, table) | fields | given), shoe_time_ms=0)
        self.add("coup", message, _of(table))

    def confirmed(self, own_id: str, time: str, shoe: int, coup: int, coup_id: str) -> None:
        """Confirm a coup."""
        fields: dict[str, Any] = {"kind": "live", "status": "confirmed", "winner": "banker"}
        fields |= {"player": ["2S", "3D"], "banker": ["KH", "6C"], "player_points": 5, "banker_points": 6}
        fields |= {"player_pair": False, "banker_pair": False, "natural": False, "last_coup": False}
        common = self.common(own_id, time, shoe, coup)
        self.add("confirmed", ConfirmedMessage(**common, shoe_time_ms=0, coup_id=coup_id, by="the dealer", **fields))

    def card(self, time: str, shoe: int, coup: int, slot: str, card: str, *notes: str) -> None:
        """Publish a card."""
        common = self.common(f"k-{shoe}-{coup}-{slot}", time, shoe, coup)
        read: dict[str, Any] = {"speed_mm_s": 900, "margin": 0.8, "shoe_time_ms": 0}
        self.add("cards", CardMessage(**common, slot=slot, card=card, notes=list(notes), **read))

    def alarm(self, own_id: str, time: str, name: str, coup: tuple[int, int] = (3, 0), **given: Any) -> None:
        """Raise an alarm; a number after the id is another state of it: `a1+`."""
        fields: dict[str, Any] = {"say": f"{name}.", "clause": "", "shoe_says": "", "cards_say": ""}
        fields |= {"severity": "warning", "state": "raised", "alarm": own_id.rstrip("+")}
        message = AlarmMessage(**(self.common(own_id, time, *coup) | fields | given), name=name)
        self.add("alarm", message)

    def request(self, own_id: str, time: str, verb: str, by: str, **given: Any) -> None:
        """Store a request and its answer a second later; with `role` it comes from the floor service."""
        ok, say, answered = given.pop("ok", True), given.pop("say", "Done."), given.pop("answered", time)
        role, asks, act = given.pop("role", ""), given.pop("asks", ""), given.pop("act", "")
        fields = {"table": "bac-01", "user": "pit", "clause": "", "args": {}, "origin": "floor" if role else "local"}
        attempt: dict[str, Any] = {"id": own_id, "time": time, "verb": verb, "by": by, **(fields | given)}
        if role:
            command = {"id": f"cmd-{own_id}", "digest": "", "nonce": "", "person": by, "role": role, "coup": ""}
            command |= {"asks": asks, "asks_role": "dealer" if asks else "", "act": act}
            attempt["command"] = command | {"issued": time, "expires": time, "key": ""}
        self.add("attempt", attempt)
        if ok is not None:
            outcome = {"id": f"{own_id}-o", "time": answered, "table": attempt["table"], "attempt": own_id}
            self.add("outcome", {**outcome, "ok": ok, "say": say})

    def increment(self, time: str, count: int, total: int) -> None:
        """Publish a contribution with the running count and total of the table."""
        fields: dict[str, Any] = {"jackpot": "lucky-tie", "parameters": "00", "currency": "AUD", "kind": "live"}
        common = self.common(f"n-{count}", time, 3, 41) | fields
        message = IncrementMessage(**common, gateway="gw-1", amount=25, count=count, total=total, coup_id="c")
        self.add("jackpot/lucky-tie", message)

    def incident(self, own_id: str, time: str, kind: str, *steps: Step, **given: Any) -> None:
        """Publish the state of an incident; it is closed if all steps are done."""
        shoe, coup = given.pop("coup", (3, 0))
        state = "open" if any(not step.done for step in steps) else "closed"
        fields: dict[str, Any] = {"state": state, "say": f"{kind}.", "clause": "", "opened": time}
        common = self.common(f"{own_id}-{time}", time, shoe, coup)
        message = IncidentMessage(**(common | fields | given), incident=own_id, kind=kind, steps=list(steps))
        self.add("incident", message)


def _of(table: str) -> str:
    return "gw-1" if table == "bac-01" else "gw-2"
