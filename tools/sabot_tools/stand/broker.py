"""The broker: the user's by URL, else a nats-server of the user's, else the one from the index."""

import os
import shutil
import socket
import sys
from pathlib import Path

from sabot_gateway.publish.broker import Broker

from sabot_tools.stand.children import Children

_CONFIG = """\
server_name: sabot
listen: "127.0.0.1:-1"
jetstream {{ store_dir: "{store}" }}
mqtt {{ listen: "127.0.0.1:{port}" }}
"""
HOST = "127.0.0.1"


class NoBrokerError(RuntimeError):
    """No broker can be had; the message says what to do."""


def nats_server() -> str:
    """SABOT_NATS_SERVER, else one on the path, else the wheel's beside this Python."""
    beside = Path(sys.executable).with_name("nats-server")
    chosen = os.environ.get("SABOT_NATS_SERVER")
    found = chosen or shutil.which("nats-server") or (str(beside) if beside.exists() else None)
    if not found or not shutil.which(found):
        raise NoBrokerError(
            f"no nats-server at {chosen}: correct SABOT_NATS_SERVER"
            if chosen
            else "no nats-server: in a checkout of Sabot `pip install '.[demo]'` brings one for x86_64 and arm64; "
            "elsewhere install nats-server and put it on the path. The demo also takes a broker that you have: "
            "make demo BROKER=mqtt://host:1883"
        )
    return found


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def start(children: Children, work_dir: Path, port: int) -> Broker:
    """Start a nats-server with MQTT and JetStream on this port; 0 is any that is free."""
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
                f"port {port} on {HOST} is busy ({error.strerror}). Choose another: make demo PORT={port + 1}, or use "
                f"the broker that is there: make demo BROKER=mqtt://{HOST}:{port}"
            ) from error


class LocalBroker:
    """A nats-server that can be stopped and started again; its port and its store stay."""

    def __init__(self, work_dir: Path) -> None:
        self._children, self._work_dir = Children(work_dir), work_dir
        self.broker = Broker(HOST, free_port())
        self.up = False
        self.start()

    def start(self) -> None:
        """Unless it runs."""
        if not self.up:
            start(self._children, self._work_dir, self.broker.port)
            self.up = True

    def stop(self) -> None:
        """Politely; what it has acknowledged it keeps."""
        self._children.stop()
        self.up = False
