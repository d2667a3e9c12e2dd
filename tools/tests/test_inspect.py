"""sabot inspect and sabot record: golden frames, garbage, recordings, and what Wireshark makes of them."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import tty
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from construct import Bytes, Construct, FlagsEnum, Mapping, Renamed, Struct, Switch
from hypothesis import given
from hypothesis import strategies as st
from sabot_protocol import framing, messages, recording
from sabot_protocol.documents import dissector
from sabot_protocol.recording import Edge, Line, Record
from sabot_tools.actions import inspect as inspecting
from sabot_tools.actions import record as recorder
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


def record(*args: str) -> Result:
    return CliRunner().invoke(recorder.app, args)


def told(*args: str, data: bytes = b"", status: int = 0) -> list[dict[str, Any]]:
    ran = inspect(*args, data=data)
    assert ran.exit_code == status, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def kept(path: Path, *records: Record, cut: int = 0, **metadata: Any) -> str:
    """A recording as a file, the last bytes cut off."""
    writer = recording.Writer(metadata)
    data = writer.start() + b"".join(map(writer.add, records)) + writer.finish()
    path.write_bytes(data[: len(data) - cut])
    return str(path)


def test_golden_frames() -> None:
    lines = told(data=b"".join(GOOD))
    for number, (line, vector) in enumerate(zip(lines, ACCEPT, strict=True), 1):
        assert line["n"] == number
        assert {key: line[key] for key in vector["fields"]} == vector["fields"]
        assert (line["hex"], line.get("mac")) == (vector["wire"], vector.get("mac"))
        assert line["from"] == ("gateway" if int(vector["body"][:2], 16) >= 0x80 else "shoe")
        assert "t_us" not in line
        assert not {"error", "authenticated"} & set(line)


REASONS = {
    "one bit flipped": "crc: the frame says ef05, its bytes give 1dfa",
    "last byte missing": "cobs: not enough input bytes for length code",
    "CRC of the bytes in wrong order": "crc: the frame says 9938, its bytes give 3899",
    "CRC seeded with zero": "crc: the frame says bc60, its bytes give 3899",
    "only a CRC": "length: 2 bytes; a type and a CRC are the least",
    "a code byte that points beyond the end": "cobs: not enough input bytes for length code",
    "more than a frame can hold": "length: 201 bytes without a delimiter; a frame has at most 131",
    "one byte more than a frame can hold": "length: 132 bytes without a delimiter; a frame has at most 131",
    "a CRC that does not cover the MAC": "crc: the frame says 3899, its bytes give 5b6b",
    "the MAC behind the CRC": "crc: the frame says 1163, its bytes give d3c3",
}


@pytest.mark.parametrize("vector", REFUSE, ids=lambda vector: str(vector["name"]))
def test_damaged_frames_come_with_the_reason_between_sound_ones(vector: dict[str, str]) -> None:
    before, damaged, after = told(data=WHO + bytes.fromhex(vector["wire"]) + ACK, status=1)
    assert damaged["error"] == REASONS[vector["name"]]
    assert (damaged["hex"], damaged["at"]) == (vector["wire"], len(WHO))
    assert "type" not in damaged
    assert (before["type"], after["type"]) == ("who", "ack")


@pytest.mark.parametrize(
    "vector", [one for one in VECTORS if one.get("layer") == "body"], ids=lambda vector: str(vector["name"])
)
def test_content_that_is_not_as_defined_names_its_place(vector: dict[str, str]) -> None:
    (line,) = told(data=bytes.fromhex(vector["wire"]), status=1)
    place = "" if vector["field"] == "frame" else vector["field"]
    assert line["error"].startswith(f"content: {place}")


def test_a_mac_that_is_announced_and_not_there() -> None:
    (line,) = told(data=framing.encode(b"\3\1" + bytes(6)), status=1)
    assert line["error"] == "content: flags: a MAC is announced, and the frame has 8 bytes"


def test_what_no_delimiter_ends() -> None:
    _, line = told(data=WHO + ACK[:-1], status=1)
    assert line["error"] == f"unfinished: {len(ACK) - 1} bytes, then the line ended without a delimiter"


@pytest.fixture(params=["hex", "raw"])
def key_file(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The key of the golden session, in both forms."""
    path, key = tmp_path / "unit.key", SESSION[1]["key"]
    path.write_bytes(f"{key}\n".encode() if request.param == "hex" else bytes.fromhex(key))
    return str(path)


def test_the_golden_session_is_authentic(key_file: str) -> None:
    lines = told("--key", key_file, data=b"".join(bytes.fromhex(one["wire"]) for one in SESSION))
    assert [line.get("authenticated") for line in lines] == [("yes" if "mac" in one else None) for one in SESSION]


def test_forged_offers_do_not_push_a_session_out(key_file: str) -> None:
    asked, hello, *rest = (bytes.fromhex(one["wire"]) for one in SESSION)
    forged = bytearray.fromhex(SESSION[1]["body"] + "00" * 8)
    forged[70] ^= 1  # of the nonce
    lines = told("--key", key_file, data=asked + hello + framing.encode(bytes(forged)) * 20 + b"".join(rest), status=1)
    assert [line.get("authenticated") for line in lines[2:22]] == ["no"] * 20
    assert {line.get("authenticated") for line in lines[22:]} == {"yes", None}


def test_without_its_hello_a_session_is_unknown(key_file: str) -> None:
    lines = told("--key", key_file, data=b"".join(bytes.fromhex(one["wire"]) for one in SESSION[2:]))
    assert {line.get("authenticated") for line in lines} == {"unknown", None}


def test_forgeries_are_told_within_a_session(key_file: str) -> None:
    forged = [one for one in VECTORS if one.get("layer") == "mac"]
    data = b"".join(bytes.fromhex(one["wire"]) for one in (*SESSION, *forged))
    judged = told("--key", key_file, data=data, status=1)[len(SESSION) :]
    assert len(judged) == len(forged)
    for line in judged:
        assert line.get("authenticated") == "no" or "mac" not in line
        assert line.get("error", "").startswith(("mac: ", "content: ")) or "mac" not in line
    assert sum(line.get("authenticated") == "no" for line in judged) > len(forged) // 2


def test_another_key_makes_a_hello_wrong(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(bytes(32))
    _, hello, welcome = told(
        "--key", str(tmp_path / "other"), data=b"".join(bytes.fromhex(one["wire"]) for one in SESSION[:3]), status=1
    )
    assert hello["authenticated"] == "no"
    assert hello["error"] == "mac: not made with this key for this session and direction"
    assert welcome["authenticated"] == "unknown"


def test_a_file_that_is_no_key(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("abc")
    assert (
        f"{path} is not a key file: expected 64 hex digits or 32 bytes" in inspect("--key", str(path), data=WHO).stderr
    )
    assert inspect("--key", str(tmp_path / "nowhere"), data=WHO).exit_code == 1


def test_nothing_at_all() -> None:
    ran = inspect(data=b"")
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert ran.stderr == "sabot inspect: 0 sound frames, damaged: none\n"


@given(st.lists(st.sampled_from([*GOOD, *BAD, b"\0", b"\0\0"]) | st.binary(max_size=300)), st.integers(1, 400))
def test_every_byte_comes_out_once_whatever_the_pieces(parts: list[bytes], piece: int) -> None:
    data = b"".join(parts)
    splitter = inspecting.Splitter()
    chunks: list[inspecting.Chunk] = []
    for at in range(0, len(data), piece):
        chunks += splitter.feed(data[at : at + piece])
    chunks += splitter.finish()
    assert b"".join(bytes(chunk.zeros_before) + chunk.wire for chunk in chunks) + bytes(splitter.zeros) == data
    assert all(data[chunk.at :].startswith(chunk.wire) for chunk in chunks)
    sound = [
        seen.data[:-2] for chunk in chunks if (seen := inspecting.seen(chunk, None, None)).problem in (None, "content")
    ]
    assert sound == framing.Deframer().feed(data)


def test_endless_bytes_are_told_in_pieces_and_not_held() -> None:
    splitter = inspecting.Splitter()
    chunks: list[inspecting.Chunk] = []
    for _ in range(100):
        chunks += splitter.feed(b"\x55" * 1000)
        assert len(splitter._held) <= 4096
    chunks += splitter.feed(b"\0" + WHO)
    *pieces, last = [inspecting.seen(chunk, None, None) for chunk in chunks]
    assert pieces[0].error == "length: 4096 bytes without a delimiter; a frame has at most 131"
    assert {seen.error for seen in pieces[1:]} == {"length: goes on from byte 0, no delimiter since"}
    assert (last.frame["type"], last.chunk.at) == ("who", 100_001)


def test_a_recording_knows_time_and_sender(tmp_path: Path) -> None:
    file = kept(
        tmp_path / "line.shoe",
        Line(10, "gateway", WHO),
        Line(20, "shoe", CARD[:7]),
        Line(25, "gateway", ACK),
        Line(30, "shoe", CARD[7:]),
        Edge(31, 1),
    )
    lines = told(file)
    assert [(line["t_us"], line["from"], line["type"], line["at"]) for line in lines] == [
        (10, "gateway", "who", 0),
        (25, "gateway", "ack", len(WHO)),
        (30, "shoe", "event", 0),
    ]
    assert "1 edges besides; --edges prints the edges" in inspect(file).stderr


def test_a_frame_from_the_wrong_side(tmp_path: Path) -> None:
    (line,) = told(kept(tmp_path / "echo.shoe", Line(10, "shoe", WHO)), status=1)
    assert line["error"] == "sender: who is sent by the gateway, this one came from the shoe"
    assert (line["from"], line["type"]) == ("shoe", "who")


def test_a_recording_that_was_cut_off(tmp_path: Path) -> None:
    file = kept(tmp_path / "cut.shoe", Line(10, "shoe", CARD), Edge(11, 1), cut=1)
    sound, error = told(file, status=1)
    assert sound["type"] == "event"
    size = Path(file).stat().st_size
    assert error == {
        "n": 2,
        "error": f"recording: byte {size}: cut off behind block 1: the end is missing; "
        "the 1 edges and 1 pieces of the line before are sound",
        "at": size,
    }
    ran = inspect(file, "--edges")
    assert (ran.exit_code, json.loads(ran.stdout)["edges"]) == (1, [[11, 1]])
    assert "cut off" in ran.stderr


def test_another_protocol_is_said(tmp_path: Path) -> None:
    file = kept(tmp_path / "old.shoe", Line(1, "shoe", CARD), protocol="00" * 8)
    ours = messages.protocol_hash().hex()
    assert f"recorded with protocol '0000000000000000', read as {ours}; use that release" in inspect(file).stderr


def test_text() -> None:
    long = next(vector for vector in REFUSE if vector["name"] == "more than a frame can hold")
    done = WIRE["event command_done: key_card"]
    ran = inspect("--text", data=COUP + WIRE["nothing to say"] + done + bytes.fromhex(long["wire"]))
    coup, alive, keyed, damaged = ran.stdout.splitlines()
    assert " ".join(coup.split()) == (
        "1 shoe event 11 1311 ms event_no=19 kind=coup shoe_no=1 coup_no=2 winner=banker "
        "player_points=6 banker_points=7 player_pair=true last_coup=true kind=live"
    )
    assert " ".join(alive.split()) == "2 shoe alive 3 6200 ms mac=c710da49927e698d"
    assert " ".join(keyed.split()) == (
        "3 shoe event 109 3009 ms event_no=209 kind=command_done command_id=10 command=key_card outcome=done "
        "card=KS face_up=true exposed=true"
    )
    assert "!! length: 201 bytes" in damaged
    assert damaged.endswith("82 …]")


def test_one_form_at_a_time_and_edges_only_of_recordings() -> None:
    assert "choose one of --text, --edges, --pcapng and --lua" in inspect("--text", "--edges").stderr
    ran = inspect("--edges", data=WHO)
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == "sabot inspect: captured bytes hold no edges; give a .shoe recording\n"


def test_a_whole_shoe_is_small_and_is_read_as_it_was_dealt(tmp_path: Path) -> None:
    file, expected = tmp_path / "normal.shoe", tmp_path / "normal.json"
    ran = record(str(file), "--profile", "normal", "--cards", "416", "--expected", str(expected))
    assert ran.exit_code == 0, ran.stderr
    assert file.stat().st_size < 40_000
    edges = inspect(str(file), "--edges").stdout
    command = [sys.executable, "-m", "sabot_tools", "read", "--bench", "cpython"]
    read = json.loads(subprocess.run(command, input=edges, capture_output=True, text=True, check=True).stdout)
    assert read["cards"] == [one["truth"] for one in json.loads(expected.read_text())["reads"]]


def test_a_recording_follows_from_its_seed(tmp_path: Path) -> None:
    files = [tmp_path / "one.shoe", tmp_path / "same.shoe", tmp_path / "other.shoe"]
    for file, seed in zip(files, ("1", "1", "2"), strict=True):
        assert record(str(file), "--profile", "hostile", "--cards", "30", "--seed", seed).exit_code == 0
    one, same, other = (file.read_bytes() for file in files)
    assert one == same != other


def test_lines_of_edges_become_a_recording(tmp_path: Path) -> None:
    lines, file = tmp_path / "reads.jsonl", tmp_path / "reads.shoe"
    lines.write_text('{"id": 0, "set": 2, "edges": [[7, 1], [9, 3]]}\n{"id": 1, "set": 2, "edges": [[0, 1], [5, 0]]}\n')
    assert record(str(file), "--edges", str(lines)).exit_code == 0
    (line,) = told(str(file), "--edges")
    (first, second, taken_out, third, fourth) = line["edges"]
    assert (line["set"], first, second) == (2, [7, 1], [9, 3])
    assert taken_out == [5_500_009, 0]
    assert (third[1], fourth) == (1, [third[0] + 5, 0])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "--edges: the file is empty"),
        ('{"edges": [[0, 1]]}\n{"edges": [[0, 70000]]}\n', "--edges: line 2: Expected `int` <= 65535"),
        (
            '{"edges": [[0, 1]]}\n{"edges": [[0, 1]], "set": 3}\n',
            "line 2 is of set 3, line 1 of 1; record one set a file",
        ),
        ('{"edges": [[9, 1], [8, 0]]}\n', "record 2: 8 us after 9 us"),
    ],
)
def test_bad_lines_leave_no_recording(tmp_path: Path, text: str, says: str) -> None:
    lines, file = tmp_path / "reads.jsonl", tmp_path / "reads.shoe"
    lines.write_text(text)
    ran = record(str(file), "--edges", str(lines))
    assert ran.exit_code == 1
    assert says in ran.stderr
    assert not file.exists()


def test_what_record_refuses(tmp_path: Path) -> None:
    file = tmp_path / "there.shoe"
    file.write_bytes(b"evidence")
    assert "choose one of --scenario, --profile, --edges and --port" in record(str(file)).stderr
    assert f"{file} exists; give another name" in record(str(file), "--profile", "normal").stderr
    assert "profile 'fine' does not exist" in record(str(tmp_path / "new.shoe"), "--profile", "fine").stderr
    assert "port /nowhere is not there" in record(str(tmp_path / "new.shoe"), "--port", "/nowhere").stderr
    ends = os.openpty()
    fcntl.flock(ends[1], fcntl.LOCK_EX)
    busy = record(str(tmp_path / "new.shoe"), "--port", os.ttyname(ends[1])).stderr
    assert "of a table that a gateway serves, record the line with `sabot table TABLE capture`" in busy
    for end in ends:
        os.close(end)
    assert file.read_bytes() == b"evidence"


def once_there(file: Path, line: int, data: bytes) -> None:
    """Sends when the recording has begun: what comes before the port is open is lost."""
    until_s = time.monotonic() + 30
    while not file.exists() and time.monotonic() < until_s:
        time.sleep(0.01)
    os.write(line, data)


def test_a_port_is_recorded(tmp_path: Path) -> None:
    shoe, line = os.openpty()
    tty.setraw(line)
    file = tmp_path / "port.shoe"
    sender = threading.Thread(
        target=once_there, args=(file, shoe, CARD + COUP + WIRE["event reject"] + WIRE["event sensor"])
    )
    sender.start()
    ran = record(str(file), "--port", os.ttyname(line), "--seconds", "1", "--unit", "0102030405060708")
    sender.join()
    os.close(shoe)
    os.close(line)
    assert ran.exit_code == 0, ran.stderr
    assert [seen["body"]["kind"] for seen in told(str(file))] == ["card", "coup", "reject", "sensor"]
    reader = recording.Reader()
    assert sum(len(one.data) for one in recording.read(reader, [file.read_bytes()]) if isinstance(one, Line)) > 0
    assert (reader.metadata or {})["unit"] == "0102030405060708"


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
        expected = flat(inspecting.plain(frame))
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
