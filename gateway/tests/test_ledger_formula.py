"""LEDGER.md tells the hash byte by byte: its program and its worked example give what the ledger has."""

import re
import subprocess
import sys
from pathlib import Path

from ledger_entries import closed_ledger
from sabot_gateway.ledger import Entry, Ledger, Reader

TEXT = (Path(__file__).parents[1] / "LEDGER.md").read_text()
PROGRAM = TEXT.partition("```python\n")[2].partition("```")[0]
WORKED = Entry("u", 7, "t", "coup", b"{}", b"\x00\xff", "2026-01-01T00:00:00.000Z", "ab")


def run(path: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-I", "-c", PROGRAM, str(path)], capture_output=True, text=True, check=False)


def test_the_program_check_a_ledger(tmp_path: Path) -> None:
    path = closed_ledger(tmp_path / "ledger.db")
    reader = Reader(path)
    _, head = reader.newest()
    reader.close()
    assert run(path).stdout == f"the last entry's hash is {head.hex()}\n"


def test_the_program_check_entries_of_one_commit_with_other_times_and_books(tmp_path: Path) -> None:
    path, numbers = tmp_path / "ledger.db", range(1, 40)
    ledger = Ledger(path)
    ledger.append([WORKED._replace(event_no=n, time=f"{n // 4}", rulebook=f"{n // 2}") for n in numbers])
    _, head = ledger.newest()
    ledger.close()
    assert run(path).stdout == f"the last entry's hash is {head.hex()}\n"


def test_the_program_find_an_edit(tmp_path: Path) -> None:
    path = closed_ledger(tmp_path / "ledger.db")
    text = path.read_bytes()
    path.write_bytes(text.replace(b'"event_no":70,', b'"event_no":71,', 1))
    assert "entry 70 is not what was written" in run(path).stderr


def test_the_worked_example(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.append([WORKED])
    (digest,) = re.findall(r"which is `([0-9a-f]{64})`", TEXT)
    assert ledger.newest() == (1, bytes.fromhex(digest))


def test_the_bytes_of_the_worked_example() -> None:
    block = TEXT.partition("```\n00000001 31")[2].partition("```")[0]
    hexes = re.findall(r"\b(?:[0-9a-f]{2})+\b(?=  | [0-9a-f]|\s)", "00000001 31" + re.sub(r"   +.*", "", block))
    data = bytes.fromhex("".join(hexes))
    parts = [b"1", b"u", b"7", b"t", b"coup", b"{}", b"\x00\xff", WORKED.time.encode(), b"ab", b"1"]
    assert data == b"".join(len(part).to_bytes(4, "big") + part for part in parts)
