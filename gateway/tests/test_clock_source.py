"""The PC's clock by chrony and timesyncd: recorded answers, the alarms, and what is not known."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sabot_gateway.ops.clock_alarms import NAMES, NOT_SET_S, ClockAlarms, sentence
from sabot_service.clock_source import ClockWatch, Reading, chrony, timesyncd
from test_app import Bench

# chrony 4.3, `chronyc -c tracking`: a client of a server on the same machine, 12 s after its start and at its start;
# `chronyc tracking` called the first "0.000001342 seconds fast of NTP time".
FAST = (
    "7F000001,127.0.0.1,9,1794974417.864643538,-0.000001342,-0.000000017,0.000003585,-0.010,-0.000,0.051,"
    "0.000005778,0.000000592,1.0,Normal\n"
)
FAST_AT_S = 1_794_974_418.0
# The same program; `chronyc settime` had put the server ahead: "2.225738287 seconds slow of NTP time". Then the server
# was killed: five seconds later, and as long as it was asked, the answer was still Normal.
SLOW = (
    "7F000001,127.0.0.1,11,1794986882.665132654,2.225738287,0.000000066,0.000000101,0.035,0.003,0.086,"
    "0.000005258,0.000000619,0.3,Normal\n"
)
SLOW_AT_S = 1_794_986_880.5
NOT_YET = (
    "00000000,,0,0.000000000,0.000000000,0.000000000,0.000000000,0.000,0.000,0.000,1.000000000,1.000000000,0.0,"
    "Not synchronised\n"
)
# systemd 252, `timedatectl timesync-status`, as its manual page and source print it.
SYNCD = """       Server: 185.125.190.57 (ntp.ubuntu.com)
Poll interval: 34min 8s (min: 32s; max 34min 8s)
         Leap: normal
      Version: 4
      Stratum: 2
    Reference: 8A0BCC8C
    Precision: 1us (-25)
Root distance: 24.420ms (max: 5s)
       Offset: -1.347ms
        Delay: 34.871ms
       Jitter: 1.079ms
 Packet count: 11
    Frequency: -12.337ppm
"""
SYNCD_NOT_YET = """       Server: n/a
Poll interval: 0 (min: 32s; max 34min 8s)
 Packet count: 0
"""


@pytest.mark.parametrize(
    ("text", "now_s", "reading"),
    [
        (FAST, FAST_AT_S, Reading("chrony", True, 0.000001342)),
        (SLOW, SLOW_AT_S, Reading("chrony", True, -2.225738287)),
        (SLOW, SLOW_AT_S + 3599.0, Reading("chrony", True, -2.225738287)),
        (SLOW, SLOW_AT_S + 3601.0, Reading("chrony", False)),
        (NOT_YET, FAST_AT_S, Reading("chrony", False)),
        ("506 Cannot talk to daemon\n", FAST_AT_S, None),
        (FAST.replace("-0.000001342", "x"), FAST_AT_S, None),
        ("", FAST_AT_S, None),
    ],
)
def test_chrony(text: str, now_s: float, reading: Reading | None) -> None:
    assert chrony(text, now_s) == reading


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        (SYNCD, Reading("timesyncd", True, 0.001347)),
        (SYNCD.replace("-1.347ms", "+1min 2.25s"), Reading("timesyncd", True, -62.25)),
        (SYNCD.replace("-1.347ms", "+62us"), Reading("timesyncd", True, -0.000062)),
        (SYNCD.replace("-1.347ms", "0"), Reading("timesyncd", True, 0.0)),
        (SYNCD.replace("-1.347ms", "much"), Reading("timesyncd", False)),
        (SYNCD_NOT_YET, Reading("timesyncd", False)),
        ("Failed to connect to bus: Host is down\n", None),
    ],
)
def test_timesyncd(text: str, reading: Reading | None) -> None:
    found = timesyncd(text)
    assert (found and found[:2]) == (reading and reading[:2])
    if reading and reading.offset_s is not None:
        assert found
        assert found.offset_s == pytest.approx(reading.offset_s)


def offset(offset_s: float) -> Reading:
    return Reading("chrony", synchronised=True, offset_s=offset_s)


def test_an_offset_is_an_alarm_until_it_is_half_the_limit() -> None:
    alarms = ClockAlarms(0.5)
    said = [bool(alarms.texts(offset(offset_s), 0.0)["clock_offset"]) for offset_s in (0.5, -0.51, 0.3, 0.25, 0.4)]
    assert said == [False, True, True, False, False]


@pytest.mark.parametrize(("offset_s", "way"), [(2.0, "2.00 s ahead of"), (-2.0, "2.00 s behind")])
def test_the_alarm_names_the_way(offset_s: float, way: str) -> None:
    assert f"clock is {way} its time server (chrony)" in ClockAlarms(0.5).texts(offset(offset_s), 0.0)["clock_offset"]


def test_a_clock_that_nothing_sets_is_an_alarm_after_an_hour() -> None:
    alarms, unset = ClockAlarms(0.5), Reading("timesyncd", synchronised=False)
    times = (0.0, NOT_SET_S - 1, NOT_SET_S, NOT_SET_S * 3)
    assert [bool(alarms.texts(unset, now_s)["clock_not_set"]) for now_s in times] == [False, False, True, True]
    assert alarms.texts(offset(0.0), NOT_SET_S * 4) == dict.fromkeys(NAMES, "")
    assert alarms.texts(unset, NOT_SET_S * 5 - 1)["clock_not_set"] == ""


def test_without_a_time_service_nothing_is_an_alarm() -> None:
    assert ClockAlarms(0.5).texts(None, 1e6) == dict.fromkeys(NAMES, "")


def test_the_sentence_of_the_status() -> None:
    assert sentence(None) == "not known: neither chrony nor systemd-timesyncd answers"
    assert sentence(offset(-0.0123)) == "0.012300 s behind its time server (chrony)"
    assert sentence(Reading("timesyncd", synchronised=False)) == "no time server sets it (timesyncd)"


def test_the_watch_has_the_newest_answer() -> None:
    watch = ClockWatch(lambda: offset(0.1))
    watch.start()
    while watch.reading is None:
        watch._stopping.wait(0.01)
    watch.close()
    assert watch.reading == offset(0.1)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    os.close(made.line)
    made.app.close()


def test_every_table_has_the_alarm_once_and_the_ledger_has_it(bench: Bench) -> None:
    app, watch = bench.app, bench.app.monitoring.clock

    def names(reading: Reading | None) -> list[str]:
        watch.reading = reading
        bench.now_s += 11
        for _ in range(3):
            app.step(0)
        return [alarm.name for alarm in app._tables["bac-01"].verifier.active()]

    assert names(None) == []
    assert names(offset(3.0)) == names(offset(4.0)) == ["clock_offset"]
    assert names(offset(0.01)) == []
    assert [topic for _, topic in bench.entries()] == ["alarm", "alarm"]
    assert "clock is 3.00 s ahead" in str(app._ledger.since(0, 1)[0].payload)
