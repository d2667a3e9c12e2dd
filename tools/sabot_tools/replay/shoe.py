"""The shoe of a replay: its power, its controller, its key, and what its first session with a gateway must bring."""

from pathlib import Path

from sabot_sim.rigs.rig import Rig

from sabot_tools.replay.serial_line import LineMonitor, SerialLine
from sabot_tools.replay.table_setup import TableSetup


class ReplayShoe:
    """`units` are the controllers that have been at the table, in order."""

    def __init__(self, rig: Rig, line: SerialLine, setup: TableSetup, keys_dir: Path) -> None:
        self._rig, self._line, self._setup, self._keys_dir = rig, line, setup, keys_dir
        self._profile_hash = setup.profile_hash()
        self.powered = False
        self.units: list[str] = []
        self._times_due = 0  # time_set events that the current controller must have logged
        self._register_unit()

    def _register_unit(self) -> None:
        """Remember the controller, and write its key for the gateway if the table has one."""
        unit = self._rig.unit
        if unit not in self.units:
            self.units.append(unit)
        if self._setup.key is not None:
            path = self._keys_dir / f"{unit}.key"
            path.parent.mkdir(mode=0o700, exist_ok=True)
            path.write_text(f"{self._setup.key.hex()}\n")
            path.chmod(0o600)

    def power_on(self) -> None:
        """Switch it on."""
        self._line.monitor.shoe_started()
        self._rig.power_on()
        self.powered = True

    def power_off(self) -> None:
        """Switch it off."""
        self.powered = False
        self._rig.power_off()

    def reset(self) -> None:
        """Pull the reset pin."""
        self._line.monitor.shoe_started()
        self._rig.reset()

    def exchange(self, number: int) -> None:
        """Put another controller at the table, without power."""
        self._rig.exchange(number)
        self._line.monitor = LineMonitor()
        self._register_unit()

    def expect_time(self) -> None:
        """From now on ready() waits until a gateway has set the shoe's time once more."""
        self._times_due = self._line.monitor.times_set + 1

    def ready(self) -> bool:
        """Return True if the shoe is in a session, has the table's profile and knows the time."""
        monitor = self._line.monitor
        has_profile = monitor.profile == self._profile_hash
        return monitor.in_session and has_profile and monitor.times_set >= self._times_due
