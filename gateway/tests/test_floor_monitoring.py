"""Metrics and health of the floor service, on a real broker."""

from pathlib import Path

from floor_rig import JACKPOT, Rig, rig, server
from prometheus_client.parser import text_string_to_metric_families
from sabot_floor import monitoring
from sabot_floor.app import App
from sabot_service.metrics import exposition

__all__ = ["rig", "server"]


def values(app: App) -> dict[tuple[str, ...], float]:
    """Return every sample of the service: name and values of its labels."""
    samples = {**app.monitoring.snapshot().samples, **monitoring._on_disk(app.config)}
    text = exposition(monitoring.FAMILIES, samples).decode()
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_what_the_service_has_done_is_counted(rig: Rig) -> None:
    app = rig.start()
    table = rig.table()
    increments = [table.increment() for _ in range(5)]
    rig.send(*increments, increments[0])
    rig.settle()
    found = values(app)
    expected = {
        ("sabot_floor_broker_connected",): 1,
        ("sabot_floor_held",): 0,
        ("sabot_floor_messages_waiting",): 0,
        ("sabot_floor_increments_refused_total", JACKPOT, "repeat"): 1,
    }
    assert {name: found.get(name) for name in expected} == expected
    assert found["sabot_floor_messages_total",] >= 6
    assert found["sabot_floor_loop_turns_total",] > 0
    assert app.monitoring.not_ready() == []


def test_a_service_without_its_store_is_not_ready_and_its_loop_goes_on(rig: Rig) -> None:
    app = rig.start()
    rig.settle()
    app.hold.begin("the store is away", app._at())
    turns = app.monitoring.health.turns
    app.step(0)
    assert app.monitoring.not_ready() == ["the store is away"]
    assert app.monitoring.health.turns == turns + 1
    assert app.monitoring.snapshot().samples["sabot_floor_held"] == [((), 1.0)]


def test_a_store_in_a_file_has_a_size(rig: Rig) -> None:
    app = rig.start()
    found = values(app)
    if Path(app.config.store).exists():
        assert found["sabot_floor_store_bytes",] == Path(app.config.store).stat().st_size
        assert found["sabot_floor_disk_free_bytes",] > 0
    else:  # a database server
        assert ("sabot_floor_store_bytes",) not in found
