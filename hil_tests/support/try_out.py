"""An installer's trial without a real shoe: broker, `sabot gateway run` and `sabot shoe`, each a process."""

import os
import selectors
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sabot_protocol.topics import CoupMessage
from sabot_service.client import ask
from sabot_service.messages import Request
from sabot_tools.stand import broker
from sabot_tools.stand.children import Children
from sabot_tools.stand.local_site import daemon_command
from sabot_tools.stand.subscriber import SiteSubscriber
from sabot_tools.text.coups import Painter

from support.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
SITE = "try"


class ShoeProcess:
    """`sabot shoe …`, its output in files; its processes carry a mark in their environment."""

    def __init__(self, work_dir: Path, *options: str) -> None:
        self._mark = f"SABOT_TEST_MARK={uuid.uuid4()}"
        self.out, self.err, self.temp = (work_dir / f"{uuid.uuid4()}.{kind}" for kind in ("out", "err", "tmp"))
        self.temp.mkdir()
        name, value = self._mark.split("=")
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "sabot_tools", "shoe", *options],
                cwd=work_dir,
                env={**os.environ, name: value, "TMPDIR": str(self.temp)},
                stdout=out,
                stderr=err,
            )

    def config(self) -> str:
        """Wait for and return the lines to paste into the gateway's config."""
        head, end, _ = self.out.read_text().partition("\n\n")
        return head if end else ""

    def coups(self) -> list[str]:
        """Return the output lines."""
        return self.out.read_text().partition("\n\n")[2].splitlines()

    def notes(self) -> str:
        """Return what it wrote to stderr."""
        return self.err.read_text()

    def stop(self, number: int) -> int:
        """Send a signal and return the exit status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)

    def left(self) -> list[str]:
        """Return processes that carry the mark, except the shoe itself, and temporary files."""
        found = [str(path) for path in self.temp.iterdir()]
        for directory in Path("/proc").glob("[0-9]*"):
            try:
                marked = self._mark.encode() in (directory / "environ").read_bytes().split(b"\0")
                command = (directory / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            if marked and int(directory.name) != self.process.pid and command:
                found.append(command)
        return found


class TryOut:
    """A broker with a subscriber; start() starts a shoe, gateway() the daemon with the shoe's config lines."""

    def __init__(self, work_dir: Path) -> None:
        self.work_dir, self.children = work_dir, Children(work_dir)
        self.shoes: list[ShoeProcess] = []
        self.broker = broker.start(self.children, work_dir, 0)
        self._selector = selectors.DefaultSelector()
        self._subscriber = SiteSubscriber(self.broker, SITE, self._selector)
        self.until(lambda: self._subscriber.ready)

    def start(self, *options: str) -> ShoeProcess:
        """Start a shoe and wait for its port; the port has its own name, because a bare pty is soon reused."""
        named = any(option in ("--tcp", "--pty") for option in options)
        line = () if named else ("--pty", str(self.work_dir / f"line-{len(self.shoes)}"))
        shoe = ShoeProcess(self.work_dir, *options, *line)
        self.shoes.append(shoe)
        self.until(lambda: shoe.config() or shoe.process.poll() is not None)
        assert shoe.config(), shoe.notes()
        return shoe

    def gateway(self, tables: str, head: str = "") -> None:
        """Start the daemon as an installer does."""
        self.paste(tables, head)
        self.daemon = self.children.start("gateway", daemon_command(self.config))

    def paste(self, tables: str, head: str = "") -> None:
        """Write the config with these tables."""
        self.config = self.work_dir / "gateway.toml"
        site = f'site = "{SITE}"\nledger = "{self.work_dir}/ledger.db"\nbroker = "{self.broker}"\n'
        self.config.write_text(f"{site}{head}\n{tables}\n")

    def end_gateway(self, *, kill: bool = False) -> None:
        """End the daemon with SIGTERM, or kill it."""
        self.children.release(self.daemon)
        (self.daemon.kill if kill else self.daemon.terminate)()
        assert self.daemon.wait(PATIENCE_S) == (-9 if kill else 0)

    def received(self, topic: str, table: str = "bac-01") -> list[dict[str, Any]]:
        """Return what the subscriber received, each id once."""
        return [payload for name, payload in self._subscriber.received if name == f"{table}/{topic}"]

    def coups(self) -> list[str]:
        """Return coups as `sabot watch` prints them; of a coup published again, the last."""
        painter = Painter(colour=False)
        found = {
            (payload["shoe"], payload["coup"]): msgspec.convert(payload, CoupMessage)
            for payload in self.received("coup")
        }
        return [painter.line(coup, None) for coup in found.values()]

    def status(self) -> dict[str, Any]:
        """Return the status of the first table from the daemon's socket."""
        answer = ask(self.work_dir / "control.sock", Request("status"))
        found: dict[str, Any] = msgspec.json.decode(answer.data)["tables"][0]
        return found

    def more_coups(self, count: int) -> None:
        """Wait until the subscriber has this many more."""
        goal = len(self.coups()) + count
        self.until(lambda: len(self.coups()) >= goal)

    def until(self, done: Callable[[], object]) -> None:
        """Receive until the condition holds."""
        give_up_s = time.monotonic() + PATIENCE_S
        while not done():
            self._selector.select(0.05)
            self._subscriber.step(time.monotonic())
            if time.monotonic() > give_up_s:
                pytest.fail("\n".join(path.read_text() for path in sorted(self.work_dir.glob("*.*r*"))))

    def close(self) -> None:
        """End every process."""
        for shoe in self.shoes:
            shoe.process.kill()
            shoe.process.wait()
        self._subscriber.close()
        self.children.stop()
