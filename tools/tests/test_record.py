"""sabot record: shoes by seed, edges from a file, the line of a port."""

import fcntl
import json
import os
import subprocess
import sys
import threading
import time
import tty
from pathlib import Path
from typing import Any

import pytest
from sabot_protocol import recording
from sabot_protocol.recording import Line
from sabot_tools.actions import inspect as inspecting
from sabot_tools.actions import record as recorder
from support.patience import PATIENCE_S
from typer.testing import CliRunner, Result

VECTORS = (Path(__file__).parents[2] / "protocol" / "vectors" / "frames.jsonl").read_text().splitlines()
WIRE = {one["name"]: bytes.fromhex(one["wire"]) for one in map(json.loads, VECTORS)}


def inspect(*args: str, data: bytes = b"") -> Result:
    return CliRunner().invoke(inspecting.app, args, input=data)


def record(*args: str) -> Result:
    return CliRunner().invoke(recorder.app, args)


def inspected(*args: str, data: bytes = b"", status: int = 0) -> list[dict[str, Any]]:
    ran = inspect(*args, data=data)
    assert ran.exit_code == status, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_a_whole_shoe_is_small_and_is_read_as_it_was_dealt(tmp_path: Path) -> None:
    file, expected = tmp_path / "normal.shoe", tmp_path / "normal.json"
    ran = record(str(file), "--profile", "normal", "--cards", "416", "--expected", str(expected))
    assert ran.exit_code == 0, ran.stderr
    assert file.stat().st_size < 40_000
    edges = inspect(str(file), "--edges").stdout
    command = [sys.executable, "-m", "sabot_tools", "read", "--bench", "cpython"]
    read = json.loads(subprocess.run(command, input=edges, capture_output=True, text=True, check=True).stdout)
    assert read["cards"] == [one["truth"] for one in json.loads(expected.read_text())["reads"]]


def test_a_recording_follows_from_its_seed(tmp_path: Path) -> None:
    files = [tmp_path / "one.shoe", tmp_path / "same.shoe", tmp_path / "other.shoe"]
    for file, seed in zip(files, ("1", "1", "2"), strict=True):
        assert record(str(file), "--profile", "hostile", "--cards", "30", "--seed", seed).exit_code == 0
    one, same, other = (file.read_bytes() for file in files)
    assert one == same != other


def test_lines_of_edges_become_a_recording(tmp_path: Path) -> None:
    lines, file = tmp_path / "reads.jsonl", tmp_path / "reads.shoe"
    lines.write_text('{"id": 0, "set": 2, "edges": [[7, 1], [9, 3]]}\n{"id": 1, "set": 2, "edges": [[0, 1], [5, 0]]}\n')
    assert record(str(file), "--edges", str(lines)).exit_code == 0
    (line,) = inspected(str(file), "--edges")
    (first, second, taken_out, third, fourth) = line["edges"]
    assert (line["set"], first, second) == (2, [7, 1], [9, 3])
    assert taken_out == [5_500_009, 0]
    assert (third[1], fourth) == (1, [third[0] + 5, 0])


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "--edges: the file is empty"),
        ('{"edges": [[0, 1]]}\n{"edges": [[0, 70000]]}\n', "--edges: line 2: Expected `int` <= 65535"),
        (
            '{"edges": [[0, 1]]}\n{"edges": [[0, 1]], "set": 3}\n',
            "line 2 has card set 3, line 1 has 1; record one set per file",
        ),
        ('{"edges": [[9, 1], [8, 0]]}\n', "record 2: 8 us after 9 us"),
    ],
)
def test_bad_lines_leave_no_recording(tmp_path: Path, text: str, error: str) -> None:
    lines, file = tmp_path / "reads.jsonl", tmp_path / "reads.shoe"
    lines.write_text(text)
    ran = record(str(file), "--edges", str(lines))
    assert ran.exit_code == 1
    assert error in ran.stderr
    assert not file.exists()


def test_what_record_refuses(tmp_path: Path) -> None:
    file = tmp_path / "there.shoe"
    file.write_bytes(b"evidence")
    assert "choose one of --scenario, --profile, --edges and --port" in record(str(file)).stderr
    assert (
        f"{file} exists and is not overwritten; choose another name" in record(str(file), "--profile", "normal").stderr
    )
    assert "unknown profile 'fine'" in record(str(tmp_path / "new.shoe"), "--profile", "fine").stderr
    assert "port /nowhere is not there" in record(str(tmp_path / "new.shoe"), "--port", "/nowhere").stderr
    ends = os.openpty()
    fcntl.flock(ends[1], fcntl.LOCK_EX)
    busy = record(str(tmp_path / "new.shoe"), "--port", os.ttyname(ends[1])).stderr
    assert "if a gateway serves the table, record its line with `sabot table TABLE capture`" in busy
    for end in ends:
        os.close(end)
    assert file.read_bytes() == b"evidence"


def once_there(file: Path, line: int, data: bytes) -> None:
    """Sends when the recording has begun: what comes before the port is open is lost."""
    until_s = time.monotonic() + PATIENCE_S
    while not file.exists() and time.monotonic() < until_s:
        time.sleep(0.01)
    os.write(line, data)


def test_a_port_is_recorded(tmp_path: Path) -> None:
    shoe, line = os.openpty()
    tty.setraw(line)
    file = tmp_path / "port.shoe"
    data = b"".join(WIRE[f"event {kind}"] for kind in ("card", "coup", "reject", "sensor"))
    sender = threading.Thread(target=once_there, args=(file, shoe, data))
    sender.start()
    ran = record(str(file), "--port", os.ttyname(line), "--seconds", "1", "--unit", "0102030405060708")
    sender.join()
    os.close(shoe)
    os.close(line)
    assert ran.exit_code == 0, ran.stderr
    assert [seen["body"]["kind"] for seen in inspected(str(file))] == ["card", "coup", "reject", "sensor"]
    reader = recording.Reader()
    assert sum(len(one.data) for one in recording.read(reader, [file.read_bytes()]) if isinstance(one, Line)) > 0
    assert (reader.metadata or {})["unit"] == "0102030405060708"


def test_the_line_of_an_angel_eye_is_recorded_as_such(tmp_path: Path) -> None:
    shoe, line = os.openpty()
    tty.setraw(line)
    file = tmp_path / "port.shoe"
    sender = threading.Thread(target=once_there, args=(file, shoe, bytes.fromhex("05 32 50 03 36 31")))
    sender.start()
    ran = record(str(file), "--kind", "angel-eye", "--port", os.ttyname(line), "--seconds", "0.3")
    sender.join()
    os.close(shoe)
    os.close(line)
    assert ran.exit_code == 0, ran.stderr
    assert [seen["name"] for seen in inspected(str(file))] == ["stand_by"]
