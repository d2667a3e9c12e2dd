"""Line watch: why nobody is served on a line, and what is wrong with one on which a shoe is served."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

_WINDOW_S = 60.0
_MOST_FOREIGN = 100  # a shoe with a wrong key sends HELLO once a second
_MOST_UNREADABLE = 5  # a shoe sends what is not acknowledged ten times in the first minute
_STALLED_S, _LEAST_FRAMES = 30.0, 10
FOREIGN: Final = ("unauthenticated", "forged", "replayed", "strays")
_UNREADABLE = ("unknown", "oversize")
SILENT_AFTER_S = 5.0
_STOOD_STILL_S = 2.0  # a shorter pause makes no silence: a shoe sends something once a second
SILENT = "nothing comes on this port: the shoe is switched off, its cable is not plugged in, or this is another port"
UNREADABLE = "bytes come on this port, but no frame: the baud rate is wrong, or another device is on it"
MISFIT = (
    "frames with a right checksum come on this port, but they are not of this release's protocol ({what}): put the "
    "firmware of this release on the shoe, or find out what else is connected here"
)
DEAF = "the shoe sends on this port, but does not receive this gateway: check the wire to the shoe and its connector"


@dataclass
class Rate:
    """Counters that may rise by `most` in a minute."""

    names: tuple[str, ...]
    most: int
    _since_s: float = 0.0
    _before: dict[str, int] = field(default_factory=dict)

    def until_s(self) -> float:
        """Return when the minute is over."""
        return self._since_s + _WINDOW_S

    def exceeded(self, counters: Mapping[str, int], now_s: float) -> dict[str, int]:
        """Return by how much each counter rose in the last minute, where together they rose by more than `most`."""
        found = {name: counters[name] - self._before.get(name, 0) for name in self.names}
        too_many = sum(found.values()) > self.most
        if too_many or now_s - self._since_s >= _WINDOW_S:
            self._since_s, self._before = now_s, {name: counters[name] for name in self.names}
        return {name: count for name, count in found.items() if count} if too_many else {}


@dataclass
class Stall:
    """Finds a shoe that sends frames and has more in its log, but never the next event."""

    frames: int = 0  # that came without the event that is wanted
    _since_s: float = 0.0

    def progress(self) -> None:
        """Begin again: the next event was taken."""
        self.frames = 0

    def frame(self, now_s: float) -> bool:
        """Count a frame without the event that is wanted; return True when that has lasted too long."""
        if not self.frames:
            self._since_s = now_s
        self.frames += 1
        stalled = self.frames >= _LEAST_FRAMES and now_s - self._since_s >= _STALLED_S
        if stalled:
            self.frames = 0
        return stalled


@dataclass
class LineDiagnosis:
    """What comes on a line, and so why nobody is served there."""

    last_frame_s: float | None = None  # of the shoe that is served, or else of any sender
    unreadable_bytes: int = 0  # since the last sound frame
    _since_s: float | None = None  # since when nothing, or something, comes
    _forgiven_s: float | None = None  # `last_frame_s` after a time in which the line was not read

    def reset(self) -> None:
        """Begin again: the port was opened."""
        self.last_frame_s = self._since_s = None
        self.unreadable_bytes = 0

    def read_late(self, late_s: float) -> None:
        """Do not count a long time in which the line was not read as silence, once: then the shoe must send."""
        last_s = self.last_frame_s
        if last_s is not None and late_s >= _STOOD_STILL_S and last_s != self._forgiven_s:
            self.last_frame_s = self._forgiven_s = last_s + late_s

    def rest_s(self, now_s: float) -> float:
        """Return the time until a shoe that is served and sends nothing more is silent."""
        return 0.0 if self.last_frame_s is None else self.last_frame_s + SILENT_AFTER_S - now_s

    def sound_frame(self, now_s: float) -> bool:
        """Take note of a frame; return True if it is the first after a silence."""
        first = self.last_frame_s is None or now_s - self.last_frame_s >= SILENT_AFTER_S
        if first:
            self._since_s = now_s
        self.last_frame_s, self.unreadable_bytes = now_s, 0
        return first

    def diagnose(self, problem: str | None, misfit: str, now_s: float, *, served: bool) -> str | None:
        """Return what is wrong with the line, or `problem` where that is known better; `misfit` is the newest frame."""
        since_s = self._since_s = now_s if self._since_s is None else self._since_s
        if served:
            return problem
        if now_s - (since_s if self.last_frame_s is None else self.last_frame_s) >= SILENT_AFTER_S:
            unread = MISFIT.format(what=misfit) if misfit else UNREADABLE
            return unread if self.unreadable_bytes else SILENT
        if problem is None and self.last_frame_s is not None and now_s - since_s >= SILENT_AFTER_S:
            return DEAF
        return problem


@dataclass
class LineWatch:
    """The rates of one line."""

    _foreign: Rate = field(default_factory=lambda: Rate(FOREIGN, _MOST_FOREIGN))
    _unreadable: Rate = field(default_factory=lambda: Rate(_UNREADABLE, _MOST_UNREADABLE))
    _counted: int = -1  # of all counters together, when they were looked at last
    _look_s: float = 0.0  # when a minute is over

    def due(self, counted: int, now_s: float) -> bool:
        """Return True if a look can find or change something: a counter has risen, or a minute is over."""
        if counted == self._counted and now_s < self._look_s:
            return False
        self._counted = counted
        return True

    def look(self, counters: Mapping[str, int], now_s: float, *, served: bool) -> dict[str, str]:
        """Return the alarms that are due, by name; a line on which nobody is served has a problem of its own."""
        foreign, unreadable = self._foreign.exceeded(counters, now_s), self._unreadable.exceeded(counters, now_s)
        self._look_s = min(self._foreign.until_s(), self._unreadable.until_s())
        found = {"forged_frames": forged_frames(foreign)} if foreign else {}
        return found | ({"unreadable_frames": unreadable_frames(unreadable)} if unreadable and served else {})


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def forged_frames(counts: Mapping[str, int]) -> str:
    """Return the text of the alarm: somebody else may send on the line."""
    return (
        f"Within a minute {sum(counts.values())} frames came that are not of the shoe's session ({_listed(counts)}). "
        "None of them changed anything. Another device may be on this line: check its cable, its adapter and who can "
        "reach them."
    )


def unreadable_frames(counts: Mapping[str, int]) -> str:
    """Return the text of the alarm: the shoe sends frames that the protocol does not have."""
    return (
        f"Within a minute {sum(counts.values())} frames came that cannot be read ({_listed(counts)}). If no new event "
        "is stored, the shoe sends something that the protocol does not have: have it inspected."
    )


def log_stalled(unit: str, event_no: int) -> str:
    """Return the text of the alarm: the next event does not come."""
    return (
        f"Event {event_no} of shoe {unit} does not come, though the shoe is connected and has it. No event after it "
        "can be stored. Do not deal from this shoe: have it inspected."
    )
