"""Coups of a replay: lines about coups into the increments that a gateway would send."""

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

import msgspec
from msgspec.structs import replace
from sabot_gateway import rules
from sabot_protocol import rulebooks
from sabot_protocol.cards import POINTS
from sabot_protocol.jackpots.contributions import contribution, reversal
from sabot_protocol.jackpots.messages import IncrementMessage
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.jackpots.triggers import recognise, table_of
from sabot_protocol.topics import WAGERED, CoupKind
from sabot_protocol.wagers import sequences

from sabot_tools.jackpot.lines import VOID, CorrectsLine, CoupLine, Wagers
from sabot_tools.text.json_lines import BadLineError

GATEWAY = "replay"
_NOTHING = Fraction(0)


class Dealt(msgspec.Struct):
    """A coup as it stands now; `increment` is the message that counts for it."""

    id: str
    table: str
    kind: CoupKind
    stock: list[str] | None
    wagers: Wagers
    time: str
    number: int
    edition: int = 1
    increment: IncrementMessage | None = None


class Sent(msgspec.Struct):
    """What a table has sent so far."""

    count: int = 0
    total: int = 0
    carry: Fraction = _NOTHING


class Coups:
    """All coups of a replay, each once, and the messages of the gateway."""

    def __init__(self) -> None:
        self._dealt: dict[str, Dealt] = {}
        self._sent: dict[str, Sent] = {}
        self._numbers: dict[str, int] = {}

    def find(self, coup: str) -> Dealt | None:
        """Return a coup; None if it was not dealt."""
        return self._dealt.get(coup)

    def read(self, line: CoupLine, parameters: Parameters) -> Dealt:
        """Return the coup of a line; BadLineError if it was dealt before, or its cards or wagers are wrong."""
        if line.coup in self._dealt:
            raise BadLineError(f"coup: {line.coup!r} was counted before; correct it with corrects")
        _check_wagers(parameters, line.wagers)
        number = self._numbers.get(line.table, 0) + 1
        return Dealt(line.coup, line.table, line.kind, line.stock, line.wagers, line.time, number)

    def read_correction(self, line: CorrectsLine, parameters: Parameters) -> tuple[Dealt, Dealt]:
        """Return a coup before and after a correction."""
        before = self._dealt.get(line.corrects)
        if before is None:
            raise BadLineError(f"corrects: no coup {line.corrects!r}")
        if line.table not in (None, before.table):
            raise BadLineError(f"table: coup {before.id} was dealt at {before.table}")
        if before.kind == VOID == line.kind:
            raise BadLineError(f"corrects: coup {before.id} is void already")
        _check_wagers(parameters, line.wagers or {})
        after = replace(
            before,
            kind=line.kind,
            stock=before.stock if line.stock is None else line.stock,
            wagers=before.wagers if line.wagers is None else line.wagers,
            time=line.time or before.time,
            edition=before.edition + 1,
            increment=None,
        )
        return before, after

    def increment(self, parameters: Parameters, coup: Dealt, time: str) -> IncrementMessage | None:
        """Return the message about a coup; None for one that does not contribute."""
        trigger = _trigger(parameters, coup)
        if coup.kind == VOID or (coup.kind not in WAGERED and not parameters.unwagered):
            return None
        sent = self._sent.get(coup.table) or Sent()
        given = contribution(parameters, coup.kind, coup.wagers, sent.carry)
        return IncrementMessage(
            id=f"{coup.id}/{coup.edition}",
            unit="",
            event_no=0,
            table=coup.table,
            shoe=1,
            coup=coup.number,
            time=time,
            rulebook="",
            gateway=GATEWAY,
            jackpot=parameters.id,
            parameters=parameters.digest,
            currency=parameters.currency,
            amount=given.amount,
            count=sent.count + 1,
            total=sent.total + given.amount,
            coup_id=coup.id,
            kind=coup.kind,
            operator=given.operator,
            stakes=coup.wagers,
            carry=str(given.carry),
            trigger=trigger,
        )

    def reverse(self, parameters: Parameters, coup: Dealt, time: str) -> IncrementMessage | None:
        """Return the message that takes back a coup's increment; None if it has none."""
        first = coup.increment
        if first is None:
            return None
        sent = self._sent[coup.table]
        given = reversal(parameters, coup.kind, coup.wagers, first.amount, sent.carry)
        return replace(
            first,
            id=f"{first.id}/reversed",
            time=time,
            amount=given.amount,
            operator=given.operator,
            count=sent.count + 1,
            total=sent.total + given.amount,
            carry=str(given.carry),
            trigger="",
            reverses=first.id,
        )

    def send(self, message: IncrementMessage) -> None:
        """Note a message that was applied."""
        carry = Fraction(message.carry) if message.carry != "0" else _NOTHING
        self._sent[message.table] = Sent(message.count, message.total, carry)

    def sent(self, table: str) -> Sent | None:
        """Return what a table has sent so far."""
        return self._sent.get(table)

    def put_back(self, table: str, sent: Sent | None) -> None:
        """Forget messages that were not applied."""
        if sent is not None:
            self._sent[table] = sent

    def keep(self, coup: Dealt, increment: IncrementMessage | None) -> None:
        """Note a coup, with the message that counts for it."""
        coup.increment = increment
        self._numbers[coup.table] = max(coup.number, self._numbers.get(coup.table, 0))
        self._dealt[coup.id] = coup


def _trigger(parameters: Parameters, coup: Dealt) -> str:
    """Check the cards of a coup and return the outcome of the trigger; empty if none. A void coup needs no cards."""
    if coup.kind == VOID or (coup.stock is None and coup.kind != "live"):
        return ""
    if coup.stock is None:
        raise BadLineError("stock: give the cards in the order drawn")
    _check_cards(coup.stock)
    try:
        played = rules.play(coup.stock)
    except rules.NotACoupError as error:
        raise BadLineError(f"stock: {error}") from error
    found = recognise(parameters, coup.kind, played.player, played.banker, played.winner)
    return found.outcome if found else ""


def _check_cards(cards: Sequence[str]) -> None:
    for at, card in enumerate(cards):
        if card not in POINTS:
            raise BadLineError(f"stock[{at}]: {card!r} is not one of the 52 cards")


def _check_wagers(parameters: Parameters, wagers: Wagers) -> None:
    """Check that the rulebook has these wagers, on one coup or on several."""
    for name in wagers:
        if name not in table_of(parameters).wagers and not _is_sequence(parameters.rulebook, name):
            raise BadLineError(f"wagers: {parameters.rulebook} has no wager {name!r}")


def _is_sequence(rulebook: str, name: str) -> bool:
    book = rulebooks.load(rulebook)
    for game in book.game:
        with suppress(rulebooks.RulebookError):
            sequences.find(book, game, name)
            return True
    return False
