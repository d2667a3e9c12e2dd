"""New parameters of a floor service: the check and the start agree on what is refused, and on what is too early."""

from pathlib import Path

import pytest
from floor_rig import JACKPOTS
from sabot_floor.check import facts
from sabot_floor.jackpots.logs import JackpotLogs
from sabot_floor.jackpots.opening import open_jackpots
from sabot_floor.store import open_store
from sabot_protocol.jackpots import loading

NOW = "2026-11-17T12:00:00.000Z"
CONFIG = 'site = "test"\nstore = "floor.db"\nbroker = "mqtt://localhost"\njackpots = "jackpots.toml"\n'
LATER = ('in_force = "2025-01-01"', 'in_force = "2026-11-19"')
OTHER_BASE = ("base = 100_000", "base = 200_000")


def start(folder: Path, now: str, *changes: tuple[str, str]) -> tuple[list[str], dict[str, str], int]:
    """Return the sentences of a start with the changed file, the digests in its logs, and its entries."""
    text = JACKPOTS
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "jackpots.toml").write_text(text)
    (folder / "floor.toml").write_text(CONFIG)
    with open_store(str(folder / "floor.db")) as store:
        logs = JackpotLogs(store)
        said = open_jackpots(logs, loading.load(folder / "jackpots.toml"), now)
        states = {name: logs.state(name) for name in logs.served}
        entries = sum(len(store.read(name)) for name in store.logs())
    return said, {name: state.parameters.digest for name, state in states.items() if state}, entries


def fact(folder: Path, now: str = NOW) -> tuple[str, str]:
    """Return what the check finds about the jackpot."""
    return next(
        (one.status, one.says) for one in facts(folder / "floor.toml", now) if one.subject == "jackpot lucky-tie"
    )


def test_a_change_without_a_higher_version_is_refused_by_check_and_start(tmp_path: Path) -> None:
    start(tmp_path, NOW)
    said, _, entries = start(tmp_path, NOW, OTHER_BASE)
    assert entries == 2
    assert any("give a version above 1, the one in force" in sentence for sentence in said)
    status, says = fact(tmp_path)
    assert status == "wrong"
    assert says.startswith("the change will be refused: ")
    assert says.endswith("give a version above 1, the one in force")


def test_a_jackpot_is_not_opened_before_its_date(tmp_path: Path) -> None:
    said, opened, _ = start(tmp_path, NOW, LATER)
    assert list(opened) == ["seat"]
    assert said == [
        "jackpot lucky-tie: version 1 is in force from 2026-11-19, which has not come; nothing of it is opened or "
        "changed before that. Then let this service read the file again (SIGHUP)"
    ]
    assert fact(tmp_path)[0] == "warning"
    assert "it will not be opened before that" in fact(tmp_path)[1]


@pytest.mark.parametrize(("now", "opened"), [("2026-11-18T09:59:59.000Z", 1), ("2026-11-18T10:00:00.000Z", 2)])
def test_a_date_begins_where_it_begins_first(tmp_path: Path, now: str, opened: int) -> None:
    # 19 November begins at UTC+14 when it is 10:00 on the 18th in UTC
    assert len(start(tmp_path, now, LATER)[1]) == opened


def test_a_change_waits_for_its_date(tmp_path: Path) -> None:
    _, before, entries = start(tmp_path, NOW)
    changes = (LATER, OTHER_BASE, ('id = "lucky-tie"', 'id = "lucky-tie"\nversion = 2'))
    said, same, still = start(tmp_path, NOW, *changes)
    assert (same, still) == (before, entries)
    assert said[0].startswith("jackpot lucky-tie: version 2 is in force from 2026-11-19, which has not come")
    assert fact(tmp_path)[0] == "warning"
    said, after, more = start(tmp_path, "2026-11-19T00:00:00.000Z", *changes)
    assert (said, more) == ([], entries + 1)
    assert after["lucky-tie"] != before["lucky-tie"]  # it had not begun, so they apply at once
