"""A table's session with an Angel Eye and a real ledger: events by words, restarts at any entry, random lines."""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from angel_eye_log import TIME, UNIT, message_of, sequence
from msgspec.structs import replace
from sabot_gateway import rules
from sabot_gateway.angel_eye.events import event_of
from sabot_gateway.angel_eye.verifier import AngelEyeVerifier, Settings
from sabot_gateway.config import Table
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.ledger import Entry, Ledger
from sabot_gateway.screens.hand import hand_message
from sabot_gateway.screens.history import history_message
from sabot_gateway.shoe.driver import Driver
from sabot_gateway.shoe.parse import Event
from sabot_gateway.shoe.ports import Line
from sabot_gateway.table_session import TableSession
from sabot_gateway.verify.deciders import Decider
from sabot_protocol import rulebooks
from sabot_protocol.angel_eye.messages import Message, fact
from sabot_protocol.cards import DECK

_MISHAPS = ("+", "S", "C", "P", "E1", "E2!", "e2", "L1", "L0", "d0=4D", "d1=8H", "R1=8H", "R2=3C", "F=6D N=6", "G=tie")
_COMMANDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("void_coup", {"reason": "supervisor", "then": "go_on"}),
    ("no_bet", {"kind": "no_bet"}),
    ("this_no_bet", {}),
    ("open_shoe", {"decks": 8, "burn": "one"}),
    ("confirm", {}),
    ("lock", {}),
)


class _Told:
    """A driver that hands out the events given to it."""

    lost = None
    greeting = None
    unit = UNIT

    def __init__(self) -> None:
        self.events: list[Event] = []

    def receive(self, _data: bytes, _now_s: float) -> list[Event]:
        events, self.events = self.events, []
        return events


def person(unit: str, command_id: int, kind: str) -> Decider | None:
    """Every command is Ann's."""
    return Decider("Ann", "1.2", TIME)


def new_session(book_id: str = "star-baccarat", settings: Settings | None = None) -> TableSession:
    """Return a table that has seen nothing."""
    book = rulebooks.load(book_id)
    verifier = AngelEyeVerifier("bac-01", book, book.profile(8, 1, {}), person, settings=settings)
    return TableSession(
        Table(name="bac-01", port="/dev/null", rulebook=book_id, driver="angel-eye"),
        Line("/dev/null", 4800),
        cast(Driver, _Told()),
        verifier,
        IncidentBook("bac-01", book, person),
    )


def take(session: TableSession, events: Iterable[Event]) -> list[Entry]:
    """Have a session take events; return the entries that the ledger is to store."""
    cast(_Told, session.link).events = list(events)
    session.receive(b"", 0.0, TIME)
    entries, session.pending = session.pending, []
    return entries


def numbered(messages: Sequence[Message], first: int = 1) -> list[Event]:
    """Return messages as events."""
    return [event_of(UNIT, number, message) for number, message in enumerate(messages, first)]


def restarted(ledger: Ledger, book_id: str = "star-baccarat", settings: Settings | None = None) -> TableSession:
    """Return a table as a ledger has it."""
    session = new_session(book_id, settings)
    assert session.catch_up(ledger)
    return session


def shown(session: TableSession) -> tuple[object, ...]:
    """Return what screens and status show of a table."""
    verifier, screens = session.verifier, session.screens
    hand = hand_message("bac-01", verifier, screens, session.fault_fields(), TIME)
    history = history_message("bac-01", verifier, screens, TIME)
    alarms = [alarm.id for alarm in verifier.active()]
    disputed = [coup.id for coup in verifier.disputed()]
    incidents = [incident.id for incident in session.incidents.open()]
    return replace(hand, time=""), history, verifier.unknown(), alarms, disputed, incidents


def open_ledger(directory: Path) -> Ledger:
    """Return an empty ledger."""
    return Ledger(directory / "ledger.db")


def messages_of(words: str) -> list[Message]:
    """Return the messages of these words."""
    seq = sequence()
    return [message_of(word, next(seq)) for word in words.split()]


def random_line(seed: int, coups: int) -> list[Message]:
    """Return a line that begins with a connect: coups, some without a card or with a wrong result, and mishaps."""
    rng, words = random.Random(seed), ["+", "S"]
    for _ in range(coups):
        words += _random_coup(rng)
        while rng.random() < 0.4:
            words.insert(rng.randrange(len(words) - 3, len(words)), rng.choice(_MISHAPS))
        if rng.random() < 0.2:
            words += ["C", "S", *(["F=6D", "N=6"] if rng.random() < 0.5 else [])]
    messages = messages_of(" ".join(words))
    for _ in range(coups // 2):
        at, (command, data) = rng.randrange(1, len(messages)), rng.choice(_COMMANDS)
        outcome = "ack" if command == "lock" else "done"
        messages.insert(at, fact("command", id=rng.randrange(99), command=command, data=data, outcome=outcome))
    return messages


def _random_coup(rng: random.Random) -> list[str]:
    played = rules.play(rng.choices(DECK, k=6))
    cards = {"player": list(played.player), "banker": list(played.banker)}
    words = [f"{slot[0].upper()}{slot[-1]}={cards[slot[:6]].pop(0)}" for slot in played.slots]
    pairs = "+pp" * played.player_pair + "+bp" * played.banker_pair
    words.append(f"G={played.winner}{pairs}")
    fate = rng.random()
    if fate < 0.1:
        del words[rng.randrange(len(words))]
    elif fate < 0.2:
        words[-1] = rng.choice(("G=forced_end", "G=tie+pp", "G=banker"))
    return words
