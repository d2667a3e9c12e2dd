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
_MOST_LOG_BYTES: Final = 1 << 20
# Larger than by default, so that the whole interpreter of instructions becomes one piece of machine code.
_V8: Final = ("--max-inlined-bytecode-size=2000", "--max-inlined-bytecode-size-cumulative=8000")


class NodeProcess:
    """Emulates one chip. A forked process may use it while the one that made it waits."""

    def __init__(self, node: str, package: Path) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process runs)
        command = [node, *_V8, str(SCRIPTS / "main.mjs"), str(package)]
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._log)
        except OSError as error:
            raise BenchError(f"node did not start: {error}; SABOT_CHIP=rp2040py chooses the other emulator") from error
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
            raise BenchError(f"rp2040js could not {what}: {answer['error']}; {self._kept_log()}")
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
                raise BenchError(f"rp2040js did not answer {what!r} within {_SILENCE_S:.0f} s; {self._kept_log()}")
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
        ended = f"has ended {when}, status {self._process.returncode}"
        return BenchError(f"the Node process of the emulated chip {ended}; {self._kept_log()}")

    def _kept_log(self) -> str:
        """Write what the process has logged to a file that stays, and return where it is."""
        logged = os.pread(self._log.fileno(), _MOST_LOG_BYTES, 0)
        fd, name = tempfile.mkstemp(prefix="sabot-chip-", suffix=".log")
        with os.fdopen(fd, "wb") as file:
            file.write(logged)
        last = logged.decode(errors="replace").strip().splitlines()[-1:]
        return f"its log is {name}{': ' + last[0] if last else ', and empty'}"

    def close(self) -> None:
        """End the process that this one has started."""
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
