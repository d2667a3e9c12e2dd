"""`make package-trial`: INSTALL.md and BACKUP.md as written on an empty Debian with its systemd; upgrade, purge."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import built_package
import pytest
from clean_root import Machine, copied, made
from sabot_tools.package import deb, tree

ROOT = Path(__file__).parents[2]
LOST = "rm /var/lib/sabot/ledger.db*"
DRILL = "sudo -u sabot sabot ledger drill /mnt/backup/sabot --config /etc/sabot/gateway.toml"
TIMERS = "sabot-backup.timer sabot-ship.timer sabot-drill.timer"
PACKAGE = "sabot-gateway_0.1.0_amd64.deb"
DIGESTS = (
    "sha256sum /etc/sabot/gateway.toml /etc/sabot/keys/*; stat -c '%n %U:%G %a' /etc/sabot /etc/sabot/* /var/lib/sabot"
)
EVERYTHING = "find /etc /opt /usr/local /var/lib -newer /root/wheels | sort; cat /etc/passwd /etc/group"
COMMANDS = ("useradd", "usermod", "install", "ln", "udevadm", "mkdir", "systemctl", "/opt/sabot/bin/sabot")
STATUS = "sudo sabot gateway status --json"
pytestmark = pytest.mark.skipif(
    "SABOT_PACKAGE_TRIAL" not in os.environ, reason="minutes and a Debian mirror: `make package-trial`"
)


def blocks(page: str, title: str) -> list[str]:
    """Return the commands of a section, block by block, as they are written."""
    text = (ROOT / "gateway" / page).read_text()
    (section,) = (part for part in re.split(r"^(?=## )", text, flags=re.MULTILINE) if part.startswith(f"## {title}"))
    return re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def previous(folder: Path) -> Path:
    """Build the package of an earlier commit, by its own program, as version 0.0.9."""
    commit, checkout = os.environ.get("SABOT_PREVIOUS", "HEAD~1"), folder / "checkout"
    checkout.mkdir()
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "--extract", "--directory", checkout], input=archive, check=True)
    (checkout / "build").symlink_to(ROOT / "build")  # the wheels of others that were fetched before
    places = ":".join(str(checkout / part) for part in ("protocol", "gateway", "sim", "tools"))
    environment = {**os.environ, "PYTHONPATH": places, "SOURCE_DATE_EPOCH": str(built_package.EPOCH_S)}
    command = [sys.executable, "-m", "sabot_tools.package.deb", str(folder), "0.0.9"]
    subprocess.run(command, cwd=checkout, env=environment, check=True, capture_output=True)
    (found,) = folder.glob("sabot-gateway_0.0.9_*.deb")
    return found


@contextmanager
def shoe_at(machine: Machine, folder: Path) -> Iterator[None]:
    """Have the firmware on its VM, with a dealer, at /dev/ttyACM0 of the machine."""
    port = folder / "shoe"
    options = ["--rulebook", "star-baccarat", "--speed", "20", "--pty", str(port)]
    command = [sys.executable, "-m", "sabot_tools", "shoe", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as shoe:
        try:
            while not port.is_symlink():
                assert shoe.poll() is None
            line = os.readlink(port)
            machine.run(f"chgrp dialout {line}; chmod 660 {line}; ln -s {line} /dev/ttyACM0")
            yield
        finally:
            shoe.terminate()


def entries(machine: Machine) -> int:
    """Return how many entries the ledger has; its chain must be whole."""
    said = machine.run("sudo -u sabot sabot ledger verify /var/lib/sabot/ledger.db")
    found = re.search(r"(\d[\d,]*) entries", said)
    assert found, said
    return int(found[1].replace(",", ""))


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("clean") / "root")


def test_the_ten_minute_path_upgrade_removal_and_purge(tmp_path: Path, clean: Path) -> None:
    (tmp_path / "new").mkdir()
    packages = [previous(tmp_path), built_package.build(tmp_path / "new"), built_package.build(tmp_path, "0.1.1")]
    root = copied(clean, tmp_path / "root")
    for package in packages:
        (root / "root" / package.name).write_bytes(package.read_bytes())
    with Machine(root) as machine, shoe_at(machine, tmp_path):
        before_the_package(machine)
        the_path_as_written(machine)
        coups_are_stored(machine)
        the_sandbox_is_real(machine)
        backups_are_made(machine)
        a_lost_ledger_is_restored(machine)
        upgrades_keep_everything(machine)
        removal_and_purge(machine)


def before_the_package(machine: Machine) -> None:
    """Nothing of Sabot is there, and no network."""
    assert machine.ask("id sabot").returncode == 1
    assert "lo" in machine.run("ls /sys/class/net")
    assert machine.ask("getent hosts example.org").returncode != 0


def the_path_as_written(machine: Machine) -> None:
    written = blocks("INSTALL.md", "Ten minutes")
    assert len(written) == 5
    assert f"dpkg -i {PACKAGE}" in written[0]
    *first, look = written
    for block in first:
        print(machine.run(block))
    machine.wait_for("sudo sabot gateway status", "online")
    assert "shoe connected" in machine.run(look)


def coups_are_stored(machine: Machine) -> None:
    machine.run("systemctl reload sabot-gateway")
    machine.wait_for("sudo -u sabot sabot ledger show /var/lib/sabot/ledger.db --last 200", "confirmed")
    assert json.loads(machine.ask(STATUS).stdout)
    assert entries(machine) > 10


def the_sandbox_is_real(machine: Machine) -> None:
    """What the unit takes away is gone for a process in it; numbers of serial drivers work before one is loaded."""
    pid = machine.run("systemctl show -P MainPID sabot-gateway").strip()
    facts = machine.run(f"cat /proc/{pid}/status")
    assert re.search(r"^Seccomp:\t2$", facts, re.MULTILINE)
    assert re.search(r"^CapBnd:\t0{16}$", facts, re.MULTILINE)
    assert re.search(r"^NoNewPrivs:\t1$", facts, re.MULTILINE)
    machine.run("mkdir /run/nodes; mknod /run/nodes/usb c 188 7; mknod /run/nodes/memory c 1 1")
    policy = "systemd-run --wait --pipe -p DevicePolicy=closed -p 'DeviceAllow=char-188 rw' cat"
    assert "No such device" in machine.ask(f"{policy} /run/nodes/usb").stderr  # permitted: there is just none
    assert "Operation not permitted" in machine.ask(f"{policy} /run/nodes/memory").stderr


def backups_are_made(machine: Machine) -> None:
    """The units of BACKUP.md, which the package has, in their sandbox; what they write can be used."""
    machine.run("mkdir -p /mnt/backup /media/safe; mount -t tmpfs tmpfs /mnt/backup")  # another disk
    set_up, _of_a_wheel = blocks("BACKUP.md", "Set up")
    print(machine.run(set_up))
    assert machine.run(f"systemctl is-active {TIMERS}") == "active\n" * 3
    assert machine.run("systemd-analyze verify --man=no /usr/lib/systemd/system/sabot-*") == ""
    for name in ("ship", "backup", "drill"):
        print(machine.run(f"systemctl start sabot-{name}.service; journalctl -u sabot-{name} -o cat --no-pager"))
        assert machine.run(f"systemctl show -P Result sabot-{name}.service") == "success\n"
    copies = machine.run("sudo -u sabot sh -c 'ls /mnt/backup/sabot/ledger-*.db'").split()
    assert len(copies) == 2  # the first by hand
    stored = int(copies[-1].split("-")[3])
    assert f"{stored} entries, intact" in machine.run(f"sudo -u sabot sabot ledger verify {copies[-1]}")
    assert int(machine.run("cat /mnt/backup/sabot/segment-* | wc -l")) > 10
    assert "drill passed" in machine.run("journalctl -u sabot-drill -o cat --no-pager")


def a_lost_ledger_is_restored(machine: Machine) -> None:
    """Once with the old disk still there, once without it: then the gateway holds until a person accepts the loss."""
    stop, restore, again = blocks("BACKUP.md", "Restore")
    stored = entries(machine)
    for block in (stop, restore):
        print(said := machine.run(block))
    assert "no entry up to it is missing" in said
    machine.run(f"systemctl start sabot-gateway; {again}")
    machine.wait_for("sudo sabot gateway status", "online")
    assert entries(machine) >= stored
    machine.run(f"systemctl stop {TIMERS}")
    machine.wait_for(DRILL, "are missing")  # the broker has a head beyond the backup
    machine.run(f"systemctl stop sabot-gateway; {LOST}")
    assert re.search(r"entries \d+ to \d+ are missing", machine.run(restore))
    machine.run("systemctl start sabot-gateway")
    machine.wait_for("sudo sabot gateway status", "sabot ledger accept")
    machine.run("sabot ledger accept /var/lib/sabot/ledger.db --by 'A. Smith' --reason 'disk lost'")
    machine.run(again.replace("before-restore", "before-the-second"))
    machine.wait_for("sudo sabot gateway status", "online")


def upgrades_keep_everything(machine: Machine) -> None:
    """From an earlier commit to this one, to the next, and back."""
    machine.run("sudo -u sabot sabot keys new 5ab0000000000001 --dir /etc/sabot/keys")
    for package in ("sabot-gateway_0.0.9_amd64.deb", PACKAGE, "sabot-gateway_0.1.1_amd64.deb", PACKAGE):
        kept, stored = machine.run(DIGESTS), entries(machine)
        pid = machine.run("systemctl show -P MainPID sabot-gateway")
        print(machine.run(f"sudo dpkg -i {package}"))
        assert machine.run("systemctl is-active sabot-gateway") == "active\n"
        assert machine.run("systemctl show -P MainPID sabot-gateway") != pid
        assert machine.run(DIGESTS) == kept
        machine.wait_for(STATUS, "bac-01")
        assert entries(machine) >= stored
    assert machine.run(f"systemctl is-active {TIMERS}") == "active\n" * 3


def removal_and_purge(machine: Machine) -> None:
    kept = machine.run(DIGESTS)
    machine.run("sudo dpkg -r sabot-gateway")
    assert machine.run(DIGESTS) == kept
    assert machine.ask(f"systemctl is-active sabot-gateway {TIMERS}").stdout == "inactive\n" * 4
    assert machine.ask("ls /opt/sabot /usr/bin/sabot").returncode != 0
    said = machine.run("sudo dpkg -P sabot-gateway")
    assert "kept with all that is in it: /etc/sabot/keys /etc/sabot /var/lib/sabot" in said
    assert machine.ask("ls /etc/sabot/gateway.toml").returncode != 0
    machine.run("ls /var/lib/sabot/ledger.db; ls /etc/sabot/keys/*; id sabot")
    the_path_as_written(machine)
    assert entries(machine) > 10


def with_wheels(tmp_path: Path, clean: Path, extra: str) -> Path:
    """Return a clean root with all wheels of a daemon in /root/wheels."""
    fetched, wheels = deb.wheels(extra), tmp_path / "wheels"
    tree.fetch(fetched, extra)
    shutil.copytree(fetched, wheels)
    tree.own_wheel(wheels, built_package.EPOCH_S)
    root = copied(clean, tmp_path / "root")
    shutil.copytree(wheels, root / "root/wheels")
    return root


def install_from_wheels(machine: Machine, action: str) -> None:
    """Install without a network. The installer does what it prints, and once is enough."""
    machine.run("sudo apt-get install -y python3-venv mosquitto; sudo python3 -m venv /opt/sabot")
    machine.run(f"sudo /opt/sabot/bin/pip install --no-index --find-links wheels 'sabot[{action}]'")
    before = machine.run(EVERYTHING)
    planned = machine.ask(f"/opt/sabot/bin/sabot {action} install --dry-run").stdout
    assert machine.run(EVERYTHING) == before
    done = machine.ask(f"sudo /opt/sabot/bin/sabot {action} install").stdout
    print(done)
    assert commands(done) == commands(planned)
    assert len(commands(done)) > 8
    again = machine.run(f"sudo /opt/sabot/bin/sabot {action} install")
    assert [line for line in commands(again) if "reload" not in line] == []


def test_a_gateway_from_wheels_and_from_there_to_the_package(tmp_path: Path, clean: Path) -> None:
    root = with_wheels(tmp_path, clean, "gateway")
    (root / "root" / PACKAGE).write_bytes(built_package.build(tmp_path / "new").read_bytes())
    with Machine(root) as machine, shoe_at(machine, tmp_path):
        install_from_wheels(machine, "gateway")
        machine.run("sed -i 's|^port = .*|port = \"/dev/ttyACM0\"|' /etc/sabot/gateway.toml")
        print(machine.run("sudo -u sabot sabot gateway check; systemctl enable --now sabot-gateway"))
        machine.wait_for("sudo sabot gateway status", "online")
        kept = machine.run("sha256sum /etc/sabot/gateway.toml")
        refused = machine.ask(f"sudo dpkg -i {PACKAGE}")
        assert refused.returncode != 0
        (command,) = re.findall(r"^  (mv /opt/sabot .*)$", refused.stderr, re.MULTILINE)
        machine.run(f"{command}; sudo dpkg -i {PACKAGE}")
        machine.wait_for("sudo sabot gateway status", "online")
        assert machine.run("sha256sum /etc/sabot/gateway.toml") == kept


def test_a_floor_service_from_wheels(tmp_path: Path, clean: Path) -> None:
    """In its sandbox, with pages and jackpots."""
    with Machine(with_wheels(tmp_path, clean, "floor")) as machine:
        install_from_wheels(machine, "floor")
        print(machine.run("sudo -u sabot sabot floor check; systemctl enable --now sabot-floor"))
        print(machine.wait_for("sudo sabot floor status", "connected"))
        machine.wait_for("journalctl -u sabot-floor --no-pager", "pages are served")


def commands(said: str) -> list[str]:
    """Return the commands that the installer printed."""
    return [line for line in said.splitlines() if line.startswith(COMMANDS)]
