"""The recording format `.shoe`: what a shoe's inputs showed, its serial line carried and people did, with times.

    header   magic 8 bytes | version u8 | length u32 | metadata: a JSON object                      | check u32
    block    kind u8 = 1   | length u32 | records, packed by zlib                                   | check u32
    end      kind u8 = 2   | length u32 | blocks, edges, lines and acts u32, line bytes u64, SHA         | check u32

Numbers are little-endian; `length` is that of the field behind it. A check is the CRC-32 of every byte so far except
the checks, so that a block that is missing, repeated or out of place fails too. SHA is the SHA-256 of every byte before
the end. A file without its end was cut off: it holds what its whole blocks hold.

A block's records follow each other, its first counts from time 0 and levels 0. Numbers are varints, 7 bits a byte, the
lowest first, bit 7 set when another follows:

    edge     (microseconds since the last record) << 2 | 0   | levels of all inputs XOR those before
    line     (microseconds since the last record) << 2 | 1 from the shoe, 2 from the gateway | length | bytes
    act      (microseconds since the last record) << 2 | 3   | length | a JSON object: what was done besides

Metadata that programs here understand, none of it required: `made_by`, `source`, `unit`, `card_set`, `rulebook`,
`seed`, `protocol` (hash, in hex), `started_unix_us` (when time 0 was). Of a recording that is to be replayed also
`decks`, `options` (of the rulebook, by axis), `key` (of the unit, in hex), `about` (a sentence), `covers` (modes of
failure) and `quick` (short enough for an emulated chip).
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
