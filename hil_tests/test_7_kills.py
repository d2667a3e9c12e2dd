"""Gateway, broker and shoe killed at random moments, in any order: every coup once, in order, as dealt.

SABOT_ROUNDS=500 SABOT_SEED=1 .venv/bin/pytest hil_tests/test_7_kills.py tries more. A seed gives the same plan and the
same cards; the moments are the processes' own. The subscriber keeps its session (QoS 1, a fixed client id, not clean),
so that its broker may die too.
"""

import os
from collections import Counter
from typing import Any

import pytest
from sabot_gateway.ledger import audit
from support.brokers import Site
from support.kills import Killer, misplayed, plan
from support.site_watcher import SiteWatcher, WatchSite, contiguous

ROUNDS = int(os.environ.get("SABOT_ROUNDS", "12"))
SEED = int(os.environ.get("SABOT_SEED", "1"))
TABLES = 2
SPEED = 30.0  # times life: most of a round is play, and little of it the machine's work
# Alarms: of pulled plugs, of a gateway long away, and of one well shuffled shoe in a thousand (six cards of one suit).
CAUSED = {"shoe_restarted", "noise", "fault_journal_full", "ordered_set"}
# Of an Angel Eye: of cut coups, and of a change of shoe while no gateway was there.
CAUSED_ANGEL_EYE = {"shoe_restarted", "line_interrupted", "discrepancy", "result_not_used", "missing_or_foreign_card"}
# By broker and driver: the share of the rounds.
SHARES = {("nats", "sabot"): 1.0, ("mosquitto", "sabot"): 0.25, ("nats", "angel-eye"): 0.25}


@pytest.mark.parametrize(("kind", "driver"), SHARES)
def test_every_coup_arrives_once_and_in_order_whatever_is_killed(
    site: Site, watch_site: WatchSite, kind: str, driver: str
) -> None:
    rounds = int(ROUNDS * SHARES[kind, driver])
    url = str(site.start(kind))
    watcher = watch_site(kind=driver, broker_url=url, tables=TABLES, seed=SEED, speed=SPEED, lasting=True)
    killer = Killer(watcher, site, kind)
    tables = watcher.site.plan.table_names()
    watcher.run_until(lambda watcher: all(watcher.messages("coup", table) for table in tables))
    for number, round_ in enumerate(plan(SEED, rounds, tables), 1):
        print(f"seed {SEED}, round {number}: {round_}", flush=True)
        killer.carry_out(round_)
        assert audit.verify(watcher.site.ledger_path).faults == []  # beside the daemon, or after its kill
    killer.finish(more_coups=3)
    (judge if driver == "sabot" else judge_angel_eye)(watcher, killer)


def judge_angel_eye(watcher: SiteWatcher, killer: Killer) -> None:
    """The same for a shoe without a log: what came to a living gateway is as dealt, cut coups are disputed."""
    assert audit.verify(watcher.site.ledger_path).faults == []
    for table, cuts in killer.cuts.items():
        assert watcher.received_ids(table) == watcher.stored(table)
        assert watcher.wrong_coups(table, cuts + killer.gateway_kills, settled=True) == []
        verified = [message["id"] for message in watcher.messages("coup", table) if message["status"] == "verified"]
        assert [message["coup_id"] for message in watcher.messages("confirmed", table)] == verified
        assert {cause(message) for message in watcher.messages("alarm", table)} <= CAUSED_ANGEL_EYE
    assert all(map(contiguous, watcher.events_by_unit().values()))
    print(figures(watcher, killer))


def judge(watcher: SiteWatcher, killer: Killer) -> None:
    """Nothing lost, nothing doubled, nothing out of order, nothing that was not dealt; the ledger is intact."""
    assert audit.verify(watcher.site.ledger_path).faults == []
    for table, cuts in killer.cuts.items():
        assert watcher.received_ids(table) == watcher.stored(table)
        coups = watcher.messages("coup", table)
        assert {message["status"] for message in coups} == {"verified"}
        assert misplayed(watcher, table, killer.stacks[table], cuts) == []
        confirmed = [message["coup_id"] for message in watcher.messages("confirmed", table)]
        assert confirmed == [message["id"] for message in coups][: len(confirmed)]
        assert len(coups) - len(confirmed) <= 1  # the plug was pulled before Confirm
    assert all(map(contiguous, watcher.events_by_unit().values()))
    for table in killer.cuts:
        assert {cause(message) for message in watcher.messages("alarm", table)} <= CAUSED
    print(figures(watcher, killer))


def cause(alarm: dict[str, Any]) -> str:
    """Its name, or why the shoe rejected: a card that stopped in mid-path with the power is noise to it."""
    return str(alarm["shoe_says"] if alarm["name"] == "reject" else alarm["name"])


def figures(watcher: SiteWatcher, killer: Killer) -> str:
    """For people."""
    tables = killer.cuts
    topics = Counter(topic for table in tables for topic, _ in watcher.received_ids(table))
    events = sum(map(len, watcher.events_by_unit().values()))
    return f"{events} events, {topics['coup']} coups, {len(watcher.received)} messages received, plugs pulled {tables}"


def test_a_plan_kills_everybody_alone_and_together_and_is_the_same_for_a_seed() -> None:
    rounds = plan(1, 500, ["bac-01", "bac-02"])
    assert rounds == plan(1, 500, ["bac-01", "bac-02"]) != plan(2, 500, ["bac-01", "bac-02"])
    sets = Counter(frozenset(round_.victims) for round_ in rounds)
    assert all(sets[frozenset(who)] > 20 for who in (["gateway"], ["broker"], ["bac-01"], ["gateway", "broker"]))
    assert sum(len(who) == 3 for who in sets) == 2
    orders = {round_.victims for round_ in rounds if set(round_.victims) == {"gateway", "broker", "bac-01"}}
    assert len(orders) == 6
