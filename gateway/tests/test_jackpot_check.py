"""The jackpots file in the gateway's config: refused at the start, and every problem at once by the check."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jackpot_edge import Edge, lucky_tie
from sabot_gateway import config as configs
from sabot_gateway.ops import check
from sabot_gateway.publish.outgoing import outgoing
from sabot_gateway.publish.subscriptions import Subscriptions
from sabot_protocol.inputs.config_file import ConfigError
from sabot_protocol.topics import entry_topic, increment_topic, is_retained, recorded_topic

EXAMPLES = Path(__file__).parents[1] / "examples"
CONFIG = """site = "sydney"
ledger = "ledger.db"
broker = "mqtt://127.0.0.1:9"
jackpots = "jackpots.toml"
{more}
[[table]]
name = "bac-01"
port = "/dev/nothing"
rulebook = "crown-baccarat"
"""


def config(tmp_path: Path, *more: str, changes: tuple[str, str] = ("", "")) -> Path:
    """Write a config and the example of a jackpots file."""
    text = (EXAMPLES / "jackpots.toml").read_text()
    (tmp_path / "jackpots.toml").write_text(text.replace(*changes) if changes[0] else text)
    (tmp_path / "gateway.toml").write_text(CONFIG.format(more="\n".join(more)))
    return tmp_path / "gateway.toml"


def facts(path: Path, now: str = "2026-11-17T12:00:00.000Z") -> list[tuple[str, str, str]]:
    found, _ = configs.read(path)
    assert found is not None
    return [(fact.status, fact.subject, fact.says) for fact in check.jackpot_facts(found, now)]


def test_the_example_is_in_order_and_the_check_names_the_tables_of_this_gateway(tmp_path: Path) -> None:
    path = config(tmp_path)
    assert configs.load(path).jackpots == str(tmp_path / "jackpots.toml")
    listed = facts(path)
    assert [(status, subject) for status, subject, _ in listed] == [
        ("ok", "jackpot lucky-tie"),
        ("ok", "jackpot pairs-minor"),
        ("ok", "jackpot pairs-major"),
        ("ok", "jackpot lucky-seat"),
        ("warning", "jackpots"),
    ]
    assert listed[0][2].endswith("tables of this gateway: bac-01")
    assert listed[1][2].endswith("tables of this gateway: none")
    assert "make one with `sabot keys jackpot jackpot.key`" in listed[-1][2]


def test_with_a_key_there_is_no_warning(tmp_path: Path) -> None:
    key = tmp_path / "jackpot.key"
    key.write_text("ab" * 32 + "\n")
    key.chmod(0o600)
    assert {status for status, _, _ in facts(config(tmp_path, 'jackpot_key = "jackpot.key"'))} == {"ok"}
    key.chmod(0o644)
    ((status, _, text),) = facts(tmp_path / "gateway.toml")
    assert (status, "chmod 600" in text) == ("wrong", True)


def test_a_file_that_cannot_be_used_refuses_the_start_and_the_check_lists_everything(tmp_path: Path) -> None:
    path = config(tmp_path, 'jackpot_key = "no.key"', changes=("increment = 250 ", "increment = -1\ncolour = 7\n#"))
    with pytest.raises(ConfigError, match="colour: no such key"):
        configs.load(path)
    wrong = [text for status, _, text in facts(path) if status == "wrong"]
    assert len(wrong) >= 3
    for part in ("increment = -1", "colour: no such key", "no such file; make it with `sabot keys jackpot"):
        assert any(part in text for text in wrong)


def test_a_table_of_this_gateway_with_another_rulebook_is_wrong(tmp_path: Path) -> None:
    path = config(tmp_path)
    path.write_text(path.read_text().replace("crown-baccarat", "star-baccarat"))
    ((status, _, text),) = facts(path)
    assert (status, "bac-01" in text) == ("wrong", True)
    with pytest.raises(ConfigError, match="bac-01"):
        configs.load(path)


class Client:
    """A paho client that notes what it is asked to read."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.callbacks: dict[str, Any] = {}
        self.connected = False

    def is_connected(self) -> bool:
        return self.connected

    def message_callback_add(self, topic: str, callback: Any) -> None:
        self.callbacks[topic] = callback

    def subscribe(self, topics: list[tuple[str, int]]) -> tuple[int, int]:
        self.asked.append([topic for topic, _ in topics])
        return 0, len(self.asked)


def test_meters_are_asked_for_after_every_connection_and_again_when_a_jackpot_is_new() -> None:
    client, taken = Client(), list[tuple[str, bytes]]()
    mqtt: Any = SimpleNamespace(client=client, now_s=0.0)
    subscriptions = Subscriptions(mqtt, ["status"])
    subscriptions.listen("jackpot/+/meter", lambda topic, payload: taken.append((topic, payload)), retained=True)
    assert client.asked == []
    client.connected = True
    subscriptions.on_ready()
    subscriptions.listen("jackpot/+/meter", lambda topic, payload: taken.append((topic, payload)), retained=True)
    subscriptions.on_ready()
    both = [["status"], ["jackpot/+/meter"]]
    assert client.asked == [*both, ["jackpot/+/meter"], *both]
    client.callbacks["jackpot/+/meter"](None, None, SimpleNamespace(topic="jackpot/x/meter", payload=b"{}"))
    assert taken == [("jackpot/x/meter", b"{}")]


def test_increments_and_records_are_published_and_not_retained_and_the_rest_is_not(tmp_path: Path) -> None:
    edge = Edge(tmp_path / "ledger.db", lucky_tie(), tables=("bac-01",))
    edge.ask("stakes", stakes={"tie": [100]})
    edge.one.tie()
    edge.ask("record-win", jackpot="lucky-tie")
    others = ("shoe", "cards", "alarm", "attempt", "outcome")
    messages = [one for one in outgoing(edge.ledger.since(0, 1000), "ab", 0) if one.topic not in others]
    assert [one.topic for one in messages] == ["coup", "confirmed", "jackpot/lucky-tie", "jackpot/lucky-tie/recorded"]
    assert [is_retained(one.topic) for one in messages] == [False] * 4
    full = [entry_topic("sydney", one.table, one.topic) for one in messages[2:]]
    assert full == [increment_topic("sydney", "bac-01", "lucky-tie"), recorded_topic("sydney", "bac-01", "lucky-tie")]


def test_the_check_warns_of_parameters_whose_date_has_not_come(tmp_path: Path) -> None:
    first = facts(config(tmp_path), "2024-12-30T00:00:00.000Z")[0]
    assert first[:2] == ("warning", "jackpot lucky-tie")
    assert "in force from 2025-01-01, which has not come: it is not used before that" in first[2]


def test_a_jackpot_whose_date_has_not_come_gets_no_contribution(tmp_path: Path) -> None:
    edge = Edge(tmp_path / "ledger.db", lucky_tie(in_force="2026-11-19"))
    assert (edge.jackpots.due, edge.jackpots.parameters(), edge.jackpots.active) == (False, [], False)
