"""The broker is away while thousands of events arrive: the ledger keeps them, and all are delivered in order.

SABOT_EVENTS=50000 .venv/bin/pytest hil_tests/test_7_broker_away.py -rP is the full count.
"""

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sabot_sim.angel_eye.copies import Sent
from support.angel_received import ReceivedLine, committed_within_s
from support.brokers import Site
from support.site_watcher import DRIVERS, SiteWatcher, WatchSite

EVENTS = int(os.environ.get("SABOT_EVENTS", "800"))
MOST_GROWTH_KIB = 16 * 1024
LOOK_EVERY = 200  # events
every_driver = pytest.mark.parametrize("driver", DRIVERS)


def own_kib(pid: int) -> int:
    """The memory that is a process's own."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("RssAnon:")))


def entries(watcher: SiteWatcher) -> int:
    return int(watcher.gateway_status()["ledger"]["entries"])


def run_to(watcher: SiteWatcher, wanted: int) -> list[int]:
    """Deal until the ledger has this many entries; return the gateway's memory meanwhile."""
    seen = [own_kib(watcher.site.gateway.pid)]
    for goal in range(entries(watcher) + LOOK_EVERY, wanted + LOOK_EVERY, LOOK_EVERY):
        watcher.run_until(lambda watcher, goal=goal: entries(watcher) >= goal)  # type: ignore[misc]
        seen.append(own_kib(watcher.site.gateway.pid))
    return seen


@every_driver
def test_all_that_came_while_the_broker_was_away_is_delivered_in_order(
    site: Site, watch_site: WatchSite, driver: str
) -> None:
    server = site.start("nats")
    watcher = watch_site(kind=driver, broker_url=str(server), tables=2, lasting=True)
    tables = watcher.site.plan.table_names()
    watcher.run_until(lambda watcher: all(watcher.messages("coup", table) for table in tables))
    site.kill()
    stored_before = {table: len(watcher.stored(table)) for table in tables}
    events = EVENTS if driver == "sabot" else EVENTS // 2
    away = run_to(watcher, entries(watcher) + events)
    assert all(len(watcher.received_ids(table)) <= stored_before[table] for table in tables)
    assert watcher.gateway_status()["broker"]["behind"] >= events
    assert not watcher.gateway_status()["broker"]["connected"]
    for table in tables:
        watcher.site.power_off(table)
    site.start("nats", port=server.port)
    watcher.run_until_received()
    back = own_kib(watcher.site.gateway.pid)
    for table in tables:
        assert watcher.received_ids(table) == watcher.stored(table)
        assert watcher.wrong_coups(table, settled=True) == []
    assert max(*away, back) - away[0] < MOST_GROWTH_KIB
    stored = sum(len(watcher.stored(table)) for table in tables)
    memory = f"own memory {away[0]} KiB before, {max(away)} at most, {back} after"
    print(f"{events} events while the broker was away, {stored} messages in all; {memory}")


@every_driver
def test_what_a_broker_never_acknowledged_is_sent_again_after_both_have_died(
    site: Site, watch_site: WatchSite, driver: str
) -> None:
    server = site.start("nats")
    watcher = watch_site(kind=driver, broker_url=str(server), speed=100.0, lasting=True)
    watcher.run_for_coups(1)
    site.process.send_signal(signal.SIGSTOP)  # it still takes what the socket holds, and answers nothing
    goal = entries(watcher) + 40
    watcher.run_until(lambda watcher: entries(watcher) >= goal)
    watcher.site.kill_gateway()
    site.kill()
    site.start("nats", port=server.port)
    watcher.site.start_gateway()
    watcher.run_for_coups(1)
    watcher.site.power_off("bac-01")
    watcher.run_until_received()
    assert watcher.received_ids("bac-01") == watcher.stored("bac-01")
    assert watcher.wrong_coups(cuts=1, settled=True) == []


def test_what_a_killed_gateway_may_lose_counts_from_the_last_look_at_it() -> None:
    """Also where this process then stood still: it sees the kill late."""
    client, early, late = object(), Sent(0.0, b"\x05 D\x11\x21"), Sent(10.0, b"\x05 D\x11\x22")
    table: Any = SimpleNamespace(bench=SimpleNamespace(clients=[client]), truth=SimpleNamespace(sent=[early]))
    line = ReceivedLine(table)
    early.good = 2
    line.step(0.0)
    table.truth.sent.append(late)
    late.good = 2
    seen_s = 100.0 * committed_within_s()
    line.step(seen_s)
    table.bench.clients.clear()
    line.step(10 * seen_s)
    assert [line.must_be_stored(frame, settled=True) for frame in line.frames] == [True, False]
