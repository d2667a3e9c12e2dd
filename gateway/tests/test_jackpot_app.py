"""The daemon with jackpots: its file, the order of entries, parameters that wait for the floor, a reload and a kill."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor import Floor
from jackpot_edge import lucky_tie
from sabot_gateway import config as configs
from sabot_gateway.app import App
from sabot_gateway.ledger import Stored
from sabot_gateway.operator.verbs.gateway import Status
from sabot_gateway.shoe import parse
from sabot_protocol.inputs.config_file import ConfigError
from sabot_protocol.jackpots.parameters import Parameters
from sabot_service.moment import Moment
from shoe_events import event

METER = "sabot/v1/test/jackpot/lucky-tie/meter"


def write(path: Path, parameters: Parameters) -> str:
    """Write a jackpots file; return its path."""
    fields = msgspec.to_builtins(parameters)
    option, percent = fields["trigger"]["option"], fields.pop("trigger")["percent"]
    keys = {name: value for name, value in fields.items() if value not in (None, "", {})}
    lines = [f"{name} = {msgspec.json.encode(value).decode()}" for name, value in keys.items()]
    shares = ", ".join(f"{name} = {value}" for name, value in percent.items())
    trigger = ["[jackpot.trigger]", 'kind = "lucky_tie"', f'option = "{option}"', f"percent = {{ {shares} }}"]
    lines = ["[[jackpot]]", *lines, *trigger]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def parameters(**changes: Any) -> Parameters:
    percent = {"suited": 100, "coloured": 15, "non_coloured": 8}
    return lucky_tie(trigger={"kind": "lucky_tie", "option": "option_1", "percent": percent}, **changes)


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    with ExitStack() as stack:
        path = write(tmp_path / "jackpots.toml", parameters())
        yield Floor(stack, tmp_path, "bac-01", "bac-02", rulebook="crown-baccarat", jackpots=path)


def log_event(floor: Floor, table: str, kind: str, /, **data: Any) -> None:
    line = floor.lines[table]
    line.write(line.shoe.logged(event(line.next_no, kind, **data)))
    line.next_no += 1


def open_shoes(floor: Floor) -> None:
    floor.greet()
    for name in floor.lines:
        log_event(floor, name, "shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none")


def play(floor: Floor, coup: int, table: str = "bac-01") -> None:
    floor.lines[table].coup(coup)
    log_event(floor, table, "button", shoe_no=1, coup_no=coup, button="confirm")
    floor.until(lambda: floor.lines[table].next_no - 1 in floor.events(table))


def increments(floor: Floor, table: str = "bac-01") -> list[tuple[int, int, int]]:
    found = [msgspec.json.decode(e.payload) for e in floor.entries() if e.topic == "jackpot/lucky-tie"]
    return [(one["amount"], one["count"], one["total"]) for one in found if one["table"] == table]


def recorded(floor: Floor) -> list[Stored]:
    return [entry for entry in floor.entries() if entry.topic == "jackpot_parameters"]


def status(floor: Floor) -> dict[str, Any]:
    found: list[Any] = []
    floor.app._requests._control.answer = lambda caller, answer: found.append(answer)  # type: ignore[method-assign]
    floor.app._requests.take(None, Status(), Moment(0.0, "t"))  # type: ignore[arg-type]
    shown: dict[str, Any] = msgspec.json.decode(found[0].data)
    return shown


def restart(floor: Floor, how: str) -> None:
    getattr(floor.app, how)()
    floor.app = App(floor.config, monotonic=lambda: floor.now_s, reread=lambda: floor.config, sleep=lambda _s: None)
    floor.app.begin()
    floor.greet()
    for line in floor.lines.values():  # the gateway compares the shoe's log with its ledger
        held = [entry for entry in floor.entries() if entry.unit == line.unit and entry.frame]
        line.write(*(line.shoe.logged(parse.event(line.unit, parse.frame(entry.frame))) for entry in held))


def test_the_parameters_are_in_the_ledger_before_the_first_increment(floor: Floor) -> None:
    open_shoes(floor)
    play(floor, 1)
    play(floor, 1, "bac-02")
    topics = [entry.topic for entry in floor.entries()]
    assert topics[0] == "jackpot_parameters"
    assert (increments(floor), increments(floor, "bac-02")) == ([(250, 1, 250)], [(250, 1, 250)])
    entry = msgspec.json.decode(recorded(floor)[0].payload)
    assert (entry["jackpot"], entry["digest"]) == ("lucky-tie", parameters().digest)


@pytest.mark.parametrize("how", ["close", "crash"])
def test_a_restart_counts_on_and_nothing_twice(floor: Floor, how: str) -> None:
    open_shoes(floor)
    play(floor, 1)
    restart(floor, how)
    play(floor, 2)
    assert increments(floor) == [(250, 1, 250), (250, 2, 500)]
    assert len(recorded(floor)) == 1


def test_a_ledger_that_cannot_be_written_loses_no_increment(floor: Floor) -> None:
    open_shoes(floor)
    play(floor, 1)
    floor.break_ledger()
    floor.lines["bac-01"].coup(2)
    log_event(floor, "bac-01", "button", shoe_no=1, coup_no=2, button="confirm")
    floor.step(100, pass_s=0.05)
    assert increments(floor) == [(250, 1, 250)]
    floor.mend_ledger()
    floor.until(lambda: len(increments(floor)) == 2)
    assert increments(floor) == [(250, 1, 250), (250, 2, 500)]


def test_a_ledger_that_cannot_be_written_at_the_start_gets_the_parameters_first(tmp_path: Path) -> None:
    with ExitStack() as stack:
        path = write(tmp_path / "jackpots.toml", parameters())
        floor = Floor(stack, tmp_path, "bac-01", rulebook="crown-baccarat", jackpots=path)
        floor.break_ledger()
        floor.step(10, pass_s=0.05)
        floor.mend_ledger()
        open_shoes(floor)
        play(floor, 1)
        assert [entry.topic for entry in floor.entries() if entry.topic.startswith("jackpot")] == [
            "jackpot_parameters",
            "jackpot/lucky-tie",
        ]


def test_a_table_that_is_given_up_and_read_again_counts_on(floor: Floor) -> None:
    open_shoes(floor)
    play(floor, 1)
    floor.app._tables["bac-01"].start_again(floor.app._ledger)
    play(floor, 2)
    assert increments(floor) == [(250, 1, 250), (250, 2, 500)]


# Parameters that wait


def change(floor: Floor, tmp_path: Path, **changes: Any) -> Parameters:
    """Write other parameters into the file, and have the daemon read it again."""
    changed = parameters(version=2, **changes)
    write(tmp_path / "jackpots.toml", changed)
    floor.reload(floor.config)
    floor.until(lambda: not floor.app._signals.reloading)
    return changed


def meter(floor: Floor, digest: str) -> None:
    message = {"jackpot": "lucky-tie", "parameters": digest, "version": 2}
    floor.app._jackpots.meters.received(METER, msgspec.json.encode(message))
    floor.step(3)


def test_a_change_waits_until_the_floor_uses_it(floor: Floor, tmp_path: Path) -> None:
    open_shoes(floor)
    play(floor, 1)
    changed = change(floor, tmp_path, increment=300, unreasonable=300)
    play(floor, 2)
    meter(floor, parameters().digest)
    play(floor, 3)
    restart(floor, "crash")
    play(floor, 4)
    assert [amount for amount, _, _ in increments(floor)] == [250] * 4
    (shown,) = status(floor)["jackpots"]
    assert (shown["in_force"]["version"], shown["waiting"]) == (1, {"version": 2, "digest": changed.digest})
    meter(floor, changed.digest)
    play(floor, 5)
    assert increments(floor)[-1] == (300, 5, 1300)
    assert [msgspec.json.decode(entry.payload)["digest"] for entry in recorded(floor)] == [
        parameters().digest,
        changed.digest,
    ]
    (shown,) = status(floor)["jackpots"]
    assert (shown["in_force"]["version"], shown["waiting"], shown["floor"]) == (2, None, changed.digest)
    assert status(floor)["tables"][0]["jackpots"] == [
        {"jackpot": "lucky-tie", "count": 5, "total": 1300, "currency": "AUD"}
    ]


def test_a_table_that_is_added_waits_with_the_change(tmp_path: Path) -> None:
    with ExitStack() as stack:
        path = write(tmp_path / "jackpots.toml", parameters(tables=["bac-01"]))
        floor = Floor(stack, tmp_path, "bac-01", "bac-02", rulebook="crown-baccarat", jackpots=path)
        open_shoes(floor)
        changed = change(floor, tmp_path)
        play(floor, 1, "bac-02")
        assert increments(floor, "bac-02") == []
        meter(floor, changed.digest)
        play(floor, 2, "bac-02")
        assert increments(floor, "bac-02") == [(250, 1, 250)]


def test_a_jackpot_that_is_new_at_a_reload_begins_at_once(tmp_path: Path) -> None:
    with ExitStack() as stack:
        floor = Floor(stack, tmp_path, "bac-01", rulebook="crown-baccarat")
        open_shoes(floor)
        play(floor, 1)
        assert increments(floor) == []
        path = write(tmp_path / "jackpots.toml", parameters())
        floor.reload(msgspec.structs.replace(floor.config, jackpots=path))
        floor.until(lambda: not floor.app._signals.reloading)
        play(floor, 2)
        assert increments(floor) == [(250, 1, 250)]
        floor.reload(msgspec.structs.replace(floor.config, jackpots=None))
        floor.until(lambda: not floor.app._signals.reloading)
        play(floor, 3)
        assert increments(floor) == [(250, 1, 250)]


def test_a_file_that_cannot_be_used_changes_nothing_at_a_reload(floor: Floor, tmp_path: Path) -> None:
    open_shoes(floor)
    (tmp_path / "jackpots.toml").write_text("[[jackpot]]\nid = 5\n")
    floor.reload(floor.config)
    floor.until(lambda: not floor.app._signals.reloading)
    play(floor, 1)
    assert increments(floor) == [(250, 1, 250)]


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        (METER, b""),
        (METER, b"\xff\xfe"),
        (METER, b"[" * 100_000),
        (METER, b'{"jackpot":"lucky-tie","parameters":"' + b"a" * 300_000 + b'"}'),
        (METER, b'{"jackpot":"lucky-tie","parameters":7}'),
        (METER, b'{"jackpot":"lucky-tie","parameters":"not a digest"}'),
        (METER, b'{"jackpot":"another","parameters":"0123456789abcdef"}'),
        ("sabot/v1/test/jackpot/another/meter", b'{"jackpot":"another","parameters":"0123456789abcdef"}'),
    ],
)
def test_what_is_no_meter_is_ignored_and_counted(floor: Floor, topic: str, payload: bytes) -> None:
    floor.app._jackpots.meters.received(topic, payload)
    assert floor.app._jackpots.meters.ignored == 1
    assert status(floor)["jackpots"][0]["floor"] is None


# The config


def test_a_table_of_another_rulebook_is_a_problem_and_one_of_another_gateway_is_not(tmp_path: Path) -> None:
    with ExitStack() as stack:
        path = write(tmp_path / "jackpots.toml", parameters(tables=["bac-01", "far-99"]))
        floor = Floor(stack, tmp_path, "bac-01", rulebook="crown-baccarat", jackpots=path)
        assert configs.jackpot_problems(floor.config) == []
        floor.rulebook = "star-baccarat"
        (problem,) = configs.jackpot_problems(floor.with_tables("bac-01", jackpots=path))
        assert "bac-01" in problem
        assert "crown-baccarat" in problem


def test_all_problems_of_the_file_and_its_key_are_listed(tmp_path: Path) -> None:
    with ExitStack() as stack:
        floor = Floor(stack, tmp_path, "bac-01", rulebook="crown-baccarat")
        (tmp_path / "jackpots.toml").write_text("[[jackpot]]\nid = 5\ncolour = 7\n")
        fields = {"jackpots": str(tmp_path / "jackpots.toml"), "jackpot_key": str(tmp_path / "no.key")}
        config = msgspec.structs.replace(floor.config, **fields)
        found = configs.jackpot_problems(config)
        assert len(found) > 3
        assert any("colour: no such key" in problem for problem in found)
        assert found[-1].endswith(f"no such file; make it with `sabot keys jackpot {tmp_path / 'no.key'}`")
        with pytest.raises(ConfigError):
            configs.jackpots_of(config)
        alone = msgspec.structs.replace(floor.config, jackpot_key="x")
        assert "jackpot_key is set, but jackpots is not" in configs.jackpot_problems(alone)[0]


def test_a_ledger_error_while_parameters_take_effect_holds_the_gateway_and_is_tried_again(
    floor: Floor, tmp_path: Path
) -> None:
    open_shoes(floor)
    play(floor, 1)
    changed = change(floor, tmp_path, increment=300, unreasonable=300)
    floor.break_ledger()
    meter(floor, changed.digest)
    floor.step(20, pass_s=0.05)
    floor.mend_ledger()
    floor.until(lambda: len(recorded(floor)) == 2)
    play(floor, 2)
    assert increments(floor)[-1] == (300, 2, 550)
