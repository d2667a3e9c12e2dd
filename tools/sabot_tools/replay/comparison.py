"""Compares a replay with its sidecar: which fields are ignored and why, and the first difference of each list."""

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sabot_tools.replay.recording_file import Json
from sabot_tools.replay.result import ReplayResult

COMPARED: Final = ("events", "published", "said")
_CONTEXT: Final = 2  # lines shown before a difference
_STATES: Final = ("alarms", "status")  # retained topics: only the newest message counts
_SPEED: Final = re.compile(r"\d+ mm/s")
_NOT_YET: Final = "no shoe has answered at this table since the gateway started"
_EMPTY: Final[tuple[Any, ...]] = ("", [], {}, None)


@dataclass(frozen=True)
class Ignored:
    """A field that is not compared.

    `of` is the kind of event, the topic, or `counters`, `*` for any; `benches` and `recordings`, files without their
    folder, are empty if it is ignored in all.
    """

    of: str
    name: str
    why: str
    benches: tuple[str, ...] = ()
    recordings: tuple[str, ...] = ()

    def applies(self, of: str, bench: str, recording: str) -> bool:
        """Return True if the field is ignored there."""
        named = not self.recordings or recording in self.recordings
        return self.of in ("*", of) and (not self.benches or bench in self.benches) and named


_BOARDS: Final = ("rp2040", "port")
_SAMPLED: Final = "a board samples its sensors by its own clock: times and speeds differ slightly"
_CHIP: Final = ("rp2040",)
_TOO_SHORT: Final = "PIO samples every 8 us: it sees 20 to 24 of 62 changes, the others are over before its next sample"
_TOO_MANY: Final = "669 changes in 85 ms overrun the ring of 256; which are lost depends on what the CPU does besides"
_ON_AN_EDGE: Final = "a stretch 7 us below the limit for specks: at one phase of the samples in eight it is a column"
_NUMBERING: Final = (
    "the place in the ledger depends on when each part answered; gateway/tests/test_publish.py checks it"
)
_IN_THE_ID: Final = "it is part of the id"
IGNORED: Final = (
    Ignored("self_test", "image_hash", "the hash of the firmware: it changes with every change of the program"),
    Ignored("health", "heap_free_bytes", "depends on the interpreter; hil_tests/test_9_soak.py checks it"),
    Ignored("health", "heap_least_bytes", "depends on the interpreter; hil_tests/test_9_soak.py checks it"),
    Ignored("health", "round_most_us", "depends on the machine of the bench"),
    Ignored("health", "resends", "the line's clock on the unix bench is real time"),
    Ignored("status", "setup", "what the config offers; gateway/tests/test_table_setup.py checks it"),
    Ignored("*", "rulebook", "the hash of the rulebook's text; what the rulebook decides is compared"),
    Ignored("*", "unit", _IN_THE_ID),
    Ignored("*", "event_no", _IN_THE_ID),
    Ignored("*", "table", "it is part of the topic"),
    Ignored("status", "ledger", "made at random by each new ledger"),
    Ignored("status", "tables", "what the config serves; gateway/tests/test_reload.py checks it"),
    Ignored("*", "gateway", "made at random by each new ledger"),
    Ignored("*", "entry", _NUMBERING),
    Ignored("*", "after", _NUMBERING),
    Ignored("*", "hash", "of the ledger's entry: it covers the id of the gateway, made at random"),
    Ignored("*", "time_ms", _SAMPLED, _BOARDS),
    Ignored("*", "time", _SAMPLED, _BOARDS),
    Ignored("*", "decided", _SAMPLED, _BOARDS),
    Ignored("*", "shoe_time_ms", _SAMPLED, _BOARDS),
    Ignored("*", "speed_mm_s", _SAMPLED, _BOARDS),
    Ignored("*", "margin_pct", _SAMPLED, _BOARDS),
    Ignored("*", "margin", _SAMPLED, _BOARDS),
    *(
        Ignored(of, name, _SAMPLED, _BOARDS)
        for of in ("sensor", "health")
        for name in (
            *("margin_mean", "margin_worst", "margin_mean_pct", "margin_worst_pct", "spikes"),
            *("speed_mean_mm_s", "speed_least_mm_s", "speed_most_mm_s"),
        )
    ),
    Ignored("reject", "columns", _TOO_SHORT, _CHIP, ("noise.shoe",)),
    Ignored("reject", "columns", _ON_AN_EDGE, _CHIP, ("half-drawn.shoe",)),
    *(Ignored("reject", name, _TOO_MANY, _CHIP, ("flicker.shoe",)) for name in ("reason", "columns", "doubtful")),
    Ignored("counters", "shoe_sample_overruns", _TOO_MANY, _CHIP, ("flicker.shoe",)),
)
# Counters that depend on real time on the unix bench: a repeated message is not a lost one.
IGNORED_COUNTERS: Final = {
    "repeated": "a shoe that waits half a second of real time for its answer sends again",
    "shoe_resends": "a shoe that waits half a second of real time for its answer sends again",
    "strays": "a shoe that waits for its answer sends HELLO again",
}


@cache
def _ignored(of: str, bench: str, recording: str) -> set[str]:
    return {one.name for one in IGNORED if one.applies(of, bench, recording)}


def compared_fields(line: Json, bench: str, recording: str = "") -> Json:
    """Return a line without the fields that are ignored on this bench, and without empty ones."""
    of = str(line.get("event", line.get("topic", ""))).rpartition("/")[2]
    left_out = _ignored(of, bench, recording)
    return {name: _inner(value, bench) for name, value in line.items() if name not in left_out and value not in _EMPTY}


def _inner(value: Any, bench: str) -> Any:
    """Compare messages within a message, and speeds within a text, as those at the top level."""
    if isinstance(value, list):
        return [compared_fields(one, bench) if isinstance(one, dict) else one for one in value]
    return _SPEED.sub("… mm/s", value) if isinstance(value, str) and bench in _BOARDS else value


def compared_counters(counters: dict[str, int]) -> dict[str, int]:
    """Return the counters that are compared."""
    return {name: value for name, value in counters.items() if name not in IGNORED_COUNTERS}


def differences(sidecar: Json, result: ReplayResult, bench: str) -> list[str]:
    """Return a description of each difference, with the lines before it; empty if there is none."""
    recording = str(sidecar.get("recording", ""))
    found = [*_stopped_after(sidecar, result, bench), result.problem] if result.problem else []
    for part in COMPARED:
        expected, actual = (
            [compared_fields(line, bench, recording) for line in lines if not _is_before_the_shoe(line)]
            for lines in (sidecar.get(part, []), getattr(result, part))
        )
        for topic in _topics(expected, actual):
            wanted, got = _of_topic(topic, expected, actual)
            found += _first_difference(topic or part, wanted, got if bench == "unix" else _lasting(topic, wanted, got))
    if result.problem:
        return found
    expected_counters = dict.fromkeys(result.counters, "any") if result.noisy else sidecar.get("counters", {})
    left_out = _ignored("counters", bench, recording) | IGNORED_COUNTERS.keys()
    return found + _counter_differences(expected_counters, result.counters, left_out)


def _is_before_the_shoe(line: Json) -> bool:
    """Return True for a status that is published only if the gateway is ready before the shoe answers."""
    return str(line.get("topic", "")).endswith("/status") and str(line.get("problem", "")).startswith(_NOT_YET)


def _lasting(topic: str, expected: list[Json], actual: list[Json]) -> list[Json]:
    """Leave out short-lived states: on a slow line events arrive one by one, with states in between."""
    if topic.rpartition("/")[2] not in _STATES:
        return actual
    waiting, kept = list(expected), []
    for state in actual:
        if waiting and state == waiting[0]:
            kept.append(waiting.pop(0))
    return kept if not waiting and kept[-1:] == actual[-1:] else actual


def _stopped_after(sidecar: Json, result: ReplayResult, bench: str) -> list[str]:
    """Name the event after which the replay stopped, if all events before are as expected and more were to come."""
    expected, actual = (
        [compared_fields(line, bench) for line in lines] for lines in (sidecar["events"], result.events)
    )
    if len(actual) >= len(expected) or expected[: len(actual)] != actual:
        return []
    last = f"after event {_event_name(actual[-1])}" if actual else "before its first event"
    return [f"the shoe stopped {last}; the next event should be {_event_name(expected[len(actual)])}"]


def _event_name(line: Json) -> str:
    return f"{line['no']} ({line['event']})"


def _topics(*lists: list[Json]) -> list[str]:
    """Return the topics, which are compared one by one; lines without a topic are one group."""
    return sorted({str(line.get("topic", "")) for lines in lists for line in lines})


def _of_topic(topic: str, *lists: list[Json]) -> list[list[Json]]:
    return [[line for line in lines if str(line.get("topic", "")) == topic] for lines in lists]


def _first_difference(name: str, expected: list[Json], actual: list[Json]) -> list[str]:
    if expected == actual:
        return []
    at = next((i for i, pair in enumerate(zip(expected, actual, strict=False)) if pair[0] != pair[1]), None)
    at = min(len(expected), len(actual)) if at is None else at
    before = [f"    {json_line(line)}" for line in expected[max(0, at - _CONTEXT) : at]]
    lines = [f"{name} {at + 1} differs ({len(expected)} expected, {len(actual)} found):", *before]
    lines += [f"  - {json_line(line)}" for line in expected[at : at + 1]] or ["  - (no more expected)"]
    lines += [f"  + {json_line(line)}" for line in actual[at : at + 1]] or ["  + (no more found)"]
    if at < len(expected) and at < len(actual):
        lines.append(f"    {_field_differences(expected[at], actual[at])}")
    return ["\n".join(lines)]


def _field_differences(expected: Json, actual: Json) -> str:
    names = [name for name in {**expected, **actual} if expected.get(name) != actual.get(name)]
    return "; ".join(f"{name}: {expected.get(name)!r} expected, {actual.get(name)!r} found" for name in names)


def _counter_differences(expected: dict[str, Any], actual: dict[str, int], left_out: set[str]) -> list[str]:
    """Compare counters of loss and damage; one that is not expected must be zero, `any` accepts every value."""
    return [
        f"counter {name}: {expected.get(name, 0)} expected, {actual.get(name, 0)} counted"
        for name in sorted({*expected, *actual})
        if name not in left_out and expected.get(name, 0) not in (actual.get(name, 0), "any")
    ]


def json_line(line: Json) -> str:
    """Return an object as JSON on one line."""
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))
