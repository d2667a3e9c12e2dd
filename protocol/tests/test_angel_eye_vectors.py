"""The line of an Angel Eye shoe: every vector and session of protocol/vectors/angel_eye, messages part."""

import json
from pathlib import Path
from typing import Any

import pytest
from sabot_protocol.angel_eye import build
from sabot_protocol.angel_eye.decoder import Decoder
from sabot_protocol.angel_eye.messages import Message, report, stored
from sabot_protocol.angel_eye.repeats import RepeatFilter

FOLDER = Path(__file__).parents[1] / "vectors" / "angel_eye"
VECTORS = [json.loads(line) for line in (FOLDER / "vectors.jsonl").read_text().splitlines()]
SESSIONS = sorted((FOLDER / "sessions").glob("*.jsonl"))
Vector = dict[str, Any]


class Line:
    """A decoder and a filter behind it, as a gateway has them on one connection."""

    def __init__(self) -> None:
        self.decoder, self.repeats = Decoder(), RepeatFilter()
        self.taken: list[Message] = []

    def connect(self) -> None:
        self.decoder.reset()
        self.repeats.forget()

    def feed(self, data: bytes, now_s: float) -> None:
        found = self.decoder.feed(data, now_s)
        self.taken += [message for message in found if not self.repeats.is_repeat(message, now_s)]

    def answer(self) -> dict[str, Any]:
        return {
            "messages": [report(message) for message in self.taken],
            "repeats": self.repeats.count,
            "rejected": dict(self.decoder.rejected),
        }


def read(vector: Vector) -> Line:
    line, chunks = Line(), vector.get("chunks", [vector["hex"]])
    for chunk, now_s in zip(chunks, vector.get("at", [0.0] * len(chunks)), strict=True):
        line.feed(bytes.fromhex(chunk), now_s)
    return line


def of(*directions: str) -> list[Any]:
    return [pytest.param(one, id=one["id"]) for one in VECTORS if one["dir"] in directions]


@pytest.mark.parametrize("vector", of("from_shoe"))
def test_vector(vector: Vector) -> None:
    expected = {name: vector["expect"][name] for name in ("messages", "repeats", "rejected")}
    assert read(vector).answer() == expected


@pytest.mark.parametrize("vector", of("from_shoe"))
def test_frames_read_back_from_a_ledger_as_they_were_taken(vector: Vector) -> None:
    taken = read(vector).taken
    assert [stored(message.raw) for message in taken] == taken


@pytest.mark.parametrize("vector", of("to_shoe"))
def test_command(vector: Vector) -> None:
    fields, sent = vector["fields"], bytes.fromhex(vector["hex"])
    assert build.command(fields["type"], fields["data"], with_stx=fields["bcc"] == "with_stx") == sent
    text = fields["op"] + fields["type"] + fields["data"]
    (found,) = build.CommandReader().feed(sent)
    assert found == build.Command(text, fields["bcc"], sent)
    assert found.parts == (fields["op"], fields["type"], fields["data"])


@pytest.mark.parametrize("file", SESSIONS, ids=lambda file: file.stem)
def test_session(file: Path) -> None:
    line = Line()
    for event in map(json.loads, file.read_text().splitlines()):
        if event["ev"] == "connect":
            line.connect()
        elif event["ev"] == "rx":
            line.feed(bytes.fromhex(event["hex"]), event["t"])
    expected = json.loads(file.with_suffix(".expected.json").read_text())
    assert line.answer() == {name: expected[name] for name in ("messages", "repeats", "rejected")}
