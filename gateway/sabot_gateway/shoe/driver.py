"""Driver: what the loop asks of a shoe's protocol. `link.ShoeLink`, our own, is the first."""

from typing import Any, Literal, Protocol

from sabot_gateway.shoe.commands import Command
from sabot_gateway.shoe.parse import Event


class Driver(Protocol):
    """One port, sans-I/O: bytes in, events and bytes out, time as an argument."""

    unit: str | None  # the shoe that is served
    authenticated: bool
    rotation: Literal["old", "new"] | None
    problem: str | None  # why no shoe is served, in words
    lost: tuple[int, int] | None  # events that can no longer be had
    last_frame_s: float | None
    greeting: tuple[int, str] | None  # of the last HELLO: the number of the next event, and the fault
    reports: dict[str, str]  # alarms that the daemon is to raise, by name, in words

    def reset(self) -> None:
        """The port has just been opened."""

    def refuse(self, problem: str, until_s: float = 0.0) -> None:
        """Serve nobody, and say why; take nothing from this line before `until_s`."""

    def receive(self, data: bytes, now_s: float) -> list[Event]:
        """The new events in these bytes, in order, none twice and none skipped."""

    def acknowledge(self, event_no: int, now_s: float) -> None:
        """Everything up to this event is durable."""

    def command(self, kind: str, /, **data: Any) -> Command | None:
        """Have the shoe do this; None if too much waits already, CodecError if it makes no sense."""

    def prepare_command(self, kind: str, data: dict[str, Any]) -> Command | None:
        """The same, held until the caller lets it go."""

    def number_command(self, command: Command) -> int:
        """The id under which the shoe will log this command; 0 while others wait before it."""

    def caught_up(self) -> bool:
        """Everything that the shoe had logged when it was greeted has come."""

    def withdraw(self, command: Command) -> bool:
        """Nobody waits for this command any more; whether the shoe may have heard of it."""

    def tick(self, now_s: float) -> None:
        """Time passes."""

    def mid_frame(self) -> list[str]:
        """Return the senders, `shoe` and `gateway`, of whose current frame only a part was on the line."""

    def restart_silence(self, now_s: float) -> None:
        """Count the silence of the shoe from now on."""

    def output(self) -> bytes:
        """Bytes for the port."""

    def written(self, count: int) -> None:
        """So many of them are out."""

    def line_counters(self) -> dict[str, int]:
        """Everything that was damaged, dropped, refused or said twice."""
