"""Starts the daemon on a changed ledger: it may refuse, hold, raise an alarm, or serve."""

import copy
import re
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from independent.shoe import Shoe
from independent.tcp import Port, Server

from siege import control
from siege.ground import SITE, Ground
from siege.lab import Daemon
from siege.subscriber import Subscriber

_WATCH_S = 4.0
_LINE_CHARS = 300  # characters of a line
_LID, _FAULT, _CLEARED = 3, 17, 18
_LOUD = re.compile(r"\[(warning|error)|^sabot")


@dataclass
class TrialStart:
    """The daemon on a tampered ledger, with the shoes of its moment on their ports."""

    ground: Ground
    ledger: Path
    shoes: list[Shoe]

    def run(self) -> dict[str, Any]:
        """Return what it does within a few seconds."""
        ports = [Port(copy.deepcopy(shoe)) for shoe in self.shoes]
        server = Server(ports, self.ground.house.server.begun_s)
        topic = f"sabot/v1/{SITE}/+/alarm"
        heard = Subscriber(self.ground.broker.port, [topic], name=f"heard-{self.ledger.parent.name}", clean=True)
        heard.start()
        self._write_config(ports)
        daemon = self.ground.daemon
        daemon.start()
        found = self._watch(server, ports, daemon)
        if daemon.ended() is None:
            daemon.stop()
        server.close()
        heard.stop()
        lines = daemon.log(daemon.log_from).splitlines()
        return {
            **found,
            "published": len(heard.take()),
            "log": [line[-_LINE_CHARS:] for line in lines if _LOUD.search(line)][:4],
        }

    def _write_config(self, ports: list[Port]) -> None:
        """The honest tables at these ports, with the tampered ledger."""
        ground = self.ground
        text = ground.spec.config_text([]).replace(str(ground.ledger), str(self.ledger))
        for honest, port in zip(ground.spec.honest, ports, strict=True):
            text = text.replace(f":{honest.port}", f":{port.number}")
        ground.spec.config.write_text(text)

    def _watch(self, server: Server, ports: list[Port], daemon: Daemon) -> dict[str, Any]:
        self._serve(server, lambda: daemon.ended() is not None or all(port.connected for port in ports))
        for port in ports:
            if isinstance(port.peer, Shoe):
                port.peer.log(server.now_ms(), _CLEARED, bytes((_LID, 1)))
                port.peer.log(server.now_ms(), _FAULT, struct.pack("<BH", _LID, 1))
        self._serve(server, lambda: daemon.ended() is not None)
        if daemon.ended() is not None:
            return {"does": "refuses to start", "exit": daemon.ended()}
        try:
            return _summary(control.status(self.ground.spec, 2.0))
        except (OSError, ValueError) as error:
            return {"does": "does not answer", "why": str(error)}

    def _serve(self, server: Server, done: Callable[[], bool]) -> None:
        ends_s = time.monotonic() + _WATCH_S
        while time.monotonic() < ends_s and not done():
            server.step(0.01)


def _summary(status: dict[str, Any]) -> dict[str, Any]:
    tables = status.get("tables", [])
    problems = sorted({str(row["problem"])[:_LINE_CHARS] for row in tables if row.get("problem")})
    raised = {alarm["name"] for row in tables for alarm in row.get("alarms", [])}
    ledger = (status.get("ledger") or {}).get("problem")
    does = "holds" if ledger or problems else "serves"
    return {"does": does, "ledger_problem": ledger, "problems": problems, "alarms": sorted(raised - {"fault_lid"})}
