"""sabot floor and sabot jackpot with a real service: from `init` to a pay-out, killed in between, and verified."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor_rig import Client, Table
from sabot_gateway.ops import example
from sabot_protocol.jackpots import loading
from sabot_protocol.topics import increment_topic, recorded_topic
from sabot_tools.cli import app
from sabot_tools.stand.broker import LocalBroker
from support.patience import PATIENCE_S
from typer.testing import CliRunner

PEOPLE = ["--by", "A. Smith", "--role", "area_manager"]


class Service:
    """A config as `sabot floor init` writes it, with the broker of this test, and its process."""

    def __init__(self, work_dir: Path, broker: LocalBroker) -> None:
        self.work_dir, self.config = work_dir, work_dir / "floor.toml"
        assert self.sabot("floor", "init", "--config", str(self.config)).exit_code == 0
        text = self.config.read_text().replace("mqtt://localhost:1883", str(broker.address))
        self.config.write_text(text)
        self.client = Client(broker.address, "gateway", "sydney")
        parameters = loading.load(work_dir / "jackpots.toml")[0]
        self.table = Table("bac-01", parameters.id, parameters.digest, parameters.increment)
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "sabot_tools", "floor", "run", "--config", str(self.config)]
        with (self.work_dir / "floor.log").open("ab") as log:
            self.process = subprocess.Popen(command, stderr=log)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)

    def sabot(self, *args: str) -> Any:
        return CliRunner().invoke(app, list(args))

    def jackpot(self, verb: str, *args: str) -> Any:
        return self.sabot("jackpot", verb, "lucky-tie", *args, "--config", str(self.config))

    def until(self, display: int) -> None:
        """Wait until the meter shows this."""
        give_up_s = time.monotonic() + PATIENCE_S
        while not (found := self.client.on("meter")) or found[-1]["meters"]["display"] != display:
            self.client.mqtt.step(time.monotonic())
            time.sleep(0.01)
            assert time.monotonic() < give_up_s, (self.work_dir / "floor.log").read_text()

    def send(self, topic: str, message: msgspec.Struct) -> None:
        self.client.publish(topic, msgspec.json.encode(message))
        give_up_s = time.monotonic() + PATIENCE_S
        while self.client.unacknowledged:
            self.client.mqtt.step(time.monotonic())
            assert time.monotonic() < give_up_s

    def deal(self, **changes: Any) -> Any:
        made = self.table.increment(**changes)
        self.send(increment_topic("sydney", "bac-01", "lucky-tie"), made)
        return made


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    broker = LocalBroker(tmp_path)
    made = Service(tmp_path, broker)
    yield made
    made.process.kill()
    made.process.wait()
    made.client.mqtt.close()
    broker.stop()


def test_from_init_to_a_pay_out(service: Service) -> None:
    service.until(1_000_000)
    service.deal()
    service.until(1_000_225)  # 250, less 10 per cent for the reserve
    service.stop(signal.SIGKILL)
    won = service.deal(trigger="coloured")
    record = service.table.recorded(won, stakes={"tie": [100, 100, 100]})
    service.send(recorded_topic("sydney", "bac-01", "lucky-tie"), record)
    service.start()
    service.until(1_000_450)
    status = service.sabot("floor", "status", "--config", str(service.config))
    assert "AUD 10,004.50" in status.output
    assert "connected" in status.output
    while "pending" not in service.jackpot("show").output:
        time.sleep(0.1)
    refused = service.jackpot("confirm", "bac-01/1/2", "--by", "D", "--role", "dealer")
    assert refused.exit_code == 1
    assert "13.4.5" in refused.output
    done = service.jackpot("confirm", "bac-01/1/2", *PEOPLE, "--notified", "B. Jones")
    assert done.exit_code == 0, done.output
    # 1,000,450 rounded up to 500: 1,000,500; 15 per cent: 150,075; three equal parts.
    assert "prize AUD 1,500.75 = 500.25 + 500.25 + 500.25" in done.output
    service.until(1_000_450 - 150_075)
    assert service.jackpot("confirm", "bac-01/1/2", *PEOPLE).exit_code == 1
    assert service.stop() == 0
    shown = service.jackpot("history").output
    assert "bac-01 1/1 contributed AUD 2.50; display AUD 10,002.25" in shown
    assert "bac-01 shoe 1 coup 2, coloured: paid" in shown
    lines = [json.loads(line) for line in service.jackpot("history", "--json").output.splitlines()]
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert {"opened", "increment", "recorded", "win", "confirmed"} <= {line["kind"] for line in lines}
    verified = service.jackpot("verify")
    assert verified.exit_code == 0
    assert f"lucky-tie: {len(lines)} entries, intact; chain, meters, wins and 0 draws recomputed" in verified.output


def test_acts_of_people(service: Service) -> None:
    service.until(1_000_000)
    reason = ["--reason", "test"]
    adjusted = service.jackpot("adjust", "--amount", "500", *PEOPLE, "--second", "B. Jones", *reason)
    assert "Adjusted by AUD 5.00. The display is AUD 10,005.00." in adjusted.output
    alone = service.jackpot("adjust", "--amount", "500", *PEOPLE, "--second", "a. smith", *reason)
    assert alone.exit_code == 1
    assert "2 different people" in alone.output
    assert service.jackpot("withdraw", "bac-01", *PEOPLE, *reason).exit_code == 0
    assert "not offered at bac-01: test" in service.jackpot("show").output
    service.deal()
    while "missed: " not in (shown := service.jackpot("show").output):
        time.sleep(0.1)
    missed = shown.partition("missed: ")[2].partition(":")[0]
    assert service.jackpot("restore", "bac-01", *PEOPLE).exit_code == 0
    assert service.jackpot("make-good", missed, *PEOPLE, *reason).exit_code == 0
    assert service.jackpot("make-good", missed, *PEOPLE, *reason).exit_code == 1
    service.until(1_000_500 + 225)
    as_json = json.loads(service.jackpot("show", "--json").output)
    assert as_json["meter"]["meters"]["in"] == 750
    assert service.jackpot("invalid", "bac-01/1/9", *PEOPLE, *reason).exit_code == 1
    seat = ["lucky-seat", "--by", "Z", "--role", "casino_supervisor", "--config", str(service.config)]
    assert "Drawn." in service.sabot("jackpot", "draw", *seat).output
    assert (
        "lucky-seat: 3 entries, intact; chain, meters, wins and 1 draw recomputed"
        in service.sabot("jackpot", "verify", *seat[:1], *seat[-2:]).output
    )


def test_a_changed_entry_is_found(service: Service) -> None:
    service.until(1_000_000)
    service.deal()
    service.until(1_000_225)
    service.stop()
    store = service.work_dir / "floor.db"
    with sqlite3.connect(store) as db:
        db.execute("UPDATE entries SET payload = replace(payload, '250', '950') WHERE seq = 2")
    db.close()
    verified = service.jackpot("verify")
    assert verified.exit_code == 1
    assert "lucky-tie: NOT intact, 2 entries in the store" in verified.output
    assert "entry 2" in verified.output


def test_what_was_removed_from_the_store_is_named(service: Service) -> None:
    service.until(1_000_000)
    service.deal()
    service.until(1_000_225)
    service.stop()
    with sqlite3.connect(service.work_dir / "floor.db") as db:
        db.execute("DELETE FROM logs WHERE name = 'jackpot/lucky-tie'")
        db.execute("DELETE FROM logs WHERE name = 'jackpot/lucky-seat'")
        db.execute("DELETE FROM entries WHERE log = 'jackpot/lucky-seat'")
        db.execute("DELETE FROM cursors")
    db.close()
    verified = service.sabot("jackpot", "verify", "--config", str(service.config))
    assert verified.exit_code == 1
    assert "lucky-tie: log jackpot/lucky-tie has entries but no head" in verified.output
    assert "lucky-seat: the jackpots of" in verified.output
    assert "lucky-tie: it has no cursor" in verified.output
    checked = service.sabot("floor", "check", "--config", str(service.config))
    assert checked.exit_code == 1
    assert "wrong   jackpot lucky-tie: its entries are in the store, but not where its log stands" in checked.output


def test_without_the_service_its_commands_name_the_next_step(tmp_path: Path) -> None:
    config = tmp_path / "floor.toml"
    run = CliRunner().invoke
    assert run(app, ["floor", "init", "--config", str(config)]).exit_code == 0
    assert run(app, ["floor", "init", "--config", str(config)]).exit_code == 1
    shown = run(app, ["jackpot", "show", "lucky-tie", "--config", str(config)])
    assert shown.exit_code == 1
    assert "no floor service answers" in shown.output
    history = run(app, ["jackpot", "history", "lucky-tie", "--config", str(config)])
    assert history.exit_code == 1
    assert "there is no such file" in history.output
    config.write_text(config.read_text().replace("mqtt://localhost:1883", "mqtt://127.0.0.1:9"))
    checked = run(app, ["floor", "check", "--config", str(config), "--json"])
    assert checked.exit_code == 1
    found = [json.loads(line) for line in checked.stdout.splitlines()]
    assert [(one["subject"], one["says"][:32]) for one in found if one["status"] == "wrong"] == [
        ("broker", "no broker at mqtt://127.0.0.1:9:")
    ]
    missing = run(app, ["floor", "run", "--config", str(tmp_path / "none.toml")])
    assert missing.exit_code == 1
    assert "sabot floor init --config" in missing.output
    assert {path.name for path in tmp_path.iterdir()} == {"floor.toml", "jackpots.toml"}


def test_the_unit_runs_the_installed_program_and_reloads_with_sighup() -> None:
    unit = (example.directory() / "sabot-floor.service").read_text()
    assert "ExecStart=/opt/sabot/bin/sabot floor run --config /etc/sabot/floor.toml\n" in unit
    assert 'ExecReload=/bin/sh -c "kill -HUP $MAINPID"\n' in unit
