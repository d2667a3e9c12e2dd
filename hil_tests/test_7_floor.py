"""Floor service, gateway, broker and PostgreSQL killed while tables play: the meters equal the arithmetic of the logs.

`make floor-kills` plays 200 tables and 500 coups of each; hil_tests/floor_kills/README.md has the results.
"""

from collections import Counter
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import get_args

import pytest
from floor_kills import judge
from floor_kills.logs import Table, arithmetic, log
from floor_kills.parts import Size, StoreKind
from floor_kills.plan import each, rounds
from floor_kills.run import Run, Scene
from sabot_floor.store import open_store
from support.patience import PATIENCE_S


@pytest.mark.parametrize("store", get_args(StoreKind))
def test_the_meters_equal_the_arithmetic_whatever_is_killed(tmp_path: Path, store: StoreKind) -> None:
    size = Size(tables=3, coups=30, rate=40, store=store)
    with ExitStack() as stack:
        outcome = started(stack, tmp_path, size).play("kills", each(1, size.victims, times=2, pace=20))
    assert outcome.findings == []
    with open_store(str(tmp_path / "rebuilt.db"), read_only=True) as rebuilt:
        assert rebuilt.select("SELECT 1 FROM incidents")
    assert outcome.kills == dict.fromkeys(size.victims, 2)
    assert outcome.meters["linked"]["display"] == 1_000_000 + 3 * 30 * 25


@pytest.mark.parametrize("scene", ["broker-away", "floor-away"])
def test_what_was_played_while_a_part_was_away_is_counted_when_it_is_back(tmp_path: Path, scene: Scene) -> None:
    with ExitStack() as stack:
        run = started(stack, tmp_path, Size(tables=3, coups=30, rate=0, store="sqlite"))
        outcome = run.play(scene, ())
        assert outcome.findings == []
        assert outcome.meters["linked"]["in"] == 3 * 30 * 25
        run.parts.tables = [Table(number, 29) for number in range(3)]  # now one coup too many was counted at each table
        found = judge.findings(run.parts, run.watcher)
    assert found[0].startswith("confirmed coups in the gateway's ledger: 3 not in the logs, such as ")
    assert sum(text.startswith("linked: increments of bac-00") and ": 1 not in the logs" in text for text in found) == 3
    assert any(text.startswith("linked: meters ") for text in found)


def started(stack: ExitStack, work_dir: Path, size: Size) -> Run:
    return Run(stack, work_dir, size, say=print, patience_s=PATIENCE_S)


def test_the_logs_have_void_coups_and_coups_without_wagers() -> None:
    found = [arithmetic(log(number, 100)) for number in range(8)]
    assert all(len(one.confirmed) == 100 for one in found)
    assert all(one.voided >= 2 for one in found)
    assert all(85 <= len(one.counted(unwagered=False)) < 100 for one in found)
    assert len(Table(0, 100).coup_ids(unwagered=True) | Table(8, 100).coup_ids(unwagered=True)) == 200


def test_a_plan_kills_everybody_alone_and_together_and_is_the_same_for_a_seed() -> None:
    victims = ["floor-1", "floor-2", "gateway", "broker", "postgresql"]
    some = list(islice(rounds(1, victims), 200))
    assert some == list(islice(rounds(1, victims), 200)) != list(islice(rounds(2, victims), 200))
    assert {len(one.victims) for one in some} == {1, 2, 4, 5}
    alone = Counter(one.victims[0] for one in some if len(one.victims) == 1)
    assert min(alone[victim] for victim in victims) >= 5
    assert Counter(name for one in each(3, victims, 2) for name in one.victims) == dict.fromkeys(victims, 2)
