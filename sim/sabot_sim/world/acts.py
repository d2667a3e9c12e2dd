"""Acts: what people do at a table, one after the other, each at its time."""

from dataclasses import dataclass, field
from typing import Any

from sabot_sim.world.truth import Person


@dataclass(frozen=True)
class AtShoe:
    """An act at the shoe, as firmware/bench/play.py takes it: a card, a button, the key, the lid."""

    step: tuple[Any, ...]


@dataclass(frozen=True)
class AtGateway:
    """A request of a person to the gateway, at its own PC if `local`; `refused` if the rulebook forbids it."""

    by: Person
    verb: str
    clause: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    refused: bool = False
    local: bool = False
    asks: Person | None = None  # for whom `by` approves


Act = AtShoe | AtGateway


@dataclass(frozen=True, order=True)
class Timed:
    """An act at a table at a time; acts of one table keep their order."""

    time_s: float
    table: str
    number: int
    act: Act = field(compare=False)
