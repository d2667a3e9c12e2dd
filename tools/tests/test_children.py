"""Child processes: all are ended, and one that ends unexpectedly is an error."""

import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from sabot_tools.stand import broker
from sabot_tools.stand.children import Children, DeadChildError
from sabot_tools.stand.ports import HOST
from support.patience import PATIENCE_S

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]


def test_stop_ends_all_children(tmp_path: Path) -> None:
    children = Children(tmp_path)
    processes = [children.start(f"c{number}", SLEEPER) for number in range(3)]
    children.check()
    children.stop()
    assert all(process.poll() is not None for process in processes)


def test_a_child_that_ignores_sigterm_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sabot_tools.stand.children._STOP_WITHIN_S", 0.2)
    children = Children(tmp_path)
    code = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
    )
    process = children.start("deaf", [sys.executable, "-c", code])
    while "deaf" not in (tmp_path / "deaf.log").read_text():
        children.check()
    children.stop()
    assert process.returncode == -signal.SIGKILL


def test_a_child_that_ends_unexpectedly_is_an_error_with_its_last_output(tmp_path: Path) -> None:
    children = Children(tmp_path)
    children.start("broker", [sys.executable, "-c", "print('no room'); raise SystemExit(3)"]).wait()
    with pytest.raises(DeadChildError, match=r"broker ended unexpectedly with status 3. Its last output:\n  no room"):
        children.check()


def test_children_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib\n"
        "from sabot_tools.stand.children import Children\n"
        f"child = Children(pathlib.Path({str(tmp_path)!r})).start('c', {SLEEPER!r})\n"
        "print(child.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    watched = os.pidfd_open(int(parent.stdout.readline()))
    parent.kill()
    parent.communicate()
    assert select.select([watched], [], [], PATIENCE_S)[0] == [watched]


def test_a_port_in_use_is_an_error_with_the_next_step(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(broker.NoBrokerError, match=rf"port {port} .* is in use .* make demo PORT={port + 1}"):
            broker.start(Children(tmp_path), tmp_path, port)
