"""The pcapng captures of sabot inspect, and what the dissector makes of them in tshark."""

import json
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from construct import Bytes, Construct, FlagsEnum, Mapping, Renamed, Struct, Switch
from sabot_protocol import framing, messages
from sabot_protocol.documents import dissector
from sabot_tools.actions import inspect as inspecting
from sabot_tools.text.line_frames import plain
from typer.testing import CliRunner, Result

ROOT = Path(__file__).parents[2]
VECTORS: list[dict[str, Any]] = [
    json.loads(line) for line in (ROOT / "protocol" / "vectors" / "frames.jsonl").read_text().splitlines()
]
ACCEPT = [vector for vector in VECTORS if vector["expect"] == "accept"]
REFUSE = [vector for vector in VECTORS if vector.get("layer") == "framing"]
GOOD = [bytes.fromhex(vector["wire"]) for vector in ACCEPT]
BAD = [bytes.fromhex(vector["wire"]) for vector in REFUSE]
WIRE = {vector["name"]: bytes.fromhex(vector["wire"]) for vector in ACCEPT}
BODY = {vector["name"]: bytes.fromhex(vector["body"]) for vector in ACCEPT}
WHO, ACK, CARD, COUP = (WIRE[name] for name in ("who of zeros", "ack of nothing yet", "event card", "event coup"))
SESSION = [vector for vector in ACCEPT if vector.get("session")]
LUA = ROOT / "tools" / "wireshark" / "sabot.lua"


def inspect(*args: str, data: bytes = b"") -> Result:
    return CliRunner().invoke(inspecting.app, args, input=data)


@pytest.fixture(params=["hex", "raw"])
def key_file(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The key of the golden session, in both forms."""
    path, key = tmp_path / "unit.key", SESSION[1]["key"]
    path.write_bytes(f"{key}\n".encode() if request.param == "hex" else bytes.fromhex(key))
    return str(path)


def test_the_dissector_is_current() -> None:
    assert LUA.read_text() == dissector.lua() == inspect("--lua").stdout, (
        "stale: sabot inspect --lua > tools/wireshark/sabot.lua"
    )


def test_pcapng_blocks_have_their_lengths_at_both_ends(tmp_path: Path) -> None:
    out = tmp_path / "out.pcapng"
    assert inspect("--pcapng", str(out), data=b"".join(GOOD + BAD)).exit_code == 1
    data, kinds, at = out.read_bytes(), [], 0
    while at < len(data):
        kind, length = (int.from_bytes(data[place : place + 4], "little") for place in (at, at + 4))
        assert length % 4 == 0
        assert int.from_bytes(data[at + length - 4 : at + length], "little") == length
        kinds.append(kind)
        at += length
    assert kinds == [0x0A0D0D0A, 1] + [6] * (len(GOOD) + len(BAD))


def flat(fields: dict[str, Any], prefix: str = "sabot") -> dict[str, Any]:
    """Golden fields by the names that the dissector gives them."""
    found: dict[str, Any] = {}
    for name, value in fields.items():
        inner = {"body": fields.get("type"), "data": fields.get("kind") or fields.get("command")}.get(name, name)
        if isinstance(value, dict):
            found |= flat(value, f"{prefix}.{inner}")
        else:
            found[f"{prefix}.{name}"] = value
    return found


def shown(field: ElementTree.Element, like: Any) -> Any:
    """A field of tshark's as the golden vectors would have it."""
    show, showname = field.get("show", ""), field.get("showname", "")
    if isinstance(like, bool):
        return show in ("1", "True")
    if isinstance(like, int):
        return int(show)
    return show.replace(":", "") if field.get("value") == like else showname.split(": ")[1].split(" ")[0]


def sample(part: Construct, **seen: str) -> Any:
    """A value that the definition allows; a switch follows what was chosen before."""
    match part:
        case Renamed():
            return seen.get(part.name) or sample(part.subcon, **seen)
        case Struct():
            if not any(isinstance(getattr(inner, "subcon", None), Switch) for inner in part.subcons):
                seen = {}  # nothing more is to be chosen: a `kind` in here is another one
            return {inner.name: sample(inner, **seen) for inner in part.subcons if inner.name}
        case Switch():
            return sample(part.cases[part.keyfunc(seen)], **seen)
        case Mapping():
            return list(part.encmapping)[-1]
        case FlagsEnum():
            return dict.fromkeys(part.flags, True)
        case Bytes():
            return bytes(range(1, part.length + 1))
    return 1


def one_of_each() -> list[dict[str, Any]]:
    """Every type of frame, of events and commands every kind, and every command as one that was done."""
    chosen = [{"type": name} for name in messages.FRAMES if name not in ("event", "command")]
    chosen += [{"type": "event", "kind": kind, "command": "lock"} for kind in messages.EVENTS]
    chosen += [{"type": "event", "kind": "command_done", "command": kind} for kind in messages.COMMANDS]
    chosen += [{"type": "command", "kind": kind} for kind in messages.COMMANDS]
    return [sample(messages.Frame, **names) | {"flags": 0} for names in chosen]


def dissected(out: Path, data: bytes, *more: str) -> list[dict[str, ElementTree.Element]]:
    """The fields of each packet, by name."""
    inspect("--pcapng", str(out), *more, data=data)
    command = ["tshark", "-X", f"lua_script:{LUA}", "-r", str(out), "-T", "pdml"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    packets = ElementTree.fromstring(ran.stdout).findall("packet")
    return [{field.get("name", ""): field for field in packet.iter("field")} for packet in packets]


needs_tshark = pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed: apt-get install tshark")


@needs_tshark
def test_wireshark_sees_what_the_vectors_say(tmp_path: Path) -> None:
    packets = dissected(tmp_path / "out.pcapng", b"".join(GOOD + BAD))
    assert len(packets) == len(GOOD) + len(BAD)
    for fields, vector in zip(packets, ACCEPT, strict=False):
        expected = flat(vector["fields"])
        assert {name: shown(fields[name], value) for name, value in expected.items()} == expected
        assert not {"sabot.unread", "sabot.damaged", "_ws.lua.error"} & set(fields)
        assert fields["sabot.mac"].get("value") == vector["mac"] if "mac" in vector else "sabot.mac" not in fields
        outbound = "gateway" in fields["sabot.from"].get("showname", "")
        assert int(fields["frame.packet_flags_direction"].get("show", ""), 16) == 1 + outbound
    for fields in packets[len(GOOD) :]:
        assert fields["sabot.problem"].get("show") != "0"
        assert {"sabot.damaged", "sabot.unread", "frame.comment"} <= set(fields)


@needs_tshark
def test_wireshark_knows_every_frame_and_event(tmp_path: Path) -> None:
    frames = one_of_each()
    packets = dissected(tmp_path / "out.pcapng", b"".join(framing.encode(messages.Frame.build(one)) for one in frames))
    for fields, frame in zip(packets, frames, strict=True):
        expected = flat(plain(frame))
        assert {name: shown(fields[name], value) for name, value in expected.items()} == expected
        assert not {"sabot.unread", "sabot.damaged", "_ws.lua.error"} & set(fields)


@needs_tshark
def test_wireshark_shows_a_wrong_mac_and_the_frame_it_is_on(tmp_path: Path, key_file: str) -> None:
    forged = next(one for one in VECTORS if one["name"] == "command: another key")
    data = b"".join(bytes.fromhex(one["wire"]) for one in (*SESSION[:3], forged))
    *sound, wrong = dissected(tmp_path / "out.pcapng", data, "--key", key_file)
    assert not any("sabot.damaged" in fields for fields in sound)
    assert "mac" in wrong["sabot.problem"].get("showname", "")
    assert {"sabot.mac", "sabot.damaged", "sabot.command.command_id"} <= set(wrong)
    assert "sabot.unread" not in wrong
