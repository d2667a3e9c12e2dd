"""Missing: coups of a table without an increment are proposed, for a person to make good."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sabot_protocol.jackpots.messages import IncrementMessage
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.jackpots.triggers import recognise
from sabot_protocol.topics import WAGERED, ConfirmedMessage, CoupKind, CoupMessage

from sabot_floor.jackpots.engine.entries import Proposed

PATIENCE_S = 600.0  # longer than an increment waits for those before it
STAKES_PATIENCE_S = 60.0  # of jackpots with a part of stakes: there a coup without recorded stakes has no increment
_MOST = 10_000  # coups that wait
_MOST_SHOES = 500  # whose coups are remembered
_NO_INCREMENT = "its gateway sent no increment for it"
_NO_STAKES = (
    f"{_NO_INCREMENT}, perhaps because no stakes were recorded. The amount is the operator's part: "
    "give --amount with the part of the stakes added"
)
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
        self._waiting: dict[float, dict[tuple[str, _Of], _Waiting]] = {PATIENCE_S: {}, STAKES_PATIENCE_S: {}}
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
                patience_s = PATIENCE_S if parameters.funding == "operator" else STAKES_PATIENCE_S
                self._wait((name, of), _Waiting(now_s, message), patience_s)

    def _wait(self, key: tuple[str, _Of], waiting: _Waiting, patience_s: float) -> None:
        found = self._waiting[patience_s]
        found.setdefault(key, waiting)
        while len(found) > _MOST:
            del found[next(iter(found))]
            self.given_up += 1

    def counted(self, jackpot: str, message: IncrementMessage, skipped: Iterable[int], now_s: float) -> None:
        """Take note of an increment that came, and of the numbers before it that have none."""
        of = _Of(message.table, message.unit, message.shoe, message.coup)
        for waiting in self._waiting.values():
            waiting.pop((jackpot, of), None)
        for coup in skipped:
            key = jackpot, of._replace(coup=coup)
            if key not in self._waiting[STAKES_PATIENCE_S]:
                self._wait(key, _Waiting(now_s, None), PATIENCE_S)

    def due(self, jackpots: Mapping[str, Parameters], now_s: float, time: str) -> dict[str, list[Proposed]]:
        """Return the coups whose increment should have come, by jackpot; they are not returned again."""
        found: dict[str, list[Proposed]] = {}
        for (name, of), waiting in self._take_due(now_s):
            parameters = jackpots.get(name)
            kind = waiting.message.kind if waiting.message else self._kinds.get(of[:3], {}).get(of.coup)
            if parameters is not None and (kind is None or _counts(parameters, kind)):
                found.setdefault(name, []).append(_proposed(parameters, of, waiting.message, time))
        return found

    def _take_due(self, now_s: float) -> list[tuple[tuple[str, _Of], _Waiting]]:
        """Remove those that have waited long enough, and return them."""
        taken = []
        for patience_s, waiting in self._waiting.items():
            for key, one in list(waiting.items()):
                if now_s - one.since_s < patience_s:
                    break
                taken.append((key, waiting.pop(key)))
        return taken


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
        reason=_reason(parameters, coup),
    )


def _reason(parameters: Parameters, coup: ConfirmedMessage | None) -> str:
    if coup is None:
        return _UNKNOWN
    return _NO_INCREMENT if parameters.funding == "operator" else _NO_STAKES
