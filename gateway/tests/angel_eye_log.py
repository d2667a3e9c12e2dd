"""The line of an Angel Eye written by hand in a few letters, and a verifier that takes each message.

Words: `P1=8H` a card, `R1=8H` a resent first card, `G=player` a result, `G=tie+pp+bp` with pairs, `S`, `P`, `C`,
`E2!` a standing error, `E2` one that does not stand, `e2`, `L1`, `L0`, `d0=8H` a card in lock mode,
`d1=8H` after an overdraw, `F=8H` first burn card, `N=8` burn count, `B=8H` burn card, `+` the port is opened.
"""

from collections.abc import Iterator
from itertools import count
from typing import Any

from sabot_gateway.angel_eye.events import connect, event_of
from sabot_gateway.angel_eye.verifier import AngelEyeVerifier, Settings
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Record
from sabot_gateway.verify.deciders import Decider
from sabot_protocol import rulebooks
from sabot_protocol.angel_eye import build
from sabot_protocol.angel_eye.messages import Message, fact, stored
from sabot_protocol.topics import AlarmMessage, CardMessage, ConfirmedMessage, CoupMessage, ShoeMessage

UNIT = "ae-0123456789abc"
TIME = "2026-11-17T21:00:00.000Z"
NINE = "P1=9S B1=2H P2=TD B2=3C"  # the Player wins with a natural nine against five
SIX_CARDS = "P1=2S B1=3H P2=3D B2=2C P3=4S B3=2D"  # 9 against 7: the Player wins
_PLACES = {"P": "player", "B": "banker"}


def message_of(word: str, seq: str) -> Message:
    """Return the message of one word."""
    return connect() if word == "+" else stored(_frame(word, seq))


def _frame(word: str, seq: str) -> bytes:
    head, _, value = word.partition("=")
    card = value or None
    match head[0], head[1:]:
        case ("P" | "B") as side, index if index:
            return build.card(seq, _PLACES[side], int(index), card)
        case ("S" | "P" | "C") as letter, "":
            return build.frame(seq, letter)
        case "R", index:
            return build.card(seq, "player", int(index), card, letter="R")
        case "F", _:
            return build.card(seq, "burn_first", 0, card)
        case "N", _:
            return build.card(seq, "burn_count", int(value), None)
        case "B", _:
            return build.card(seq, "burn", 1, card)
        case "G", _:
            winner, *pairs = value.split("+")
            code = int(winner) if winner.isdigit() else winner
            return build.result(seq, code, player_pair="pp" in pairs, banker_pair="bp" in pairs)
        case "E", code:
            return build.error(seq, int(code.rstrip("!")), in_error_mode=code.endswith("!"))
        case "e", code:
            return build.error_cancelled(seq, int(code))
        case "L", on:
            return build.lock(seq, locked=on == "1")
        case "d", mode:
            mode, _, low = mode.partition("/")
            return build.card_outside(seq, int(mode), int(low or 2), card)
        case _:
            raise ValueError(word)


def sequence() -> Iterator[str]:
    """Yield the sequence characters 1 to 9, again and again."""
    return (str(number % 9 + 1) for number in count())


class AngelEyeLog:
    """Each word is one event; `records` holds what the verifier made of all of them."""

    def __init__(self, book: str = "star-baccarat", words: str = "+ S", unit: str = UNIT, **settings: Any) -> None:
        self.book = rulebooks.load(book)
        self.persons: dict[int, Decider] = {}
        profile = self.book.profile(8, 1, {})
        self.verifier = AngelEyeVerifier("bac-01", self.book, profile, self._who, settings=Settings(**settings))
        self.unit, self.no, self._seq = unit, 0, sequence()
        self.events: list[Event] = []
        self.records: list[Record] = []
        self(words)

    def _who(self, unit: str, command_id: int, kind: str) -> Decider | None:
        return self.persons.get(command_id)

    def __call__(self, words: str) -> list[Record]:
        """Take these messages; return the records of the last."""
        records: list[Record] = []
        for word in words.split():
            records = self._take(message_of(word, next(self._seq)))
        return records

    def command(self, command: str, by: str = "Ann", outcome: str = "done", **data: Any) -> list[Record]:
        """Take the outcome of a person's command."""
        number = self.no + 1
        self.persons[number] = Decider(by, clause="1.2", time=TIME)
        return self._take(fact("command", id=number, command=command, data=data, outcome=outcome))

    def _take(self, message: Message) -> list[Record]:
        self.no += 1
        event = event_of(self.unit, self.no, message)
        self.events.append(event)
        records = self.verifier.take(event, TIME)
        self.records += records
        return records

    def of(self, kind: type[Any]) -> list[Any]:
        """Return the messages of this type."""
        return [record.message for record in self.records if type(record.message) is kind]

    def coups(self) -> list[CoupMessage]:
        return self.of(CoupMessage)

    def coup(self) -> CoupMessage:
        return self.coups()[-1]

    def confirmed(self) -> list[ConfirmedMessage]:
        return self.of(ConfirmedMessage)

    def cards(self) -> list[CardMessage]:
        return self.of(CardMessage)

    def shoes(self) -> list[tuple[int, str]]:
        return [(one.shoe, one.state) for one in self.of(ShoeMessage)]

    def alarms(self, *names: str) -> list[AlarmMessage]:
        """Return the alarms raised, all or those of these names."""
        return [one for one in self.of(AlarmMessage) if one.state == "raised" and (not names or one.name in names)]

    def alarm(self, name: str) -> AlarmMessage:
        (alarm,) = self.alarms(name)
        return alarm

    def ids(self) -> list[str]:
        """Return the ids of all messages, in order."""
        return [record.message.id for record in self.records if record.message]

    def phase(self) -> str:
        return self.verifier.state.phase

    def burning(self) -> bool:
        return self.verifier.state.burning

    def active(self) -> list[str]:
        return [alarm.name for alarm in self.verifier.active()]
