"""Line watch: what is wrong with a line though its shoe is served: an alarm a name, in words, again while it lasts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

_WINDOW_S = 60.0
_MOST_FOREIGN = 100  # a shoe with a wrong key says HELLO once a second
_MOST_UNREADABLE = 5  # a shoe sends what is not acknowledged ten times in the first minute
_STALLED_S, _LEAST_FRAMES = 30.0, 10
_FOREIGN = ("unauthenticated", "forged", "replayed", "strays")
_UNREADABLE = ("unknown", "oversize")


@dataclass
class Rate:
    """Counters of which a minute brings no more than `most`."""

    names: tuple[str, ...]
    most: int
    _since_s: float = 0.0
    _before: dict[str, int] = field(default_factory=dict)

    def exceeded(self, counters: Mapping[str, int], now_s: float) -> dict[str, int]:
        """What the last minute brought, where it was more; nothing else."""
        found = {name: counters[name] - self._before.get(name, 0) for name in self.names}
        too_many = sum(found.values()) > self.most
        if too_many or now_s - self._since_s >= _WINDOW_S:
            self._since_s, self._before = now_s, {name: counters[name] for name in self.names}
        return {name: count for name, count in found.items() if count} if too_many else {}


@dataclass
class Stall:
    """A shoe that speaks, has more in its log, and does not get on with it."""

    _since_s: float = 0.0
    _frames: int = 0

    def progress(self) -> None:
        """The next event was taken, or nothing is missing."""
        self._frames = 0

    def heard(self, now_s: float) -> bool:
        """A frame without the event that is wanted; True when that has lasted too long."""
        if not self._frames:
            self._since_s = now_s
        self._frames += 1
        stalled = self._frames >= _LEAST_FRAMES and now_s - self._since_s >= _STALLED_S
        if stalled:
            self._frames = 0
        return stalled


@dataclass
class LineWatch:
    """The rates of one line."""

    _foreign: Rate = field(default_factory=lambda: Rate(_FOREIGN, _MOST_FOREIGN))
    _unreadable: Rate = field(default_factory=lambda: Rate(_UNREADABLE, _MOST_UNREADABLE))

    def look(self, counters: Mapping[str, int], now_s: float, *, served: bool) -> dict[str, str]:
        """The alarms that are due, by name; a line that serves nobody has a problem of its own."""
        foreign, unreadable = self._foreign.exceeded(counters, now_s), self._unreadable.exceeded(counters, now_s)
        found = {"forged_frames": forged_frames(foreign)} if foreign else {}
        return found | ({"unreadable_frames": unreadable_frames(unreadable)} if unreadable and served else {})


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def forged_frames(counts: Mapping[str, int]) -> str:
    """Somebody else speaks on the line."""
    return (
        f"Within a minute {sum(counts.values())} frames came that are not of the shoe's session ({_listed(counts)}). "
        "None of them changed anything. Somebody else may be on this line: check its cable, its adapter and who can "
        "reach them."
    )


def unreadable_frames(counts: Mapping[str, int]) -> str:
    """The shoe says what the protocol does not have."""
    return (
        f"Within a minute {sum(counts.values())} frames came that cannot be read ({_listed(counts)}). If the log "
        "stands still, the shoe sends something that the protocol does not have: have it inspected."
    )


def log_stalled(unit: str, event_no: int) -> str:
    """The next event does not come."""
    return (
        f"Event {event_no} of shoe {unit} does not come, though the shoe has it and speaks. Nothing behind it can be "
        "stored. Do not deal from this shoe: have it inspected."
    )
