"""Monitoring: metrics, health and the service manager's watchdog, for the loop of the app."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sabot_service.clock_source import ClockWatch
from sabot_service.metrics import Family, Samples, Value
from sabot_service.moment import Moment
from sabot_service.monitor import Health, Monitor, Snapshot
from sabot_service.mqtt import LoopClient
from sabot_service.systemd import Systemd

from sabot_floor.config import Config
from sabot_floor.hold import Hold
from sabot_floor.inbox import Inbox
from sabot_floor.jackpots.collector import Collector
from sabot_floor.notify.notifier import Notifier
from sabot_floor.projection.feed import Feed

FAMILIES = (
    Family("sabot_floor_build_info", "info", (), "Release of Sabot, and site and worker of this floor service."),
    Family("sabot_floor_messages_total", "counter", (), "Messages of gateways that were taken."),
    Family("sabot_floor_messages_waiting", "gauge", (), "Messages that are not acknowledged to the broker yet."),
    Family("sabot_floor_messages_unreadable_total", "counter", (), "Messages that cannot be read."),
    Family("sabot_floor_increments_refused_total", "counter", ("jackpot", "reason"), "Contributions refused."),
    Family("sabot_floor_wins_open", "gauge", ("jackpot", "about"), "Wins to be settled, or put in order, by people."),
    Family("sabot_floor_projection_skipped_total", "counter", ("reason",), "Messages that the reports do not have."),
    Family("sabot_floor_notices_waiting", "gauge", ("channel",), "Notices that are not delivered yet."),
    Family("sabot_floor_page_streams", "gauge", (), "Pages that are open."),
    Family("sabot_floor_broker_connected", "gauge", (), "1 while the broker has accepted the service."),
    Family("sabot_floor_held", "gauge", (), "1 while nothing is taken, because the store cannot be used."),
    Family("sabot_floor_loop_turns_total", "counter", (), "Turns of the loop that ended as they should."),
    Family("sabot_floor_store_bytes", "gauge", (), "Size of the store, if it is a file."),
    Family("sabot_floor_disk_free_bytes", "gauge", (), "Room on the disk of the store, if it is a file."),
    Family("sabot_floor_clock_offset_seconds", "gauge", (), "This PC's clock less its NTP source; above 0: ahead."),
)  # fmt: skip


class Monitoring:
    """`turned` after every turn that ended; what watches the service sees no other turns."""

    def __init__(
        self,
        config: Config,
        mqtt: LoopClient,
        inbox: Inbox,
        collector: Collector,
        feed: Feed,
        notifier: Notifier,
        hold: Hold,
        web_status: Callable[[], dict[str, Any] | None],
        monotonic: Callable[[], float],
        systemd: Systemd | None = None,
    ) -> None:
        self._mqtt, self._inbox, self._collector, self._feed = mqtt, inbox, collector, feed
        self._notifier, self._hold, self._web_status = notifier, hold, web_status
        self.health, self.systemd, self._clock = Health(monotonic), systemd or Systemd({}, 0), ClockWatch()
        self.messages = 0
        self.monitor: Monitor | None = None
        if config.metrics is not None:
            self.monitor = Monitor(config.metrics, FAMILIES, self.health, partial(_on_disk, config))

    def start(self) -> None:
        """Start the threads; report that the service serves."""
        if self.monitor is not None:
            self._clock.start()
            self.monitor.start()
        self.systemd.ready()

    def turned(self, at: Moment) -> None:
        """Note that a turn ended; give the thread of the metrics what it waits for."""
        self.health.turned(at.now_s)
        self.health.give(self.snapshot)
        self.systemd.progress(at.now_s, self._hold.problem)

    def snapshot(self) -> Snapshot:
        """Return plain values of the whole service."""
        found: Samples = {family.name: [] for family in FAMILIES}
        for name, labels, value in (*self._of_messages(), *self._of_parts()):
            found[name].append((labels, value))
        return Snapshot(found, self.not_ready())

    def _of_messages(self) -> Iterator[tuple[str, tuple[str, ...], Value]]:
        yield "sabot_floor_messages_total", (), self.messages
        yield "sabot_floor_messages_waiting", (), self._inbox.waiting()
        yield "sabot_floor_messages_unreadable_total", (), self._inbox.unreadable
        for jackpot, reasons in self._collector.refusals.table().items():
            for reason, count in reasons.items():
                yield "sabot_floor_increments_refused_total", (jackpot, reason), count
        for jackpot, matters in self._collector.open_wins().items():
            for about, count in matters.items():
                yield "sabot_floor_wins_open", (jackpot, about), count
        for reason, count in self._feed.counts.items():
            yield "sabot_floor_projection_skipped_total", (reason,), count

    def _of_parts(self) -> Iterator[tuple[str, tuple[str, ...], Value]]:
        for channel in (self._notifier.status() or {}).get("channels", []):
            yield "sabot_floor_notices_waiting", (channel["name"],), channel["waiting"]
        pages = self._web_status()
        if pages is not None:
            yield "sabot_floor_page_streams", (), pages["streams"]
        yield "sabot_floor_broker_connected", (), float(self._mqtt.client.is_connected())
        yield "sabot_floor_held", (), float(bool(self._hold.problem))
        yield "sabot_floor_loop_turns_total", (), self.health.turns
        clock = self._clock.reading
        if clock is not None and clock.offset_s is not None:
            yield "sabot_floor_clock_offset_seconds", (), clock.offset_s

    def not_ready(self) -> list[str]:
        """Return why the service does not do all of its work: its store, its broker, its pages."""
        found = [self._hold.problem] if self._hold.problem else []
        if not self._mqtt.client.is_connected():
            found.append(self._mqtt.problem or "the broker has not answered yet")
        pages = self._web_status()
        return [*found, *([pages["problem"]] if pages and pages["problem"] else [])]

    def close(self) -> None:
        """End the threads."""
        self._clock.close()
        if self.monitor is not None:
            self.monitor.close()
        self.systemd.close()


def _on_disk(config: Config) -> Samples:
    """Return what the file system knows, and what never changes; it may wait for a disk, so not for the loop."""
    found: dict[str, Any] = {"sabot_floor_build_info": _about(config)}
    if "://" not in config.store:
        store = Path(config.store)
        with suppress(OSError):
            room = os.statvfs(store.parent)
            found["sabot_floor_disk_free_bytes"] = float(room.f_bavail * room.f_frsize)
            found["sabot_floor_store_bytes"] = float(store.stat().st_size)
    return {name: [((), value)] for name, value in found.items()}


def _about(config: Config) -> dict[str, str]:
    try:
        release = version("sabot")
    except PackageNotFoundError:
        release = "unknown"
    return {"version": release, "site": config.site, "worker": config.worker}
