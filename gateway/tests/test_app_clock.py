"""The daemon under wrong clocks: back an hour, over midnight, a leap second, years away; order and ids hold."""

import os
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ledger_entries import entry, message
from sabot_gateway.ledger import Ledger, Reader, Stored
from sabot_protocol.angel_eye import build
from shoe_events import SLOTS, cards, event, result
from structlog.testing import capture_logs
from test_app import Bench, Driver, retained

STATUS = "sabot/v1/test/bac-01/status"
DAY_S = 86_400.0


def moment(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


class Table:
    """A bench whose wall clock is the test's; coups are dealt one by one at our own shoe."""

    driver: Driver = "sabot"

    def __init__(self, work_dir: Path, start: str, keep_days: int | None = None) -> None:
        self.time_s = moment(start)
        self.bench = Bench(work_dir, clock=lambda: self.time_s, keep_days=keep_days, driver=self.driver)
        self.next_no, self.coup = 1, 0
        self.greet()

    def greet(self) -> None:
        """Have the gateway serve the shoe."""
        self.bench.greet()

    def coups(self, count: int, each_s: float = 30.0) -> None:
        """So many, a little time between them by both clocks; each is stored and acknowledged before the next."""
        for _ in range(count):
            self._deal()
            self.pass_(each_s)

    def _deal(self) -> None:
        self.coup += 1
        dealt = cards(self.next_no, "9S 2H TD 3C", SLOTS, self.coup)
        dealt.append(result(self.next_no + 4, "player", 9, 5, self.coup, natural=True))
        dealt.append(event(self.next_no + 5, "button", shoe_no=1, coup_no=self.coup, button="confirm"))
        self.next_no += 6
        frames = [self.bench.shoe.logged(one) for one in dealt]
        assert ("ack", self.next_no - 1) in self.bench.send(*frames)

    def pass_(self, seconds: float) -> None:
        """The shoe says that it is alive now and then, so that nobody takes it for silent."""
        self.time_s += seconds
        self.bench.now_s += min(seconds, 1.0)
        self.bench.send(self.bench.shoe.say("alive"))

    def entries(self) -> list[Stored]:
        """The ledger as it stands, its chain found intact."""
        ledger = Reader(self.bench.ledger_path)
        ledger.verify_chain()
        found = list(ledger.entries())
        ledger.close()
        return found

    def alarms(self) -> list[str]:
        """By name, those that were raised."""
        alarms = [msgspec.json.decode(entry.payload) for entry in self.entries() if entry.topic == "alarm"]
        return [message["name"] for message in alarms if message["state"] == "raised"]

    def sound(self) -> None:
        """Every event once, in order, each under an id of its own; the publisher has it all to publish."""
        entries = self.entries()
        assert [entry.event_no for entry in entries if entry.frame] == list(range(1, self.next_no))
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
        ids = [msgspec.json.decode(entry.payload)["id"] for entry in entries if entry.payload]
        assert len(set(ids)) == len(ids)
        assert self.bench.app._publish.publisher.behind() == len(entries)
        coups = [msgspec.json.decode(entry.payload) for entry in entries if entry.topic == "coup"]
        assert [message["coup"] for message in coups] == list(range(1, self.coup + 1))


def placed(target: str, index: int, card: str) -> Callable[[str], bytes]:
    """Return what makes the frame of a card, with a sequence character."""
    return lambda seq: build.card(seq, target, index, card)


class AngelTable(Table):
    """The same with an Angel Eye: it has no clock and sends every message three times; each opening is an event."""

    driver = "angel-eye"

    def greet(self) -> None:
        """Wait until the gateway has opened the port."""
        while not self.entries():
            self.bench.now_s += 0.05
            self.bench.app.step(0)
        self.next_no += 1

    def send(self, *made: Callable[[str], bytes], copies: int = 3) -> None:
        """Send copies of frames with the next sequence characters."""
        frames = [one(str((self.next_no + place) % 10)) for place, one in enumerate(made)]
        self.bench.send(*(frame for frame in frames for _ in range(copies)))

    def _deal(self) -> None:
        self.coup += 1
        suit = "SHDC"[self.coup % 4]  # no card more often than eight decks have it
        dealt = [placed("player", 1, f"9{suit}"), placed("banker", 1, f"2{suit}")]
        dealt += [placed("player", 2, f"T{suit}"), placed("banker", 2, f"3{suit}")]
        self.send(*dealt, lambda seq: build.result(seq, "player"))
        self.next_no += 5

    def pass_(self, seconds: float) -> None:
        """Send nothing: silence is normal."""
        self.time_s += seconds
        self.bench.now_s += min(seconds, 1.0)
        self.bench.send()


@pytest.fixture(params=[Table, AngelTable], ids=lambda made: str(made.driver))
def tables(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[..., Table]]:
    """Makes one, with either shoe; its line is closed after the test."""
    yield from makers(tmp_path, request.param)


@pytest.fixture
def own_tables(tmp_path: Path) -> Iterator[Callable[..., Table]]:
    """Makes one with our own shoe; its line is closed after the test."""
    yield from makers(tmp_path, Table)


def makers(work_dir: Path, kind: type[Table]) -> Iterator[Callable[..., Table]]:
    made: list[Table] = []

    def make(start: str, **more: Any) -> Table:
        made.append(kind(work_dir, start, **more))
        return made[-1]

    yield make
    for table in made:
        os.close(table.bench.line)


def test_an_hour_back_is_one_alarm_and_the_order_holds(tables: Callable[..., Table]) -> None:
    table = tables("2026-10-25T02:30:00")
    table.coups(3)
    table.time_s -= 3600
    table.coups(5)
    table.sound()
    assert table.alarms() == ["gateway_clock"]
    times = [entry.time for entry in table.entries() if entry.topic == "coup"]
    assert times != sorted(times)


def test_midnight_and_the_turn_of_the_year_are_nothing(tables: Callable[..., Table]) -> None:
    table = tables("2026-12-31T23:59:00")
    table.coups(5)
    table.sound()
    assert table.alarms() == []
    days = [entry.time[:10] for entry in table.entries()]
    assert (days[0], days[-1], days == sorted(days)) == ("2026-12-31", "2027-01-01", True)


def test_a_leap_second_that_repeats_a_second_is_nothing(tables: Callable[..., Table]) -> None:
    table = tables("2026-12-31T23:59:58")
    table.coups(2, 1.0)
    table.time_s -= 1.0  # 23:59:59 once more
    table.coups(3, 1.0)
    table.sound()
    assert table.alarms() == []


def test_a_leap_second_smeared_over_a_day_is_nothing(tables: Callable[..., Table]) -> None:
    table = tables("2026-12-31T12:00:00")
    for _ in range(6):
        table.coups(1, 30.0)
        table.time_s -= 30.0 / DAY_S
    table.sound()
    assert table.alarms() == []


@pytest.mark.parametrize("seed", range(3))
def test_a_clock_that_jumps_there_and_back_all_the_time_changes_no_order(
    own_tables: Callable[..., Table], seed: int
) -> None:
    rng, table = random.Random(seed), own_tables("2026-03-01T12:00:00")
    for _ in range(12):
        table.time_s = moment("2026-03-01T12:00:00") + rng.choice((-1, 1)) * rng.choice(
            (3.0, 3600.0, DAY_S, 365 * DAY_S)
        )
        table.coups(1)
    table.sound()
    entries = table.entries()
    assert [entry.time for entry in entries] != sorted(entry.time for entry in entries)
    published = table.bench.app._ledger.next_after(0, len(entries))
    assert [entry.seq for entry in published] == [entry.seq for entry in entries]
    table.bench.app._publish.publisher.close()
    table.bench.app.close()
    again = Ledger(table.bench.ledger_path, recheck=True)
    assert (again.behind, again.last_seq(), again.notes) == (None, len(entries), [])
    again.close()


@pytest.mark.parametrize("start", ["1970-01-01T00:00:05", "2019-12-31T23:59:59", "2054-06-01T00:00:00", "2106-02-07"])
def test_a_clock_that_the_shoe_cannot_count_serves_the_shoe_all_the_same(
    tables: Callable[..., Table], start: str
) -> None:
    table = tables(start)
    table.coups(2)
    table.sound()
    assert retained(table.bench.app, STATUS)["state"] == "online"


def test_a_jump_of_years_there_and_back_loses_nothing(tables: Callable[..., Table]) -> None:
    table = tables("2026-03-01T12:00:00")
    table.coups(2)
    table.time_s += 10 * 365 * DAY_S
    table.coups(2)
    table.time_s -= 10 * 365 * DAY_S
    table.coups(2)
    table.sound()
    assert table.alarms() == ["gateway_clock"]
    assert [earlier < later for earlier, later in pairwise(e.seq for e in table.entries())].count(False) == 0


@pytest.mark.parametrize("jump_s", [3600.0, -3600.0, 10 * 365 * DAY_S])
def test_copies_on_both_sides_of_a_jump_are_one_message(tmp_path: Path, jump_s: float) -> None:
    table = AngelTable(tmp_path, "2026-10-25T02:30:00")
    table.coups(1)
    table.send(placed("player", 1, "9S"), copies=1)
    table.time_s += jump_s
    table.send(placed("player", 1, "9S"), copies=2)
    os.close(table.bench.line)
    table.next_no += 1
    assert [entry.event_no for entry in table.entries() if entry.frame] == list(range(1, table.next_no))


def test_copies_that_waited_while_the_loop_was_busy_are_one_message(tmp_path: Path) -> None:
    table = AngelTable(tmp_path, "2026-10-25T02:30:00")
    table.send(placed("player", 1, "9S"), placed("banker", 1, "2S"), copies=1)
    table.bench.now_s += 3.0  # one turn took three seconds
    table.send(placed("player", 1, "9S"), placed("banker", 1, "2S"), copies=2)
    os.close(table.bench.line)
    assert [entry.event_no for entry in table.entries() if entry.frame] == [1, 2, 3]


def test_half_a_frame_of_a_table_that_had_to_rest_is_completed(tmp_path: Path) -> None:
    table = AngelTable(tmp_path, "2026-10-25T02:30:00")
    bench, frame = table.bench, build.card("5", "player", 1, "9S")
    bench.send(frame[:4])
    bench.app._lines.pace.stored(10**6, ["bac-01"] * 300)  # more than its share is on the way to the broker
    bench.app._lines.share_out([bench.app._tables["bac-01"]], 0, bench.now_s, connected=True)
    for _ in range(4):
        bench.now_s += 0.15  # no turn is late
        bench.app.step(0)
    bench.send(frame[4:])
    os.close(bench.line)
    assert [entry.frame for entry in table.entries()][-1] == frame


# What a wrong clock could destroy: old entries go by it.


def played(work_dir: Path, days: list[str]) -> None:
    """A ledger with a closed shoe on each of these days, all published."""
    ledger = Ledger(work_dir / "ledger.db")
    for number, day in enumerate(days, 1):
        for event_no, state in enumerate(("open", "closed"), 2 * number - 1):
            fields = message(event_no, 0, number, 0, time=f"{day}T12:00:00.000Z", state=state)
            ledger.append([entry(event_no, "shoe", {**fields, "decks": 8, "card_set": 1, "burn": "one"})])
    ledger.move_cursor("mqtt", ledger.last_seq())
    ledger.close()


def kept(table: Table) -> list[str]:
    """The days of play that the ledger still has."""
    table.bench.app._pruner.finish()
    return sorted({entry.time[:10] for entry in table.entries() if entry.topic == "shoe"})


MARCH = [f"2026-03-{day:02}" for day in range(1, 11)]


def test_old_days_go_by_a_clock_that_is_right(tmp_path: Path, own_tables: Callable[..., Table]) -> None:
    played(tmp_path, MARCH)
    assert kept(own_tables("2026-03-10T18:00:00", keep_days=3)) == MARCH[-4:]


@pytest.mark.parametrize("start", ["2036-03-10T18:00:00", "2027-03-10T18:00:00", "1970-01-01T00:00:00"])
def test_a_clock_that_is_years_wrong_removes_no_day_that_should_stay(
    tmp_path: Path, own_tables: Callable[..., Table], start: str
) -> None:
    played(tmp_path, MARCH)
    assert kept(own_tables(start, keep_days=3))[-4:] == MARCH[-4:]


def test_a_clock_that_jumps_years_ahead_in_play_removes_one_day_a_day(
    tmp_path: Path, own_tables: Callable[..., Table]
) -> None:
    played(tmp_path, [*MARCH, "2036-03-11"])
    table = own_tables("2036-03-11T18:00:00", keep_days=3)
    assert kept(table) == [*MARCH[-3:], "2036-03-11"]


def test_fewer_days_of_play_than_are_kept_all_stay(tmp_path: Path, own_tables: Callable[..., Table]) -> None:
    played(tmp_path, MARCH[:3])
    assert kept(own_tables("2026-12-10T18:00:00", keep_days=3)) == MARCH[:3]


def test_a_disk_without_room_for_the_checkpoint_ends_nothing(tmp_path: Path, own_tables: Callable[..., Table]) -> None:
    played(tmp_path, MARCH)
    table = own_tables("2026-03-02T18:00:00", keep_days=3)
    table.bench.app._pruner.finish()
    table.time_s = moment("2026-03-10T18:00:00")
    table.bench.app._pruner.due_s = 0.0
    table.bench.app._ledger._db.execute("PRAGMA query_only = ON")
    with capture_logs() as logs:
        table.bench.now_s += 1
        table.bench.send()
        table.bench.app._pruner.finish()
    assert [entry["event"].split(":")[0] for entry in logs] == ["old entries stay in the ledger until tomorrow"]
    assert kept(table) == MARCH
