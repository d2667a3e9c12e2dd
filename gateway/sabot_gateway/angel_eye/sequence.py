"""Sequence: the character that counts an Angel Eye's messages; a jump means that a message is lost, perhaps."""

from dataclasses import dataclass

from msgspec import UnsetType
from sabot_protocol.angel_eye.messages import Message

_FORGOTTEN_AFTER = "SEe"  # the next message can have the same character
_STEPS_A_JUMP = 4  # a counter with fewer regular steps for each jump is not understood, and no jump is reported


@dataclass
class Sequence:
    """Learns the cycle of the counter, which is not known, from its first wrap; it may be 1-9, 0-9, 0-F or another."""

    regular: int = 0
    jumps: int = 0
    _last: str = ""  # empty: any character may follow
    _wrap: tuple[int, int] | None = None  # the highest place and the lowest

    def forget(self) -> None:
        """Begin again: the port was opened."""
        self._last = ""

    def jump(self, message: Message) -> tuple[str, str] | None:
        """Take the next message; return the characters between which one is lost, perhaps."""
        if isinstance(message.seq, UnsetType):
            return None
        last, self._last = self._last, "" if message.t in _FORGOTTEN_AFTER else message.seq
        if message.t == "S" or not last or last == message.seq:
            return None
        if self._follows(_place(last), _place(message.seq)):
            self.regular += 1
            return None
        self.jumps += 1
        return (last, message.seq) if self.regular >= _STEPS_A_JUMP * self.jumps else None

    def _follows(self, last: int, now: int) -> bool:
        if now > last:
            return now == last + 1
        high, low = self._wrap or (last, now)
        if last < high or now > low:
            return False
        self._wrap = last, now  # the first wrap, or one that shows a longer cycle
        return True


def _place(character: str) -> int:
    """Return the place of a character in the order 0 … 9 A … Z; others have a place of their own."""
    return ord(character) - (ord("A") - ord("9") - 1) * (character >= "A")
