"""A few seconds of the siege: all attackers at once against the real daemon; `make siege` for half an hour."""

from dataclasses import replace
from pathlib import Path

from siege import report
from siege.ground import Order
from siege.runner import besiege
from support.patience import PATIENCE_S


def test_honest_tables_play_on_while_everybody_attacks(tmp_path: Path) -> None:
    order = Order(tmp_path, seed=7, baseline_s=0.3, siege_s=4.0, kill_s=1.5, verify_every_s=2.0)
    found = report.document(*besiege(replace(order, drain_s=PATIENCE_S, stalled_s=PATIENCE_S)))
    assert found["passed"], report.words(found)
    assert all(table["latency_ms"]["siege"]["count"] for table in found["honest"].values())
    assert {"control", "mqtt", "files", *(f"x{number:02}" for number in range(1, 9))} <= set(found["attackers"])
