"""Angel Eye: any bytes on its line go through decoder, driver, tracker, verifier and screens, in reads of any size.

The first byte chooses. Bit 0: the rest are bytes of the line, else frames with a right BCC are made of it. Bits 1 and
2: the settings. Bits 3 to 5: the rulebook.
"""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from sabot_gateway.angel_eye.driver import AngelEyeDriver
from sabot_gateway.angel_eye.verifier import AngelEyeVerifier, Settings
from sabot_gateway.config import Table
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.shoe.ports import Line
from sabot_gateway.table_session import TableSession
from sabot_protocol import rulebooks
from sabot_protocol.angel_eye import build
from sabot_protocol.angel_eye.decoder import WHOLE

from fuzzing import table_end
from fuzzing.oracle import require
from fuzzing.reads import Choices
from fuzzing.table_end import Segment

MOST_BYTES = 1024
_UNIT = "ae-0000000000001"
_VECTORS = Path(__file__).parents[3] / "protocol" / "vectors" / "angel_eye"
_SEQUENCE = "123456789"
_BOOKS = rulebooks.ids()


def run(data: bytes) -> None:
    """One read and many give the same entries, alarms, incidents and screens; nothing raises, nothing is logged."""
    choices = Choices(data)
    mode = choices.number()
    segments = [Segment(0.0, choices.rest())] if mode & 1 else _framed(choices)
    whole, split = _played(mode, segments), _played(mode, table_end.split(segments))
    require(whole == split, "the size of the reads changes the result")


def _framed(choices: Choices) -> list[Segment]:
    """Return frames with the next number and a right BCC, copies of them, and pauses."""
    made, after_s, number = list[Segment](), 0.0, 0
    while choices.more() and len(made) < 120:
        act = choices.number()
        if act >= 250:
            after_s = choices.number() / 8
            continue
        seq = _SEQUENCE[number % len(_SEQUENCE)]
        number += act < 230  # else the same number again
        letter = chr(32 + choices.number() % 96)
        made.append(Segment(after_s, build.frame(seq, letter, bytes(choices.number() for _ in range(act % 3)))))
        after_s = 0.0
    return made


def _played(mode: int, segments: Iterable[Segment]) -> object:
    book_id = _BOOKS[(mode >> 3) % len(_BOOKS)]
    book = rulebooks.load(book_id)
    settings = Settings("dealer" if mode & 2 else "result", "ignore" if mode & 4 else "keep")
    driver = AngelEyeDriver(_UNIT, 0, baud=4800)
    session = TableSession(
        Table(name="bac-01", port="none", rulebook=book_id, driver="angel-eye"),
        Line("none", 4800),
        driver,
        AngelEyeVerifier("bac-01", book, _profile(book_id), settings=settings),
        IncidentBook("bac-01", book),
    )
    driver.reset()
    return table_end.played(session, segments)


@cache
def _profile(book_id: str) -> dict[str, Any]:
    return rulebooks.load(book_id).profile(None, 1, {})


def seeds() -> Iterable[bytes]:
    """The golden frames and the golden sessions, as bytes of the line and as what frames are made of."""
    for vector in _lines(_VECTORS / "vectors.jsonl"):
        yield b"\1" + bytes.fromhex(vector.get("hex", ""))
    for path in sorted((_VECTORS / "sessions").glob("*.jsonl")):
        line = b"".join(bytes.fromhex(one["hex"]) for one in _lines(path) if "hex" in one)
        yield b"\1" + line[: MOST_BYTES - 1]
        frames = [one for one in WHOLE.findall(line) if 6 <= len(one) <= 8 and one[2] >= 32]
        once = [one for at, one in enumerate(frames) if one not in frames[max(0, at - 2) : at]]
        acts = b"".join(bytes([len(one) - 6, one[2] - 32]) + one[3:-3] for one in once)
        yield from (bytes([mode]) + acts[:600] for mode in (0, 10, 20, 30))


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    return map(json.loads, path.read_text().splitlines())
