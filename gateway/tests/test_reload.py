"""A config that is read again: while the ledger is held, while somebody waits for a shoe, with ports that change."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor import LOST, Floor
from sabot_gateway.config import Config
from sabot_gateway.operator.requests import TableRequest
from sabot_gateway.operator.verbs.coup import Confirm
from sabot_gateway.table_session import TableSession
from sabot_protocol.inputs.config_file import ConfigError
from sabot_service.messages import Answer
from structlog.testing import capture_logs

TABLES = ("bac-01", "bac-02")


@pytest.fixture
def floors(tmp_path: Path) -> Iterator[Callable[..., Floor]]:
    with ExitStack() as stack:
        yield lambda *names, **more: Floor(stack, tmp_path, *(names or TABLES), **more)


def changed(config: Config, table: str, /, **more: Any) -> Config:
    """The config with one table otherwise."""
    tables = tuple(msgspec.structs.replace(one, **more) if one.name == table else one for one in config.table)
    return msgspec.structs.replace(config, table=tables)


def held(floor: Floor) -> None:
    """A coup cannot be stored; nothing is taken."""
    floor.break_ledger()
    floor.lines["bac-01"].coup(1)
    floor.step(3)
    assert "problem" in floor.retained("status")


def go_on(floor: Floor) -> None:
    floor.mend_ledger()
    floor.step(pass_s=1.1)
    floor.step(3)
    assert "problem" not in floor.retained("status")


def test_a_table_removed_while_the_ledger_is_held_costs_nobody_anything(floors: Callable[..., Floor]) -> None:
    floor = floors()
    floor.greet()
    held(floor)
    floor.reload(floor.with_tables("bac-02"))
    floor.step(3)
    assert "bac-01" in floor.app._tables  # not before the ledger is there again
    go_on(floor)
    assert floor.events("bac-01") == [1, 2, 3, 4, 5]
    assert list(floor.app._tables) == ["bac-02"]
    own = msgspec.json.decode(floor.app.retained_topics()["sabot/v1/test/status"])
    assert (own["ledger"], own["tables"]) == (floor.app._ledger.gateway_id().hex(), ["bac-02"])
    assert floor.status("bac-01")["state"] == "offline"
    assert "not in the gateway's config any more" in floor.status("bac-01")["problem"]
    books = [floor.retained(f"{name}/status").get("rulebook") for name in ("bac-01", "bac-02")]
    assert books == [None, "star-baccarat"]
    assert floor.alarms("bac-01") == ["ledger_not_writable"]
    floor.lines["bac-02"].coup(1)
    floor.step(3)
    assert floor.events("bac-02") == [1, 2, 3, 4, 5]


def test_a_table_that_gets_another_port_or_key_is_not_read_again_from_the_ledger(
    floors: Callable[..., Floor], tmp_path: Path
) -> None:
    floor = floors()
    floor.greet()
    floor.lines["bac-01"].coup(1, *LOST)
    floor.step(2)
    keys = tmp_path / "keys"
    keys.mkdir(mode=0o700)
    verifiers = {name: session.verifier for name, session in floor.app._tables.items()}
    floor.reload(msgspec.structs.replace(changed(floor.config, "bac-01", baud=9600), keys=str(keys)))
    floor.step()
    assert {name: session.verifier for name, session in floor.app._tables.items()} == verifiers
    floor.reload(changed(floor.config, "bac-01", rulebook="nz-baccarat"))
    floor.step()
    assert floor.app._tables["bac-01"].verifier is not verifiers["bac-01"]
    assert floor.alarms("bac-01") == ["discrepancy"]


@pytest.mark.parametrize("more", [{"baud": 9600}, {"card_set": 2}])
def test_a_table_changed_while_the_ledger_is_held_keeps_its_alarms_and_its_dispute(
    floors: Callable[..., Floor], more: dict[str, int]
) -> None:
    floor = floors()
    floor.greet()
    floor.lines["bac-01"].coup(1, *LOST)
    floor.step(2)
    floor.break_ledger()
    floor.lines["bac-01"].coup(2, *LOST)
    floor.step(3)
    floor.reload(changed(floor.config, "bac-01", **more))
    go_on(floor)
    floor.step(2, pass_s=1.0)
    table = floor.app._tables["bac-01"].config
    assert {name: getattr(table, name) for name in more} == more
    stands = floor.alarms("bac-01")
    assert stands == ["discrepancy", "discrepancy", "ledger_not_writable"]
    assert len(floor.app._tables["bac-01"].verifier.disputed()) == 2
    stored = [msgspec.json.decode(entry.payload)["name"] for entry in floor.entries() if entry.topic == "alarm"]
    assert sorted(stored) == ["discrepancy", "discrepancy", "ledger_not_writable", "ledger_not_writable"]


def test_who_waits_for_the_shoe_of_a_table_that_goes_is_answered_at_once(floors: Callable[..., Floor]) -> None:
    floor = floors()
    floor.greet()
    answers: list[Answer] = []
    session, at = floor.app._tables["bac-01"], floor.app._at()
    floor.app._desk.take(
        TableRequest("confirm", "bac-01", "A. Smith", "", Confirm()), "root", session, answers.append, at
    )
    floor.step(2)
    assert answers == []
    floor.reload(changed(floor.config, "bac-01", baud=9600))
    floor.step(3)
    assert [answer.ok for answer in answers] == [False]
    assert "was removed from the config, or changed there" in answers[0].say
    outcome = msgspec.json.decode(floor.entries()[-1].payload)
    assert (outcome["table"], outcome["ok"]) == ("bac-01", False)


def test_a_renamed_table_leaves_its_dispute_behind_with_a_line_in_the_log(floors: Callable[..., Floor]) -> None:
    floor = floors()
    floor.greet()
    floor.lines["bac-01"].coup(1, *LOST)
    floor.step(2)
    with capture_logs() as logs:
        floor.reload(changed(floor.config, "bac-01", name="bac-09"))
        floor.step()
    (left,) = [entry for entry in logs if "stay in the ledger" in entry["event"]]
    assert (left["table"], left["alarms"], left["disputed"]) == ("bac-01", 1, 1)
    assert floor.alarms("bac-01") == ["discrepancy"]
    assert floor.alarms("bac-09") == []
    floor.reload(changed(floor.config, "bac-09", name="bac-01"))
    floor.step(2, pass_s=1.0)
    assert floor.alarms("bac-01") == ["discrepancy"]
    assert len(floor.app._tables["bac-01"].verifier.disputed()) == 1


def test_two_tables_that_swap_their_ports_go_on_with_each_others_shoe(floors: Callable[..., Floor]) -> None:
    floor = floors()
    floor.greet()
    one, other = (floor.lines[name].port for name in TABLES)
    floor.reload(changed(changed(floor.config, "bac-01", port=other), "bac-02", port=one))
    floor.step(2)
    floor.lines["bac-01"], floor.lines["bac-02"] = floor.lines["bac-02"], floor.lines["bac-01"]
    floor.greet()
    assert floor.status("bac-01")["unit"] == floor.lines["bac-01"].unit


def test_a_ledger_that_cannot_be_read_puts_a_reload_off_and_changes_nothing(floors: Callable[..., Floor]) -> None:
    floor = floors()
    floor.greet()
    before = dict(floor.app._tables)
    floor.reload(changed(floor.config, "bac-01", baud=9600))
    with floor.unreadable():
        floor.step(3)
        assert floor.app._tables == before
        assert "cannot be read" in floor.retained("status")["problem"]
    floor.step(3, pass_s=1.1)
    assert floor.app._tables["bac-01"].config.baud == 9600
    assert "problem" not in floor.retained("status")


@pytest.mark.parametrize("error", [ConfigError("no such key"), RecursionError("too deep"), MemoryError(), OSError(5)])
def test_a_file_that_cannot_be_used_for_any_reason_changes_nothing(
    floors: Callable[..., Floor], error: Exception
) -> None:
    floor = floors()
    floor.greet()
    before = dict(floor.app._tables)

    def broken() -> Config:
        raise error

    floor.app._reload.reread = broken
    floor.app._signals.reloading = True
    with capture_logs() as logs:
        floor.step(3)
    assert floor.app._tables == before
    assert "the config stays as it was" in logs[0]["event"]
    assert len(logs) == 1


def test_an_error_of_our_own_over_a_new_config_changes_nothing_and_the_next_one_is_taken(
    floors: Callable[..., Floor], monkeypatch: pytest.MonkeyPatch
) -> None:
    floor = floors()
    floor.greet()
    before = dict(floor.app._tables)

    def fail(*_: object) -> None:
        raise ZeroDivisionError("a fault of ours")

    with monkeypatch.context() as broken, capture_logs() as logs:
        broken.setattr(TableSession, "catch_up", fail)
        floor.reload(changed(floor.config, "bac-01", card_set=2))
        floor.step(3)
    assert floor.app._tables == before
    assert floor.status("bac-01")["state"] == "online"
    assert [entry["event"].split(":")[0] for entry in logs] == ["the config stays as it was"]
    floor.reload(floor.config)
    floor.step()
    assert floor.app._tables["bac-01"].config.card_set == 2


def test_a_port_that_goes_in_the_moment_of_a_reload(floors: Callable[..., Floor]) -> None:
    floor = floors()
    floor.greet()
    session = floor.app._tables["bac-01"]
    floor.app._lines.lose(session, floor.app._at())
    floor.reload(floor.with_tables("bac-02"))
    floor.step(3)
    floor.reload(floor.with_tables(*TABLES))
    floor.step(3, pass_s=1.0)
    floor.greet("bac-01")


def test_a_hold_that_is_longer_than_a_shoes_patience_is_no_silence(floors: Callable[..., Floor]) -> None:
    floor = floors()
    floor.greet()
    held(floor)
    floor.step(20, pass_s=1.0)
    with capture_logs() as logs:
        go_on(floor)
    assert [entry["event"] for entry in logs if "silent" in entry["event"]] == []
    assert floor.status("bac-01") == {"state": "online", "unit": floor.lines["bac-01"].unit, "authenticated": False}
