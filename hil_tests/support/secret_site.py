"""Secret site: a broker with users, a gateway, a floor service with pages, and a secret of each kind to search for."""

import base64
import json
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

from floor_rig import JACKPOTS
from sabot_protocol import command_keys
from sabot_service.client import ask
from sabot_service.daemons import FLOOR, GATEWAY, Daemon
from sabot_service.messages import ControlError, Request
from sabot_tools.stand import broker
from sabot_tools.stand.children import Children
from sabot_tools.stand.ports import HOST, free_port
from shoe_events import OTHER_KEY, UNIT, Shoe, frames_in

from support.patience import PATIENCE_S

_NATS = """\
server_name: sabot
listen: "127.0.0.1:-1"
jetstream {{ store_dir: "{store}" }}
mqtt {{ listen: "127.0.0.1:{port}" }}
authorization {{ users = [ {{user: gateway, password: "{gateway}"}}, {{user: floor, password: "{floor}"}} ] }}
"""
_GATEWAY = """\
site = "sydney"
ledger = "ledger.db"
broker = "mqtt://127.0.0.1:{port}"
keys = "keys"
jackpots = "jackpots.toml"
jackpot_key = "jackpot.key"
floor_key = "floor.pub"
[login]
user = "gateway"
password_file = "gateway.password"
[[table]]
name = "bac-01"
port = "socket://127.0.0.1:{shoe}"
rulebook = "crown-baccarat"
"""
_FLOOR = """\
site = "sydney"
store = "floor.db"
broker = "mqtt://127.0.0.1:{port}"
control = "floor.sock"
jackpots = "jackpots.toml"
jackpot_key = "jackpot.key"
floor_key = "floor.key"
[login]
user = "floor"
password_file = "floor.password"
[web]
listen = "127.0.0.1:{web}"
[[notify]]
kind = "webhook"
name = "hook"
url_file = "hook.url"
secret_file = "hook.secret"
severity = "info"
"""
PLAIN = {  # what people type, or put into files
    "broker password": "Marker-Broker-5tq9",
    "wrong broker password": "Marker-Wrong-Broker-81kz",
    "PIN": "730155",
    "other PIN": "918264",
    "simple PIN": "733733733",
    "password": "Marker-Person-Pass-77x",
    "badge": "BADGE00417733",
    "webhook secret": "Marker-Hook-Secret-3c1d",
    "webhook token": "Marker-Hook-Token-9f",
}


@dataclass
class SecretSite:
    """Start it, provoke it, then search all that it wrote; `said` has what callers were answered."""

    folder: Path
    said: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Write every file; nothing runs yet."""
        self.children, self.port, self.web = Children(self.folder), free_port(), free_port()
        self.keys = {"shoe key": os.urandom(32).hex(), "jackpot key": os.urandom(32).hex()}
        self._shoe = socket.create_server((HOST, 0))
        self._shoe.settimeout(PATIENCE_S)
        given = {"port": self.port, "web": self.web, "shoe": self._shoe.getsockname()[1]}
        (self.folder / "gateway.toml").write_text(_GATEWAY.format(**given))
        (self.folder / "floor.toml").write_text(_FLOOR.format(**given))
        (self.folder / "jackpots.toml").write_text(JACKPOTS)
        command_keys.make(self.folder)
        self.keys["floor key"] = (self.folder / "floor.key").read_text().strip()
        (self.folder / "keys").mkdir(mode=0o700)
        self.hide(f"keys/{UNIT}.key", self.keys["shoe key"])
        self.hide("jackpot.key", self.keys["jackpot key"])
        self.hide("gateway.password", PLAIN["broker password"])
        self.hide("floor.password", PLAIN["wrong broker password"])
        self.hide("hook.secret", PLAIN["webhook secret"])
        self.hide("hook.url", f"http://127.0.0.1:1/{PLAIN['webhook token']}")

    def hide(self, name: str, secret: str, mode: int = 0o600) -> None:
        """Write a file of a secret."""
        path = self.folder / name
        path.write_text(f"{secret}\n")
        path.chmod(mode)

    def start_broker(self) -> None:
        """Start the broker with the right passwords."""
        passwords = {"gateway": PLAIN["broker password"], "floor": PLAIN["broker password"]}
        config = self.folder / "nats.conf"
        config.write_text(_NATS.format(store=self.folder / "jetstream", port=self.port, **passwords))
        self.children.start("broker", [broker.nats_server(), "-c", str(config)])

    def start(self, daemon: str) -> None:
        """Start a daemon with all that Python reports to developers."""
        command = [sys.executable, "-X", "dev", "-m", "sabot_tools", daemon, "run", "--config"]
        self.children.start(daemon, [*command, str(self.folder / f"{daemon}.toml")])

    def log(self, daemon: str) -> str:
        """Return what a daemon has logged."""
        return (self.folder / f"{daemon}.log").read_text()

    def wait(self, done: Callable[[], object]) -> None:
        """Wait until this holds."""
        give_up_s = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < give_up_s, self.log("gateway")[-2000:] + self.log("floor")[-2000:]
            time.sleep(0.02)

    def ask(self, daemon: Daemon, verb: str, **args: Any) -> str:
        """Ask a daemon; return and keep its whole answer."""
        path = self.folder / ("floor.sock" if daemon is FLOOR else "control.sock")
        with suppress(ControlError):
            answer = ask(path, Request(verb, args=args), daemon)
            self.said.append((f"{daemon.name} {verb}", f"{answer.say}\n{bytes(answer.data).decode()}"))
            return "\n".join(self.said[-1])
        return ""

    def post(self, path: str, body: bytes) -> None:
        """Send a form of a page."""
        connection = HTTPConnection(HOST, self.web, timeout=PATIENCE_S)
        origin = {"Origin": f"http://{HOST}:{self.web}", "Content-Type": "application/json"}
        connection.request("POST", path, body, origin)
        answer = connection.getresponse()
        self.said.append((path, f"{answer.status}\n{answer.headers}\n{answer.read().decode()}"))
        connection.close()

    def shoe_with_wrong_key(self) -> None:
        """Offer a session as a shoe that has another key."""
        connection, _ = self._shoe.accept()
        connection.settimeout(PATIENCE_S)
        received = bytearray()
        with connection:
            while not (asked := [one for one in frames_in(bytes(received)) if one.type == "who"]):
                received += connection.recv(4096)
            connection.sendall(Shoe(OTHER_KEY).hello(asked[0].body["nonce"]))
            self.wait(lambda: "key" in self.ask(GATEWAY, "status"))

    def written(self) -> Iterator[tuple[str, bytes]]:
        """Yield all that was written or can be read of the processes, with where it is; not the files of secrets."""
        for name in ("gateway", "floor"):
            for file in ("cmdline", "environ"):
                yield f"{file} of {name}", Path(f"/proc/{self.children.pid(name)}/{file}").read_bytes()
        yield from ((what, text.encode()) for what, text in self.said)
        for path in sorted(self.folder.rglob("*")):
            if (
                path.is_file()
                and path.suffix not in (".key", ".password", ".secret", ".url")
                and path.name != "nats.conf"
            ):
                yield str(path.relative_to(self.folder)), path.read_bytes()

    def found(self) -> list[str]:
        """Return where a secret is that must not be there."""
        secrets = {**PLAIN, **self.keys}
        return [
            f"{name} in {where}"
            for where, data in self.written()
            for name, secret in secrets.items()
            if any(form in data for form in forms(secret))
        ]


def forms(secret: str) -> set[bytes]:
    """Return how a secret could be written."""
    text = secret.encode()
    found = {
        text,
        base64.b64encode(text),
        quote(secret).encode(),
        json.dumps(secret)[1:-1].encode(),
        repr(text).encode(),
    }
    if len(secret) == 64:
        raw = bytes.fromhex(secret)
        found |= {raw, secret.upper().encode(), base64.b64encode(raw), repr(raw)[2:-1].encode()}
    return found
