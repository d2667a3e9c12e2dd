"""Answers: what the floor service answers to each request."""

from typing import Any

import msgspec
from sabot_protocol.service.messages import Answer
from sabot_protocol.service.moment import Moment
from sabot_protocol.service.mqtt import LoopClient

from sabot_floor.config import Config
from sabot_floor.hold import Hold
from sabot_floor.inbox import Inbox
from sabot_floor.jackpots import states
from sabot_floor.jackpots.behind import Behind
from sabot_floor.jackpots.collector import Collector
from sabot_floor.jackpots.desk import Desk
from sabot_floor.jackpots.logs import JackpotLogs
from sabot_floor.jackpots.order import PATIENCE_S
from sabot_floor.publish import Publisher
from sabot_floor.requests import Accept, Act, FloorRequest, Show


class Answers:
    """One answer for each request; acts are answered when they are durable."""

    def __init__(
        self,
        config: Config,
        logs: JackpotLogs,
        mqtt: LoopClient,
        inbox: Inbox,
        publisher: Publisher,
        collector: Collector,
        hold: Hold,
        behind: Behind,
    ) -> None:
        self._config, self._logs, self._mqtt, self._inbox = config, logs, mqtt, inbox
        self._publisher, self._collector, self._hold, self._behind = publisher, collector, hold, behind
        self._desk = Desk(logs, collector.offline)

    def answer(self, request: FloorRequest, at: Moment) -> Answer:
        """Return the answer; nothing has changed unless it is positive."""
        match request.verb:
            case Accept() as accept:
                return self._behind.accept(accept, request.by, at)
            case Act() if self._behind.problem:
                return Answer(False, f"Nothing was changed: {self._behind.problem}.")
            case Act() as act:
                return self._desk.act(act, request.by, at)
            case Show() as show:
                return self._desk.show(show.jackpot)
        return Answer(True, "", msgspec.Raw(msgspec.json.encode(self._status(at))))

    def _status(self, at: Moment) -> dict[str, Any]:
        standings = [self._logs.standing(jackpot) for jackpot in self._logs.served]
        problem, since = self._hold.problem or self._behind.problem or None, self._hold.since or None
        return {
            "site": self._config.site,
            "worker": self._config.worker,
            "time": at.time,
            "store": {"place": self._logs.store.place, "problem": problem, "since": since},
            "broker": {
                "url": str(self._mqtt.broker),
                "connected": self._mqtt.client.is_connected(),
                "problem": self._mqtt.problem,
                "waiting": self._inbox.waiting(),
                "ahead": len(self._collector.order),
                "ahead_s": round(self._collector.order.longest_s(at.now_s)),
                "patience_s": round(PATIENCE_S),
                "unreadable": self._inbox.unreadable,
                "given_up": self._inbox.given_up,
                "forgotten_coups": self._collector.missing.given_up,
                "republished": self._publisher.republished,
            },
            "refused": self._collector.refusals.table(),
            "newest_refusals": list(self._collector.refusals.newest),
            "jackpots": [states.meter_message(standing) for standing in standings if standing],
        }
