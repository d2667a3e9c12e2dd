"""Overwrites: finds what others publish on our retained topics; our state is published there again, not too often."""

from collections import deque
from dataclasses import dataclass, field
from hashlib import blake2b

from sabot_service.rate_limit import TokenBucket

_MOST_OWN = 64  # messages on one topic that have not come back
_DIGEST_BYTES = 8
_TOPIC_MOST, _TOPIC_EVERY_S = 3, 1.0
_ALL_MOST, _ALL_EVERY_S = 50, 0.05


def _digest(payload: bytes) -> bytes:
    return blake2b(payload, digest_size=_DIGEST_BYTES).digest()


@dataclass
class Overwrites:
    """A client that floods a topic costs one message a second and no more."""

    _own: dict[str, deque[bytes]] = field(default_factory=dict)  # digests of what we sent, oldest first
    _wrong: dict[str, None] = field(default_factory=dict)  # topics on which the last message was not ours
    _topics: dict[str, TokenBucket] = field(default_factory=dict)
    _all: TokenBucket = field(default_factory=lambda: TokenBucket(_ALL_MOST, _ALL_EVERY_S))

    def sent(self, topic: str, payload: bytes) -> None:
        """Take note of what we publish: it comes back."""
        self._own.setdefault(topic, deque(maxlen=_MOST_OWN)).append(_digest(payload))
        self._wrong.pop(topic, None)

    def received(self, topic: str, payload: bytes, current: bytes) -> bool:
        """Return True if this message is not ours; then our state is due there again."""
        own, digest = self._own.get(topic, deque()), _digest(payload)
        if digest in own:
            while own.popleft() != digest:
                pass
            return False
        if payload == current:
            return False
        self._wrong[topic] = None
        return True

    def due(self, now_s: float) -> list[str]:
        """Return the topics to publish again now; the others wait."""
        found = [topic for topic in self._wrong if self._may(topic, now_s)]
        for topic in found:
            del self._wrong[topic]
        return found

    def _may(self, topic: str, now_s: float) -> bool:
        bucket = self._topics.setdefault(topic, TokenBucket(_TOPIC_MOST, _TOPIC_EVERY_S))
        return bucket.take(now_s) and self._all.take(now_s)
