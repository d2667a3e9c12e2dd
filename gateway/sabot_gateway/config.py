"""Config: one TOML file a gateway; unknown keys and wrong values are errors that name the key, all of them at once."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from sabot_protocol import cardcode, firmware, rulebooks
from sabot_protocol.command_keys import PublicKey, read_public
from sabot_protocol.firmware import PublisherKey
from sabot_protocol.inputs import config_file
from sabot_protocol.inputs.config_file import ConfigError, Name, with_paths
from sabot_protocol.inputs.secret_file import SecretError, read_key
from sabot_protocol.jackpots import loading
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.topics import TableSetup
from sabot_protocol.wagers.table import Settings, check_offer, check_whole_offer
from sabot_service.broker import LOGIN_WANTED, Login, broker_problems
from sabot_service.monitor import metrics_problems

from sabot_gateway.operator import local_roles
from sabot_gateway.shoe import ports
from sabot_gateway.shoe.keys import KeyRing

RESERVED = ("status", "ledger", "beat", "jackpot", "gateway")  # topics of the site itself, where a table's would be


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table and its shoe."""

    name: Name
    port: str
    rulebook: str
    decks: int | None = None
    game: str | None = None  # the book's first, unless given
    options: dict[str, str] = {}
    wagers: tuple[str, ...] = ()  # that the table offers; checked against the book where given
    shoe: dict[str, str] = {}  # how this table deals: dealing, shuffler, style
    card_set: Annotated[int, Meta(ge=1, le=cardcode.SETS)] = 1
    baud: Annotated[int, Meta(ge=300, le=4_000_000)] | None = None  # the driver's usual one, unless given
    driver: Literal["sabot", "angel-eye"] = "sabot"
    # The rest is for an Angel Eye.
    commands: bool = False  # true: people may lock and unlock it, and clear its errors
    confirm: Literal["result", "dealer"] = "result"  # what confirms a coup: the shoe's result, or a person
    resent_card: Literal["keep", "ignore"] = "keep"  # what a card that is sent again after an overdraw means

    def line_baud(self) -> int:
        """Return the baud rate of the port."""
        return _BAUD[self.driver] if self.baud is None else self.baud


_BAUD = {"sabot": 115_200, "angel-eye": 4800}
_ANGEL_EYE_KEYS = ("commands", "confirm", "resent_card")

Tables = Annotated[tuple[Table, ...], Meta(min_length=1)]


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A gateway: its site, its ledger, its broker, its tables, its keys."""

    site: Name
    ledger: str
    broker: str
    table: Tables
    keys: str | None = None  # the directory of the shoes' keys
    keys_required: bool | None = None  # serve no shoe without a key; true where `keys` is set, unless given
    login: Login = Login()
    control: str | None = None  # the socket of the daemon's own commands; beside the ledger, unless given
    keep_days: Annotated[int, Meta(ge=1)] | None = None  # for ever, unless given
    gateway: Name | None = None  # its name, where a site has several gateways
    jackpots: str | None = None  # the file of the jackpots
    jackpot_key: str | None = None  # the file of the key that signs what tables contribute
    roles: dict[str, str | tuple[str, ...]] = {}  # of the PC's groups; without any, all may do all
    floor_key: str | None = None  # the file of the floor's public key; without it no command is taken over MQTT
    metrics: str | None = None  # address and port of /metrics, /healthz and /readyz; none without it
    clock_limit_s: Annotated[float, Meta(gt=0, le=60)] = 0.5  # between this PC's clock and its time server
    firmware_key: str | None = None  # the file of the firmware publisher's public key; without it no image is pushed

    def requires_keys(self) -> bool:
        """Return True if a shoe without a key is refused."""
        return self.keys is not None if self.keys_required is None else self.keys_required

    def client_id(self) -> str:
        """Return the gateway's name at the broker, which no other client may have."""
        return f"sabot-gateway-{self.site}" + (f"-{self.gateway}" if self.gateway else "")

    def control_path(self) -> Path:
        """Return where the daemon listens for its own commands."""
        return Path(self.control) if self.control is not None else Path(self.ledger).with_name("control.sock")


# What each key expects, for the message about a wrong value.
_WANTED = {
    "site": 'letters, digits, - and _, such as "sydney"',
    "gateway": 'a name of its own, such as "pit-1"',
    "ledger": 'the path of the ledger, such as "ledger.db"',
    "broker": '"mqtt://host:1883", or "mqtts://host:8883" for TLS',
    "table": "at least one [[table]] with name, port and rulebook",
    "keys": 'the directory of the key files, such as "keys"',
    "keys_required": "true or false",
    "login": "a table: [login]",
    "control": 'the path of a socket, such as "/run/sabot/control.sock"',
    "keep_days": "a number of days, 1 or more",
    "jackpots": 'the path of the jackpots file, such as "jackpots.toml"',
    "jackpot_key": 'the path of a key file, such as "jackpot.key"; make it with `sabot keys jackpot FILE`',
    "roles": 'a table of groups and roles: [roles], then sabot-dealers = "dealer"',
    "floor_key": 'the path of a public key, such as "floor.pub"; `sabot keys floor DIR` makes it',
    "metrics": '"127.0.0.1:9464", address and port for Prometheus and health checks',
    "clock_limit_s": "seconds, above 0 and at most 60",
    "firmware_key": 'the path of a public key, such as "firmware.pub"; `sabot keys firmware DIR` makes it',
    "name": 'letters, digits, - and _, such as "bac-01"',
    "port": '"/dev/serial/by-id/…", "socket://host:port" or "rfc2217://host:port"',
    "rulebook": f"one of {', '.join(rulebooks.ids())}",
    "decks": "a number that the rulebook allows",
    "game": "a game of the rulebook, as text",
    "options": 'choices as text, such as {tiger_option = "1"}',
    "wagers": 'a list, such as ["tie", "pair_player"]',
    "shoe": 'choices as text, such as {dealing = "face_up"}',
    "card_set": f"a number from 1 to {cardcode.SETS}",
    "baud": "a number from 300 to 4000000; 115200 is usual, 4800 for an Angel Eye",
    "driver": '"sabot" for our own shoe, or "angel-eye" for an Angel Eye II-EX',
    "commands": "true or false",
    "confirm": '"result" if the shoe\'s result confirms a coup, or "dealer" if a person does',
    "resent_card": '"keep" if a card that is sent again belongs to the next coup, or "ignore"',
}

# Keys of earlier releases, and what to do about them. A key that gets another name, or goes, is listed here.
_MOVED = {"set_clocks": "it has no effect any more: take it out"}


def load(path: Path) -> Config:
    """Read and check a file."""
    config, found = read(path)
    found += problems(config) if config is not None else []
    if config is None or found:
        raise ConfigError("\n".join(f"{path}: {problem}" for problem in found))
    return config


def read(path: Path) -> tuple[Config | None, list[str]]:
    """Return a file's keys and types: the config, its paths made absolute, or everything that is wrong."""
    data, found = config_file.read_toml(path, "a gateway's TOML file", f"sabot gateway init --config {path}")
    if data is None:
        return None, found
    found = list(config_file.key_problems(Config, data, "", _WANTED, _MOVED))
    found += _nested_problems(data)
    if found:
        return None, found
    return _absolute(msgspec.convert(data, Config), path.resolve().parent), []


def _nested_problems(data: dict[str, Any]) -> Iterator[str]:
    """Of [login] and of each [[table]]."""
    tables, login = data.get("table"), data.get("login")
    if isinstance(login, dict):
        yield from config_file.key_problems(Login, login, "login.", LOGIN_WANTED)
    for number, table in enumerate(tables if isinstance(tables, list) else [], 1):
        if isinstance(table, dict):
            name = table.get("name")
            place = f"table {name if isinstance(name, str) and name else f'number {number}'}: "
            yield from config_file.key_problems(Table, table, place, _WANTED)


def _absolute(config: Config, directory: Path) -> Config:
    """Relative paths are relative to the file that names them."""
    login = config.login.with_paths(directory)
    return with_paths(msgspec.structs.replace(config, login=login), directory, *_PATHS)


_PATHS = ("ledger", "keys", "control", "jackpots", "jackpot_key", "floor_key", "firmware_key")


def problems(config: Config) -> list[str]:
    """Return what else is wrong: names and ports used twice; rulebooks, keys or a broker that cannot be used."""
    return [
        *twice(config),
        *(f"table {table.name}: {problem}" for table in config.table for problem in table_problems(table)),
        *_keys_problems(config),
        *broker_problems(config.broker, config.login),
        *jackpot_problems(config),
        *floor_key_problems(config),
        *role_problems(config),
        *metrics_problems(config.metrics),
    ]


def twice(config: Config) -> Iterator[str]:
    """Yield names and ports that two tables share."""
    for key in ("name", "port"):
        counts = Counter(getattr(table, key) for table in config.table)
        yield from (
            f"table.{key} {value} is used twice; each table has its own"
            for value in sorted(counts)
            if counts[value] > 1
        )


def table_problems(table: Table) -> list[str]:
    """Return what the rulebook forbids at this table, and what is wrong with the way its port is written."""
    port = ports.url_problem(table.port)
    found = [f"port {table.port} {port}"] if port else []
    if table.name.lower() in RESERVED:
        found.append("this name is reserved: the topic of the site itself has it; give the table another")
    found += _driver_problems(table)
    try:
        book, settings, decks = offer(table)
    except rulebooks.RulebookError as error:
        return [*found, str(error)]
    found += _shown_before_turned(book, table)
    return [*found, *check_offer(book, settings, decks, list(table.wagers))]


def _driver_problems(table: Table) -> Iterator[str]:
    """Yield keys that the table's driver does not have."""
    usual = {field.name: field.default for field in msgspec.structs.fields(Table)}
    for key in _ANGEL_EYE_KEYS if table.driver == "sabot" else ():
        if getattr(table, key) != usual[key]:
            yield f'{key} is only for an Angel Eye; take it out, or write driver = "angel-eye"'
    if table.driver == "angel-eye" and table.card_set != usual["card_set"]:
        yield "card_set: an Angel Eye does not report the set of its cards; take it out"


def _shown_before_turned(book: Rulebook, table: Table) -> Iterator[str]:
    """Yield why the shoe's result may not confirm a coup: displays would show cards that nobody has turned yet."""
    if table.driver == "angel-eye" and table.confirm == "result" and book.deals_face_down(table.shoe):
        yield (
            'confirm = "result" shows cards and result as soon as the shoe sends them, and cards are dealt face down: '
            f'that would expose them ({book.closing.exposed_clause}). Write confirm = "dealer", or, where cards are '
            'dealt face up, shoe = {dealing = "face_up"}'
        )


def offer_problems(config: Config) -> list[str]:
    """Return what the rulebooks forbid of offers that the config leaves open, or that differ between tables."""
    found = [f"table {table.name}: {problem}" for table in config.table if (problem := whole_offer_problem(table))]
    return [*found, *casino_wide_problems(config)]


def whole_offer_problem(table: Table) -> str:
    """Return why a table without `wagers` cannot offer all of its game; empty where it can."""
    return "" if table.wagers or table_problems(table) else check_whole_offer(*offer(table))


def casino_wide_problems(config: Config) -> Iterator[str]:
    """Yield options that a rulebook wants alike at all tables and are not (New Zealand 11A.8, 11B.9)."""
    first: dict[tuple[str, str], tuple[str, str]] = {}  # book and option: table and value
    for table in (table for table in config.table if not table_problems(table)):
        book, settings, _ = offer(table)
        for name in _casino_wide(book, settings.game, table.wagers):
            value = settings.options[name]
            other, wanted = first.setdefault((book.id, name), (table.name, value))
            if value != wanted:
                clause = book.option[name].clause
                yield f"{name} is {value} at {table.name} and {wanted} at {other}; all tables have the same ({clause})"


def _casino_wide(book: Rulebook, game: str, wagers: tuple[str, ...]) -> list[str]:
    """Return the casino-wide options on which a price of these wagers depends; of all wagers where none is named."""
    offered = [wager for wager in book.wagers(game) if not wagers or wager.id in wagers]
    used = {option for wager in offered for price in wager.win.values() for option in price.odds_by}
    return [name for name, option in book.option.items() if option.scope == "casino" and name in used]


def offer(table: Table) -> tuple[Rulebook, Settings, int]:
    """Return the table's book, game, options and decks, all that is left open filled in; or RulebookError."""
    book = rulebooks.load(table.rulebook)
    chosen = table.options if table.game is None else {"game": table.game, **table.options}
    settings = Settings.of(book, chosen)
    decks = book.decks_for(settings.game, table.decks)
    book.profile(decks, table.card_set, table.shoe)
    return book, settings, decks


def setup_of(table: Table) -> TableSetup:
    """Return what a table offers, all that its config leaves open filled in; or RulebookError."""
    book, settings, decks = offer(table)
    sequences = [sequence.id for sequence in book.sequence if settings.game in sequence.games]
    every = [*(wager.id for wager in book.wagers(settings.game)), *sequences]
    return TableSetup(
        game=settings.game,
        options=settings.options,
        wagers=list(table.wagers) or every,
        decks=decks,
        shoe=table.shoe,
    )


def _keys_problems(config: Config) -> Iterable[str]:
    if config.keys is None:
        missing = "keys_required = true, but no keys; write keys = the directory of the key files"
        return [missing] if config.requires_keys() else []
    try:
        KeyRing(Path(config.keys)).units()
    except SecretError as error:
        return [f"keys: {error}"]
    return []


def jackpot_problems(config: Config) -> list[str]:
    """Return all that is wrong with the jackpots file and its key; it may name tables of other gateways."""
    if config.jackpots is None:
        return (
            ["jackpot_key is set, but jackpots is not; write jackpots = the jackpots file"]
            if config.jackpot_key
            else []
        )
    found = [f"{config.jackpots}: {problem}" for problem in loading.problems(Path(config.jackpots), config.table)]
    try:
        _jackpot_key(config)
    except (ConfigError, SecretError) as error:
        found.append(f"jackpot_key: {error}")
    return found


def jackpots_of(config: Config) -> tuple[tuple[Parameters, ...], bytes]:
    """Return the jackpots of the file, and the key that signs their messages, empty if there is none."""
    if config.jackpots is None:
        return (), b""
    return loading.load(Path(config.jackpots), config.table), _jackpot_key(config)


def _jackpot_key(config: Config) -> bytes:
    if config.jackpot_key is None:
        return b""
    key = read_key(Path(config.jackpot_key))
    if key is None:
        raise ConfigError(f"{config.jackpot_key}: no such file; make it with `sabot keys jackpot {config.jackpot_key}`")
    return key


def floor_key_problems(config: Config) -> list[str]:
    """Return what is wrong with the public keys of the floor and of the firmware's publisher."""
    problems = []
    for name, read in {"floor_key": floor_key_of, "firmware_key": firmware_key_of}.items():
        try:
            read(config)
        except SecretError as error:
            problems.append(f"{name}: {error}")
    return problems


def floor_key_of(config: Config) -> PublicKey | None:
    """Return the floor's public key; None if the gateway takes no commands over MQTT."""
    return read_public(Path(config.floor_key)) if config.floor_key is not None else None


def firmware_key_of(config: Config) -> PublisherKey | None:
    """Return the public key of the firmware's publisher; None if the gateway pushes no images."""
    return firmware.read_public(Path(config.firmware_key)) if config.firmware_key is not None else None


def role_problems(config: Config) -> list[str]:
    """Return roles of groups that the rulebooks of the tables do not have."""
    books = {table.name: table.rulebook for table in config.table if table.rulebook in rulebooks.ids()}
    return list(local_roles.role_problems(config.roles, books)) if books else []


@dataclass(frozen=True)
class Changes:
    """What differs in a file that is read again. Close what is removed or changed before opening: ports may swap."""

    added: tuple[Table, ...]
    removed: tuple[str, ...]
    changed: tuple[Table, ...]  # to be closed and opened again, as they are now
    kept: tuple[str, ...]
    restart: tuple[str, ...]  # messages about keys that stay as they were until a restart


ONLY_AT_START = ("site", "gateway", "ledger", "broker", "login", "control", "metrics")


def changes(old: Config, new: Config) -> Changes:
    """Return the changes from one config to another, table by table."""
    before = {table.name: table for table in old.table}
    now = {table.name: table for table in new.table}
    greet_all = (old.keys, old.requires_keys()) != (new.keys, new.requires_keys())
    kept = tuple(
        name
        for name, table in now.items()
        if before.get(name) == table and not (greet_all and table.driver == "sabot")  # others have no keys
    )
    return Changes(
        added=tuple(table for name, table in now.items() if name not in before),
        removed=tuple(name for name in before if name not in now),
        changed=tuple(table for name, table in now.items() if name in before and name not in kept),
        kept=kept,
        restart=tuple(
            f"{key} has changed and needs a restart; until then it stays as it was"
            for key in ONLY_AT_START
            if getattr(old, key) != getattr(new, key)
        ),
    )
