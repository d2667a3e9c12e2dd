"""A floor service on this machine: its files, its process, and whether it receives increments."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec
from sabot_floor.jackpots import audit
from sabot_floor.store import DamagedError, open_store
from sabot_floor.store import audit as chain_audit
from sabot_protocol import command_keys
from sabot_service.broker import Broker, Login

from sabot_tools.stand.children import Children
from sabot_tools.stand.ports import HOST


@dataclass
class FloorService:
    """The daemon with its store in `work_dir`; `ready` once no increment can be lost.

    `jackpots` and `tables` are TOML; with a `web_port` it serves the pages and signs commands to tables.
    """

    work_dir: Path
    jackpots: str = ""
    web_port: int | None = None
    tables: str = ""
    metrics_port: int | None = None
    ready: bool = False

    def __post_init__(self) -> None:
        """Name the files; without jackpots there are no increments."""
        self.config_path = self.work_dir / "floor.toml"
        self.parameters_path = self.work_dir / "jackpots.toml"
        self.store_path = self.work_dir / "floor.db"
        self.socket_path = self.work_dir / "floor.sock"
        self.keys_path = self.work_dir / "keys"
        self.ready = not self.jackpots

    def start(self, children: Children, site: str, broker: Broker, login: Login) -> None:
        """Write config, parameters and keys, and start the daemon with them."""
        if self.jackpots:
            self.parameters_path.write_text(self.jackpots)
        if self.web_port is not None:
            self.keys_path.mkdir()
            command_keys.make(self.keys_path)
        self.config_path.write_text(self._config(site, broker, login))
        self.run(children)

    def run(self, children: Children) -> None:
        """Start the daemon with the files that are there."""
        self.process: subprocess.Popen[bytes] = children.start("floor", floor_command(self.config_path))

    def for_gateways(self) -> dict[str, Path]:
        """Return the keys of a gateway's config that name files of this service."""
        found = {"jackpots": self.parameters_path} if self.jackpots else {}
        return found | ({} if self.web_port is None else {"floor_key": self.keys_path / command_keys.PUBLIC_NAME})

    def _config(self, site: str, broker: Broker, login: Login) -> str:
        values = {
            "site": site,
            "store": str(self.store_path),
            "broker": str(broker),
            "control": str(self.socket_path),
        }
        if self.jackpots:
            values["jackpots"] = str(self.parameters_path)
        if self.metrics_port is not None:
            values["metrics"] = f"{HOST}:{self.metrics_port}"
        if self.web_port is not None:
            values["floor_key"] = str(self.keys_path / command_keys.PRIVATE_NAME)
        head = (f'{name} = "{value}"\n' for name, value in values.items())
        logins = (f'{name} = "{value}"\n' for name, value in msgspec.structs.asdict(login).items() if value)
        web = "" if self.web_port is None else f'\n[web]\nlisten = "{HOST}:{self.web_port}"\n{self.tables}'
        return "".join([*head, "\n[login]\n", *logins, web])

    def verified_entries(self) -> int:
        """Recompute chains, meters and wins; return the number of entries. DamagedError if something differs."""
        with open_store(str(self.store_path), read_only=True) as store:
            chains = chain_audit.verify(store)
            faults = [fault for name in audit.jackpots(store) for fault in audit.verify(store, name).faults]
        if chains.faults or faults:
            raise DamagedError("; ".join([*chains.faults, *faults]))
        return chains.entries

    def on_message(self, topic: str) -> None:
        """Take a message of the site: the service publishes its meters once it has subscribed."""
        self.ready = self.ready or topic.endswith("/meter")


def floor_command(config: Path) -> list[str]:
    """Return the command that runs the floor service with this config."""
    return [sys.executable, "-m", "sabot_tools", "floor", "run", "--config", str(config)]
