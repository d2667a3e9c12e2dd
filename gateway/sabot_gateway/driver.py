"""Driver: what the loop asks of a shoe's protocol. `link.ShoeLink`, our own, is the first."""

from typing import Any, Literal, Protocol

from sabot_gateway.commands import Command
from sabot_gateway.parse import Event


class Driver(Protocol):
    """One port, sans-I/O: bytes in, events and bytes out, time as an argument."""

    unit: str | None  # the shoe that is served
    authenticated: bool
    rotation: Literal["old", "new"] | None
    problem: str | None  # why no shoe is served, in words
    lost: tuple[int, int] | None  # events that can no longer be had
    heard_s: float | None

    def opened(self) -> None:
        """The port has just been opened."""

    def receive(self, data: bytes, now_s: float) -> list[Event]:
        """The new events in these bytes, in order, none twice and none skipped."""

    def acknowledge(self, event_no: int, now_s: float) -> None:
        """Everything up to this event is durable."""

    def command(self, kind: str, /, **data: Any) -> Command | None:
        """Have the shoe do this; None if too much waits already, CodecError if it makes no sense."""

    def withdraw(self, command: Command) -> bool:
        """Nobody waits for this command any more; whether the shoe may have heard of it."""

    def tick(self, now_s: float) -> None:
        """Time passes."""

    def output(self) -> bytes:
        """Bytes for the port."""

    def written(self, count: int) -> None:
        """So many of them are out."""

    def line_counters(self) -> dict[str, int]:
        """Everything that was damaged, dropped, refused or said twice."""
