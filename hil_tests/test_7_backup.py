"""A lost disk: a restored ledger holds the daemon until a person accepts, and the shoe sends again what it has."""

import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sabot_gateway.ledger import Reader
from support.site_watcher import SiteWatcher, WatchSite, contiguous, sabot

HELD = "was made shorter or replaced: entry "


def coups(watcher: SiteWatcher) -> dict[str, tuple[Any, ...]]:
    """Return what the ledger has of each coup, by its message's id."""
    with closing(Reader(watcher.site.ledger_path)) as reader:
        names = ("shoe", "coup", "status", "winner", "player", "banker")
        return {row["id"]: tuple(row[name] for name in names) for row in reader.rows("coups")}


def stop_gateway(watcher: SiteWatcher) -> None:
    """Stop the gateway, however soon after its start; the head that it leaves at the broker is the newest one."""
    watcher.site.children.release(watcher.site.gateway)
    watcher.site.gateway.terminate()
    assert watcher.site.gateway.wait() == 0
    watcher.run_until(lambda watcher: watcher.site_status()[-1]["state"] == "offline")


def lose_the_disk(watcher: SiteWatcher) -> Path:
    """Remove the ledger with all that is beside it; return the copy of its key that was kept elsewhere."""
    ledger = watcher.site.ledger_path
    kept = Path(shutil.copy2(ledger.with_name("ledger.db-key"), ledger.with_name("kept")))
    for file in ledger.parent.glob("ledger.db*"):
        file.unlink()
    return kept


def backups(watcher: SiteWatcher) -> str:
    place = watcher.site.ledger_path.with_name("backups")
    place.mkdir(exist_ok=True)
    return str(place)


@pytest.mark.parametrize("with_key", [True, False], ids=["with-key", "key-lost"])
def test_a_copy_is_restored_and_the_shoe_sends_again_what_is_missing(watch_site: WatchSite, with_key: bool) -> None:
    watcher = watch_site(speed=100.0, lasting=True)
    watcher.run_for_coups(3)
    ledger, place = str(watcher.site.ledger_path), backups(watcher)
    made = sabot("ledger", "backup", place, "--ledger", ledger)  # beside the daemon
    assert made.returncode == 0, made.stderr
    watcher.run_for_coups(4)
    stop_gateway(watcher)
    before = coups(watcher)
    key = lose_the_disk(watcher)
    more = ["--broker", str(watcher.site.broker), *(["--key", str(key)] if with_key else [])]
    restored = sabot("ledger", "restore", place, "--out", ledger, *more)
    assert restored.returncode == 0, restored.stderr
    assert restored.stdout.endswith(" are missing\n")
    assert len(coups(watcher)) < len(before)
    watcher.site.start_gateway()
    watcher.run_until(lambda watcher: HELD in str(watcher.site_status()[-1].get("problem")))
    accepted = sabot("ledger", "accept", ledger, "--by", "A. Smith", "--reason", "disk lost")
    assert accepted.returncode == 0, accepted.stderr
    watcher.run_until(lambda watcher: watcher.site_status()[-1].get("problem") is None)
    watcher.run_for_coups(3)
    assert contiguous(watcher.ledger_events())
    after = coups(watcher)
    assert {coup: after.get(coup) for coup in before} == before
    assert watcher.wrong_coups() == []
    verified = sabot("ledger", "verify", ledger)
    assert verified.returncode == 0, verified.stderr


def test_with_every_entry_shipped_nothing_is_missing_and_nobody_is_asked(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0, lasting=True)
    watcher.run_for_coups(2)
    ledger, place = str(watcher.site.ledger_path), backups(watcher)
    assert sabot("ledger", "backup", place, "--ledger", ledger).returncode == 0
    watcher.run_for_coups(2)
    assert sabot("ledger", "ship", place, "--ledger", ledger).returncode == 0  # beside the daemon
    stop_gateway(watcher)
    shipped = sabot("ledger", "ship", place, "--ledger", ledger)
    assert shipped.returncode == 0, shipped.stderr
    before = coups(watcher)
    kept = lose_the_disk(watcher)
    restored = sabot(
        "ledger", "restore", place, "--out", ledger, "--key", str(kept), "--broker", str(watcher.site.broker)
    )
    assert restored.returncode == 0, restored.stderr
    assert restored.stdout.endswith(": no entry up to it is missing\n")
    assert coups(watcher) == before
    watcher.site.start_gateway()
    watcher.run_for_coups(3)
    assert contiguous(watcher.ledger_events())
    assert watcher.site_status()[-1].get("problem") is None
    drilled = sabot("ledger", "drill", place, "--ledger", ledger, "--broker", str(watcher.site.broker))
    assert drilled.returncode == 0, drilled.stderr
