"""Child processes that end with their parent."""

import contextlib
import ctypes
import signal
import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

_STOP_WITHIN_S = 5.0
_TAIL_LINES = 5


class DeadChildError(RuntimeError):
    """A child process has ended by itself; the message has its name, status and last output."""


@dataclass
class Child:
    """A running process and its log."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path


@dataclass
class Children:
    """Processes started in order and stopped in reverse; each writes to its own log in `log_dir`."""

    log_dir: Path
    _running: list[Child] = field(default_factory=list)

    def start(
        self, name: str, args: list[str], *, pass_fds: tuple[int, ...] = (), env: dict[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a child in its own session, so that Ctrl-C reaches only the parent."""
        log = self.log_dir / f"{name}.log"
        with log.open("ab") as out:
            process = subprocess.Popen(
                args,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                pass_fds=pass_fds,
                env=env,
                start_new_session=True,
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )
        self._running.append(Child(name, process, log))
        return process

    def pid(self, name: str) -> int:
        """Return the process id of a running child; KeyError if there is none of this name."""
        return {child.name: child.process.pid for child in self._running}[name]

    def release(self, process: subprocess.Popen[bytes]) -> None:
        """Stop watching a child that the caller ends."""
        self._running = [child for child in self._running if child.process is not process]

    def kill(self, name: str) -> None:
        """End a child by SIGKILL and stop watching it; nothing happens if there is none of this name."""
        for child in [child for child in self._running if child.name == name]:
            self.release(child.process)
            child.process.kill()
            child.process.wait()

    def take_dead(self, *names: str) -> Child | None:
        """Return one of these that has ended by itself, and stop watching it; None if all run."""
        for child in self._running:
            if child.name in names and child.process.poll() is not None:
                self.release(child.process)
                return child
        return None

    def check(self, but: Collection[str] = ()) -> None:
        """Raise DeadChildError if a child, but none of these, has ended by itself."""
        for child in self._running:
            if child.name in but:
                continue
            status = child.process.poll()
            if status is not None:
                raise DeadChildError(
                    f"{child.name} ended unexpectedly with status {status}. Its last output:\n{tail(child.log)}"
                )

    def stop(self) -> None:
        """End all children, newest first: SIGTERM, then SIGKILL."""
        while self._running:
            process = self._running.pop().process
            process.terminate()
            try:
                process.wait(_STOP_WITHIN_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _die_with_parent() -> None:
    """Have the kernel end this child when its parent ends, even by kill -9."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def tail(log: Path) -> str:
    """Return the last lines of a log."""
    lines = log.read_text(errors="replace").splitlines()[-_TAIL_LINES:]
    return "\n".join(f"  {line}" for line in lines) or "  (nothing)"
