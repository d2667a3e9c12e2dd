"""The laboratory's own processes: a real broker, the real daemon, commands as a person calls them."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sabot_tools.stand.children import Children

from siege.spec import Spec

HERE = Path(__file__).parents[1]
PROTOCOL = HERE.parent / "protocol" / "PROTOCOL.md"
_STOPS_WITHIN_S = 20.0
_COMMAND_WITHIN_S = 120.0
_OUTPUT_CHARS = 400  # characters of what a command wrote


def protocol_hash() -> str:
    """As PROTOCOL.md prints it."""
    found = re.search(r"Protocol hash `([0-9a-f]{16})`", PROTOCOL.read_text())
    if found is None:
        raise ValueError(f"{PROTOCOL} names no protocol hash")
    return found[1]


def sabot(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a sabot command."""
    command = [sys.executable, "-m", "sabot_tools", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=_COMMAND_WITHIN_S)


def outcome(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return exit status and last output of a command."""
    return {"exit": done.returncode, "output": (done.stdout + done.stderr).strip()[-_OUTPUT_CHARS:]}


@dataclass
class Daemon:
    """`sabot gateway run`, started, killed and watched."""

    children: Children
    spec: Spec
    log_from: int = 0  # where the log of this process begins
    up: bool = False

    def start(self) -> None:
        """A new process on the same config and ledger; attackers learn of it when it is up."""
        self.log_from = self._log_path.stat().st_size if self._log_path.exists() else 0
        command = [sys.executable, "-m", "sabot_tools", "gateway", "run", "--config", str(self.spec.config)]
        self.process = self.children.start("gateway", command)
        self.up = False

    def look(self) -> None:
        """Name the process to the attackers once it serves: a signal before that ends any program."""
        if not self.up and "gateway started" in self.log(self.log_from):
            self.up = True
            self.spec.pid_file.write_text(str(self.process.pid))

    def ended(self) -> int | None:
        """The status of a daemon that ended by itself."""
        status = self.process.poll()
        if status is not None:
            self.children.release(self.process)
        return status

    def kill(self) -> None:
        """Kill the daemon."""
        self.spec.pid_file.unlink(missing_ok=True)
        self.children.release(self.process)
        self.process.kill()
        self.process.wait()

    def stop(self) -> int | None:
        """Stop it with SIGTERM; return the exit status, or None if it had to be killed."""
        self.children.release(self.process)
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(_STOPS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def hup(self) -> None:
        """Read the config again."""
        if self.up and self.process.poll() is None:
            self.process.send_signal(signal.SIGHUP)

    @property
    def _log_path(self) -> Path:
        return self.children.log_dir / "gateway.log"

    def log(self, from_byte: int = 0) -> str:
        """What it wrote, from its first start on or from a place in the file."""
        if not self._log_path.exists():
            return ""
        with self._log_path.open("rb") as log:
            log.seek(from_byte)
            return log.read().decode(errors="replace")

    def last_output(self) -> str:
        """The end of its log in a line."""
        size = self._log_path.stat().st_size if self._log_path.exists() else 0
        return " | ".join(self.log(max(0, size - 2000)).splitlines()[-3:])[-600:]

    def memory_kib(self) -> int:
        """Resident memory; 0 for a process that is gone."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return 0
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) if found else 0

    def descriptors(self) -> int:
        """Open files and sockets."""
        try:
            return len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except OSError:
            return 0


class Verify:
    """`sabot ledger verify` beside the daemon, without waiting for it."""

    def __init__(self, ledger: Path) -> None:
        self._began_s = time.monotonic()
        command = [sys.executable, "-m", "sabot_tools", "ledger", "verify", str(ledger)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def result(self) -> dict[str, object] | None:
        """Return its outcome, or None while it runs."""
        if self.process.poll() is None:
            return None
        text, _ = self.process.communicate()
        seconds = round(time.monotonic() - self._began_s, 1)
        return {"exit": self.process.returncode, "output": text.strip()[-_OUTPUT_CHARS:], "seconds": seconds}


@dataclass
class Attackers:
    """The process of all attackers of one phase."""

    children: Children
    spec: Spec

    def start(self) -> None:
        """Begin; it ends by itself after `spec.seconds`."""
        path = self.children.log_dir / "attack.json"
        self.spec.write(path)
        env = {**os.environ, "PYTHONPATH": str(HERE)}
        self.process = self.children.start("attackers", [sys.executable, "-m", "siege.attackers", str(path)], env=env)

    def stop(self) -> None:
        """Send SIGTERM."""
        self.process.terminate()

    def ended(self) -> bool:
        """Return True when it has ended."""
        return self.process.poll() is not None

    def kill(self) -> None:
        """Kill it."""
        self.children.release(self.process)
        self.process.kill()
        self.process.wait()
