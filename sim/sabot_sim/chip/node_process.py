"""A Node process that runs node/main.mjs: one JSON object a line to it, one answer a line from it."""

import contextlib
import itertools
import os
import select
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import msgspec

from sabot_sim.rigs.rig import BenchError

SCRIPTS: Final = Path(__file__).with_name("node")
_SILENCE_S: Final = 600.0  # a busy chip answers within seconds
_END_S: Final = 5.0
_MOST_ANSWER_BYTES: Final = 16 << 20
_CHUNK_BYTES: Final = 1 << 16
_LOG_TAIL: Final = 500


class NodeProcess:
    """Emulates one chip. A forked process may use it while the one that made it waits."""

    def __init__(self, node: str, package: Path) -> None:
        fd, name = tempfile.mkstemp(prefix="sabot-chip-", suffix=".log")
        self.log = Path(name)
        command = [node, str(SCRIPTS / "main.mjs"), str(package)]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=fd)
        except OSError as error:
            raise BenchError(f"node did not start: {error}; SABOT_CHIP=rp2040py chooses the other emulator") from error
        finally:
            os.close(fd)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._owner, self._numbers, self._unread = os.getpid(), itertools.count(), b""

    def ask(self, what: str, **values: Any) -> dict[str, Any]:
        """Send a request and return its answer; BenchError if the process fails or has ended."""
        own = f"{os.getpid()}-{next(self._numbers)}"
        self._write(msgspec.json.encode({"id": own, "do": what, **values}) + b"\n")
        while True:
            answer: dict[str, Any] = msgspec.json.decode(self._line(what))
            if answer["id"] == own:  # else of a fork that was stopped
                break
        if "error" in answer:
            raise BenchError(f"rp2040js could not {what}: {answer['error']}; its log is {self.log}")
        return answer

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._to, view) :]
        except BrokenPipeError:
            raise self._ended("before a request") from None

    def _line(self, what: str) -> bytes:
        parts, size = [self._unread], len(self._unread)
        while b"\n" not in parts[-1]:
            if not select.select([self._from], [], [], _SILENCE_S)[0]:
                raise BenchError(f"rp2040js did not answer {what!r} within {_SILENCE_S:.0f} s; its log is {self.log}")
            part = os.read(self._from, _CHUNK_BYTES)
            size += len(part)
            if not part or size > _MOST_ANSWER_BYTES:
                raise self._ended(f"in {what!r}")
            parts.append(part)
        line, _, self._unread = b"".join(parts).partition(b"\n")
        return line

    def _ended(self, when: str) -> BenchError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        tail = self.log.read_text(errors="replace")[-_LOG_TAIL:].strip() if self.log.exists() else ""
        return BenchError(
            f"the Node process of the emulated chip has ended {when}, status {self._process.returncode}; "
            f"its log is {self.log}{': ' + tail if tail else ''}"
        )

    def close(self) -> None:
        """End the process that this one has started; keep the log only if something is in it."""
        if os.getpid() != self._owner or self._process.returncode is not None:
            return
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self.log.exists() and not self.log.stat().st_size:
            self.log.unlink()
