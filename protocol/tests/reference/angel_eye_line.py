"""From steps of play to bytes on a line: sequence, copies, damage, segments and times, as vectors and sessions.

All times are multiples of 1/128 s, so that sums and differences of them are exact.
"""

import random
from typing import Any, NamedTuple

from angel_eye_plays import Step, bcc

Report = dict[str, Any]
TICK = 1 / 128
CYCLES = ("123456789", "0123456789", "0123456789ABCDEF", "123456789ABCDEF", "12", "1")


class Style(NamedTuple):
    """How one line behaves. Times in ticks."""

    cycle: str
    copies: tuple[int, ...]
    copy_gap: int
    step_gaps: tuple[int, ...]
    damage: float
    segments: str
    delays: tuple[int, ...]


class Arrival(NamedTuple):
    """Bytes, a command or a loss of the link at a time in ticks."""

    at: int
    what: str
    data: bytes = b""


def style(chance: random.Random) -> Style:
    """A quiet line half of the time; otherwise interleaved, damaged, held up."""
    quiet = chance.random() < 0.5
    return Style(
        cycle=chance.choice(CYCLES[:2] if quiet else CYCLES),
        copies=(3,) if quiet else chance.choice([(1,), (1, 2, 3), (2, 3), (3, 4, 7)]),
        copy_gap=8 if quiet else chance.choice([3, 8, 40, 70, 128]),
        step_gaps=(130, 200, 700) if quiet else chance.choice([(1,), (2, 5), (2, 300), (60, 129), (20, 1000)]),
        damage=0.0 if quiet else chance.choice([0.0, 0.1, 0.4]),
        segments=chance.choice(["whole", "copies", "bytes", "cuts", "cuts"]),
        delays=(0,) if quiet else chance.choice([(0,), (0, 0, 0, 1), (0, 0, 0, 63, 64, 65), (0, 0, 0, 0, 128, 129)]),
    )


def frame(seq: str, body: bytes) -> bytes:
    counted = seq.encode() + body + b"\x03"
    return b"\x05" + counted + bcc(counted)


def damaged(chance: random.Random, data: bytes) -> bytes:
    """One copy with one fault."""
    at = chance.randrange(len(data))
    fault = chance.choice(["flip", "flip", "drop", "insert", "cut", "late start", "seven bits", "lost", "enq"])
    if fault == "flip":
        return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
    if fault == "drop":
        return data[:at] + data[at + 1 :]
    if fault == "insert":
        return data[:at] + bytes([chance.choice([*range(256), 2, 3, 5, 6, 21])]) + data[at:]
    if fault == "seven bits":
        return bytes(byte & 0x7F for byte in data)
    return {"cut": data[:at], "late start": data[at:], "lost": b"", "enq": b"\x05\x05" + data}[fault]


def copies(chance: random.Random, line: Style, steps: list[Step]) -> list[Arrival]:
    """Number the frames and send each several times; copies of near frames are interleaved."""
    arrivals, clock, place = list[Arrival](), 0, chance.randrange(len(line.cycle))
    for step in steps:
        if step.what == "send":
            if step.data[:1] == b"S":
                place = 0
            data = frame(line.cycle[place % len(line.cycle)], step.data)
            for copy in range(chance.choice(line.copies)):
                sent = damaged(chance, data) if chance.random() < line.damage else data
                arrivals.append(Arrival(clock + copy * line.copy_gap, "rx", sent))
        elif step.what != "lost":
            arrivals.append(Arrival(clock, "rx" if step.what == "raw" else step.what, step.data))
        if step.what in ("send", "lost") and step.data[:1] != b"S":
            place += 1
        clock += chance.choice(line.step_gaps)
    return sorted(arrivals, key=lambda item: item.at)


def segments(chance: random.Random, line: Style, arrivals: list[Arrival]) -> list[Arrival]:
    """Cut the bytes into segments and hold some up; order never changes."""
    answer, clock = list[Arrival](), 0
    for item in joined(arrivals) if line.segments == "cuts" else arrivals:
        clock = max(clock, item.at)
        if item.what != "rx":
            answer.append(item._replace(at=clock))
            continue
        for part in parts(chance, line.segments, item.data):
            clock += chance.choice(line.delays)
            answer.append(Arrival(clock, "rx", part))
    return answer


def joined(arrivals: list[Arrival]) -> list[Arrival]:
    """Join bytes that come within a quarter of a second, as a converter may."""
    answer = list[Arrival]()
    for item in arrivals:
        last = answer[-1] if answer else None
        if last and last.what == item.what == "rx" and item.at - last.at < 32:
            answer[-1] = Arrival(item.at, "rx", last.data + item.data)
        else:
            answer.append(item)
    return answer


def parts(chance: random.Random, how: str, data: bytes) -> list[bytes]:
    if how == "bytes":
        return [bytes([byte]) for byte in data]
    if how != "cuts":
        return [data] if data else []
    cuts = sorted(chance.randrange(len(data) + 1) for _ in range(chance.randint(0, 6)))
    return [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True) if start < end]


def spaced(data: bytes) -> str:
    return data.hex(" ").upper()


def vector(name: str, arrivals: list[Arrival], whole: bool) -> Report:
    """The bytes as a line for `sabot angel-eye decode`; commands and losses of the link have no place there."""
    chunks = [item for item in arrivals if item.what == "rx" and item.data]
    line = {"id": name, "dir": "from_shoe", "hex": spaced(b"".join(item.data for item in chunks))}
    if whole:
        return line
    return line | {"chunks": [spaced(item.data) for item in chunks], "at": [item.at * TICK for item in chunks]}


def session(arrivals: list[Arrival]) -> list[Report]:
    """The bytes as a session; a loss of the link loses the end of what came last and what comes in the next moments."""
    events: list[Report] = [{"t": 0.0, "ev": "connect"}]
    back = 0
    for item in arrivals:
        now = item.at * TICK
        if item.what == "cut":
            if events[-1]["ev"] == "rx":
                events[-1]["hex"] = spaced(bytes.fromhex(events[-1]["hex"])[: -item.data[0] or None])
            events += [{"t": now, "ev": "disconnect"}, {"t": now + 8 * TICK, "ev": "connect"}]
            back = item.at + 8
        elif item.at >= back and item.data:
            events.append({"t": now, "ev": item.what, "hex": spaced(item.data)})
    return events
