"""Steps: what a PC needs around the program, one shell command each; installer and package run the same."""

from pathlib import Path
from shlex import quote
from typing import NamedTuple

PROGRAM = "/opt/sabot/bin/sabot"  # as the units name it
_SYSTEMD, _UDEV = "[ ! -d /run/systemd/system ]", "[ ! -d /run/udev ]"


class Step(NamedTuple):
    """One change: what it makes, a shell test that succeeds where it was made before, and the command."""

    what: str
    there: str
    command: str


class Service(NamedTuple):
    """A daemon as its PC knows it: the action of `sabot`, and the directory of its data."""

    action: str
    data: str

    @property
    def unit(self) -> str:
        """Return the name of its unit."""
        return f"sabot-{self.action}.service"

    @property
    def config(self) -> str:
        """Return the path of its config."""
        return f"/etc/sabot/{self.action}.toml"


GATEWAY = Service("gateway", "/var/lib/sabot")
FLOOR = Service("floor", "/var/lib/sabot-floor")
_PLACES = {  # what the example has, and where it is on a PC
    "gateway": [("ledger", f"{GATEWAY.data}/ledger.db")],
    "floor": [("store", f"{FLOOR.data}/floor.db")],
}


def account() -> list[Step]:
    """Return the user that both daemons run as; serial ports belong to the group dialout."""
    return [
        Step(
            "user sabot",
            "getent passwd sabot >/dev/null",
            "useradd --system --user-group --home-dir /var/lib/sabot --shell /usr/sbin/nologin sabot",
        ),
        Step("serial ports for sabot", "id -nG sabot 2>/dev/null | grep -qw dialout", "usermod -a -G dialout sabot"),
    ]


def directories(service: Service) -> list[Step]:
    """Return the directories of data, config and keys; one that exists keeps its owner and mode."""
    return [
        _directory(service.data, "sabot", "0750"),
        _directory("/etc/sabot", "root", "0750"),
        _directory("/etc/sabot/keys", "sabot", "0700"),
    ]


def _directory(path: str, owner: str, mode: str) -> Step:
    return Step(path, f"[ -d {path} ]", f"install -d -o {owner} -g sabot -m {mode} {path}")


def config(service: Service, program: str) -> list[Step]:
    """Return the config, once: the example, with the paths of this PC."""
    path = service.config
    edits = " ".join(f"-e 's|^{key} = .*|{key} = \"{value}\"|'" for key, value in _PLACES[service.action])
    made = f"{quote(program)} {service.action} init --config {path}"
    written = " ".join(["/etc/sabot/jackpots.toml"] * (service == FLOOR) + [path])
    owned = f"chown root:sabot {written} && chmod 0640 {written}"
    return [Step(path, f"[ -e {path} ]", f"{made} 2>/dev/null && sed -i {edits} {path} && {owned}")]


def files(service: Service, examples: Path, program: str) -> list[Step]:
    """Return the rule for serial ports, the unit, and the program on everybody's path."""
    unit, link = f"/etc/systemd/system/{service.unit}", "/usr/local/bin/sabot"
    rule, rules = quote(str(examples / "60-sabot.rules")), "/etc/udev/rules.d/60-sabot.rules"
    ours = f"sed {quote(f's|{PROGRAM}|{program}|')} {quote(str(examples / service.unit))}"
    return [
        Step(link, f"[ -e {link} ]", f"ln -s {quote(program)} {link}"),
        Step(rules, f"cmp -s {rule} {rules}", f"install -D -m 0644 {rule} {rules}"),
        Step("udev reads its rules", _UDEV, "udevadm control --reload"),
        Step(unit, f"{ours} | cmp -s - {unit}", f"mkdir -p /etc/systemd/system && {ours} >{unit}"),
        Step("systemd reads its units", _SYSTEMD, "systemctl daemon-reload"),
    ]


def of_wheel(service: Service, examples: Path, program: str) -> list[Step]:
    """Return everything that a PC needs after the wheel is installed."""
    return [*account(), *directories(service), *config(service, program), *files(service, examples, program)]


def of_package(service: Service) -> list[Step]:
    """Return what a package cannot carry as files."""
    return [*account(), *directories(service), *config(service, PROGRAM)]


def shell(steps: list[Step]) -> str:
    """Return the steps as lines of a shell script."""
    return "".join(f"{step.there} ||\n  {{ {step.command}; }}\n" for step in steps)
