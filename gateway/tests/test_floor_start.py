"""The start of the floor service: it waits for a database server that is away, and for nothing else."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from floor_rig import JACKPOTS
from sabot_floor.app import started
from sabot_floor.config import Config
from sabot_floor.store import StoreError
from sabot_service.signals import Signals
from sabot_tools.stand.postgres import LocalPostgres
from support.patience import PATIENCE_S


def config(work_dir: Path, store: str) -> Config:
    (work_dir / "jackpots.toml").write_text(JACKPOTS)
    control = str(work_dir / "floor.sock")
    jackpots = str(work_dir / "jackpots.toml")
    return Config(site="test", store=store, broker="mqtt://127.0.0.1:9", jackpots=jackpots, control=control)


def test_it_waits_for_a_database_server_that_is_away(tmp_path: Path) -> None:
    with LocalPostgres() as server, ThreadPoolExecutor() as thread:
        chosen, signals = config(tmp_path, server.new_database()), Signals()
        server.kill()
        waiting = thread.submit(started, chosen, signals)
        server.start()
        app = waiting.result(PATIENCE_S)
        assert app is not None
        assert set(app.logs.served) == {"lucky-tie", "seat"}
        app.close()


def test_it_stops_while_it_waits(tmp_path: Path) -> None:
    with LocalPostgres() as server:
        chosen, signals = config(tmp_path, server.new_database()), Signals()
        server.kill()
        with ThreadPoolExecutor() as thread:
            waiting = thread.submit(started, chosen, signals)
            signals.stopping = True
            assert waiting.result(PATIENCE_S) is None


def test_a_store_that_cannot_be_used_at_all_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no-such-directory"):
        started(config(tmp_path, str(tmp_path / "no-such-directory" / "floor.db")), Signals())
