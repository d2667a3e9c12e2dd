"""Monitoring: metrics, health, the service manager's watchdog and the alarms of the clock, for the loop of the app."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sabot_service.clock_source import ClockWatch
from sabot_service.moment import Moment
from sabot_service.monitor import Health, Monitor, Snapshot
from sabot_service.systemd import Systemd

from sabot_gateway.config import Config
from sabot_gateway.hold import HoldControl
from sabot_gateway.ops import metrics
from sabot_gateway.ops.clock_alarms import ClockAlarms, sentence
from sabot_gateway.own_entries import OwnEntries
from sabot_gateway.publish.stage import PublishStage
from sabot_gateway.table_session import TableSession

_LOOK_EVERY_S = 10.0
_TABLES_A_TURN = 10  # of a snapshot: a millisecond of the loop
_MOST_NAMED = 20  # tables, in the reasons why the gateway is not ready


class Monitoring:
    """`turned` after every turn that ended; what watches the daemon sees no other turns."""

    def __init__(
        self,
        config: Config,
        tables: Mapping[str, TableSession],
        publish: PublishStage,
        hold: HoldControl,
        own: OwnEntries,
        monotonic: Callable[[], float],
        systemd: Systemd | None = None,
        clock: ClockWatch | None = None,
    ) -> None:
        self._tables, self._publish, self._hold, self._own = tables, publish, hold, own
        self._clock_alarms, self._look_s = ClockAlarms(config.clock_limit_s), 0.0
        self.health, self.systemd = Health(monotonic), systemd or Systemd({}, 0)
        self.clock = clock or ClockWatch()
        self._rest: list[TableSession] | None = None  # tables that the next snapshot lacks; None: none is being made
        self._found = metrics.no_samples()
        self.monitor: Monitor | None = None
        if config.metrics is not None:
            on_disk = partial(metrics.on_disk, Path(config.ledger), _about(config))
            self.monitor = Monitor(config.metrics, metrics.FAMILIES, self.health, on_disk)

    def start(self) -> None:
        """Start the threads; report that the gateway serves."""
        self.clock.start()
        if self.monitor is not None:
            self.monitor.start()
        self.systemd.ready()

    def turned(self, at: Moment) -> None:
        """Note that a turn ended; give the thread of the metrics what it waits for."""
        self.health.turned(at.now_s)
        self.health.give(self._next_snapshot)
        self.systemd.progress(at.now_s, self._hold.problem or "")

    def sweep(self, at: Moment) -> None:
        """Bring the alarms of the clock into line with its newest reading, now and then."""
        if at.now_s < self._look_s:
            return
        self._look_s = at.now_s + _LOOK_EVERY_S
        texts = self._clock_alarms.texts(self.clock.reading, at.now_s)
        for table in self._tables.values():
            for name, say in texts.items():
                self._own.match_state(table, name, say, at)

    def clock_sentence(self) -> str:
        """Return the clock in a few words."""
        return sentence(self.clock.reading)

    def snapshot(self) -> Snapshot:
        """Return plain values of the whole gateway at once; for tests."""
        while (found := self._next_snapshot()) is None:
            pass
        return found

    def _next_snapshot(self) -> Snapshot | None:
        """Add some tables to the snapshot and return it once it has all: the loop has other things to do."""
        if self._rest is None:
            self._rest, self._found = list(self._tables.values()), metrics.no_samples()
        now, self._rest = self._rest[:_TABLES_A_TURN], self._rest[_TABLES_A_TURN:]
        for table in now:
            metrics.add_table(self._found, table)
        if self._rest:
            return None
        self._rest = None
        metrics.add_gateway(self._found, self._publish, self._hold.active, self.health.turns, self.clock.reading)
        return Snapshot(self._found, self.not_ready())

    def not_ready(self) -> list[str]:
        """Return why the gateway does not serve every table: its ledger, its broker, its ports."""
        found = [self._hold.problem] if self._hold.problem else []
        if not self._publish.connected():
            found.append(self._publish.mqtt.problem or "the broker has not answered yet")
        closed = [table.name for table in self._tables.values() if table.line.port is None]
        more = f" and {len(closed) - _MOST_NAMED} more" if len(closed) > _MOST_NAMED else ""
        return [*found, *([f"no port is open at {', '.join(closed[:_MOST_NAMED])}{more}"] if closed else [])]

    def close(self) -> None:
        """End the threads."""
        self.clock.close()
        if self.monitor is not None:
            self.monitor.close()
        self.systemd.close()


def _about(config: Config) -> dict[str, str]:
    try:
        release = version("sabot")
    except PackageNotFoundError:
        release = "unknown"
    return {"version": release, "site": config.site, "gateway": config.gateway or ""}
