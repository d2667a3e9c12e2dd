"""Moment: one instant by both clocks, read once per turn of the loop."""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class Moment:
    """`now_s` is monotonic and measures intervals; `time` is ISO 8601, UTC, for messages and entries."""

    now_s: float
    time: str


def utc(unix_s: float) -> str:
    """Return ISO 8601 with milliseconds."""
    return datetime.fromtimestamp(unix_s, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
