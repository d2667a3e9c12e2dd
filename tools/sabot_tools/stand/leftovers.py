"""Clears what a site has left on a broker that is not its own."""

import selectors
import time
from collections.abc import Callable

from sabot_protocol.topics import ROOT
from sabot_service.broker import Broker, Login

from sabot_tools.stand.subscriber import Subscriber

_QUIET_S = 0.5  # a broker may still be busy with the last messages of the daemons
_WITHIN_S = 30.0


def clear(broker: Broker, login: Login, site: str) -> None:
    """Clear the site's retained messages until the broker keeps none, or cannot be reached."""
    give_up_s = time.monotonic() + _WITHIN_S
    quiet_s = time.monotonic() + _QUIET_S
    while time.monotonic() < min(give_up_s, quiet_s):
        with selectors.DefaultSelector() as selector:
            look = _Look(broker, login, site, selector, give_up_s)
            if look.clear():
                quiet_s = time.monotonic() + _QUIET_S
            look.close()


class _Look:
    """A new subscriber, which gets what the broker keeps."""

    def __init__(
        self, broker: Broker, login: Login, site: str, selector: selectors.BaseSelector, give_up_s: float
    ) -> None:
        self._mark, self._selector, self._give_up_s = f"{ROOT}/{site}/mark", selector, give_up_s
        self._received: dict[str, bytes] = {}
        everything = f"{ROOT}/{site}/#"
        self._reader = Subscriber(broker, "", everything, self._received.__setitem__, selector, login=login)
        self.close = self._reader.close

    def clear(self) -> int:
        """Clear what the broker keeps, and return how many topics that were."""
        self._until(lambda: self._reader.ready)
        self._wait_for_mark(b"kept")
        found = [topic for topic, payload in self._received.items() if payload and topic != self._mark]
        for topic in found:
            self._reader.publish(topic, b"", retain=True)
        self._wait_for_mark(b"cleared")
        return len(found)

    def _wait_for_mark(self, payload: bytes) -> None:
        """Publish a message to this reader and wait for it: what came to the broker before has come here, too."""
        self._reader.publish(self._mark, payload)
        self._until(lambda: self._received.get(self._mark) == payload)

    def _until(self, done: Callable[[], bool]) -> None:
        while not done() and not self._reader.problem and time.monotonic() < self._give_up_s:
            self._reader.step(time.monotonic())
            self._selector.select(0.05)
