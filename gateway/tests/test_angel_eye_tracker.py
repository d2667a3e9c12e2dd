"""Tracker of an Angel Eye shoe: every vector and session of protocol/vectors/angel_eye, as a whole."""

import json
from pathlib import Path
from typing import Any

import pytest
from sabot_gateway.angel_eye.reading import Reading

FOLDER = Path(__file__).parents[2] / "protocol" / "vectors" / "angel_eye"
VECTORS = [json.loads(line) for line in (FOLDER / "vectors.jsonl").read_text().splitlines()]
FROM_SHOE = [pytest.param(one, id=one["id"]) for one in VECTORS if one["dir"] == "from_shoe"]
SESSIONS = sorted((FOLDER / "sessions").glob("*.jsonl"))


def only(answer: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of an answer that a vector prescribes, `final` key by key."""
    parts = {name: answer[name] for name in expected}
    if "final" in expected:
        parts["final"] = {name: answer["final"][name] for name in expected["final"]}
    return parts


@pytest.mark.parametrize("vector", FROM_SHOE)
def test_vector(vector: dict[str, Any]) -> None:
    reading, chunks = Reading(), vector.get("chunks", [vector["hex"]])
    for chunk, now_s in zip(chunks, vector.get("at", [0.0] * len(chunks)), strict=True):
        reading.received(bytes.fromhex(chunk), now_s)
    assert only(reading.answer(), vector["expect"]) == vector["expect"]


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_session(path: Path) -> None:
    expected = json.loads(path.with_suffix(".expected.json").read_text())
    reading = Reading()
    for line in path.read_text().splitlines():
        event = json.loads(line)
        match event["ev"]:
            case "connect":
                reading.connect()
            case "rx":
                reading.received(bytes.fromhex(event["hex"]), event["t"])
            case "tx":
                reading.sent(bytes.fromhex(event["hex"]), event["t"])
    del expected["about"]
    assert reading.answer() == expected


def test_vectors_and_sessions_are_there() -> None:
    assert len(FROM_SHOE) > 90
    assert sum("coups" in vector["expect"] for vector in VECTORS if "expect" in vector) > 15
    assert len(SESSIONS) == 3
