"""One unit id at two ports, and entries that cannot be stored: no shoe stops another table."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sabot_gateway.ledger import Entry, EntryError, LedgerError
from shoe_events import KEY, UNIT
from tcp_floor import CONFIRM, Floor, LogShoe, Open, floors
from test_app import key_file

OTHER, THIRD = "5ab0000000000002", "5ab0000000000003"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    with floors(tmp_path) as make:
        yield make


def states(floor: Floor) -> list[str | None]:
    return [floor.status(table).get("state") for table in range(1, len(floor.shoes) + 1)]


def named(floor: Floor, table: int) -> list[str]:
    return [alarm["name"] for alarm in floor.alarms(table)]


def play(floor: Floor, seconds: float = 3.0) -> None:
    """Every shoe logs five events more."""
    for shoe in floor.shoes:
        shoe.press(5)
    floor.run(seconds)


@pytest.mark.parametrize("keyed", [False, True], ids=["no key", "key"])
def test_a_clone_is_refused_and_nobody_else_is_disturbed(opened: Open, tmp_path: Path, keyed: bool) -> None:
    key = KEY if keyed else None
    first, other = LogShoe(key=key), LogShoe(OTHER)
    first.answers = True
    clone = LogShoe(key=key)
    clone.answers = False
    floor = opened(first, clone, other, keys=key_file(tmp_path) if keyed else None, keys_required=False)
    floor.run(2)
    clone.answers = True
    for _ in range(4):
        play(floor)
    assert states(floor) == ["online", "offline", "online"]
    assert f"shoe {UNIT} is served at table bac-01: one unit id, one port" in floor.status(2)["problem"]
    assert floor.stored() == list(range(1, 21))
    assert floor.stored(OTHER) == list(range(1, 21))
    assert (first.acked, clone.acked, other.acked) == (20, 0, 20)
    assert {entry.table for entry in floor.entries() if entry.unit == UNIT} == {"bac-01"}
    assert [named(floor, table) for table in (1, 2, 3)] == [["unit_id_twice"], ["unit_id_twice"], []]
    assert {alarm["severity"] for alarm in floor.alarms(1) + floor.alarms(2)} == {"critical"}
    assert f"unit id {UNIT}: one is served at table bac-01, the one at table bac-02" in floor.alarms(1)[0]["say"]


@pytest.mark.parametrize("gone", [0, 1], ids=["the one that is served", "the one that is refused"])
def test_the_alarm_of_one_id_at_two_tables_ends_when_one_of_them_is_gone(opened: Open, gone: int) -> None:
    shoes = LogShoe(), LogShoe()
    shoes[1].answers = False
    floor = opened(*shoes)
    floor.run(2)
    shoes[1].answers = True
    floor.run(6)
    floor.acknowledge()
    floor.run(2)
    assert [named(floor, table) for table in (1, 2)] == [["unit_id_twice"]] * 2
    shoes[gone].answers = False
    floor.run(15)
    assert [named(floor, table) for table in (1, 2)] == [[], []]


def test_a_restart_does_not_end_the_alarm_of_one_id_at_two_tables(opened: Open) -> None:
    floor = opened(LogShoe(), LogShoe())
    floor.run(6)
    floor.restart()
    floor.run(8)
    raised = [entry.payload for entry in floor.entries() if entry.topic == "alarm"]
    assert [b'"cleared"' in payload for payload in raised] == [False, False]
    assert [named(floor, table) for table in (1, 2)] == [["unit_id_twice"]] * 2


def test_a_shoe_that_is_carried_to_another_port_raises_no_alarm(opened: Open) -> None:
    first, second = LogShoe(), LogShoe()
    second.answers = False
    floor = opened(first, second)
    floor.run(2)
    first.answers, second.answers = False, True
    floor.run(12)
    assert states(floor) == ["offline", "online"]
    assert not any(entry.topic == "alarm" for entry in floor.entries())


def test_both_at_the_same_moment_and_one_is_served(opened: Open) -> None:
    floor = opened(LogShoe(), LogShoe(), LogShoe(OTHER))
    for _ in range(4):
        play(floor)
    assert sorted(str(state) for state in states(floor)[:2]) == ["offline", "online"]
    assert floor.stored() == list(range(1, 21))
    assert floor.stored(OTHER) == list(range(1, 21))


@pytest.mark.parametrize("way", ["silent", "hung up"])
def test_the_second_is_served_once_the_first_is_gone(opened: Open, way: str) -> None:
    """A shoe that was carried from one port to the other: its log goes with it."""
    first, second = LogShoe(), LogShoe()
    second.answers = False
    floor = opened(first, second)
    play(floor)
    second.log, second.answers = first.log, True
    floor.run(2)
    assert states(floor) == ["online", "offline"]
    first.answers = False
    if way == "hung up":
        first.hang_up()
        first._listener.close()
    floor.run(8)
    assert states(floor) == ["offline", "online"]
    assert "problem" not in floor.status(2)
    second.press(5)
    floor.run(2)
    assert floor.stored() == list(range(1, 11))


def test_a_keyed_shoe_is_not_kept_out_by_somebody_without_a_key(opened: Open, tmp_path: Path) -> None:
    """He came first, when the key was not known here; from the moment it is, only the key counts."""
    impostor, shoe, other = LogShoe(), LogShoe(key=KEY), LogShoe(OTHER)
    shoe.answers = False
    floor = opened(impostor, shoe, other, keys=key_file(tmp_path, name=f"{THIRD}.key"), keys_required=False)
    play(floor)
    assert (states(floor)[0], floor.stored()) == ("online", [1, 2, 3, 4, 5])
    key_file(tmp_path)
    shoe.log, shoe.answers = list(impostor.log), True
    shoe.log += [CONFIRM] * 5
    impostor.press(5)
    floor.run(6)
    assert states(floor) == ["offline", "online", "online"]
    assert floor.status(2)["authenticated"] is True
    assert f"shoe {UNIT} has a key here and does not use it" in floor.status(1)["problem"]
    assert floor.stored() == list(range(1, 11))
    assert floor.stored(OTHER) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("unit", ["gateway", "00" * 8, "ff" * 8])
def test_an_id_that_is_no_shoes_is_refused(opened: Open, unit: str) -> None:
    odd, other = LogShoe(), LogShoe(OTHER)
    odd.answers = False
    floor = opened(odd, other)
    odd.unit = floor.app._ledger.gateway() if unit == "gateway" else unit
    odd.answers = True
    play(floor)
    floor.app._own.raise_alarm(floor.app._tables["bac-02"], "forged_frames", "so", floor.app._at())
    play(floor)
    assert states(floor) == ["offline", "online"]
    assert odd.unit in floor.status(1)["problem"]
    assert "controller" in floor.status(1)["problem"]
    assert (odd.acked, floor.stored(OTHER)) == (0, list(range(1, 11)))


def test_a_shoe_waits_at_the_next_port_until_its_last_events_are_stored(opened: Open) -> None:
    """It was pulled out of the first one in the very turn in which they came."""
    floor = opened(LogShoe(), LogShoe(OTHER))
    floor.run(2)
    first, units = floor.app._tables["bac-01"], floor.app._builder.units
    first.pending.append(Entry(UNIT, 1, "bac-01", "", b"", b"frame", "", ""))
    port, first.line.port = first.line.port, None
    assert "are being stored" in str(units.claim("bac-02", UNIT, False, 0.0))
    first.pending.clear()
    assert units.claim("bac-02", UNIT, False, 0.0) is None
    first.line.port = port
    assert "is served at table bac-01" in str(units.claim("bac-02", UNIT, False, 0.0))
    assert units.claim("bac-01", UNIT, False, 0.0) is None


# What should never happen all the same.


def test_a_disk_that_fails_while_tables_are_stored_one_by_one_stores_nothing_twice(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor = opened(LogShoe(), LogShoe(OTHER))
    floor.run(2)
    ledger, tables = floor.app._ledger, list(floor.app._tables.values())
    for table, unit in zip(tables, (UNIT, OTHER), strict=True):
        table.pending.append(Entry(unit, 1, table.name, "", b"", b"frame", "", ""))
    floor.app._group_commit.waiting = full = dict.fromkeys(tables)
    answers = iter([EntryError("one of them"), None, LedgerError("the disk is full")])

    def append(entries: list[Entry]) -> None:
        error = next(answers)
        if error is not None:
            raise error

    monkeypatch.setattr(ledger, "append", append)
    with pytest.raises(LedgerError, match="the disk is full"):
        floor.app._group_commit._store([], floor.app._at())
    assert ([table.name for table in full], [len(table.pending) for table in tables]) == (["bac-02"], [0, 1])


def test_entries_that_cannot_be_stored_cost_their_own_table_only(opened: Open) -> None:
    """The number of an event is used already, by a hand that the gateway knows nothing of."""
    shoes = LogShoe(), LogShoe(OTHER), LogShoe(THIRD)
    floor = opened(*shoes)
    floor.run(2)
    floor.app._ledger.append([Entry(OTHER, 3, "bac-02", "", b"", b"", "", "")])
    for _ in range(3):
        play(floor)
    assert floor.stored() == floor.stored(THIRD) == list(range(1, 16))
    assert floor.stored(OTHER) == []
    assert states(floor) == ["online", "offline", "online"]
    assert "the ledger refused 5 entries" in floor.status(2)["problem"]
    assert [alarm["name"] for alarm in floor.alarms(2)] == ["not_stored"]
    assert shoes[1].acked == 0
    assert "problem" not in floor.app.retained_topics().get("sabot/v1/test/status", b"").decode()


def test_a_table_that_was_refused_is_tried_again(opened: Open) -> None:
    shoes = LogShoe(), LogShoe(OTHER)
    floor = opened(*shoes)
    floor.run(2)
    table = floor.app._tables["bac-02"]
    table.pending.append(Entry(OTHER, 2**80, "bac-02", "", b"", b"", "", ""))
    play(floor)
    assert states(floor) == ["online", "offline"]
    floor.run(62)
    assert states(floor) == ["online", "online"]
    assert floor.stored(OTHER) == [1, 2, 3, 4, 5]
    assert [entry.event_no for entry in floor.entries() if entry.unit == UNIT] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("bad", [{"event_no": 2**80}, {"topic": "\ud800"}, {"payload": None}])
def test_whatever_is_wrong_with_an_entry_the_ledger_goes_on(opened: Open, bad: dict[str, object]) -> None:
    shoe = LogShoe()
    floor = opened(shoe)
    floor.run(2)
    good = Entry(OTHER, 1, "bac-01", "", b"", b"", "", "")
    floor.app._tables["bac-01"].pending.append(good._replace(**bad))  # type: ignore[arg-type]
    play(floor)
    assert [alarm["name"] for alarm in floor.alarms()] == ["not_stored"]
    floor.run(62)
    play(floor)
    assert floor.stored() == list(range(1, 11))
    assert floor.app._ledger.verify_chain() == 11


def test_an_act_of_a_person_that_cannot_be_stored_is_answered_and_costs_nobody(opened: Open) -> None:
    shoe = LogShoe()
    floor = opened(shoe)
    floor.run(2)
    floor.app._own.waiting.append(Entry(UNIT, 2**80, "bac-01", "attempt", b"", b"", "", ""))
    play(floor)
    assert floor.stored() == [1, 2, 3, 4, 5]
    assert states(floor) == ["online"]
    assert shoe.log == [CONFIRM] * 5
