"""The daemon as systemd and Prometheus meet it: ready, fed while its loop goes on, not fed while it stands still."""

import json
import select
import signal
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sabot_tools.stand.ports import free_port
from support.patience import PATIENCE_S
from support.site_watcher import WatchSite

WATCHDOG_S = 0.9


class Manager:
    """The socket of a service manager, and what has come there."""

    def __init__(self, path: Path) -> None:
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._sock.bind(str(path))
        self.lines: list[str] = []

    def take(self, within_s: float = 0.0) -> int:
        """Take what has come, and what comes within this time; return how many datagrams."""
        count = 0
        while select.select([self._sock], [], [], within_s)[0]:
            self.lines += self._sock.recv(4096).decode().split("\n")
            count += 1
            within_s = 0.0
        return count

    def has(self, line: str) -> bool:
        self.take()
        return line in self.lines

    def close(self) -> None:
        self._sock.close()


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Manager]:
    made = Manager(tmp_path / "notify")
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    monkeypatch.setenv("WATCHDOG_USEC", str(int(WATCHDOG_S * 1_000_000)))
    yield made
    made.close()


def stands_still(pid: int) -> bool:
    """Return True once every thread of a process is stopped."""
    stats = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/stat")]
    return all(text.rpartition(")")[2].split()[0] == "T" for text in stats)


def test_a_daemon_that_stands_still_is_not_fed(watch_site: WatchSite, manager: Manager) -> None:
    watcher = watch_site()
    watcher.run_until(lambda _: manager.has("READY=1"))
    watcher.run_for_coups(2)
    manager.take()
    assert manager.take(within_s=PATIENCE_S) > 0
    gateway = watcher.site.gateway
    gateway.send_signal(signal.SIGSTOP)
    while not stands_still(gateway.pid):
        manager.take(within_s=0.01)
    manager.take()  # sent before it stood still
    assert manager.take(within_s=2 * WATCHDOG_S) == 0
    gateway.send_signal(signal.SIGCONT)
    assert manager.take(within_s=PATIENCE_S) > 0
    gateway.send_signal(signal.SIGHUP)
    watcher.run_until(lambda _: manager.has("RELOADING=1") and manager.lines.count("READY=1") == 2)
    watcher.site.children.release(gateway)
    gateway.terminate()
    assert gateway.wait() == 0
    assert manager.has("STOPPING=1")


def get(port: int, path: str) -> str:
    """Return what the daemon serves."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE_S) as answer:
        text: str = answer.read().decode()
    return text


def value(port: int, name: str) -> float:
    """Return the sum of a metric over all labels."""
    families = text_string_to_metric_families(get(port, "/metrics"))
    return sum(sample.value for family in families for sample in family.samples if sample.name == name)


def test_a_running_daemon_is_scraped(watch_site: WatchSite) -> None:
    port = free_port()
    watcher = watch_site(tables=2, metrics=(port, 0))
    watcher.run_for_coups(3)
    watcher.run_for_coups(3, "bac-02")
    assert json.loads(get(port, "/healthz")) == {"status": "ok", "reasons": []}
    assert json.loads(get(port, "/readyz")) == {"status": "ready", "reasons": []}
    assert value(port, "sabot_coups_total") >= 6
    assert value(port, "sabot_table_online") == 2
    assert value(port, "sabot_puback_seconds_count") > 0
    assert 0 < value(port, "sabot_ledger_bytes") < value(port, "sabot_disk_size_bytes")
    before = value(port, "sabot_events_total")
    watcher.run_for_coups(2)
    assert value(port, "sabot_events_total") > before
