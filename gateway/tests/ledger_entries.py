"""Entries as the daemon makes them, for tests of the ledger."""

from pathlib import Path
from typing import Any

import msgspec
from sabot_gateway.ledger import Entry, Ledger

UNIT = "5ab0000000000001"
BOOK = "0123456789abcdef"


def at(minute: int) -> str:
    """A moment of the first of May."""
    return f"2026-05-01T{minute // 60:02}:{minute % 60:02}:00.000Z"


def message(number: int, minute: int, shoe: int, coup: int, **more: Any) -> dict[str, Any]:
    """What every message carries."""
    common = {"id": f"{UNIT}-{number}", "unit": UNIT, "event_no": number, "table": "bac-01"}
    return {**common, "shoe": shoe, "coup": coup, "time": at(minute), "rulebook": BOOK, **more}


def entry(number: int | None, topic: str, fields: dict[str, Any]) -> Entry:
    """The entry of a message."""
    payload, frame = msgspec.json.encode(fields), bytes(8) if number else b""
    return Entry(UNIT, number, fields["table"], topic, payload, frame, fields["time"], BOOK)


def shoe(number: int, minute: int, shoe_no: int, state: str, **more: Any) -> Entry:
    """A shoe is opened or closed."""
    return entry(
        number, "shoe", message(number, minute, shoe_no, 0, state=state, decks=8, card_set=1, burn="one", **more)
    )


def card(number: int, minute: int, shoe_no: int, coup_no: int, **more: Any) -> Entry:
    """A card."""
    return entry(number, "cards", message(number, minute, shoe_no, coup_no, slot="player_1", card="8H", **more))


def coup(number: int, minute: int, shoe_no: int, coup_no: int, **more: Any) -> Entry:
    """A coup that the Banker wins with 7 over 6."""
    fields = {
        "kind": "live", "status": "verified", "winner": "banker", "player": ["4H", "2S"], "banker": ["3C", "4D"],
        "player_points": 6, "banker_points": 7, "player_pair": False, "banker_pair": False, "natural": False,
        "last_coup": False, "shoe_time_ms": 5, **more,
    }  # fmt: skip
    return entry(number, "coup", message(number, minute, shoe_no, coup_no, **fields))


def confirmed(number: int, minute: int, coup_id: str, **more: Any) -> Entry:
    """Somebody confirms a coup, as far as the ledger's tables need it."""
    return entry(number, "confirmed", message(number, minute, 1, 1, coup_id=coup_id, status="confirmed", **more))


def alarm(number: int, minute: int, name: str, state: str, alarm_id: str, **more: Any) -> Entry:
    """One word about an alarm."""
    fields = {"name": name, "say": f"{name} is {state}.", "clause": "12.2", "shoe_says": "", "cards_say": ""}
    fields |= {"alarm": alarm_id, "severity": "warning", "state": state, **more}
    return entry(None, "alarm", message(number, minute, 1, 1, **{**fields, "id": f"{UNIT}-{number}-{name}"}))


def play(first: int, shoe_no: int, coups: int, minute: int = 0, *, closed: bool = True) -> list[Entry]:
    """A whole shoe: opened, six events a coup, closed; a coup takes a minute."""
    made = [shoe(first, minute, shoe_no, "open")]
    for coup_no in range(1, coups + 1):
        number = first + 1 + (coup_no - 1) * 6
        made += [card(number + position, minute + coup_no, shoe_no, coup_no) for position in range(5)]
        made.append(coup(number + 5, minute + coup_no, shoe_no, coup_no))
    return [*made, shoe(first + 1 + coups * 6, minute + coups + 1, shoe_no, "closed")] if closed else made


def closed_ledger(path: Path, coups: int = 40) -> Path:
    """A ledger of one shoe, closed."""
    ledger = Ledger(path)
    ledger.gateway_id()
    ledger.append(play(1, 1, coups))
    ledger.move_cursor("mqtt", 5)
    ledger.close()
    return path
