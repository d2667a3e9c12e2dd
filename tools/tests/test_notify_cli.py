"""sabot floor notify: a test message through each channel, and the list of what was sent, failed or waits."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from notify_parts import Worker, alarm
from notify_receivers import WebServer
from sabot_floor.notify.channels import Syslog
from sabot_floor.store import open_store
from sabot_tools.cli import app
from sabot_tools.text.floor_status import status_lines
from typer.testing import CliRunner


def sabot(*args: str) -> Any:
    return CliRunner().invoke(app, list(args))


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "floor.toml"
    assert sabot("floor", "init", "--config", str(path)).exit_code == 0
    return path


def add(config: Path, text: str) -> None:
    config.write_text(f"{config.read_text()}\n{text}")


def test_the_answer_of_each_receiver_is_printed(config: Path) -> None:
    with WebServer().running() as web, socket.create_server(("127.0.0.1", 0)) as free:
        closed = free.getsockname()[1]
        free.close()
        add(config, f'[[notify]]\nname = "pit"\nkind = "webhook"\nurl = "http://127.0.0.1:{web.port}/x"')
        add(config, f'[[notify]]\nname = "log"\nkind = "syslog"\naddress = "tcp://127.0.0.1:{closed}"')
        both = sabot("floor", "notify", "test", "--config", str(config))
        one = sabot("floor", "notify", "test", "--config", str(config), "--channel", "pit", "--json")
    assert both.exit_code == 1
    assert both.output.splitlines() == [
        "pit: sent: 202 Accepted queued",
        f"log: failed: 127.0.0.1:{closed}: Connection refused",
    ]
    assert (one.exit_code, json.loads(one.output)["says"]) == (0, "202 Accepted queued")
    assert [json.loads(body)["occasion"] for _, _, body in web.requests] == ["test", "test"]


def test_an_unknown_channel_is_an_error(config: Path) -> None:
    add(config, '[[notify]]\nname = "pit"\nkind = "syslog"')
    found = sabot("floor", "notify", "test", "--config", str(config), "--channel", "pti")
    assert found.exit_code == 1
    assert "there is no channel pti; there are pit" in found.output


def test_the_list_has_what_was_sent_what_failed_and_what_waits(config: Path, tmp_path: Path) -> None:
    with open_store(str(tmp_path / "floor.db")) as store:
        worker = Worker(store, Syslog(name="pit"))
        sent, failed, _ = worker.take(alarm(1), alarm(2), alarm(3, name="log_lost"))
        worker.receivers.answer(sent, say="250 queued")
        worker.receivers.answer(failed, "failed", "h:80: Connection refused")
        worker.take(pass_s=1)
    found = sabot("floor", "notify", "list", "--config", str(config))
    assert found.output.splitlines() == [
        "2026-11-17T12:00:00.000Z  waits  pit  raised  bac-01: alarm log_lost, critical, raised",
        "2026-11-17T12:00:01.000Z  sent  pit  raised  bac-01: alarm discrepancy, critical, raised: 250 queued",
        "2026-11-17T12:00:01.000Z  failed, waits  pit  raised  bac-01: alarm discrepancy, critical, raised: "
        "h:80: Connection refused; next attempt 2026-11-17T12:00:06.000Z",
    ]
    [newest] = sabot(
        "floor", "notify", "list", "--store", str(tmp_path / "floor.db"), "--json", "--last", "1"
    ).output.splitlines()
    assert (json.loads(newest)["alarm"], json.loads(newest)["state"]) == ("a-2", "failed")
    verified = sabot("floor", "verify", "--config", str(config))
    assert verified.exit_code == 0
    status = worker.notifier.status()
    lines = status_lines(
        {
            "site": "s", "worker": "1", "time": "t", "store": {"place": "p", "problem": None}, "jackpots": [],
            "broker": {"url": "mqtt://b", "connected": True, "problem": None, "ahead": 0}, "refused": {},
            "newest_refusals": [], "notify": status,
        }
    )  # fmt: skip
    assert "notify pit (syslog): 1 sent, 1 attempts failed, 0 given up, 2 wait since 2026-11-17T12:00:00.000Z" in lines
    assert (
        "notify pit: 2026-11-17T12:00:01.000Z: h:80: Connection refused; next attempt 2026-11-17T12:00:06.000Z" in lines
    )
