"""The bench of jackpots: every contribution is counted once on both stores, and a meter that is wrong is no figure."""

from pathlib import Path

import pytest
from sabot_floor.store import audit, open_store
from sabot_tools.bench import jackpot_load
from sabot_tools.bench.figures import jackpot
from sabot_tools.bench.jackpot_load import BenchFaultError


def test_the_figures_have_goals_and_texts() -> None:
    found = {figure.name: figure for figure in jackpot.figures(many=600, few=5, rounds=1)}
    assert {name: (figure.goal, figure.unit) for name, figure in found.items()} == {
        "jackpot.sqlite_contributions": (20_000, "a second"),
        "jackpot.sqlite_batch_over_single": (5, "x"),
        "jackpot.postgresql_contributions": (5_000, "a second"),
        "jackpot.postgresql_batch_over_single": (5, "x"),
    }
    assert all(figure.ratio > 0 for figure in found.values())
    assert (
        "600 signed messages of 200 tables, 1,000 a commit, 2 processes"
        in found["jackpot.postgresql_contributions"].what
    )


def test_the_meter_is_compared_with_arithmetic(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    assert jackpot_load.run(url, 500, 100).contributions == 500
    with open_store(url, read_only=True) as store:
        assert audit.verify(store) == audit.Verdict(entries=501)
    jackpot_load.check(url, 500)
    with pytest.raises(BenchFaultError, match="501 contributions: In is 12500, and the log has 501 entries"):
        jackpot_load.check(url, 501)
