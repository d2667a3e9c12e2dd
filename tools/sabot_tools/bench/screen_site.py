"""A site for screens under load: broker and floor service as processes, tables as a gateway would publish them."""

import os
import selectors
import sys
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec
from sabot_protocol.topics import ROOT, StatusMessage
from sabot_service.mqtt import LoopClient

from sabot_tools.bench.table_story import TIME, Published, TableStory
from sabot_tools.stand.broker import LocalBroker
from sabot_tools.stand.children import Children
from sabot_tools.stand.floor_service import FloorService
from sabot_tools.stand.ports import HOST, free_port

SITE: Final = "bench"
_WITHIN_S: Final = 30.0
_TICKS: Final = os.sysconf("SC_CLK_TCK")


class ScreenSite:
    """Use it with `with`; `publish` sends a table's messages, `acknowledged` has when the broker took each."""

    def __init__(self, work_dir: Path, tables: int, jackpots: str = "") -> None:
        self.broker = LocalBroker(work_dir)
        self._children = Children(work_dir)
        self.floor = FloorService(work_dir, jackpots, free_port())
        self.url = f"http://{HOST}:{self.floor.web_port}"
        self.stories = {name: TableStory(name) for name in (f"bac-{number:02}" for number in range(1, tables + 1))}
        self.acknowledged: dict[int, float] = {}  # by message number, on the wall clock
        self.selector = selectors.DefaultSelector()
        self._mqtt = LoopClient(self.broker.address, "bench-gateway", clean_session=True, selector=self.selector)
        self._mqtt.client.on_publish = self._on_publish

    def __enter__(self) -> Self:
        """Start the floor service, and publish what is retained of every table."""
        from sabot_service.broker import Login

        self.floor.start(self._children, SITE, self.broker.address, Login())
        self.until(self._mqtt.client.is_connected)
        self.until(self._serves)
        self.put("status", StatusMessage(state="online", time=TIME))
        for name, story in self.stories.items():
            self.publish(name, list(story.begin()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop everything."""
        self._mqtt.close()
        self._children.stop()
        self.broker.stop()

    def _on_publish(self, _client: object, _userdata: object, number: int, *_: object) -> None:
        self.acknowledged[number] = time.time()

    def _serves(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/words", timeout=1) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def put(self, topic: str, message: msgspec.Struct) -> int:
        """Publish a retained message below the site; return its number, by which it is acknowledged."""
        return self._mqtt.publish(f"{ROOT}/{SITE}/{topic}", msgspec.json.encode(message), retain=True)

    def publish(self, table: str, messages: Sequence[Published]) -> None:
        """Publish messages of a table, and wait until the broker has taken them."""
        numbers = [self.put(f"{table}/{one.topic}", one.message) for one in messages]
        self.until(lambda: all(number in self.acknowledged for number in numbers))
        for number in numbers:
            del self.acknowledged[number]

    def step(self, timeout_s: float = 0.0) -> None:
        """Send and receive what is due."""
        self._children.check()
        self.selector.select(timeout_s)
        self._mqtt.step(time.monotonic())

    def until(self, done: Callable[[], bool]) -> None:
        """Take turns until the condition holds; TimeoutError if it never does."""
        give_up_s = time.monotonic() + _WITHIN_S
        while not done():
            if time.monotonic() > give_up_s:
                raise TimeoutError(f"not within {_WITHIN_S:.0f} s; log of the floor service: {self.floor.work_dir}")
            self.step(0.01)

    def floor_cpu_s(self) -> float:
        """Return the processor time that the floor service has used."""
        if sys.platform != "linux":
            raise OSError("the bench of screens reads /proc: run it on Linux")
        fields = Path(f"/proc/{self.floor.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS
