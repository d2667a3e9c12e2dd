"""Play lines through the firmware, the witness and the gateway's verifier; shrink what fails."""

import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self

from msgspec.structs import replace
from sabot_gateway.shoe import parse
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Source, Verifier
from sabot_protocol import rulebooks
from sabot_protocol.topics import AlarmMessage
from sabot_sim.rigs.play import PlayBench, StepAnswer
from sabot_tools.actions.play import Play, bench_of, profile_of

from edges.hands import Answer, Hands, Line, settings
from edges.witness import Violation, Witness

UNIT = "5ab0000000000001"
_START_S = 1_800_000_000
_MOST_LINES = 600
_MOST_TRIES = 500  # to remove lines
_LOCKS = {"exit_locked", "awaiting_authorisation", "lid_open"}
_CLOCK = ("shoe_clock", "gateway_clock", "cards_too_fast")


class Table(NamedTuple):
    """A rulebook and its settings."""

    book: str
    settings: dict[str, str]

    def command(self) -> str:
        """Return the command that plays lines at this table."""
        sets = "".join(f" --set {axis}={value}" for axis, value in self.settings.items())
        return f"sabot play --rulebook {self.book}{sets}"


class Failure(NamedTuple):
    """The lines up to the failure, and the violation."""

    table: Table
    lines: list[Line]
    violation: Violation


class Tapped:
    """A bench that also keeps all records."""

    def __init__(self, bench: PlayBench) -> None:
        self._bench = bench
        self.records: list[tuple[int, int, str]] = []

    def __enter__(self) -> Self:
        self._bench.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._bench.__exit__()

    def step(self, *step: Any) -> StepAnswer:
        """Carry out a step and keep its records."""
        answer = self._bench.step(*step)
        self.records += answer.records
        return answer

    def power_cycle(self) -> None:
        """Switch off and on."""
        self._bench.power_cycle()


class Gateway:
    """The gateway's verifier: a finding that the dealer did not cause is a violation."""

    def __init__(self, table: Table, profile: dict[str, Any]) -> None:
        self._verifier = Verifier("bac-01", rulebooks.load(table.book), profile)
        self._place = 0
        self._shoe: list[tuple[Event, str]] = []  # events since the last opening or closing, with their times
        self.coups = 0

    def take(self, records: list[tuple[int, int, str]]) -> None:
        """Verify the events of one line, half a second apart."""
        for event_no, kind, body in records:
            head = bytes((2, 0, 0, 0)) + bytes(4) + event_no.to_bytes(4, "little") + bytes((kind,))
            event = parse.event(UNIT, parse.frame(head + bytes.fromhex(body)))
            self._place += 1
            time = self._time()
            event = replace(event, time_ms=500 * self._place)
            self._shoe = [] if event.kind in ("shoe_opened", "shoe_closed") else self._shoe
            self._shoe.append((event, time))
            for record in self._verifier.take(event, time):
                self.coups += record.topic == "coup"
                if isinstance(record.message, AlarmMessage) and record.message.state == "raised":
                    self._judge(record.message)
        records.clear()

    def restart(self) -> None:
        """Start again from what a ledger holds: the events of this shoe, active alarms, disputed coups."""
        alarms, disputed = self._verifier.active(), self._verifier.disputed()
        self._verifier = self._verifier.unread_copy()
        for event, time in self._shoe:
            self._verifier.take(event, time)
        self._verifier.restore(alarms, disputed)

    def check_shown(self, answer: Answer) -> None:
        """Acknowledge all alarms: one that tells why the exit is locked must stay, and none of a fault that is over."""
        for alarm in self._verifier.active():
            self._verifier.acknowledge(alarm.alarm, "A. Smith", Source(UNIT, 0, self._time()))
        active = {alarm.name for alarm in self._verifier.active()}
        fault = {f"fault_{answer['fault']}"} if answer["fault"] else set()
        if {name for name in active if name.startswith("fault_")} != fault:
            raise Violation("shown", f"the fault is {answer['fault']}, and the alarms are {active}")
        if not answer["locked"] and active & _LOCKS:
            raise Violation("shown", f"the exit is free, and the alarms are {active}")
        if answer["locked"] and answer["due"] is not None and not active & (fault | _LOCKS):
            raise Violation("shown", f"the exit is locked, and the alarms are {active}")
        self._check_kind(answer)

    def _check_kind(self, answer: Answer) -> None:
        """Pages show the coup on the table as the shoe has it, before its first card too."""
        on_table, named = self._verifier.state.coup_on_table(), answer["named"]
        if on_table and answer["state"] in ("dealing", "complete") and named:
            kind = self._verifier.checks.notices.kind_of(on_table[1])
            if kind != named:
                raise Violation("shown", f"coup {on_table[1]} is {named}, and pages have {kind}")

    def check_keyed(self, before: Answer, answer: Answer) -> None:
        """Before its events are taken: the shoe takes a keyed card where the gateway offers it, and nowhere else."""
        waits = self._verifier.unread_cards()
        taken, refused = answer["outcome"] in ("done", "not_authorised"), answer["outcome"] == "not_now"
        if (taken and not waits) or (refused and waits and before["fault"] in (None, "card")):
            raise Violation("agree", f"key_card is {answer['outcome']}, and the gateway knows {waits} unread cards")

    def _time(self) -> str:
        return datetime.fromtimestamp(_START_S + self._place / 2, UTC).isoformat()

    def _judge(self, alarm: AlarmMessage) -> None:
        caused = alarm.name != "discrepancy" or "the dealer says" in alarm.shoe_says
        if not caused or alarm.name in ("not_verified", *_CLOCK):
            what = f"{alarm.say} Shoe: {alarm.shoe_says}. Cards: {alarm.cards_say}. Coup {alarm.coup}."
            raise Violation("gateway", what)


class Game:
    """One table, played line by line."""

    def __init__(self, table: Table, bench: str) -> None:
        profile = profile_of(rulebooks.load(table.book), table.settings)
        self._bench = Tapped(bench_of(bench, profile))
        self._play = Play(self._bench, table.book, profile)
        self.witness, self.gateway = Witness(table.book), Gateway(table, profile)
        self.answer: Answer = self._play.reply({"state": True})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bench.__exit__()

    def do(self, line: Line) -> Answer:
        """Play one line and check it with witness and verifier."""
        before, self.answer = self.answer, self._play.reply(line)
        self.witness.see(line, before, self.answer)
        if line.get("command") == "key_card":
            self.gateway.check_keyed(before, self.answer)
        self.gateway.take(self._bench.records)
        if "power" in line:
            self.gateway.restart()
        self.gateway.check_shown(self.answer)
        return self.answer


def shoe(seed: str, bench: str) -> tuple[Game, Failure | None]:
    """Play one shoe from this seed to its end."""
    rng = random.Random(seed)
    book = rng.choice(rulebooks.ids())
    table, lines = Table(book, settings(rng, book)), list[Line]()
    hands = Hands(rng, book)
    with Game(table, bench) as game:
        while True:
            lines.append(hands.next(game.answer))
            try:
                answer = game.do(lines[-1])
                if len(lines) > _MOST_LINES:
                    raise Violation("ends", f"the shoe does not end: {answer}")
            except Violation as violation:
                return game, Failure(table, lines, violation)
            if any(event["type"] == "shoe_closed" for event in answer["events"]):
                return game, None


def replay(table: Table, lines: list[Line], bench: str = "cpython") -> Violation | None:
    """Play these lines; return the violation or None."""
    with Game(table, bench) as game:
        try:
            for line in lines:
                game.do(line)
        except Violation as violation:
            return violation
    return None


def shrink(failure: Failure, again: Callable[[Table, list[Line]], Violation | None] = replay) -> Failure:
    """Return a failure of the same property with as few lines as possible."""
    table, lines, violation = failure
    size, tries = max(1, len(lines) // 2), 0
    while size:
        start = 0
        while start < len(lines) and tries < _MOST_TRIES:
            tries += 1
            shorter = lines[:start] + lines[start + size :]
            found = again(table, shorter)
            if found is not None and found.name == violation.name:
                lines, violation = shorter, found
            else:
                start += size
        size //= 2
    return Failure(table, lines, violation)
