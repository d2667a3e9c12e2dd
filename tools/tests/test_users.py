"""sabot users with a real floor service: from the first person to an act with a log-in; nothing secret is shown."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from floor_stores import edit
from sabot_tools.cli import app
from sabot_tools.stand.broker import LocalBroker
from support.patience import PATIENCE_S
from typer.testing import CliRunner

PIN, PASSWORD, BADGE = "730155", "correct horse", "00417733"
FIRST_PIN = "577215"  # of the administrator


class Floor:
    """A service by the config that `sabot floor init` writes, with the broker of this test."""

    def __init__(self, work_dir: Path, broker: LocalBroker) -> None:
        self.work_dir, self.config = work_dir, work_dir / "floor.toml"
        assert self.sabot("floor", "init").exit_code == 0
        text = self.config.read_text().replace("mqtt://localhost:1883", str(broker.address))
        self.config.write_text(text.replace("# people_required = false", "people_required = true"))
        command = [sys.executable, "-m", "sabot_tools", "floor", "run", "--config", str(self.config)]
        with (work_dir / "floor.log").open("wb") as log:
            self.process = subprocess.Popen(command, stderr=log)
        give_up_s = time.monotonic() + PATIENCE_S
        unknown = ("jackpot", "draw", "none", "--as", "asmith")  # refused in other words until the service is ready
        while "There is no jackpot none" not in self.sabot(*unknown, typed="730155\n").output:
            time.sleep(0.1)
            assert time.monotonic() < give_up_s, self.log()

    def log(self) -> str:
        return (self.work_dir / "floor.log").read_text()

    def sabot(self, *args: str, typed: str = "") -> Any:
        return CliRunner().invoke(app, [*args, "--config", str(self.config)], input=typed)

    def done(self, *args: str, typed: str = "") -> str:
        ran = self.sabot(*args, typed=typed)
        assert ran.exit_code == 0, ran.output
        return str(ran.output)

    def refused(self, *args: str, typed: str = "") -> str:
        ran = self.sabot(*args, typed=typed)
        assert ran.exit_code == 1, ran.output
        return str(ran.output)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE_S)


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    broker = LocalBroker(tmp_path)
    made = Floor(tmp_path, broker)
    yield made
    made.process.kill()
    made.process.wait()
    broker.stop()


def staffed(floor: Floor) -> None:
    for person, name, secret in (("asmith", "A. Smith", PIN), ("bjones", "B. Jones", PASSWORD)):
        floor.done("users", "add", person, "--name", name)
        floor.done("users", "role", person, "crown-baccarat", "area_manager")
        floor.done("users", "pin", person, typed=f"{FIRST_PIN}\n")
        floor.done("users", "own-pin", person, typed=f"{FIRST_PIN}\n{secret}\n")


def test_a_pin_of_an_administrator_is_changed_before_the_first_act(floor: Floor) -> None:
    floor.done("users", "add", "asmith", "--name", "A. Smith")
    floor.done("users", "pin", "asmith", typed=f"{FIRST_PIN}\n")
    assert floor.done("users", "list") == "asmith  A. Smith: no role; pin; PIN to be changed\n"
    withdraw = ("jackpot", "withdraw", "lucky-tie", "bac-01", "--reason", "r", "--as", "asmith")
    assert "`sabot users own-pin asmith`" in floor.refused(*withdraw, typed=f"{FIRST_PIN}\n")
    assert "is wrong" in floor.refused("users", "own-pin", "asmith", typed=f"111222\n{PIN}\n")
    assert "Too simple" in floor.refused("users", "own-pin", "asmith", typed=f"{FIRST_PIN}\n123456\n")
    assert "changed" in floor.done("users", "own-pin", "asmith", typed=f"{FIRST_PIN}\n{PIN}\n")
    assert "asmith has no role" in floor.refused(*withdraw, typed=f"{PIN}\n")
    log = floor.done("users", "log", "--person", "asmith").splitlines()
    assert any("asmith changed the own PIN or password" in line for line in log)


def test_from_the_first_person_to_an_adjustment(floor: Floor) -> None:
    staffed(floor)
    floor.done("users", "badge", "bjones", typed=f"{BADGE}\n")
    adjust = ("jackpot", "adjust", "lucky-tie", "--amount", "500", "--reason", "test")
    assert "only with a log-in" in floor.refused(
        *adjust, "--by", "A. Smith", "--second", "B. Jones", "--role", "area_manager"
    )
    both = ("--as", "asmith", "--second-as", "bjones")
    assert "bjones is wrong" in floor.refused(*adjust, *both, typed=f"{PIN}\n111222\n")
    assert "expected 1 to 128 characters" in floor.refused(*adjust, *both, typed=f"{PIN}\n")
    assert "AUD 10,005.00" in floor.done(*adjust, *both, typed=f"{PIN}\n{PASSWORD}\n")
    assert "AUD 10,010.00" in floor.done(*adjust, *both, typed=f"{PIN}\n{BADGE}\n")
    assert "AUD 10,015.00" in floor.done(*adjust, "--as", "badge", "--second-as", "asmith", typed=f"{BADGE}\n{PIN}\n")
    history = floor.done("jackpot", "history", "lucky-tie")
    assert "AUD 5.00 by A. Smith (asmith) and B. Jones (bjones), area_manager: test" in history
    everything = floor.log() + history + floor.done("users", "list", "--json")
    assert not [secret for secret in (PIN, PASSWORD, BADGE) if secret in everything]


def test_the_list_online_and_offline_and_the_verification(floor: Floor) -> None:
    staffed(floor)
    for _ in range(5):
        floor.refused("jackpot", "draw", "lucky-tie", "--as", "asmith", typed="111222\n")
    floor.done("users", "disable", "bjones")
    smith, jones = floor.done("users", "list").splitlines()
    assert smith.startswith("asmith  A. Smith: area_manager (crown-baccarat); pin; LOCKED OUT until 20")
    assert jones == "bjones  B. Jones: area_manager (crown-baccarat); pin; DISABLED"
    floor.done("users", "pin", "asmith", typed=f"{PASSWORD}\n")
    floor.done("users", "enable", "bjones")
    removed = floor.done("users", "role", "bjones", "crown-baccarat", "--remove")
    assert "bjones has no role in crown-baccarat." in removed
    lock = ("table", "bac-01", "tell", "lock", "--floor", str(floor.config), "--as", "asmith", "--second", "bjones")
    assert "This floor service gives no commands to tables" in floor.refused(*lock, typed=f"{PIN}\n{PASSWORD}\n")
    online = floor.done("users", "list", "--json")
    floor.stop()
    assert floor.sabot("users", "list").exit_code == 1
    store = str(floor.work_dir / "floor.db")
    assert floor.done("users", "list", "--store", store, "--json") == online
    assert [json.loads(line)["locked_until"] for line in online.splitlines()] == ["", ""]
    assert "commands: 6 entries recomputed\n" in floor.done("floor", "verify")
    # opened; added, role, secret, log-in, change of both; 5 failures and a lock-out; disabled, secret, enabled, role.
    assert "entries in the chains of all logs\n" in floor.done("floor", "verify")
    assert "people: 21 entries recomputed\n" in floor.done("floor", "verify")
    log = floor.done("users", "log", "--person", "asmith").splitlines()
    assert [line.split(" ", 2)[2].split(", account")[0] for line in log][:4] == [
        "asmith added: A. Smith", "asmith: area_manager in crown-baccarat", "asmith: new PIN or password",
        "asmith logged in with secret for change own PIN",
    ]  # fmt: skip
    assert "asmith locked out until 20" in log[10]
    entries = [json.loads(line) for line in floor.done("users", "log", "--json").splitlines()]
    assert [entry["kind"] for entry in entries[:4]] == ["opened", "added", "role", "secret"]
    assert "argon2" not in json.dumps(entries)
    edit(store, "UPDATE entries SET payload = ? WHERE log = 'people' AND seq = 3", b"{}")
    assert "entry 3 of log people is not what was written" in floor.refused("floor", "verify")
    lines = [json.loads(line) for line in floor.refused("floor", "verify", "--json").splitlines()]
    assert {line["log"]: bool(line["faults"]) for line in lines if line["log"] != "store"} == {
        "people": True, "commands": False, "signs": False, "gateways": False, "projection": False,
        "jackpot/pairs-major": False, "jackpot/pairs-minor": False,
        "jackpot/lucky-seat": False, "jackpot/lucky-tie": False,
    }  # fmt: skip


def test_a_simple_pin_is_refused_with_a_sentence(floor: Floor) -> None:
    floor.done("users", "add", "asmith", "--name", "A. Smith")
    assert "Too simple: a PIN has at least 6 digits." in floor.refused("users", "pin", "asmith", typed="1234\n")
    assert "not a row such as 123456" in floor.refused("users", "pin", "asmith", typed="456789\n")


def at_terminal(floor: Floor, *args: str, typed: list[bytes]) -> tuple[int, str]:
    """Run a command at a terminal, and type each line once it is asked for; return its status and what was shown."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "sabot_tools", *args, "--config", str(floor.config)]
    shown = b""
    with subprocess.Popen(command, preexec_fn=lambda: os.login_tty(theirs), pass_fds=(theirs,)) as child:
        os.close(theirs)
        for line in typed:
            before = len(shown)
            while not shown[before:].rstrip(b" ").endswith(b":"):
                shown += os.read(ours, 1000)
            os.write(ours, line + b"\n")
        try:
            while data := os.read(ours, 1000):
                shown += data
        except OSError:  # the child has closed its end
            pass
        status = child.wait(PATIENCE_S)
    os.close(ours)
    return status, shown.decode()


def test_a_pin_is_typed_twice_without_echo(floor: Floor) -> None:
    floor.done("users", "add", "asmith", "--name", "A. Smith")
    status, shown = at_terminal(floor, "users", "pin", "asmith", typed=[PIN.encode(), b"730156"])
    assert status == 1
    assert "the two are different" in shown
    status, shown = at_terminal(floor, "users", "pin", "asmith", typed=[PIN.encode(), PIN.encode()])
    assert status == 0, shown
    assert "asmith has a new PIN or password." in shown
    assert PIN not in shown
    status, shown = at_terminal(floor, "users", "badge", "asmith", typed=[BADGE.encode()])
    assert status == 0, shown
    assert BADGE not in shown
