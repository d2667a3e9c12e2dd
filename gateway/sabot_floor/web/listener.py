"""Listener: the web part's own connection to the broker, so that pages live on while the store is away."""

import asyncio
import selectors
from collections.abc import Callable
from typing import Any

from sabot_service.broker import Broker, Login
from sabot_service.moment import Moment
from sabot_service.mqtt import LoopClient
from sabot_service.subscriber import Subscriber

from sabot_floor.web.hub import Hub

_TURN_S = 0.25
_KEEPALIVE_S = 2  # a broker that hangs shows on the pages within 5 s


class Listener:
    """Gives every message to the site's state, and what it changes to the hub; lives in the loop of the web part."""

    def __init__(self, url: str, login: Login, name: str, hub: Hub, clock: Callable[[], Moment]):
        self._selector, self._hub, self._clock = selectors.DefaultSelector(), hub, clock
        self.mqtt = LoopClient(
            Broker.from_url(url),
            name,
            clean_session=True,
            selector=self._selector,
            login=login,
            keepalive_s=_KEEPALIVE_S,
        )
        self.mqtt.on_ready, self.mqtt.on_lost = self._on_ready, self._on_lost
        self.mqtt.client.on_message = self._on_message
        self._subscriber = Subscriber(self.mqtt)
        self.refused = ""  # topics
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Take part in the running loop."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._selector.fileno(), self._step)
        self._turn()

    def _turn(self) -> None:
        assert self._loop is not None
        self._timer = self._loop.call_later(_TURN_S, self._turn)
        self._step()
        self._hub.tick(self._clock().now_s)

    def _step(self) -> None:
        """Read and write what is ready, then offer what has changed."""
        self._selector.select(0)
        self.mqtt.step(self._clock().now_s)
        self.offer()

    def offer(self) -> None:
        """Offer what is due, and come back when the rest is."""
        assert self._loop is not None
        now = self._clock()
        next_s = self._hub.step(now)
        if next_s is not None and self._due is None:
            self._due = self._loop.call_later(max(0.0, next_s - now.now_s), self._offer_again)

    def _offer_again(self) -> None:
        self._due = None
        self.offer()

    def _on_ready(self) -> None:
        self._subscriber.begin()
        self._subscriber.subscribe(self._hub.site.filters(), 1, self._subscribed)

    def _subscribed(self, refused: list[str]) -> None:
        """Report topics that the broker does not let us read."""
        self.refused = ", ".join(refused)
        self._hub.connected(True)

    def problem(self) -> str:
        """Return why pages do not have all data, empty if they have."""
        if self.refused:
            return f"the broker does not let us read {self.refused}: allow it, as the examples do"
        return self.mqtt.problem or ""

    def _on_lost(self) -> None:
        self._hub.connected(False)

    def _on_message(self, _client: object, _userdata: object, message: Any) -> None:
        try:
            topic = message.topic
        except UnicodeDecodeError:
            self._hub.site.unreadable += 1
            return
        self._hub.received(topic, bytes(message.payload), self._clock(), retained=bool(message.retain))

    def close(self) -> None:
        """Leave the broker and the loop."""
        for timer in (self._timer, self._due):
            if timer is not None:
                timer.cancel()
        if self._loop is not None:
            self._loop.remove_reader(self._selector.fileno())
        self.mqtt.close()
        self._selector.close()
