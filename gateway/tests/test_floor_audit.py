"""Audit of a jackpot's log: what someone with access to the store could write is found, although the chain is right."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor_rig import JACKPOT, TIME, Table
from jackpot_parameters import crown
from sabot_floor.inbox import Arrived
from sabot_floor.jackpots import audit, engine
from sabot_floor.jackpots.batch import Batch, log_name
from sabot_floor.jackpots.collector import Collector, Work
from sabot_floor.jackpots.engine import Entry, Logged
from sabot_floor.jackpots.engine.entries import Confirmed, Increment, Recorded
from sabot_floor.jackpots.intake import Intake
from sabot_floor.jackpots.logs import JackpotLogs
from sabot_floor.jackpots.opening import open_jackpots
from sabot_floor.jackpots.storing import store_work
from sabot_floor.store import Decision, Head, Store, open_store
from sabot_floor.store import Entry as LogEntry
from sabot_service.moment import Moment

PARAMETERS = crown(base=100_000)
AT = Moment(1.0, TIME)


@pytest.fixture
def logs(tmp_path: Path) -> JackpotLogs:
    """A jackpot with three increments, the last of which has won and is paid."""
    opened = JackpotLogs(open_store(str(tmp_path / "floor.db")))
    open_jackpots(opened, [PARAMETERS], TIME)
    table = Table(digest=PARAMETERS.digest)
    entries: list[Entry] = [Increment(TIME, table.increment()) for _ in range(2)]
    won = table.increment(trigger="suited")
    entries += [Increment(TIME, won), Recorded(TIME, table.recorded(won, stakes={"tie": [100]}))]
    entries.append(Confirmed(time=TIME, win=won.coup_id, by="A", role="area_manager", notified="B"))
    batch = Batch(JACKPOT, TIME, list(entries))
    opened.commit([batch])
    assert all(isinstance(result, engine.Applied) for result in batch.results)
    return opened


def test_a_right_log_has_no_faults(logs: JackpotLogs) -> None:
    verdict = audit.verify(logs.store, JACKPOT)
    assert verdict.faults == []
    assert verdict.entries == 8  # opened, 3 increments, recorded, win, confirmed, win
    # 100,075 rounded up to 100,100 and paid in full; then the base again.
    assert verdict.state is not None
    assert (verdict.state.wins, verdict.state.display) == (100_100, 100_000)


def copied(logs: JackpotLogs, path: Path, change: Callable[[list[LogEntry]], Any]) -> Store:
    """Return a store with a right chain over changed entries."""
    entries = [LogEntry(one.id, one.kind, one.payload, one.time) for one in logs.store.entries(log_name(JACKPOT))]
    head = logs.store.head(log_name(JACKPOT))
    assert head is not None
    change(entries)
    store = open_store(str(path))
    store.append(log_name(JACKPOT), lambda _: Decision(entries, head.state))
    return store


def replaced(at: int, old: bytes, new: bytes) -> Callable[[list[LogEntry]], None]:
    def change(entries: list[LogEntry]) -> None:
        assert old in entries[at].payload
        entries[at] = entries[at]._replace(payload=entries[at].payload.replace(old, new))

    return change


def without(at: int) -> Callable[[list[LogEntry]], None]:
    return lambda entries: entries.pop(at)  # type: ignore[return-value]


def twice(at: int) -> Callable[[list[LogEntry]], None]:
    return lambda entries: entries.insert(at, entries[at])


CHANGES: dict[str, tuple[Callable[[list[LogEntry]], Any], str]] = {
    "an amount": (replaced(1, b'"amount":25', b'"amount":24'), "entry 2 (increment): the engine refuses it"),
    "a meter": (replaced(2, b'"display":100050', b'"display":100051'), "entry 3 (increment): its meters are"),
    "an increment left out": (without(1), "entry 2 (increment): the engine refuses it"),
    "an increment twice": (twice(1), "entry 3 (increment): the engine refuses it"),
    "a prize": (replaced(7, b'"prize":100100', b'"prize":900100'), "entry 8 (win): win"),
    "a pay-out left out": (without(6), "entry 7 (win): win"),
    "a pay-out twice": (twice(6), "entry 8 (confirmed)"),
    "a role": (replaced(6, b"area_manager", b"dealer"), "entry 7 (confirmed): the engine refuses it"),
    "no opening": (without(0), "entry 1 (increment): the log does not begin with its opening"),
    "no JSON": (replaced(1, b"{", b"["), "entry 2 (increment): it cannot be read"),
    "the last entries": (lambda entries: entries.__delitem__(slice(4, None)), "the state in the store is not"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_was_rewritten_is_found(what: str, logs: JackpotLogs, tmp_path: Path) -> None:
    change, says = CHANGES[what]
    with copied(logs, tmp_path / "copy.db", change) as store:
        faults = audit.verify(store, JACKPOT).faults
    assert any(says in fault for fault in faults), faults


def test_a_changed_state_is_found(logs: JackpotLogs, tmp_path: Path) -> None:
    def change(head: Head) -> Decision:
        state = engine.decode(head.state or b"")
        state.display, state.base = state.display + 5, state.base + 5
        return Decision((), engine.encode(state))

    logs.store.append(log_name(JACKPOT), change)
    assert audit.verify(logs.store, JACKPOT).faults == [
        "the state in the store is not what the entries make; nothing may be paid by it"
    ]


def test_every_entry_names_its_parameters_and_the_meters_after_it(logs: JackpotLogs) -> None:
    kept = [
        msgspec.json.decode(entry.payload, type=Logged)
        for entry in logs.store.entries(log_name(JACKPOT))
        if entry.kind not in ("win", "fault")
    ]
    assert {one.digest for one in kept} == {PARAMETERS.digest}
    assert [one.meters.in_ for one in kept] == [0, 25, 50, 75, 75, 75]


def test_an_entry_that_cannot_be_stored_costs_itself_only(tmp_path: Path) -> None:
    logs = JackpotLogs(open_store(str(tmp_path / "floor.db")))
    open_jackpots(logs, [PARAMETERS], TIME)
    collector = Collector(Intake("test", b""), logs)
    table, other = Table("bac-01", digest=PARAMETERS.digest), Table("bac-02", digest=PARAMETERS.digest)
    bad = Increment(TIME, table.increment(id="x" * 250))
    work = Work([Batch(JACKPOT, TIME, [bad, Increment(TIME, other.increment())])], [Arrived("t", b"")])
    store_work(logs, collector, work, AT)
    state = logs.state(JACKPOT)
    assert state is not None
    assert state.in_ == 25
    assert collector.refusals.counts == {(JACKPOT, "state"): 1}
    assert audit.verify(logs.store, JACKPOT).faults == []
