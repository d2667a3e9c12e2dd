"""systemd's notifications: what the service manager gets, and which turns of the loop feed its watchdog."""

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sabot_service.systemd import Systemd
from test_app import Bench
from test_monitor import bench

__all__ = ["bench"]


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(tmp_path / "notify"))
        sock.setblocking(False)
        yield sock


def received(manager: socket.socket) -> list[str]:
    found = []
    while True:
        try:
            found.append(manager.recv(4096).decode())
        except BlockingIOError:
            return found


def notifier(manager: socket.socket, **more: str) -> Systemd:
    return Systemd({"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "30000000", **more}, os.getpid())


def test_what_the_service_manager_gets(manager: socket.socket) -> None:
    systemd = notifier(manager)
    systemd.ready()
    systemd.progress(100.0, "")
    systemd.progress(100.5, "")
    systemd.progress(101.0, "the ledger is away; nothing is taken")
    systemd.progress(102.0, "the ledger is away; nothing is taken")
    with systemd.reload(103.5):
        pass
    systemd.stopping()
    systemd.close()
    assert received(manager) == [
        "READY=1",
        "WATCHDOG=1",
        "WATCHDOG=1\nSTATUS=the ledger is away; nothing is taken",
        "WATCHDOG=1",
        "RELOADING=1\nMONOTONIC_USEC=103500000",
        "READY=1",
        "STOPPING=1",
    ]


def test_a_watchdog_of_another_process_is_not_fed(manager: socket.socket) -> None:
    systemd = notifier(manager, WATCHDOG_PID="1")
    systemd.progress(100.0, "")
    systemd.close()
    assert received(manager) == []


def test_a_short_watchdog_is_fed_three_times_in_its_time(manager: socket.socket) -> None:
    systemd = notifier(manager, WATCHDOG_USEC="900000")
    for tenth in range(11):
        systemd.progress(tenth / 10 + 0.001, "")
    systemd.close()
    assert received(manager) == ["WATCHDOG=1"] * 4


def test_a_manager_that_is_gone_or_does_not_read_stops_nothing(manager: socket.socket) -> None:
    systemd = notifier(manager)
    for number in range(10_000):  # more than the socket holds
        systemd.progress(float(number), "")
    manager.close()
    systemd.stopping()
    systemd.close()
    Systemd({}, 1).ready()


def test_a_turn_that_fails_feeds_nothing(bench: Bench, manager: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    app = bench.app
    app.monitoring.systemd = notifier(manager)

    def turns(seconds: int, failing: Callable[..., None] | None = None) -> int:
        with monkeypatch.context() as patch:
            if failing is not None:
                patch.setattr(app._publish, "receive", failing)
            for _ in range(seconds):
                bench.now_s += 1
                app.step(0)
        return len([text for text in received(manager) if "WATCHDOG=1" in text])

    def fails(*_: object) -> None:
        raise RuntimeError("on purpose")

    assert turns(3) == 3
    assert turns(3, fails) == 0
    assert app.monitoring.health.stalled_s() == 3
    assert turns(3) == 3
