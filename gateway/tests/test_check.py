"""Facts of `sabot gateway check`: tables, keys, clock, disk and ledger; ports and the broker are in tools/tests."""

import hashlib
import os
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sabot_gateway import config as configs
from sabot_gateway.config import Config, Table
from sabot_gateway.ledger import Entry, Ledger, schema
from sabot_gateway.ops import check
from sabot_service.broker import Login
from sabot_service.facts import Fact

UNIT, OTHER = "5ab0000000000001", "5ab0000000000002"
ENTRY = Entry(UNIT, 7, "bac-01", "coup", b"{}", b"")
NOW_S = datetime(2026, 11, 16, 10, 30, tzinfo=UTC).timestamp()


def config(keys: Path | None = None, *, keys_required: bool | None = None) -> Config:
    table = Table("bac-01", "/dev/ttyACM0", "star-baccarat")
    where = str(keys) if keys else None
    return Config("test", "ledger.db", "mqtt://127.0.0.1:9", (table,), where, keys_required)


def only(facts: Iterable[Fact]) -> Fact:
    (fact,) = facts
    return fact


# Tables and keys.


def test_a_table_is_listed_with_what_it_plays() -> None:
    fact = only(check.table_facts(Table("bac-01", "/dev/ttyACM0", "star-baccarat", wagers=("tie",))))
    assert fact == Fact("ok", "table bac-01", "star-baccarat, game baccarat, 8 decks, wagers: 1")


def test_everything_that_is_wrong_with_a_table_is_listed() -> None:
    found = list(check.table_facts(Table("bac-01", "loop://", "star-baccarat", decks=5)))
    assert [fact.status for fact in found] == ["wrong", "wrong"]
    assert "port loop:// is no port" in found[0].says
    assert "decks = 5: star-baccarat allows 3, 4, 6, 8" in found[1].says


@pytest.mark.parametrize(
    ("book", "more", "says"),
    [
        ("nz-baccarat", {}, "a table offers one or the other (11C.2)"),
        ("nz-baccarat", {"game": "ez"}, "a table offers one or the other (11C.2)"),
        ("star-baccarat", {"decks": 3}, "pair_player: needs 6 or 8 decks, not 3 (clause 3.1)"),
        ("star-premium", {"decks": 4}, "pair_player: needs 6 or 8 decks, not 4 (clause 3.1)"),
        ("crown-baccarat", {"decks": 6}, "crown_pair_player: needs 8 decks, not 6 (clause 3.1.1)"),
    ],
)
def test_a_table_that_names_no_wagers_must_be_allowed_to_offer_all(book: str, more: dict[str, Any], says: str) -> None:
    table = Table("bac-01", "/dev/ttyACM0", book, **more)
    fact = only(check.table_facts(table))
    assert fact.status == "wrong"
    assert says in fact.says
    assert 'list those of this table: wagers = ["player"' in fact.says
    named = msgspec.structs.replace(table, wagers=("player", "banker", "tie"))
    assert only(check.table_facts(named)).status == "ok"
    assert only(check.table_facts(Table("bac-01", "/dev/ttyACM0", "star-baccarat"))).status == "ok"


@pytest.mark.parametrize("wagers", [(), ("tie",)])
def test_zero_commission_is_refused_until_a_table_can_be_a_tournaments(wagers: tuple[str, ...]) -> None:
    table = Table("bac-01", "/dev/ttyACM0", "crown-baccarat", game="zero_commission", wagers=wagers)
    fact = only(check.table_facts(table))
    assert (fact.status, "only in a tournament (clause 1.1)" in fact.says) == ("wrong", True)


def test_one_scale_for_all_tables_that_offer_the_wager() -> None:
    """New Zealand 11A.8, 11B.9."""
    offers = ("perfect_pair_player", "tie"), ("perfect_pair_banker",), ("dragon_bonus_player", "tie")
    tables = tuple(
        Table(f"bac-0{number}", f"/dev/ttyACM{number}", "nz-baccarat", wagers=wagers, options={name: value})
        for number, (wagers, name, value) in enumerate(
            zip(offers, ("perfect_pair_scale",) * 3, ("2", "3", "1"), strict=True), 1
        )
    )
    both = msgspec.structs.replace(config(), table=tables)
    assert list(configs.casino_wide_problems(both)) == [
        "perfect_pair_scale is 3 at bac-02 and 2 at bac-01; all tables have the same (11A.7)"
    ]
    assert list(configs.casino_wide_problems(msgspec.structs.replace(both, table=tables[::2]))) == []


def test_no_keys_are_a_warning_unless_they_are_required() -> None:
    assert only(check.keys_facts(config())).status == "warning"
    assert only(check.keys_facts(config(keys_required=True))).status == "wrong"


def test_an_angel_eye_needs_no_keys() -> None:
    eye = Table("bac-02", "/dev/ttyUSB0", "star-baccarat", driver="angel-eye")
    only_eyes = msgspec.structs.replace(config(), table=(eye,))
    assert only(check.keys_facts(only_eyes)).status == "ok"
    assert only(check.keys_facts(msgspec.structs.replace(only_eyes, keys_required=True))).status == "wrong"
    assert only(check.keys_facts(msgspec.structs.replace(config(), table=(*config().table, eye)))).status == "warning"


def test_a_password_in_plain_text_is_a_warning(tmp_path: Path) -> None:
    login = Login(user="gateway", password_file=str(tmp_path / "password"))
    plain = msgspec.structs.replace(config(), login=login, broker="mqtt://broker.example")
    fact = only(check.login_facts(plain))
    assert (fact.status, fact.subject) == ("warning", "broker")
    assert "the password of gateway goes to mqtt://broker.example:1883 in plain text" in fact.says
    for broker in ("mqtts://broker.example", "mqtt://localhost", "no url"):
        assert list(check.login_facts(msgspec.structs.replace(plain, broker=broker))) == []


def test_every_key_file_is_looked_at(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    for unit in (UNIT, OTHER):
        (tmp_path / f"{unit}.key").touch(mode=0o600)
        (tmp_path / f"{unit}.key").write_text("ab" * 32 + "\n")
    assert only(check.keys_facts(config(tmp_path))) == Fact("ok", "keys", f"{tmp_path}: units: 2")
    (tmp_path / f"{OTHER}.key").chmod(0o644)
    fact = only(check.keys_facts(config(tmp_path)))
    assert fact.status == "wrong"
    assert f"chmod 600 {tmp_path}/{OTHER}.key" in fact.says
    assert "ab" * 32 not in fact.says


def test_keys_that_keep_nobody_out_or_everybody_are_warned_of(tmp_path: Path) -> None:
    nobody = only(check.keys_facts(config(tmp_path)))
    assert (nobody.status, "no shoe is served" in nobody.says) == ("warning", True)
    everybody = only(check.keys_facts(config(tmp_path, keys_required=False)))
    assert (everybody.status, "keys_required = false" in everybody.says) == ("warning", True)


def test_a_directory_of_keys_that_is_not_there(tmp_path: Path) -> None:
    fact = only(check.keys_facts(config(tmp_path / "keys")))
    assert fact.status == "wrong"
    assert "No such file or directory; make it" in fact.says


# Clock.


@pytest.mark.parametrize(
    ("now_s", "kept", "status", "says"),
    [
        (NOW_S, True, "ok", "2026-11-16 10:30:00 UTC, set by a time server"),
        (NOW_S, None, "ok", "2026-11-16 10:30:00 UTC"),
        (
            NOW_S,
            False,
            "warning",
            "2026-11-16 10:30:00 UTC, but no time server sets it: `sudo timedatectl set-ntp true`; "
            "where that is not supported, `sudo apt-get install -y chrony`",
        ),
        (
            0.0,
            True,
            "wrong",
            "1970-01-01 00:00:00 UTC is in the past; set it: `sudo timedatectl set-ntp true`; "
            "where that is not supported, `sudo apt-get install -y chrony`",
        ),
    ],
)
def test_the_clock(tmp_path: Path, now_s: float, kept: bool | None, status: str, says: str) -> None:
    fact = only(check.clock_facts(tmp_path / "ledger.db", now_s, kept))
    assert (fact.status, fact.says) == (status, says)


def test_a_clock_that_is_behind_the_ledger(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.db"
    ledger.touch()
    written_s = ledger.stat().st_mtime
    assert only(check.clock_facts(ledger, written_s - 59, True)).status == "ok"
    fact = only(check.clock_facts(ledger, written_s - 61, True))
    assert fact.status == "wrong"
    assert "is before the ledger was last written" in fact.says


# Disk.


@pytest.mark.parametrize(
    ("free_bytes", "status"),
    [(10**9, "ok"), (10**9 - 1, "warning"), (10**8, "warning"), (10**8 - 1, "wrong"), (0, "wrong")],
)
def test_room(tmp_path: Path, free_bytes: int, status: str) -> None:
    fact = check.room_fact(tmp_path, free_bytes)
    assert fact.status == status
    assert ("make room" in fact.says) is (status != "ok")


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    assert "is not there; make it" in only(check.disk_facts(tmp_path / "nowhere")).says


def test_a_directory_in_memory_is_warned_of() -> None:
    found = list(check.disk_facts(Path("/dev/shm")))
    assert [fact.status for fact in found][-1] == "warning"
    assert "is tmpfs: gone with the power" in found[-1].says


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "this user may not write there" in only(check.disk_facts(tmp_path)).says


# Ledger.


def tree(directory: Path) -> dict[str, str]:
    """Everything in a directory."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in directory.iterdir()}


def test_a_ledger_that_is_not_there_yet_is_not_made(tmp_path: Path) -> None:
    assert only(check.ledger_facts(tmp_path / "ledger.db")).status == "ok"
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("running", [True, False])
def test_a_ledger_is_read_and_not_touched(tmp_path: Path, running: bool) -> None:
    path = tmp_path / "ledger?#1.db"
    ledger = Ledger(path)
    ledger.append([ENTRY])
    if not running:
        ledger.close()
    before = tree(tmp_path)
    fact = only(check.ledger_facts(path))
    assert fact.status == "ok"
    assert f"{path}: entries: 1, version " in fact.says
    assert check.query_ledger(path, "SELECT max(event_no) FROM entries WHERE unit = ?", UNIT) == 7
    after = tree(tmp_path)
    assert after.keys() == before.keys()
    assert {name: after[name] for name in after if not name.endswith("-shm")} == {
        name: before[name] for name in before if not name.endswith("-shm")
    }
    ledger.close()


def test_a_file_that_is_no_ledger(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    path.write_text("once upon a time there was a shoe" * 100)
    fact = only(check.ledger_facts(path))
    assert fact.status == "wrong"
    assert "it is not a ledger, or damaged" in fact.says
    path.unlink()
    sqlite3.connect(path).execute("CREATE TABLE other (x)").connection.close()
    assert "no such table: entries" in only(check.ledger_facts(path)).says


@pytest.mark.parametrize(
    ("version", "status", "words"),
    [
        (schema.VERSION, "ok", f"version {schema.VERSION}"),
        (schema.VERSION - 1, "ok", f"the next start brings it to version {schema.VERSION}"),
        (schema.VERSION + 1, "wrong", f"this release knows up to {schema.VERSION}; use the release that wrote it"),
    ],
)
def test_a_ledger_of_an_older_or_newer_release(tmp_path: Path, version: int, status: str, words: str) -> None:
    path = tmp_path / "ledger.db"
    Ledger(path).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {version}")
    db.close()
    fact = only(check.ledger_facts(path))
    assert (fact.status, words in fact.says) == (status, True)


# All together.


def test_a_file_that_cannot_be_read_is_the_only_fact(tmp_path: Path) -> None:
    (tmp_path / "gateway.toml").write_text("colour = 1")
    found = list(check.facts(tmp_path / "gateway.toml"))
    assert {(fact.status, fact.subject) for fact in found} == {("wrong", "config")}
    assert any("colour: no such key" in fact.says for fact in found)
