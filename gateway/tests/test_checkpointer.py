"""Checkpointer: it works when it is woken, also after a failure, and rests otherwise."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sabot_gateway.ledger.checkpointer import Checkpointer
from support.patience import PATIENCE_S


def test_a_checkpoint_that_fails_is_tried_again_when_the_next_is_due_and_not_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger whose folder was moved away kept a core busy until the daemon ended."""
    path, tries = tmp_path / "away" / "ledger.db", list[Path]()
    connect = sqlite3.connect

    def counted(file: Path, **more: Any) -> Any:
        tries.append(file)
        return connect(file, **more)

    monkeypatch.setattr(sqlite3, "connect", counted)
    checkpointer = Checkpointer(path)
    for count in (1, 2, 3):
        checkpointer.wake()
        assert checkpointer.idle(PATIENCE_S)
        assert len(tries) == count
    path.parent.mkdir()
    for _ in range(2):
        checkpointer.wake()
        assert checkpointer.idle(PATIENCE_S)
    assert (path.exists(), len(tries)) == (True, 4)
    checkpointer.stop()
    assert not checkpointer.is_alive()


def test_what_is_in_the_write_ahead_log_comes_into_the_file(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE entries (seq INTEGER)")
        before = path.stat().st_size
        checkpointer = Checkpointer(path)
        checkpointer.wake()
        assert checkpointer.idle(PATIENCE_S)
        assert path.stat().st_size > before
        checkpointer.stop()
