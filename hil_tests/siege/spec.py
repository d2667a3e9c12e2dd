"""What attackers need to know of the laboratory: one JSON document, so that they run in a process of their own."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Honest:
    """A table that must not suffer."""

    table: str
    unit: str  # hex
    rulebook: str
    port: int
    key: str = ""  # hex; empty for none


@dataclass(frozen=True)
class Spec:
    """Targets of an attack, its seed and its length."""

    seed: int
    seconds: float
    work_dir: str
    site: str
    broker_port: int
    protocol_hash: str
    honest: list[Honest]
    hostile: dict[str, int]  # table and port
    units: dict[str, str]  # keyed units of the hostile ports, and their keys, hex
    groups: list[str]  # of shoes, control, mqtt, files, takeover
    acts: list[str] = field(default_factory=list)  # only these; empty for all
    without: list[str] = field(default_factory=list)

    @property
    def config(self) -> Path:
        """The daemon's config file."""
        return Path(self.work_dir) / "gateway.toml"

    @property
    def control(self) -> Path:
        """The daemon's control socket."""
        return Path(self.work_dir) / "control.sock"

    @property
    def keys(self) -> Path:
        """The directory of keys."""
        return Path(self.work_dir) / "keys"

    @property
    def pid_file(self) -> Path:
        """The daemon's process id, written by the laboratory at each start."""
        return Path(self.work_dir) / "daemon.pid"

    @property
    def attack_log(self) -> Path:
        """JSON lines: when, where, which act."""
        return Path(self.work_dir) / "attacks.jsonl"

    @property
    def waiting(self) -> Path:
        """JSON: of each hostile port the events that the gateway has not acknowledged, at the end of a phase."""
        return Path(self.work_dir) / "waiting.json"

    def wants(self, act: str) -> bool:
        """True if this act takes part."""
        return act not in self.without and (not self.acts or act in self.acts)

    def config_text(self, hostile: list[str] | None = None) -> str:
        """The daemon's config with the honest tables, and these hostile ones; None for all."""
        names = list(self.hostile) if hostile is None else hostile
        tables = [table_text(honest.table, _url(honest.port), honest.rulebook) for honest in self.honest]
        tables += [table_text(name, _url(self.hostile[name]), "star-baccarat") for name in names]
        return self.head() + "".join(tables)

    def head(self) -> str:
        """The config without its tables."""
        return (
            f'site = "{self.site}"\nledger = "{self.work_dir}/ledger.db"\ncontrol = "{self.control}"\n'
            f'broker = "mqtt://127.0.0.1:{self.broker_port}"\nkeys = "{self.keys}"\nkeys_required = false\n'
        )

    def write(self, path: Path) -> None:
        """As JSON."""
        path.write_text(json.dumps(asdict(self)))


def table_text(name: str, port: str, rulebook: str) -> str:
    """One table of a config."""
    return f'\n[[table]]\nname = "{name}"\nport = "{port}"\nrulebook = "{rulebook}"\n'


def read(path: Path) -> Spec:
    """What `Spec.write` wrote."""
    found = json.loads(path.read_text())
    return Spec(**{**found, "honest": [Honest(**one) for one in found["honest"]]})


def _url(port: int) -> str:
    return f"socket://127.0.0.1:{port}"
