"""Config, ledger and ports change at random under three shoes: nothing is lost or doubled, and no topic lies."""

import random
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec
import pytest
from floor import LOST, Floor, Line
from sabot_gateway.shoe.parse import Event
from shoe_events import cards, event, frames_in, result
from structlog.testing import capture_logs

NAMES = ("bac-01", "bac-02", "bac-03")
SEEDS, TURNS = range(3), 250


class Player:
    """A shoe with a log: answers WHO, and sends what the gateway says that it has not."""

    def __init__(self, line: Line) -> None:
        self.line, self.log, self._sent, self._coup = line, list[Event](), 0, 0

    def deal(self, *, honest: bool) -> None:
        self._coup += 1
        dealt, winner, player, banker = LOST
        number = len(self.log) + 1
        self.log += cards(number, dealt, coup_no=self._coup)
        self.log.append(result(number + 4, "player" if honest else winner, player, banker, self._coup, natural=True))
        self.log.append(event(number + 5, "button", shoe_no=1, coup_no=self._coup, button="confirm"))

    def turn(self) -> None:
        for frame in frames_in(self.line.read()):
            if frame.type == "who":
                self.line.next_no, self._sent = len(self.log) + 1, 10**9
                self.line.hello(frame.body["nonce"])
            elif frame.type == "welcome":
                self._sent = frame.body["durable_event_no"]
            elif frame.type == "resend":
                self._sent = frame.body["event_no"] - 1
        new = self.log[self._sent :][:20]
        if self._sent <= len(self.log):
            with suppress(BlockingIOError):  # nobody reads, and the line is full
                self.line.offer(self.line.shoe.say("alive"), *(self.line.shoe.logged(one) for one in new))
                self._sent += len(new)


class Chaos:
    """One seed's acts."""

    def __init__(self, floor: Floor, seed: int) -> None:
        self.floor, self._rng = floor, random.Random(seed)
        self.players = [Player(line) for line in floor.lines.values()]
        self._ports = [line.port for line in floor.lines.values()]
        self._acts: list[Callable[[], None]] = [
            self._change,
            self._change,
            lambda: self._disk("full"),
            lambda: self._disk("broken"),
            lambda: self._disk("sound"),
            lambda: self._disk("sound"),
            lambda: floor.app._lines.lose(self._rng.choice([*floor.app._tables.values()]), floor.app._at()),
        ]

    def _change(self) -> None:
        """Some of the tables, each at some port, under some name and speed."""
        rng, names = self._rng, self._rng.sample([*NAMES, "bac-04"], self._rng.randint(1, 3))
        ports = rng.sample(self._ports, len(names))
        tables = tuple(
            msgspec.structs.replace(self.floor.config.table[0], name=name, port=port, baud=rng.choice((9600, 115_200)))
            for name, port in zip(names, ports, strict=True)
        )
        self.floor.reload(msgspec.structs.replace(self.floor.config, table=tables))

    def _disk(self, state: str) -> None:
        db = self.floor.app._ledger._db
        db.set_progress_handler(None, 1)
        db.execute(f"PRAGMA query_only = {'ON' if state == 'full' else 'OFF'}")
        if state == "broken":
            db.set_progress_handler(lambda: 1, 1)

    def turn(self) -> None:
        if self._rng.random() < 0.15:
            self._rng.choice(self._acts)()
        if self._rng.random() < 0.3:
            self._rng.choice(self.players).deal(honest=self._rng.random() < 0.8)
        self.rest(self._rng.choice((0.02, 0.2, 0.7)))

    def rest(self, pass_s: float) -> None:
        for player in self.players:
            player.turn()
        self.floor.step(pass_s=pass_s)

    def calm(self) -> None:
        """Everything mended, every shoe at a table of its own."""
        self._disk("sound")
        self.floor.reload(self.floor.with_tables(*NAMES))
        for _ in range(2000):
            self.rest(0.1)
            if all(self.stored(player) == len(player.log) for player in self.players) and self._online():
                return
        pytest.fail(str(self.floor.app.retained_topics()))

    def _online(self) -> bool:
        return all(self.floor.status(name).get("state") == "online" for name in NAMES)

    def stored(self, player: Player) -> int:
        return self.floor.app._ledger.durable_event_no(player.line.unit)


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_changes_nothing_is_lost_and_states_are_those_of_the_ledger(tmp_path: Path, seed: int) -> None:
    with ExitStack() as stack, capture_logs() as logs:
        floor = Floor(stack, tmp_path, *NAMES)
        chaos = Chaos(floor, seed)
        for _ in range(TURNS):
            chaos.turn()
        chaos.calm()
        chaos.rest(1.0)
        ledger = floor.app._ledger
        ledger.verify_chain()
        for player in chaos.players:
            assert floor.events(player.line.name) == list(range(1, len(player.log) + 1))
        for name in NAMES:
            active = sorted(msgspec.json.decode(payload)["alarm"] for payload in ledger.active_alarms(name))
            disputed = sorted(msgspec.json.decode(payload)["id"] for payload in ledger.disputed(name))
            table = floor.app._tables[name]
            assert sorted(alarm.alarm for alarm in table.verifier.active()) == active
            assert sorted(alarm["alarm"] for alarm in floor.retained(f"{name}/alarms")["alarms"]) == active
            assert sorted(coup.id for coup in table.verifier.disputed()) == disputed
        assert "problem" not in floor.retained("status")
    words = [entry["event"] for entry in logs]
    assert [entry["event"] for entry in logs if "exc_info" in entry] == []
    assert words.count("config read again") > 1
    assert words.count("the gateway goes on") > 1
