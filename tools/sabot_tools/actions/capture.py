"""sabot table TABLE capture: write the daemon's stream of a serial line to a recording."""

import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from sabot_protocol.recording import CutOffError, Line, Reader, Writer
from sabot_service.client import parse_answer, send_request
from sabot_service.messages import ControlError, Request

_PIECE_BYTES = 1 << 16
_MOST_ANSWER_BYTES = 1 << 12
_FLUSH_S = 1.0  # at most this much is lost in a crash
_GRACE_S = 30.0  # after the end of the capture, for a busy daemon


class CaptureError(RuntimeError):
    """The capture did not begin, or ended early; the message says why."""


@dataclass
class Recorder:
    """Writes records as they come; after finish() the file is a complete recording."""

    file: BinaryIO
    reader: Reader = field(default_factory=Reader)
    sizes: dict[str, int] = field(default_factory=lambda: {"shoe": 0, "gateway": 0})
    _writer: Writer | None = None
    _flushed_s: float = 0.0

    def take(self, piece: bytes, now_s: float) -> None:
        """Write the records in these bytes of the daemon's stream."""
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
        """Complete the recording."""
        if self._writer is not None:
            self._write(self._writer.finish())
            self.file.flush()

    def _write(self, data: bytes) -> None:
        try:
            self.file.write(data)
        except OSError as error:
            raise CaptureError(
                f"the capture cannot be written: {error.strerror}; what is in the file can be read"
            ) from error


def record(path: Path, request: Request, seconds: float, file: BinaryIO) -> dict[str, int]:
    """Write the daemon's stream until its end or Ctrl-C; return the number of bytes by sender."""
    recorder = Recorder(file)
    with send_request(path, request) as sock:
        rest = _read_answer(path, sock)
        try:
            recorder.take(rest, time.monotonic())
            interrupted = _copy(sock, recorder, seconds)
            if interrupted:
                print(file=sys.stderr)
            else:
                _expect_end(recorder.reader)
        finally:
            recorder.finish()
    return recorder.sizes


def _read_answer(path: Path, sock: socket.socket) -> bytes:
    """Return the first bytes of the stream, after the answer; CaptureError if it is a refusal."""
    received = b""
    while b"\n" not in received and len(received) < _MOST_ANSWER_BYTES and (piece := sock.recv(_PIECE_BYTES)):
        received += piece
    line, _, rest = received.partition(b"\n")
    answer = parse_answer(path, line)
    if not answer.ok:
        raise CaptureError(answer.say)
    return rest


@contextmanager
def _ctrl_c() -> Iterator[list[int]]:
    """Give a list that has an item after Ctrl-C: an exception could be raised where Python ignores it."""
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: pressed.append(number))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _copy(sock: socket.socket, recorder: Recorder, seconds: float) -> bool:
    """Write what comes until the stream ends; return True if Ctrl-C ended it."""
    with _ctrl_c() as pressed:
        _copy_until(pressed, sock, recorder, seconds)
    return bool(pressed)


def _copy_until(pressed: list[int], sock: socket.socket, recorder: Recorder, seconds: float) -> None:
    started_s = now_s = time.monotonic()
    sock.settimeout(_FLUSH_S)
    while not recorder.reader.ended and not pressed:
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
            raise ControlError(
                "the gateway did not end the capture in time. Read its log: `journalctl -u sabot-gateway`."
            )


def _expect_end(reader: Reader) -> None:
    try:
        reader.close()
    except CutOffError:
        raise CaptureError(
            "the gateway ended the capture early: it was stopped, or this program read too slowly. The file has "
            "everything until then."
        ) from None


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}\r", end="", flush=True, file=sys.stderr)


@contextmanager
def new_file(out: Path) -> Iterator[BinaryIO]:
    """Yield a new file, or stdout for -; remove the file if it stays empty."""
    if str(out) == "-":
        yield sys.stdout.buffer
        return
    try:
        file = out.open("xb", buffering=0)
    except FileExistsError:
        raise CaptureError(f"{out} exists, and is not overwritten; give another name with --out") from None
    except OSError as error:
        raise CaptureError(f"{out}: {error.strerror}; give a path that you can write to with --out") from None
    with file:
        try:
            yield file
        finally:
            if file.tell() == 0:
                out.unlink(missing_ok=True)


def default_path(table: str, now_s: float) -> Path:
    """Return TABLE-TIME.shoe in this directory."""
    return Path(f"{table}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(now_s))}.shoe")
