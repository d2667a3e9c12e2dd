"""Follows the line between a simulated shoe and its gateway: coups for stdout, notes for stderr."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from construct import ConstructError
from sabot_gateway import rules
from sabot_gateway.shoe.fault import next_step
from sabot_gateway.shoe.parse import Frame, Parser
from sabot_protocol.topics import CoupMessage

from sabot_tools.stand.shoe_state import TableState
from sabot_tools.text.coups import Painter
from sabot_tools.text.shoe_log import ShoeLog

_KIND_AT, _DATA_AT = 12, 13  # of a frame that carries an event
_GONE_AFTER_S = 5.0  # a gateway sends something once a second
_PROBED_AFTER_S = 3.0


@dataclass
class ShoeMonitor:
    """Takes the bytes of both directions; collects the lines to print in `coups` and `notes`."""

    name: str
    port: str
    rulebook: str
    table: TableState
    painter: Painter
    coups: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    count: int = 0  # coups printed
    profile_known: bool = False
    _end_no: int = 0  # the event that ended the last coup: its Confirm, or its void
    _acked_no: int = 0
    _refused_since_s: float | None = None  # since when a gateway sends WHO and no WELCOME
    _who_s: float = 0.0  # when a gateway last sent WHO
    _in_session_s: float | None = None  # when the gateway last sent something in a session
    _session: bytes = b""
    _gateway: str = ""
    _from_shoe: Parser = field(default_factory=Parser)
    _from_gateway: Parser = field(default_factory=Parser)

    def __post_init__(self) -> None:
        """Continue with the cards that are on the table."""
        self._log = ShoeLog(self.rulebook, self.table.hands)

    def from_shoe(self, data: bytes) -> None:
        """Take bytes that the shoe sent."""
        for frame in self._from_shoe.feed(data):
            if frame.type == "hello":
                self.profile_known = self.profile_known or any(frame.body["profile_hash"])
            elif frame.type == "event" and frame.body["event_no"] > self.table.shown_no:
                self.table.shown_no = frame.body["event_no"]
                self._event(frame)

    def from_gateway(self, data: bytes, now_s: float) -> None:
        """Take bytes that the gateway sent."""
        for frame in self._from_gateway.feed(data):
            if frame.type == "who":
                self._gateway, self._who_s = frame.body["gateway"].hex(), now_s
                self._refused_since_s = now_s if self._refused_since_s is None else self._refused_since_s
            elif frame.type == "welcome":
                self._welcome(frame.body)
            elif frame.type == "ack":
                self._acked_no = max(self._acked_no, frame.body["event_no"])
            if frame.type != "who":
                self._refused_since_s, self._in_session_s = None, now_s

    def _welcome(self, body: dict[str, Any]) -> None:
        self._acked_no = max(self._acked_no, body["durable_event_no"])
        if body["shoe_nonce"] != self._session:
            self._session = body["shoe_nonce"]
            self.notes.append(f"gateway {self._gateway} reads the log from event {body['durable_event_no'] + 1}")

    def tick(self, now_s: float) -> None:
        """Add a note when the gateway has gone, or when it does not accept this shoe."""
        if self._in_session_s is not None and now_s - self._in_session_s >= _GONE_AFTER_S:
            self._in_session_s, self._session = None, b""
            self.notes.append(
                f"no gateway on {self.port}: the dealer goes on, and the shoe keeps its log until a gateway comes back"
            )
        if now_s - self._who_s >= _PROBED_AFTER_S:
            self._refused_since_s = None  # it only asked who is here, as `sabot gateway check` does
        if self._refused_since_s is not None and now_s - self._refused_since_s >= _GONE_AFTER_S:
            self._refused_since_s = float("inf")
            self.notes.append(
                f"gateway {self._gateway} does not accept this shoe: `sabot gateway status` on that machine shows why"
            )

    def enough(self, coups: int | None) -> bool:
        """Return True if so many coups were printed and the last is confirmed or void."""
        return coups is not None and self.count >= coups and self._end_no > 0

    def done(self, coups: int | None) -> bool:
        """Return True if, in addition, the gateway has acknowledged that."""
        return self.enough(coups) and self._acked_no >= self._end_no

    def _event(self, frame: Frame) -> None:
        event = self._named(frame)
        self.table.hands = self._log.hands
        if event["type"] == "coup":
            self.count += 1
            self._end_no = event["event_no"] if event["winner"] is None else 0
            self.coups.append(self.painter.line(self._coup(event), None))
        elif event["type"] == "profile_set":
            self.profile_known = True
        elif event.get("button") == "confirm" or (event["type"], event.get("command")) == ("command_done", "confirm"):
            self._end_no = event["event_no"]
        self.notes += _notes(self.name, event, dealing=self._log.begun())

    def _named(self, frame: Frame) -> dict[str, Any]:
        """Return the event in plain names; only its kind if it refers to events that were not seen here."""
        event_no, kind = frame.body["event_no"], frame.body["kind"]
        try:
            return self._log.event(event_no, frame.raw[_KIND_AT], frame.raw[_DATA_AT:].hex())
        except (ConstructError, LookupError, ValueError):
            return {"event_no": event_no, "type": "", "kind": kind}

    def _coup(self, event: dict[str, Any]) -> CoupMessage:
        """Return the coup as the gateway publishes it, as far as the line shows."""
        flags = {name: event.get(name, False) for name in ("player_pair", "banker_pair", "natural", "last_coup")}
        return CoupMessage(
            id="",
            unit=self.table.unit,
            event_no=event["event_no"],
            table=self.name,
            shoe=event["shoe"],
            coup=event["coup"],
            time="",
            rulebook=self.rulebook,
            kind=event.get("named", event["kind"]),
            status="verified",
            winner=event["winner"],
            player=event["player"],
            banker=event["banker"],
            player_points=rules.points(event["player"]),
            banker_points=rules.points(event["banker"]),
            shoe_time_ms=0,
            **flags,
        )


def _notes(name: str, event: dict[str, Any], *, dealing: bool) -> Iterator[str]:
    """Yield what people at the table would notice; `dealing`: a coup has begun and is not complete."""
    match event["type"]:
        case "shoe_opened":
            yield f"shoe {event['shoe']} is open: {event['decks']} decks"
        case "shoe_closed":
            yield f"shoe {event['shoe']} is closed"
        case "reject":
            yield f"the shoe rejected a card: {event['reason']}"
        case "irregularity":
            rule = f" ({event['rule']})" if event["rule"] else ""
            yield f"irregularity {event['case']}: {event['say']}{rule}"
        case "fault":
            yield next_step(name, event["fault"], dealing=dealing) or f"fault {event['fault']}"
        case "fault_cleared":
            yield f"fault {event['fault']} is cleared"
