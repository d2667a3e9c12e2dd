"""A local site and what its subscriber received, each id once, to compare with the ledger."""

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

import msgspec
import pytest
from sabot_gateway.ledger import Reader
from sabot_protocol.topics import is_published
from sabot_service.client import ask
from sabot_service.messages import Request
from sabot_tools.stand.angel_eye_table import LiveAngelEye
from sabot_tools.stand.local_site import LocalSite, Received

from support.angel_received import ReceivedLine
from support.patience import PATIENCE_S

DRIVERS = ("sabot", "angel-eye")  # the kinds of shoes that a gateway reads
FLAT_OUT = 1e6  # speed factor: as fast as the firmware can
_LOOK_EVERY = 20  # steps
_GRACE_S = 10.0  # before PATIENCE_S ends

Id = tuple[str, str]  # topic and id


def contiguous(numbers: list[int]) -> bool:
    """Return True if the numbers are 1, 2, 3 … without a gap, and at least one."""
    return bool(numbers) and numbers == list(range(1, len(numbers) + 1))


def sabot(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a sabot command."""
    command = [sys.executable, "-m", "sabot_tools", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class SiteWatcher:
    """Runs a local site and keeps everything its subscriber received."""

    def __init__(self, site: LocalSite) -> None:
        self.site = site
        self.received: list[Received] = []
        self._by_topic: dict[str, dict[Any, dict[str, Any]]] = {}
        self._ids: dict[str, dict[Id, None]] = {}
        tables = site.tables.items()
        self.lines = {name: ReceivedLine(table) for name, table in tables if isinstance(table, LiveAngelEye)}

    def run_until(self, done: Callable[["SiteWatcher"], bool]) -> None:
        """Deal until the condition holds; fail with the gateway's log after PATIENCE_S."""
        give_up_s = time.monotonic() + PATIENCE_S
        while not done(self):
            self.step()
            if time.monotonic() > give_up_s:
                pytest.fail((self.site.plan.work_dir / "gateway.log").read_text())

    def run_for_coups(self, more: int, table: str = "bac-01") -> None:
        """Deal until the subscriber has this many more coups."""
        goal = len(self.messages("coup", table)) + more
        self.run_until(lambda watcher: len(watcher.messages("coup", table)) >= goal)

    def step(self) -> None:
        """Run the site for one turn."""
        self.site.step()
        for line in self.lines.values():
            line.step(time.monotonic())
        for message in self.site.take_inbox():
            self._keep(message)

    def _keep(self, message: Received) -> None:
        """Keep each id once, as a consumer does."""
        self.received.append(message)
        seen = self._by_topic.setdefault(message.topic, {})
        payload = msgspec.json.decode(message.payload)
        table, _, topic = message.topic.removeprefix(f"sabot/v1/{self.site.plan.site}/").partition("/")
        for one in payload if isinstance(payload, list) else [payload]:
            seen.setdefault(one.get("id", len(seen)), one)
            if "id" in one:
                self._ids.setdefault(table, {}).setdefault((topic, one["id"]))

    def messages(self, topic: str, table: str = "bac-01") -> list[dict[str, Any]]:
        """Return the payloads of a topic of a table, in the order received."""
        return list(self._by_topic.get(f"sabot/v1/{self.site.plan.site}/{table}/{topic}", {}).values())

    def newest(self, topic: str) -> dict[str, Any]:
        """Return the newest message of a topic below the site, such as `bac-01/status`, or an empty dict."""
        found = list(self._by_topic.get(f"sabot/v1/{self.site.plan.site}/{topic}", {}).values())
        return found[-1] if found else {}

    def wrong_coups(self, table: str = "bac-01", cuts: int = 0, *, settled: bool = False) -> list[str]:
        """Return what is wrong with the coups of a table; each cut may leave two coups in dispute, at an Angel Eye.

        Settled: the shoe is off, and the subscriber has everything.
        """
        coups = self.messages("coup", table)
        disputed = [coup for coup in coups if coup["status"] != "verified"]
        shoes = [coup["shoe"] for coup in coups]
        numbers = [[coup["coup"] for coup in coups if coup["shoe"] == shoe] for shoe in sorted(set(shoes))]
        found = [] if shoes == sorted(shoes) and all(map(contiguous, numbers)) else [f"numbers {numbers}"]
        if table not in self.lines:
            return found + [f"{coup['id']} is {coup['status']}" for coup in disputed]
        found += [f"{len(disputed)} disputed after {cuts} cuts"] if len(disputed) > 2 * cuts else []
        return found + self.lines[table].differences(coups, settled=settled)

    def ledger_refuses_and_gateway_dies(self, since_s: float) -> None:
        """Note that what came since then can be in no ledger: an Angel Eye keeps no log."""
        for line in self.lines.values():
            line.nothing_stored_from(since_s)

    def site_status(self) -> list[dict[str, Any]]:
        """Return the status messages of the gateway itself."""
        return list(self._by_topic.get(f"sabot/v1/{self.site.plan.site}/status", {}).values())

    def received_ids(self, table: str) -> list[Id]:
        """Return topic and id of every message of a table, in the order of first arrival."""
        return list(self._ids.get(table, {}))

    def stored(self, table: str) -> list[Id]:
        """Return topic and id of every entry of a table that must be published, in ledger order."""
        with closing(Reader(self.site.ledger_path)) as ledger:
            return [
                (entry.topic, msgspec.json.decode(entry.payload)["id"])
                for entry in ledger.entries("WHERE table_name = ?", (table,))
                if is_published(entry.topic, entry.table)
            ]

    def run_until_received(self) -> None:
        """Run until the subscriber has as many messages as the ledger, twice in a row, or PATIENCE_S ends."""
        tables = self.site.plan.table_names()
        steps = iter(range(10**9))
        give_up_s = time.monotonic() + PATIENCE_S
        before: list[int] = []

        def done(watcher: "SiteWatcher") -> bool:
            nonlocal before
            if next(steps) % _LOOK_EVERY:
                return False
            stored = [len(watcher.stored(table)) for table in tables]
            still, before = stored == before, stored  # the gateway may still read bytes of a stopped shoe
            received_ids = all(
                len(watcher.received_ids(table)) >= count for table, count in zip(tables, stored, strict=True)
            )
            return time.monotonic() > give_up_s - _GRACE_S or (received_ids and still)

        self.run_until(done)

    def ledger_events(self) -> list[int]:
        """Check the chain of the ledger, and return its event numbers in order."""
        return [number for numbers in self.events_by_unit().values() for number in numbers]

    def events_by_unit(self) -> dict[str, list[int]]:
        """Check the chain of the ledger, and return the event numbers of each shoe in order."""
        found: dict[str, list[int]] = {}
        with closing(Reader(self.site.ledger_path)) as ledger:
            ledger.verify_chain()
            for entry in ledger.entries("WHERE event_no IS NOT NULL AND frame <> x''"):
                assert entry.event_no is not None
                found.setdefault(entry.unit, []).append(entry.event_no)
        return found

    def gateway_status(self) -> dict[str, Any]:
        """Return the status that the daemon gives at its control socket."""
        answer = ask(self.site.ledger_path.with_name("control.sock"), Request("status"))
        status: dict[str, Any] = msgspec.json.decode(answer.data)
        return status


WatchSite = Callable[..., SiteWatcher]  # the fixture `watch_site`: takes the arguments of a SitePlan
