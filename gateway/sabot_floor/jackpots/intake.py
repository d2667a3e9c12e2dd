"""Intake: a message of MQTT becomes an entry for a jackpot, a fact about a table, or is rejected with a sentence."""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import inspect
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.jackpots import signing
from sabot_protocol.jackpots.messages import IncrementMessage, RecordedMessage
from sabot_protocol.place import without_place
from sabot_protocol.topics import RETAINED, ROOT, BeatMessage, ConfirmedMessage, CoupMessage, StatusMessage

from sabot_floor.inbox import MOST_PAYLOAD_BYTES, Arrived
from sabot_floor.jackpots.engine.entries import Increment, Receipt, Recorded
from sabot_floor.jackpots.engine.results import Reason

_MOST_TEXT = 160  # characters of an id or a name
_MOST_NUMBER = 10**15
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FORGED = (
    "give the gateway the same jackpot_key as the floor service. If it has the same key, another client forges "
    "contributions: check the broker's users and permissions"
)
_OTHERS = frozenset(RETAINED)  # topics of a table that concern no jackpot, for the projection
_KINDS: dict[type[msgspec.Struct], str] = {
    IncrementMessage: "an increment",
    RecordedMessage: "the record of a win",
    ConfirmedMessage: "a confirmed coup",
    CoupMessage: "a coup",
}
_Read = TypeVar("_Read", bound=msgspec.Struct)


class ForJackpot(NamedTuple):
    """An entry for the log of a jackpot."""

    arrived: Arrived
    jackpot: str
    entry: Increment | Recorded


class Coup(NamedTuple):
    """A coup that a table has dealt, or confirmed."""

    arrived: Arrived
    message: CoupMessage | ConfirmedMessage


class TableStatus(NamedTuple):
    """The state of a table's shoe."""

    arrived: Arrived
    table: str
    fault: str  # that locks its exit, empty if none
    online: bool


class Beat(NamedTuple):
    """A sign of life of a gateway."""

    arrived: Arrived
    message: BeatMessage
    name: str  # of the gateway whose topic it is


class GatewayStatus(NamedTuple):
    """A gateway that is online and sends beats."""

    arrived: Arrived
    gateway: str
    name: str  # of the gateway whose topic it is


class Ignored(NamedTuple):
    """Nothing that concerns a jackpot."""

    arrived: Arrived


class Rejected(NamedTuple):
    """A message that is not taken; `jackpot` and `table` are those of its topic, empty where it has none."""

    arrived: Arrived
    jackpot: str
    table: str
    reason: Reason
    say: str


Parsed = ForJackpot | Coup | TableStatus | GatewayStatus | Beat | Ignored | Rejected


class Intake:
    """Reads the topics of one site; `key` is the secret that the gateways sign with, empty without one."""

    def __init__(self, site: str, key: bytes) -> None:
        self._root, self._key = f"{ROOT}/{site}/", key

    def filters(self) -> list[str]:
        """Return the topics to subscribe to."""
        topics: tuple[str, ...] = ("+/jackpot/#", "+/confirmed", "+/coup", "+/status")
        topics += tuple(f"{of}{topic}" for topic in ("status", "beat") for of in ("", "gateway/+/"))
        return [f"{self._root}{topic}" for topic in topics]

    def parse(self, arrived: Arrived, time: str) -> Parsed:
        """Return what a message means at this time."""
        parts = _parts(arrived.topic, self._root)
        if not parts:
            return Rejected(arrived, "", "", "malformed", f"topic {plain(arrived.topic)[:100]!r} is not one of ours")
        match parts:
            case [table, "jackpot", jackpot]:
                return self._for_jackpot(arrived, table, jackpot, _read(arrived, IncrementMessage), time)
            case [table, "jackpot", jackpot, "recorded"]:
                return self._for_jackpot(arrived, table, jackpot, _read(arrived, RecordedMessage), time)
            case [table, "confirmed"]:
                return _coup(arrived, table, ConfirmedMessage)
            case [table, "coup"]:
                return _coup(arrived, table, CoupMessage)
            case [table, "status"]:
                return _status(arrived, table)
            case ["beat"] | ["gateway", _, "beat"]:
                return self._beat(arrived, parts[1] if len(parts) > 1 else "")
            case ["status"] | ["gateway", _, "status"]:
                return _gateway(arrived, parts[1] if len(parts) > 1 else "")
            case ["ledger"] | ["gateway", _, "ledger"]:
                return Ignored(arrived)
            case [_, name] if name in _OTHERS:
                return Ignored(arrived)
        return Rejected(arrived, "", "", "malformed", f"topic {arrived.topic} is not one of a jackpot")

    def _for_jackpot(
        self, arrived: Arrived, table: str, jackpot: str, message: IncrementMessage | RecordedMessage | str, time: str
    ) -> Parsed:
        """Return the entry of a message, or why it is rejected; a text is what is wrong with it already."""
        problem = message if isinstance(message, str) else self._problem(message, table, jackpot)
        if isinstance(message, str) or problem:
            return _rejected(arrived, jackpot, table, problem)
        if isinstance(message, IncrementMessage):
            return ForJackpot(arrived, jackpot, Increment(time, message))
        place = without_place(arrived.payload)[0]
        return ForJackpot(arrived, jackpot, Recorded(time, message, Receipt(place.entry if place else 0)))

    def _problem(
        self, message: IncrementMessage | RecordedMessage, table: str, jackpot: str
    ) -> str | tuple[Reason, str] | None:
        """Return what is wrong with a message that could be read; None if nothing is."""
        if message.table != table:
            return "table", f"its payload names table {plain(message.table)[:64]!r}"
        if message.jackpot != jackpot:
            return f"its payload names jackpot {plain(message.jackpot)[:64]!r}"
        if self._key and not signing.is_signed(message, self._key):
            return "forged", f"{'its signature is wrong' if message.signature else 'it is not signed'}; {_FORGED}"
        return None

    def _beat(self, arrived: Arrived, name: str) -> Parsed:
        """Take a beat of this moment, signed with our key; one that the broker has kept is of no use."""
        try:
            message = msgspec.json.decode(arrived.payload[:MOST_PAYLOAD_BYTES], type=BeatMessage)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return Ignored(arrived)
        if len(message.gateway) > _MOST_TEXT or message.entry > _MOST_NUMBER or arrived.message_id:
            return Ignored(arrived)
        if not self._key or signing.is_signed(message, self._key):
            return Beat(arrived, message, name)
        if not message.signature:  # of a gateway without jackpots, or of an earlier release
            return Ignored(arrived)
        say = f"{arrived.topic}: its signature is wrong; {_FORGED}. It orders no win"
        return Rejected(arrived, "", "", "forged", say)


@lru_cache(maxsize=4096)  # topics come again and again
def _parts(topic: str, root: str) -> tuple[str, ...]:
    """Return the names in a topic below `root`; none if it is not there, or a name has other characters."""
    parts = topic.removeprefix(root).split("/")
    return tuple(parts) if topic.startswith(root) and all(map(_NAME.fullmatch, parts)) else ()


def _rejected(arrived: Arrived, jackpot: str, table: str, problem: str | tuple[Reason, str] | None) -> Rejected:
    reason: Reason = "malformed"
    say = problem
    if isinstance(problem, tuple):
        reason, say = problem
    return Rejected(arrived, jackpot, table, reason, f"{arrived.topic}: {say}. It was not counted")


def _read(arrived: Arrived, kind: type[_Read]) -> _Read | str:
    """Return the message, or what is wrong with it."""
    if len(arrived.payload) > MOST_PAYLOAD_BYTES:
        return f"more than {MOST_PAYLOAD_BYTES} bytes"
    try:
        message = _decoder(kind).decode(without_place(arrived.payload)[1])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return f"not {_KINDS[kind]}: {plain(str(error))[:200]}"
    return _bounds_problem(message, kind) or message


_decoder = cache(msgspec.json.Decoder)


@cache
def _fields(kind: type[msgspec.Struct], of: type) -> tuple[Callable[[Any], tuple[Any, ...]], tuple[str, ...]]:
    """Return what reads the fields of one type, and their names; there are at least two. Not the place in a ledger."""
    stored = (field for field in msgspec.structs.fields(kind) if field.default is not msgspec.UNSET)
    names = tuple(field.name for field in stored if isinstance(_plain_type(field.type), of))
    return attrgetter(*names), names


def _plain_type(annotation: Any) -> inspect.Type:
    """Return the type without its description."""
    found = inspect.type_info(annotation)
    return found.type if isinstance(found, inspect.Metadata) else found


def _bounds_problem(message: msgspec.Struct, kind: type[msgspec.Struct]) -> str:
    """Return which value no store or meter could hold, empty if none."""
    texts_of, names = _fields(kind, inspect.StrType)
    texts = texts_of(message)
    if max(map(len, texts)) > _MOST_TEXT or not "".join(texts).isprintable():
        wrong = (len(text) > _MOST_TEXT or not text.isprintable() for text in texts)
        name = names[list(wrong).index(True)]
        return f"{name} is longer than {_MOST_TEXT} characters, or has some that cannot be printed"
    numbers_of, names = _fields(kind, inspect.IntType)
    numbers = numbers_of(message)
    if max(numbers) > _MOST_NUMBER or min(numbers) < -_MOST_NUMBER:
        return f"{names[[abs(number) > _MOST_NUMBER for number in numbers].index(True)]} is beyond {_MOST_NUMBER}"
    return "" if getattr(message, "id", "x") else "id is empty"


def _coup(arrived: Arrived, table: str, kind: type[CoupMessage] | type[ConfirmedMessage]) -> Parsed:
    message = _read(arrived, kind)
    if isinstance(message, str):
        return _rejected(arrived, "", table, message)
    if message.table != table:
        return _rejected(arrived, "", table, ("table", f"its payload names table {plain(message.table)[:64]!r}"))
    return Coup(arrived, message)


def _gateway(arrived: Arrived, name: str) -> Parsed:
    try:
        ledger = msgspec.json.decode(arrived.payload, type=StatusMessage).ledger or ""
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        ledger = ""
    return GatewayStatus(arrived, ledger, name) if 0 < len(ledger) <= _MOST_TEXT else Ignored(arrived)


def _status(arrived: Arrived, table: str) -> Parsed:
    if not arrived.payload:  # the topic was cleared
        return Ignored(arrived)
    try:
        message = msgspec.json.decode(arrived.payload, type=StatusMessage)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return _rejected(arrived, "", table, f"not a table's status: {plain(str(error))[:200]}")
    return TableStatus(arrived, table, plain(message.fault or "")[:_MOST_TEXT], message.state == "online")
