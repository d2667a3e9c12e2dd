"""The bytes of a recording to its records."""

import json
import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from struct import Struct
from typing import Any

from sabot_protocol.recording.blocks import (
    BLOCK,
    CHECK,
    END,
    END_KIND,
    HEADER,
    MAGIC,
    MAX_BLOCK_BYTES,
    MAX_METADATA_BYTES,
    RECORDS_KIND,
    VERSION,
    decode_block,
    inflate,
)
from sabot_protocol.recording.records import Counts, CutOffError, Record, RecordingError, problem_with


class Reader:
    """Bytes in, records out as their blocks arrive; holds at most a block and the bytes just given."""

    def __init__(self) -> None:
        self.metadata: dict[str, Any] | None = None  # once the header is there
        self.counts = Counts()
        self.ended = False
        self._held = bytearray()
        self._at = self._t_us = self._crc = 0
        self._hash = sha256()
        self._error: RecordingError | None = None

    def feed(self, data: bytes) -> Iterator[Record]:
        """Yield the records of every block that these bytes complete; consume them before the next bytes."""
        if self._error:
            raise self._error
        self._held += data
        try:
            yield from self._blocks()
        except RecordingError as error:
            self._error = error
            raise

    def close(self) -> None:
        """Raise CutOffError if the recording was cut off; no more bytes follow."""
        if self._error:
            raise self._error
        if self.ended:
            return
        size, counts = self._at + len(self._held), self.counts
        if self.metadata is None:
            raise CutOffError("cut off in the header; nothing can be read", size)
        acts = f", {counts.acts} acts" if counts.acts else ""
        sound = f"{counts.edges} edges{acts} and {counts.lines} pieces of the line before are sound"
        raise CutOffError(f"cut off behind block {counts.blocks}: the end is missing; the {sound}", size)

    def _blocks(self) -> Iterator[Record]:
        if self.metadata is None and not self._header():
            return
        while not self.ended:
            self._refuse_unknown_kind()
            part = self._part(BLOCK, MAX_BLOCK_BYTES, f"block {self.counts.blocks + 1}")
            if part is None:
                return
            yield from self._records(part)
        if self._held:
            raise self._wrong(f"{len(self._held)} bytes behind the end; a recording has one end")

    def _header(self) -> bool:
        if not MAGIC.startswith(self._held[: len(MAGIC)]):
            raise self._wrong(f"not a recording: it begins with {self._held[:8].hex()}, a .shoe with {MAGIC.hex()}")
        if len(self._held) > len(MAGIC) and self._held[len(MAGIC)] != VERSION:
            version = self._held[len(MAGIC)]
            raise self._wrong(f"version {version} of the format; this program reads version {VERSION}: update it")
        part = self._part(HEADER, MAX_METADATA_BYTES, "the header")
        if part is None:
            return False
        self.metadata = self._parsed(part[HEADER.size :])
        self._accept(part)
        return True

    def _parsed(self, metadata: bytes) -> dict[str, Any]:
        try:
            found = json.loads(metadata)
        except (ValueError, RecursionError) as error:
            raise self._wrong(f"metadata is no JSON: {error}") from error
        if not isinstance(found, dict):
            raise self._wrong("metadata is no JSON object")
        return found

    def _part(self, head: Struct, most: int, what: str) -> bytes | None:
        """Return head and content of the next part, with its check done; None if it is not complete."""
        if len(self._held) < head.size:
            return None
        length = head.unpack_from(self._held)[-1]
        if length > most:
            raise self._wrong(f"{what} of {length} bytes; at most {most} are allowed")
        whole = head.size + length
        if len(self._held) < whole + CHECK.size:
            return None
        part = bytes(self._held[:whole])
        if CHECK.unpack_from(self._held, whole)[0] != zlib.crc32(part, self._crc):
            raise self._wrong(f"{what} fails its check: damaged here; what came before is sound")
        return part

    def _accept(self, part: bytes) -> None:
        self._crc = zlib.crc32(part, self._crc)
        self._hash.update(part + CHECK.pack(self._crc))
        del self._held[: len(part) + CHECK.size]
        self._at += len(part) + CHECK.size

    def _refuse_unknown_kind(self) -> None:
        if self._held and self._held[0] not in (RECORDS_KIND, END_KIND):
            raise self._wrong(f"a block of kind {self._held[0]}; damaged here, or written by a newer program")

    def _records(self, part: bytes) -> Iterator[Record]:
        content = part[BLOCK.size :]
        if part[0] == END_KIND:
            self._check_end(content)
            self.ended = True
        else:
            yield from self._unpacked(content)
            self.counts.blocks += 1
        self._accept(part)

    def _unpacked(self, packed: bytes) -> Iterator[Record]:
        try:
            for record in decode_block(inflate(packed)):
                if what := problem_with(record, self._t_us):
                    raise RecordingError(f"record {self.counts.records + 1}: {what}")
                self._t_us = record.t_us
                self.counts.add(record)
                yield record
        except RecordingError as error:
            raise self._wrong(f"block {self.counts.blocks + 1}: {error}") from error

    def _check_end(self, content: bytes) -> None:
        if len(content) != END.size:
            raise self._wrong(f"an end of {len(content)} bytes; {END.size} make one")
        *counts, digest = END.unpack(content)
        if tuple(counts) != self.counts.at_end():
            raise self._wrong(f"the end counts {counts} blocks, edges, lines and bytes, but there were {self.counts}")
        if digest != self._hash.digest():
            raise self._wrong("the SHA-256 at the end is not that of the bytes before: something was changed")

    def _wrong(self, what: str) -> RecordingError:
        return RecordingError(what, self._at)


def read(reader: Reader, pieces: Iterable[bytes]) -> Iterator[Record]:
    """Yield the records of a recording, given in pieces; RecordingError at the end if it is not whole."""
    for piece in pieces:
        yield from reader.feed(piece)
    reader.close()
