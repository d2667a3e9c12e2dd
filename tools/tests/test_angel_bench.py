"""The bench of Angel Eye tables: lines are as fast as real ones and wait for nobody; figures have an explanation."""

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest
from sabot_tools.bench import angel_load
from sabot_tools.bench.angel_lines import BYTES_A_SECOND
from sabot_tools.bench.angel_load import AngelPlan
from sabot_tools.bench.angel_player import TURN_S, Load, Played, Player
from sabot_tools.bench.figures import angel as angel_figures
from support.patience import PATIENCE_S

START_S = 100.0


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as made:
        yield made


def client_of(stack: ExitStack, port: int) -> socket.socket:
    made = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
    made.settimeout(PATIENCE_S)
    return made


class Bench:
    """Two lines of a player, and a clock."""

    def __init__(self, stack: ExitStack, work_dir: Path, seconds: float = 4.0) -> None:
        listeners = angel_load.listening(stack, 2)
        self.ports = [one.getsockname()[1] for one in listeners]
        descriptors = [one.dup().detach() for one in listeners]
        self.load = AngelPlan(2, seconds).load(descriptors, work_dir / "played.bin")
        self.player = Player(self.load)
        self.clients = [client_of(stack, port) for port in self.ports]
        while len(self.player.joins) < 2:
            self.player.accept(1.0)
        self.player.step(START_S)

    def run(self, from_s: float, until_s: float) -> None:
        """Play this time, counted from the first byte."""
        for turn in range(round(from_s / TURN_S * 4), round(until_s / TURN_S * 4) + 1):
            self.player.step(self.player.start_s + turn * TURN_S / 4)

    def played(self) -> Played:
        self.player.report()
        return msgspec.msgpack.decode(Path(self.load.report).read_bytes(), type=Played)


def test_a_line_sends_480_bytes_a_second(stack: ExitStack, tmp_path: Path) -> None:
    bench = Bench(stack, tmp_path)
    bench.run(0.0, 2.0)
    sent = bench.player.ports[0].offset
    received = stack.enter_context(bench.clients[0].makefile("rb")).read(sent)
    assert abs(sent - 2 * BYTES_A_SECOND) <= TURN_S * BYTES_A_SECOND
    assert received == bench.load.line(0).data[:sent]


def test_a_line_goes_on_without_a_client_and_a_new_one_gets_what_follows(stack: ExitStack, tmp_path: Path) -> None:
    bench = Bench(stack, tmp_path)
    bench.run(0.0, 1.0)
    bench.clients[0].close()
    bench.run(1.01, 2.0)
    late = client_of(stack, bench.ports[0])
    bench.player.accept(1.0)
    bench.run(2.01, 3.0)
    played = bench.played()
    assert not played.overruns
    join = played.joins[-1]
    assert (join.line, abs(join.offset - 2 * BYTES_A_SECOND) <= 10) == (0, True)
    assert stack.enter_context(late.makefile("rb")).read(64) == bench.load.line(0).data[join.offset : join.offset + 64]
    times, offsets = played.writes(0)
    assert len(times) == len(offsets) > 100
    assert offsets[-1] == bench.player.ports[0].offset


def test_four_clients_hear_a_line_and_a_fifth_does_not(stack: ExitStack, tmp_path: Path) -> None:
    bench = Bench(stack, tmp_path)
    more = [client_of(stack, bench.ports[1]) for _ in range(4)]
    while len(bench.player.joins) < 5:
        bench.player.accept(1.0)
    bench.player.accept(0.1)
    bench.run(0.0, 1.0)
    data = bench.load.line(1).data
    assert all(one.recv(8) == data[:8] for one in [bench.clients[1], *more[:3]])
    assert more[3].recv(8) == b""


def test_at_a_casinos_pace_a_message_comes_after_each_gap() -> None:
    load = Load([0, 1], seconds=30.0, gap_s=5.0, spoilt=0.0, report="")
    whole = load.line(0)
    starts = whole.starts[whole.coups[0].first :]  # the opening of the shoe is left out
    assert load.due(0, 0.0) == starts[0]
    assert load.due(0, 0.01) == starts[0] + 4  # 480 bytes a second from the first
    assert [load.due(0, seconds) for seconds in (1.0, 4.9, 6.0, 29.0)] == [starts[1], starts[1], starts[2], starts[6]]
    other = load.line(1)
    assert load.due(1, 2.4) == other.starts[other.coups[0].first]  # the lines are spread over a gap
    assert load.due(1, 3.5) == other.starts[other.coups[0].first + 1]


def test_figures_of_a_small_run_have_names_goals_and_an_explanation() -> None:
    plan = AngelPlan(4, 2.0)
    result = angel_load.run(plan)
    served, cpu, middle, most, memory = angel_figures.without_pause(plan, result, own=result)
    assert (served.name, served.ratio, served.ok) == ("angel.received_over_sent", 1, True)
    assert re.search(r"4 lines full at 4800 baud, 2\d\d frames and \d\d messages a second for 2 s", served.what)
    assert (cpu.name, cpu.unit) == ("angel.cpu_over_own_shoe", "x, at most")
    assert "of a core a table" in cpu.what
    assert (middle.goal, most.goal, memory.goal) == (1.5, 1.5, 1.02)
    assert (cpu.ratio, middle.ratio, most.ratio) == (1, 1, 1)
    used, received = angel_figures.casino(plan, result)
    assert used.name == "angel.tenth_of_a_core_over_used"
    assert (received.name, received.ok) == ("angel.casino_received_over_sent", True)
