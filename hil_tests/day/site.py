"""The site of a day: gateways in this process, by a clock that the day sets, and a shoe at each table."""

import io
import socket
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog
from sabot_gateway.app import App
from sabot_gateway.config import Config, Table
from sabot_gateway.ledger import Reader
from sabot_protocol.topics import is_published
from sabot_service.broker import Broker
from sabot_service.messages import Answer, Request
from sabot_service.mqtt import NO_KEEPALIVE
from sabot_sim.world.acts import AtGateway

from day.commands import Commands
from day.line_shoe import LineShoe

SITE: Final = "day"
_TURN_S: Final = 0.05  # of the line's time: every turn has a sweep
_MOST_TURNS: Final = 20_000


class StuckError(RuntimeError):
    """The site does not do what is waited for."""


@dataclass(frozen=True)
class Place:
    """A table of the day, and the gateway that serves it."""

    name: str
    rulebook: str
    gateway: str
    decks: int | None = None


class Gateway:
    """One gateway with its shoes; its line's time goes on with each turn, its wall clock is the day's."""

    def __init__(
        self,
        name: str,
        places: Sequence[Place],
        broker: Broker,
        work_dir: Path,
        clock: Callable[[], float],
        bench: str,
        floor_key: Path,
        commands: Commands | None = None,
        **more: Any,
    ) -> None:
        self._clock, self._line_s, self._commands = clock, 0.0, commands
        first = 1000 * (1 + int(name.rpartition("-")[2] or 0))
        self.shoes = {
            place.name: LineShoe(first + number, place.rulebook, place.decks, bench)
            for number, place in enumerate(places)
        }
        self.ledger = work_dir / f"{name}.db"
        self.config = Config(
            site=SITE,
            gateway=name,
            ledger=str(self.ledger),
            control=str(work_dir / f"{name}.sock"),
            broker=str(broker),
            floor_key=str(floor_key),
            table=tuple(
                Table(name=place.name, port=self.shoes[place.name].port, rulebook=place.rulebook, decks=place.decks)
                for place in places
            ),
            **more,
        )
        self.app = self._made()

    def _made(self) -> App:
        return App(self.config, lambda: self._line_s, self._clock, sleep=lambda _s: None, keepalive_s=NO_KEEPALIVE)

    def start(self) -> None:
        """Start, and wait until every shoe is served."""
        self._begin()

    def kill(self) -> None:
        """End as a kill does, start again, and wait until every shoe is served."""
        self.app.crash()
        for shoe in self.shoes.values():
            shoe.hang_up()
        self.app = self._made()
        self._begin()

    def cut_power(self, table: str) -> None:
        """Switch a shoe off and on, and wait until the gateway has what it logged."""
        shoe = self.shoes[table]
        shoe.now_s = self._clock() % 1_000_000
        shoe.power_cycle()
        self.until(lambda: shoe.caught_up() and self.app.stored(), f"{table} is served again")

    def _begin(self) -> None:
        self.app.begin()
        self.until(lambda: all(shoe.caught_up() and shoe.logged for shoe in self.shoes.values()), "shoes are served")

    def turn(self) -> None:
        """Let shoes and gateway do what is due."""
        self._line_s += _TURN_S
        for shoe in self.shoes.values():
            shoe.now_s = self._clock() % 1_000_000
            shoe.pump(self._line_s)
        self.app.step(0)

    def until(self, done: Callable[[], bool], awaited: str) -> None:
        """Take turns until the condition holds; StuckError if it never does."""
        for _ in range(_MOST_TURNS):
            if done():
                return
            self.turn()
        raise StuckError(f"{self.config.gateway}: not so after {_MOST_TURNS} turns: {awaited}")

    def do(self, table: str, *step: Any) -> None:
        """Do a step at the shoe of a table, and wait until the ledger has what it logged."""
        shoe = self.shoes[table]
        shoe.now_s = self._clock() % 1_000_000
        shoe.step(*step)
        self.until(lambda: shoe.caught_up() and self.app.stored(), f"{table}: {step} is stored")

    def ask(self, table: str, act: AtGateway) -> tuple[bool, str]:
        """Have a person ask, at this PC or through the floor service; return whether it was done, and the answer."""
        if act.local:
            answer = self.request(Request(act.verb, table, act.by.name, act.clause, act.args))
            return answer.ok, answer.say
        commands = self._commands
        assert commands is not None
        command = commands.send(table, act, self._clock())
        self.until(lambda: commands.reply(command) is not None, f"{table} {act.verb} is replied to")
        self._settle()
        reply = commands.reply(command)
        assert reply is not None
        return reply.ok, reply.say

    def request(self, request: Request) -> Answer:
        """Send a request to the control socket and return its answer."""
        with closing(socket.socket(socket.AF_UNIX)) as sock:
            sock.connect(str(self.config.control_path()))
            sock.setblocking(False)
            sock.sendall(msgspec.json.encode(request) + b"\n")
            received = bytearray()

            def answered() -> bool:
                with suppress(BlockingIOError):
                    received.extend(sock.recv(1 << 16))
                return received.endswith(b"\n")

            self.until(answered, f"{request.table} {request.verb} is answered")
        self._settle()
        return msgspec.json.decode(bytes(received), type=Answer)

    def last_published(self) -> tuple[str, int]:
        """Return the gateway's id, and its newest entry that is published."""
        with closing(Reader(self.ledger)) as ledger:
            published = (one.seq for one in ledger.entries() if is_published(one.topic, one.table))
            return ledger.gateway(), max(published)

    def _settle(self) -> None:
        """Wait until all is stored, also what comes of the gateway's own command to lock the exit or unlock it."""
        shoes, tables = self.shoes.values(), self.app._tables.values()

        def settled() -> bool:
            stored = all(shoe.caught_up() for shoe in shoes) and self.app.stored()
            return stored and not any(table.verifier.lock_due() for table in tables)

        self.until(settled, "all is stored, and each exit is as the gateway wants it")

    def close(self) -> None:
        """Stop everything."""
        self.app.close()
        for shoe in self.shoes.values():
            shoe.close()


def quiet() -> None:
    """Drop the log of the gateways."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(file=io.StringIO()))
