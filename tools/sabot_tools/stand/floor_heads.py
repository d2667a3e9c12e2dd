"""Heads of the floor's logs that were kept elsewhere: in a file, or at the broker; compared with a store."""

from pathlib import Path
from typing import Any

from sabot_floor import config as configs
from sabot_floor.heads import compare
from sabot_gateway.ledger import LedgerError
from sabot_gateway.ledger.heads import load
from sabot_protocol.inputs.secret_file import SecretError, read_key
from sabot_protocol.topics import LedgerMessage, log_head_topic
from sabot_service.broker import Broker, BrokerUrlError, LoginError

from sabot_tools.stand.daemon import fail
from sabot_tools.text.ledger_heads import retained


def kept(config: Path, file: Path | None, *, published: bool) -> list[LedgerMessage]:
    """Return the heads of a file and of the config's broker; on an error exit with status 1."""
    try:
        return [*(load(file) if file else ()), *(_at_broker(config) if published else ())]
    except (LedgerError, BrokerUrlError, LoginError) as error:
        fail(str(error))


def _at_broker(path: Path) -> list[LedgerMessage]:
    config, problems = configs.read(path)
    if config is None:
        raise LedgerError(f"{path}: {problems[0]}")
    return retained(Broker.from_url(config.broker), config.login, [log_head_topic(config.site, "#")])


def verdict(
    store: Any, known: list[LedgerMessage], config: Path, url: str | None, key: Path | None
) -> tuple[int, list[str]]:
    """Return how many heads were compared, and what the store contradicts."""
    path = key or (_key_path(config) if url is None else Path(f"{url}-key"))
    try:
        found = compare(store, known, read_key(path) if path else None)
    except SecretError as error:
        fail(str(error))
    return found.entries, found.faults


def _key_path(path: Path) -> Path | None:
    config, _ = configs.read(path)
    return config.head_key_path() if config is not None else None
