"""Check: prove a config on its machine before the daemon runs, one fact a line; nothing is changed."""

import ctypes
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sabot_protocol.fields import UNIT_BYTES
from sabot_protocol.inputs.secret_file import SecretError
from sabot_protocol.jackpots.dates import not_yet
from sabot_service.broker import Broker, BrokerUrlError
from sabot_service.facts import Fact, Status
from sabot_service.moment import utc
from sabot_service.monitor import metrics_problems, split_address

from sabot_gateway import config as configs
from sabot_gateway.config import Config, Table
from sabot_gateway.ledger import schema
from sabot_gateway.operator import local_roles
from sabot_gateway.ops import angel_eye
from sabot_gateway.ops.files import file_facts
from sabot_gateway.ops.probe import broker_fact, port_facts
from sabot_gateway.shoe.keys import KeyRing

_EARLIEST = datetime(2026, 1, 1, tzinfo=UTC)  # no gateway of this release has run before
_SET_CLOCK = "`sudo timedatectl set-ntp true`; where that is not supported, `sudo apt-get install -y chrony`"
_CLOCK_SLACK_S = 60.0
_WARN_FREE_BYTES, _LEAST_FREE_BYTES = 1_000_000_000, 100_000_000
_TIME_ERROR = 5  # adjtimex: nothing keeps this clock right
_TIMEX_BYTES = 512  # more than struct timex has
_MOST_MOUNTS_BYTES = 1 << 20
_SLOWLY = "SELECT max(event_no) FROM entries WHERE unit = ?"  # of a ledger that an earlier release wrote
_FORGETFUL = ("tmpfs", "ramfs")
_REMOTE = ("nfs", "cifs", "smb", "9p", "fuse.sshfs")


def facts(path: Path, show: Callable[[str], None] = lambda doing: None) -> Iterator[Fact]:
    """Yield everything about a file and what it names; `show` gets what takes time."""
    config, found = configs.read(path)
    if config is None:
        yield from (Fact("wrong", "config", f"{path}: {problem}") for problem in found)
        return
    yield Fact("ok", "config", f"{path}: site {config.site}, tables: {len(config.table)}")
    yield from (Fact("wrong", "config", problem) for problem in configs.twice(config))
    for table in config.table:
        yield from table_facts(table)
    yield from (Fact("wrong", "tables", problem) for problem in configs.casino_wide_problems(config))
    yield from jackpot_facts(config, utc(time.time()))
    yield from floor_key_facts(config)
    yield from role_facts(config)
    yield from keys_facts(config)
    yield from metrics_facts(config.metrics)
    yield from clock_facts(Path(config.ledger), time.time(), _clock_is_synchronised())
    yield from disk_facts(Path(config.ledger).parent)
    yield from ledger_facts(Path(config.ledger))
    yield from file_facts(path, config)
    show(f"asking the broker at {config.broker}")
    yield broker_fact(config)
    yield from login_facts(config)
    show(f"listening on {len(config.table)} ports")
    yield from _ports(config)


def table_facts(table: Table) -> Iterator[Fact]:
    """Rulebook, game, decks, options and wagers; and what is special about an Angel Eye."""
    problems = configs.table_problems(table) or list(filter(None, [configs.whole_offer_problem(table)]))
    yield from (Fact("wrong", f"table {table.name}", problem) for problem in problems)
    if not problems:
        book, settings, decks = configs.offer(table)
        wagers = f"wagers: {len(table.wagers)}" if table.wagers else "all wagers of the game"
        yield Fact("ok", f"table {table.name}", f"{book.id}, game {settings.game}, {decks} decks, {wagers}")
        yield from angel_eye.table_facts(table)


def jackpot_facts(config: Config, now: str) -> Iterator[Fact]:
    """Yield each jackpot of the file with its tables of this gateway, or all that is wrong with the file."""
    problems = configs.jackpot_problems(config)
    yield from (Fact("wrong", "jackpots", problem) for problem in problems)
    if problems or config.jackpots is None:
        return
    jackpots, key = configs.jackpots_of(config)
    names = {table.name for table in config.table}
    for one in jackpots:
        here = ", ".join(name for name in one.tables if name in names) or "none"
        text = f"version {one.version}, digest {one.digest}, tables of this gateway: {here}"
        early = not_yet(one, now)
        if early:
            yield Fact("warning", f"jackpot {one.id}", f"{early}: it is not used before that; {text}")
        else:
            yield Fact("ok", f"jackpot {one.id}", text)
    if not key:
        text = "no `jackpot_key` in the config: the floor cannot tell a forged contribution from a right one; make one"
        yield Fact("warning", "jackpots", f"{text} with `sabot keys jackpot jackpot.key`")


def floor_key_facts(config: Config) -> Iterator[Fact]:
    """Yield the id of the floor's public key, what is wrong with it, or that there is none."""
    problems = configs.floor_key_problems(config)
    yield from (Fact("wrong", "commands", problem) for problem in problems)
    if problems:
        return
    key = configs.floor_key_of(config)
    text = f"{config.floor_key}: key {key.id}" if key else "no `floor_key` in the config: none are taken over MQTT"
    yield Fact("ok", "commands", text)


def role_facts(config: Config) -> Iterator[Fact]:
    """Yield the role of each group at the control socket, what is wrong with it, or that there is none."""
    if not config.roles:
        yield Fact("warning", "roles", local_roles.NO_ROLES)
        return
    problems = [*configs.role_problems(config), *local_roles.group_problems(config.roles)]
    yield from (Fact("wrong", "roles", problem) for problem in problems)
    if not problems:
        given = (f"{group}: {' or '.join(local_roles.names(roles))}" for group, roles in config.roles.items())
        yield Fact("ok", "roles", "; ".join(given))


def keys_facts(config: Config) -> Iterator[Fact]:
    """Yield the directory and every file in it."""
    if config.keys is None and not config.requires_keys() and all(table.driver != "sabot" for table in config.table):
        yield Fact("ok", "keys", "none are needed: no table has a shoe of Sabot, and an Angel Eye has no key")
        return
    if config.keys is None:
        text = "no `keys` in the config: shoes are not authenticated; make keys with `sabot keys new UNIT --dir DIR`"
        yield Fact("wrong" if config.requires_keys() else "warning", "keys", text)
        return
    ring = KeyRing(Path(config.keys))
    try:
        units = ring.units()
    except SecretError as error:
        yield Fact("wrong", "keys", str(error))
        return
    bad = [problem for problem in (_key_problem(ring, unit) for unit in units) if problem]
    yield from (Fact("wrong", "keys", problem) for problem in bad)
    if not bad:
        yield _keys_fact(config, len(units))


def _keys_fact(config: Config, units: int) -> Fact:
    """Return how many keys can be used, and which shoes are served without."""
    text = f"{config.keys}: units: {units}"
    if not config.requires_keys():
        return Fact("warning", "keys", f"{text}; keys_required = false: a shoe without a key is served all the same")
    if not units:
        return Fact("warning", "keys", f"{text}; no shoe is served: make keys with `sabot keys new`")
    return Fact("ok", "keys", text)


def _key_problem(ring: KeyRing, unit: str) -> str | None:
    try:
        ring.keys(unit)
    except SecretError as error:
        return str(error)
    return None


def login_facts(config: Config) -> Iterator[Fact]:
    """Yield a warning if others can read our password."""
    with suppress(BrokerUrlError):
        exposed = config.login.exposed(Broker.from_url(config.broker))
        if exposed:
            yield Fact("warning", "broker", exposed)


def metrics_facts(address: str | None) -> Iterator[Fact]:
    """Yield where metrics are served, what is wrong with the address, or that others can read them."""
    problems = metrics_problems(address)
    yield from (Fact("wrong", "metrics", problem) for problem in problems)
    if address is None or problems:
        return
    if split_address(address)[0] in ("127.0.0.1", "::1", "localhost"):
        yield Fact("ok", "metrics", f"http://{address}/metrics, /healthz, /readyz")
    else:
        yield Fact("warning", "metrics", f"{address}: anybody who reaches this address can read them; use 127.0.0.1")


def clock_facts(ledger: Path, now_s: float, kept: bool | None) -> Iterator[Fact]:
    """Yield whether the clock fits this release and the ledger, and whether a time server keeps it."""
    now = datetime.fromtimestamp(now_s, UTC)
    text = f"{now:%Y-%m-%d %H:%M:%S} UTC"
    if now < _EARLIEST:
        yield Fact("wrong", "clock", f"{text} is in the past; set it: {_SET_CLOCK}")
    elif ledger.exists() and ledger.stat().st_mtime > now_s + _CLOCK_SLACK_S:
        yield Fact("wrong", "clock", f"{text} is before the ledger was last written; set the clock, or find out why")
    elif kept is False:
        yield Fact("warning", "clock", f"{text}, but no time server sets it: {_SET_CLOCK}")
    else:
        yield Fact("ok", "clock", text + (", set by a time server" if kept else ""))


def _clock_is_synchronised() -> bool | None:
    """Return whether the kernel's clock is synchronised; None where that is unknown."""
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    except (OSError, AttributeError):
        return None
    return None if state < 0 else bool(state != _TIME_ERROR)


def disk_facts(directory: Path) -> Iterator[Fact]:
    """Yield the ledger's directory, its file system and its room."""
    if not directory.is_dir():
        yield Fact("wrong", "disk", f"{directory} is not there; make it, and let the gateway's user own it")
        return
    if not os.access(directory, os.W_OK | os.X_OK):
        yield Fact("wrong", "disk", f"{directory}: this user may not write there; let the gateway's user own it")
        return
    room = os.statvfs(directory)
    yield room_fact(directory, room.f_bavail * room.f_frsize)
    kind = _file_system(directory)
    if kind.startswith(_FORGETFUL):
        yield Fact("warning", "disk", f"{directory} is {kind}: gone with the power; put the ledger onto a disk")
    elif kind.startswith(_REMOTE):
        yield Fact("warning", "disk", f"{directory} is {kind}: SQLite is not safe there; put the ledger onto a disk")


def room_fact(directory: Path, free_bytes: int) -> Fact:
    """Return whether so much room is enough."""
    text = f"{directory}: {free_bytes // 1_000_000} MB free"
    if free_bytes < _WARN_FREE_BYTES:
        status: Status = "wrong" if free_bytes < _LEAST_FREE_BYTES else "warning"
        return Fact(status, "disk", f"{text}; make room, or set `keep_days`")
    return Fact("ok", "disk", text)


def _file_system(directory: Path) -> str:
    """Return its kind, of the longest mount point above the directory; empty where that is unknown."""
    try:
        with Path("/proc/self/mounts").open(errors="replace") as mounts:
            rows = [line.split() for line in mounts.read(_MOST_MOUNTS_BYTES).splitlines()]
    except OSError:
        return ""
    place = directory.resolve()
    above = [(len(row[1]), row[2]) for row in rows if len(row) > 2 and place.is_relative_to(row[1])]
    return max(above, default=(0, ""))[1]


def _brought_up(version: int) -> str:
    """Return what the next start does with a ledger of an older release."""
    if version == schema.VERSION:
        return ""
    return f"; the next start brings it to version {schema.VERSION} and needs room for twice the file: back it up first"


def ledger_facts(path: Path) -> Iterator[Fact]:
    """Yield whether the file can be read and written; the file is not touched."""
    if not path.exists():
        yield Fact("ok", "ledger", f"{path}: not there yet; the first start makes it")
        return
    try:
        version = query_ledger(path, "PRAGMA user_version") or 1
        newer = version > schema.VERSION
        entries = 0 if newer else query_ledger(path, "SELECT max(seq) FROM entries") or 0
    except sqlite3.Error as error:
        yield Fact(
            "wrong", "ledger", f"{path}: {error}; it is not a ledger, or damaged: put it aside and have it examined"
        )
        return
    if newer:
        yield Fact(
            "wrong", "ledger", f"{path}: it is of version {version}, and this release knows up to {schema.VERSION}; "
            "use the release that wrote it, or a newer one",
        )  # fmt: skip
    elif os.access(path, os.W_OK):
        yield Fact("ok", "ledger", f"{path}: entries: {entries}, version {version}{_brought_up(version)}")
    else:
        yield Fact("wrong", "ledger", f"{path}: this user may not write it; let the gateway's user own it")


def query_ledger(path: Path, query: str, *values: Any) -> Any:
    """Return one value, without writing anything: beside a daemon that runs, or of a file at rest."""
    running = path.with_name(f"{path.name}-wal").exists()
    how = "mode=ro" if running else "mode=ro&immutable=1"  # else SQLite makes files that the daemon may not own
    with sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True) as ledger:
        row = ledger.execute(query, values).fetchone()
    ledger.close()
    return row[0] if row else None


def _ports(config: Config) -> list[Fact]:
    """Return who is on each port, judged with the ledger and the keys."""
    ledger = Path(config.ledger)

    def value(query: str, *values: str) -> Any:
        try:
            return query_ledger(ledger, query, *values)
        except sqlite3.Error:  # there is none yet, or another fact has it
            return None

    return port_facts(
        config,
        lambda unit: value("SELECT last_no FROM units WHERE unit = ?", unit) or value(_SLOWLY, unit) or 0,
        value("SELECT value FROM meta WHERE name = 'gateway'") or secrets.token_bytes(UNIT_BYTES),
        lambda unit: KeyRing(Path(config.keys)).keys(unit) if config.keys is not None else [],
    )
