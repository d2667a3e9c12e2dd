"""The floor service of a day: fed over the broker while the tables play; and reports as a person asks for them."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import Any, Final

import msgspec
from sabot_floor.app import App
from sabot_floor.config import Config
from sabot_floor.gaming_day import Calendar
from sabot_floor.projection import coverage
from sabot_service.broker import Broker
from support.patience import PATIENCE_S

from day.known import utc
from day.period import Period

HOUR: Final = "06:00"
ZONE: Final = "Australia/Sydney"
_NAP_S: Final = 0.002


class Floor:
    """A floor service in this process, by the clock of the day."""

    def __init__(self, broker: Broker, site: str, work_dir: Path, clock: Callable[[], float]) -> None:
        self.store = work_dir / "floor.db"
        config = Config(site=site, store=str(self.store), broker=str(broker), gaming_day=HOUR, time_zone=ZONE)
        self.app = App(config, clock=clock)

    def step(self) -> None:
        """Store what has come."""
        self.app.step(0)

    def wait_until_ready(self, others: Callable[[], None]) -> None:
        """Subscribe; `others` take their turn meanwhile."""
        self._until(lambda: self.app.subscribed, others, "the floor service is subscribed")

    def wait_until_fed(self, last: dict[str, int], others: Callable[[], None]) -> None:
        """Wait until the projection has the last published entry of every gateway, without a gap."""

        def fed() -> bool:
            found = {one.gateway: one.covered_to for one in coverage.gateways(self.app.store) if not one.gaps}
            return all(found.get(gateway, 0) >= entry for gateway, entry in last.items())

        self._until(fed, others, "the projection has every entry")

    def _until(self, done: Callable[[], bool], others: Callable[[], None], awaited: str) -> None:
        give_up_s = time.monotonic() + PATIENCE_S
        while not done():
            if time.monotonic() > give_up_s:
                raise TimeoutError(f"not within {PATIENCE_S:.0f} s: {awaited}")
            self.step()
            others()
            time.sleep(_NAP_S)

    def close(self) -> None:
        """Stop."""
        self.app.close()


def sabot(*args: str) -> bytes:
    """Run a command as a person does; return what it prints."""
    done = subprocess.run([sys.executable, "-m", "sabot_tools", *args], capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"sabot {' '.join(args)}: {done.stderr.decode().strip()}")
    return done.stdout


def report(store: Path, *args: str) -> dict[str, Any]:
    """Return a report of the store."""
    found: dict[str, Any] = msgspec.json.decode(
        sabot("report", *args, "--store", str(store), "--gaming-day", HOUR, "--time-zone", ZONE, "--json")
    )
    return found


def gaming_days(times_s: Iterable[float]) -> list[tuple[date, Period]]:
    """Return the gaming days of these times, each with its period."""
    calendar = Calendar(HOUR, ZONE)
    days = sorted({calendar.day_of(utc(time_s)) for time_s in times_s})
    return [(day, Period(*calendar.day(day))) for day in days]
