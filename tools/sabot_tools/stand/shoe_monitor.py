"""What a simulated shoe and its gateway say to each other, as people read it: coups on stdout, the rest on stderr."""

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
_GONE_AFTER_S = 5.0  # a gateway says something once a second


@dataclass
class ShoeMonitor:
    """Bytes of both directions in, lines out: `coups` for stdout, `notes` for stderr."""

    name: str
    port: str
    rulebook: str
    table: TableState
    painter: Painter
    coups: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    count: int = 0  # coups shown
    profile_known: bool = False
    _over_no: int = 0  # the event that ended the last one: its Confirm, or that it is void
    _acked_no: int = 0
    _asked_s: float | None = None  # since when a gateway asks and is not answered with a welcome
    _heard_s: float | None = None  # when the gateway last said something in a session
    _session: bytes = b""
    _gateway: str = ""
    _shoe: Parser = field(default_factory=Parser)
    _other: Parser = field(default_factory=Parser)

    def __post_init__(self) -> None:
        """Go on with the cards that lie on the table."""
        self._log = ShoeLog(self.rulebook, self.table.hands)

    def shoe_said(self, data: bytes) -> None:
        """Bytes from the shoe."""
        for frame in self._shoe.feed(data):
            if frame.type == "hello":
                self.profile_known = self.profile_known or any(frame.body["profile_hash"])
            elif frame.type == "event" and frame.body["event_no"] > self.table.shown_no:
                self.table.shown_no = frame.body["event_no"]
                self._event(frame)

    def gateway_said(self, data: bytes, now_s: float) -> None:
        """Bytes from the gateway."""
        for frame in self._other.feed(data):
            if frame.type == "who":
                self._gateway = frame.body["gateway"].hex()
                self._asked_s = now_s if self._asked_s is None else self._asked_s
            elif frame.type == "welcome":
                self._welcome(frame.body)
            elif frame.type == "ack":
                self._acked_no = max(self._acked_no, frame.body["event_no"])
            if frame.type != "who":
                self._asked_s, self._heard_s = None, now_s

    def _welcome(self, body: dict[str, Any]) -> None:
        self._acked_no = max(self._acked_no, body["durable_event_no"])
        if body["shoe_nonce"] != self._session:
            self._session = body["shoe_nonce"]
            self.notes.append(f"gateway {self._gateway} takes the log from event {body['durable_event_no'] + 1} on")

    def tick(self, now_s: float) -> None:
        """Say that a gateway has gone, or that it asks and does not take this shoe."""
        if self._heard_s is not None and now_s - self._heard_s >= _GONE_AFTER_S:
            self._heard_s, self._session = None, b""
            self.notes.append(f"no gateway on {self.port}: the shoe deals on, and keeps its log until one comes")
        if self._asked_s is not None and now_s - self._asked_s >= _GONE_AFTER_S:
            self._asked_s = float("inf")
            self.notes.append(
                f"gateway {self._gateway} asks, and does not take this shoe: `sabot gateway status` there says why"
            )

    def enough(self, coups: int | None) -> bool:
        """So many coups were shown, and the last of them is confirmed or void."""
        return coups is not None and self.count >= coups and self._over_no > 0

    def done(self, coups: int | None) -> bool:
        """And the gateway has acknowledged that."""
        return self.enough(coups) and self._acked_no >= self._over_no

    def _event(self, frame: Frame) -> None:
        event = self._told(frame)
        self.table.hands = self._log.hands
        if event["type"] == "coup":
            self.count += 1
            self._over_no = event["event_no"] if event["winner"] is None else 0
            self.coups.append(self.painter.line(self._coup(event), None))
        elif event["type"] == "profile_set":
            self.profile_known = True
        elif event.get("button") == "confirm" or (event["type"], event.get("command")) == ("command_done", "confirm"):
            self._over_no = event["event_no"]
        self.notes += _words(self.name, event, dealing=self._log.begun())

    def _told(self, frame: Frame) -> dict[str, Any]:
        """The event in plain names; of one that refers to what was not seen here, its kind alone."""
        event_no, kind = frame.body["event_no"], frame.body["kind"]
        try:
            return self._log.tell(event_no, frame.raw[_KIND_AT], frame.raw[_DATA_AT:].hex())
        except (ConstructError, LookupError, ValueError):
            return {"event_no": event_no, "type": "", "kind": kind}

    def _coup(self, event: dict[str, Any]) -> CoupMessage:
        """As the gateway publishes it, as far as the line shows."""
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


def _words(name: str, event: dict[str, Any], *, dealing: bool) -> Iterator[str]:
    """What people at the table would notice; `dealing` where a coup is begun and not complete."""
    match event["type"]:
        case "shoe_opened":
            yield f"shoe {event['shoe']} is open: {event['decks']} decks"
        case "shoe_closed":
            yield f"shoe {event['shoe']} is over"
        case "reject":
            yield f"the shoe rejects what it saw: {event['reason']}"
        case "irregularity":
            rule = f" ({event['rule']})" if event["rule"] else ""
            yield f"irregularity {event['case']}: {event['say']}{rule}"
        case "fault":
            yield next_step(name, event["fault"], dealing=dealing) or f"fault {event['fault']}"
        case "fault_cleared":
            yield f"fault {event['fault']} is over"
