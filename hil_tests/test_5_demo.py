"""The demo as a person runs it: it ends by itself, at Ctrl-C and when a child dies; nothing is left running."""

import os
import re
import select
import selectors
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from sabot_service.broker import Broker
from sabot_tools.stand.subscriber import Subscriber
from support.patience import PATIENCE_S

ROOT = Path(__file__).parents[1]


class Demo:
    """A running demo whose processes carry a mark in their environment."""

    def __init__(self, work_dir: Path, *args: str) -> None:
        self.mark = f"SABOT_TEST_MARK={uuid.uuid4()}"
        name, value = self.mark.split("=")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sabot_tools", "demo", "--port", "0", "--web-port", "0", "--speed", "100", *args],
            cwd=ROOT,
            env={key: text for key, text in os.environ.items() if key != "SABOT_MAKE_STARTED_S"}
            | {name: value, "TMPDIR": str(work_dir)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for_coup(self) -> str:
        """Lines up to the first coup."""
        assert self.process.stdout is not None
        lines = ""
        for line in self.process.stdout:
            lines += line
            if "Banker" in line:
                return lines
        pytest.fail(f"no coup: {lines}{self.process.communicate()[1]}")

    def wait_for(self, start: str) -> str:
        """The next line that begins so."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(start):
                return line
        pytest.fail(f"no {start}: {self.process.communicate()[1]}")

    def others(self) -> dict[str, int]:
        """Processes that carry the mark, beside the demo itself: command line and pid."""
        found = {}
        for directory in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (directory / "environ").read_bytes().split(b"\0"):
                    found[(directory / "cmdline").read_text().replace("\0", " ")] = int(directory.name)
            except OSError:
                continue
        return {command: pid for command, pid in found.items() if pid != self.process.pid}


@pytest.fixture
def demos() -> Iterator[list[Demo]]:
    started: list[Demo] = []
    yield started
    for demo in started:
        demo.process.kill()
        demo.process.wait()


def test_it_stops_after_so_many_coups(demos: list[Demo], tmp_path: Path) -> None:
    demo = Demo(tmp_path, "--coups", "5", "--rulebook", "nz-baccarat")
    demos.append(demo)
    out, err = demo.process.communicate(timeout=PATIENCE_S)
    assert demo.process.returncode == 0, err
    assert len(re.findall(r"^bac-01  shoe 1 coup +\d+ +Player .* Banker .* ms$", out, re.M)) == 5
    assert re.search(r"first coup \d+\.\d\d s after the start \(warm start\)", out)
    assert re.search(r"^5 coups · Player \d · Banker \d · Tie \d", out, re.M)
    assert re.search(r"^ledger   \d+ entries, chain intact$", out, re.M)
    assert err == ""
    assert demo.others() == {}
    assert list(tmp_path.iterdir()) == []


def test_the_dealer_of_an_angel_eye_confirms_where_the_book_wants_it(demos: list[Demo], tmp_path: Path) -> None:
    """Rapid 7.7.4.9, 7.7.4.10, 8.1: nothing is settled before Confirm, which this shoe does not have."""
    demo = Demo(tmp_path, "--coups", "12", "--rulebook", "star-rapid", "--kind", "angel-eye")
    demos.append(demo)
    out, err = demo.process.communicate(timeout=PATIENCE_S)
    assert (demo.process.returncode, err) == (0, "")
    assert re.search(r"^12 coups · .* · disputed 0 · alarms 0 · ", out, re.M), out


@pytest.mark.parametrize("kind", ["sabot", "angel-eye"])
def test_a_lucky_tie_goes_through_to_a_confirmed_pay_out(demos: list[Demo], tmp_path: Path, kind: str) -> None:
    """Base 10,000.00 and 0.25 a coup; four eights of one suit pay 100 % (003 table 20), in proportion to Tie stakes."""
    demo = Demo(tmp_path, "--kind", kind, "--coups", "3", "--stack", "lucky-tie", "--speed", "10")
    demos.append(demo)
    out, err = demo.process.communicate(timeout=PATIENCE_S)
    assert (demo.process.returncode, err) == (0, "")
    coups = re.findall(r"^bac-01  shoe 1 coup +(\d)   Player (.*\d)   Banker (.*\d)   ([A-Z]+)", out, re.M)
    assert coups[:2] == [
        ("1", "K♣ 9♣       9", "2♦ 3♦       5", "PLAYER"),
        ("2", "8♥ 8♥       6", "8♥ 8♥       6", "TIE"),
    ]
    assert len(coups) == 3
    lines = [line for line in out.splitlines() if line.startswith(("meter", "jackpot", "floor", "ledger"))]
    assert [re.sub(r"pid.*|[0-9]+ entries", "…", line) for line in lines] == [
        "floor    …",
        "meter    AUD 10,000.00",
        "meter    AUD 10,000.25 (+0.25)",
        "meter    AUD 10,000.50 (+0.25)",
        "jackpot  bac-01 shoe 1 coup 2, suited: recognised from the shoe's cards",
        "jackpot  recorded by dealer A. Novak, with stakes of 10.00 and 30.00 on tie",
        "jackpot  pending: value 10,000.50, rounded up 10,001.00, 100 %: prize 10,001.00",
        "jackpot  shares: 2,500.25 + 7,500.75 (in proportion to the stakes)",
        "jackpot  paid AUD 10,001.00, confirmed by R. Chen, TG Area Manager; E. Walsh notified",
        "meter    AUD 10,000.00 (-0.50)",
        "meter    AUD 10,000.25 (+0.25)",
        "jackpot  base 20,000.50 + in 0.75 = display 10,000.25 + wins 10,001.00: balanced, hits 1",
        "ledger   …, chain intact",
        "floor    …, chain intact, meters recomputed",
    ]
    assert max(len(line) for line in lines if line.startswith(("meter", "jackpot"))) <= 100
    assert demo.others() == {}


def test_it_opens_the_door(demos: list[Demo], tmp_path: Path) -> None:
    """The first line is the address of the wall, which a browser can open; then who can log in with which PIN."""
    demo = Demo(tmp_path)
    demos.append(demo)
    head = demo.wait_for_coup()
    wall = re.match(r"wall +(http://127\.0\.0\.1:\d+/wall) ", head)
    assert wall is not None
    assert re.findall(r"^log in +(\w+) +PIN \d{6} ", head, re.M) == ["dealer", "supervisor", "manager", "head"]
    give_up_s = time.monotonic() + PATIENCE_S
    while not answers(wall[1]):
        assert time.monotonic() < give_up_s


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
            return b"<title>" in answer.read()
    except OSError:
        return False


def test_trouble_is_printed_and_settled_and_the_table_goes_on(demos: list[Demo], tmp_path: Path) -> None:
    demo = Demo(tmp_path, "--trouble", "--coups", "9", "--patience", "0")
    demos.append(demo)
    out, err = demo.process.communicate(timeout=PATIENCE_S)
    assert (demo.process.returncode, err) == (0, "")
    coups = [*re.finditer(r"^bac-01  shoe \d coup", out, re.M)]
    happened = [*re.finditer(r"^bac-01  TROUBLE .* Settle it: http://127.0.0.1:\d+/dealer/bac-01 or /pit$", out, re.M)]
    settled = [*re.finditer(r"^bac-01  SETTLED after \d+ s; the table goes on$", out, re.M)]
    assert happened[0].start() < settled[0].start() < coups[-1].start()
    assert re.search(r"^trouble  [1-9] settled$", out, re.M)
    assert demo.others() == {}


def test_a_book_without_a_jackpot_refuses_a_stack(demos: list[Demo], tmp_path: Path) -> None:
    demo = Demo(tmp_path, "--stack", "lucky-tie", "--rulebook", "star-premium")
    demos.append(demo)
    _, err = demo.process.communicate(timeout=PATIENCE_S)
    assert demo.process.returncode == 1
    assert "--stack lucky-tie: rulebook star-premium has no jackpot in the demo" in err
    assert "Traceback" not in err


def test_ctrl_c_ends_it_cleanly(demos: list[Demo], tmp_path: Path) -> None:
    demo = Demo(tmp_path, "--tables", "2")
    demos.append(demo)
    head = demo.wait_for_coup()
    assert len(demo.others()) == 5  # broker, gateway, floor service, two shoes
    demo.process.send_signal(signal.SIGINT)
    out, err = demo.process.communicate(timeout=PATIENCE_S)
    assert demo.process.returncode == 0
    assert err == ""
    assert "chain intact" in out
    assert demo.others() == {}
    port = re.search(r"mqtt://127.0.0.1:(\d+)", head)
    assert port is not None
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", int(port[1])))


@pytest.mark.parametrize(
    ("victim", "name"), [("gateway run", "gateway"), ("floor run", "floor"), ("nats-server", "broker")]
)
def test_a_killed_daemon_is_started_again_and_the_table_goes_on(
    demos: list[Demo], victim: str, name: str, tmp_path: Path
) -> None:
    demo = Demo(tmp_path, "--rulebook", "crown-baccarat")
    demos.append(demo)
    demo.wait_for_coup()
    (pid,) = [pid for command, pid in demo.others().items() if victim in command]
    os.kill(pid, signal.SIGKILL)
    assert demo.wait_for(f"{name} ").rstrip().endswith("ended with status -9; it is started again")
    for _ in range(3):
        demo.wait_for_coup()
    demo.process.send_signal(signal.SIGINT)
    out, err = demo.process.communicate(timeout=PATIENCE_S)
    assert (demo.process.returncode, err) == (0, "")
    assert "chain intact" in out
    assert demo.others() == {}


def test_a_dead_shoe_is_reported_in_a_sentence(demos: list[Demo], tmp_path: Path) -> None:
    demo = Demo(tmp_path)
    demos.append(demo)
    demo.wait_for_coup()
    (pid,) = [pid for command, pid in demo.others().items() if "micropython" in command]
    os.kill(pid, signal.SIGKILL)
    _, err = demo.process.communicate(timeout=PATIENCE_S)
    assert demo.process.returncode == 1
    assert "ended unexpectedly with status -9" in err
    assert "Traceback" not in err
    assert demo.others() == {}


def test_nothing_outlives_a_killed_demo(demos: list[Demo], tmp_path: Path) -> None:
    demo = Demo(tmp_path)
    demos.append(demo)
    demo.wait_for_coup()
    watched = [os.pidfd_open(pid) for pid in demo.others().values()]
    assert len(watched) == 4
    demo.process.kill()
    for descriptor in watched:
        assert select.select([descriptor], [], [], PATIENCE_S)[0] == [descriptor]
        os.close(descriptor)


@pytest.mark.parametrize("after_lines", [0, 1, 3])
def test_ctrl_c_while_it_starts(demos: list[Demo], tmp_path: Path, after_lines: int) -> None:
    demo = Demo(tmp_path)
    demos.append(demo)
    assert demo.process.stdout is not None
    lines = [demo.process.stdout.readline() for _ in range(after_lines)]
    if not lines:
        while not demo.others():  # the broker has started, without a subscriber yet
            assert demo.process.poll() is None
    demo.process.send_signal(signal.SIGINT)
    _, err = demo.process.communicate(timeout=PATIENCE_S)
    assert demo.process.returncode == 0
    assert err == ""
    assert demo.others() == {}


def test_two_demos_on_one_broker(demos: list[Demo], tmp_path: Path) -> None:
    first = Demo(tmp_path)
    demos.append(first)
    url = re.search(r"mqtt://[0-9.]+:[0-9]+", first.wait_for_coup())
    assert url is not None
    second = Demo(tmp_path, "--broker", url[0], "--coups", "3", "--rulebook", "crown-baccarat")
    demos.append(second)
    out, err = second.process.communicate(timeout=PATIENCE_S)
    assert (second.process.returncode, err) == (0, "")
    assert len(re.findall(r"^bac-01 .* ms$", out, re.M)) == 3
    assert first.process.poll() is None
    assert messages_left(url[0], f"demo-{second.process.pid}") == []


def messages_left(url: str, site: str) -> list[str]:
    """Topics of a site on which a new subscriber gets a retained message."""
    topics: list[str] = []
    with selectors.DefaultSelector() as selector:
        reader = Subscriber(
            Broker.from_url(url), "left", f"sabot/v1/{site}/#", lambda topic, _: topics.append(topic), selector
        )
        while not any(topic.endswith("/end") for topic in topics):
            reader.step(time.monotonic())
            if reader.ready:
                reader.publish(f"sabot/v1/{site}/end", b"")
            selector.select(0.05)
        reader.close()
    return [topic for topic in topics if not topic.endswith("/end")]
