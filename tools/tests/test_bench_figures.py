"""The groups of `sabot bench figures`: each has its module, and what the firmware's figures measure exists."""

from importlib import import_module

import pytest
from sabot_sim.rigs.vm import HEAP, firmware_dir, micropython
from sabot_tools.actions.bench import GROUPS
from sabot_tools.bench import shoe_player
from sabot_tools.bench.figure import at_least, at_most
from sabot_tools.bench.figures import firmware, ledger, reader
from sabot_tools.bench.firmware_files import mpy_bytes
from sabot_tools.bench.gateway_stages import cpu_us_a_frame, cpu_us_a_visit


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_has_figures(group: str) -> None:
    assert callable(import_module(f"sabot_tools.bench.figures.{group}").figures)


def test_the_heap_of_a_whole_shoe_can_be_measured() -> None:
    used, total = firmware.heap(firmware_dir(), micropython(), HEAP)
    assert 0 < used < total


def test_the_reader_is_a_part_of_the_firmware() -> None:
    modules = reader.modules()
    assert {"sabot/reading/reader.py", "sabot/reading/marks.py", "sabot/wire.py"} <= modules.keys()
    assert 0 < mpy_bytes(modules) < firmware.FLASH_BYTES


def test_a_figure_knows_whether_its_goal_is_met() -> None:
    assert [at_least("a", ratio, 2, "").ok for ratio in (1.99, 2)] == [False, True]
    assert [at_most("a", ratio, 2, "").ok for ratio in (2, 2.01)] == [True, False]


def test_the_stages_of_the_gateway_can_be_measured_without_io() -> None:
    shoes = shoe_player.shoes(shoe_player.Load([0, 1], 48, 0, ""))
    assert cpu_us_a_frame(shoes, 24) > 0
    assert cpu_us_a_frame(shoes, 1) > 0
    assert cpu_us_a_visit(shoes, 4) > 0


def test_a_ledger_stores_the_entries_of_its_bench() -> None:
    assert next(ledger.figures()).name == "ledger.group_commit_over_single"
