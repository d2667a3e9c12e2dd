"""sabot gateway: init, check with real ports and a real broker, run."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sabot_gateway import config
from sabot_gateway.ops import example
from sabot_gateway.shoe.ports import Port
from sabot_service.broker import Login
from sabot_sim.rigs.vm import VmShoe
from sabot_tools.cli import app
from sabot_tools.stand import broker
from sabot_tools.stand.children import Children
from sabot_tools.stand.ports import free_port
from sabot_tools.text.status import _commands
from shoe_events import KEY, UNIT, Shoe, frames_in
from support.patience import PATIENCE_S
from typer.testing import CliRunner

SABOT = [sys.executable, "-m", "sabot_tools"]
NOBODY = "mqtt://127.0.0.1:9"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


class Line:
    """The shoe's end of a pty."""

    def __init__(self, stack: ExitStack) -> None:
        self.master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self.master, False)
        self.port = os.ttyname(slave)
        self.frames: list[Any] = []
        stack.callback(os.close, self.master)
        stack.callback(os.close, slave)

    def receive(self) -> list[Any]:
        """Return the gateway's frames that have come since the last call."""
        try:
            frames = frames_in(os.read(self.master, 65_536))
        except BlockingIOError:
            return []
        self.frames += frames
        return frames

    def send(self, data: bytes) -> None:
        os.write(self.master, data)


def write_config(work_dir: Path, tables: dict[str, str], url: str = NOBODY, extra: str = "") -> Path:
    path = work_dir / "gateway.toml"
    text = f'site = "test"\nledger = "ledger.db"\nbroker = "{url}"\n{extra}\n'
    for name, port in tables.items():
        text += f'[[table]]\nname = "{name}"\nport = "{port}"\nrulebook = "star-baccarat"\n'
    path.write_text(text)
    return path


def check(path: Path, turn: Callable[[], None] = lambda: None) -> tuple[int, dict[str, tuple[str, str]]]:
    """Return the exit status, and status and text of each subject; call `turn` while the check runs."""
    args = [*SABOT, "gateway", "check", "--config", str(path), "--json"]
    with subprocess.Popen(args, stdout=subprocess.PIPE, text=True) as process:
        give_up_s = time.monotonic() + PATIENCE_S
        while process.poll() is None:
            turn()
            assert time.monotonic() < give_up_s
            time.sleep(0.02)
        assert process.stdout is not None
        rows = [json.loads(line) for line in process.stdout]
    return process.returncode, {row["subject"]: (row["status"], row["says"]) for row in rows}


def test_check_rejects_wagers_that_the_rulebook_forbids_and_the_daemon_only_warns(tmp_path: Path) -> None:
    """New Zealand 11C.2 without `wagers`: a running floor is not stopped by it."""
    path = write_config(tmp_path, {"bac-01": "/dev/null"})
    path.write_text(path.read_text().replace("star-baccarat", "nz-baccarat"))
    status, found = check(path)
    assert status == 1
    assert found["table bac-01"][0] == "wrong"
    assert "a table offers one or the other (11C.2)" in found["table bac-01"][1]
    (warning,) = config.offer_problems(config.load(path))
    assert warning == f"table bac-01: {found['table bac-01'][1]}"
    path.write_text(path.read_text() + 'wagers = ["any_pair_player", "any_pair_banker", "tie"]\n')
    assert check(path)[1]["table bac-01"] == ("ok", "nz-baccarat, game standard, 8 decks, wagers: 3")


# init.


def test_init_writes_an_example_that_loads_and_prints_the_next_steps(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    ran = CliRunner().invoke(app, ["gateway", "init", "--config", str(path)])
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert f"sabot gateway check --config {path}\n" in ran.stderr
    assert [table.name for table in config.load(path).table] == ["bac-01"]


def test_init_overwrites_only_with_force(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text("mine")
    ran = CliRunner().invoke(app, ["gateway", "init", "--config", str(path)])
    assert (ran.exit_code, path.read_text()) == (1, "mine")
    assert "exists; edit it, or overwrite it with --force" in ran.stderr
    assert CliRunner().invoke(app, ["gateway", "init", "--force", "--config", str(path)]).exit_code == 0
    config.load(path)


def test_init_names_the_path_that_it_cannot_write(tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["gateway", "init", "--config", str(tmp_path / "no" / "gateway.toml")])
    assert ran.exit_code == 1
    assert "No such file or directory; give a path that you can write to" in ran.stderr


def test_the_example_has_the_ports_of_this_pc(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(example.text(["/dev/serial/by-id/usb-Sabot-if00", "/dev/ttyS0"]))
    assert config.load(path).table[0].port == "/dev/serial/by-id/usb-Sabot-if00"
    assert "#   /dev/ttyS0\n" in path.read_text()
    path.write_text(example.text([]))
    assert config.load(path).table[0].port == "/dev/ttyACM0"


def test_the_example_shows_every_key_with_a_valid_value(tmp_path: Path) -> None:
    text = example.text([])
    shown = re.sub(r"^# (\[\[table\]\]|[a-z_-]+ = .*)$", r"\1", text, flags=re.MULTILINE)
    (tmp_path / "gateway.toml").write_text(shown)
    read, problems = config.read(tmp_path / "gateway.toml")
    assert problems == []
    assert read is not None
    assert [table.name for table in read.table] == ["bac-01", "bac-02", "bac-03"]
    assert [config.table_problems(table) for table in read.table] == [[], [], []]
    keys = set(re.findall(r"^([a-z_]+) = ", shown, flags=re.MULTILINE))
    assert keys == {
        *config.Config.__struct_fields__,
        *config.Table.__struct_fields__,
        *Login.__struct_fields__,
    } - {
        "table",
        "login",
        "roles",
    }
    assert (list(read.roles), config.role_problems(read)) == (
        ["sabot-dealers", "sabot-supervisors", "sabot-managers"],
        [],
    )


# check: ports.


def test_check_distinguishes_a_shoe_a_silent_an_unreadable_and_a_one_way_line(tmp_path: Path, stack: ExitStack) -> None:
    good, silent, noisy, deaf = (Line(stack) for _ in range(4))
    shoe = Shoe()

    def turn() -> None:
        noisy.send(b"\x55\xaa\xff\x00" * 4)
        deaf.send(Shoe().hello())
        for frame in good.receive():
            if frame.type == "who":
                good.send(shoe.hello(frame.body["nonce"]))

    ports = {"good": good.port, "silent": silent.port, "noisy": noisy.port, "deaf": deaf.port, "none": "/dev/nothing"}
    status, found = check(write_config(tmp_path, ports), turn)
    assert status == 1
    assert found["port good"] == ("ok", f"{good.port}: shoe {UNIT}, without a key")
    assert (
        found["port silent"][0] == found["port noisy"][0] == found["port deaf"][0] == found["port none"][0] == "wrong"
    )
    assert "nothing comes on this port" in found["port silent"][1]
    assert "the baud rate is wrong" in found["port noisy"][1]
    assert "does not receive this gateway" in found["port deaf"][1]
    assert "is not there: plug the adapter in" in found["port none"][1]


def test_check_finds_one_unit_at_two_ports(tmp_path: Path, stack: ExitStack) -> None:
    lines = [Line(stack), Line(stack)]

    def turn() -> None:
        for line in lines:
            for frame in line.receive():
                if frame.type == "who":
                    line.send(Shoe().hello(frame.body["nonce"]))

    _, found = check(write_config(tmp_path, {"one": lines[0].port, "two": lines[1].port}), turn)
    both = sorted([found["port one"], found["port two"]])
    assert [status for status, _ in both] == ["ok", "wrong"]
    assert f"shoe {UNIT} is served at table" in both[1][1]


def test_check_sends_only_who_and_changes_nothing(tmp_path: Path, stack: ExitStack) -> None:
    line, shoe = Line(stack), Shoe()

    def turn() -> None:
        for frame in line.receive():
            if frame.type == "who":
                line.send(shoe.hello(frame.body["nonce"], profile_hash=bytes(8)))

    _, found = check(write_config(tmp_path, {"bac-01": line.port}), turn)
    line.receive()
    assert found["port bac-01"][0] == "ok"
    assert {frame.type for frame in line.frames} == {"who"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gateway.toml"]


@pytest.mark.parametrize("key", [None, KEY], ids=["no key", "key"])
def test_check_identifies_the_firmware(tmp_path: Path, stack: ExitStack, key: bytes | None) -> None:
    state, keys = tmp_path / "shoe", tmp_path / "keys"
    state.mkdir()
    keys.mkdir(mode=0o700)
    if key is not None:
        (state / "key.bin").write_bytes(key)
        (keys / f"{UNIT}.key").touch(mode=0o600)
        (keys / f"{UNIT}.key").write_text(key.hex() + "\n")
    bench = VmShoe(UNIT, state, lambda args, pass_fds, env: subprocess.Popen(args, pass_fds=pass_fds, env=env))
    stack.callback(bench.close)
    status, found = check(write_config(tmp_path, {"bac-01": bench.port}, extra='keys = "keys"'))
    assert status == 1  # there is no broker
    if key is not None:
        assert found["port bac-01"] == ("ok", f"{bench.port}: shoe {UNIT}, with its key")
    else:
        assert found["port bac-01"][0] == "wrong"
        assert f"shoe {UNIT} has no key, and this gateway serves only shoes that have one" in found["port bac-01"][1]


def test_check_leaves_the_ports_of_a_running_daemon_alone(tmp_path: Path, stack: ExitStack) -> None:
    line = Line(stack)
    stack.callback(Port.open(line.port, 115_200).close)
    host = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    host.setblocking(False)
    url = f"socket://127.0.0.1:{host.getsockname()[1]}"
    path = write_config(tmp_path, {"local": line.port, "remote": url})
    _, found = check(path)
    assert found["port local"] == (
        "wrong",
        f"port {line.port} is busy: another program has it; end that program, or the second gateway",
    )
    assert found["port remote"][0] == "wrong"
    host.accept()[0].close()
    control = stack.enter_context(socket.socket(socket.AF_UNIX))
    control.bind(str(tmp_path / "control.sock"))
    control.listen()
    _, found = check(path)
    assert found["port local"] == ("ok", f"{line.port} is used by the daemon that runs now")
    assert found["port remote"][0] == "warning"
    assert "was not tried" in found["port remote"][1]
    with pytest.raises(BlockingIOError):
        host.accept()


def test_check_prints_text_without_json(tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["gateway", "check", "--config", str(tmp_path / "gateway.toml")])
    assert ran.exit_code == 1
    assert ran.stdout.startswith(f"wrong   config: {tmp_path}/gateway.toml: No such file or directory; give the path")
    assert ran.stderr == "sabot gateway check: 1 wrong; each line above says what to do\n"


# check: the broker.

USERS = """\
server_name: sabot
listen: "127.0.0.1:-1"
jetstream {{ store_dir: "{store}" }}
mqtt {{ listen: "127.0.0.1:{port}" }}
authorization {{ users: [
  {{ user: "gateway", password: "open" }},
  {{ user: "reader", password: "open", permissions: {{ publish: {{ deny: "sabot.>" }} }} }},
] }}
"""


@pytest.fixture
def guarded(tmp_path: Path, stack: ExitStack) -> str:
    """Start a broker that requires a login; return its URL."""
    children, port = Children(tmp_path), free_port()
    stack.callback(children.stop)
    (tmp_path / "users.conf").write_text(USERS.format(store=tmp_path / "jetstream", port=port))
    children.start("guarded", [broker.nats_server(), "-c", str(tmp_path / "users.conf")])
    give_up_s = time.monotonic() + PATIENCE_S
    while socket.socket().connect_ex(("127.0.0.1", port)):
        assert time.monotonic() < give_up_s
        time.sleep(0.05)
    return f"mqtt://127.0.0.1:{port}"


def login(work_dir: Path, user: str, password: str = "open") -> str:
    (work_dir / "password").touch(mode=0o600)
    (work_dir / "password").write_text(password + "\n")
    return f'login = {{user = "{user}", password_file = "password"}}'


def test_check_proves_the_broker_the_login_and_the_permissions(tmp_path: Path, guarded: str) -> None:
    tables = {"bac-01": "/dev/nothing"}
    _, found = check(write_config(tmp_path, tables, guarded, login(tmp_path, "gateway")))
    assert found["broker"] == ("ok", f"{guarded}: lets us in and takes what we publish")
    _, found = check(write_config(tmp_path, tables, guarded, login(tmp_path, "gateway", "wrong")))
    assert found["broker"][0] == "wrong"
    assert "refuses user gateway" in found["broker"][1]
    _, found = check(write_config(tmp_path, tables, guarded, login(tmp_path, "reader")))
    assert found["broker"][0] == "warning"
    assert "does not bring back what we publish: its rights are not proved" in found["broker"][1]
    assert "let this user write and read sabot/v1/test/check" in found["broker"][1]
    _, found = check(write_config(tmp_path, tables, NOBODY))
    assert found["broker"][0] == "wrong"
    assert found["broker"][1].startswith(f"no broker at {NOBODY}: ")


# run.


@pytest.mark.parametrize("action", ["run", "check", "init"])
def test_help_shows_an_example(action: str) -> None:
    assert f"Example: sabot gateway {action} --config" in CliRunner().invoke(app, ["gateway", action, "--help"]).stdout


def test_run_reports_every_problem_of_its_config(tmp_path: Path) -> None:
    path = write_config(tmp_path, {"bac-01": "loop://"}, "http://x", "colour = 1\nbrokr = 2")
    ran = CliRunner().invoke(app, ["gateway", "run", "--config", str(path)])
    assert ran.exit_code == 1
    assert "colour: no such key" in ran.stderr
    assert "brokr: no such key; did you mean `broker`?" in ran.stderr


def test_run_stops_cleanly(tmp_path: Path, stack: ExitStack) -> None:
    line = Line(stack)
    path = write_config(tmp_path, {"bac-01": line.port})
    args = [*SABOT, "gateway", "run", "--config", str(path)]
    with subprocess.Popen(args, stderr=subprocess.PIPE, text=True) as process:
        give_up_s = time.monotonic() + PATIENCE_S
        while not line.receive():
            assert time.monotonic() < give_up_s
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert "gateway stopped" in stderr


def test_status_counts_the_commands_of_the_floor() -> None:
    counts: dict[str, Any] = {"floor_key": None, "accepted": 0, "repeated": 0, "refused": {}, "local": 4}
    assert _commands({}) == _commands({"commands": counts}) == []
    busy = {**counts, "floor_key": "33a4", "accepted": 3, "repeated": 1, "refused": {"expired": 2, "role": 1}}
    assert _commands({"commands": busy})[1] == (
        "commands of the floor (key 33a4): 3 accepted, 1 repeated, refused: expired 2, role 1; local requests: 4"
    )
