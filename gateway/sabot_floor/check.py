"""Check: whether a floor service can run by a config: its files, its store, its jackpots and its broker."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from sabot_protocol.jackpots import loading

from sabot_floor import config as configs
from sabot_floor.config import Config
from sabot_floor.jackpots import engine
from sabot_floor.jackpots.batch import log_name
from sabot_floor.store import Store, StoreError, open_store


class Fact(NamedTuple):
    """One thing that was checked; `says` has the next step where it is wrong."""

    status: Literal["ok", "warning", "wrong"]
    subject: str
    says: str


def facts(path: Path) -> Iterator[Fact]:
    """Yield what is right and what is wrong; nothing is changed, and no store is made."""
    config, found = configs.read(path)
    yield from (Fact("wrong", "config", problem) for problem in found)
    if config is None:
        return
    if not found:
        yield Fact("ok", "config", f"{path} can be read")
    wrong = configs.problems(config)
    yield from (Fact("wrong", "config", problem) for problem in wrong)
    if config.jackpot_key is None:
        yield Fact("warning", "jackpot_key", "not set: anyone who may publish at the broker can add to a meter")
    if not wrong:
        yield from _store_facts(config)


def _store_facts(config: Config) -> Iterator[Fact]:
    jackpots = loading.load(Path(config.jackpots))
    if "://" not in config.store and not Path(config.store).exists():
        yield Fact("ok", "store", f"{config.store} will be made at the first start")
        yield from (Fact("ok", f"jackpot {one.id}", f"{one.title}: will be opened") for one in jackpots)
        return
    try:
        with open_store(config.store, read_only=True) as store:
            yield Fact("ok", "store", store.place)
            for one in jackpots:
                yield Fact("ok", f"jackpot {one.id}", _plan(store, one.id, one.digest))
    except StoreError as error:
        yield Fact("wrong", "store", str(error))


def _plan(store: Store, jackpot: str, digest: str) -> str:
    """Return what the next start does with a jackpot."""
    head = store.head(log_name(jackpot))
    if head is None or head.state is None:
        return "will be opened"
    try:
        state = engine.decode(head.state)
    except msgspec.MsgspecError as error:
        return f"its state cannot be read ({error}); verify it: sabot jackpot verify {jackpot}"
    if state.parameters.digest == digest:
        return f"parameters {digest} are in force, {head.seq} entries"
    return f"parameters {digest} will wait until it is won in full; {state.parameters.digest} are in force"
