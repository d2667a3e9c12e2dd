"""Echo: a broker that drops what we may not write still acknowledges it in MQTT 3.1.1; so our states must come back."""

from dataclasses import dataclass, field

_ECHO_WITHIN_S = 5.0


@dataclass
class Echo:
    """States that the broker has not yet passed back to us in this connection."""

    missing: dict[str, bytes] = field(default_factory=dict)
    since_s: float = 0.0
    _proved: set[str] = field(default_factory=set)  # topics that came back in this connection

    def sent(self, topic: str, payload: bytes, now_s: float) -> None:
        """Expect this message back."""
        if not self.missing:
            self.since_s = now_s
        self.missing[topic] = payload

    def received(self, topic: str, payload: bytes) -> None:
        """Take a message that came; only the newest that was sent on a topic counts."""
        if self.missing.get(topic) == payload:
            del self.missing[topic]
            self._proved.add(topic)

    def in_doubt(self) -> bool:
        """Return True while a topic has not come back once: the broker may drop what we publish."""
        return not self.missing.keys() <= self._proved

    def overdue(self, now_s: float) -> bool:
        """Return True if something should have come back by now."""
        return bool(self.missing) and now_s - self.since_s > _ECHO_WITHIN_S
