"""Missing: coups of a table without an increment are proposed, for a person to make good."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sabot_protocol.jackpots.messages import IncrementMessage
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.jackpots.triggers import WAGERED, recognise
from sabot_protocol.topics import ConfirmedMessage, CoupKind, CoupMessage

from sabot_floor.jackpots.engine.entries import Proposed

PATIENCE_S = 600.0  # longer than an increment waits for those before it
_MOST = 10_000  # coups that wait
_MOST_SHOES = 500  # whose coups are remembered
_NO_INCREMENT = "its gateway sent no increment for it"
_UNKNOWN = "the numbers of the coups around it show that it was dealt, but its result never came"


class _Of(NamedTuple):
    """A coup of a table."""

    table: str
    unit: str
    shoe: int
    coup: int


class _Waiting(NamedTuple):
    since_s: float
    message: ConfirmedMessage | None  # None if only the number is known


class MissingIncrements:
    """Coups that wait for their increment, by jackpot; bounded, the oldest is given up."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, _Of], _Waiting] = {}
        self._kinds: dict[tuple[str, str, int], dict[int, CoupKind]] = {}  # by table, unit and shoe, then coup
        self.given_up = 0

    def coup(self, message: CoupMessage, jackpots: Mapping[str, Parameters]) -> None:
        """Remember the kind of a coup; a disputed one counts as void until it is decided."""
        if not any(message.table in parameters.table_names for parameters in jackpots.values()):
            return
        kinds = self._kinds.setdefault((message.table, message.unit, message.shoe), {})
        kinds[message.coup] = "void" if message.status in ("disputed", "void") else message.kind
        while len(self._kinds) > _MOST_SHOES:
            del self._kinds[next(iter(self._kinds))]

    def confirmed(self, message: ConfirmedMessage, jackpots: Mapping[str, Parameters], now_s: float) -> None:
        """Wait for the increments of a coup."""
        if message.status != "confirmed" or message.kind == "void" or message.corrects:
            return
        of = _Of(message.table, message.unit, message.shoe, message.coup)
        for name, parameters in jackpots.items():
            if message.table in parameters.table_names and _counts(parameters, message.kind):
                self._wait((name, of), _Waiting(now_s, message))

    def _wait(self, key: tuple[str, _Of], waiting: _Waiting) -> None:
        self._waiting.setdefault(key, waiting)
        while len(self._waiting) > _MOST:
            del self._waiting[next(iter(self._waiting))]
            self.given_up += 1

    def counted(self, jackpot: str, message: IncrementMessage, skipped: Iterable[int], now_s: float) -> None:
        """Take note of an increment that came, and of the numbers before it that have none."""
        self._waiting.pop((jackpot, _Of(message.table, message.unit, message.shoe, message.coup)), None)
        for coup in skipped:
            self._wait((jackpot, _Of(message.table, message.unit, message.shoe, coup)), _Waiting(now_s, None))

    def due(self, jackpots: Mapping[str, Parameters], now_s: float, time: str) -> dict[str, list[Proposed]]:
        """Return the coups whose increment should have come, by jackpot; they are not returned again."""
        found: dict[str, list[Proposed]] = {}
        for key, waiting in list(self._waiting.items()):
            if now_s - waiting.since_s < PATIENCE_S:
                break
            del self._waiting[key]
            name, of = key
            parameters = jackpots.get(name)
            kind = waiting.message.kind if waiting.message else self._kinds.get(of[:3], {}).get(of.coup)
            if parameters is not None and (kind is None or _counts(parameters, kind)):
                found.setdefault(name, []).append(_proposed(parameters, of, waiting.message, time))
        return found


def _counts(parameters: Parameters, kind: CoupKind) -> bool:
    return kind in WAGERED or (kind != "void" and parameters.unwagered)


def _proposed(parameters: Parameters, of: _Of, coup: ConfirmedMessage | None, time: str) -> Proposed:
    trigger = recognise(parameters, coup.kind, coup.player, coup.banker, coup.winner) if coup else None
    return Proposed(
        time=time,
        table=of.table,
        unit=of.unit,
        shoe=of.shoe,
        coup=of.coup,
        coup_id=coup.id if coup else "",
        outcome=trigger.outcome if trigger else "",
        reason=_NO_INCREMENT if coup else _UNKNOWN,
    )
