"""Disputes: coups in doubt until a supervisor confirms or voids them; a correction is a new message, never an edit."""

from typing import Literal

from msgspec.structs import replace
from sabot_protocol.topics import CoupMessage, Winner

from sabot_gateway.verify.alarms.book import NotThereError
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.records import Source, by_the_cards

Decision = Literal["confirmed", "void"]
Where = tuple[str, int, int]  # unit, shoe and coup
MOST = 100  # can be decided at a time, the newest; older ones stay disputed in the ledger
_NAMED = 10  # in an answer


class Disputes:
    """The disputed coups of one table by the id of the message that says so, oldest first; and the last coup told."""

    def __init__(self) -> None:
        self._open: dict[str, CoupMessage] = {}
        self._decided: dict[str, CoupMessage] = {}  # by the id of the disputed message, oldest first: the decision
        self.more = 0  # older ones that only the ledger holds
        self._entry: set[str] = set()  # those that a supervisor's word at the shoe settles
        self.last: CoupMessage | None = None  # the newest message about the newest coup
        self._last_where: Where = ("", 0, 0)

    def open(self) -> list[CoupMessage]:
        """Those that wait for a decision."""
        return list(self._open.values())

    def restore(self, disputed: list[CoupMessage], more: int = 0) -> None:
        """What the ledger says is disputed: the newest, and how many more there are."""
        self._open, self.more = {coup.id: coup for coup in disputed}, more

    def can_take_older(self) -> bool:
        """Whether older ones can come up."""
        return self.more > 0 and len(self._open) <= MOST // 2

    def recall(self, decision: CoupMessage, where: Where) -> None:
        """A decision from before a restart; what the shoe's log alone said of that coup is not what was told."""
        self._remember(decision)
        if self.last and decision.corrects in (self.last.id, self.last.corrects):
            self.last, self._last_where = decision, where

    def follow(self, coup: CoupMessage, where: Where, *, entry: bool = False) -> None:
        """Take a new message about a coup."""
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
        """The disputed message of this coup."""
        return next((one for one in self._open.values() if where_dealt(one) == where), None)

    def last_at(self, where: Where) -> CoupMessage | None:
        """The last coup told, if it is this one."""
        return self.last if self._last_where == where else None

    def ends_at_the_shoe(self, coup: CoupMessage) -> bool:
        """Only the dealer's entry is in dispute."""
        return coup.id in self._entry

    def dispute_further(self, coup: CoupMessage) -> None:
        """More than the dealer's entry is in dispute now."""
        self._entry.discard(coup.id)

    def find(self, named: str) -> CoupMessage:
        """The disputed coup of this id, or of shoe and coup as 3/17; NotThereError says why it is not disputed."""
        found = [coup for coup in self._open.values() if named in (coup.id, coup_label(coup))]
        if len(found) == 1:
            return found[0]
        raise NotThereError(self._why_not(named, found))

    def _why_not(self, named: str, found: list[CoupMessage]) -> str:
        if found:
            return f"two shoes had a coup {named}: name it by its id: {' or '.join(coup.id for coup in found)}"
        for disputed_id, decision in self._decided.items():
            if named in (disputed_id, decision.id, coup_label(decision)):
                return _decided_by(named, decision)
        state = "can be decided now" if self.more else "is disputed"
        return f"no coup {named} {state}: {self._there()}"

    def _there(self) -> str:
        """The newest, and how many more."""
        newest = list(self._open.values())[-_NAMED:]
        there = ", ".join(f"{coup_label(one)} ({one.id})" for one in newest) or "none is disputed"
        if len(self._open) > _NAMED:
            there += f", and {len(self._open) - _NAMED} more that `sabot gateway status` lists"
        if self.more:
            there += f"; {self.more} older ones stay disputed in the ledger, and come up as these are decided"
        return there


def coup_label(coup: CoupMessage) -> str:
    """Shoe and coup as a person reads them: 3/17."""
    return f"{coup.shoe}/{coup.coup}"


def _decided_by(named: str, decision: CoupMessage) -> str:
    clause = f" under {decision.clause}" if decision.clause else ""
    when = decision.decided or decision.time
    return (
        f"coup {named} is not disputed any more: {decision.by} decided at {when} that it is {decision.status}{clause}"
    )


def where_dealt(coup: CoupMessage) -> Where:
    """Where a coup that a shoe told was dealt."""
    return coup.unit, coup.shoe, coup.coup


def decided(
    coup: CoupMessage, status: Decision, decider: Decider, source: Source, winner: Winner | None
) -> CoupMessage:
    """The supervisor's word on a disputed coup, as a message that corrects it."""
    said = replace(
        coup,
        id=source.id,
        unit=source.unit,
        event_no=source.event_no,
        time=source.time,
        status=status,
        corrects=coup.id,
        **decider.fields(),
    )
    return replace(said, kind="void", winner=None) if status == "void" else _with_result(said, winner)


def _with_result(coup: CoupMessage, winner: Winner | None) -> CoupMessage:
    """As the cards give it, unless the supervisor says otherwise; then as the shoe told it, under his winner."""
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
            f"neither the cards nor the shoe give a result of coup {coup.coup}: say who won with --winner, or void it"
        )
    return replace(coup, winner=winner or coup.winner)
