"""Driver: what the loop needs of a shoe's protocol. `link.ShoeLink` is for our own, `angel_eye.driver` another."""

from typing import Any, Literal, Protocol

from sabot_gateway.shoe.commands import Command
from sabot_gateway.shoe.firmware_push import FirmwarePush
from sabot_gateway.shoe.parse import Event


class Driver(Protocol):
    """One port, sans-I/O: bytes in, events and bytes out, time as an argument.

    One class because the loop, the desk and the status use one driver a table.
    """

    lost: tuple[int, int] | None  # events that can no longer be had
    greeting: tuple[int, str] | None  # of the last HELLO: the number of the next event, and the fault
    reports: dict[str, str]  # alarms for the daemon to raise: text by name

    @property
    def firmware(self) -> FirmwarePush | None:
        """What the shoe runs, and the push of an image to it; None if the shoe takes none."""

    @property
    def keeps_log(self) -> bool:
        """True if the shoe keeps what was not acknowledged, and sends it again."""

    @property
    def unit(self) -> str | None:
        """The shoe that is served."""

    @property
    def authenticated(self) -> bool:
        """True if the shoe has proved its key."""

    @property
    def rotation(self) -> Literal["old", "new"] | None:
        """While a rotation is under way: which key the shoe uses."""

    @property
    def problem(self) -> str | None:
        """Why no shoe is served."""

    @property
    def note(self) -> str | None:
        """What the table's status shows though nothing is wrong."""

    @property
    def last_frame_s(self) -> float | None:
        """When the shoe that is served, or else any, last sent a sound frame."""

    def reset(self) -> None:
        """Forget who was there: the port was opened again, or the shoe has fallen silent."""

    def port_lost(self) -> None:
        """Note that the port is gone."""

    def refuse(self, problem: str, until_s: float = 0.0) -> None:
        """Serve nobody for this reason; take nothing from this line before `until_s`."""

    def receive(self, data: bytes, now_s: float) -> list[Event]:
        """Return the new events in these bytes, in order, none twice and none skipped."""

    def quiet(self, now_s: float) -> bool:
        """Return True if nothing waits to be written or answered, and nothing is due by time alone."""

    def rest_s(self, now_s: float) -> float:
        """Return in how many seconds, one at most, something can be due by time alone; 0 if that is not known."""

    def events_due(self, now_s: float) -> bool:
        """Return True if `receive` has events though no bytes have come."""

    def skip_numbers(self, count: int) -> None:
        """Leave out so many numbers of events, which a ledger that was lost may have had."""

    def acknowledge(self, event_no: int, now_s: float) -> None:
        """Acknowledge to the shoe that everything up to this event is durable."""

    def command(self, kind: str, data: dict[str, Any]) -> Command | None:
        """Queue a command; None if too many wait, CodecError if its values cannot be sent."""

    def prepare_command(self, kind: str, data: dict[str, Any]) -> Command | None:
        """Queue a command that is held until the caller clears its `held`."""

    def refuses(self, kind: str, data: dict[str, Any]) -> str:
        """Return why a command is not taken, with `{table}` for the table's name; empty if it is."""

    def done_here(self, kind: str) -> bool:
        """Return True if the gateway carries out this command itself."""

    def number_command(self, command: Command) -> int:
        """Return the id under which the shoe will log this command; 0 while others wait before it."""

    def withdraw(self, command: Command) -> bool:
        """Send this command no more; return whether it was sent before."""

    def caught_up(self) -> bool:
        """Return True if everything that the shoe had logged at its HELLO has come."""

    def tick(self, now_s: float) -> None:
        """Do what is due by time alone."""

    def mid_frame(self) -> list[str]:
        """Return the senders, `shoe` and `gateway`, of whose current frame only a part was on the line."""

    def read_late(self, since_s: float, now_s: float) -> None:
        """Note that the port was not read since then: what is read now may have come at any time since."""

    def restart_silence(self, now_s: float) -> None:
        """Count the silence of the shoe from now on."""

    def output(self) -> bytes:
        """Return what waits to be written."""

    def written(self, count: int) -> None:
        """Drop the first `count` bytes of the output: the port has taken them."""

    def line_counters(self) -> dict[str, int]:
        """Return how often something was damaged, dropped, refused or repeated on this line."""
