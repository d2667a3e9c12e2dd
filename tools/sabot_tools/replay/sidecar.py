"""The sidecar of a recording: a JSON file with what a replay must produce."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from sabot_tools.replay.comparison import COMPARED, compared_counters, compared_fields, json_line
from sabot_tools.replay.recording_file import Json
from sabot_tools.replay.result import ReplayResult


class SidecarError(ValueError):
    """A sidecar cannot be used; the message gives the next step."""


def sidecar_path(recording: Path) -> Path:
    """Return the path of a recording's sidecar."""
    return recording.with_suffix(".json")


def read(recording: Path) -> Json:
    """Return the sidecar of a recording; SidecarError if it is missing or is not a JSON object."""
    path = sidecar_path(recording)
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise SidecarError(f"{path} is missing: write it with `sabot replay --accept {recording}`") from None
    except (ValueError, RecursionError) as error:
        raise SidecarError(f"{path}: {error}") from error
    if not isinstance(found, dict):
        raise SidecarError(f"{path}: not a JSON object")
    return found


def check(recording: Path, sidecar: Json) -> None:
    """Raise SidecarError if the sidecar belongs to another recording, or expects no event."""
    if sidecar.get("sha256") != _sha256(recording):
        raise SidecarError(
            f"{sidecar_path(recording)} belongs to another recording: its sha256 is not that of {recording.name}; "
            f"check what changed, then run `sabot replay --accept {recording}`"
        )
    if not sidecar.get("events"):
        raise SidecarError(f"{sidecar_path(recording)} expects no event: nothing would be compared")


def accepted(recording: Path, metadata: Json, result: ReplayResult) -> str:
    """Return the text of a sidecar that expects this result; `truth` stays as it is."""
    before: Json = read(recording) if sidecar_path(recording).exists() else {}
    counters = compared_counters(result.counters)
    parts: Json = {
        "recording": recording.name,
        "sha256": _sha256(recording),
        "about": metadata.get("about", before.get("about", "")),
        "covers": metadata.get("covers", before.get("covers", [])),
        **({"truth": before["truth"]} if "truth" in before else {}),
        "counters": dict.fromkeys(counters, "any") if result.noisy else counters,
        **{part: [compared_fields(line, "unix") for line in getattr(result, part)] for part in COMPARED},
    }
    return formatted(parts)


def formatted(parts: Json) -> str:
    """Return the text of a sidecar: each object of a list has its own line, so that diffs are readable."""
    return "{\n" + ",\n".join(f" {json.dumps(name)}: {_formatted(value, 1)}" for name, value in parts.items()) + "\n}\n"


def _formatted(value: Any, depth: int) -> str:
    indent = " " * depth
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return "[\n" + ",\n".join(f"{indent} {json_line(one)}" for one in value) + f"\n{indent}]"
    if isinstance(value, dict) and depth == 1 and any(isinstance(one, list) for one in value.values()):
        inner = (f"{indent} {json.dumps(name)}: {_formatted(one, depth + 1)}" for name, one in value.items())
        return "{\n" + ",\n".join(inner) + f"\n{indent}}}"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _sha256(recording: Path) -> str:
    return sha256(recording.read_bytes()).hexdigest()
