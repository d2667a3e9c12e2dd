"""Config of the floor service: one TOML file; wrong keys and values are errors that name the key, all at once."""

import os
import pwd
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
from sabot_protocol.command_keys import SigningKey, read_signing
from sabot_protocol.inputs import config_file
from sabot_protocol.inputs.config_file import ConfigError, Name, with_paths
from sabot_protocol.inputs.secret_file import SecretError, read_key
from sabot_protocol.jackpots import loading
from sabot_protocol.jackpots.parameters import Parameters
from sabot_service.broker import LOGIN_WANTED, Login, broker_problems
from sabot_service.monitor import metrics_problems

from sabot_floor.gaming_day import HOUR, ZONE, Calendar, hour_problem, zone_problem
from sabot_floor.notify import channels
from sabot_floor.notify.channels import AnyChannel
from sabot_floor.notify.check import problems as notify_problems
from sabot_floor.signs.limits import TableLimits
from sabot_floor.socket_path import default_control
from sabot_floor.web import config as web_config
from sabot_floor.web.config import Web

_WHAT = "a floor service's TOML file"


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A floor service: its site, its store, its broker, its jackpots."""

    site: Name
    store: str  # path of an SQLite file, or postgresql://…
    broker: str
    jackpots: str | None = None  # the file with the parameters of the jackpots; without one the floor has none
    jackpot_key: str | None = None  # the secret that the gateways sign with; unsigned messages are accepted without one
    floor_key: str | None = None  # the private key that signs commands to tables; none can be given without one
    head_key: str | None = None  # signs the heads of the store's logs; made at the first start
    login: Login = Login()
    control: str | None = None  # the socket of the daemon's own commands
    worker: Name = "1"  # several workers on one store have different names
    gaming_day: str = HOUR  # the hour at which a gaming day begins
    time_zone: str = ZONE  # of the site
    notify: tuple[AnyChannel, ...] = ()
    people_required: bool = False  # acts of people need a log-in; names as typed are refused
    people_admins: tuple[Name, ...] = ()  # accounts that may change people, beside root and the service's own
    web: Web | None = None  # the pages; none are served without it
    table: tuple[TableLimits, ...] = ()  # what the pages show of a table beside what its gateway publishes
    metrics: str | None = None  # address and port of /metrics, /healthz and /readyz; none without it

    def parameters(self) -> tuple[Parameters, ...]:
        """Return the parameters of the jackpots, none without a file; ConfigError if it cannot be used."""
        return loading.load(Path(self.jackpots)) if self.jackpots is not None else ()

    def control_path(self) -> Path:
        """Return where the daemon listens for its own commands."""
        return Path(self.control if self.control is not None else default_control(self.store, self.worker))

    def head_key_path(self) -> Path:
        """Return where the key is that signs heads: beside the store, or beside the socket if that is no file."""
        if self.head_key is not None:
            return Path(self.head_key)
        return self.control_path().with_name("floor-key") if "://" in self.store else Path(f"{self.store}-key")

    def calendar(self) -> Calendar:
        """Return the gaming days of the site; CalendarError if the hour or the time zone is wrong."""
        return Calendar(self.gaming_day, self.time_zone)

    def admins(self) -> set[str]:
        """Return the accounts that may change people."""
        return {"root", _own_account(), *self.people_admins}

    def key(self) -> bytes:
        """Return the secret that the gateways sign with, empty without one; SecretError if the file cannot be used."""
        if self.jackpot_key is None:
            return b""
        key = read_key(Path(self.jackpot_key))
        if key is None:
            raise SecretError(
                f"{self.jackpot_key}: no such file; copy the one of the gateways, or make one with "
                f"`sabot keys jackpot {self.jackpot_key}`"
            )
        return key

    def signing_key(self) -> SigningKey | None:
        """Return the key that signs commands, None without one; SecretError if the file cannot be used."""
        return read_signing(Path(self.floor_key)) if self.floor_key is not None else None


def _own_account() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


# What each key expects, for the message about a wrong value.
_WANTED = {
    "site": 'letters, digits, - and _, such as "sydney"',
    "store": 'the path of a file, such as "floor.db", or "postgresql://user@host/database"',
    "broker": '"mqtt://host:1883", or "mqtts://host:8883" for TLS',
    "jackpots": 'the path of the jackpots\' parameters, such as "jackpots.toml"',
    "jackpot_key": 'the path of the key that the gateways sign with, such as "jackpot.key"',
    "floor_key": 'the path of the private key, such as "keys/floor.key"; `sabot keys floor DIR` makes it',
    "head_key": 'the path of the key that signs the heads of the logs, such as "floor.db-key"',
    "login": "a table: [login]",
    "control": 'the path of a socket, such as "/run/sabot/floor.sock"',
    "worker": 'letters, digits, - and _, such as "2"',
    "gaming_day": 'a full or half hour, such as "06:00"',
    "notify": "tables: [[notify]]",
    "time_zone": 'the name of a time zone, such as "Australia/Sydney"',
    "people_required": "true or false",
    "web": "a table: [web]",
    "table": "tables: [[table]]",
    "metrics": '"127.0.0.1:9465", address and port for Prometheus and health checks',
    "people_admins": 'the accounts that may change people, such as ["security"]',
}


def load(path: Path, worker: str | None = None) -> Config:
    """Read and check a file; `worker` replaces the one in it."""
    config, found = read(path, worker)
    found += problems(config) if config is not None else []
    if config is None or found:
        raise ConfigError("\n".join(f"{path}: {problem}" for problem in found))
    return config


def read(path: Path, worker: str | None = None) -> tuple[Config | None, list[str]]:
    """Return a file's keys and types: the config, its paths made absolute, or everything that is wrong."""
    data, found = config_file.read_toml(path, _WHAT, f"sabot floor init --config {path}")
    if data is None:
        return None, found
    data = data if worker is None else {**data, "worker": worker}
    nested = {"notify", "table", *(("web",) if isinstance(data.get("web"), dict) else ())}  # checked below, key by key
    others = {key: value for key, value in data.items() if key not in nested}
    found = [
        *config_file.key_problems(Config, others, "", _WANTED),
        *_login_problems(data),
        *channels.shape_problems(data.get("notify", [])),
        *web_config.shape_problems(data),
    ]
    if found:
        return None, found
    return _absolute(msgspec.convert(data, Config), path.resolve().parent), []


def _login_problems(data: dict[str, Any]) -> Iterator[str]:
    login = data.get("login")
    if isinstance(login, dict):
        yield from config_file.key_problems(Login, login, "login.", LOGIN_WANTED)


def _absolute(config: Config, directory: Path) -> Config:
    """Relative paths are relative to the file that names them."""
    names = ["jackpots", "jackpot_key", "floor_key", "head_key", "control"]
    if "://" not in config.store:
        names.append("store")
    control = config.control if config.control is not None else default_control(config.store, config.worker)
    made = msgspec.structs.replace(
        config,
        login=config.login.with_paths(directory),
        control=control,
        notify=tuple(channels.absolute(channel, directory) for channel in config.notify),
        web=web_config.absolute(config.web, directory),
    )
    return with_paths(made, directory, *names)


def problems(config: Config) -> list[str]:
    """Return what else is wrong: jackpots, key, broker, people, hour, time zone or channels that cannot be used."""
    return [
        *_jackpots_problems(config),
        *_key_problems(config),
        *broker_problems(config.broker, config.login),
        *_people_problems(config),
        *day_problems(config),
        *notify_problems(config.notify),
        *web_config.problems(config.web, config.table),
        *metrics_problems(config.metrics),
    ]


def day_problems(config: Config) -> list[str]:
    """Return what is wrong with the hour and the time zone of the gaming day."""
    found = {"gaming_day": hour_problem(config.gaming_day), "time_zone": zone_problem(config.time_zone)}
    return [f"{key}: {problem}" for key, problem in found.items() if problem]


def _jackpots_problems(config: Config) -> list[str]:
    if config.jackpots is None:
        return []
    return [f"jackpots {config.jackpots}: {problem}" for problem in loading.problems(Path(config.jackpots))]


def _key_problems(config: Config) -> list[str]:
    found = []
    readers: dict[str, Callable[[], object]] = {"jackpot_key": config.key, "floor_key": config.signing_key}
    for name, read in readers.items():
        try:
            read()
        except SecretError as error:
            found.append(f"{name}: {error}")
    return found


def _people_problems(config: Config) -> list[str]:
    if config.people_required and find_spec("argon2") is None:
        return ["people_required: argon2-cffi is not installed; pip install 'sabot[floor]'"]
    return []
