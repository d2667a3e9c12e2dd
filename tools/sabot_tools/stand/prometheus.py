"""Prometheus: its server and promtool, as `make` unpacks them or as they are installed."""

import json
import shutil
import subprocess
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

_UNPACKED = Path(__file__).resolve().parents[3] / ".venv" / "prometheus" / "usr" / "bin"
_WITHIN_S = 10.0


class NoPrometheusError(RuntimeError):
    """A program of Prometheus is missing; the message gives the next step."""


def program(name: str) -> str:
    """Return the path of `prometheus` or `promtool`, or NoPrometheusError."""
    unpacked = _UNPACKED / name
    found = str(unpacked) if unpacked.exists() else shutil.which(name)
    if found is None:
        raise NoPrometheusError(f"{name} is missing: `make .venv/.prometheus` fetches it by apt, or install prometheus")
    return found


def server_command(config: Path, data_dir: Path, port: int) -> list[str]:
    """Return the command that runs a server of its own."""
    options = {"config.file": config, "storage.tsdb.path": data_dir, "web.listen-address": f"127.0.0.1:{port}"}
    return [program("prometheus"), *(f"--{name}={value}" for name, value in options.items())]


def query(port: int, expression: str) -> list[dict[str, Any]]:
    """Return the samples of an expression now; an empty list for none."""
    values = urllib.parse.urlencode({"query": expression})
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?{values}", timeout=_WITHIN_S) as answer:
        found: list[dict[str, Any]] = json.load(answer)["data"]["result"]
    return found


def promtool(*args: str, given: str = "") -> tuple[int, str]:
    """Run promtool; return its status and what it printed."""
    done = subprocess.run([program("promtool"), *args], input=given, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr
