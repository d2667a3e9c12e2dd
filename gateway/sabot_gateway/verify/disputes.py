"""Disputes: coups in doubt until a supervisor confirms or voids them. A correction is a new message, never an edit."""

from typing import Literal

from msgspec.structs import replace
from sabot_protocol.topics import CoupMessage, Winner

from sabot_gateway.verify.alarms.book import NotThereError
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.records import Source, by_the_cards

Decision = Literal["confirmed", "void"]
Where = tuple[str, int, int]  # unit, shoe and coup
MOST = 100  # can be decided at a time, the newest; older ones stay disputed in the ledger
_LISTED = 10  # in an answer


class Disputes:
    """The disputed coups of one table, by the id of the message that disputes them, oldest first."""

    def __init__(self) -> None:
        self._open: dict[str, CoupMessage] = {}
        self._decided: dict[str, CoupMessage] = {}  # by the id of the disputed message, oldest first: the decision
        self.more = 0  # older ones that only the ledger holds
        self._entry: set[str] = set()  # those in which only the dealer's entry is disputed
        self.last: CoupMessage | None = None  # the newest message about the newest coup
        self._last_where: Where = ("", 0, 0)

    def open(self) -> list[CoupMessage]:
        """Return those that wait for a decision."""
        return list(self._open.values())

    def restore(self, disputed: list[CoupMessage], more: int = 0) -> None:
        """Take the newest disputed coups of the ledger, and how many more there are; the newest coup may be one."""
        self._open, self.more = {coup.id: coup for coup in disputed}, more
        if self.last:
            self.last = self._open.get(self.last.id, self.last)

    def can_take_older(self) -> bool:
        """Return True if there is room for older ones that only the ledger holds."""
        return self.more > 0 and len(self._open) <= MOST // 2

    def recall(self, decision: CoupMessage, where: Where) -> None:
        """Take a decision from before a restart; the shoe's log does not hold it."""
        self._remember(decision)
        if self.last and decision.corrects in (self.last.id, self.last.corrects):
            self.last, self._last_where = decision, where

    def follow(self, coup: CoupMessage, where: Where, *, entry: bool = False) -> None:
        """Take a new message about a coup."""
        if coup.corrects:
            if coup.corrects in self._open:
                self._remember(coup)
            self._close(coup.corrects)
        if not self.last or coup.corrects in ("", self.last.id):
            self.last, self._last_where = coup, where
        if coup.status == "disputed":
            self._open[coup.id] = coup
            self._entry |= {coup.id} if entry else set()
            if len(self._open) > MOST:
                self._close(next(iter(self._open)))
                self.more += 1

    def _remember(self, decision: CoupMessage) -> None:
        self._decided[decision.corrects] = decision
        if len(self._decided) > MOST:
            del self._decided[next(iter(self._decided))]

    def _close(self, message_id: str) -> None:
        self._open.pop(message_id, None)
        self._entry.discard(message_id)

    def at(self, where: Where) -> CoupMessage | None:
        """Return the disputed message of this coup, or None."""
        return next((one for one in self._open.values() if where_dealt(one) == where), None)

    def last_at(self, where: Where) -> CoupMessage | None:
        """Return the newest message about this coup, if it is the newest coup; else None."""
        return self.last if self._last_where == where else None

    def ends_at_the_shoe(self, coup: CoupMessage) -> bool:
        """Return True if only the dealer's entry is in dispute."""
        return coup.id in self._entry

    def dispute_further(self, coup: CoupMessage) -> None:
        """Note that more than the dealer's entry is in dispute."""
        self._entry.discard(coup.id)

    def find(self, label: str) -> CoupMessage:
        """Return the disputed coup with this id, or with shoe and coup as 3/17; raise NotThereError with the reason."""
        found = [coup for coup in self._open.values() if label in (coup.id, coup_label(coup))]
        if len(found) == 1:
            return found[0]
        raise NotThereError(self._why_not(label, found))

    def _why_not(self, label: str, found: list[CoupMessage]) -> str:
        if found:
            return f"two shoes had a coup {label}: use its id: {' or '.join(coup.id for coup in found)}"
        for disputed_id, decision in self._decided.items():
            if label in (disputed_id, decision.id, coup_label(decision)):
                return _decided_by(label, decision)
        state = "can be decided now" if self.more else "is disputed"
        return f"no coup {label} {state}: {self._list()}"

    def _list(self) -> str:
        """List the newest, and how many more there are."""
        newest = list(self._open.values())[-_LISTED:]
        there = ", ".join(f"{coup_label(one)} ({one.id})" for one in newest) or "none is disputed"
        if len(self._open) > _LISTED:
            there += f", and {len(self._open) - _LISTED} more that `sabot gateway status` lists"
        if self.more:
            there += f"; the ledger holds {self.more} older ones, which follow as these are decided"
        return there


def coup_label(coup: CoupMessage) -> str:
    """Return shoe and coup as a person reads and types them: 3/17."""
    return f"{coup.shoe}/{coup.coup}"


def decide_command(table: str, coup: str) -> str:
    """Return what a supervisor types to decide this coup."""
    return f"`sabot table {table} decide --coup {coup} --verdict confirmed|void --by NAME --clause N`"


def _decided_by(label: str, decision: CoupMessage) -> str:
    clause = f" under {decision.clause}" if decision.clause else ""
    when = decision.decided or decision.time
    return f"coup {label} is no longer disputed: {decision.by} decided at {when} that it is {decision.status}{clause}"


def where_dealt(coup: CoupMessage) -> Where:
    """Return unit, shoe and coup of a message that follows from a shoe's event."""
    return coup.unit, coup.shoe, coup.coup


def decided(
    coup: CoupMessage, status: Decision, decider: Decider, source: Source, winner: Winner | None
) -> CoupMessage:
    """Return the decision about a disputed coup, as a message that corrects it."""
    decision = replace(
        coup,
        id=source.id,
        unit=source.unit,
        event_no=source.event_no,
        time=source.time,
        status=status,
        corrects=coup.id,
        **decider.fields(),
    )
    return replace(decision, kind="void", winner=None) if status == "void" else _with_result(decision, winner)


def contradicted(coup: CoupMessage, winner: Winner | None) -> str:
    """Return what the cards, or else the shoe, say against a winner that a person names; empty if nothing does."""
    played = by_the_cards(coup)
    known = played.winner if played else coup.winner
    if winner is None or winner == known:
        return ""
    if known is None:
        return "neither the cards nor the shoe give a winner"
    points = f" {played.player_points} to {played.banker_points}" if played else ""
    return f"{'the cards' if played else 'the shoe'} say {known}{points}"


def _with_result(coup: CoupMessage, winner: Winner | None) -> CoupMessage:
    """Take the result from the cards, unless the supervisor names another winner; then keep the shoe's points."""
    played = by_the_cards(coup)
    if played and winner in (None, played.winner):
        return replace(
            coup,
            winner=played.winner,
            player_points=played.player_points,
            banker_points=played.banker_points,
            player_pair=played.player_pair,
            banker_pair=played.banker_pair,
            natural=played.natural,
        )
    if winner is None and coup.winner is None:
        raise NotThereError(
            f"coup {coup.coup} has no result, from the cards or the shoe: name the winner (--winner, on a page Other "
            "winner), or void it"
        )
    return replace(coup, winner=winner or coup.winner)
