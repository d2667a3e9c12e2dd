"""Floor app: a floor service in this process with its store, people, jackpots, key and web part, without its loop."""

import selectors
from functools import cache
from typing import Any, NamedTuple

import msgspec
from floor_rig import JACKPOTS
from sabot_floor.app import App
from sabot_floor.config import Config
from sabot_floor.people import entries, hashing
from sabot_floor.people.log import Made, PeopleLog
from sabot_floor.people.sessions import page_token
from sabot_floor.people.verbs import Login
from sabot_floor.store import open_store
from sabot_floor.web.bridge import Outcome
from sabot_floor.web.config import Web
from sabot_floor.web.desk import LogIn
from sabot_protocol import command_keys, commands
from sabot_service.moment import Moment, utc
from starlette.types import ASGIApp

from fuzzing import scratch

NOON_S = 1_792_238_400.0
PIN, HERE = "730155", "127.0.0.1"
_STATUS = b'{"state":"online","table":"bac-01","time":"2026-11-17T12:00:00.000Z","rulebook":"crown-baccarat"}'


class Service(NamedTuple):
    """A service, its pages, and the session of a supervisor."""

    app: App
    pages: ASGIApp
    token: str
    page_token: str

    def serve(self, timeout_s: float = 0.0) -> None:
        """Serve what is ready, as a turn of the loop does, without broker."""
        ready: selectors.BaseSelector = self.app._selector
        for key, _ in ready.select(timeout_s):
            self.app._serve(key.data, self.app._at())


@cache
def service() -> Service:
    """Return the service of this process; its clock stands still, so that nothing in it grows with time."""
    app = _app()
    part = app._web
    assert part._server is not None
    found: list[Outcome] = []
    part._bridge.put(LogIn(Login("vera", PIN), "pit", HERE), found.append)
    made = Service(app, _pages(app), "", "")
    while not found:
        made.serve(5.0)
    token = found[0].token
    assert token, found[0].answer.say
    return made._replace(token=token, page_token=page_token(token))


def _app() -> App:
    directory = scratch.directory("service")
    (directory / "jackpots.toml").write_text(JACKPOTS)
    command_keys.make(directory)
    config = Config(
        "sydney",
        str(directory / "floor.db"),
        "mqtt://127.0.0.1:1",
        jackpots=str(directory / "jackpots.toml"),
        floor_key=str(directory / "floor.key"),
        control=str(directory / "floor.sock"),
        web=Web(listen="127.0.0.1:0"),
    )
    with open_store(config.store) as store:
        log, time = PeopleLog(store), utc(NOON_S)
        roles = {"crown-baccarat": "tg_area_manager", "nz-baccarat": "casino_supervisor"}
        vera: dict[str, Any] = {"time": time, "person": "vera", "by": "root"}
        given = [entries.RoleGiven(**vera, rulebook=book, role=role) for book, role in roles.items()]
        known: list[entries.Entry] = [
            entries.Added(**vera, name="Vera"),
            entries.SecretSet(**vera, hash=hashing.make_hash(PIN)),
        ]
        said = log.append(time, lambda _: Made([*known, *given]))
        assert not said, said
    app = App(config, monotonic=lambda: 0.0, clock=lambda: NOON_S)
    app.behind.problem = ""
    app._commands._connected, app._commands._send = lambda: True, lambda topic, payload: _reply(app, topic, payload)
    app._commands.tables.received("sabot/v1/sydney/status", _STATUS)
    app._commands.tables.received("sabot/v1/sydney/bac-01/status", _STATUS)
    return app


def _reply(app: App, topic: str, payload: bytes) -> None:
    """Reply to a command as its gateway does."""
    asked = commands.read(payload)
    reply = commands.CommandReply(
        id=asked.id, digest=commands.digest(payload), table=asked.table, ok=True, say="Done.", time="", local_time=""
    )
    app._commands.received(f"{topic}/reply", msgspec.json.encode(reply), app._at())


def _pages(app: App) -> ASGIApp:
    from sabot_floor.web.routes import application

    server = app._web._server
    assert server is not None
    server.hub.received("sabot/v1/sydney/status", _STATUS, Moment(0.0, utc(NOON_S)))
    server.hub.received("sabot/v1/sydney/bac-01/status", _STATUS, Moment(0.0, utc(NOON_S)))
    return application(server._web, server.hub, server._bridge, server._words, server._at, server._config)
