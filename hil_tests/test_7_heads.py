"""A shortened ledger: the daemon holds, every status gives the reason, and a person lets it continue."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sabot_gateway.ledger import Reader
from support.site_watcher import SiteWatcher, WatchSite, contiguous, sabot

HELD = "was made shorter or replaced: "


def cut_rows(ledger: Path) -> None:
    with closing(sqlite3.connect(ledger, isolation_level=None)) as db:
        db.execute("DELETE FROM entries WHERE seq > (SELECT max(seq) - 5 FROM entries)")


def empty(ledger: Path) -> None:
    os.truncate(ledger, 0)
    ledger.with_name("ledger.db-wal").unlink(missing_ok=True)


def head(watcher: SiteWatcher) -> dict[str, Any]:
    """Return the retained message of the ledger's head."""
    return watcher.newest("ledger")


def stop_gateway(watcher: SiteWatcher) -> None:
    """Stop the gateway and take what it has published."""
    watcher.site.children.release(watcher.site.gateway)
    watcher.site.gateway.terminate()
    assert watcher.site.gateway.wait() == 0
    watcher.run_until(lambda watcher: watcher.site_status()[-1]["state"] == "offline")


def newest(watcher: SiteWatcher) -> tuple[int, str]:
    """Return number and hash of the ledger's newest entry."""
    with closing(Reader(watcher.site.ledger_path)) as reader:
        seq, digest = reader.newest()
    return seq, digest.hex()


def start_gateway(watcher: SiteWatcher) -> None:
    """Start the gateway again and wait no longer than until the broker has accepted it."""
    watcher.site.start_gateway()
    watcher.run_until(lambda watcher: watcher.site_status()[-1]["state"] == "online")


@pytest.mark.parametrize("cut", [cut_rows, empty])
@pytest.mark.parametrize("beside", [True, False], ids=["head-beside-it", "head-at-the-broker-only"])
def test_a_shortened_ledger_holds_the_daemon_until_a_person_accepts(
    watch_site: WatchSite, cut: Callable[[Path], None], beside: bool
) -> None:
    watcher = watch_site(speed=100.0, lasting=True)
    watcher.run_for_coups(4)
    stop_gateway(watcher)
    ledger = watcher.site.ledger_path
    stored, _ = newest(watcher)
    assert stored > 20
    watcher.run_until(lambda watcher: head(watcher).get("entry") == stored)
    cut(ledger)
    if not beside:
        ledger.with_name("ledger.db-head").unlink()
    watcher.site.start_gateway()
    watcher.run_until(lambda watcher: HELD in str(watcher.site_status()[-1].get("problem")))
    status = sabot("gateway", "status", "--config", str(watcher.site.config_path))
    assert HELD in status.stdout
    watcher.run_until(lambda watcher: HELD in str(watcher.newest("bac-01/status").get("problem")))
    accepted = sabot("ledger", "accept", str(ledger), "--by", "A. Smith", "--reason", "tried it")
    assert (accepted.returncode, accepted.stdout) == (0, f"{ledger}: accepted; the gateway goes on.\n")
    watcher.run_until(lambda watcher: watcher.site_status()[-1].get("problem") is None)
    watcher.run_until(
        lambda watcher: "ledger_behind" in {alarm["name"] for alarm in watcher.newest("bac-01/alarms")["alarms"]}
    )
    watcher.run_for_coups(3)
    assert contiguous(watcher.ledger_events())
    verified = sabot("ledger", "verify", str(ledger))
    assert verified.returncode == 0, verified.stderr


def test_the_head_goes_out_and_proves_the_ledger(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(3)
    watcher.run_until(lambda watcher: bool(head(watcher)))
    proved = sabot("ledger", "verify", str(watcher.site.ledger_path), "--broker", str(watcher.site.broker))
    assert proved.returncode == 0, proved.stderr
    assert "1 head compared" in proved.stderr


def test_a_gateway_that_is_stopped_at_once_leaves_the_head_of_its_ledger(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0, lasting=True)
    watcher.run_for_coups(1)
    stop_gateway(watcher)
    start_gateway(watcher)
    stop_gateway(watcher)
    seq, digest = newest(watcher)
    watcher.run_until(lambda watcher: head(watcher).get("entry") == seq)
    assert head(watcher)["hash"] == digest


def test_a_gateway_that_is_stopped_at_once_keeps_a_head_that_proves_more(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0, lasting=True)
    watcher.run_for_coups(4)
    stop_gateway(watcher)
    ledger = watcher.site.ledger_path
    stored, digest = newest(watcher)
    cut_rows(ledger)
    ledger.with_name("ledger.db-head").unlink()
    start_gateway(watcher)
    stop_gateway(watcher)
    watcher.run_until(lambda watcher: head(watcher).get("entry") == stored)
    assert head(watcher)["hash"] == digest
    compared = sabot("ledger", "verify", str(ledger), "--broker", str(watcher.site.broker))
    assert compared.returncode == 1
    assert f"entry {stored} " in compared.stderr  # it is missing, or the shoe has sent another in its place
