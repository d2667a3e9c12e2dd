"""The heads of the floor's logs: signed and retained at the broker, compared with the store by a command."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor_rig import JACKPOT, Rig, rig, server
from floor_stores import edit
from sabot_floor.heads import compare, key_of
from sabot_floor.store import open_store
from sabot_protocol.signed_heads import is_signed
from sabot_protocol.topics import LedgerMessage
from sabot_tools.cli import app
from test_floor_people_app import staffed
from typer.testing import CliRunner

__all__ = ["rig", "server"]
LOG = f"jackpot/{JACKPOT}"


def heads(rig: Rig) -> dict[str, LedgerMessage]:
    """The newest head of each log, as it came over the broker."""
    root = f"sabot/v1/{rig.site}/jackpot/heads/"
    found = [(topic, payload) for topic, payload in rig.client.messages if topic.startswith(root)]
    return {topic.removeprefix(root): msgspec.json.decode(payload, type=LedgerMessage) for topic, payload in found}


def test_each_log_has_a_signed_head_at_the_broker(rig: Rig) -> None:
    staffed(rig)
    rig.until(lambda: {LOG, "people", "projection"} <= heads(rig).keys(), pass_s=20.0)
    key, store = key_of(rig.apps[0].config.head_key_path()), rig.store()
    people = store.head("people")
    assert people is not None
    rig.until(lambda: heads(rig)["people"].entry == people.seq, pass_s=20.0)
    found = heads(rig)
    assert all(is_signed(head, key) and head.gateway == f"floor/{log}" for log, head in found.items())
    assert found["people"].hash == people.hash.hex()
    assert compare(store, found.values(), key).faults == []
    edit(rig.store_url, "UPDATE entries SET time = '2026-01-01' WHERE log = 'people' AND seq = 2")
    with open_store(rig.store_url, read_only=True) as read:
        assert "entry 2 of log people" in " ".join(compare(read, found.values(), key).faults)


def test_a_log_that_was_made_again_or_cut_contradicts_its_head(rig: Rig) -> None:
    staffed(rig)
    rig.until(lambda: "people" in heads(rig), pass_s=20.0)
    found, key = heads(rig)["people"], key_of(rig.apps[0].config.head_key_path())
    other = msgspec.structs.replace(found, hash="00" * 32)
    said = compare(rig.store(), [other], None).faults
    assert said == [f"entry {found.entry} of log people is not the one whose hash was kept elsewhere"]
    longer = msgspec.structs.replace(found, entry=found.entry + 99)
    assert "its end was cut off" in compare(rig.store(), [longer], None).faults[0]
    assert "is not signed by this store's key" in compare(rig.store(), [longer], key).faults[0]
    assert (
        "sabot ledger verify" in compare(rig.store(), [msgspec.structs.replace(found, gateway="00aa")], None).faults[0]
    )


@pytest.mark.parametrize("by", ["--heads", "--published"])
def test_the_command_compares_them(rig: Rig, tmp_path: Path, by: str) -> None:
    staffed(rig)
    rig.until(lambda: {LOG, "people"} <= heads(rig).keys(), pass_s=20.0)
    config, kept = tmp_path / "floor.toml", tmp_path / "heads.jsonl"
    text = f'site = "{rig.site}"\nstore = "{rig.store_url}"\nbroker = "{rig.server.address}"\n'
    config.write_text(f'{text}head_key = "{rig.apps[0].config.head_key_path()}"\n')
    kept.write_bytes(b"\n".join(msgspec.json.encode(head) for head in heads(rig).values()))
    command: list[Any] = ["floor", "verify", "--config", config, *([by, kept] if by == "--heads" else [by])]
    ran = CliRunner().invoke(app, list(map(str, command)))
    assert (ran.exit_code, "heads compared" in ran.output) == (0, True), ran.output
    edit(rig.store_url, "DELETE FROM entries WHERE log = 'people'")
    edit(rig.store_url, "DELETE FROM logs WHERE name = 'people'")
    ran = CliRunner().invoke(app, list(map(str, command)))
    assert (ran.exit_code, "log people" in ran.output) == (1, True), ran.output
