"""The gateway's file: what is wrong is named."""

import os
from pathlib import Path

import pytest
from sabot_gateway.config import Changes, changes, load
from sabot_protocol.inputs.config_file import ConfigError
from sabot_service.broker import Broker, BrokerUrlError

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
EYE = 'driver = "angel-eye"\nshoe = {dealing = "face_up"}'
OURS = "decks = 6\ncard_set = 2"  # of which an Angel Eye has no set


def test_a_good_file(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(GOOD)
    config = load(path)
    assert [(table.name, table.decks, table.card_set) for table in config.table] == [
        ("bac-01", None, 1),
        ("bac-02", 6, 2),
    ]


def test_an_angel_eye_is_read_only_at_4800_baud_unless_the_file_has_it_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(GOOD.replace(OURS, EYE))
    ours, theirs = load(path).table
    assert (ours.driver, ours.line_baud()) == ("sabot", 115_200)
    assert (theirs.driver, theirs.line_baud()) == ("angel-eye", 4800)
    assert (theirs.commands, theirs.confirm, theirs.resent_card) == (False, "result", "keep")
    path.write_text(
        GOOD.replace(
            OURS,
            'driver = "angel-eye"\nbaud = 9600\ncommands = true\nconfirm = "dealer"\nresent_card = "ignore"',
        )
    )
    theirs = load(path).table[1]
    assert (theirs.line_baud(), theirs.commands, theirs.confirm, theirs.resent_card) == (9600, True, "dealer", "ignore")


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
        ('site = "sydney"', 'site = "sydney"\ncolour = 1', "colour: no such key; there are site, ledger, broker"),
        ('site = "sydney"', 'site = "sydney"\nbrokers = 1', "brokers: no such key; did you mean `broker`?"),
        ('site = "sydney"', 'site = "sydney"\nset_clocks = true', "set_clocks: a key of an earlier release; it has no"),
        (
            'name = "bac-01"',
            'name = "status"',
            "table status: this name is reserved: the topic of the site",
        ),
        ('name = "bac-01"', 'name = "Ledger"', "table Ledger: this name is reserved"),
        ('name = "bac-01"', 'name = "JACKPOT"', "table JACKPOT: this name is reserved"),
        *(
            ('name = "bac-01"', f'name = "{name}"', "write letters, digits, - and _, such as")
            for name in ("+", "#", "a/b", "$share", "bac-01\\n", "", "é")
        ),
        ('site = "sydney"', 'site = "syd\\u202eney"', "write letters, digits, - and _, such as"),
        ('port = "/dev/ttyACM0"', 'port = "/dev/tty\\u0000"', "table bac-01: port = "),
        ('ledger = "ledger.db"', 'ledger = "led\\u001b[2Jger.db"', "ledger = "),
        ('site = "sydney"', f"site = {'[' * 2000}", "correct it there"),
        ("decks = 6", "deck = 6", "table bac-02: deck: no such key; did you mean `decks`?"),
        (
            'site = "sydney"',
            'site = "sydney"\nlogin = {passwordfile = "x"}',
            "login.passwordfile: no such key; did you",
        ),
        ('site = "sydney"', 'site = "sydney"\nlogin = {user = 1}', "login.user = 1; write our user name at the broker"),
        ('site = "sydney"', 'site = "sydney"\nlogin = "me"', 'login = "me"; write a table: [login]'),
        ('site = "sydney"', 'site = "a/b"', 'site = "a/b"; write letters, digits, - and _'),
        ('site = "sydney"', 'site = "sydney"\nkeep_days = 0', "keep_days = 0; write a number of days, 1 or more"),
        ('site = "sydney"', 'site = "sydney"\nkeys_required = "yes"', 'keys_required = "yes"; write true or false'),
        ('site = "sydney"', 'site = "sydney"\nkeys_required = true', "keys_required = true, but no keys; write keys"),
        ('site = "sydney"', 'site = "sydney"\nlogin = {password_file = "x"}', "without login.user; give both"),
        ('name = "bac-02"\n', "", "table number 2: name is missing; write letters, digits"),
        ('rulebook = "crown-baccarat"\n', "", "table bac-02: rulebook is missing; write one of crown-baccarat"),
        ('port = "/dev/ttyACM1"', "port = 1", "table bac-02: port = 1; write"),
        ("/dev/ttyACM1", "socket://host", "table bac-02: port socket://host is no port; write a device, socket://"),
        ("decks = 6", 'decks = "six"', 'table bac-02: decks = "six"; write a number'),
        ("decks = 6", "baud = 1", "table bac-02: baud = 1; write a number from 300"),
        ("decks = 6", "wagers = [{}]", "table bac-02: wagers = [{}]; write a list"),
        ("decks = 6", "decks = 9", "table bac-02: decks = 9: crown-baccarat allows 4, 5, 6, 7, 8"),
        ("card_set = 2", "card_set = 7", "table bac-02: card_set = 7; write a number from 1 to"),
        ("card_set = 2", 'shoe = {dealing = "upside_down"}', "dealing = upside_down: crown-baccarat allows face_down"),
        ("card_set = 2", 'shoe = {lights = "on"}', "unknown choice 'lights': crown-baccarat has"),
        ("decks = 6", 'driver = "angeleye"', 'table bac-02: driver = "angeleye"; write "sabot" for our own shoe, or'),
        ("decks = 6", "commands = true", "table bac-02: commands is only for an Angel Eye; take it out, or write"),
        ("decks = 6", 'confirm = "dealer"', "table bac-02: confirm is only for an Angel Eye; take it out, or write"),
        ("decks = 6", 'resent_card = "ignore"', "table bac-02: resent_card is only for an Angel Eye; take it out"),
        ("decks = 6", 'driver = "angel-eye"', "table bac-02: card_set: an Angel Eye does not report the set"),
        (
            "decks = 6",
            'driver = "angel-eye"\nconfirm = "pit"',
            'table bac-02: confirm = "pit"; write "result" if the shoe\'s result confirms a coup, or "dealer" if',
        ),
        *(
            ("card_set = 2", f'driver = "angel-eye"{more}', 'table bac-02: confirm = "result" shows cards and')
            for more in ("", '\nconfirm = "result"', '\nshoe = {dealing = "face_down"}')
        ),
        ("decks = 6", 'driver = "angel-eye"\ncommands = 1', "table bac-02: commands = 1; write true or false"),
        ('"star-baccarat"', '"macau"', "unknown rulebook 'macau'"),
        ('"bac-02"', '"bac-01"', "table.name bac-01 is used twice"),
        ("ttyACM1", "ttyACM0", "table.port /dev/ttyACM0 is used twice"),
        ("mqtt://localhost", "http://localhost", "write it as mqtt://host:1883"),
        ('ledger = "ledger.db"\n', "", "ledger is missing; write the path of the ledger"),
        ("decks = 6", 'decks = 6\ngame = "bridge"', "table bac-02: game = bridge: crown-baccarat allows traditional"),
        (
            "decks = 6",
            'decks = 6\noptions = {tiger_option = "6"}',
            "tiger_option = 6: crown-baccarat allows 1, 2, 3, 4, 5",
        ),
        (
            "decks = 6",
            'decks = 6\nwagers = ["crown_pair_player"]',
            "crown_pair_player: needs 8 decks, not 6 (clause 3.1.1)",
        ),
        (
            "decks = 6",
            'decks = 6\ngame = "crown"\nwagers = ["shield_player"]',
            "wager shield_player: unknown in game crown of crown-baccarat",
        ),
        ("decks = 6", "decks = ", "line 15"),
        ('site = "sydney"', 'site = "sydney"\nkeys = "nowhere"', "nowhere: No such file or directory; make it"),
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


def test_everything_that_is_wrong_is_listed_at_once_a_line_each(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(GOOD.replace("sydney", "a/b").replace("decks", "deck").replace('port = "/dev/ttyACM0"', "x = 1"))
    with pytest.raises(ConfigError) as refused:
        load(path)
    assert [line.removeprefix(f"{path}: ").split(";")[0] for line in str(refused.value).splitlines()] == [
        'site = "a/b"',
        "table bac-01: x: no such key",
        "table bac-01: port is missing",
        "table bac-02: deck: no such key",
    ]
    path.write_text(GOOD.replace("star-baccarat", "macau").replace("decks = 6", "decks = 9").replace("mqtt:", "http:"))
    with pytest.raises(ConfigError) as refused:
        load(path)
    macau, decks, broker = str(refused.value).splitlines()
    assert "table bac-01: unknown rulebook 'macau'" in macau
    assert "table bac-02: decks = 9" in decks
    assert "write it as mqtt://" in broker


@pytest.mark.parametrize("text", ["table = 1", "table = []", "[table]", 'table = ["bac-01"]', "[[table]]\nname = 1"])
def test_tables_that_are_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(f'site = "sydney"\nledger = "ledger.db"\nbroker = "mqtt://localhost"\n{text}\n')
    with pytest.raises(
        ConfigError, match=r"(table.*; write at least one \[\[table\]\]|table number 1: name = 1; write)"
    ):
        load(path)


def test_a_long_wrong_value_is_not_printed_at_length(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(GOOD.replace("sydney", "s" * 5000))
    with pytest.raises(ConfigError) as refused:
        load(path)
    assert len(str(refused.value)) < 300 + len(str(path))


def test_a_file_that_is_far_too_long_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_bytes(GOOD.encode() + b"#" * (1 << 20))
    with pytest.raises(ConfigError, match="more than 1048576 bytes"):
        load(path)


def test_hundreds_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    head = GOOD.split("[[table]]")[0]
    table = '[[table]]\nname = "bac-{0}"\nport = "/dev/ttyACM{0}"\nrulebook = "star-baccarat"\n'
    path.write_text(head + "".join(table.format(number) for number in range(500)))
    assert [table.name for table in load(path).table] == [f"bac-{number}" for number in range(500)]


def test_relative_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir(mode=0o700)
    (tmp_path / "secret").touch(mode=0o600)
    (tmp_path / "secret").write_text("hush\n")
    path = tmp_path / "gateway.toml"
    extras = 'keys = "keys"\ncontrol = "c.sock"\nlogin = {user = "gateway", password_file = "secret"}\n'
    path.write_text(extras + GOOD)
    config = load(path)
    assert config.ledger == f"{tmp_path}/ledger.db"
    assert config.keys == f"{tmp_path}/keys"
    assert config.login.password_file == f"{tmp_path}/secret"
    assert config.login.user == "gateway"
    assert config.control_path() == tmp_path / "c.sock"
    assert config.table[0].port == "/dev/ttyACM0"


def test_the_control_socket_is_beside_the_ledger_unless_given(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(GOOD.replace("ledger.db", "/var/lib/sabot/ledger.db"))
    assert load(path).control_path() == Path("/var/lib/sabot/control.sock")


# Reading the file again.


def read_again(tmp_path: Path, *replacements: tuple[str, str]) -> Changes:
    path, text = tmp_path / "gateway.toml", GOOD
    path.write_text(text)
    old = load(path)
    for before, after in replacements:
        assert before in text
        text = text.replace(before, after)
    path.write_text(text)
    return changes(old, load(path))


def test_a_file_with_the_same_values_changes_nothing(tmp_path: Path) -> None:
    assert read_again(tmp_path) == Changes((), (), (), ("bac-01", "bac-02"), ())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ttyACM1", "ttyACM2"),
        ("decks = 6", "decks = 8"),
        ("decks = 6", "baud = 9600"),
        ("decks = 6", 'options = {tiger_option = "2"}'),
        ("decks = 6", 'shoe = {dealing = "face_up"}'),
        ("card_set = 2", "card_set = 1"),
        ("crown-baccarat", "star-baccarat"),
    ],
)
def test_a_table_that_changed_is_opened_again_and_the_others_are_left_alone(tmp_path: Path, old: str, new: str) -> None:
    found = read_again(tmp_path, (old, new))
    assert [table.name for table in found.changed] == ["bac-02"]
    assert (found.added, found.removed, found.kept, found.restart) == ((), (), ("bac-01",), ())


def test_a_table_with_another_name_is_another_table(tmp_path: Path) -> None:
    found = read_again(tmp_path, ("bac-02", "bac-03"))
    assert ([table.name for table in found.added], found.removed, found.kept) == (["bac-03"], ("bac-02",), ("bac-01",))
    assert found.changed == ()


def test_ports_that_are_swapped_change_both_tables(tmp_path: Path) -> None:
    found = read_again(tmp_path, ("ttyACM0", "x"), ("ttyACM1", "ttyACM0"), ("/dev/x", "/dev/ttyACM1"))
    assert [(table.name, table.port) for table in found.changed] == [
        ("bac-01", "/dev/ttyACM1"),
        ("bac-02", "/dev/ttyACM0"),
    ]


@pytest.mark.parametrize(
    ("given", "required"),
    [
        ("", False),
        ("keys_required = false", False),
        ('keys = "keys"', True),
        ('keys = "keys"\nkeys_required = true', True),
        ('keys = "keys"\nkeys_required = false', False),
    ],
)
def test_keys_are_required_where_they_are_given_unless_keys_required_is_false(
    tmp_path: Path, given: str, required: bool
) -> None:
    (tmp_path / "keys").mkdir(mode=0o700)
    (tmp_path / "gateway.toml").write_text(f"{given}\n{GOOD}")
    assert load(tmp_path / "gateway.toml").requires_keys() is required


def test_every_shoe_is_greeted_again_when_the_keys_change(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir(mode=0o700)
    found = read_again(tmp_path, ('site = "sydney"', 'site = "sydney"\nkeys = "keys"\nkeys_required = true'))
    assert ([table.name for table in found.changed], found.kept) == (["bac-01", "bac-02"], ())


def test_an_angel_eye_has_no_key_so_its_line_stays_open(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir(mode=0o700)
    path, text = tmp_path / "gateway.toml", GOOD.replace(OURS, EYE)
    path.write_text(text)
    old = load(path)
    path.write_text(text.replace('site = "sydney"', 'site = "sydney"\nkeys = "keys"'))
    found = changes(old, load(path))
    assert ([table.name for table in found.changed], found.kept) == (["bac-01"], ("bac-02",))


def test_what_needs_a_restart_is_listed(tmp_path: Path) -> None:
    found = read_again(tmp_path, ("sydney", "perth"), ("ledger.db", "other.db"), ("localhost", "10.0.0.1"))
    assert found.restart == tuple(
        f"{key} has changed and needs a restart; until then it stays as it was" for key in ("site", "ledger", "broker")
    )
    assert found.kept == ("bac-01", "bac-02")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file or directory; give the path"):
        load(tmp_path / "gateway.toml")


def test_broker_urls() -> None:
    assert Broker.from_url("mqtt://localhost") == Broker("localhost", 1883)
    assert str(Broker.from_url("mqtt://10.0.0.1:2000")) == "mqtt://10.0.0.1:2000"
    for wrong in ("mqtt://[::1", "mqtt://a:99999", "a:b", "mqtt://\u2100", ""):
        with pytest.raises(BrokerUrlError, match="broker"):
            Broker.from_url(wrong)
    for hidden in ("mqtt://u:secret@h", "u:secret@h", "mqtt:u:secret@h", "http://u:sec:ret@secret@h"):
        with pytest.raises(BrokerUrlError, match="do not belong in the URL") as refused:
            Broker.from_url(hidden)
        assert "sec" not in str(refused.value)


def test_an_error_can_be_printed_whatever_the_file_has_in_it(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(GOOD.replace('site = "sydney"', 'site = "\\u202e\\ud7ff"\n"\\u202e" = 1'))
    with pytest.raises(ConfigError) as refused:
        load(path)
    assert all(line.isprintable() for line in str(refused.value).split("\n"))


def test_a_pipe_in_the_place_of_the_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gateway.toml")
    with pytest.raises(ConfigError, match="not a plain file; give the path of a gateway's TOML file"):
        load(tmp_path / "gateway.toml")
