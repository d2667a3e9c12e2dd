"""The recording format `.shoe`: what a shoe's inputs showed, its serial line carried and people did, with times.

    header   magic 8 bytes | version u8 | length u32 | metadata: a JSON object                      | check u32
    block    kind u8 = 1   | length u32 | records, packed by zlib                                   | check u32
    end      kind u8 = 2   | length u32 | blocks, edges, lines and acts u32, line bytes u64, SHA         | check u32

Numbers are little-endian; `length` is that of the next field. A check is the CRC-32 of every byte so far except the
checks, so a missing, repeated or misplaced block fails too. SHA is the SHA-256 of every byte before the end. A file
without its end was cut off; its whole blocks are still sound.

The first record of a block counts from time 0 and levels 0. Numbers are varints: 7 bits per byte, the lowest first, bit
7 set if another byte follows:

    edge     (microseconds since the last record) << 2 | 0   | levels of all inputs XOR those before
    line     (microseconds since the last record) << 2 | 1 from the shoe, 2 from the gateway | length | bytes
    act      (microseconds since the last record) << 2 | 3   | length | a JSON object

Metadata that our programs read, all optional: `made_by`, `source`, `unit`, `card_set`, `rulebook`,
`seed`, `protocol` (hash, in hex), `started_unix_us` (the moment of time 0). For replay also
`decks`, `options` (of the rulebook, by axis), `key` (of the unit, in hex), `about` (a sentence), `covers` (modes of
failure) and `quick` (true if short enough for the emulated chip).
"""

from sabot_protocol.recording.blocks import MAGIC, MAX_BLOCK_BYTES
from sabot_protocol.recording.reader import Reader, read
from sabot_protocol.recording.records import (
    MAX_LEVELS,
    MAX_LINE_BYTES,
    MAX_T_US,
    Act,
    Counts,
    CutOffError,
    Edge,
    Line,
    Record,
    RecordingError,
)
from sabot_protocol.recording.writer import Writer

__all__ = [
    "MAGIC",
    "MAX_BLOCK_BYTES",
    "MAX_LEVELS",
    "MAX_LINE_BYTES",
    "MAX_T_US",
    "Act",
    "Counts",
    "CutOffError",
    "Edge",
    "Line",
    "Reader",
    "Record",
    "RecordingError",
    "Writer",
    "read",
]
