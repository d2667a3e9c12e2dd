"""Requests: what can be asked at the control socket, one type a verb; what fits none of them is refused in words."""

import json
import re
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, cast, get_args

import msgspec
from msgspec import Meta
from sabot_protocol import fields, irregularities
from sabot_protocol.cards import DECK
from sabot_protocol.topics import Winner

from sabot_gateway.operator.messages import MOST_CAPTURE_BYTES, MOST_CAPTURE_S
from sabot_gateway.operator.plain_text import plain

_MOST_BY, _MOST_CLAUSE = 64, 64
VERDICTS: tuple[str, ...] = ("confirmed", "void")
WINNERS: tuple[str, ...] = get_args(Winner)
_SLOTS = tuple(slot for slot in fields.Slot.encmapping if slot not in ("burn", "unused"))

_TABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")
Id = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_./-]{1,128}\Z")]  # of a message, or shoe and coup as 3/17
Decks = Annotated[int, Meta(ge=1, le=8)]


class RequestError(ValueError):
    """Not a request; the message says what is wrong with it."""


class Act(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What is asked for, with its arguments: one type a verb."""


class Status(Act, frozen=True):
    """What the daemon serves, and what is wrong."""


class AcceptLedger(Act, frozen=True):
    """Accept a ledger that was made shorter, so that the daemon goes on."""

    reason: Annotated[str, Meta(min_length=1, max_length=500)]


class Capture(Act, frozen=True):
    """Stream what the line of a table carries, both ways."""

    seconds: Annotated[float, Meta(gt=0, le=MOST_CAPTURE_S)] = 60.0
    bytes: Annotated[int, Meta(ge=1, le=MOST_CAPTURE_BYTES)] = 1 << 22


class Decide(Act, frozen=True):
    """Decide a disputed coup."""

    coup: Id
    verdict: str
    winner: str | None = None

    def __post_init__(self) -> None:
        """A void coup has no winner."""
        _expect("verdict", self.verdict, VERDICTS)
        if self.winner is not None:
            _expect("winner", self.winner, WINNERS)
            if self.verdict == "void":
                raise ValueError("a void coup has no winner: leave --winner out, or confirm the coup")


class AckAlarm(Act, frozen=True):
    """Acknowledge an alarm by its id, or all of them."""

    alarm: Id = "all"


class Command(Act, frozen=True):
    """What the shoe is to do, by the definition of its command."""

    kind: ClassVar[str] = ""

    def data(self) -> dict[str, Any]:
        """The fields of the command."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found


class OnTheTable(Command, frozen=True):
    """Something about the coup on the table: that one and no other, where it is named as 3/17 or 17."""

    coup: Id | None = None

    def data(self) -> dict[str, Any]:
        """The shoe is not asked about another coup than the one on the table."""
        return {name: value for name, value in super().data().items() if name != "coup"}


class Confirm(OnTheTable, frozen=True):
    """As the dealer's Confirm."""

    kind = "confirm"


class Void(OnTheTable, frozen=True):
    """The coup on the table has no result."""

    kind = "void_coup"
    reason: str = "supervisor"
    then: str = "go_on"

    def __post_init__(self) -> None:
        """By the definition of the command."""
        _expect("reason", self.reason, fields.VoidReason.encmapping)
        _expect("then", self.then, fields.Then.encmapping)


class KeyedFlags(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What somebody saw of a card that is keyed in."""

    face_up: bool = False
    exposed: bool = False


class KeyCard(Command, frozen=True):
    """The card that the shoe could not read."""

    kind = "key_card"
    card: str
    flags: KeyedFlags = KeyedFlags()

    def __post_init__(self) -> None:
        """One of the 52."""
        _card("card", self.card)


class Authorise(Command, frozen=True):
    """A supervisor allows what the book puts under his word."""

    kind = "authorise"
    times: Annotated[int, Meta(ge=1, le=255)] = 1


class NoBet(Command, frozen=True):
    """The next coup is of this kind."""

    kind = "no_bet"
    # `kind` of the command's data has the name of our own class variable.
    coup_kind: str = msgspec.field(name="kind", default="no_bet")

    def __post_init__(self) -> None:
        """By the definition of the command."""
        _expect("kind", self.coup_kind, fields.CoupKind.encmapping)


class ThisNoBet(OnTheTable, frozen=True):
    """The coup in progress goes on without wagers."""

    kind = "this_no_bet"


class OpenShoe(Command, frozen=True):
    """New cards are in."""

    kind = "open_shoe"
    # What is left out is as the table has it.
    decks: Decks | None = None
    burn: str | None = None

    def __post_init__(self) -> None:
        """By the definition of the command."""
        if self.burn is not None:
            _expect("burn", self.burn, fields.Burn.encmapping)


class ClearFault(Command, frozen=True):
    """The fault has been seen to."""

    kind = "clear_fault"
    fault: str

    def __post_init__(self) -> None:
        """A fault that there is."""
        _expect("fault", self.fault, [name for name in fields.Fault.encmapping if name != "none"])


class Irregularity(Command, frozen=True):
    """An irregularity is reported, with the facts that decide it."""

    kind = "irregularity"
    case: str
    facts: dict[str, bool] = {}

    def __post_init__(self) -> None:
        """A fact that decides another case would be ignored."""
        _expect("case", self.case, irregularities.CASES)
        for fact in self.facts:
            if fact not in irregularities.CASES[self.case]:
                facts = ", ".join(irregularities.CASES[self.case]) or "no facts"
                raise ValueError(f"unknown fact {fact!r}: {self.case} is decided by {facts}")


class ImportCoup(Command, frozen=True):
    """A coup that another shoe began goes on here."""

    kind = "import_coup"
    coup_no: Annotated[int, Meta(ge=1, le=0xFFFF)]
    cards: dict[str, str]
    # What is left out is as the coup had it where it was exported.
    coup_kind: str | None = msgspec.field(name="kind", default=None)
    decks: Decks | None = None
    cards_out: Annotated[int, Meta(ge=1, le=0xFFFF)] | None = None
    coups_left: Annotated[int, Meta(ge=0, le=2)] | None = None
    awaiting: Annotated[int, Meta(ge=0, le=1)] | None = None

    def __post_init__(self) -> None:
        """Cards of the pack, in the slots of a coup."""
        if self.coup_kind is not None:
            _expect("kind", self.coup_kind, fields.CoupKind.encmapping)
        for slot, card in self.cards.items():
            _expect("slot", slot, _SLOTS)
            if card != fields.NO_CARD:
                _card(slot, card)

    def data(self) -> dict[str, Any]:
        """Every slot has a card, or none; nothing that was left out."""
        said = {name: value for name, value in super().data().items() if value is not None}
        return {**said, "cards": {**dict.fromkeys(_SLOTS, fields.NO_CARD), **self.cards}}


class DeckCheck(Command, frozen=True):
    """Every card is fed through once: 1 begins, 0 ends; of as many decks as the table has, unless it is said."""

    kind = "deck_check"
    on: Annotated[int, Meta(ge=0, le=1)]
    decks: Decks | None = None


def _plain_command(verb: str) -> type[Command]:
    """A command without arguments."""
    named = {"kind": verb.replace("-", "_")}
    made = msgspec.defstruct(verb, [], bases=(Command,), namespace=named, frozen=True, forbid_unknown_fields=True)
    return cast(type[Command], made)


BARE = ("lock", "unlock", "close-shoe", "burn-card", "card-returned", "self-test", "reboot", "export-coup")
VERBS: dict[str, type[Act]] = {
    "status": Status,
    "accept-ledger": AcceptLedger,
    "capture": Capture,
    "decide": Decide,
    "ack-alarm": AckAlarm,
    "confirm": Confirm,
    "void": Void,
    "key-card": KeyCard,
    "authorise": Authorise,
    "no-bet": NoBet,
    "this-no-bet": ThisNoBet,
    "open-shoe": OpenShoe,
    "clear-fault": ClearFault,
    "irregularity": Irregularity,
    "import-coup": ImportCoup,
    "deck-check": DeckCheck,
    **{verb: _plain_command(verb) for verb in BARE},
}


class TableRequest(msgspec.Struct, frozen=True):
    """A request to a table, checked and cleaned."""

    verb: str
    table: str
    by: str
    clause: str
    act: Act


class GatewayRequest(msgspec.Struct, frozen=True):
    """A request to the gateway itself, checked and cleaned."""

    by: str
    act: AcceptLedger


class CaptureRequest(msgspec.Struct, frozen=True):
    """A request about the line of a table, checked; it changes nothing."""

    table: str
    act: Capture


ParsedRequest = Status | GatewayRequest | CaptureRequest | TableRequest


class _Envelope(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Everything but the arguments."""

    verb: str
    table: str = ""
    by: str = ""
    clause: str = ""
    args: msgspec.Raw = msgspec.Raw(b"{}")


def parse(line: bytes) -> ParsedRequest:
    """One line of the socket; RequestError in words where it is no request, whatever the bytes are."""
    try:
        asked = _envelope(line)
        act = _act(asked.verb, asked.args)
    except RecursionError:
        raise RequestError("not a request: it is nested too deeply") from None
    if isinstance(act, Status):
        return _bare(asked, act)
    if isinstance(act, Capture):
        return _about_a_line(asked, act)
    return _to_the_site(asked, act) if isinstance(act, AcceptLedger) else _to_a_table(asked, act)


def _envelope(line: bytes) -> _Envelope:
    try:
        asked = msgspec.json.decode(line, type=_Envelope)
        _refuse_twice(line)
        return asked
    except (msgspec.MsgspecError, ValueError) as error:
        raise RequestError(f"not a request: {error}") from error


def _refuse_twice(line: bytes) -> None:
    """A key that is there twice: one of the two would be ignored."""
    json.loads(line.decode(), object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _act(verb: str, args: msgspec.Raw) -> Act:
    if verb not in VERBS:
        raise RequestError(f"unknown verb {plain(verb)[:40]!r}; `sabot table --help` lists them")
    try:
        _refuse_surplus(verb, msgspec.json.decode(args, type=dict[str, Any]))
        return msgspec.json.decode(args, type=VERBS[verb])
    except msgspec.MsgspecError as error:
        raise RequestError(f"{verb}: {error}") from error


def _refuse_surplus(verb: str, given: dict[str, Any]) -> None:
    """No argument is ignored."""
    takes = [field.encode_name for field in msgspec.structs.fields(VERBS[verb])]
    for name in given:
        if name not in takes:
            raise RequestError(f"{verb} takes no {plain(name)[:40]!r}; it takes {', '.join(takes) or 'no arguments'}")


def _bare(asked: _Envelope, act: Status) -> Status:
    if asked.table or asked.by or asked.clause:
        raise RequestError(f"{asked.verb} takes no table, no name and no clause")
    return act


def _to_the_site(asked: _Envelope, act: AcceptLedger) -> GatewayRequest:
    if asked.table or asked.clause:
        raise RequestError(f"{asked.verb} takes no table and no clause")
    reason = plain(act.reason)
    if not reason:
        raise RequestError("say why entries are missing: --reason TEXT")
    return GatewayRequest(_person(asked.by), AcceptLedger(reason))


def _about_a_line(asked: _Envelope, act: Capture) -> CaptureRequest:
    if asked.by or asked.clause:
        raise RequestError(f"{asked.verb} takes no name and no clause")
    return CaptureRequest(_table(asked.table), act)


def _table(name: str) -> str:
    if not _TABLE.fullmatch(name):
        raise RequestError(f"{plain(name)[:64]!r} is no name of a table; `sabot gateway status` lists them")
    return name


def _person(name: str) -> str:
    by = plain(name)
    if not any(char.isalnum() for char in by) or len(by) > _MOST_BY:
        raise RequestError(f"say who you are: --by NAME, at most {_MOST_BY} letters")
    return by


def _to_a_table(asked: _Envelope, act: Act) -> TableRequest:
    by, clause = _person(asked.by), plain(asked.clause)
    if len(clause) > _MOST_CLAUSE:
        raise RequestError(f"a clause has at most {_MOST_CLAUSE} letters")
    return TableRequest(asked.verb, _table(asked.table), by, clause, act)


def _card(name: str, card: str) -> None:
    if card not in DECK:
        raise ValueError(f"{name} {plain(card)[:8]!r} is no card: expected value and suit, such as 8H, TD or AS")


def _expect(name: str, value: str, known: Iterable[str]) -> None:
    *most, last = known
    if value not in (*most, last):
        raise ValueError(f"unknown {name} {plain(value)[:40]!r}: expected {', '.join(most)} or {last}")
