"""Metrics of the gateway: every family, and how its samples are read from the running parts."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from sabot_protocol.topics import Severity
from sabot_service.clock_source import Reading
from sabot_service.metrics import Family, Samples, Value

from sabot_gateway.publish.stage import PublishStage
from sabot_gateway.table_session import TableSession

_T = ("table",)
FAMILIES = (
    Family("sabot_build_info", "info", (), "Release of Sabot, and the site and name of this gateway."),
    # Tables
    Family("sabot_table_online", "gauge", _T, "1 while the shoe of the table is served."),
    Family("sabot_events_total", "counter", _T, "Events taken from the shoe."),
    Family("sabot_coups_total", "counter", (*_T, "kind"), "Coups, by kind; a void coup has the kind void."),
    Family("sabot_card_rejects_total", "counter", (*_T, "reason"), "Cards that were not read for certain."),
    Family("sabot_shoe_number", "gauge", _T, "Number of the shoe on the table."),
    Family("sabot_coups_disputed", "gauge", _T, "Coups that wait for a supervisor's decision."),
    Family("sabot_alarms_active", "gauge", (*_T, "severity"), "Active alarms."),
    Family("sabot_incidents_open", "gauge", _T, "Open incidents."),
    # The line
    Family("sabot_link_resends_total", "counter", _T, "Events or messages that the shoe sent again."),
    Family("sabot_link_gaps_total", "counter", _T, "Times that the next event was missing and was asked for again."),
    Family("sabot_frames_bad_crc_total", "counter", _T, "Frames with a wrong checksum."),
    Family("sabot_frames_forged_total", "counter", (*_T, "reason"), "Frames that are not of the shoe's session."),
    Family("sabot_frames_unreadable_total", "counter", (*_T, "reason"), "Frames that cannot be read."),
    Family("sabot_link_commands_dropped_total", "counter", _T, "Commands that the shoe never got."),
    # Latency
    Family("sabot_edge_delay_seconds", "histogram", _T,
           "From the edge of the first card of a read to the gateway, beyond the quickest card of the last minutes."),
    Family("sabot_commit_seconds", "histogram", (), "From the reading of an event's bytes to its durable commit."),
    Family("sabot_puback_seconds", "histogram", (), "From the reading of an event's bytes to the broker's PUBACK."),
    # Sensors and controller
    Family("sabot_sensor_margin_ratio", "gauge", (*_T, "sensor"), "Mean margin over the last shoe; 1 is best."),
    Family("sabot_sensor_margin_worst_ratio", "gauge", (*_T, "sensor"), "Least margin over the last shoe."),
    Family("sabot_sensor_reads", "gauge", (*_T, "sensor"), "Cards read in the last shoe."),
    Family("sabot_card_speed_meters_per_second", "gauge", (*_T, "sensor"), "Mean speed over the last shoe."),
    Family("sabot_shoe_heap_free_bytes", "gauge", _T, "Free heap of the shoe's controller after its last shoe."),
    Family("sabot_shoe_round_most_seconds", "gauge", _T, "Longest round of the shoe's main loop in its last shoe."),
    Family("sabot_shoe_sampler_overruns_total", "counter", _T, "Samples that the shoe has lost since its start."),
    Family("sabot_shoe_flash_worn_ratio", "gauge", _T, "Share of the flash's erases that is used; 1 is all."),
    Family("sabot_forecast_shoes", "gauge", (*_T, "part"), "Shoes until a part fails by its trend; absent if none."),
    # Ledger, broker, loop
    Family("sabot_ledger_entries_total", "counter", (), "Entries of the ledger: the number of the newest."),
    Family("sabot_ledger_unpublished_entries", "gauge", (), "Entries that the broker has not acknowledged."),
    Family("sabot_ledger_bytes", "gauge", (), "Size of the ledger with its write-ahead log."),
    Family("sabot_disk_free_bytes", "gauge", (), "Room on the disk of the ledger."),
    Family("sabot_disk_size_bytes", "gauge", (), "Size of the disk of the ledger."),
    Family("sabot_broker_connected", "gauge", (), "1 while the broker has accepted the gateway."),
    Family("sabot_topics_overwritten_total", "counter", (), "Messages of other clients on the gateway's topics."),
    Family("sabot_gateway_held", "gauge", (), "1 while nothing is taken from any shoe."),
    Family("sabot_loop_turns_total", "counter", (), "Turns of the loop that ended as they should."),
    # Clock
    Family("sabot_clock_offset_seconds", "gauge", (), "This PC's clock less its NTP source; above 0 it is ahead."),
    Family("sabot_clock_synchronized", "gauge", (), "1 while an NTP source sets this PC's clock; absent if not known."),
)  # fmt: skip

_OF_LINE = {  # family: the driver's counters in it
    "sabot_link_resends_total": ("repeated",),
    "sabot_link_gaps_total": ("gaps", "sequence_jumps"),
    "sabot_frames_bad_crc_total": ("crc_errors", "wrong_bcc"),
    "sabot_link_commands_dropped_total": ("dropped_commands",),
}
_OF_LINE_BY_REASON = {  # family: reason and counter
    "sabot_frames_forged_total": {
        "forged": "forged", "replayed": "replayed", "stray": "strays", "unauthenticated": "unauthenticated",
    },
    "sabot_frames_unreadable_total": {
        "cobs": "cobs_errors", "oversize": "oversize", "malformed": "malformed", "event": "unreadable",
        "cut_off": "cut_off", "too_long": "too_long", "short": "wrong_short", "value": "wrong_value",
        "bit7": "wrong_bit7",
    },
}  # fmt: skip
_SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "info")


def no_samples() -> Samples:
    """Return every family without a sample."""
    return {family.name: [] for family in FAMILIES}


def add_table(found: Samples, table: TableSession) -> None:
    """Add plain values of everything that the loop holds of a table; a tenth of a millisecond."""
    for name, labels, value in (*_of_table(table), *_of_line(table), *_of_shoe(table)):
        found[name].append(((table.name, *labels), value))


def add_gateway(found: Samples, publish: PublishStage, held: bool, turns: int, clock: Reading | None) -> None:
    """Add plain values of the gateway itself."""
    for name, value in _of_gateway(publish, held, turns, clock):
        found[name].append(((), value))


Sample = tuple[str, tuple[str, ...], Value]


def _of_table(table: TableSession) -> Iterator[Sample]:
    counts, verifier = table.counts, table.verifier
    yield "sabot_table_online", (), float(table.is_online())
    yield "sabot_events_total", (), counts.events
    yield from (("sabot_coups_total", (kind,), count) for kind, count in counts.coups.items())
    yield from (("sabot_card_rejects_total", (reason,), count) for reason, count in counts.rejects.items())
    yield "sabot_shoe_number", (), verifier.state.shoe_no or 0
    yield "sabot_coups_disputed", (), len(verifier.disputed()) + verifier.disputes.more
    active = [alarm.severity for alarm in verifier.active()]
    yield from (("sabot_alarms_active", (severity,), active.count(severity)) for severity in _SEVERITIES)
    yield "sabot_incidents_open", (), len(table.incidents.open())
    yield "sabot_edge_delay_seconds", (), counts.delay.histogram()


def _of_line(table: TableSession) -> Iterator[Sample]:
    counters = table.link.line_counters()
    for name, parts in _OF_LINE.items():
        yield name, (), sum(counters.get(part, 0) for part in parts)
    for name, reasons in _OF_LINE_BY_REASON.items():
        for reason, part in reasons.items():
            if part in counters:
                yield name, (reason,), counters[part]


def _of_shoe(table: TableSession) -> Iterator[Sample]:
    for sensor, measured in table.counts.sensors.items():
        yield "sabot_sensor_margin_ratio", (sensor,), measured["margin_mean_pct"] / 100
        yield "sabot_sensor_margin_worst_ratio", (sensor,), measured["margin_worst_pct"] / 100
        yield "sabot_sensor_reads", (sensor,), measured["reads"]
        yield "sabot_card_speed_meters_per_second", (sensor,), measured["speed_mean_mm_s"] / 1000
    shoe = table.counts.health
    if shoe:
        yield "sabot_shoe_heap_free_bytes", (), shoe["heap_free_bytes"]
        yield "sabot_shoe_round_most_seconds", (), shoe["round_most_us"] / 1_000_000
        yield "sabot_shoe_sampler_overruns_total", (), shoe["sample_overruns"]
    wear, unit = table.verifier.wear, table.link.unit or ""
    worn = wear.flash_worn(unit)
    if worn is not None:
        yield "sabot_shoe_flash_worn_ratio", (), worn
    for outlook in wear.outlooks(unit):
        if outlook.shoes is not None:
            yield "sabot_forecast_shoes", (outlook.part,), outlook.shoes


def _of_gateway(publish: PublishStage, held: bool, turns: int, clock: Reading | None) -> Iterator[tuple[str, Value]]:
    latency, publisher = publish.latency, publish.publisher
    yield "sabot_commit_seconds", latency.commits.histogram()
    yield "sabot_puback_seconds", latency.answers.histogram()
    yield "sabot_ledger_entries_total", publisher.behind() + publisher.done()
    yield "sabot_ledger_unpublished_entries", publisher.behind()
    yield "sabot_broker_connected", float(publish.connected())
    yield "sabot_topics_overwritten_total", publisher.retained.overwritten
    yield "sabot_gateway_held", float(held)
    yield "sabot_loop_turns_total", turns
    if clock is not None:
        yield "sabot_clock_synchronized", float(clock.synchronised)
        if clock.offset_s is not None:
            yield "sabot_clock_offset_seconds", clock.offset_s


def on_disk(ledger: Path, about: dict[str, str]) -> Samples:
    """Return what the file system knows, and what never changes; it may wait for a disk, so not for the loop."""
    found: dict[str, Any] = {"sabot_build_info": about, "sabot_ledger_bytes": float(ledger_bytes(ledger))}
    with suppress(OSError):
        room = os.statvfs(ledger.parent)
        found["sabot_disk_free_bytes"] = float(room.f_bavail * room.f_frsize)
        found["sabot_disk_size_bytes"] = float(room.f_blocks * room.f_frsize)
    return {name: [((), value)] for name, value in found.items()}


def ledger_bytes(ledger: Path) -> int:
    """Return the size of the file and of its write-ahead log."""
    size = 0
    for path in (ledger, ledger.with_name(f"{ledger.name}-wal")):
        with suppress(OSError):
            size += path.stat().st_size
    return size
