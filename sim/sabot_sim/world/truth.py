"""Truth: what happened at the tables of a day, as the simulator knows because it did it."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Person:
    """Somebody who works at a table; `id` is the account."""

    id: str
    name: str
    role: str


@dataclass
class Shoe:
    """The cards in the shoe, from New shoe to the end."""

    table: str
    shoe: int
    decks: int
    opened_s: float
    closed_s: float = 0.0
    coups: int = 0  # that were dealt to the end, or void


@dataclass
class Coup:
    """A coup and its final state; `by`, `clause` and `decided_s` where a person decided it."""

    table: str
    shoe: int
    coup: int
    kind: str
    player: list[str]
    banker: list[str]
    winner: str | None
    status: str  # confirmed or void
    ended_s: float  # when it was confirmed, or voided
    dealt_s: float = 0.0  # when its last card was out; 0 for a void coup
    by: str = ""
    clause: str = ""
    decided_s: float = 0.0
    authorised: "Decision | None" = None  # by which a person authorised or ordered a coup without wagers

    @property
    def label(self) -> str:
        """Shoe and coup, as people write them."""
        return f"{self.shoe}/{self.coup}"


@dataclass
class Alarm:
    """Something that must be reported to people, when they answered and when it was over."""

    table: str
    name: str
    shoe: int
    coup: int
    raised_s: float
    clause: str = ""
    seen_s: float = 0.0
    seen_by: str = ""
    over_s: float = 0.0
    over_by: str = ""


@dataclass(frozen=True)
class Decision:
    """What a person asked for at the gateway."""

    table: str
    time_s: float
    verb: str
    by: Person
    clause: str
    refused: bool = False
    local: bool = False
    asks: Person | None = None  # for whom `by` approves
    shoe: int = 0
    coup: int = 0


@dataclass(frozen=True)
class Irregularity:
    """One provoked irregularity: its situation, where and when, and what the printed rules make of it."""

    number: int
    situation: str
    table: str
    rulebook: str
    shoe: int
    coup: int
    time_s: float
    follows: str
    clause: str


@dataclass(frozen=True)
class Check:
    """A check of one deck: the card that was missing, and the one that was there twice; empty if it was whole."""

    begun: Decision
    ended: Decision
    missing: str
    surplus: str


@dataclass
class Step:
    """One thing that somebody must do."""

    name: str
    clause: str = ""
    done_s: float = 0.0
    by: str = ""  # a person; empty if the shoe's log proves it
    late: bool = False


@dataclass
class Incident:
    """Something that people must settle: open until each step is done."""

    table: str
    kind: str
    shoe: int
    coup: int
    opened_s: float
    steps: list[Step]

    def do(self, name: str, time_s: float, by: str = "", *, late: bool = False) -> None:
        """Note that a step is done, if the book has it."""
        for step in self.steps:
            if step.name == name:
                step.done_s, step.by, step.late = time_s, by, late

    @property
    def closed_s(self) -> float:
        """When the last step was done; 0 while one is open, and at once if there is none."""
        if not all(step.done_s for step in self.steps):
            return 0.0
        return max([self.opened_s, *(step.done_s for step in self.steps)])


@dataclass(frozen=True)
class Payment:
    """A wager that was paid wrongly, with its case file."""

    incident: Incident
    direction: str  # over or under
    amount_cents: int
    patron: str
    intentional: bool


@dataclass(frozen=True)
class Keyed:
    """A card that a person keyed in."""

    decision: Decision
    shoe: int
    coup: int
    card: str


@dataclass(frozen=True)
class Dispute:
    """A coup whose result the dealer pressed wrongly, and how it was decided."""

    table: str
    shoe: int
    coup: int
    raised_s: float
    ended_s: float
    decision: Decision | None  # None if it was settled at the shoe
    verdict: str
    winner: str | None


@dataclass
class Truth:
    """All of it, each list in order of time for each table."""

    shoes: list[Shoe] = field(default_factory=list)
    coups: list[Coup] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    irregularities: list[Irregularity] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    keyed: list[Keyed] = field(default_factory=list)
    disputes: list[Dispute] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    payments: list[Payment] = field(default_factory=list)
