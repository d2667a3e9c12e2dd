"""The slow reference of the Angel Eye's line against the published vectors and sessions."""

import json
from pathlib import Path
from typing import Any

import pytest
from angel_eye_reference import decode, session

FOLDER = Path(__file__).parents[1] / "vectors" / "angel_eye"
VECTORS = [json.loads(line) for line in (FOLDER / "vectors.jsonl").read_text().splitlines()]
SESSIONS = sorted((FOLDER / "sessions").glob("*.jsonl"))


def differences(expected: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """Return what the answer has otherwise than expected; of `final` only the expected keys count."""
    part = answer | {"final": {key: answer["final"][key] for key in expected.get("final", {})}}
    return {key: part.get(key) for key, value in expected.items() if key != "about" and part.get(key) != value}


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if vector["dir"] == "from_shoe"], ids=lambda v: v["id"]
)
def test_reference_reads_the_vectors(vector: dict[str, Any]) -> None:
    assert differences(vector["expect"], decode(vector)) == {}


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_reference_reads_the_sessions(path: Path) -> None:
    expected = json.loads(path.with_suffix(".expected.json").read_text())
    answer = session([json.loads(line) for line in path.read_text().splitlines()])
    assert differences(expected, answer) == {}


def test_nothing_was_skipped() -> None:
    assert len(SESSIONS) == 3
    assert sum(vector["dir"] == "from_shoe" for vector in VECTORS) == 93
