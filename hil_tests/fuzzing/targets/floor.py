"""Floor: any message on any topic into what the floor service does with it: projection, jackpots, notices, views, desk.

Messages are separated by NUL bytes. The first byte of each, from 1, chooses the topic, the rest is the payload;
255: the rest up to a blank is the topic.
"""

import shutil
from collections.abc import Iterable
from functools import cache
from itertools import count
from pathlib import Path

import msgspec
from floor_rig import JACKPOTS
from notify_parts import Receivers
from sabot_floor.commands.desk import CommandDesk
from sabot_floor.commands.log import CommandLog
from sabot_floor.config import Config
from sabot_floor.inbox import Arrived
from sabot_floor.jackpots.behind import Behind
from sabot_floor.jackpots.collector import Collector
from sabot_floor.jackpots.intake import Intake
from sabot_floor.jackpots.logs import JackpotLogs
from sabot_floor.jackpots.opening import open_jackpots
from sabot_floor.jackpots.storing import store_work
from sabot_floor.notify.channels import Syslog
from sabot_floor.notify.notifier import Notifier
from sabot_floor.projection.feed import Feed
from sabot_floor.signs.board import SignBoard
from sabot_floor.store import Store, open_store
from sabot_floor.web.channels import CHANNELS
from sabot_floor.web.hub import Hub
from sabot_protocol.jackpots import loading
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.place import Place, with_place
from sabot_protocol.schemas import TOPICS
from sabot_service.moment import Moment

from fuzzing import json_mutator, scratch
from fuzzing.examples import example
from fuzzing.oracle import require

MOST_BYTES = 8192
_SITE, _TIME = "sydney", "2026-11-17T12:00:00.000Z"
_NAMES = {"site": _SITE, "table": "bac-01", "jackpot": "lucky-tie", "gateway": "pit-1", "id": "lucky-tie"}
_CHANNELS = (Syslog(name="pit", severity="info", to=("inspector", "surveillance"), limits=True),)


@cache
def topics() -> list[str]:
    """Return one topic of each kind, and some of another table."""
    return [topic.address.format_map(_Named()) for topic in TOPICS.values()] + [
        f"sabot/v1/{_SITE}/status",
        f"sabot/v1/{_SITE}/gateway/pit-1/status",
        f"sabot/v1/{_SITE}/nz-01/jackpot/seat",
        f"sabot/v1/{_SITE}/bac-02/confirmed",
    ]


class _Named(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return _NAMES.get(key, "lucky-tie")


def run(data: bytes) -> None:
    """Each message costs no more than itself: nothing raises, no view breaks, nothing is logged as an error."""
    floor = _Floor()
    try:
        for number, message in enumerate(data.split(b"\0")[:40]):
            if message:
                floor.take(*_message(message), Moment(float(number), _TIME))
        floor.end()
    finally:
        floor.close()


def _message(data: bytes) -> tuple[str, bytes]:
    if data[0] == 255:
        topic, _, payload = data[1:].partition(b" ")
        return topic.decode(errors="replace"), payload
    return topics()[(data[0] - 1) % len(topics())], data[1:]


class _Floor:
    """The parts of a floor service on a store of its own, without broker, socket and threads."""

    def __init__(self) -> None:
        self.store = _fresh_store()
        config = Config(_SITE, "", "mqtt://127.0.0.1", notify=_CHANNELS)
        self.logs = JackpotLogs(self.store)
        open_jackpots(self.logs, _parameters(), _TIME)
        self.feed = Feed(self.store, _SITE)
        self.collector = Collector(Intake(_SITE, b""), self.logs)
        self.notifier = Notifier(config, self.store, Receivers(_CHANNELS))
        self.behind = Behind(self.logs, _SITE)
        self.desk = CommandDesk(_SITE, "1", CommandLog(self.store), None, lambda topic, payload: None, lambda: True)
        self.hub = Hub(_SITE, (), SignBoard())
        self.hub.connected(True)
        for name, channel in CHANNELS.items():
            key = "" if not channel.keyed else "/lucky-tie" if name == "jackpot" else "/bac-01"
            self.hub.open(name + key, "127.0.0.1", "", Moment(0.0, _TIME))

    def take(self, topic: str, payload: bytes, at: Moment) -> None:
        """Take a message everywhere where the service takes it."""
        arrived = [Arrived(topic, payload)]
        self.desk.received(topic, payload, at)
        if topic.endswith("/meter"):
            self.behind.received(topic, payload)
        self.feed.take(arrived)
        self.notifier.turn(arrived, at)
        store_work(self.logs, self.collector, self.collector.collect(arrived, at), at)
        self.hub.received(topic, payload, at)
        self.hub.step(at)
        require(not self.hub.broken, "a view broke")

    def end(self) -> None:
        """Let time pass: what waits is done."""
        at = Moment(1000.0, _TIME)
        self.notifier.turn([], at)
        store_work(self.logs, self.collector, self.collector.collect([], at), at)
        self.hub.tick(at.now_s)
        self.hub.step(at)
        require(not self.hub.broken, "a view broke")
        require(self.notifier.status(), "no status")

    def close(self) -> None:
        self.notifier.close()
        self.store.close()


_numbers = count()


def _fresh_store() -> Store:
    """Return an empty store: a copy, for its tables take longer to make than to copy."""
    directory = scratch.directory("floor")
    for old in directory.glob("run-*"):
        old.unlink()
    path = directory / f"run-{next(_numbers)}.db"
    shutil.copyfile(_template(), path)
    return open_store(str(path))


@cache
def _template() -> Path:
    path = scratch.directory("floor") / "empty.db"
    with open_store(str(path)) as store:
        open_jackpots(JackpotLogs(store), _parameters(), _TIME)
    return path


@cache
def _parameters() -> tuple[Parameters, ...]:
    path = scratch.directory("floor") / "jackpots.toml"
    path.write_text(JACKPOTS)
    return loading.load(path)


def mutate(data: bytes, most: int, seed: int) -> bytes | None:
    """Return the same messages, one of them another."""
    messages = data.split(b"\0")
    at = seed % len(messages)
    made = json_mutator.mutated(messages[at][1:], most, seed)
    if made is None:
        return None
    messages[at] = messages[at][:1] + made.replace(b"\0", b"")
    return b"\0".join(messages)[:most]


def seeds() -> Iterable[bytes]:
    """A message of every topic, with and without its place in a ledger, and a short story of a coup."""
    kinds = [topic.payload for topic in TOPICS.values()]
    made = [msgspec.json.encode(example(kind)) for kind in kinds]
    placed = [_placed(payload, number) for number, payload in enumerate(made)]
    story = [bytes([number]) + payload for number, payload in enumerate(placed, 1)]
    yield from (bytes([number]) + payload for number, payload in enumerate(made, 1))
    yield from story
    yield b"\0".join(story)[:MOST_BYTES]
    yield b"\0".join(reversed(story))[:MOST_BYTES]
    yield bytes([1 + list(TOPICS).index("status")]) + b'{"state":"online","deep":' + b"[" * 3000
    yield b"\xffsabot/v1/sydney/bac-01/coup {}"


def _placed(payload: bytes, number: int) -> bytes:
    """Return a message with its place in a ledger, or a list of them."""
    inner = payload[1:-1] if payload[:1] == b"[" else payload
    placed = with_place(inner, Place("6a7e", number + 1, number))
    return b"[" + placed + b"]" if inner is not payload else placed
