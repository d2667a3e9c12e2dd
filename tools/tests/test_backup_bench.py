"""The bench of backups: a copy is made beside a load, and both are whole."""

from sabot_tools.bench import backup_load
from sabot_tools.bench.figures import backup
from sabot_tools.bench.gateway_load import LoadPlan


def test_a_backup_is_made_beside_the_load() -> None:
    result = backup_load.run(LoadPlan(ports=3, frames=200, rate=50, most_s=60), coups=100)
    assert result.load.coups == result.load.due_coups
    assert result.printed.endswith("verified")
    assert len(result.beside_ms) + len(result.alone_ms) > result.load.coups // 2
    assert "write-ahead log up to" in backup.describe(result)
