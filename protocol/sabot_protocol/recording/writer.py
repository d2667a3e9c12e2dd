"""Records to the bytes of a recording."""

import zlib
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from sabot_protocol.recording.blocks import (
    BLOCK,
    CHECK,
    END,
    END_KIND,
    HEADER,
    MAGIC,
    MAX_METADATA_BYTES,
    RECORDS_KIND,
    VERSION,
    encode_record,
)
from sabot_protocol.recording.records import MAX_RECORDS, Counts, Edge, Record, RecordingError, json_bytes, problem_with

_FULL_BLOCK_BYTES = 1 << 12  # some forty cards


class Writer:
    """Records in, bytes out, to be written in order: start(), add() as they come, flush() at will, finish()."""

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        self.counts = Counts()
        self._metadata = _metadata_bytes(metadata)
        self._block = bytearray()
        self._t_us = self._block_us = self._levels = self._crc = 0
        self._hash = sha256()

    def start(self) -> bytes:
        """Return the header."""
        return self._checked(HEADER.pack(MAGIC, VERSION, len(self._metadata)) + self._metadata)

    def add(self, record: Record) -> bytes:
        """Return the block that this record has filled, or nothing yet."""
        number = self.counts.records
        what = problem_with(record, self._t_us) if number < MAX_RECORDS else "the recording is full; begin another"
        if what:
            raise RecordingError(f"record {number + 1}: {what}")
        self._block += encode_record(record, self._block_us, self._levels)
        if isinstance(record, Edge):
            self._levels = record.levels
        self._t_us = self._block_us = record.t_us
        self.counts.add(record)
        return self.flush() if len(self._block) >= _FULL_BLOCK_BYTES else b""

    def flush(self) -> bytes:
        """Return what was added since the last block; once written, it survives a crash."""
        if not self._block:
            return b""
        packed = zlib.compress(self._block, 9)
        self._block.clear()
        self._block_us = self._levels = 0
        self.counts.blocks += 1
        return self._checked(BLOCK.pack(RECORDS_KIND, len(packed)) + packed)

    def finish(self) -> bytes:
        """Return the last block and the end."""
        last = self.flush()
        end = END.pack(*self.counts.at_end(), self._hash.digest())
        return last + self._checked(BLOCK.pack(END_KIND, END.size) + end)

    def _checked(self, part: bytes) -> bytes:
        self._crc = zlib.crc32(part, self._crc)
        part += CHECK.pack(self._crc)
        self._hash.update(part)
        return part


def _metadata_bytes(metadata: Mapping[str, Any]) -> bytes:
    found = json_bytes(metadata)
    if len(found) > MAX_METADATA_BYTES:
        raise RecordingError(f"metadata of {len(found)} bytes; at most {MAX_METADATA_BYTES} are allowed")
    return found
