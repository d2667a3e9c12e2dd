"""Sidecar: what a recording is expected to bring, what of it is not compared and why, and the first difference."""

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from sabot_tools.replay.act_handlers import Json
from sabot_tools.replay.replayer import ReplayResult

COMPARED: Final = ("events", "published", "said")
_CONTEXT: Final = 2  # lines before a difference
_STATES: Final = ("alarms", "status")  # retained, the newest counts
_SPEED: Final = re.compile(r"\d+ mm/s")
_EMPTY: Final[tuple[Any, ...]] = ("", [], {}, None)


@dataclass(frozen=True)
class Ignored:
    """A field that is not compared: of an event, or of a topic; `*` is any. `bench` is empty where it is everywhere."""

    of: str
    name: str
    why: str
    benches: tuple[str, ...] = ()


_OTHERS: Final = ("rp2040", "port")
_SAMPLED: Final = "a board samples its sensors by a clock of its own: times and speeds differ by a little"
_BY_ID: Final = "its id says it"
IGNORED: Final = (
    Ignored("self_test", "image_hash", "of the firmware's text: every change of the program is another one"),
    Ignored("health", "heap_free_bytes", "of the interpreter, not of the shoe; hil_tests/test_9_soak.py watches it"),
    Ignored("health", "heap_least_bytes", "likewise"),
    Ignored("health", "round_most_us", "of the machine that the bench runs on"),
    Ignored("health", "resends", "the line's clock on the unix bench is real time"),
    Ignored("*", "rulebook", "the hash of the book's text; what the book decides is compared"),
    Ignored("*", "unit", _BY_ID),
    Ignored("*", "event_no", _BY_ID),
    Ignored("*", "table", "the topic says it"),
    Ignored("*", "time_ms", _SAMPLED, _OTHERS),
    Ignored("*", "time", _SAMPLED, _OTHERS),
    Ignored("*", "decided", _SAMPLED, _OTHERS),
    Ignored("*", "shoe_time_ms", _SAMPLED, _OTHERS),
    Ignored("*", "speed_mm_s", _SAMPLED, _OTHERS),
    Ignored("*", "margin_pct", _SAMPLED, _OTHERS),
    Ignored("*", "margin", _SAMPLED, _OTHERS),
    *(
        Ignored(of, name, _SAMPLED, _OTHERS)
        for of in ("sensor", "health")
        for name in (
            *("margin_mean", "margin_worst", "margin_mean_pct", "margin_worst_pct", "spikes"),
            *("speed_mean_mm_s", "speed_least_mm_s", "speed_most_mm_s"),
        )
    ),
)
# Counters of the line that real time decides on a unix bench: said twice is not lost.
NOT_COUNTED: Final = {
    "repeated": "a shoe that waits half a second of real time for its answer says it again",
    "shoe_resends": "likewise",
    "strays": "and introduces itself again",
}


class SidecarError(ValueError):
    """A sidecar that cannot be used, and the next step."""


def path_of(recording: Path) -> Path:
    """The sidecar of a recording."""
    return recording.with_suffix(".json")


def read(recording: Path) -> Json:
    """What stands beside a recording."""
    path = path_of(recording)
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise SidecarError(f"{path} is missing: `sabot replay --accept {recording}` writes it") from None
    except ValueError as error:
        raise SidecarError(f"{path}: {error}") from error
    if not isinstance(found, dict):
        raise SidecarError(f"{path}: no JSON object")
    return found


def check(recording: Path, sidecar: Json) -> None:
    """SidecarError where it is of another recording, or expects nothing."""
    if sidecar.get("sha256") != _sum(recording):
        raise SidecarError(
            f"{path_of(recording)} is of another recording: its sha256 is not that of {recording.name}; "
            f"look at what changed, then `sabot replay --accept {recording}`"
        )
    if not sidecar.get("events"):
        raise SidecarError(f"{path_of(recording)} expects no event: nothing would be compared")


def compared(line: Json, bench: str) -> Json:
    """A line without what is ignored on this bench, and without what is empty."""
    of = str(line.get("event", line.get("topic", ""))).rpartition("/")[2]
    left_out = {one.name for one in IGNORED if one.of in ("*", of) and (not one.benches or bench in one.benches)}
    return {name: _inner(value, bench) for name, value in line.items() if name not in left_out and value not in _EMPTY}


def _inner(value: Any, bench: str) -> Any:
    """Messages within a message are compared likewise, speeds in words as those in fields."""
    if isinstance(value, list):
        return [compared(one, bench) if isinstance(one, dict) else one for one in value]
    return _SPEED.sub("… mm/s", value) if isinstance(value, str) and bench in _OTHERS else value


def differences(sidecar: Json, found: ReplayResult, bench: str) -> list[str]:
    """What differs, in words with lines around it; nothing where all is as expected."""
    told = [*_silent(sidecar, found, bench), found.problem] if found.problem else []
    for part in COMPARED:
        expected = [compared(line, bench) for line in sidecar.get(part, [])]
        actual = [compared(line, bench) for line in getattr(found, part)]
        for group in _groups(expected, actual):
            pair = _of(group, expected, actual)
            told += _first_difference(group or part, pair[0], _lasting(group, *pair) if bench != "unix" else pair[1])
    if found.problem:
        return told
    expected_counters = dict.fromkeys(found.counters, "any") if found.noisy else sidecar.get("counters", {})
    return told + _counted(expected_counters, found.counters)


def _lasting(topic: str, expected: list[Json], actual: list[Json]) -> list[Json]:
    """States without those that stood for a moment only: on a slow line events come one by one, and states between."""
    if topic.rpartition("/")[2] not in _STATES:
        return actual
    waiting, kept = list(expected), []
    for state in actual:
        if waiting and state == waiting[0]:
            kept.append(waiting.pop(0))
    return kept if not waiting and kept[-1:] == actual[-1:] else actual


def _silent(sidecar: Json, found: ReplayResult, bench: str) -> list[str]:
    """After which event a replay stopped, where all until then is as expected and more was to come."""
    expected, actual = ([compared(line, bench) for line in lines] for lines in (sidecar["events"], found.events))
    if len(actual) >= len(expected) or expected[: len(actual)] != actual:
        return []
    last = f"after event {_event_name(actual[-1])}" if actual else "before its first event"
    return [f"the shoe went silent {last}; event {_event_name(expected[len(actual)])}, was to come next"]


def _event_name(line: Json) -> str:
    return f"{line['no']}, {line['event']}"


def _groups(*lists: list[Json]) -> list[str]:
    """Topics are compared one by one, other lines as they stand."""
    return sorted({str(line.get("topic", "")) for lines in lists for line in lines})


def _of(group: str, *lists: list[Json]) -> list[list[Json]]:
    return [[line for line in lines if str(line.get("topic", "")) == group] for lines in lists]


def _first_difference(name: str, expected: list[Json], actual: list[Json]) -> list[str]:
    if expected == actual:
        return []
    at = next((i for i, pair in enumerate(zip(expected, actual, strict=False)) if pair[0] != pair[1]), None)
    at = min(len(expected), len(actual)) if at is None else at
    before = [f"    {line_of(line)}" for line in expected[max(0, at - _CONTEXT) : at]]
    lines = [f"{name} {at + 1} differs ({len(expected)} expected, {len(actual)} came):", *before]
    lines += [f"  - {line_of(line)}" for line in expected[at : at + 1]] or ["  - (no more expected)"]
    lines += [f"  + {line_of(line)}" for line in actual[at : at + 1]] or ["  + (nothing more came)"]
    if at < len(expected) and at < len(actual):
        lines.append(f"    {_fields(expected[at], actual[at])}")
    return ["\n".join(lines)]


def _fields(expected: Json, actual: Json) -> str:
    """Which fields differ."""
    names = [name for name in {**expected, **actual} if expected.get(name) != actual.get(name)]
    return "; ".join(f"{name}: {expected.get(name)!r} expected, {actual.get(name)!r} came" for name in names)


def _counted(expected: dict[str, Any], actual: dict[str, int]) -> list[str]:
    """Counters of loss and damage are what is expected, zero where nothing is; `any` where a bad line decides."""
    return [
        f"counter {name}: {expected.get(name, 0)} expected, {actual.get(name, 0)} counted"
        for name in sorted({*expected, *actual})
        if _counts(name) and expected.get(name, 0) not in (actual.get(name, 0), "any")
    ]


def _counts(name: str) -> bool:
    return name not in NOT_COUNTED


def line_of(line: Json) -> str:
    """One object on one line."""
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def accepted(recording: Path, metadata: Json, found: ReplayResult) -> str:
    """The sidecar with what was found; truth stays as it was written."""
    path = path_of(recording)
    before: Json = read(recording) if path.exists() else {}
    counters = {name: "any" if found.noisy else value for name, value in found.counters.items() if _counts(name)}
    parts: Json = {
        "recording": recording.name,
        "sha256": _sum(recording),
        "about": metadata.get("about", before.get("about", "")),
        "covers": metadata.get("covers", before.get("covers", [])),
        **({"truth": before["truth"]} if "truth" in before else {}),
        "counters": counters,
        **{part: [compared(line, "unix") for line in getattr(found, part)] for part in COMPARED},
    }
    return dumped(parts)


def dumped(parts: Json) -> str:
    """A sidecar as a file: a line for each object in a list, so that a difference can be read."""
    return "{\n" + ",\n".join(f" {json.dumps(name)}: {_dumped(value, 1)}" for name, value in parts.items()) + "\n}\n"


def _dumped(value: Any, depth: int) -> str:
    indent = " " * depth
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return "[\n" + ",\n".join(f"{indent} {line_of(one)}" for one in value) + f"\n{indent}]"
    if isinstance(value, dict) and depth == 1 and any(isinstance(one, list) for one in value.values()):
        inner = (f"{indent} {json.dumps(name)}: {_dumped(one, depth + 1)}" for name, one in value.items())
        return "{\n" + ",\n".join(inner) + f"\n{indent}}}"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _sum(recording: Path) -> str:
    return sha256(recording.read_bytes()).hexdigest()
