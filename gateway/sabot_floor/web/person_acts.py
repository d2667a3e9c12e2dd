"""Acts of people: the newest requests at any table with their answers, as they come over MQTT; bounded."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace
from sabot_protocol.attempts import Attempt, Outcome

MOST_ACTS = 40
MOST_TEXT = 300  # characters of the arguments
MOST_SAY = 1000  # and of the answer
TOPICS = {"attempt": Attempt, "outcome": Outcome}
Key = tuple[str, str]  # table, and id of the request
_decoders: dict[str, msgspec.json.Decoder[Any]] = {name: msgspec.json.Decoder(kind) for name, kind in TOPICS.items()}
_args = msgspec.json.Encoder(order="sorted")


class PersonAct(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request of a person to a table; `ok` is None until it is answered."""

    id: str
    time: str
    table: str
    verb: str
    by: str
    role: str = ""
    asks: str = ""  # the person who asks, if `by` approves it
    clause: str = ""
    args: str = ""
    origin: str = "local"
    ok: bool | None = None
    say: str = ""


class PersonActs:
    """The newest acts, the oldest first; an answer goes to its request, whichever comes first."""

    def __init__(self) -> None:
        self._acts: dict[Key, PersonAct] = {}
        self._answers: dict[Key, Outcome] = {}  # that came before their request

    def __iter__(self) -> Iterator[PersonAct]:
        return iter(self._acts.values())

    def __reversed__(self) -> Iterator[PersonAct]:
        return reversed(self._acts.values())

    def changed(self, change: Callable[[PersonAct], PersonAct]) -> "PersonActs":
        """Return these acts, each changed."""
        found = PersonActs()
        found._acts = {key: change(act) for key, act in self._acts.items()}
        return found

    def received(self, name: str, payload: bytes, table: str) -> bool:
        """Take a message on `attempt` or `outcome` of a table; return True if something is new. ValueError if none."""
        message = _decoders[name].decode(payload)
        if message.table != table:
            raise ValueError("it names another table")
        return self._asked(message) if isinstance(message, Attempt) else self._answered(message)

    def _asked(self, message: Attempt) -> bool:
        key = message.table, message.id
        if key in self._acts:
            return False
        command = message.command
        act = PersonAct(
            id=message.id,
            time=message.time,
            table=message.table,
            verb=message.verb,
            by=message.by,
            role=command.role if command else message.role,
            asks=command.asks if command else message.asks,
            clause=message.clause,
            args=_args.encode(message.args).decode()[:MOST_TEXT],
            origin=message.origin,
        )
        answer = self._answers.pop(key, None)
        self._acts[key] = _with(act, answer) if answer else act
        if len(self._acts) > MOST_ACTS:
            del self._acts[min(self._acts, key=lambda one: self._acts[one].time)]
        return True

    def _answered(self, message: Outcome) -> bool:
        key = message.table, message.attempt
        act = self._acts.get(key)
        if act is None:
            self._answers[key] = message
            if len(self._answers) > MOST_ACTS:
                del self._answers[next(iter(self._answers))]
            return False
        self._acts[key] = _with(act, message)
        return act.ok is None


def _with(act: PersonAct, answer: Outcome) -> PersonAct:
    return replace(act, ok=answer.ok, say=_whole_sentences(answer.say))


def _whole_sentences(text: str) -> str:
    """Return as many sentences as there is room for: none is cut off, nor a command in it."""
    if len(text) <= MOST_SAY:
        return text
    whole, dot, _ = text[:MOST_SAY].rpartition(". ")
    return f"{whole}{dot}…"
