"""sabot inspect with frames of an Angel Eye: JSON, text, recordings, and what the dissector makes of them in tshark."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_runs import inspect, inspected
from sabot_gateway.ledger import Stored
from sabot_protocol import recording
from sabot_protocol.angel_eye import build
from sabot_protocol.recording import Line, Record
from sabot_tools.text.angel_eye_frames import Splitter
from sabot_tools.text.ledger_entries import line

ROOT = Path(__file__).parents[2]
LUA = ROOT / "tools" / "wireshark" / "angel_eye.lua"
CARD = bytes.fromhex("05 31 44 81 B8 03 34 46")
STAND_BY = bytes.fromhex("05 32 50 03 36 31")
LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")


def recorded(path: Path, *records: Record, **metadata: Any) -> str:
    writer = recording.Writer({"driver": "angel-eye", **metadata})
    path.write_bytes(writer.start() + b"".join(map(writer.add, records)) + writer.finish())
    return str(path)


def test_bytes_as_json_lines() -> None:
    no_card = bytes.fromhex("05 37 64 91 80 03 34 31")
    found = inspected("--kind", "angel-eye", data=CARD + CARD + no_card + b"\x06\x15\x21" + LOCK)
    card = {"from": "shoe", "t": "D", "name": "card", "seq": "1", "target": "player", "card": "8S", "index": 1}
    outside = {"from": "shoe", "t": "d", "name": "card_outside_game", "seq": "7", "mode": "error", "low": 1}
    assert found == [
        {"n": 1, **card, "at": 0, "hex": CARD.hex()},
        {"n": 2, **card, "repeat": True, "at": 8, "hex": CARD.hex()},
        {"n": 3, **outside, "card": None, "at": 16, "hex": no_card.hex()},
        {"n": 4, "from": "shoe", "t": "ACK", "name": "ack", "at": 24, "hex": "06"},
        {"n": 5, "from": "shoe", "t": "NAK", "name": "nak", "code": 33, "error": "busy", "at": 25, "hex": "1521"},
        {
            "n": 6,
            "from": "gateway",
            "t": "OP",
            "name": "command",
            "text": "OPLK02",
            "meaning": "lock",
            "bcc": "with_stx",
            "at": 27,
            "hex": LOCK.hex(),
        },
    ]


@pytest.mark.parametrize(
    ("damaged", "error"),
    [
        (CARD[:-1] + b"0", "bcc: the frame has '40', its bytes give '4F'"),
        (bytes.fromhex("05 31 44 80 B8 03 34 45"), "value: a value that its place cannot have"),
        (bytes.fromhex("05 35 44 81 03 46 33"), "short: fewer bytes than its type has"),
        (bytes.fromhex("05 36 44 01 38 03 34 38"), "bit7: a byte without bit 7; is the line set to 7 data bits?"),
        (CARD[:5], "cut_off: begun, but without an end"),
        (b"\x05" + b"A" * 40, "too_long: no end within 32 bytes"),
        (b"\x00\xff\x80", "noise: no start of a frame"),
    ],
)
def test_damaged_frames_come_with_the_reason_between_sound_ones(damaged: bytes, error: str) -> None:
    before, found, after = inspected("--kind", "angel-eye", data=CARD + damaged + STAND_BY, status=1)
    assert (found["error"], found["hex"], found["at"]) == (error, damaged.hex(), 8)
    assert (before["name"], after["name"]) == ("card", "stand_by")


def test_a_recording_names_the_kind_and_times_count(tmp_path: Path) -> None:
    lines = [
        Line(0, "shoe", CARD[:3]),
        Line(400_000, "shoe", CARD[3:] + CARD[:3]),
        Line(500_000, "gateway", LOCK),
        Line(1_000_000, "shoe", CARD),
        Line(1_500_000, "shoe", CARD[:2]),
    ]
    found = inspected(recorded(tmp_path / "line.shoe", *lines), status=1)
    assert [(one["t_us"], one["from"], one.get("name"), one.get("error"), one.get("repeat")) for one in found] == [
        (400_000, "shoe", "card", None, None),
        (500_000, "gateway", "command", None, None),
        (1_000_000, "shoe", None, "cut_off: begun, but without an end", None),
        (1_000_000, "shoe", "card", None, True),
        (1_500_000, "shoe", None, "cut_off: begun, but without an end", None),
    ]


def test_a_frame_of_the_shoe_from_the_gateway_is_a_problem(tmp_path: Path) -> None:
    (found,) = inspected(recorded(tmp_path / "line.shoe", Line(0, "gateway", CARD)), status=1)
    assert found["error"] == "sender: card is sent by the shoe, this one came from the gateway"
    assert found["card"] == "8S"


def test_text_for_people() -> None:
    ran = inspect("--kind", "angel-eye", "--text", data=CARD + bytes.fromhex("05 32 45 C1 03 42 35") + b"\0")
    assert [" ".join(line.split()) for line in ran.stdout.splitlines()] == [
        "1 shoe D 1 card target=player card=8S index=1",
        "2 shoe E 2 error code=1 error=cannot_read in_error_mode=true",
        "3 shoe !! noise: no start of a frame [00]",
    ]
    assert ran.stderr == "sabot inspect: 2 sound frames, damaged: 1 noise\n"


@pytest.mark.parametrize("seq", ["\x1b", "\x9b", "\x07"])
def test_what_a_terminal_would_obey_is_not_printed(seq: str) -> None:
    data = build.frame(seq, "P")
    for options in ((), ("--text",)):
        printed = inspect("--kind", "angel-eye", *options, data=data).stdout
        assert "stand_by" in printed
        assert all(line.isprintable() for line in printed.splitlines())


def test_a_key_is_refused(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("00" * 32)
    ran = inspect("--kind", "angel-eye", "--key", str(key), data=CARD)
    assert ran.exit_code == 2
    assert "frames of an Angel Eye have no MAC; leave --key out" in ran.stderr


@given(st.lists(st.sampled_from([CARD, STAND_BY, LOCK, b"\x05", b"\x03", b"\x15", b"A" * 50]) | st.binary(max_size=9)))
def test_every_byte_comes_out_once(parts: list[bytes]) -> None:
    splitter = Splitter()
    chunks = [chunk for part in parts for chunk in splitter.feed(part, 0)] + list(splitter.finish())
    assert b"".join(chunk.wire for chunk in chunks) == b"".join(parts)
    at = 0
    for chunk in chunks:
        assert chunk.at == at
        at += len(chunk.wire)


def test_the_dissector_is_printed() -> None:
    assert inspect("--lua", "--kind", "angel-eye").stdout == LUA.read_text()


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (b'\x16{"fact":"connect"}', "connect"),
        (bytes.fromhex("05 31 64 81 B3 03 36 34"), "Angel Eye: card outside game (card 3S, mode lock, low 1)"),
        (STAND_BY, "Angel Eye: stand by"),
        (bytes.fromhex("05 31 53 03 36 31"), "Angel Eye: communication start"),
        (b"\x15\x21", "Angel Eye: NAK (code 33, error busy)"),
        (b'\x16{"fact":"command","id":7,"command":"lock"}', "command (id 7, command lock)"),
        (b"no frame", "event 4"),
    ],
)
def test_the_ledger_shows_frames_and_facts_with_their_values(frame: bytes, words: str) -> None:
    entry = Stored("ae-0123456789abc", 4, "bac-01", "", b"", frame, "2026-05-01T00:02:00.000Z", "", 9, b"")
    assert line(entry).split("bac-01")[1].strip() == words


def test_the_ledger_shows_a_void_coup_without_points() -> None:
    coup = {"kind": "void", "status": "verified", "winner": None, "player_points": 0, "banker_points": 0}
    payload = json.dumps(coup | {"player": ["QC"], "banker": [], "by": "A. Smith", "clause": "12.1.2"}).encode()
    entry = Stored("ae-0123456789abc", 4, "bac-01", "coup", payload, b"", "2026-05-01T00:02:00.000Z", "", 9, b"")
    assert line(entry).split("bac-01")[1].strip() == "void (Player QC, Banker none) by A. Smith under 12.1.2"


def dissected(out: Path, data: bytes) -> list[dict[str, str]]:
    """The fields of each packet as tshark shows them, by name; numbers by their names."""
    inspect("--kind", "angel-eye", "--pcapng", str(out), data=data)
    command = ["tshark", "-X", f"lua_script:{LUA}", "-r", str(out), "-T", "pdml"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    packets = ElementTree.fromstring(ran.stdout).findall("packet")
    return [{field.get("name", ""): _shown(field) for field in packet.iter("field")} for packet in packets]


def _shown(field: ElementTree.Element) -> str:
    return field.get("showname", "").rpartition(": ")[2].split(" (")[0] or field.get("show", "")


@pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed: apt-get install tshark")
def test_wireshark_sees_what_the_vectors_hold(tmp_path: Path) -> None:
    vectors = [
        json.loads(text) for text in (ROOT / "protocol/vectors/angel_eye/vectors.jsonl").read_text().splitlines()
    ]
    frames = [one for one in vectors if one["kind"] == "frame"]
    packets = dissected(
        tmp_path / "out.pcapng", b"".join(bytes.fromhex(one["hex"]) for one in frames) + LOCK + b"\x15\x21"
    )
    *shown, lock, nak = packets
    assert len(shown) == len(frames)
    for fields, vector in zip(shown, frames, strict=True):
        problem = next(iter(vector["expect"]["rejected"]), "none")
        assert (fields["angel_eye.problem"], "angel_eye.damaged" in fields) == (problem, problem != "none")
        for message in vector["expect"]["messages"]:
            assert (fields["angel_eye.seq"], fields["angel_eye.name"]) == (message["seq"], message["name"])
            assert fields.get("angel_eye.drawn") == message.get("card")
            for name in message.keys() & {"target", "index", "mode", "low", "result"}:
                found = fields[f"angel_eye.{message['name']}.{name}"]
                assert found in (str(message[name]), "Unknown"), vector["id"]
            for name in message.keys() & {"address", "value"}:
                assert fields[f"angel_eye.preset.{name}"] == message[name]
            if "error" in message:
                assert fields[f"angel_eye.{message['name']}.code"] == message["error"]
    assert (lock["angel_eye.from"], lock["angel_eye.text"], lock["angel_eye.meaning"]) == ("gateway", "OPLK02", "lock")
    assert nak["angel_eye.nak"] == "busy"
    assert not any("_ws.lua.error" in fields for fields in packets)
