"""Config: one TOML file a gateway; unknown keys and wrong values are errors that name the key."""

import tomllib
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta
from sabot_protocol import cardcode, rulebooks
from sabot_protocol.wagers.table import Settings, check_offer

from sabot_gateway.keys import KeyRing, KeysError
from sabot_gateway.mqtt import Broker, BrokerUrlError, Login, LoginError

Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class ConfigError(ValueError):
    """The file cannot be used; the message names the place and the next step."""


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
    baud: int = 115_200


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A gateway: its site, its ledger, its broker, its tables, its keys."""

    site: Name
    ledger: str
    broker: str
    table: Annotated[tuple[Table, ...], Meta(min_length=1)]
    keys: str | None = None  # the directory of the shoes' keys
    login: Login = Login()


def load(path: Path) -> Config:
    """Read and check a file."""
    try:
        return check(msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Config))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; give the path of a gateway's TOML file") from error
    except (ValueError, msgspec.ValidationError) as error:
        raise ConfigError(f"{path}: {error}") from error


def _table_problems(table: Table) -> list[str]:
    """What the book says against this table."""
    try:
        book = rulebooks.load(table.rulebook)
        chosen = table.options if table.game is None else {"game": table.game, **table.options}
        settings = Settings.of(book, chosen)
        decks = book.decks_for(settings.game, table.decks)
        book.profile(decks, table.card_set, table.shoe)
    except rulebooks.RulebookError as error:
        return [str(error)]
    return check_offer(book, settings, decks, list(table.wagers))


def check(config: Config) -> Config:
    """What types cannot say: names and ports once each, rulebooks, keys and brokers that exist."""
    for key in ("name", "port"):
        values = [getattr(table, key) for table in config.table]
        twice = {value for value in values if values.count(value) > 1}
        if twice:
            raise ConfigError(f"table.{key} {', '.join(sorted(twice))} is used twice; each table has its own")
    for table in config.table:
        for problem in _table_problems(table):
            raise ConfigError(f"table {table.name}: {problem}")
    if config.keys is not None:
        try:
            KeyRing(Path(config.keys)).units()
        except KeysError as error:
            raise ConfigError(f"keys: {error}") from error
    try:
        config.login.check(Broker.from_url(config.broker))
    except (BrokerUrlError, LoginError) as error:
        raise ConfigError(str(error)) from error
    return config
