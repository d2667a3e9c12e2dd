"""Jackpots: which parameters are in force at this gateway, which wait for the floor, and what its tables contribute."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import structlog
from sabot_protocol import authority
from sabot_protocol.jackpots import signing
from sabot_protocol.jackpots.dates import not_yet
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.topics import BeatMessage
from sabot_service.moment import Moment

from sabot_gateway.jackpots.derivation import derive
from sabot_gateway.jackpots.entries import PARAMETERS, ParametersEntry
from sabot_gateway.jackpots.increments import Increments, Problem
from sabot_gateway.jackpots.meter_topic import MeterTopic
from sabot_gateway.jackpots.recording import TableJackpots
from sabot_gateway.jackpots.stored import StoredJackpots
from sabot_gateway.ledger import Entry, Ledger
from sabot_gateway.own_entries import OwnEntries
from sabot_gateway.table_session import TableSession

NOT_INCREMENTED = "jackpot_not_incremented"

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Jackpots:
    """The ledger decides what is in force: parameters from the file are used once they are stored there."""

    def __init__(self, ledger: Ledger, own: OwnEntries, tables: Mapping[str, TableSession]) -> None:
        self._ledger, self._own, self._tables = ledger, own, tables
        self._stored = StoredJackpots(ledger)
        self._increments = Increments(own.unit, self._stored)
        self._in_force: dict[str, Parameters] = {}  # by jackpot, as the ledger has them
        self._configured: dict[str, Parameters] = {}  # by jackpot, as the file has them
        self._floor: dict[str, str] = {}  # by jackpot: digest of the parameters that the floor uses
        self.meters = MeterTopic(self.names, self.floor_uses)
        self.due = False  # parameters can take effect: `step` stores them
        self._key, self._problems = b"", list[Problem]()

    # Parameters

    def configure(self, configured: Sequence[Parameters], key: bytes, time: str) -> None:
        """Take the jackpots of the file; everything that came must be stored. What is new waits for `step`."""
        self._in_force = {jackpot: found for (jackpot, _), found in self._stored.parameters().items()}
        early = {one.id: not_yet(one, time) for one in configured if one.id not in self._in_force}
        self._configured, self._key = {one.id: one for one in configured if not early.get(one.id)}, key
        for jackpot, why in early.items():
            if why:
                log.warning(f"{why}: no table contributes before that. Then reload the gateway", jackpot=jackpot)
        for jackpot in sorted(self._in_force.keys() - self._configured):
            log.info("a jackpot of the ledger is not in the jackpots file: no table contributes to it", jackpot=jackpot)
        self._run()

    def _run(self) -> None:
        in_force = [self._in_force[jackpot] for jackpot in self._configured if jackpot in self._in_force]
        self._increments.run(in_force, self._key)
        self.due = any(map(self._due, self._configured.values()))
        for table in self._tables.values():
            table.jackpots = self.of_table(table.name)

    def signed(self, message: BeatMessage) -> BeatMessage:
        """Return a beat with its signature, by which the floor service orders wins; the same one without a key."""
        return signing.sign(message, self._key)

    def of_table(self, table: str) -> TableJackpots | None:
        """Return what people may do about the jackpots of a table; None if none runs there."""
        running = self._increments.running.get(table, ())
        return TableJackpots(table, running, self._increments, self._stored) if running else None

    def names(self) -> set[str]:
        """Return the ids of the jackpots in the file."""
        return set(self._configured)

    def floor_uses(self, jackpot: str, digest: str) -> None:
        """Note by which parameters the floor runs a jackpot of the file."""
        self._floor[jackpot] = digest
        self.due = any(map(self._due, self._configured.values()))

    def _due(self, parameters: Parameters) -> bool:
        """Return True for a new jackpot, and for a change that the floor has made."""
        in_force = self._in_force.get(parameters.id)
        if in_force is None:
            return True
        return in_force.digest != parameters.digest == self._floor.get(parameters.id)

    def step(self, at: Moment) -> None:
        """Store parameters that take effect, and use them; everything that came must be stored, or LedgerError."""
        due = [one for one in self._configured.values() if self._due(one)]
        entries = [self._entry(parameters, at) for parameters in due]
        self._ledger.append(entries)
        for parameters in due:
            log.info("parameters are in force", jackpot=parameters.id, digest=parameters.digest)
        self._in_force |= {parameters.id: parameters for parameters in due}
        self._run()

    def _entry(self, parameters: Parameters, at: Moment) -> Entry:
        source = self._own.new_source(at.time)
        fields = {"jackpot": parameters.id, "digest": parameters.digest}
        message = ParametersEntry(id=source.id, time=at.time, **fields, parameters=parameters)
        return Entry(source.unit, source.event_no, "", PARAMETERS, msgspec.json.encode(message), b"", at.time)

    # Entries

    @property
    def active(self) -> bool:
        """True if any table here has a jackpot, or had one."""
        return bool(self._increments.tables)

    def append(self, entries: Sequence[Entry]) -> None:
        """Store entries and the increments that follow from them in one transaction; see `raise_alarms`."""
        draft = derive(entries, self._increments, self._stored)
        self._ledger.append(draft.entries)
        self._increments.stored(draft)
        self._problems += draft.problems

    def raise_alarms(self, at: Moment) -> None:
        """Raise an alarm for each coup that did not increment a jackpot."""
        problems, self._problems = self._problems, []
        for problem in problems:
            self._raise(problem, at)

    def _raise(self, problem: Problem, at: Moment) -> None:
        table = self._tables.get(problem.table)
        if table is None:
            return
        source = self._own.new_source(at.time)
        say, clause = _sentence(problem, table.verifier.rulebook)
        coup = (problem.shoe, problem.coup) if problem.coup else None
        alarm = table.verifier.gateway_alarm(NOT_INCREMENTED, say, source, clause=clause, coup=coup)
        self._own.add_records(table, alarm, source)

    def recount(self) -> None:
        """Count from what the ledger holds: a person has accepted that entries are missing."""
        self._increments.recount()

    # For people

    def status(self, table: str) -> list[dict[str, Any]]:
        """Return a table's part of `sabot gateway status`: what it has contributed to each jackpot."""
        running = self._increments.running.get(table, ())
        return [self._of_table(parameters, table) for parameters in running]

    def _of_table(self, parameters: Parameters, table: str) -> dict[str, Any]:
        counted = self._increments.counted(parameters.id, table, parameters.currency)
        return {
            "jackpot": parameters.id,
            "count": counted.count,
            "total": counted.total,
            "currency": parameters.currency,
        }

    def parameters(self) -> list[dict[str, Any]]:
        """Return which parameters of each jackpot are in force, which wait, and which the floor uses."""
        return [self._of_jackpot(parameters) for parameters in self._configured.values()]

    def _of_jackpot(self, configured: Parameters) -> dict[str, Any]:
        in_force = self._in_force.get(configured.id)
        same = in_force is not None and in_force.digest == configured.digest
        return {
            "jackpot": configured.id,
            "title": configured.title,
            "in_force": _named(in_force),
            "waiting": None if same else _named(configured),
            "floor": self._floor.get(configured.id),
        }


def _named(parameters: Parameters | None) -> dict[str, Any] | None:
    """Return version and digest, as people compare them."""
    return {"version": parameters.version, "digest": parameters.digest} if parameters else None


def _sentence(problem: Problem, rulebook: str) -> tuple[str, str]:
    """Return what the alarm says, and the clause by which a supervisor makes it good."""
    act = authority.load(rulebook).act.get("jackpot_make_good")
    jackpot = f"jackpot {problem.jackpot}" if problem.jackpot else "its jackpots"
    coup = f"Coup {problem.shoe}/{problem.coup}" if problem.coup else "A coup"
    say = f"{coup} did not increment {jackpot}: {problem.why}. Tell the supervisor, who makes the contribution good"
    return f"{say}.", act.clause if act else ""
