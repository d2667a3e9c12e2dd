"""The recording format: round trips, every damage found, bounds held."""

import json
import zlib
from collections.abc import Iterable
from struct import pack
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sabot_protocol import recording
from sabot_protocol.recording import Act, CutOffError, Edge, Line, Reader, Record, RecordingError, Writer

METADATA = {"unit": "0102030405060708", "card_set": 1, "seed": 7}
SMALL: list[Record] = [
    Edge(5, 1),
    Line(5, "shoe", b"\1\2\0"),
    Edge(300, 0x8003),
    Line(900, "gateway", b"\0"),
    Edge(901, 0),
]

moments = st.integers(0, 1 << 40)
edges = st.builds(Edge, moments, st.integers(0, recording.MAX_LEVELS))
lines = st.builds(Line, moments, st.sampled_from(["shoe", "gateway"]), st.binary(min_size=1, max_size=300))
words = st.text(max_size=9)
acts = st.builds(Act, moments, st.dictionaries(words, words | st.integers() | st.booleans() | st.none(), max_size=5))
recorded = st.lists(edges | lines | acts, max_size=40).map(lambda found: sorted(found, key=lambda record: record.t_us))


def written(records: Iterable[Record], metadata: dict[str, Any] = METADATA, flush_every: int = 0) -> bytes:
    """A recording with a block every so many records."""
    writer = Writer(metadata)
    found = writer.start()
    for number, record in enumerate(records, 1):
        found += writer.add(record)
        found += writer.flush() if flush_every and number % flush_every == 0 else b""
    return found + writer.finish()


def as_far_as_it_goes(data: bytes) -> tuple[list[Record], RecordingError | None]:
    """The records of a recording, and why they end early."""
    found: list[Record] = []
    try:
        for record in recording.read(Reader(), [data]):
            found.append(record)
    except RecordingError as error:
        return found, error
    return found, None


def framed(kind: int, content: bytes, before: bytes) -> bytes:
    """A block as a hostile writer makes it, its check right."""
    part = pack("<BI", kind, len(content)) + content
    return part + pack("<I", zlib.crc32(part, zlib.crc32(before[:-4])))


HEADER = Writer(METADATA).start()


@given(recorded, st.integers(0, 5), st.integers(1, 50))
def test_any_records_in_any_blocks_and_pieces(records: list[Record], flush_every: int, piece: int) -> None:
    data = written(records, flush_every=flush_every)
    reader = Reader()
    pieces = (data[at : at + piece] for at in range(0, len(data), piece))
    assert list(recording.read(reader, pieces)) == records
    assert reader.metadata == METADATA
    assert reader.ended
    assert reader.counts.records == len(records)
    assert reader.counts.acts == sum(isinstance(record, Act) for record in records)


def test_records_come_as_soon_as_their_block_has() -> None:
    writer, reader = Writer(METADATA), Reader()
    assert list(reader.feed(writer.start())) == []
    assert reader.metadata == METADATA
    assert writer.add(SMALL[0]) == b""
    assert list(reader.feed(writer.flush())) == SMALL[:1]
    assert not reader.ended
    assert list(reader.feed(writer.finish())) == []
    assert reader.ended


def test_a_full_block_is_given_out_unasked() -> None:
    writer = Writer({})
    given_out = [len(writer.add(Line(number, "shoe", bytes(recording.MAX_LINE_BYTES)))) for number in range(20)]
    assert any(given_out)
    assert len(writer._block) <= recording.MAX_BLOCK_BYTES


def test_every_flipped_bit_is_noticed() -> None:
    data = written(SMALL, flush_every=2)
    for bit in range(len(data) * 8):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        found, error = as_far_as_it_goes(bytes(damaged))
        assert error is not None, f"bit {bit}"
        assert found == SMALL[: len(found)], f"bit {bit}"


def test_every_cut_is_found_and_leaves_the_whole_blocks() -> None:
    writer = Writer(METADATA)
    parts = [writer.start()]
    for record in SMALL:
        parts.append(writer.add(record) + writer.flush())
    ends = [len(b"".join(parts[:number])) for number in range(1, len(parts) + 1)]
    data = b"".join(parts) + writer.finish()
    for size in range(len(data)):
        found, error = as_far_as_it_goes(data[:size])
        assert isinstance(error, CutOffError), f"cut at {size}"
        assert error.at == size
        assert found == SMALL[: max(0, sum(end <= size for end in ends) - 1)]


def test_a_cut_names_what_is_left() -> None:
    data = written(SMALL, flush_every=2)
    assert str(as_far_as_it_goes(data[:-1])[1]).endswith(
        "cut off behind block 3: the end is missing; the 3 edges and 2 pieces of the line before are sound"
    )
    assert str(as_far_as_it_goes(data[:20])[1]) == "byte 20: cut off in the header; nothing can be read"


def test_a_block_that_is_missing_repeated_or_moved_is_noticed() -> None:
    writer = Writer(METADATA)
    start = writer.start()
    one, two = (writer.add(Edge(9, levels)) + writer.flush() for levels in (1, 0))
    end = writer.finish()
    assert as_far_as_it_goes(start + one + two + end)[1] is None
    for damaged in (start + two + end, start + one + one + two + end, start + two + one + end, start + end):
        assert "fails its check" in str(as_far_as_it_goes(damaged)[1])


def test_bytes_after_the_end() -> None:
    data = written(SMALL)
    assert (
        str(as_far_as_it_goes(data + b"x")[1]) == f"byte {len(data)}: 1 bytes behind the end; a recording has one end"
    )


def test_after_an_error_a_reader_stays_refusing() -> None:
    reader = Reader()
    for call in (lambda: list(reader.feed(b"PK\3\4")), lambda: list(reader.feed(HEADER)), reader.close):
        with pytest.raises(RecordingError, match="byte 0: not a recording: it begins with 504b0304"):
            call()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (recording.MAGIC + b"\2", "byte 0: version 2 of the format; this program reads version 1: update it"),
        (recording.MAGIC + b"\1" + b"\xff" * 4, "byte 0: the header of 4294967295 bytes; at most 65536 are allowed"),
        (HEADER + b"\1" + b"\xff" * 4, f"byte {len(HEADER)}: block 1 of 4294967295 bytes; at most 65536 are allowed"),
        (HEADER + b"\7", f"byte {len(HEADER)}: a block of kind 7; damaged here, or written by a newer program"),
        (HEADER + framed(1, b"junk", HEADER), "zlib cannot unpack it"),
        (HEADER + framed(1, zlib.compress(bytes(1 << 24)), HEADER), "unpacks to more than 65536 bytes"),
        (HEADER + framed(1, zlib.compress(b"\4\1")[:-1], HEADER), "zlib stream does not end where the block ends"),
        (HEADER + framed(1, zlib.compress(b"\4\1") + b"x", HEADER), "zlib stream does not end where the block ends"),
        (HEADER + framed(1, zlib.compress(b"\4"), HEADER), "block 1: it ends within a number"),
        (HEADER + framed(1, zlib.compress(b"\xff" * 9), HEADER), "block 1: a number of more than 56 bits"),
        (
            HEADER + framed(1, zlib.compress(b"\xfc" + b"\xff" * 6 + b"\x7f\0"), HEADER),
            "record 1: 18014398509481983 us",
        ),
        (HEADER + framed(1, zlib.compress(b"\0\x80\x80\4"), HEADER), "record 1: levels 0x10000; there are 16 inputs"),
        (HEADER + framed(1, zlib.compress(b"\1\5ab"), HEADER), "5 bytes of the line are announced, 2 are there"),
        (HEADER + framed(1, zlib.compress(b"\1\0"), HEADER), "record 1: 0 bytes of the line"),
        (HEADER + framed(1, zlib.compress(b"\3\1a"), HEADER), "an act that is no JSON: Expecting value"),
        (HEADER + framed(1, zlib.compress(b"\3\2[]"), HEADER), "block 1: an act that is no JSON object"),
        (HEADER + framed(1, zlib.compress(b"\3\0"), HEADER), "an act that is no JSON"),
        (HEADER + framed(1, zlib.compress(b"\3\5{}"), HEADER), "5 bytes of an act are announced, 2 are there"),
        (HEADER + framed(2, b"", HEADER), "an end of 0 bytes"),
        (HEADER + framed(2, bytes(52), HEADER), "the SHA-256 at the end is not that of the bytes before"),
        (HEADER + framed(2, b"\1" + bytes(51), HEADER), "the end counts [1, 0, 0, 0]"),
    ],
)
def test_hostile_files_are_refused(data: bytes, problem: str) -> None:
    found, error = as_far_as_it_goes(data)
    assert found == []
    assert problem in str(error)


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [(b"[1]", "no JSON object"), (b"{", "no JSON: "), (b"[" * 60_000, "no JSON: "), (b"\xff", "no JSON: ")],
)
def test_hostile_metadata(metadata: bytes, problem: str) -> None:
    part = recording.MAGIC + pack("<BI", 1, len(metadata)) + metadata
    assert problem in str(as_far_as_it_goes(part + pack("<I", zlib.crc32(part)))[1])


def test_time_does_not_go_backwards_from_block_to_block() -> None:
    first = framed(1, zlib.compress(b"\xa0\1\1"), HEADER)
    second = framed(1, zlib.compress(b"\4\1"), HEADER[:-4] + first)
    found, error = as_far_as_it_goes(HEADER + first + second)
    assert found == [Edge(40, 1)]
    assert "block 2: record 2: 1 us after 40 us" in str(error)


@given(st.binary(max_size=200))
def test_any_bytes_give_records_or_a_recording_error(data: bytes) -> None:
    as_far_as_it_goes(data)
    as_far_as_it_goes(HEADER + data)
    as_far_as_it_goes(HEADER + framed(1, zlib.compress(data), HEADER))


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (Edge(4, 0), "record 2: 4 us after 5 us; records go forwards in time"),
        (Edge(1 << 53, 0), "record 2: 9007199254740992 us after 5 us"),
        (Edge(5, 1 << 16), "record 2: levels 0x10000; there are 16 inputs"),
        (Edge(5, -1), "record 2: levels -0x1; there are 16 inputs"),
        (Line(5, "shoe", b""), "record 2: 0 bytes of the line; 1 to 4096 make a record"),
        (Line(5, "shoe", bytes(4097)), "record 2: 4097 bytes of the line; 1 to 4096 make a record"),
        (Act(5, {"note": "x" * 4096}), "record 2: 4107 bytes of an act; 1 to 4096 make a record"),
        (Act(5, {"much": float("nan")}), "an act that JSON cannot hold"),
        (Act(5, {"what": b"bytes"}), "an act that JSON cannot hold"),
        (Line(5, "dealer", b"x"), "record 2: bytes from 'dealer'; the line has shoe and gateway"),
    ],
)
def test_a_record_that_does_not_fit_is_refused_and_the_others_kept(record: Record, problem: str) -> None:
    writer = Writer(METADATA)
    data = writer.start() + writer.add(Edge(5, 1))
    with pytest.raises(RecordingError) as refused:
        writer.add(record)
    assert problem in str(refused.value)
    data += writer.add(Edge(6, 0)) + writer.finish()
    assert as_far_as_it_goes(data) == ([Edge(5, 1), Edge(6, 0)], None)


def test_metadata_is_bounded() -> None:
    with pytest.raises(RecordingError, match="metadata of 70010 bytes; at most 65536 are allowed"):
        Writer({"note": "x" * (70_010 - len(json.dumps({"note": ""}, separators=(",", ":"))))})


def test_a_reader_holds_no_more_than_a_block() -> None:
    writer, reader, most = Writer(METADATA), Reader(), 0
    data = writer.start() + b"".join(
        writer.add(Edge(number * 977 % 1000 + number * 1000, number & 15)) for number in range(30_000)
    )
    for at in range(0, len(data), 64):
        for _ in reader.feed(data[at : at + 64]):
            pass
        most = max(most, len(reader._held))
    assert most <= recording.MAX_BLOCK_BYTES + 64
    assert reader.counts.edges > 25_000


def test_an_act_is_written_as_it_is_documented() -> None:
    """By hand: 300 us later of kind 3, the length, the object."""
    block = zlib.compress(b"\xb3\x09\x0e" + b'{"do":"reset"}', 9)
    assert as_far_as_it_goes(HEADER + framed(1, block, HEADER))[0] == [Act(300, {"do": "reset"})]
    assert written([Act(300, {"do": "reset"})]).startswith(HEADER + framed(1, block, HEADER))


def test_a_cut_names_acts_where_there_are_some() -> None:
    data = written([Act(1, {"do": "reset"}), Edge(2, 1)])
    assert str(as_far_as_it_goes(data[:-1])[1]).endswith(
        "the 1 edges, 1 acts and 0 pieces of the line before are sound"
    )
