"""Check: whether a floor service can run by a config: its files, its store, its jackpots and its broker."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from sabot_protocol.inputs.plain_text import counted
from sabot_protocol.inputs.secret_file import SecretError
from sabot_protocol.jackpots.dates import not_yet
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.topics import ROOT, reply_topic
from sabot_service.broker_probe import broker_fact
from sabot_service.facts import Fact
from sabot_service.moment import utc

from sabot_floor import config as configs
from sabot_floor.commands.tables import Tables
from sabot_floor.config import Config
from sabot_floor.files import file_facts
from sabot_floor.jackpots import engine
from sabot_floor.jackpots.batch import log_name
from sabot_floor.jackpots.intake import Intake
from sabot_floor.jackpots.opening import refuse_headless
from sabot_floor.notify import messages as notify_messages
from sabot_floor.notify.check import facts as notify_facts
from sabot_floor.projection import feed
from sabot_floor.store import DamagedError, Store, StoreError, open_store
from sabot_floor.web import check as web_check
from sabot_floor.web.site_state import SiteState

_LOCK_S = 2.0  # that the try to write waits for a running service


def facts(path: Path, now: str = "", alarms: Sequence[str] = ()) -> Iterator[Fact]:
    """Yield what is right and what is wrong at this time, UTC; nothing is changed, and no store is made.

    `alarms` are the names of all alarms, where the caller knows them.
    """
    config, found = configs.read(path)
    yield from (Fact("wrong", "config", problem) for problem in found)
    if config is None:
        return
    if not found:
        yield Fact("ok", "config", f"{path} can be read")
    wrong = configs.problems(config)
    yield from (Fact("wrong", "config", problem) for problem in wrong)
    if config.jackpot_key is None and config.jackpots is not None:
        yield Fact("warning", "jackpot_key", "not set: anyone who may publish at the broker can add to a meter")
    yield _people_fact(config)
    yield _floor_key_fact(config)
    if not configs.day_problems(config):
        yield Fact("ok", "gaming day", f"begins at {config.gaming_day}, {config.time_zone}")
    yield from file_facts(path, config)
    if not wrong:
        yield from _store_facts(config, now or utc(time.time()))
        yield _broker_fact(config)
        yield from notify_facts(config.notify, alarms, str(path))
        yield from web_check.facts(config.web)


def _broker_fact(config: Config) -> Fact:
    """Return whether the broker lets the floor in, read what it needs, and write."""
    root = f"{ROOT}/{config.site}/"
    wanted = [*Intake(config.site, b"").filters(), *feed.filters(root), *Tables(config.site).filters()]
    wanted += notify_messages.filters(config.site) if config.notify else []
    wanted += SiteState(config.site).filters() if config.web is not None else []
    wanted += [reply_topic(config.site, "+")] if config.floor_key is not None else []
    own, written = f"{root}jackpot/check", f"{root}jackpot/#"
    if config.floor_key is not None:
        written = f"{written} and {root}+/cmd"
    return broker_fact(config.broker, config.login, own, written, list(dict.fromkeys(wanted)))


def _people_fact(config: Config) -> Fact:
    """Return whether acts need a log-in."""
    if config.people_required:
        return Fact("ok", "people", "acts of people need a log-in")
    say = "people_required is off: whoever opens the control socket acts under any name that is typed; set it to true"
    return Fact("warning", "people", say)


def _floor_key_fact(config: Config) -> Fact:
    try:
        key = config.signing_key()
    except SecretError as error:
        return Fact("wrong", "commands", f"floor_key: {error}")
    if key is None:
        return Fact("ok", "commands", "no `floor_key` in the config: this floor gives no commands to tables")
    return Fact("ok", "commands", f"{config.floor_key}: key {key.public.id}; every gateway needs its floor.pub")


def _store_facts(config: Config, now: str) -> Iterator[Fact]:
    jackpots = config.parameters()
    if "://" not in config.store and not Path(config.store).exists():
        yield Fact("ok", "store", f"{config.store} will be made at the first start")
        yield from (_to_open(one, now) for one in jackpots)
        return
    try:
        with open_store(config.store, read_only=True) as store:
            for one in jackpots:
                yield _jackpot_fact(store, one, now)
        with open_store(config.store, lock_s=_LOCK_S) as store:
            store.try_to_write()
            yield Fact("ok", "store", f"{store.place} can be read and written")
    except StoreError as error:
        yield Fact("wrong", "store", str(error))


def _to_open(parameters: Parameters, now: str) -> Fact:
    subject, early = f"jackpot {parameters.id}", not_yet(parameters, now)
    if early:
        return Fact("warning", subject, f"{early}: it will not be opened before that; start the service again then")
    return Fact("ok", subject, f"{parameters.title}: will be opened")


def _jackpot_fact(store: Store, parameters: Parameters, now: str) -> Fact:
    try:
        refuse_headless(store, parameters.id)
        return _plan(store, parameters, now)
    except DamagedError as error:
        subject = f"jackpot {parameters.id}"
        return Fact("wrong", subject, str(error).removeprefix(f"{subject}: "))


def _plan(store: Store, parameters: Parameters, now: str) -> Fact:
    """Return what the next start does with a jackpot."""
    subject, digest = f"jackpot {parameters.id}", parameters.digest
    head = store.head(log_name(parameters.id))
    if head is None or head.state is None:
        return _to_open(parameters, now)
    try:
        state = engine.decode(head.state)
    except (msgspec.MsgspecError, RecursionError) as error:
        say = f"its state cannot be read ({error}); verify it: sabot jackpot verify {parameters.id}"
        return Fact("wrong", subject, say)
    if state.parameters.digest == digest:
        return Fact("ok", subject, f"parameters {digest} are in force, {counted(head.seq, 'entry', 'entries')}")
    waits = f"parameters {digest} will wait until it is won in full; {state.parameters.digest} are in force"
    if state.waiting is not None and state.waiting.digest == digest:
        return Fact("ok", subject, waits)
    refused = engine.refuse_parameters(state, parameters)
    if refused is not None:
        return Fact("wrong", subject, f"the change will be refused: {refused.say}")
    early = not_yet(parameters, now)
    if early:
        return Fact("warning", subject, f"{early}: the change is not taken before that; send SIGHUP then")
    return Fact("ok", subject, waits)
