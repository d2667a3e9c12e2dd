"""The honest tables: independent shoes with dealers, and the check of every coup that arrives."""

import heapq
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from independent.dealer import Dealer, Expected, Key
from independent.journal import Event
from independent.shoe import Identity, Shoe
from independent.tcp import Port, Server

from siege.spec import Honest
from siege.subscriber import FORGED, Arrival, decoded

_SET_TIME, _SELF_TEST = 1, 15  # commands that an honest shoe of the laboratory does; a lock would end the play
_STEP_S = 0.004
_KEPT_WRONG = 20
_KEPT_SLOW = 5
SIEGE = "siege"  # the phase in which every latency counts


@dataclass(frozen=True)
class Plan:
    """An honest table before it has a port."""

    table: str
    unit: str
    rulebook: str
    key: str = ""


@dataclass
class Table:
    """A shoe, its dealer, and the state of its coups."""

    plan: Plan
    seed: int
    protocol_hash: str
    arrived: dict[Key, dict[str, float]] = field(default_factory=dict)  # when each id of a coup came first
    latencies: dict[str, list[float]] = field(default_factory=dict)  # by phase, in ms
    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    bodies: list[bytes] = field(default_factory=list)  # of every event in order, as first sent
    slowest: list[tuple[float, float, float]] = field(default_factory=list)  # how long, sent when, stored after
    phase: str = ""
    _waiting: dict[Key, Expected] = field(default_factory=dict)  # dealt and not arrived
    _latest: Key = (0, 0)

    def __post_init__(self) -> None:
        """Power on."""
        key = bytes.fromhex(self.plan.key) if self.plan.key else None
        identity = Identity(bytes.fromhex(self.plan.unit), bytes.fromhex(self.protocol_hash), key)
        self.shoe = Shoe(identity, random.Random(f"{self.seed} {self.plan.unit}"), first_sent=self._first_sent)
        self.shoe.obeys = frozenset((_SET_TIME, _SELF_TEST))
        self.dealer = Dealer(self.shoe, random.Random(f"{self.seed} cards {self.plan.unit}"), card_ms=30)
        self.port = Port(self.shoe)

    def known(self) -> Honest:
        """As attackers know it."""
        return Honest(self.plan.table, self.plan.unit, self.plan.rulebook, self.port.number, self.plan.key)

    def _first_sent(self, event: Event) -> None:
        self.bodies.append(event.body())
        expected = self.dealer.by_event.pop(event.number, None)
        if expected is not None:
            expected.sent_s, expected.phase = time.monotonic(), self.phase
            self._waiting[expected.fields["shoe"], expected.fields["coup"]] = expected

    def note_acks(self, now_s: float) -> None:
        """Coups that the gateway has stored meanwhile."""
        for expected in self._waiting.values():
            if expected.stored_s is None and expected.event_no <= self.shoe.journal.acked:
                expected.stored_s = now_s

    def late_s(self, now_s: float) -> float:
        """Return how long the oldest coup that has not arrived is in flight."""
        first = next(iter(self._waiting.values()), None)
        return now_s - first.sent_s if first is not None and first.sent_s is not None else 0.0

    def dealt(self) -> int:
        """Coups whose event was sent."""
        return len(self.dealer.coups) - len(self.dealer.by_event)

    def take(self, arrival: Arrival) -> None:
        """Judge a message of topic `coup`."""
        coup = decoded(arrival.payload)
        if not isinstance(coup, dict) or FORGED in str(coup.get("id", FORGED)):
            self.counts["forged"] += 1
            return
        key = (coup.get("shoe"), coup.get("coup"))
        expected = self.dealer.coups.get(key)  # type: ignore[arg-type]  # any value may have come
        if expected is None or coup.get("unit") != self.plan.unit:
            self._wrong(f"coup that was not dealt: {coup}")
        else:
            self._judge((expected.fields["shoe"], expected.fields["coup"]), expected, coup, arrival.at_s)

    def _judge(self, key: Key, expected: Expected, coup: dict[str, Any], at_s: float) -> None:
        ids = self.arrived.setdefault(key, {})
        self.counts["repeated"] += str(coup["id"]) in ids
        if not ids:
            self._first(key, expected, at_s)
        ids.setdefault(str(coup["id"]), at_s)
        if len(ids) > 1:
            self._wrong(f"coup {key} came under {len(ids)} ids: {sorted(ids)}")
        differs = {name: coup.get(name) for name, value in expected.fields.items() if coup.get(name) != value}
        if differs:
            self._wrong(f"coup {key}: {differs}, dealt was {expected.fields}")

    def _first(self, key: Key, expected: Expected, at_s: float) -> None:
        self._waiting.pop(key, None)
        self.counts["out_of_order"] += key < self._latest
        self._latest = max(key, self._latest)
        if expected.sent_s is not None:
            self.latencies.setdefault(expected.phase, []).append((at_s - expected.sent_s) * 1000)
            if expected.phase == SIEGE:
                stored_s = (expected.stored_s or at_s) - expected.sent_s
                slow = (at_s - expected.sent_s, expected.sent_s, stored_s)
                self.slowest = heapq.nlargest(_KEPT_SLOW, [*self.slowest, slow])

    def _wrong(self, what: str) -> None:
        self.counts["wrong"] += 1
        if len(self.wrong) < _KEPT_WRONG:
            self.wrong.append(what)

    def missing(self) -> list[Key]:
        """Coups that were sent and never arrived."""
        return list(self._waiting)


@dataclass
class House:
    """All honest tables, in one loop."""

    tables: list[Table]

    def __post_init__(self) -> None:
        """Open the ports."""
        self.server = Server([table.port for table in self.tables])

    def step(self, arrivals: list[Arrival]) -> None:
        """Deal, send and judge."""
        self.server.step(_STEP_S)
        for table in self.tables:
            table.dealer.step(self.server.now_ms())
            table.note_acks(time.monotonic())
        for arrival in arrivals:
            name, topic = arrival.topic.split("/")[-2:]
            for table in self.tables:
                if topic == "coup" and name == table.plan.table:
                    table.take(arrival)

    def phase(self, name: str) -> None:
        """Count coups that are sent from now on for this phase."""
        for table in self.tables:
            table.phase = name

    def rest(self, resting: bool) -> None:
        """Pause before the next coup, or continue."""
        for table in self.tables:
            table.dealer.resting = resting
