"""Log `gateways`: which gateway speaks for which table, as the store has it; the gate that messages come through."""

from collections.abc import Callable, Iterable

import msgspec
import structlog
from sabot_protocol.inputs.bounded_json import decoded
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.topics import ROOT, StatusMessage

from sabot_floor.projection import gateways
from sabot_floor.projection.gateways import Bound, Entry, GatewaysState, Named, Refused
from sabot_floor.store import Decision, Head, Store
from sabot_floor.store import Entry as LogEntry
from sabot_floor.store.tables import OF_MESSAGES

LOG = "gateways"
_MOST_STATUS_BYTES = 1 << 16
_MOST_NAME = 64
_MOST_TABLES = 500  # that one gateway names
_MOST_REFUSED = 200  # pairs of table and gateway that are logged
Pair = tuple[str, str]  # table and gateway
Make = Callable[[GatewaysState], list[Entry]]  # pure: it can be called again

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class GatewayLog:
    """The log in a store; other workers append to it too."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seq, self._state = -1, GatewaysState()

    def state(self) -> GatewaysState:
        """Return what is known now; StoreError if it cannot be read."""
        head = self._store.head(LOG) or Head()
        if head.seq != self._seq:
            self._seq, self._state = head.seq, gateways.decode(head.state)
        return self._state

    def known(self) -> GatewaysState:
        """Return what was known when it was last looked up; nothing is read."""
        return self._state

    def append(self, make: Make) -> str:
        """Store the entries that are made of the state, but for those that it refuses; return the last refusal."""
        refused = ""

        def decide(head: Head) -> Decision:
            nonlocal refused
            refused = ""
            state, taken = gateways.decode(head.state), []
            for entry in make(state):
                said = gateways.apply(state, entry)
                refused = said or refused
                taken += [] if said else [entry]
            logged = [_logged(entry, head.seq + number) for number, entry in enumerate(taken, 1)]
            return Decision(logged, gateways.encode(state)) if logged else Decision((), head.state)

        self._store.append(LOG, decide)
        return refused


def _logged(entry: Entry, number: int) -> LogEntry:
    return LogEntry(f"{LOG}-{number}", str(entry.__struct_config__.tag), msgspec.json.encode(entry), entry.time)


class Gate:
    """Whether a message counts that names a gateway; what it learns is stored before any message counts by it."""

    def __init__(self, store: Store, site: str, clock: Callable[[], str]) -> None:
        self.log, self._store = GatewayLog(store), store
        self._root, self._clock = f"{ROOT}/{site}/", clock
        self._named: dict[str, Named] = {}  # by the gateway's name: what is not stored yet
        self._open: set[Pair] = set()  # that count, whatever comes
        self._said: dict[Pair, str] = {}  # why the others do not
        self._begun = False

    def received(self, topic: str, payload: bytes) -> None:
        """Take a message on a gateway's own topic `status`; what else comes is left out."""
        match topic.removeprefix(self._root).split("/"):
            case ["status"]:
                name = ""
            case ["gateway", name, "status"]:
                pass
            case _:
                return
        status = decoded(payload, StatusMessage, _MOST_STATUS_BYTES) if payload else None
        if status is not None and status.ledger and _is_name(status.ledger) and len(status.tables) <= _MOST_TABLES:
            tables = sorted(table for table in status.tables if _is_name(table))
            self._name(Named(time=self._clock(), name=name, gateway=status.ledger, tables=tables))

    def names(self, name: str, gateway: str) -> bool:
        """Return True if a head on the topics of this name is believed about a gateway."""
        known = self.log.state().gateways.get(gateway)
        if known is None or known.name is None:
            self._name(Named(time=self._clock(), name=name, gateway=gateway, tables=None))
            self.learn(())
        return not gateways.other_name(self.log.state(), gateway, name)

    def believed(self, name: str, gateway: str) -> bool:
        """Return True unless the topics of another name belong to a gateway, as far as it was looked up before."""
        return not gateways.other_name(self.log.known(), gateway, name)

    def names_itself(self, gateway: str) -> bool:
        """Return True if the own status of a gateway has named its tables, as far as it was looked up before."""
        known = self.log.known().gateways.get(gateway)
        return known is not None and known.tables is not None

    def _name(self, named: Named) -> None:
        if _is_name(named.name or "site") and len(self._named) < gateways.MOST_GATEWAYS:
            self._named[named.name] = named

    def waits(self, pair: Pair) -> bool:
        """Return True if a message does not count, but the gateway's own topic has not come that may name the table."""
        if pair in self._open or not gateways.problem(self.log.state(), *pair):
            return False
        known = self.log.state().gateways.get(pair[1])
        return known is None or known.tables is None

    def learn(self, pairs: Iterable[Pair]) -> None:
        """Store what these messages and the gateways' own topics show; StoreError if the store cannot be written."""
        self._begin()
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._open]
        if not new and not self._named:
            return
        if self._is_news(self.log.state(), new):
            named = list(self._named.values())
            refused = self.log.append(lambda state: self._entries(state, named, new))
            if refused and named:
                log.error(f"{refused}: it is not believed. Accept it with `sabot floor accept-gateway`, if it is right")
        self._named.clear()
        for pair in new:
            self._judge(pair)

    def _judge(self, pair: Pair) -> None:
        said = self._problem(pair)
        if not said:
            self._open.add(pair)
            self._said.pop(pair, None)
        elif pair in self._said or len(self._said) < _MOST_REFUSED:
            if pair not in self._said:
                log.error(sentence(*pair, said))
            self._said[pair] = said

    def _problem(self, pair: Pair) -> str:
        state, (table, gateway) = self.log.state(), pair
        bound = gateway in state.tables.get(table, {})
        return gateways.problem(state, table, gateway) or (
            "" if bound else "this site has too many tables and gateways"
        )

    def problem(self, pair: Pair) -> str:
        """Return why messages of this pair, which `learn` has seen, do not count; empty if they do."""
        return "" if pair in self._open else self._said.get(pair) or self._problem(pair)

    def problems(self) -> list[str]:
        """Return what is refused now, a sentence each."""
        return [sentence(*pair, said) for pair in sorted(self._said) if (said := self._problem(pair))]

    def _is_news(self, state: GatewaysState, pairs: list[Pair]) -> bool:
        """Return True if something is to be stored: without it no writer is kept waiting."""
        for named in self._named.values():
            known = state.gateways.get(named.gateway)
            tables = known.tables if known and named.tables is None else named.tables
            if known is None or (known.name, known.tables) != (named.name, tables):
                return True
        return any(gateways.problem(state, *pair) != self._said.get(pair) for pair in pairs)

    def _entries(self, state: GatewaysState, named: list[Named], pairs: list[Pair]) -> list[Entry]:
        """Return what is to be stored: names, then who speaks for whom, and what is refused for the first time."""
        trial, entries = gateways.decode(gateways.encode(state)), list[Entry](named)
        for one in named:
            gateways.apply(trial, one)
        for table, gateway in pairs:
            said = gateways.problem(trial, table, gateway)
            if said:
                first = (table, gateway) not in self._said and len(self._said) < _MOST_REFUSED
                entries += [Refused(time=self._clock(), table=table, gateway=gateway, say=said)] if first else []
            elif gateway not in trial.tables.get(table, {}):
                own = trial.gateways.get(gateway)
                named_it = own is not None and own.tables is not None
                bound = Bound(time=self._clock(), table=table, gateway=gateway, how="named" if named_it else "first")
                gateways.apply(trial, bound)
                entries.append(bound)
        return entries

    def _begin(self) -> None:
        """Take the gateways of a store of an earlier release as they are in its rows, once."""
        if not self._begun and self._store.head(LOG) is None:
            found: dict[Pair, str] = {}
            for table in OF_MESSAGES:
                query = f'SELECT gateway, "table", min(time) FROM {table.name} GROUP BY gateway, "table"'
                for gateway, name, time in self._store.select(query):
                    found[name, gateway] = min(time, found.get((name, gateway), time))
            pairs = sorted(found, key=lambda pair: found[pair])
            time = self._clock()
            self.log.append(lambda state: [Bound(time=time, table=one, gateway=of, how="kept") for one, of in pairs])
        self._begun = True


def sentence(table: str, gateway: str, said: str) -> str:
    """Return that messages do not count, why, and the next step."""
    table, gateway = plain(table), plain(gateway)
    return (
        f"messages on the topics of {table} name gateway {gateway} and do not count: {plain(said)}. If that gateway "
        f"serves {table} now: `sabot floor accept-gateway {gateway} --table {table} --reason TEXT`; if not, check who "
        "may write these topics at the broker"
    )


def _is_name(text: str) -> bool:
    return 0 < len(text) <= _MOST_NAME and plain(text) == text
