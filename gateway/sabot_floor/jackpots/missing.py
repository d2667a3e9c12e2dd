"""Missing: coups that a table confirmed without an increment are proposed, for a person to make good."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.jackpots.triggers import WAGERED, recognise
from sabot_protocol.topics import ConfirmedMessage

from sabot_floor.jackpots.engine.entries import Proposed

PATIENCE_S = 120.0  # the increment follows its coup at once; a broker may deliver it later
_MOST = 10_000
_SAY = "its gateway sent no increment for it"


class _Waiting(NamedTuple):
    since_s: float
    message: ConfirmedMessage


class MissingIncrements:
    """Confirmed coups that wait for their increment, by jackpot and id; bounded, the oldest is given up."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], _Waiting] = {}
        self.given_up = 0

    def confirmed(self, message: ConfirmedMessage, jackpots: Mapping[str, Parameters], now_s: float) -> None:
        """Wait for the increments of a coup."""
        if message.status != "confirmed" or message.kind == "void" or message.corrects:
            return
        for name, parameters in jackpots.items():
            if message.table in parameters.tables and (message.kind in WAGERED or parameters.unwagered):
                self._waiting.setdefault((name, message.id), _Waiting(now_s, message))
        while len(self._waiting) > _MOST:
            del self._waiting[next(iter(self._waiting))]
            self.given_up += 1

    def counted(self, jackpot: str, coup_ids: Iterable[str]) -> None:
        """Take note of increments that came."""
        for coup_id in coup_ids:
            self._waiting.pop((jackpot, coup_id), None)

    def due(self, jackpots: Mapping[str, Parameters], now_s: float, time: str) -> dict[str, list[Proposed]]:
        """Return the coups whose increment should have come, by jackpot; they are not returned again."""
        found: dict[str, list[Proposed]] = {}
        for key, waiting in list(self._waiting.items()):
            if now_s - waiting.since_s < PATIENCE_S:
                break
            del self._waiting[key]
            if key[0] in jackpots:
                found.setdefault(key[0], []).append(_proposed(jackpots[key[0]], waiting.message, time))
        return found


def _proposed(parameters: Parameters, coup: ConfirmedMessage, time: str) -> Proposed:
    trigger = recognise(parameters, coup.kind, coup.player, coup.banker, coup.winner)
    return Proposed(
        time=time,
        table=coup.table,
        unit=coup.unit,
        shoe=coup.shoe,
        coup=coup.coup,
        coup_id=coup.id,
        outcome=trigger.outcome if trigger else "",
        reason=_SAY,
    )
