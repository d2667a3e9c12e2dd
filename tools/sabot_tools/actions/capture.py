"""sabot table TABLE capture: the daemon streams what the table's line carries, and this process writes the file."""

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from sabot_gateway.operator.client import parse_answer, send_request
from sabot_gateway.operator.messages import ControlError, Request
from sabot_protocol.recording import CutOffError, Line, Reader, Writer

_PIECE_BYTES = 1 << 16
_MOST_ANSWER_BYTES = 1 << 12
_FLUSH_S = 1.0  # what a crash can cost
_GRACE_S = 30.0  # behind the end of the capture, for a daemon that is busy


class CaptureError(RuntimeError):
    """The capture did not come about, or ended early; the message says why."""


@dataclass
class Recorder:
    """A file that is a whole recording whenever finish() is called; records are written as they come."""

    file: BinaryIO
    reader: Reader = field(default_factory=Reader)
    sizes: dict[str, int] = field(default_factory=lambda: {"shoe": 0, "gateway": 0})
    _writer: Writer | None = None
    _flushed_s: float = 0.0

    def take(self, piece: bytes, now_s: float) -> None:
        """Bytes of the daemon's stream."""
        records = list(self.reader.feed(piece))
        if self._writer is None and self.reader.metadata is not None:
            self._writer = Writer(self.reader.metadata)
            self._write(self._writer.start())
        for record in records:
            assert self._writer is not None
            assert isinstance(record, Line)
            self.sizes[record.sender] += len(record.data)
            self._write(self._writer.add(record))
        if self._writer is not None and now_s - self._flushed_s >= _FLUSH_S:
            self._flushed_s = now_s
            self._write(self._writer.flush())

    def finish(self) -> None:
        """Everything that came is in the file."""
        if self._writer is not None:
            self._write(self._writer.finish())
            self.file.flush()

    def _write(self, data: bytes) -> None:
        try:
            self.file.write(data)
        except OSError as error:
            raise CaptureError(f"the capture cannot be written: {error.strerror}; what was written is sound") from error


def record(path: Path, request: Request, seconds: float, file: BinaryIO) -> dict[str, int]:
    """Write what the daemon at this socket streams until its end or Ctrl-C; the bytes by sender."""
    recorder = Recorder(file)
    with send_request(path, request) as sock:
        rest = _answered(path, sock)
        try:
            recorder.take(rest, time.monotonic())
            _follow(sock, recorder, seconds)
        except KeyboardInterrupt:
            print(file=sys.stderr)
        else:
            _expect_end(recorder.reader)
        finally:
            recorder.finish()
    return recorder.sizes


def _answered(path: Path, sock: socket.socket) -> bytes:
    """The first of the stream, the answer before it being yes."""
    held = b""
    while b"\n" not in held and len(held) < _MOST_ANSWER_BYTES and (piece := sock.recv(_PIECE_BYTES)):
        held += piece
    line, _, rest = held.partition(b"\n")
    answer = parse_answer(path, line)
    if not answer.ok:
        raise CaptureError(answer.say)
    return rest


def _follow(sock: socket.socket, recorder: Recorder, seconds: float) -> None:
    started_s = now_s = time.monotonic()
    sock.settimeout(_FLUSH_S)
    while not recorder.reader.ended:
        try:
            piece = sock.recv(_PIECE_BYTES)
        except TimeoutError:
            piece = None
        now_s = time.monotonic()
        if piece == b"":
            return
        recorder.take(piece or b"", now_s)
        _progress(f"{now_s - started_s:.0f} of {seconds:g} s, {sum(recorder.sizes.values())} bytes")
        if now_s - started_s > seconds + _GRACE_S:
            raise ControlError("the gateway does not end the capture; look at its log")


def _expect_end(reader: Reader) -> None:
    try:
        reader.close()
    except CutOffError:
        raise CaptureError(
            "the gateway ended the capture early: it was stopped, or this program could not keep up; what came until "
            "then is in the file"
        ) from None


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}\r", end="", flush=True, file=sys.stderr)


@contextmanager
def new_file(out: Path) -> Iterator[BinaryIO]:
    """A file that was not there before; - is stdout. One that stays empty is removed."""
    if str(out) == "-":
        yield sys.stdout.buffer
        return
    try:
        file = out.open("xb", buffering=0)
    except FileExistsError:
        raise CaptureError(f"{out} exists; give another name, nothing is overwritten") from None
    except OSError as error:
        raise CaptureError(f"{out}: {error.strerror}; give a path that you may write to, by --out") from None
    with file:
        try:
            yield file
        finally:
            if file.tell() == 0:
                out.unlink(missing_ok=True)


def default_name(table: str, now_s: float) -> Path:
    """In this directory, by table and time."""
    return Path(f"{table}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(now_s))}.shoe")
