"""Runs of sabot inspect for the tests."""

import json
from typing import Any

from sabot_tools.actions import inspect as inspecting
from typer.testing import CliRunner, Result


def inspect(*args: str, data: bytes = b"") -> Result:
    """Run it with these bytes on stdin."""
    return CliRunner().invoke(inspecting.app, args, input=data)


def inspected(*args: str, data: bytes = b"", status: int = 0) -> list[dict[str, Any]]:
    """Return the answers as JSON; the exit status must be this one."""
    ran = inspect(*args, data=data)
    assert ran.exit_code == status, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]
