"""Commands: signs what people ask for as the floor service does, sends it over the broker, and takes the replies."""

import selectors
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from sabot_protocol import command_keys
from sabot_protocol.command_keys import SigningKey
from sabot_protocol.commands import CommandAct, CommandMessage, CommandReply
from sabot_protocol.inputs.secret_file import read_key
from sabot_protocol.topics import ROOT, command_topic
from sabot_service.broker import Broker
from sabot_service.mqtt import LoopClient
from sabot_sim.world.acts import AtGateway

from day.known import utc

_VALID_S = 20.0
_NAP_S = 0.0005


class Commands:
    """`send` publishes a command; `reply` returns its answer once it has come."""

    def __init__(self, broker: Broker, site: str, keys: Path) -> None:
        keys.mkdir()
        self.public_path = keys / command_keys.PUBLIC_NAME
        command_keys.make(keys)
        raw = read_key(keys / command_keys.PRIVATE_NAME)
        assert raw is not None
        self._key, self._site, self._count = SigningKey(raw), site, 0
        self._mqtt = LoopClient(broker, "day-floor", clean_session=True, selector=selectors.DefaultSelector())
        self._mqtt.client.on_message = self._on_message
        self._mqtt.client.on_subscribe = self._on_subscribe
        self._mqtt.on_ready = self._on_ready
        self._replies: dict[str, CommandReply] = {}
        self.ready = False

    def _on_ready(self) -> None:
        self._mqtt.client.subscribe(f"{ROOT}/{self._site}/+/cmd/reply", 1)

    def _on_subscribe(self, *_: object) -> None:
        self.ready = True

    def _on_message(self, _client: object, _userdata: object, message: Any) -> None:
        found = msgspec.json.decode(message.payload, type=CommandReply)
        self._replies[found.id] = found

    def step(self) -> None:
        """Send and receive what is due."""
        self._mqtt.step(time.monotonic())

    def wait_until_ready(self, others: Callable[[], None]) -> None:
        """Connect and subscribe; `others` take their turn meanwhile."""
        while not self.ready:
            self.step()
            others()
            time.sleep(_NAP_S)

    def send(self, table: str, act: AtGateway, now_s: float) -> str:
        """Sign and publish a request at this time of the day; return its id."""
        self._count += 1
        message = CommandMessage(
            id=f"day-{self._count}",
            site=self._site,
            table=table,
            person=act.by.id,
            name=act.by.name,
            role=act.by.role,
            act=CommandAct(verb=act.verb, args=act.args),
            nonce=f"{self._count:032x}",
            issued=utc(now_s),
            expires=utc(now_s + _VALID_S),
            key=self._key.public.id,
            clause=act.clause,
            asks=act.asks.name if act.asks else "",
            asks_role=act.asks.role if act.asks else "",
        )
        self._mqtt.publish(command_topic(self._site, table), self._key.sign(message), retain=False)
        return message.id

    def reply(self, command: str) -> CommandReply | None:
        """Return the answer to a command; None until it comes."""
        self.step()
        if command not in self._replies:
            time.sleep(_NAP_S)
        return self._replies.get(command)

    def close(self) -> None:
        """Hang up."""
        self._mqtt.close()
