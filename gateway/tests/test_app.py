"""The daemon's loop on a real pty and a real ledger; the test or the firmware is the shoe, and no broker is there."""

import os
import select
import subprocess
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from floor import read_all
from sabot_gateway.app import App
from sabot_gateway.config import Config, Table
from sabot_gateway.ledger import Reader
from sabot_gateway.shoe.link import ShoeLink
from sabot_protocol import framing
from sabot_service.broker import Login
from sabot_sim.rigs.vm import VmShoe
from shoe_events import KEY, OTHER_KEY, UNIT, Shoe, cards, frame, frames_in, result
from structlog.testing import capture_logs
from support.patience import PATIENCE_S

ALARMS = "sabot/v1/test/bac-01/alarms"
STATUS, SITE_STATUS = "sabot/v1/test/bac-01/status", "sabot/v1/test/status"
Driver = Literal["sabot", "angel-eye"]


def config(work_dir: Path, port: str, keys: Path | None = None, driver: Driver = "sabot") -> Config:
    table = Table("bac-01", port, "star-baccarat", driver=driver)
    return Config("test", str(work_dir / "ledger.db"), "mqtt://127.0.0.1:9", (table,), str(keys) if keys else None)


def retained(app: App, topic: str) -> dict[str, Any]:
    """What stands on a retained topic; the time left out."""
    message: dict[str, Any] = msgspec.json.decode(app._publish.publisher.retained._states.get(topic, b"{}"))
    return {name: value for name, value in message.items() if name != "time"}


def status(app: App) -> dict[str, Any]:
    """Return the status of the table, without its rulebook and its setup."""
    found = retained(app, STATUS)
    found.pop("setup", None)
    assert found.pop("rulebook", "star-baccarat") == "star-baccarat"
    return found


def key_file(work_dir: Path, key: bytes = KEY, name: str = f"{UNIT}.key") -> Path:
    """Its directory."""
    directory = work_dir / "keys"
    directory.mkdir(mode=0o700, exist_ok=True)
    (directory / name).touch(mode=0o600)
    (directory / name).write_text(key.hex() + "\n")
    return directory


class Bench:
    """The shoe's end of the line, and the daemon that serves it."""

    def __init__(
        self,
        work_dir: Path,
        key: bytes | None = None,
        keys: Path | None = None,
        clock: Callable[[], float] = time.time,
        keep_days: int | None = None,
        driver: Driver = "sabot",
    ) -> None:
        self.line, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.line, False)
        self.ledger_path = work_dir / "ledger.db"
        self.now_s = 1000.0
        settings = msgspec.structs.replace(config(work_dir, os.ttyname(self._slave), keys, driver), keep_days=keep_days)
        self.app = App(settings, monotonic=lambda: self.now_s, clock=clock)
        self.shoe = Shoe(key)
        while self.app._publish.mqtt.problem is None:  # a missing broker is logged first
            self.app.step(0)

    def send(self, *frames: bytes) -> list[tuple[str, int | None]]:
        """Send frames as the shoe; what the gateway answers: types, and the number where there is one."""
        os.write(self.line, b"".join(frames))
        if any(frames):  # the kernel hands on what a pty holds when it has time
            assert select.select([self._slave], [], [], PATIENCE_S)[0]
        for _ in range(3):
            self.app.step(0)
        return [(frame.type, frame.body.get("event_no")) for frame in frames_in(self._read())]

    def shared_for_s(self, *frames: bytes) -> float:
        """Commit these events; return for how long the daemon then lets other ports come, though one is ready."""
        slept: list[float] = []
        self.now_s += 10.0
        self.send(*frames)
        self.app._sleep = slept.append
        self.send(self.shoe.say("alive"))
        self.app._sleep = time.sleep
        return slept[0]

    def _read(self) -> bytes:
        return read_all(self.line)

    def asked(self) -> bytes:
        """The nonce of the WHO that waits on the line."""
        nonce: bytes = next(frame.body["nonce"] for frame in frames_in(self._read()) if frame.type == "who")
        return nonce

    def greet(self, **changes: Any) -> list[tuple[str, int | None]]:
        """The shoe answers the gateway's WHO; what the gateway says to that."""
        answer = self.send(self.shoe.hello(self.asked(), **changes))
        return answer + self.send(self.shoe.say("alive"))

    def listen(self, for_s: float) -> None:
        """Time passes, a turn of the daemon every tenth of a second, and nothing comes."""
        for _ in range(round(for_s * 10)):
            self.now_s += 0.1
            self.app.step(0)

    def entries(self) -> list[tuple[int | None, str]]:
        """Event number and topic of everything in the ledger."""
        ledger = Reader(self.ledger_path)
        found = [(entry.event_no, entry.topic) for entry in ledger.since(0, 1000)]
        ledger.close()
        return found


@pytest.fixture
def benches(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    """Makes benches; their lines are closed after the test."""
    with ExitStack() as stack:

        def make(**options: Any) -> Bench:
            made = Bench(tmp_path, **options)
            stack.callback(os.close, made.line)
            return made

        yield make


@pytest.fixture
def bench(benches: Callable[..., Bench]) -> Bench:
    return benches()


def dealt(shoe: Shoe, winner: str) -> list[bytes]:
    """A coup that the Player wins, and the shoe's word for it."""
    return [shoe.logged(event) for event in [*cards(1, "9S 2H TD 3C"), result(5, winner, 9, 5, natural=True)]]


def test_a_coup_is_stored_then_acknowledged_once_for_all(bench: Bench) -> None:
    assert bench.greet() == [("welcome", None)]
    assert bench.send(*dealt(bench.shoe, "player")) == [("ack", 5)]
    assert bench.entries() == [(1, "cards"), (2, "cards"), (3, "cards"), (4, "cards"), (5, "coup")]


def test_a_disputed_coup_has_its_alarm_beside_it(bench: Bench) -> None:
    bench.greet(profile_hash=bytes(8))
    assert ("ack", 5) in bench.send(*dealt(bench.shoe, "banker"))
    assert bench.entries()[-3:] == [(5, "coup"), (None, "alarm"), (None, "incident")]


def test_a_lost_part_of_the_log_is_stored_before_what_follows_it(bench: Bench) -> None:
    bench.greet(next_event_no=50, oldest_event_no=20)
    assert ("ack", 21) in bench.send(bench.shoe.button(20, 21))
    assert bench.entries() == [(None, "alarm"), (20, ""), (21, "")]


def test_what_cannot_be_stored_is_not_acknowledged(bench: Bench) -> None:
    bench.greet()
    bench.app._ledger._db.execute("PRAGMA query_only = ON")
    assert bench.send(bench.shoe.button(1)) == []
    assert "the ledger refused 1 entries" in retained(bench.app, SITE_STATUS)["problem"]
    bench.now_s += 0.9
    assert bench.send(bench.shoe.button(2)) == []  # not even read
    bench.app._ledger._db.execute("PRAGMA query_only = OFF")
    bench.now_s += 0.2
    assert bench.send() == [("ack", 1), ("ack", 2)]
    assert bench.entries() == [(1, ""), (2, ""), (1, "alarm")]
    assert "problem" not in retained(bench.app, SITE_STATUS)
    assert [alarm["name"] for alarm in retained(bench.app, ALARMS)["alarms"]] == ["ledger_not_writable"]


def test_noise_costs_nothing_but_a_counter(bench: Bench) -> None:
    bench.greet()
    assert bench.send(b"\x07\xff\x00\x01\x02" * 300, b"\0", bench.shoe.button(1)) == [("ack", 1)]
    assert bench.entries() == [(1, "")]


def test_an_acknowledgement_that_was_lost_is_given_again(bench: Bench) -> None:
    bench.greet()
    assert bench.send(bench.shoe.button(1)) == [("ack", 1)]
    assert bench.send(bench.shoe.button(1)) == [("ack", 1)]


def test_events_and_a_new_hello_in_one_read(bench: Bench) -> None:
    bench.greet()
    bench.now_s += 1
    assert ("who", None) in bench.send(Shoe().hello())
    bench.now_s += 1
    os.write(bench.line, Shoe().hello())
    bench.app.step(0.05)
    nonce, events = bench.asked(), bench.shoe.button(1, 2)
    bench.send(events, bench.shoe.hello(nonce))
    bench.send(bench.shoe.button(1, 2, 3))
    assert bench.entries() == [(1, ""), (2, ""), (3, "")]


def test_a_silent_shoe_is_asked_again_who_it_is(bench: Bench) -> None:
    bench.greet()
    bench.listen(4.8)
    assert ("who", None) not in bench.send(b"\0")
    bench.listen(0.3)
    assert ("who", None) in bench.send(b"\0")
    assert status(bench.app)["state"] == "offline"
    assert "sends nothing; check its power and its cable" in status(bench.app)["problem"]


# Keys and status.


def test_a_shoe_without_a_key_is_served_marked_and_warned_of(bench: Bench) -> None:
    with capture_logs() as logs:
        bench.greet()
    assert status(bench.app) == {"state": "online", "unit": UNIT, "authenticated": False}
    connected, warning = logs
    assert (connected["event"], connected["unit"], connected["authenticated"]) == ("shoe connected", UNIT, "no")
    assert warning["log_level"] == "warning"
    assert f"sabot keys new {UNIT} --dir DIR --shoe key.bin" in warning["event"]
    assert "set `keys` in the config" in warning["event"]


def test_a_shoe_with_a_key_is_served_and_marked(benches: Callable[..., Bench], tmp_path: Path) -> None:
    bench = benches(key=KEY, keys=key_file(tmp_path))
    with capture_logs() as logs:
        bench.greet()
        bench.send(bench.shoe.button(1))
    assert status(bench.app) == {"state": "online", "unit": UNIT, "authenticated": True}
    assert [(entry["event"], entry["authenticated"]) for entry in logs] == [("shoe connected", "yes")]
    assert bench.entries() == [(1, "")]
    assert KEY.hex() not in str(logs)


@pytest.mark.parametrize(("key", "says"), [(OTHER_KEY, "still uses its old key"), (KEY, "uses its new key")])
def test_a_rotation_in_progress_is_logged(benches: Callable[..., Bench], tmp_path: Path, key: bytes, says: str) -> None:
    key_file(tmp_path, OTHER_KEY, f"{UNIT}.old.key")
    bench = benches(key=key, keys=key_file(tmp_path))
    with capture_logs() as logs:
        bench.greet()
    assert says in logs[1]["event"]
    assert f"sabot keys rotate {UNIT} --finish --dir {tmp_path / 'keys'}" in logs[1]["event"]


def test_a_key_file_that_others_can_read_serves_nobody(benches: Callable[..., Bench], tmp_path: Path) -> None:
    keys = key_file(tmp_path)
    (keys / f"{UNIT}.key").chmod(0o644)
    for key in (KEY, None):
        bench = benches(key=key, keys=keys)
        with capture_logs() as logs:
            bench.greet()
        assert status(bench.app)["state"] == "offline"
        assert f"chmod 600 {keys / UNIT}.key" in status(bench.app)["problem"]
        assert [entry["event"] for entry in logs] == [status(bench.app)["problem"]]
        bench.app.close()


def test_a_shoe_that_is_not_served_is_offline_with_the_reason_until_it_is(
    benches: Callable[..., Bench], tmp_path: Path
) -> None:
    bench = benches(keys=key_file(tmp_path))
    nonce = bench.asked()
    bench.send(bench.shoe.hello(nonce))
    assert status(bench.app)["state"] == "offline"
    assert "has a key here and does not use it" in status(bench.app)["problem"]
    bench.send(Shoe(KEY).hello(nonce))
    assert status(bench.app) == {"state": "online", "unit": UNIT, "authenticated": True}


def test_a_shoe_that_another_gateway_serves_is_in_the_status(bench: Bench) -> None:
    bench.send(framing.encode(frame("busy", {"gateway": b"the othr", "nonce": bench.asked()})))
    assert status(bench.app)["state"] == "offline"
    assert "served by another gateway" in status(bench.app)["problem"]


def test_a_port_on_which_nothing_comes_is_in_the_status(bench: Bench) -> None:
    bench.listen(6.0)
    assert status(bench.app)["state"] == "offline"
    assert "nothing comes on this port" in status(bench.app)["problem"]


def test_each_problem_is_logged_once(bench: Bench) -> None:
    with capture_logs() as logs:
        for _ in range(15):
            bench.now_s += 0.5
            bench.send(Shoe().hello(protocol_hash=bytes(8)))
    assert len(logs) == 1


def test_a_port_that_cannot_be_opened_is_in_the_status(tmp_path: Path) -> None:
    app = App(config(tmp_path, str(tmp_path / "ttyACM0")))
    app.step(0)
    assert status(app)["state"] == "offline"
    assert "is not there: plug the adapter in" in status(app)["problem"]


def test_a_password_in_plain_text_is_warned_of_at_the_start(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.touch(mode=0o600)
    secret.write_text("correct-horse\n")
    login = Login(user="gateway", password_file=str(secret))
    plain = msgspec.structs.replace(config(tmp_path, "/dev/null"), broker="mqtt://192.0.2.1:9", login=login)
    with capture_logs() as logs:
        App(plain).close()
    assert "goes to mqtt://192.0.2.1:9 in plain text" in logs[0]["event"]
    assert "correct-horse" not in str(logs)


def test_a_gateway_keeps_its_id_and_asks_by_it(benches: Callable[..., Bench], tmp_path: Path) -> None:
    ids = []
    for _ in range(2):
        bench = benches()
        (who,) = frames_in(bench._read())
        ids.append(who.body["gateway"])
        bench.app.close()
    assert ids[0] == ids[1] != bytes(8)


# The firmware itself.


@pytest.fixture
def firmware(tmp_path: Path) -> Iterator[Callable[[bytes | None], VmShoe]]:
    """Starts the firmware on the MicroPython VM, with this key in its flash."""
    with ExitStack() as stack:

        def start(key: bytes | None) -> VmShoe:
            (tmp_path / "shoe").mkdir()
            if key is not None:
                (tmp_path / "shoe" / "key.bin").write_bytes(key)
            bench = VmShoe(
                UNIT, tmp_path / "shoe", lambda args, pass_fds, env: subprocess.Popen(args, pass_fds=pass_fds, env=env)
            )
            stack.callback(bench.close)
            return bench

        yield start


def run_until(app: App, done: Callable[[], bool]) -> None:
    give_up_s = time.monotonic() + PATIENCE_S
    while not done():
        app.step(0.02)
        assert time.monotonic() < give_up_s, status(app)


@pytest.mark.parametrize("key", [None, KEY], ids=["no key", "key"])
def test_the_firmware_is_served_and_its_log_comes_in(
    tmp_path: Path, firmware: Callable[[bytes | None], VmShoe], key: bytes | None
) -> None:
    keys = key_file(tmp_path) if key else None
    app = App(config(tmp_path, firmware(key).port, keys))
    run_until(app, lambda: app._ledger.durable_event_no(UNIT) >= 2)  # boot and profile_set
    assert status(app) == {"state": "online", "unit": UNIT, "authenticated": key is not None}
    link = app._tables["bac-01"].link
    assert isinstance(link, ShoeLink)
    link.command("confirm", {})
    run_until(app, lambda: not link.commands.waiting)
    sound = {"repeated": link.counters["repeated"], "strays": link.counters["strays"]}
    assert link.counters == dict.fromkeys(link.counters, 0) | sound
    assert app._ledger.verify_chain() >= 3


def test_the_firmware_with_another_key_is_not_served(
    tmp_path: Path, firmware: Callable[[bytes | None], VmShoe]
) -> None:
    app = App(config(tmp_path, firmware(OTHER_KEY).port, key_file(tmp_path)))
    run_until(app, lambda: "problem" in status(app))
    assert "has another key than this gateway" in status(app)["problem"]
    assert app._ledger.durable_event_no(UNIT) == 0
