"""Head topic: when the head of the ledger is published, and what a head that is retained at the broker means."""

from collections import deque
from dataclasses import dataclass, field

import structlog
from sabot_protocol.inputs.bounded_json import decoded
from sabot_protocol.topics import LedgerMessage

from sabot_gateway.ledger import Ledger

_EVERY_S = 60.0
_LISTEN_S = 2.0  # after a connection: what is retained at the broker is read before ours replaces it
_PUT_RIGHT_S = 10.0  # at most so often, whatever others write there
_MOST_BYTES = 4096

log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass
class HeadTopic:
    """Sans-I/O: payloads of the topic in, the head to be published out; a loss shows in `Ledger.behind`."""

    ledger: Ledger
    put_right: int = 0  # how often a foreign message was replaced
    _due_s: float | None = None  # None while there is no broker
    _shoe_changed: bool = False
    _right_s: float = float("-inf")
    _again: bool = False
    _last: LedgerMessage | None = None
    _under_way: deque[LedgerMessage] = field(default_factory=lambda: deque(maxlen=16))  # not back from the broker

    def met_broker(self, now_s: float) -> None:
        """Read what is retained first: a connection begins."""
        self._due_s, self._last = now_s + _LISTEN_S, None
        self._under_way.clear()

    def lost_broker(self) -> None:
        """Publish nothing until the broker is back."""
        self._due_s = None

    def shoe_changed(self) -> None:
        """Publish the head soon: a shoe was opened or closed."""
        self._shoe_changed = True

    def owed(self) -> bool:
        """Return True if a shoe was opened or closed, or the gateway stops, and the head of that is not published."""
        return self._shoe_changed and self._due_s is not None and not self.ledger.behind

    def received(self, payload: bytes, now_s: float) -> None:
        """Take a message on the topic: our own, an earlier one of ours, or somebody else's."""
        head = decoded(payload, LedgerMessage, _MOST_BYTES)
        if head is not None and head in self._under_way:
            self._under_way.remove(head)
            return
        if head is not None and self.ledger.is_own_head(head):
            self.ledger.compare(head)
            if self._last is None:  # what was retained there when we connected
                return
        self._foreign(head, now_s)

    def _foreign(self, head: LedgerMessage | None, now_s: float) -> None:
        """Replace a foreign message, at most every so often: two gateways must not overwrite each other without end."""
        if self._due_s is None or self._again:
            return
        self._again = True
        self._due_s = min(self._due_s, max(now_s, self._right_s + _PUT_RIGHT_S))
        whose = f"of gateway {head.gateway}, entry {head.entry}" if head else "no head at all"
        log.warning(
            f"the retained head of the ledger was {whose:.80}; the gateway publishes its own again: check which "
            "clients may write this topic"
        )

    def take(self, now_s: float) -> LedgerMessage | None:
        """Return the head to be published now, or None."""
        if self._due_s is None or self.ledger.behind:
            return None
        if now_s < self._due_s and (self._again or not self._shoe_changed or self._last is None):
            return None
        head = self.ledger.head()
        self._due_s, self._shoe_changed = now_s + _EVERY_S, False
        if head == self._last and not self._again:
            return None
        if self._again:
            self.put_right, self._right_s, self._again = self.put_right + 1, now_s, False
        self._last = head
        self._under_way.append(head)
        return head
