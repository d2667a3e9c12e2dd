"""What a replay has produced: events, published messages, answers to people and counters, as a sidecar keeps them."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec
from sabot_gateway.shoe import parse
from sabot_gateway.shoe.session import frame_bytes

from sabot_tools.replay.recording_file import Json
from sabot_tools.replay.system import ReplaySystem
from sabot_tools.text.line_frames import plain

_BROKER_PORT: Final = 1883  # of every result, whichever port the broker had
_SHOE_COUNTERS: Final = ("crc_errors", "resends", "refused", "sample_overruns")
# `ledger` has hashes of the program itself: hil_tests/test_7_heads.py compares them. What people asked for is in the
# recording, and their answers are `said`. Incidents follow from the alarms and coups, which are compared:
# gateway/tests/test_incident_book.py. So do `history` and `hand`: gateway/tests/test_screen_random.py. A `beat`
# comes by the clock alone.
_NOT_COMPARED: Final = ("ledger", "attempt", "outcome", "incident", "open", "history", "hand", "beat")


@dataclass
class ReplayResult:
    """The fields have the names of the sidecar's keys; `said` are the answers that people got."""

    events: list[Json] = field(default_factory=list)
    published: list[Json] = field(default_factory=list)
    said: list[Json] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)
    problem: str = ""  # why the replay did not reach its end
    noisy: bool = False  # the line lost or damaged bytes: the number of repeats is then random


def collect(system: ReplaySystem, answers: list[Json], *, noisy: bool) -> ReplayResult:
    """Return everything that is compared, without counters; ids that differ in each run are replaced by names."""
    names = dict(_names(system))
    received = system.subscriber.received
    published = [{"topic": topic, **one} for topic, one in received if topic.rpartition("/")[2] not in _NOT_COMPARED]
    return ReplayResult(
        _replaced([_event(entry.unit, entry.frame) for entry in system.gateway.ledger() if entry.frame], names),
        _replaced(sorted(published, key=lambda line: str(line["topic"])), names),
        _replaced(answers, names),
        noisy=noisy,
    )


def _event(unit: str, frame: bytes) -> Json:
    event = parse.event(unit, parse.frame(frame))
    data = {name: _set_flags(value) for name, value in plain(event.data).items()}
    return {"no": event.event_no, "unit": unit, "time_ms": event.time_ms, "event": event.kind, **data}


def _set_flags(value: Any) -> Any:
    """Return the names of the flags that are set; any other value as it is."""
    is_flags = isinstance(value, dict) and value and all(isinstance(flag, bool) for flag in value.values())
    return [name for name, is_set in value.items() if is_set] if is_flags else value


def _names(system: ReplaySystem) -> Iterator[tuple[str, str]]:
    """Yield the texts that differ in each run, and what replaces them; none of them can be a part of a number."""
    if system.gateway_id:
        yield system.gateway_id, "gateway"
    for number, unit in enumerate(system.shoe.units, 1):
        yield unit, "shoe" if number == 1 else f"shoe-{number}"
    yield system.line.port, "PORT"
    yield str(system.work_dir), "FOLDER"
    address = system.broker.address
    yield str(address), str(replace(address, port=_BROKER_PORT))


def _replaced(lines: list[Json], names: dict[str, str]) -> list[Json]:
    text = msgspec.json.encode(lines).decode()
    for value, name in names.items():
        text = text.replace(value, name)
    found: list[Json] = msgspec.json.decode(text)
    return found


def counters(system: ReplaySystem) -> dict[str, int]:
    """Return the counters above zero: of all gateways so far, and of the shoe since its start."""
    found = system.killed_counters.copy()
    if system.gateway.app is not None:
        status = system.status()
        found.update(status["tables"][0]["line"])
        if system.shoe.powered and system.line.monitor.in_session:
            hello = _ask_for_hello(system, bytes.fromhex(status["gateway"]))
            found.update({f"shoe_{name}": hello[name] for name in _SHOE_COUNTERS})
    return {name: value for name, value in found.items() if value}


def _ask_for_hello(system: ReplaySystem, gateway: bytes) -> Json:
    """Return a new HELLO of the shoe, which has its counters."""
    monitor, monitor.hello = system.line.monitor, {}
    system.rig.send(frame_bytes("who", {"gateway": gateway, "nonce": bytes(8)}, 0, 0.0))
    system.run_until(lambda: bool(monitor.hello), "the shoe sends its counters")
    return monitor.hello
