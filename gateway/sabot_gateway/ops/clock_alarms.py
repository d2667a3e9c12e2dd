"""Clock alarms: what is wrong with this PC's clock by its time service; the tables' times are no better."""

from dataclasses import dataclass

from sabot_service.clock_source import Reading

NOT_SET_S = 3600.0
_SET_AGAIN = 0.5  # of the limit: an alarm that is raised ends below it
NAMES = ("clock_offset", "clock_not_set")


@dataclass
class ClockAlarms:
    """Readings in, the text of each alarm out; empty without one."""

    limit_s: float
    _raised: bool = False
    _set_s: float | None = None  # when the clock was last known to be set, or first looked at

    def texts(self, reading: Reading | None, now_s: float) -> dict[str, str]:
        """Return what to say now: nothing if no time service is known on this PC."""
        if reading is None:
            self._set_s, self._raised = None, False
            return dict.fromkeys(NAMES, "")
        return {"clock_offset": self._offset(reading), "clock_not_set": self._not_set(reading, now_s)}

    def _offset(self, reading: Reading) -> str:
        offset_s = reading.offset_s
        if offset_s is None:
            return ""
        self._raised = abs(offset_s) > self.limit_s * (_SET_AGAIN if self._raised else 1.0)
        if not self._raised:
            return ""
        return (
            f"This PC's clock is {abs(offset_s):.2f} s {_way(offset_s)} its time server ({reading.service}). Play on. "
            "Times of coups are wrong by as much; their order is right. Have the time server checked."
        )

    def _not_set(self, reading: Reading, now_s: float) -> str:
        if reading.synchronised or self._set_s is None:
            self._set_s = now_s
        if now_s - self._set_s < NOT_SET_S:
            return ""
        return (
            f"No time server has set this PC's clock for an hour ({reading.service}). Play on. Times of coups become "
            "wrong slowly; their order stays right. Have the network and the time server checked."
        )


def sentence(reading: Reading | None) -> str:
    """Return the clock in a few words, for `sabot gateway status`."""
    if reading is None:
        return "not known: neither chrony nor systemd-timesyncd answers"
    if reading.offset_s is None:
        return f"no time server sets it ({reading.service})"
    return f"{abs(reading.offset_s):.6f} s {_way(reading.offset_s)} its time server ({reading.service})"


def _way(offset_s: float) -> str:
    return "ahead of" if offset_s > 0 else "behind"
