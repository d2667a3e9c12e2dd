"""A subscriber with a lasting session: the newest meters, the pending wins and every fault that the floor publishes."""

import selectors
import time
from typing import Any, Final

import msgspec
from sabot_protocol.topics import ROOT
from sabot_service.broker import Broker
from sabot_tools.stand.subscriber import Subscriber

_MOST_FAULTS: Final = 1000


class Watcher:
    """Drive it by `step`; messages may come twice and in any order."""

    def __init__(self, broker: Broker, site: str, selector: selectors.BaseSelector) -> None:
        self.meters: dict[str, dict[str, Any]] = {}  # by jackpot, the message with the newest entry
        self.pending: dict[str, dict[str, Any]] = {}  # by jackpot, the newest list
        self.faults: dict[str, dict[str, Any]] = {}  # by id
        self._selector = selector
        self._subscriber = Subscriber(
            broker, f"watcher-{site}", f"{ROOT}/{site}/jackpot/#", self._take, selector, lasting=True
        )

    def _take(self, topic: str, payload: bytes) -> None:
        *_, jackpot, name = topic.split("/")
        message: dict[str, Any] = msgspec.json.decode(payload)
        if name == "meter" and message["entry"] >= self.meters.get(jackpot, {"entry": 0})["entry"]:
            self.meters[jackpot] = message
        elif name == "pending" and message["time"] >= self.pending.get(jackpot, {"time": ""})["time"]:
            self.pending[jackpot] = message
        elif name == "fault" and len(self.faults) < _MOST_FAULTS:
            self.faults[message["id"]] = message

    def step(self, wait_s: float) -> None:
        """Receive what has come, and wait so long for more."""
        self._selector.select(wait_s)
        self._subscriber.step(time.monotonic())

    def amount(self, jackpot: str) -> int:
        """Return In of a jackpot, 0 before its first message."""
        return int(self.meters[jackpot]["meters"]["in"]) if jackpot in self.meters else 0

    def close(self) -> None:
        """Disconnect."""
        self._subscriber.close()
