"""Attacks by way of the broker: a client that may write every topic, and one with the gateway's own name."""

import json
import random
import time
from collections.abc import Callable

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from siege.spec import Spec
from siege.subscriber import FORGED

_HOST = "127.0.0.1"
_TOPICS = (
    "status",
    "shoe",
    "alarms",
    "alarm",
    "open",
    "incident",
    "coup",
    "cards",
    "health",
    "history",
    "hand",
    "cmd",
    "cmd/reply",
    "ledger",
)
_RETAINED = ("status", "shoe", "alarms", "open", "history", "hand", "ledger")
_MOST_PAYLOAD = 900_000  # nats-server takes a megabyte

Attack = Callable[["Intruder"], None]


class Intruder:
    """An attacker with access to the broker."""

    def __init__(self, spec: Spec, rng: random.Random) -> None:
        self.spec, self.rng = spec, rng

    def topic(self, name: str) -> str:
        """A topic of a table, or of the site."""
        tables = [*(honest.table for honest in self.spec.honest), *self.spec.hostile]
        root = f"sabot/v1/{self.spec.site}"
        return f"{root}/{name}" if self.rng.random() < 0.25 else f"{root}/{self.rng.choice(tables)}/{name}"

    def visit(self, messages: list[tuple[str, bytes, bool]]) -> None:
        """Connect, publish, leave."""
        client = paho.Client(CallbackAPIVersion.VERSION2, client_id=f"intruder-{self.rng.getrandbits(40):x}")
        client.connect(_HOST, self.spec.broker_port)
        client.loop_start()
        try:
            sent = [client.publish(topic, payload, 1, retain) for topic, payload, retain in messages]
            for info in sent:
                info.wait_for_publish(1.0)
        finally:
            client.disconnect()
            client.loop_stop()


def false_states(intruder: Intruder) -> None:
    """Retained messages that look right and are not."""
    rng = intruder.rng
    fields = {
        "state": rng.choice(("offline", "online")),
        "time": "2020-01-01T00:00:00.000Z",
        "id": FORGED,
        "problem": FORGED,
    }
    more = {"unit": "00" * 8, "entry": 1, "hash": "00" * 32, "alarms": [], "table": "h1", "decks": 1}
    payload = json.dumps({**fields, **more}).encode()
    intruder.visit([(intruder.topic(rng.choice(_RETAINED)), payload, True) for _ in range(5)])


def removed_states(intruder: Intruder) -> None:
    """Retained messages are deleted."""
    intruder.visit([(intruder.topic(intruder.rng.choice(_RETAINED)), b"", True) for _ in range(5)])


def garbage(intruder: Intruder) -> None:
    """Bytes on every topic."""
    rng = intruder.rng
    intruder.visit(
        [
            (intruder.topic(rng.choice(_TOPICS)), rng.randbytes(rng.randint(1, 400)), rng.random() < 0.5)
            for _ in range(20)
        ]
    )


def false_results(intruder: Intruder) -> None:
    """Forged coups, cards and commands."""
    fields = {
        "id": f"{FORGED}-{intruder.rng.getrandbits(40):x}",
        "winner": "tie",
        "shoe": 1,
        "coup": 1,
        "unit": "00" * 8,
    }
    topics = ("coup", "cards", "alarm", "cmd", "cmd/reply")
    intruder.visit([(intruder.topic(name), json.dumps(fields).encode(), False) for name in topics])


def nested(intruder: Intruder) -> None:
    """JSON that is nested too deeply or contains extreme values."""
    odd = (
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"state":"\\ud800"}',
        b'{"seq":1e999,"entry":-1}',
        b'"\xff"',
        b"1" * 5000,
    )
    names = [intruder.rng.choice([name for name in _TOPICS if name != "coup"]) for _ in odd]  # nor read by the judge
    intruder.visit([(intruder.topic(name), fields, name in _RETAINED) for name, fields in zip(names, odd, strict=True)])


def huge(intruder: Intruder) -> None:
    """Payloads as big as the broker takes."""
    size = intruder.rng.randint(100_000, _MOST_PAYLOAD)
    name = intruder.rng.choice(_RETAINED)
    intruder.visit([(intruder.topic(name), intruder.rng.randbytes(size), True)])


def takeover(intruder: Intruder) -> None:
    """A client with the gateway's own name: the broker ends the gateway's connection."""
    client = paho.Client(
        CallbackAPIVersion.VERSION2,
        client_id=f"sabot-gateway-{intruder.spec.site}",
        clean_session=intruder.rng.random() < 0.5,
    )
    client.connect(_HOST, intruder.spec.broker_port)
    client.loop_start()
    time.sleep(intruder.rng.uniform(0.05, 0.5))
    client.disconnect()
    client.loop_stop()


ATTACKS: dict[str, Attack] = {
    f"mqtt_{attack.__name__}": attack for attack in (false_states, removed_states, garbage, false_results, nested, huge)
}
TAKEOVER: dict[str, Attack] = {"mqtt_takeover": takeover}
