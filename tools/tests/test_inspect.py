"""sabot inspect: golden frames, garbage, keys and recordings."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_runs import inspect, inspected
from sabot_protocol import framing, messages, recording
from sabot_protocol.recording import Edge, Line, Record
from sabot_tools.text.line_frames import Chunk, Splitter, read_chunk

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


def recording_file(path: Path, *records: Record, cut: int = 0, **metadata: Any) -> str:
    """A recording as a file, the last bytes cut off."""
    writer = recording.Writer(metadata)
    data = writer.start() + b"".join(map(writer.add, records)) + writer.finish()
    path.write_bytes(data[: len(data) - cut])
    return str(path)


def test_golden_frames() -> None:
    lines = inspected(data=b"".join(GOOD))
    for number, (line, vector) in enumerate(zip(lines, ACCEPT, strict=True), 1):
        assert line["n"] == number
        assert {key: line[key] for key in vector["fields"]} == vector["fields"]
        assert (line["hex"], line.get("mac")) == (vector["wire"], vector.get("mac"))
        assert line["from"] == ("gateway" if int(vector["body"][:2], 16) >= 0x80 else "shoe")
        assert "t_us" not in line
        assert not {"error", "authenticated"} & set(line)


REASONS = {
    "one bit flipped": "crc: the frame has ef05, its bytes give 1dfa",
    "last byte missing": "cobs: not enough input bytes for length code",
    "CRC of the bytes in wrong order": "crc: the frame has 9938, its bytes give 3899",
    "CRC seeded with zero": "crc: the frame has bc60, its bytes give 3899",
    "only a CRC": "length: 2 bytes; a frame has at least a type and a CRC",
    "a code byte that points beyond the end": "cobs: not enough input bytes for length code",
    "more than a frame can hold": "length: 201 bytes without a delimiter; a frame has at most 131",
    "one byte more than a frame can hold": "length: 132 bytes without a delimiter; a frame has at most 131",
    "a CRC that does not cover the MAC": "crc: the frame has 3899, its bytes give 5b6b",
    "the MAC behind the CRC": "crc: the frame has 1163, its bytes give d3c3",
}


@pytest.mark.parametrize("vector", REFUSE, ids=lambda vector: str(vector["name"]))
def test_damaged_frames_come_with_the_reason_between_sound_ones(vector: dict[str, str]) -> None:
    before, damaged, after = inspected(data=WHO + bytes.fromhex(vector["wire"]) + ACK, status=1)
    assert damaged["error"] == REASONS[vector["name"]]
    assert (damaged["hex"], damaged["at"]) == (vector["wire"], len(WHO))
    assert "type" not in damaged
    assert (before["type"], after["type"]) == ("who", "ack")


@pytest.mark.parametrize(
    "vector", [one for one in VECTORS if one.get("layer") == "body"], ids=lambda vector: str(vector["name"])
)
def test_content_that_is_not_as_defined_names_its_place(vector: dict[str, str]) -> None:
    (line,) = inspected(data=bytes.fromhex(vector["wire"]), status=1)
    place = "" if vector["field"] == "frame" else vector["field"]
    assert line["error"].startswith(f"content: {place}")


def test_a_mac_that_is_announced_and_not_there() -> None:
    (line,) = inspected(data=framing.encode(b"\3\1" + bytes(6)), status=1)
    assert line["error"] == "content: flags: a MAC is announced, but the frame has only 8 bytes"


def test_what_no_delimiter_ends() -> None:
    _, line = inspected(data=WHO + ACK[:-1], status=1)
    assert line["error"] == f"unfinished: {len(ACK) - 1} bytes, then the line ended without a delimiter"


@pytest.fixture(params=["hex", "raw"])
def key_file(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The key of the golden session, in both forms."""
    path, key = tmp_path / "unit.key", SESSION[1]["key"]
    path.write_bytes(f"{key}\n".encode() if request.param == "hex" else bytes.fromhex(key))
    return str(path)


def test_the_golden_session_is_authentic(key_file: str) -> None:
    lines = inspected("--key", key_file, data=b"".join(bytes.fromhex(one["wire"]) for one in SESSION))
    assert [line.get("authenticated") for line in lines] == [("yes" if "mac" in one else None) for one in SESSION]


def test_forged_offers_do_not_push_a_session_out(key_file: str) -> None:
    who, hello, *rest = (bytes.fromhex(one["wire"]) for one in SESSION)
    forged = bytearray.fromhex(SESSION[1]["body"] + "00" * 8)
    forged[70] ^= 1  # of the nonce
    lines = inspected(
        "--key", key_file, data=who + hello + framing.encode(bytes(forged)) * 20 + b"".join(rest), status=1
    )
    assert [line.get("authenticated") for line in lines[2:22]] == ["no"] * 20
    assert {line.get("authenticated") for line in lines[22:]} == {"yes", None}


def test_without_its_hello_a_session_is_unknown(key_file: str) -> None:
    lines = inspected("--key", key_file, data=b"".join(bytes.fromhex(one["wire"]) for one in SESSION[2:]))
    assert {line.get("authenticated") for line in lines} == {"unknown", None}


def test_forgeries_are_found_within_a_session(key_file: str) -> None:
    forged = [one for one in VECTORS if one.get("layer") == "mac"]
    data = b"".join(bytes.fromhex(one["wire"]) for one in (*SESSION, *forged))
    verdicts = inspected("--key", key_file, data=data, status=1)[len(SESSION) :]
    assert len(verdicts) == len(forged)
    for line in verdicts:
        assert line.get("authenticated") == "no" or "mac" not in line
        assert line.get("error", "").startswith(("mac: ", "content: ")) or "mac" not in line
    assert sum(line.get("authenticated") == "no" for line in verdicts) > len(forged) // 2


def test_another_key_makes_a_hello_wrong(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(bytes(32))
    _, hello, welcome = inspected(
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
    splitter = Splitter()
    chunks: list[Chunk] = []
    for at in range(0, len(data), piece):
        chunks += splitter.feed(data[at : at + piece])
    chunks += splitter.finish()
    assert b"".join(bytes(chunk.zeros_before) + chunk.wire for chunk in chunks) + bytes(splitter.zeros) == data
    assert all(data[chunk.at :].startswith(chunk.wire) for chunk in chunks)
    sound = [
        frame.data[:-2] for chunk in chunks if (frame := read_chunk(chunk, None, None)).problem in (None, "content")
    ]
    assert sound == framing.Deframer().feed(data)


def test_endless_bytes_come_out_in_pieces_and_are_not_held() -> None:
    splitter = Splitter()
    chunks: list[Chunk] = []
    for _ in range(100):
        chunks += splitter.feed(b"\x55" * 1000)
        assert len(splitter._held) <= 4096
    chunks += splitter.feed(b"\0" + WHO)
    *pieces, last = [read_chunk(chunk, None, None) for chunk in chunks]
    assert pieces[0].error == "length: 4096 bytes without a delimiter; a frame has at most 131"
    assert {seen.error for seen in pieces[1:]} == {"length: continues from byte 0, no delimiter since"}
    assert (last.frame["type"], last.chunk.at) == ("who", 100_001)


def test_a_recording_knows_time_and_sender(tmp_path: Path) -> None:
    file = recording_file(
        tmp_path / "line.shoe",
        Line(10, "gateway", WHO),
        Line(20, "shoe", CARD[:7]),
        Line(25, "gateway", ACK),
        Line(30, "shoe", CARD[7:]),
        Edge(31, 1),
    )
    lines = inspected(file)
    assert [(line["t_us"], line["from"], line["type"], line["at"]) for line in lines] == [
        (10, "gateway", "who", 0),
        (25, "gateway", "ack", len(WHO)),
        (30, "shoe", "event", 0),
    ]
    assert "also 1 edges; --edges prints the edges" in inspect(file).stderr


def test_a_frame_from_the_wrong_side(tmp_path: Path) -> None:
    (line,) = inspected(recording_file(tmp_path / "echo.shoe", Line(10, "shoe", WHO)), status=1)
    assert line["error"] == "sender: who is sent by the gateway, this one came from the shoe"
    assert (line["from"], line["type"]) == ("shoe", "who")


def test_a_recording_that_was_cut_off(tmp_path: Path) -> None:
    file = recording_file(tmp_path / "cut.shoe", Line(10, "shoe", CARD), Edge(11, 1), cut=1)
    sound, error = inspected(file, status=1)
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


def test_another_protocol_is_a_warning(tmp_path: Path) -> None:
    file = recording_file(tmp_path / "old.shoe", Line(1, "shoe", CARD), protocol="00" * 8)
    ours = messages.protocol_hash().hex()
    assert (
        f"recorded with protocol '0000000000000000', but read as {ours}; use the release of the recording"
        in inspect(file).stderr
    )


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
    assert ran.stderr == "sabot inspect: captured bytes have no edges; give a .shoe recording\n"
