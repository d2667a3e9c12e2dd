"""The gateway's file: what is wrong is named."""

from pathlib import Path

import pytest
from sabot_gateway.config import ConfigError, load
from sabot_gateway.mqtt import Broker

GOOD = """
site = "sydney"
ledger = "ledger.db"
broker = "mqtt://localhost"

[[table]]
name = "bac-01"
port = "/dev/ttyACM0"
rulebook = "star-baccarat"

[[table]]
name = "bac-02"
port = "/dev/ttyACM1"
rulebook = "crown-baccarat"
decks = 6
card_set = 2
"""


def test_a_good_file(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(GOOD)
    config = load(path)
    assert [(table.name, table.decks, table.card_set) for table in config.table] == [
        ("bac-01", None, 1),
        ("bac-02", 6, 2),
    ]


def test_the_keys_are_a_directory_that_is_there(tmp_path: Path) -> None:
    path, keys = tmp_path / "gateway.toml", tmp_path / "keys"
    keys.mkdir(mode=0o700)
    path.write_text(f'keys = "{keys}"\n{GOOD}')
    assert load(path).keys == str(keys)
    keys.chmod(0o777)
    with pytest.raises(ConfigError, match=r"keys: .*others can write there; chmod 700"):
        load(path)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('site = "sydney"', 'site = "sydney"\ncolour = 1', "colour"),
        ('site = "sydney"', 'site = "a/b"', "site"),
        ("decks = 6", "decks = 9", "table bac-02: decks = 9: crown-baccarat allows 4, 5, 6, 7, 8"),
        ("card_set = 2", "card_set = 7", "card_set"),
        ("card_set = 2", 'shoe = {dealing = "upside_down"}', "dealing = upside_down: crown-baccarat allows face_down"),
        ("card_set = 2", 'shoe = {lights = "on"}', "lights: crown-baccarat leaves no such choice"),
        ('"star-baccarat"', '"macau"', "no rulebook 'macau'"),
        ('"bac-02"', '"bac-01"', "table.name bac-01 is used twice"),
        ("ttyACM1", "ttyACM0", "table.port /dev/ttyACM0 is used twice"),
        ("mqtt://localhost", "http://localhost", "write it as mqtt://host:1883"),
        ('ledger = "ledger.db"\n', "", "ledger"),
        ("decks = 6", 'decks = 6\ngame = "bridge"', "table bac-02: game = bridge: crown-baccarat allows traditional"),
        (
            "decks = 6",
            'decks = 6\noptions = {tiger_option = "6"}',
            "tiger_option = 6: crown-baccarat allows 1, 2, 3, 4, 5",
        ),
        (
            "decks = 6",
            'decks = 6\nwagers = ["crown_pair_player"]',
            "crown_pair_player: wants 8 decks, not 6 (clause 3.1.1)",
        ),
        ("decks = 6", 'decks = 6\ngame = "crown"\nwagers = ["shield_player"]', "game crown of crown-baccarat does not"),
        ("decks = 6", "decks = ", "line 15"),
        ('site = "sydney"', 'site = "sydney"\nkeys = "nowhere"', "keys: nowhere: No such file or directory; make it"),
        ('site = "sydney"', 'site = "sydney"\nkeys = "/dev/null"', "keys: /dev/null: not a directory"),
    ],
)
def test_a_bad_file(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(ConfigError) as refused:
        load(path)
    assert says in str(refused.value)
    assert str(path) in str(refused.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file or directory; give the path"):
        load(tmp_path / "gateway.toml")


def test_broker_urls() -> None:
    assert Broker.from_url("mqtt://localhost") == Broker("localhost", 1883)
    assert str(Broker.from_url("mqtt://10.0.0.1:2000")) == "mqtt://10.0.0.1:2000"
