"""Real brokers as child processes: nats-server and mosquitto; plain, TLS, TLS with client certificates."""

import datetime
import getpass
import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme
from sabot_service.broker import Broker, Login
from sabot_tools.stand import broker
from sabot_tools.stand.children import Children
from sabot_tools.stand.ports import HOST, free_port

from support.patience import PATIENCE_S

KINDS = ("nats", "mosquitto")
EXAMPLES = Path(__file__).parents[2] / "gateway" / "examples"
PASSWORDS = {
    "gateway-sydney": "correct-horse",
    "floor-sydney": "paper-clip",
    "display-sydney": "battery-staple",
    "jackpots-sydney": "lucky-tie",
    "pit-sydney": "brass-rail",
}
DEBIAN = Path("/etc/mosquitto/mosquitto.conf")  # as apt-get installs it; it reads /etc/mosquitto/conf.d


def mosquitto() -> str:
    """Return SABOT_MOSQUITTO, else the one on PATH, else Debian's; skip the test if there is none."""
    found = os.environ.get("SABOT_MOSQUITTO") or shutil.which("mosquitto") or shutil.which("/usr/sbin/mosquitto")
    if not found:
        pytest.skip("mosquitto is not installed: apt-get install mosquitto")
    return found


@dataclass
class Certificates:
    """A certificate authority and the files of its certificates."""

    folder: Path

    def __post_init__(self) -> None:
        """Make a new authority."""
        self.folder.mkdir(exist_ok=True)
        self.ca = trustme.CA()
        self.ca_file = self.folder / "ca.pem"
        self.ca.cert_pem.write_to_path(str(self.ca_file))

    def issue(self, name: str, *, expired: bool = False) -> tuple[Path, Path]:
        """Return certificate and key files for a host or a client."""
        until = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC) if expired else None
        since = datetime.datetime(2019, 1, 1, tzinfo=datetime.UTC) if expired else None
        issued = self.ca.issue_cert(name, common_name=name, not_before=since, not_after=until)
        certificate, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        issued.cert_chain_pems[0].write_to_path(str(certificate))
        key.touch(mode=0o600)
        key.write_bytes(issued.private_key_pem.bytes())
        return certificate, key

    def login(self, *, certificate: bool = False, **more: str) -> Login:
        """Return a login that trusts this authority, with a client certificate if asked."""
        if not certificate:
            return Login(ca_file=str(self.ca_file), **more)
        files = self.issue("client.example")
        return Login(ca_file=str(self.ca_file), certificate_file=str(files[0]), key_file=str(files[1]), **more)


@dataclass
class Site:
    """Starts brokers, and stops them together."""

    work_dir: Path

    def __post_init__(self) -> None:
        """Prepare; nothing runs yet."""
        self.children = Children(self.work_dir)
        self.certificates = Certificates(self.work_dir / "certificates")

    def start(
        self, kind: str, *, tls: tuple[Path, Path] | None = None, client_ca: Path | None = None, port: int = 0
    ) -> Broker:
        """Start a broker without access control."""
        port = port or free_port()
        text = (_nats if kind == "nats" else _mosquitto)(self.work_dir, port, tls, client_ca)
        return self.run(kind, text, Broker("localhost" if tls else HOST, port, tls is not None))

    def run(self, kind: str, config: str, where: Broker, env: dict[str, str] | None = None) -> Broker:
        """Start a broker with this config; its log is KIND.log."""
        path = self.work_dir / f"{kind}-{where.port}.conf"
        path.write_text(config)
        program = broker.nats_server() if kind == "nats" else mosquitto()
        self.process = self.children.start(kind, [program, "-c", str(path)], env=env)
        self._await(where)
        return where

    def _await(self, where: Broker) -> None:
        """Wait until it listens; fail if it ends."""
        give_up_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < give_up_s:
            self.children.check()
            with socket.socket() as probe:
                if probe.connect_ex((HOST, where.port)) == 0:
                    return
        pytest.fail(f"{where} does not listen")

    def kill(self) -> None:
        """Kill the broker started last."""
        self.children.release(self.process)
        self.process.kill()
        self.process.wait()

    def example(self, kind: str, more: dict[str, str] | None = None) -> Broker:
        """Start the example configuration with files, ports and users of this machine, and `more` changes."""
        port = free_port()
        certificate, key = self.certificates.issue("localhost")
        where = Broker("localhost", port, tls=True)
        if kind == "nats":
            changes = {
                '"127.0.0.1:4222"': '"127.0.0.1:-1"',
                "0.0.0.0:8883": f"{HOST}:{port}",
                "/var/lib/nats": str(self.work_dir / "jetstream"),
                "/etc/nats/broker.pem": str(certificate),
                "/etc/nats/broker.key": str(key),
                "# { user: floor-sydney": "{ user: floor-sydney",
                '#   subscribe: { allow: ["sabot.v1.sydney", ': 'subscribe: { allow: ["sabot.v1.sydney", ',
                "# { user: pit-sydney": "{ user: pit-sydney",
                '#   subscribe: { allow: ["sabot.v1.sydney.b': 'subscribe: { allow: ["sabot.v1.sydney.b',
                "# { user: jackpots-sydney": "{ user: jackpots-sydney",
                '#   subscribe: { allow: ["sabot.v1.sydney.s': 'subscribe: { allow: ["sabot.v1.sydney.s',
                **(more or {}),
            }
            env = {f"{user.split('-')[0].upper()}_PASSWORD": password for user, password in PASSWORDS.items()}
            return self.run(kind, _changed((EXAMPLES / "nats.conf").read_text(), changes), where, env)
        changes = {
            "listener 8883": f"listener {port} {HOST}",
            "/etc/mosquitto/certs/broker.pem": str(certificate),
            "/etc/mosquitto/certs/broker.key": str(key),
            "password_file /etc/mosquitto/sabot.passwd": f"password_file {self._passwords()}",
            "/etc/mosquitto/sabot.acl": str(EXAMPLES / "mosquitto.acl"),
            **(more or {}),
        }
        folder = self.work_dir / "conf.d"
        folder.mkdir()
        (folder / "sabot.conf").write_text(_changed((EXAMPLES / "mosquitto.conf").read_text(), changes))
        return self.run(kind, self._debian(folder), where)

    def _debian(self, folder: Path) -> str:
        """Return Debian's own mosquitto.conf with files of this test."""
        if not DEBIAN.exists():
            pytest.skip(f"{DEBIAN} is not there: apt-get install mosquitto")
        changes = {
            "/run/mosquitto/mosquitto.pid": str(self.work_dir / "mosquitto.pid"),
            "/var/lib/mosquitto/": f"{self.work_dir}/",
            "file /var/log/mosquitto/mosquitto.log": "stderr",
            "include_dir /etc/mosquitto/conf.d": f"user {getpass.getuser()}\ninclude_dir {folder}",
        }
        text = DEBIAN.read_text()
        if any(text.count(old) != 1 for old in changes):
            pytest.skip(f"{DEBIAN} is not as Debian ships it")
        return _changed(text, changes)

    def _passwords(self) -> Path:
        mosquitto()
        path = self.work_dir / "passwd"
        path.touch(mode=0o600)
        for user, password in PASSWORDS.items():
            subprocess.run(["mosquitto_passwd", "-b", str(path), user, password], check=True)
        return path

    def login(self, user: str, password: str | None = None) -> Login:
        """Return a user's login by password."""
        path = self.work_dir / f"{user}.password"
        path.touch(mode=0o600)
        path.write_text((password or PASSWORDS[user]) + "\n")
        return self.certificates.login(user=user, password_file=str(path))


def _changed(text: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def _nats(work_dir: Path, port: int, tls: tuple[Path, Path] | None, client_ca: Path | None) -> str:
    """Return a config with one message in flight: with more, a killed nats-server sends newer ones before older."""
    verify = f', ca_file: "{client_ca}", verify: true' if client_ca else ""
    secure = f', tls {{ cert_file: "{tls[0]}", key_file: "{tls[1]}"{verify} }}' if tls else ""
    return (
        f'server_name: sabot\nlisten: "127.0.0.1:-1"\njetstream {{ store_dir: "{work_dir}/jetstream" }}\n'
        f'mqtt {{ listen: "127.0.0.1:{port}", max_ack_pending: 1, ack_wait: "1s"{secure} }}\n'
    )


def _mosquitto(work_dir: Path, port: int, tls: tuple[Path, Path] | None, client_ca: Path | None) -> str:
    verify = f"cafile {client_ca}\nrequire_certificate true\n" if client_ca else ""
    secure = f"certfile {tls[0]}\nkeyfile {tls[1]}\n" if tls else ""
    return (
        f"listener {port} 127.0.0.1\nuser {getpass.getuser()}\nallow_anonymous true\npersistence true\n"
        f"persistence_location {work_dir}/\nautosave_on_changes true\nautosave_interval 1\n"
        f"max_queued_messages 100000\n{secure}{verify}"
    )
