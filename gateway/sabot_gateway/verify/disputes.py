"""Disputes: coups in doubt until a supervisor confirms or voids them; a correction is a new message, never an edit."""

from typing import Literal

from msgspec.structs import replace
from sabot_protocol.topics import CoupMessage, Winner

from sabot_gateway.verify.alarm_book import NotThereError
from sabot_gateway.verify.records import Source, by_the_cards

Decision = Literal["confirmed", "void"]
Where = tuple[str, int, int]  # unit, shoe and coup
MOST = 100  # then the oldest is no longer held for a decision; it stays disputed in the ledger


class Disputes:
    """The disputed coups of one table by the id of the message that says so, oldest first; and the last coup told."""

    def __init__(self) -> None:
        self._open: dict[str, CoupMessage] = {}
        self._entry: set[str] = set()  # those that a supervisor's word at the shoe settles
        self._last: tuple[Where, CoupMessage] | None = None

    def open(self) -> list[CoupMessage]:
        """Those that wait for a decision."""
        return list(self._open.values())

    def restore(self, disputed: list[CoupMessage]) -> None:
        """What the ledger says is disputed."""
        self._open = {coup.id: coup for coup in disputed}

    def told(self, coup: CoupMessage, where: Where, *, entry: bool = False) -> None:
        """A coup as it is said now."""
        self._close(coup.corrects)
        if not self._last or coup.corrects in ("", self._last[1].id):
            self._last = where, coup
        if coup.status == "disputed":
            self._open[coup.id] = coup
            self._entry |= {coup.id} if entry else set()
            if len(self._open) > MOST:
                self._close(next(iter(self._open)))

    def _close(self, message_id: str) -> None:
        self._open.pop(message_id, None)
        self._entry.discard(message_id)

    def of(self, where: Where) -> CoupMessage | None:
        """The disputed message of this coup."""
        return next((one for one in self._open.values() if place(one) == where), None)

    def last_of(self, where: Where) -> CoupMessage | None:
        """The last coup told, if it is this one."""
        return self._last[1] if self._last and self._last[0] == where else None

    def settled_at_the_shoe(self, coup: CoupMessage) -> bool:
        """Only the dealer's entry is in dispute."""
        return coup.id in self._entry

    def dispute_further(self, coup: CoupMessage) -> None:
        """More than the dealer's entry is in dispute now."""
        self._entry.discard(coup.id)

    def find(self, coup_id: str | None) -> CoupMessage:
        """The one that is meant; NotThereError in words where that is not clear."""
        if coup_id is None and len(self._open) == 1:
            return next(iter(self._open.values()))
        if coup_id is None or coup_id not in self._open:
            there = ", ".join(f"{one.id} (shoe {one.shoe}, coup {one.coup})" for one in self._open.values())
            asked = f"no coup {coup_id} is disputed" if coup_id else "say which coup is meant"
            raise NotThereError(f"{asked}: {there or 'none is disputed'}")
        return self._open[coup_id]


def place(coup: CoupMessage) -> Where:
    """Where a coup that a shoe told was dealt."""
    return coup.unit, coup.shoe, coup.coup


def decided(
    coup: CoupMessage, status: Decision, by: str, clause: str, source: Source, winner: Winner | None
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
        by=by,
        clause=clause,
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
            f"neither the cards nor the shoe give a result of coup {coup.coup}: say who won, or void it"
        )
    return replace(coup, winner=winner or coup.winner)
