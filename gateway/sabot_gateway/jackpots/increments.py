"""Increments: what tables have contributed so far; derives from the entries of a commit what they contribute now."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sabot_protocol.jackpots.messages import IncrementMessage
from sabot_protocol.jackpots.parameters import Parameters

from sabot_gateway.jackpots.entries import StakesMessage
from sabot_gateway.jackpots.stored import MOST_STAKES, Counted, StoredJackpots
from sabot_gateway.ledger import Entry

Where = tuple[str, int, int]  # unit, shoe and coup
StakesOfTable = dict[Where, StakesMessage]  # the newest, oldest first


@dataclass(frozen=True)
class Problem:
    """A coup that did not increment a jackpot as it should."""

    table: str
    shoe: int
    coup: int
    jackpot: str
    why: str


@dataclass
class Draft:
    """What one commit brings; it counts once the ledger has stored it."""

    entries: list[Entry] = field(default_factory=list)
    counted: dict[tuple[str, str, str], Counted] = field(default_factory=dict)  # by jackpot, table and currency
    made: list[IncrementMessage] = field(default_factory=list)
    reversed: set[str] = field(default_factory=set)  # ids of increments
    stakes: list[StakesMessage] = field(default_factory=list)
    corrected: set[str] = field(default_factory=set)  # messages that were corrected before they came
    problems: list[Problem] = field(default_factory=list)


class Increments:
    """The counts of this gateway's tables, and the stakes recorded there; the ledger has the same."""

    def __init__(self, gateway: str, stored: StoredJackpots) -> None:
        self.gateway, self.key, self._stored = gateway, b"", stored
        self.running: Mapping[str, tuple[Parameters, ...]] = {}  # by table: in force there
        self.tables: frozenset[str] = frozenset()  # that have increments, or can have
        self._former: dict[tuple[str, str], Parameters] = {}  # by jackpot and digest
        self._counted: dict[tuple[str, str, str], Counted] = {}
        self._stakes: dict[str, StakesOfTable] = {}

    def run(self, in_force: Sequence[Parameters], key: bytes) -> None:
        """Derive by these parameters from now on; everything that came must be stored."""
        running: dict[str, list[Parameters]] = defaultdict(list)
        for parameters in in_force:
            for table in parameters.tables:
                running[table].append(parameters)
        self.key, self.running = key, {table: tuple(found) for table, found in running.items()}
        self.tables = frozenset(running) | self._stored.tables()
        self._former = self._stored.parameters()

    def counted(self, jackpot: str, table: str, currency: str) -> Counted:
        """Return what a table has contributed in a currency, as far as it is stored."""
        key = jackpot, table, currency
        if key not in self._counted:
            self._counted[key] = self._stored.counted(jackpot, table, currency)
        return self._counted[key]

    def recount(self) -> None:
        """Read the counts again: the ledger was found shorter than it was."""
        self._counted.clear()
        self._stakes.clear()

    def stakes(self, table: str) -> StakesOfTable:
        """Return the newest stakes recorded at a table, as far as they are stored."""
        if table not in self._stakes:
            self._stakes[table] = {}
            for message in self._stored.stakes(table):
                self._keep(message)
        return self._stakes[table]

    def _keep(self, message: StakesMessage) -> None:
        where = message.unit, message.shoe, message.coup
        kept = self._stakes[message.table]
        kept.pop(where, None)
        kept[where] = message
        if len(kept) > MOST_STAKES:
            del kept[next(iter(kept))]

    def parameters_of(self, increment: IncrementMessage) -> Parameters | None:
        """Return the parameters by which an increment was made; None if the ledger does not hold them any more."""
        return self._former.get((increment.jackpot, increment.parameters))

    def stored(self, draft: Draft) -> None:
        """Count what the ledger has stored."""
        self._counted |= draft.counted
        for message in draft.stakes:
            self.stakes(message.table)
            self._keep(message)
