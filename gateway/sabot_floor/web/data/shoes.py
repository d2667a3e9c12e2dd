"""Shoes: the last coups of a shoe as they stand now, and what people asked for at its table meanwhile."""

from collections import deque

import msgspec

from sabot_floor.projection.reading import Decision, Reading
from sabot_floor.store.rows import Confirmed, Coup

MOST_COUPS, MOST_DECISIONS = 120, 30  # a whole shoe of 8 decks has about 85 coups, and never 105
_MOST_CORRECTIONS = 20  # of one coup that are followed
_END = "9999"


class ShoeCoup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A coup as it stands now."""

    id: str  # of its first message
    coup: int
    time: str
    kind: str
    status: str
    winner: str = ""
    player: str = ""
    banker: str = ""
    player_points: int = 0
    banker_points: int = 0
    flags: str = ""
    by: str = ""  # who decided or confirmed it
    clause: str = ""
    covered: bool = False  # its result is not out, so its cards are not here


class ShoeDecision(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request of a person and its answer; `ok` is None while it has none."""

    time: str
    verb: str
    by: str
    role: str = ""
    asks: str = ""
    clause: str = ""
    args: str = ""
    ok: bool | None = None
    say: str = ""


class ShoeNow(msgspec.Struct, frozen=True):
    """The newest coups and requests of a shoe, the newest first."""

    table: str
    unit: str
    shoe: int
    opened: str
    coups: list[ShoeCoup]
    decisions: list[ShoeDecision]


def read(reading: Reading, table: str, unit: str, shoe: int) -> ShoeNow:
    """Return a shoe as the projection has it; empty lists if it is not there."""
    record = reading.shoe(table, unit, shoe)
    opened = record.shoe.opened.time if record.shoe.opened else ""
    firsts = [coup for coup in record.coups if not coup.corrects][-MOST_COUPS:]
    since = opened or (firsts[0].time if firsts else "")
    asked = deque(reading.decisions(since, _END, table) if since else (), maxlen=MOST_DECISIONS)
    coups = [_coup(reading, coup) for coup in reversed(firsts)]
    return ShoeNow(table, unit, shoe, opened, coups, [_decision(one) for one in reversed(asked)])


def _coup(reading: Reading, first: Coup) -> ShoeCoup:
    """Return a coup after its corrections, and who confirmed it."""
    chain = [first]
    while len(chain) <= _MOST_CORRECTIONS and (more := reading.corrections(chain[-1])):
        chain.append(more[-1])
    now, confirmed = chain[-1], reading.confirmed_of(chain)
    return _as_it_stands(first, now, confirmed[-1] if confirmed else None)


def _as_it_stands(first: Coup, now: Coup, confirmed: Confirmed | None) -> ShoeCoup:
    return ShoeCoup(
        id=first.id,
        coup=first.coup,
        time=first.time,
        kind=now.kind,
        status=confirmed.status if confirmed and now.status in ("verified", "confirmed") else now.status,
        winner=now.winner,
        player=now.player,
        banker=now.banker,
        player_points=now.player_points,
        banker_points=now.banker_points,
        flags=now.flags,
        by=now.by or (confirmed.by if confirmed else ""),
        clause=now.clause or (confirmed.clause if confirmed else ""),
        covered=now.status == "verified" and now.kind != "void" and not now.player,
    )


def _decision(one: Decision) -> ShoeDecision:
    attempt, outcome = one
    return ShoeDecision(
        time=attempt.time,
        verb=attempt.verb,
        by=attempt.by,
        role=attempt.role,
        asks=attempt.asks,
        clause=attempt.clause,
        args=attempt.args,
        ok=bool(outcome.ok) if outcome else None,
        say=outcome.say if outcome else "",
    )
