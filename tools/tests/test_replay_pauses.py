"""The line's clock in a replay: what passes at once while nothing is to be done, and how much of it at most."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sabot_gateway.shoe.handshake import ASK_SOONEST_S
from sabot_gateway.shoe.session import frame_bytes
from sabot_service.broker import Broker
from sabot_tools.replay.system import ReplaySystem
from sabot_tools.replay.table_setup import TableSetup

ALIVE = frame_bytes("alive", {}, 0, 0.0)
SILENT_AFTER_S = 5.0  # of the gateway
ALIVE_EVERY_S = 1.0  # of a shoe


class QuietRig:
    """A rig on which nothing happens; `done` is what was done to it."""

    name, unit, outputs = "unix", "5ab0000000000001", 0

    def __init__(self) -> None:
        self.done: list[str] = []
        self.silence_s = 0.0
        self.is_quiet, self.sent = True, b""
        self._ends = os.pipe()

    def filenos(self) -> list[int]:
        return [self._ends[0]]

    def quiet(self) -> bool:
        self.done.append("quiet?")
        return self.is_quiet

    def receive(self) -> bytes:
        sent, self.sent = self.sent, b""
        return sent

    def line_s(self) -> float:
        return self.silence_s

    def pass_silence(self, seconds: float) -> None:
        self.silence_s += seconds
        self.done.append(f"silence {seconds}")

    def power_on(self) -> None:
        self.done.append("on")

    def turn(self) -> None:
        pass

    def close(self) -> None:
        for end in self._ends:
            os.close(end)


@pytest.fixture
def rig() -> QuietRig:
    return QuietRig()


@pytest.fixture
def system(rig: QuietRig, tmp_path: Path) -> Iterator[ReplaySystem]:
    stopped: Any = SimpleNamespace(address=Broker("127.0.0.1", 1), start=lambda: None)
    made = ReplaySystem(rig, TableSetup(), stopped, tmp_path)  # type: ignore[arg-type]
    yield made
    made.close()


def test_the_gateways_pauses_pass_at_once_but_no_shoe_seems_silent(system: ReplaySystem, rig: QuietRig) -> None:
    for _ in range(30):
        system.step()
    before_s = rig.silence_s
    assert 0.1 < before_s < (SILENT_AFTER_S - ALIVE_EVERY_S) / 2
    rig.sent = ALIVE
    for _ in range(30):
        system.step()
    assert rig.silence_s == pytest.approx(2 * before_s)


def test_no_pause_passes_while_the_shoe_is_at_work(system: ReplaySystem, rig: QuietRig) -> None:
    for _ in range(3):
        system.step(at_work=True)
    assert rig.silence_s == 0


def test_a_step_does_not_probe_the_shoe(system: ReplaySystem, rig: QuietRig) -> None:
    """A probe makes the shoe go on: what it logs next would reach the gateway together with what it has just sent."""
    system.step()
    assert "quiet?" not in rig.done


def test_a_shoe_that_is_quiet_without_a_frame_since_its_start_can_send_nothing(
    system: ReplaySystem, rig: QuietRig
) -> None:
    assert not system.can_send()
    system.power_on()
    rig.is_quiet = False
    assert system.can_send()  # it starts
    rig.is_quiet = True
    assert not system.can_send()
    rig.sent = ALIVE
    system.step()
    assert system.can_send()


def test_a_shoe_is_switched_on_when_the_gateway_may_ask_it_at_once(system: ReplaySystem, rig: QuietRig) -> None:
    system.power_on()
    assert rig.done == [f"silence {ASK_SOONEST_S}", "on"]
