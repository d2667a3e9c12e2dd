"""A ledger as tests of the projection need it: one of each published message, and some that give no row."""

from typing import Any, NamedTuple

import msgspec
from sabot_protocol.place import Place, with_place
from sabot_protocol.topics import JACKPOT

GATEWAY = "0123456789abcdef"
UNIT = "5ab0000000000001"


class Published(NamedTuple):
    """A published entry: its number, the one before it, and what it holds."""

    entry: int
    after: int
    topic: str
    payload: bytes
    table: str = "bac-01"

    @property
    def hash(self) -> str:
        """Its hash as far as it is published: the number of the entry again and again."""
        return f"{self.entry:04}" * 16 if self.topic in ("coup", "confirmed") else ""

    def sent(self, gateway: str = GATEWAY) -> bytes:
        """The payload as the gateway publishes it."""
        own = "" if self.topic.startswith(JACKPOT) else gateway
        placed = with_place(self.payload, Place(own, self.entry, self.after, self.hash))
        return b"[%b]" % placed if self.topic == "cards" else placed


def message(number: int, minute: int, **more: Any) -> dict[str, Any]:
    """What every message carries; coup 7 of shoe 3."""
    common = {"id": f"{UNIT}-{number}", "unit": UNIT, "event_no": number, "table": "bac-01", "shoe": 3, "coup": 7}
    time = f"2026-05-01T10:{minute:02}:00.000Z"
    return {**common, "time": time, "rulebook": "00112233445566ff", **more}


COUP = {
    "kind": "live",
    "status": "verified",
    "winner": "player",
    "player": ["8H", "TD"],
    "banker": ["4C", "2S", "KS"],
    "player_points": 8,
    "banker_points": 6,
    "player_pair": False,
    "banker_pair": False,
    "natural": True,
    "last_coup": False,
    "shoe_time_ms": 99,
}
ALARM = {
    "name": "card_missing",
    "say": "Card 4 was not read.",
    "clause": "11.8.12",
    "shoe_says": "",
    "cards_say": "",
    "alarm": "a-1",
    "severity": "critical",
}
CARD = {"slot": "player_1", "card": "8H", "speed_mm_s": 900, "margin": 0.5, "shoe_time_ms": 12}
INCREMENT = {
    "gateway": GATEWAY,
    "jackpot": "grand",
    "parameters": "0f",
    "currency": "AUD",
    "amount": 25,
    "coup_id": "c",
    "kind": "live",
}
ATTEMPT = {
    "id": f"{GATEWAY}-1",
    "time": "2026-05-01T10:08:00.000Z",
    "table": "bac-01",
    "verb": "void",
    "by": "A. Smith",
    "user": "pit",
    "clause": "12.13",
    "args": {"reason": "misdeal", "coup": 7},
}
OUTCOME = {
    "id": f"{GATEWAY}-2",
    "time": "2026-05-01T10:08:01.000Z",
    "table": "bac-01",
    "attempt": f"{GATEWAY}-1",
    "ok": True,
    "say": "Done.",
}
INCIDENT = {
    "incident": "a-1",
    "kind": "misdeal",
    "say": "A misdeal.",
    "clause": "11.8",
    "opened": "2026-05-01T10:05:00.000Z",
}
HEALTH = {
    "sensor": "b",
    "reads": 312,
    "rejects": 2,
    "spikes": 5,
    "margin_mean": 0.58,
    "margin_worst": 0.29,
    "speed_mean_mm_s": 820,
    "speed_least_mm_s": 410,
    "speed_most_mm_s": 1900,
}
STEP = {"name": "decide", "say": "Decide.", "role": "supervisor"}

_ENTRIES: list[tuple[int, str, dict[str, Any]]] = [
    (1, "shoe", message(1, 0, state="open", decks=8, card_set=1, burn="one")),
    (3, "cards", message(2, 1, **{**CARD, "slot": "burn"})),
    (4, "cards", message(3, 2, **CARD)),
    (5, "cards", message(4, 2, **CARD, notes=["keyed", "face_up"])),
    (6, "coup", message(5, 3, **COUP)),
    (7, "alarm", message(5, 3, **ALARM, state="raised")),
    (8, "incident", message(5, 5, **INCIDENT, state="open", steps=[STEP])),
    (10, "attempt", ATTEMPT),
    (12, "alarm", message(6, 8, **ALARM, state="cleared", by="A. Smith")),
    (13, "incident", message(6, 8, **INCIDENT, state="closed", steps=[{**STEP, "done": "2026-05-01T10:08:01Z"}])),
    (14, "outcome", OUTCOME),
    (15, "coup", message(6, 8, **{**COUP, "kind": "void", "winner": None}, corrects=f"{UNIT}-5", by="A. Smith")),
    (16, "confirmed", message(7, 9, **{**COUP, "status": "confirmed"}, coup_id=f"{UNIT}-5")),
    (17, "jackpot/grand", message(7, 29, **INCREMENT, count=1, total=25)),
    (18, "jackpot/grand", message(8, 29, **INCREMENT, count=2, total=50)),
    (19, "jackpot/grand", message(9, 30, **INCREMENT, count=3, total=75)),
    (20, "jackpot/grand/recorded", {"gateway": GATEWAY, "anything": 1}),
    (21, "coup", {"not": "a coup"}),
    (22, "shoe", message(10, 40, state="closed", decks=8, card_set=1, burn="one")),
    (23, "health", message(11, 40, **HEALTH)),
]


def entries() -> list[Published]:
    """Every published entry of the ledger; 2, 9 and 11 are not published."""
    after = [0, *(entry for entry, _, _ in _ENTRIES)]
    return [
        Published(entry, before, topic, msgspec.json.encode(fields))
        for before, (entry, topic, fields) in zip(after, _ENTRIES, strict=False)
    ]


LAST = 23
UNREADABLE = 21
