"""Line watch of an Angel Eye: what is wrong with its line, in words that name what to check."""

from dataclasses import dataclass, field

from sabot_protocol.angel_eye.decoder import Decoder
from sabot_protocol.angel_eye.messages import Message

from sabot_gateway.angel_eye.condition import Condition
from sabot_gateway.angel_eye.sequence import Sequence

_NO_FRAME_BYTES, _NO_FRAME_S = 24, 2.0  # three copies of a card
_WINDOW_S = 60.0
_MOST_SEVEN_BITS, _MOST_DAMAGED = 2, 30  # in a minute
_QUIET_S = 30.0  # after the opening of the port: then it is worth saying that nothing has come
_SILENT_S = 180.0  # in an open coup

UNREADABLE, LOST, SILENT = "unreadable_frames", "message_lost", "line_silent"  # alarms
NOTHING_YET = (
    "nothing has come from the shoe since the port was opened. That is normal while no card is drawn. If cards are "
    "drawn, check the cable to the shoe, and whether the converter's RxCnt rises with each card"
)
_NO_FRAME = (
    "Bytes come on the shoe's line, but no frame of an Angel Eye: nothing of this table is read. Check the speed (here "
    "{baud} baud; 4800 is usual), 8 data bits, no parity and 1 stop bit, at the converter too, and that an Angel Eye "
    "is on this port."
)
_SEVEN_BITS = (
    "The highest bit of the shoe's bytes is missing: the line is set to 7 data bits, so results and cards cannot be "
    "read. Set 8 data bits, no parity and 1 stop bit at the converter, or at this port."
)
_DAMAGED = (
    "Within a minute {count} frames came damaged. The shoe sends everything three times, so perhaps nothing is lost. "
    "Check the cable, its shield and its plugs."
)
_LOST = (
    "A message of the shoe is lost, perhaps: the count of its messages went from {last} to {now}. Compare the cards on "
    "the table with the screen before the coup is settled. If it happens again, check the cable."
)
_SILENT = (
    "A coup is open and nothing has come from the shoe for {minutes:.0f} minutes. If a card was drawn since, do not "
    "deal on: call a technician to check the line of the shoe."
)


@dataclass
class _Rise:
    """A counter that may rise by `most` in a minute."""

    most: int
    _before: int = 0
    _since_s: float = 0.0

    def exceeded(self, count: int, now_s: float) -> int:
        """Return by how much it rose in the last minute, if that is too much; else 0."""
        risen = count - self._before
        if risen > self.most or now_s - self._since_s >= _WINDOW_S:
            self._before, self._since_s = count, now_s
        return risen if risen > self.most else 0


@dataclass
class LineWatch:
    """Sans-I/O: the decoder's counters, messages and the time in; alarms out, and a note for the table's status."""

    decoder: Decoder
    condition: Condition  # of the shoe
    baud: int
    sequence: Sequence = field(default_factory=Sequence)
    note: str | None = None  # what the status shows beside the alarms
    _found: dict[str, str] = field(default_factory=dict)  # alarms that messages have brought
    _opened_s: float | None = None  # None: at the next look
    _bytes: int = 0  # of the decoder, when the port was opened
    _unread_s: float | None = None  # since when bytes come without any frame
    _reported: bool = False  # that no frame comes
    _last_s: float | None = None  # the last message; None: none since the port was opened
    _coup_open: bool = False
    _seven_bits: _Rise = field(default_factory=lambda: _Rise(_MOST_SEVEN_BITS))
    _damaged: _Rise = field(default_factory=lambda: _Rise(_MOST_DAMAGED))

    def opened(self) -> None:
        """Begin again: the port was opened."""
        self._opened_s = self._unread_s = self._last_s = self.note = None
        self._bytes, self._reported, self._coup_open = self.decoder.bytes, False, False
        self.sequence.forget()

    def resumed(self, now_s: float) -> None:
        """The port was not read until now: what was left unread was no silence."""
        if self._last_s is not None:
            self._last_s = now_s

    def take(self, message: Message, now_s: float) -> None:
        """Follow the next message, copies left out."""
        self._last_s, self.note = now_s, None
        if message.t == "D" and message.target in ("player", "banker"):
            self._coup_open = True
        elif message.t == "G":
            self._coup_open = False
        jump = self.sequence.jump(message)
        if jump is not None:
            self._found[LOST] = _LOST.format(last=jump[0], now=jump[1])

    def look(self, now_s: float) -> dict[str, str]:
        """Return the alarms that are due, by name."""
        found, self._found = self._found, {}
        self._opened_s = now_s if self._opened_s is None else self._opened_s
        unreadable = self._seven_bits_text(now_s) or self._no_frame_text(now_s) or self._damaged_text(now_s)
        if unreadable:
            found[UNREADABLE] = unreadable
        if self._last_s is None:
            self.note = NOTHING_YET if now_s - self._opened_s >= _QUIET_S and not self._came() else None
        elif self._coup_open and not self.condition.stopped() and now_s - self._last_s >= _SILENT_S:
            found[SILENT] = _SILENT.format(minutes=_SILENT_S / 60)
            self._last_s = now_s  # again after as long a silence
        return found

    def _came(self) -> bool:
        return self.decoder.bytes > self._bytes

    def _seven_bits_text(self, now_s: float) -> str:
        return _SEVEN_BITS if self._seven_bits.exceeded(self.decoder.rejected["bit7"], now_s) else ""

    def _damaged_text(self, now_s: float) -> str:
        count = self._damaged.exceeded(self.decoder.damaged, now_s)
        return _DAMAGED.format(count=count) if count else ""

    def _no_frame_text(self, now_s: float) -> str:
        """Return the alarm, once for each opening, if bytes have come for a while and none was a frame."""
        if self._last_s is not None or not self._came():
            return ""
        self._unread_s = now_s if self._unread_s is None else self._unread_s
        enough = self.decoder.bytes - self._bytes >= _NO_FRAME_BYTES and now_s - self._unread_s >= _NO_FRAME_S
        if not enough or self._reported:
            return ""
        self._reported = True
        return _NO_FRAME.format(baud=self.baud)


def is_converter(port: str) -> bool:
    """Return True if the port is a converter's, on the network."""
    return "://" in port


def closed_by_converter(port: str) -> str:
    """Return what to check when a converter closes the connection."""
    return f"the converter at {port} has closed the connection: check its power, and how many clients it allows"
