"""Metrics and health of the daemon: what Prometheus gets, what is healthy, what is ready."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sabot_gateway.ops import metrics
from sabot_gateway.ops.check import metrics_facts
from sabot_gateway.ops.table_counts import EdgeDelay
from sabot_gateway.publish.latency import Times
from sabot_service.clock_source import Reading
from sabot_service.http_get import MOST_BYTES, BadRequestError, path_of
from sabot_service.metrics import CONTENT_TYPE, exposition
from sabot_service.monitor import Health, Monitor, Snapshot, metrics_problems
from shoe_events import SLOTS, cards, event, result
from support.patience import PATIENCE_S
from test_app import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    os.close(made.line)
    made.app.close()


def values(bench: Bench) -> dict[tuple[str, ...], float]:
    """Return every sample of the gateway: name and values of its labels, the table first."""
    app = bench.app
    text = exposition(metrics.FAMILIES, app.monitoring.snapshot().samples).decode()
    return {
        (sample.name, *sorted(sample.labels.values(), key="bac-01".__ne__)): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def played(bench: Bench) -> dict[tuple[str, ...], float]:
    """Deal a coup, reject a card, and close with what the sensors saw; return the samples after it."""
    bench.greet()
    speeds = {"speed_mean_mm_s": 900, "speed_least_mm_s": 300, "speed_most_mm_s": 2000}
    sensor = {"sensor": "a", "reads": 400, "rejects": 1, "spikes": 0, "margin_mean_pct": 85, "margin_worst_pct": 40}
    rejected = {"reason": "columns", "columns": 16, "doubtful": 0, "speed_mm_s": 900, "margin_pct": 0}
    heap = {"heap_free_bytes": 90_000, "heap_least_bytes": 80_000, "round_most_us": 1500}
    link = {"crc_errors": 0, "resends": 0, "refused": 0, "sample_overruns": 3}
    logged = [
        *cards(1, "9S 2H TD 3C", SLOTS, 1),
        result(5, "player", 9, 5, 1, natural=True),
        event(6, "reject", shoe_no=1, coup_no=1, **rejected),
        event(7, "sensor", shoe_no=1, **sensor, **speeds),
        event(8, "health", **heap, **link),
    ]
    bench.send(*(bench.shoe.logged(one) for one in logged), b"\x03\x11\x22\x00")
    return values(bench)


def test_what_a_table_has_done_is_counted(bench: Bench) -> None:
    found = played(bench)
    expected = {
        ("sabot_table_online", "bac-01"): 1,
        ("sabot_events_total", "bac-01"): 8,
        ("sabot_coups_total", "bac-01", "live"): 1,
        ("sabot_card_rejects_total", "bac-01", "columns"): 1,
        ("sabot_frames_bad_crc_total", "bac-01"): 1,
        ("sabot_sensor_margin_ratio", "bac-01", "a"): 0.85,
        ("sabot_card_speed_meters_per_second", "bac-01", "a"): 0.9,
        ("sabot_shoe_heap_free_bytes", "bac-01"): 90_000,
        ("sabot_shoe_round_most_seconds", "bac-01"): 0.0015,
        ("sabot_shoe_sampler_overruns_total", "bac-01"): 3,
        ("sabot_broker_connected",): 0,
        ("sabot_gateway_held",): 0,
        ("sabot_edge_delay_seconds_count", "bac-01"): 1,
        ("sabot_puback_seconds_count",): 0,
    }
    assert {name: found.get(name) for name in expected} == expected
    entries = len(bench.entries())
    assert found["sabot_ledger_entries_total",] == found["sabot_ledger_unpublished_entries",] == entries
    assert found["sabot_commit_seconds_count",] == entries


def test_every_family_has_samples_except_what_is_not_known(bench: Bench) -> None:
    played(bench)
    clock = Reading("chrony", synchronised=True, offset_s=0.25)
    app = bench.app
    app.monitoring.clock.reading = clock
    found = {**app.monitoring.snapshot().samples, **metrics.on_disk(bench.ledger_path, {"version": "1"})}
    empty = {name for name, samples in found.items() if not samples}
    assert empty == {"sabot_forecast_shoes"}
    assert found["sabot_clock_offset_seconds"] == [((), 0.25)]


def test_a_clock_that_is_not_known_has_no_metric(bench: Bench) -> None:
    names = {name for name, *_ in values(bench)}
    assert not {"sabot_clock_offset_seconds", "sabot_clock_synchronized"} & names


# Histograms


def test_a_histogram_counts_what_is_not_above_each_end() -> None:
    times = Times()
    for seconds in (0.0005, 0.003, 0.003, 200.0):
        times.add(seconds)
    histogram = times.histogram()
    below = dict(histogram.buckets)
    assert histogram.total == 4
    assert histogram.sum_s == pytest.approx(200.0065)
    assert [below[end] for end in (0.0008, 0.0016, 0.0032)] == [1, 1, 3]
    assert histogram.buckets[-1][1] == 3


def test_the_delay_of_a_card_is_counted_from_the_quickest_one() -> None:
    delay = EdgeDelay()
    for shoe_ms, now_s in ((1000, 50.0), (2000, 51.0), (3000, 52.2), (4000, 53.0)):
        delay.card(shoe_ms, now_s)
    below = dict(delay.histogram().buckets)
    assert (below[0.005], below[0.1], below[0.25], delay.histogram().total) == (3, 3, 4, 4)


def test_a_clock_that_drifts_or_starts_again_makes_no_delay() -> None:
    delay = EdgeDelay()
    for minute in range(600):  # the shoe's clock loses 100 in a million, and counts from 0 after 2**30 ms
        delay.card(int((2**30 / 60_000 - 300 + minute) * 60_000 * 0.9999) % 2**30, minute * 60.0)
    delay.restart()  # it was switched off and on
    delay.card(20, 36_100.0)
    assert dict(delay.histogram().buckets)[0.1] == 601


# HTTP


@pytest.mark.parametrize(
    ("received", "path"),
    [
        (b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "/metrics"),
        (b"GET /healthz?a=b HTTP/1.0\r\n\r\n", "/healthz"),
        (b"GET /metrics HTTP/1.1\r\nHost", None),
        (b"", None),
    ],
)
def test_the_path_of_a_request(received: bytes, path: str | None) -> None:
    assert path_of(received) == path


@pytest.mark.parametrize(
    ("received", "status"),
    [
        (b"POST /metrics HTTP/1.1\r\n\r\n", 405),
        (b"\x16\x03\x01 tls\r\n\r\n", 400),
        (b"GET /metrics\r\n\r\n", 400),
        (b"GET /" + b"a" * MOST_BYTES, 431),
    ],
)
def test_a_request_that_is_not_answered(received: bytes, status: int) -> None:
    with pytest.raises(BadRequestError) as refused:
        path_of(received)
    assert refused.value.status == status


class Served:
    """A monitor on a port of its own, with a loop that the test turns."""

    def __init__(self, stack: ExitStack) -> None:
        self.now_s, self.reasons, self.loops = 100.0, list[str](), threading.Event()
        self.health = Health(lambda: self.now_s)
        self.monitor = Monitor("127.0.0.1:0", metrics.FAMILIES, self.health)
        self.monitor.start()
        self._loop = threading.Thread(target=self._turn, daemon=True)
        self.loops.set()
        self._loop.start()
        stack.callback(self._end)
        while not self.monitor.port:
            self.monitor._stopping.wait(0.01)

    def _turn(self) -> None:
        while not self.monitor._stopping.wait(0.01):
            if self.loops.is_set():
                self.health.turned(self.now_s)
                self.health.give(lambda: Snapshot({"sabot_gateway_held": [((), 1.0)]}, self.reasons))

    def _end(self) -> None:
        self.monitor.close()
        self._loop.join()
        self.monitor._thread.join()

    def get(self, path: str) -> tuple[int, Any]:
        """Return status and body; a JSON one as values."""
        try:
            answer = urlopen(f"http://127.0.0.1:{self.monitor.port}{path}", timeout=PATIENCE_S)
        except HTTPError as error:
            answer = error
        with answer:
            body = answer.read()
            is_json = answer.headers["Content-Type"] == "application/json"
            return answer.status, msgspec.json.decode(body) if is_json else body.decode()


@pytest.fixture
def served() -> Iterator[Served]:
    with ExitStack() as stack:
        yield Served(stack)


def test_what_is_served(served: Served) -> None:
    status, text = served.get("/metrics")
    assert status == 200
    assert "\nsabot_gateway_held 1.0\n" in text
    assert "process_resident_memory_bytes" in text
    assert served.get("/healthz") == (200, {"status": "ok", "reasons": []})
    assert served.get("/readyz") == (200, {"status": "ready", "reasons": []})
    assert served.get("/")[0] == 404


def test_a_gateway_that_is_not_ready_gives_its_reasons(served: Served) -> None:
    served.reasons = ["no port is open at bac-01"]
    assert served.get("/readyz") == (503, {"status": "not ready", "reasons": ["no port is open at bac-01"]})


def test_a_loop_that_stands_still_is_not_healthy(served: Served) -> None:
    served.loops.clear()
    served.now_s += 11
    assert served.get("/healthz") == (
        503,
        {"status": "not ok", "reasons": ["no turn of the loop has ended for 11 s"]},
    )
    assert served.get("/readyz")[0] == 503
    assert served.get("/metrics")[0] == 503
    served.loops.set()
    assert served.get("/metrics")[0] == 200


def test_callers_that_send_nonsense_or_nothing_stop_nobody(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.monitor.port)) as silent:
        for data in (b"\0" * 100_000, b"GET /metrics HTTP/1.1\r\n\r\n", b""):
            with socket.create_connection(("127.0.0.1", served.monitor.port)) as caller:
                caller.sendall(data)
        assert served.get("/healthz")[0] == 200
        silent.close()


def test_a_port_in_use_is_a_problem_with_its_next_step() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        monitor = Monitor(address, metrics.FAMILIES, Health(lambda: 0.0))
        monitor.start()
        while not monitor.problem:
            monitor._stopping.wait(0.01)
        monitor.close()
    assert monitor.problem == (
        f"no metrics are served at {address}: Address already in use; free the port or change `metrics` in the config"
    )


@pytest.mark.parametrize("address", ["9464", ":9464", "127.0.0.1:port", "127.0.0.1:70000"])
def test_an_address_that_is_none(address: str) -> None:
    assert metrics_problems(address) == [f'metrics: {address!r} is no address; write "127.0.0.1:9464"']


def test_addresses() -> None:
    assert metrics_problems("127.0.0.1:9464") == metrics_problems("[::1]:9464") == metrics_problems(None) == []
    assert CONTENT_TYPE.startswith("text/plain; version=0.0.4")


@pytest.mark.parametrize(
    ("address", "status"), [("127.0.0.1:9464", "ok"), ("0.0.0.0:9464", "warning"), ("9464", "wrong")]
)
def test_the_check_of_an_address(address: str, status: str) -> None:
    (fact,) = metrics_facts(address)
    assert fact.status == status
    assert list(metrics_facts(None)) == []


def test_a_snapshot_of_many_tables_takes_a_few_of_them_in_a_turn(bench: Bench) -> None:
    monitoring, table = bench.app.monitoring, bench.app._tables["bac-01"]
    monitoring._tables = {f"t{number}": table for number in range(25)}
    asking = threading.Thread(target=monitoring.health.ask)
    asking.start()
    while not monitoring.health._wanted:
        monitoring.health._ready.wait(0.001)
    given = []
    for _ in range(3):
        monitoring.turned(bench.app._at())
        given.append(monitoring.health._given is not None)
    asking.join()
    assert given == [False, False, True]
    assert monitoring.health._given is not None
    assert len(monitoring.health._given.samples["sabot_events_total"]) == 25


# Ready


def test_why_a_gateway_is_not_ready(bench: Bench) -> None:
    monitoring = bench.app.monitoring
    assert monitoring.not_ready() == [bench.app._publish.mqtt.problem]
    bench.app.hold("test", "the ledger is away")
    bench.app._tables["bac-01"].line.close()
    assert monitoring.not_ready() == [
        "the ledger is away",
        bench.app._publish.mqtt.problem,
        "no port is open at bac-01",
    ]
