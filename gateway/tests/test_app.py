"""The daemon's loop on a real pty and a real ledger; the test plays the shoe, and no broker is there."""

import os
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
from sabot_gateway.app import App
from sabot_gateway.config import Config, Table
from sabot_gateway.ledger import Ledger, LedgerError
from sabot_protocol import framing, messages
from shoe_events import PROFILE, cards, event_frame, hello, result


class Bench:
    """The shoe's end of the line, and the daemon that serves it."""

    def __init__(self, work_dir: Path) -> None:
        self.line, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self.line, False)
        self.ledger_path = work_dir / "ledger.db"
        table = Table("bac-01", os.ttyname(slave), "star-baccarat")
        config = Config("test", str(self.ledger_path), "mqtt://127.0.0.1:9", (table,))
        self.now_s = 1000.0
        self.app = App(config, monotonic=lambda: self.now_s)
        self.app.step(0)
        self._deframer = framing.Deframer()

    def send(self, *frames: bytes) -> list[tuple[str, int | None]]:
        """Send frames as the shoe; what the gateway answers: types, and the number where there is one."""
        os.write(self.line, b"".join(frames))
        for _ in range(3):
            self.app.step(0.05)
        try:
            data = os.read(self.line, 65536)
        except BlockingIOError:
            return []
        parsed = [messages.Frame.parse(body) for body in self._deframer.feed(data)]
        return [(frame.type, frame.body.get("event_no")) for frame in parsed]

    def entries(self) -> list[tuple[int | None, str]]:
        """Event number and topic of everything in the ledger."""
        ledger = Ledger(self.ledger_path)
        found = [(entry.event_no, entry.topic) for entry in ledger.since(0, 1000)]
        ledger.close()
        return found


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    os.close(made.line)


def button(event_no: int) -> bytes:
    return framing.encode(event_frame(event_no, "button", shoe_no=1, coup_no=1, button="confirm"))


def test_a_coup_is_stored_then_acknowledged_once_for_all(bench: Bench) -> None:
    known = hello(profile_hash=messages.profile_hash(PROFILE))
    assert bench.send(known) == [("who", None), ("welcome", None)]
    dealt = [framing.encode(event.raw) for event in [*cards(1, "9S 2H TD 3C"), result(5, "player", 9, 5, natural=True)]]
    assert bench.send(*dealt) == [("ack", 5)]
    assert bench.entries() == [(1, "cards"), (2, "cards"), (3, "cards"), (4, "cards"), (5, "coup")]


def test_a_disputed_coup_has_its_alarm_beside_it(bench: Bench) -> None:
    bench.send(hello())
    dealt = [framing.encode(event.raw) for event in [*cards(1, "9S 2H TD 3C"), result(5, "banker", 9, 5, natural=True)]]
    assert ("ack", 5) in bench.send(*dealt)
    assert bench.entries()[-2:] == [(5, "coup"), (None, "alarm")]


def test_a_lost_part_of_the_log_stands_before_what_follows_it(bench: Bench) -> None:
    bench.send(hello(next_event_no=50, oldest_event_no=20))
    assert ("ack", 21) in bench.send(button(20), button(21))
    assert bench.entries() == [(None, "alarm"), (20, ""), (21, "")]


def test_what_cannot_be_stored_is_not_acknowledged(bench: Bench) -> None:
    bench.send(hello(profile_hash=messages.profile_hash(PROFILE)))
    bench.app._ledger._db.execute("PRAGMA query_only = ON")
    with pytest.raises(LedgerError, match="refused 1 entries"):
        bench.send(button(1))
    with pytest.raises(BlockingIOError):
        os.read(bench.line, 100)


def test_noise_costs_nothing_but_a_counter(bench: Bench) -> None:
    bench.send(hello(profile_hash=messages.profile_hash(PROFILE)))
    assert bench.send(b"\x07\xff\x00\x01\x02" * 300, b"\0", button(1)) == [("ack", 1)]
    assert bench.entries() == [(1, "")]


def test_an_acknowledgement_that_was_lost_is_given_again(bench: Bench) -> None:
    bench.send(hello(profile_hash=messages.profile_hash(PROFILE)))
    assert bench.send(button(1)) == [("ack", 1)]
    assert bench.send(button(1)) == [("ack", 1)]


def test_events_and_a_new_hello_in_one_read(bench: Bench) -> None:
    known = hello(profile_hash=messages.profile_hash(PROFILE))
    bench.send(known)
    bench.send(button(1), button(2), known)
    bench.send(button(1), button(2), button(3))
    assert bench.entries() == [(1, ""), (2, ""), (3, "")]


def test_a_silent_shoe_is_asked_again_who_it_is(bench: Bench) -> None:
    bench.send(hello(profile_hash=messages.profile_hash(PROFILE)))
    bench.now_s += 4.9
    assert ("who", None) not in bench.send(b"\0")
    bench.now_s += 0.2
    assert ("who", None) in bench.send(b"\0")
