"""sabot table and sabot gateway status with a real daemon, from other accounts than the daemon's."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sabot_tools.cli import app
from support.patience import PATIENCE_S
from typer.testing import CliRunner

SABOT = [sys.executable, "-m", "sabot_tools"]
NO_ALARM = "Acknowledge refused: no alarm is active at bac-01. There is nothing to acknowledge."
GROUP, MEMBER, STRANGER = 54_321, 54_322, 54_323  # not used on this machine
CONFIG = """site = "sydney"
ledger = "var/ledger.db"
broker = "mqtts://127.0.0.1:9"
keys = "keys"

[login]
user = "gateway"
password_file = "broker.password"

[[table]]
name = "bac-01"
port = "/dev/nothing"
rulebook = "star-baccarat"
"""
# Everything is imported before the account changes: the interpreter itself may be out of its reach.
AS_ANOTHER = """
import contextlib, grp, io, os, sys
from sabot_tools.cli import main
nowhere = ["--control", "/nothing"]
for before in (["gateway", "status", *nowhere], ["table", *nowhere, "bac-01", "tell", "lock", "--by", "X"],
               ["table", *nowhere, "bac-01", "capture", "--out", "-"],
               ["ledger", "show", "/nothing"], ["ledger", "verify", "/nothing"],
               ["ledger", "export", "/nothing", "--format", "csv"]):
    sys.argv, given = ["sabot", *before], sys.argv
    with contextlib.suppress(SystemExit), contextlib.redirect_stderr(io.StringIO()):
        main()
    sys.argv = given
gid, uid = int(sys.argv[1]), int(sys.argv[2])
os.setgroups([]); os.setgid(gid); os.setuid(uid)
sys.argv = ["sabot", *sys.argv[3:]]
main()
"""

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root can act as other accounts")


class Site:
    """Files as in INSTALL.md: a config that the group can read, and secrets that it cannot."""

    def __init__(self, work_dir: Path) -> None:
        self.work_dir, self.config = work_dir, work_dir / "gateway.toml"
        self.socket, self.ledger = work_dir / "var" / "control.sock", work_dir / "var" / "ledger.db"
        self._file(self.config, CONFIG, 0o640)
        self._file(work_dir / "broker.password", "secret\n", 0o600)
        for name, mode in ((".", 0o755), ("keys", 0o700), ("var", 0o2750)):
            (work_dir / name).mkdir(exist_ok=True)
            os.chown(work_dir / name, 0, 0 if name == "keys" else GROUP)
            (work_dir / name).chmod(mode)

    def _file(self, path: Path, text: str, mode: int) -> None:
        path.write_text(text)
        path.chmod(mode)
        os.chown(path, 0, GROUP)

    def start(self) -> None:
        self.daemon = subprocess.Popen(
            [*SABOT, "gateway", "run", "--config", str(self.config)], stderr=subprocess.DEVNULL, umask=0o027
        )
        give_up_s = time.monotonic() + PATIENCE_S
        while not self.socket.exists():
            assert time.monotonic() < give_up_s
            assert self.daemon.poll() is None

    def stop(self) -> None:
        self.daemon.send_signal(signal.SIGTERM)
        assert self.daemon.wait(PATIENCE_S) == 0

    def sabot(self, *arguments: object, gid: int = GROUP, uid: int = MEMBER) -> subprocess.CompletedProcess[str]:
        """Run `sabot` as this account."""
        command = [sys.executable, "-c", AS_ANOTHER, str(gid), str(uid), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory(prefix="sabot-") as folder:
        made = Site(Path(folder))
        made.start()
        yield made
        made.stop()


def test_a_member_of_the_group_needs_no_secret(site: Site) -> None:
    status = site.sabot("gateway", "status", "--config", site.config, "--json")
    assert (status.returncode, status.stderr) == (0, "")
    assert json.loads(status.stdout)["site"] == "sydney"
    refused = site.sabot("table", "--config", site.config, "bac-01", "ack-alarm", "--by", "A. Smith")
    assert (refused.returncode, refused.stderr) == (1, f"sabot: {NO_ALARM}\n")


@pytest.mark.parametrize("option", ["--control", "--socket"])
def test_the_socket_alone_is_enough(site: Site, option: str) -> None:
    status = site.sabot("gateway", "status", option, site.socket, "--config", "/nothing")
    assert (status.returncode, status.stderr) == (0, "")
    assert "site sydney" in status.stdout


def test_permission_denied_names_the_group_to_join(site: Site) -> None:
    stranger = {"gid": STRANGER, "uid": STRANGER}
    by_config = site.sabot("gateway", "status", "--config", site.config, **stranger)
    by_socket = site.sabot("table", "--control", site.socket, "bac-01", "tell", "lock", "--by", "X", **stranger)
    assert (by_config.returncode, by_socket.returncode) == (1, 1)
    assert by_config.stderr == (
        f"sabot: {site.config}: Permission denied: join group `{GROUP}` to read it, "
        "or name the socket with --control PATH.\n"
    )
    assert by_socket.stderr == f"sabot: {site.socket}: Permission denied: join group `{GROUP}` to use this socket.\n"


def test_permission_denied_at_the_socket_itself_names_the_same_group(site: Site) -> None:
    site.socket.parent.chmod(0o2751)
    try:
        ran = site.sabot("gateway", "status", "--control", site.socket, gid=STRANGER, uid=STRANGER)
    finally:
        site.socket.parent.chmod(0o2750)
    assert ran.stderr == f"sabot: {site.socket}: Permission denied: join group `{GROUP}` to use this socket.\n"


def test_the_socket_is_for_owner_and_group(site: Site) -> None:
    assert stat.S_IMODE(site.socket.stat().st_mode) == 0o660
    assert site.socket.stat().st_gid == GROUP


def test_the_ledger_can_be_read_while_the_daemon_runs_without_config_and_keys(site: Site) -> None:
    site.sabot("table", "--control", site.socket, "bac-01", "ack-alarm", "--by", "A. Smith")
    shown = site.sabot("ledger", "show", site.ledger)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "request ack-alarm (alarm all) by A. Smith, account " in shown.stdout
    assert f"not carried out: {NO_ALARM} [" in shown.stdout
    exported = site.sabot("ledger", "export", site.ledger, "--format", "csv")
    assert (exported.returncode, exported.stderr) == (0, "")
    key = site.ledger.with_name("ledger.db-key")
    key.write_text("00" * 32 + "\n")
    key.chmod(0o600)
    verified = site.sabot("ledger", "verify", site.ledger)
    assert (verified.returncode, verified.stderr) == (0, "")


# Help


VERBS = ("decide", "confirm", "void", "ack-alarm", "key-card", "authorise", "no-bet", "open-shoe", "clear-fault")


@pytest.mark.parametrize(
    "verb",
    [
        *VERBS,
        "no-more-bets",
        "this-no-bet",
        "report",
        "tell",
        "import-coup",
        "deck-check",
        "stakes",
        "record-win",
        "clear-error",
        "step",
        "withdraw",
        "invalidate",
    ],
)
def test_the_example_of_each_verb_works(site: Site, verb: str) -> None:
    text = " ".join(CliRunner().invoke(app, ["table", "bac-01", verb, "--help"]).stdout.split())
    example = text.partition("Example: sabot ")[2].replace("'A. Smith'", "A.Smith").split()
    ran = CliRunner().invoke(app, [example[0], "--control", str(site.socket), *example[1:]])
    assert ran.exit_code == 1
    assert re.match("sabot: [A-Z][a-z ]+ refused: no ", ran.stderr), (
        ran.stderr
    )  # no shoe, no alarm, no such coup: it was parsed


def test_unknown_options_of_a_verb_are_refused(site: Site) -> None:
    void = ["table", "--control", str(site.socket), "bac-01", "void", "--by", "A. Smith", "--clause", "12.13"]
    for surplus in (["--winner", "tie"], ["--verdict", "void"], ["3/17"]):
        assert CliRunner().invoke(app, [*void, *surplus]).exit_code == 2
    wrong = CliRunner().invoke(app, [*void, "--reason", "boredom"])
    assert (wrong.exit_code, "unknown reason 'boredom': expected supervisor, short_shoe" in wrong.stderr) == (1, True)


def test_the_config_can_be_given_before_the_table_or_after_the_command(site: Site) -> None:
    request = ("bac-01", "ack-alarm", "--by", "A. Smith")
    first = site.sabot("table", "--config", site.config, *request)
    last = site.sabot("table", *request, "--config", site.config)
    joined = site.sabot("table", *request, f"--config={site.config}")
    assert first.stderr == last.stderr == joined.stderr == f"sabot: {NO_ALARM}\n"


# Captures


def test_a_capture_is_written_with_the_callers_permissions(site: Site) -> None:
    theirs = site.work_dir / "theirs"
    theirs.mkdir(exist_ok=True)
    os.chown(theirs, MEMBER, GROUP)
    ask = ("table", "bac-01", "capture", "--seconds", "0.2", "--config", site.config, "--out")
    assert site.sabot(*ask, theirs / "line.shoe").returncode == 0
    assert (theirs / "line.shoe").stat().st_uid == MEMBER
    for place in (site.work_dir / "var", site.work_dir / "keys", Path("/etc")):
        refused = site.sabot(*ask, place / "line.shoe")
        assert refused.returncode == 1
        assert refused.stderr.endswith("Permission denied; give a path that you can write to with --out\n")
        assert not (place / "line.shoe").exists()
    stranger = site.sabot(*ask, theirs / "other.shoe", gid=STRANGER, uid=STRANGER)
    assert stranger.returncode == 1
    assert "Permission denied" in stranger.stderr


def test_the_example_of_capture_works(site: Site, tmp_path: Path) -> None:
    text = " ".join(CliRunner().invoke(app, ["table", "bac-01", "capture", "--help"]).stdout.split())
    assert "Example: sabot table bac-01 capture --seconds 60 --out evening.shoe && sabot inspect evening.shoe" in text
    out = tmp_path / "evening.shoe"
    example = ["table", "bac-01", "capture", "--seconds", "0.2", "--out", str(out), "--control", str(site.socket)]
    assert CliRunner().invoke(app, example).exit_code == 0
    assert CliRunner().invoke(app, ["inspect", str(out), "--text"]).exit_code == 0
