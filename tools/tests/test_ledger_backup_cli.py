"""sabot ledger backup, ship, restore and drill, as an operator and a timer call them."""

import json
import re
from pathlib import Path

import forked_sabot
import pytest
from ledger_entries import play
from sabot_gateway.ledger import Ledger


def sabot(*args: str | Path) -> tuple[int, str, str]:
    ran = forked_sabot.sabot("ledger", *args)
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "ledger.db")
    made.append(play(1, 1, 30))
    (tmp_path / "backups").mkdir()
    return made


def heads_file(ledger: Ledger) -> Path:
    path = ledger.path.with_name("heads.jsonl")
    head = ledger.head()
    fields = {name: getattr(head, name) for name in ("gateway", "entry", "hash", "time", "signature")}
    with path.open("a") as file:
        file.write(json.dumps(fields) + "\n")
    return path


def test_a_whole_life(ledger: Ledger, tmp_path: Path) -> None:
    place = tmp_path / "backups"
    status, said, noted = sabot("backup", place, "--ledger", ledger.path)
    assert status == 0
    assert noted == f"sabot ledger: {place} is on the same disk as the ledger: a lost disk loses both\n"
    (copy,) = place.glob("*.db")
    expected = (
        rf"{copy}: 182 entries, the last is 182, hash {ledger.newest()[1].hex()}; \d+ bytes in \d+\.\d s, verified\n"
    )
    assert re.fullmatch(expected, said)
    assert sabot("verify", copy)[:2] == (0, f"{copy}: 182 entries, intact\n")
    ledger.append(play(1000, 2, 3))
    shipped = f"{place}: 202 entries shipped, the last is 202, hash {ledger.newest()[1].hex()}\n"
    assert sabot("ship", place, "--ledger", ledger.path) == (0, shipped, "")
    heads = heads_file(ledger)
    ledger.append(play(2000, 3, 3))
    heads_file(ledger)
    out, key = tmp_path / "restored.db", tmp_path / "ledger.db-key"
    status, said, noted = sabot("restore", place, "--out", out, "--key", key, "--heads", heads)
    assert (status, noted) == (0, "")
    assert f"made of {copy.name} and 20 entries of segments" in said
    assert said.endswith(": entries 203 to 222 are missing\n")
    assert sabot("restore", place, "--out", out)[0] == 1
    status, said, _ = sabot("drill", place, "--ledger", ledger.path, "--heads", heads)
    assert status == 0
    assert f"{place}: the ledger in use has 20 entries beyond the backup\n{place}: drill passed\n" in said


def test_the_ledger_of_a_config(ledger: Ledger, tmp_path: Path) -> None:
    config = tmp_path / "gateway.toml"
    table = '[[table]]\nname = "bac-01"\nport = "/dev/null"\nrulebook = "star-baccarat"\n'
    config.write_text(f'site = "s"\nledger = "ledger.db"\nbroker = "mqtt://localhost"\n{table}')
    status, said, _ = sabot("ship", tmp_path / "backups", "--config", config)
    assert (status, said[: said.index(" shipped")]) == (0, f"{tmp_path / 'backups'}: 182 entries")
    status, _, noted = sabot("ship", tmp_path / "backups", "--config", tmp_path / "nothing.toml")
    assert status == 1
    assert noted.endswith("; or give the ledger with --ledger FILE\n")


def test_old_copies_go(ledger: Ledger, tmp_path: Path) -> None:
    place = tmp_path / "backups"
    gateway = ledger.gateway()
    for day in (1, 2, 3):
        (place / f"ledger-{gateway}-2026050{day}T030000Z-1-0123456789abcdef.db").write_bytes(b"")
    status, _, noted = sabot("backup", place, "--ledger", ledger.path, "--keep", "2")
    assert status == 0
    assert noted.count(" removed\n") == 2
    assert len(list(place.glob("*.db"))) == 2


def test_a_drill_of_nothing_fails(ledger: Ledger, tmp_path: Path) -> None:
    place = tmp_path / "backups"
    problem = f"sabot ledger: {place} holds no backup of a ledger; make one with `sabot ledger backup {place}`\n"
    assert sabot("drill", place) == (1, "", problem)
    assert sabot("backup", place, "--ledger", ledger.path)[0] == 0
    status, said, noted = sabot("drill", place, "--key", tmp_path / "nothing")
    assert (status, said) == (1, "")
    assert "no such file; give the copy that was kept of the ledger's key" in noted
