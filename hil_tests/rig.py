"""A stand that remembers what a subscriber received, each id once."""

import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from sabot_gateway.ledger import Reader
from sabot_tools.stand import Received, Stand

FLAT_OUT = 1e6  # times life: as fast as the firmware takes it
PATIENCE_S = 60.0


class Rig:
    """A stand that remembers everything a subscriber received."""

    def __init__(self, stand: Stand) -> None:
        self.stand = stand
        self.received: list[Received] = []
        self._by_topic: dict[str, dict[Any, dict[str, Any]]] = {}

    def run_until(self, done: Callable[["Rig"], bool]) -> None:
        """Deal until it is so; fail, with the gateway's log, when it never is."""
        give_up_s = time.monotonic() + PATIENCE_S
        while not done(self):
            self.stand.step()
            for message in self.stand.take_inbox():
                self._keep(message)
            if time.monotonic() > give_up_s:
                pytest.fail((self.stand.plan.work_dir / "gateway.log").read_text())

    def _keep(self, message: Received) -> None:
        """Each id once, as a consumer does it."""
        self.received.append(message)
        seen = self._by_topic.setdefault(message.topic, {})
        payload = msgspec.json.decode(message.payload)
        for one in payload if isinstance(payload, list) else [payload]:
            seen.setdefault(one.get("id", len(seen)), one)

    def messages(self, topic: str, table: str = "bac-01") -> list[dict[str, Any]]:
        """Payloads of one topic of one table, in the order received."""
        return list(self._by_topic.get(f"sabot/v1/{self.stand.plan.site}/{table}/{topic}", {}).values())

    def site_status(self) -> list[dict[str, Any]]:
        """What was said of the gateway itself."""
        return list(self._by_topic.get(f"sabot/v1/{self.stand.plan.site}/status", {}).values())

    def ledger_events(self) -> list[int]:
        """Event numbers in the ledger, in its order, once its chain has been found intact."""
        ledger = Reader(self.stand.ledger_path)
        ledger.verify_chain()
        numbers = [entry.event_no for entry in ledger.since(0, 1_000_000) if entry.event_no is not None]
        ledger.close()
        return numbers
