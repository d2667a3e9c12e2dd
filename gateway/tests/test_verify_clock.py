"""Verify: the shoe's clock against the gateway's."""

from shoe_events import SLOTS
from verified_log import FOUR, Log


def utc(second: int) -> str:
    return f"2026-01-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.000Z"


def test_cards_faster_than_a_hand_are_one_alarm() -> None:
    log = Log()
    for card, slot in zip(FOUR.split(), SLOTS, strict=False):
        log("card", ms=20, shoe_no=1, coup_no=1, slot=slot, card=card, speed_mm_s=900, margin_pct=80, flags={})
    assert log.alarm("cards_too_fast").shoe_says == "20 ms apart"


def test_the_shoes_clock_may_wrap_and_restart_but_not_go_back() -> None:
    log = Log()
    log("key", ms=2**29 - 1, on=1)
    log("key", ms=2**29 - 1, on=0)
    log("boot", ms=-5000, boot_count=2, cause="power")
    assert log.alarms("shoe_clock") == []
    log("key", ms=-5000, on=1)
    log("key", ms=-5000, on=0)
    assert log.alarm("shoe_clock").say.startswith("The shoe's clock went back without a restart.")


def test_late_events_do_not_make_a_clock_wrong() -> None:
    log = Log()
    for second, ms in ((10, 1000), (3610, 1000), (3610, 1000), (3610, 3_590_000), (3620, 10_000)):
        log("key", ms=ms, time=utc(second), on=1)
    assert log.alarms("shoe_clock", "gateway_clock") == []


def test_a_gateway_clock_that_goes_back_an_hour_is_one_alarm() -> None:
    log = Log()
    log.card("9S", "player_1")
    for second in (7200, 7201, 3601, 3602, 2, 3):
        log("key", time=utc(second), on=1)
    assert log.alarm("gateway_clock").cards_say == "3600 seconds back"
    assert log.alarms("shoe_clock") == []


def test_a_shoe_that_runs_ahead_and_a_drift_between_two_settings() -> None:
    ahead = Log()
    ahead("key", time=utc(10), on=1)
    ahead("key", time=utc(610), ms=600_000, on=1)
    ahead("key", time=utc(620), ms=30_000, on=0)
    assert ahead.alarm("shoe_clock").cards_say == "20 seconds ahead"
    drift = Log()
    drift("time_set", utc_s=1000, utc_ms=0)
    drift("time_set", ms=100_000, utc_s=1120, utc_ms=0)
    assert drift.alarms("shoe_clock") == []
    drift("time_set", ms=100_000, utc_s=1260, utc_ms=0)
    assert (drift.alarm("shoe_clock").shoe_says, drift.alarm("shoe_clock").cards_say) == (
        "100 s",
        "140 s by the gateway",
    )


def test_a_bench_that_plays_fast_does_not_make_a_clock_wrong() -> None:
    log = Log()
    for second in range(100):
        log("key", time=utc(second), ms=30_000, on=1)
    log("time_set", utc_s=1000, utc_ms=0)
    log("time_set", ms=100_000, utc_s=1010, utc_ms=0)
    assert log.alarms("shoe_clock", "gateway_clock") == []
