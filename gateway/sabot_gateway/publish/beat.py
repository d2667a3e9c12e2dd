"""Beat: a message once a second while the loop goes round, so that a gateway that hangs shows on every broker.

It has the number of the newest entry: the floor service sees by it which records were made before. So it is signed.
"""

from collections.abc import Callable

import msgspec
from sabot_protocol.topics import BEAT_S, BeatMessage, beat_topic
from sabot_service.moment import Moment
from sabot_service.mqtt import LoopClient


class Beat:
    """QoS 0, not retained: a beat that is late is of no use."""

    def __init__(
        self, mqtt: LoopClient, site: str, gateway: str, ledger: str = "", newest: Callable[[], int] = lambda: 0
    ) -> None:
        self._mqtt, self._topic, self._next_s = mqtt, beat_topic(site, gateway), 0.0
        self._ledger, self._newest = ledger, newest
        self.sign: Callable[[BeatMessage], BeatMessage] = lambda message: message

    def step(self, at: Moment) -> None:
        """Send a beat if it is due and the broker is there."""
        if at.now_s >= self._next_s and self._mqtt.client.is_connected():
            self._next_s = at.now_s + BEAT_S
            message = BeatMessage(time=at.time, gateway=self._ledger, entry=self._newest())
            self._mqtt.client.send(self._topic, msgspec.json.encode(self.sign(message)))
            self._mqtt.flush()
