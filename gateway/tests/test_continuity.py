"""A shoe's log is the one in the ledger, or nothing of it is acknowledged: erased journals, lost parts, bounds."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sabot_gateway.shoe.continuity import Proof, Verdict, proof
from sabot_gateway.shoe.refusals import MOST_AHEAD, wrong_numbers
from shoe_events import KEY, UNIT, event_frame
from tcp_floor import CONFIRM, Floor, LogShoe, Open, body_of, floors
from test_app import key_file

OTHER_BUTTON = body_of("button", shoe_no=1, coup_no=1, button="tie")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    with floors(tmp_path) as make:
        yield make


def names(floor: Floor) -> list[str]:
    return [alarm["name"] for alarm in floor.alarms()]


def away(floor: Floor, shoe: LogShoe, seconds: float = 7.0) -> None:
    """The shoe is without power for a while."""
    shoe.answers = False
    floor.run(seconds)
    shoe.answers = True


def served(opened: Open, tmp_path: Path, keyed: bool, events: int) -> tuple[Floor, LogShoe]:
    """A shoe with so many events, all in the ledger."""
    shoe = LogShoe(key=KEY if keyed else None)
    floor = opened(shoe, keys=key_file(tmp_path) if keyed else None)
    shoe.press(events)
    floor.run(4)
    assert floor.stored() == list(range(1, events + 1))
    return floor, shoe


# Erased journals


@pytest.mark.parametrize("keyed", [False, True], ids=["no key", "key"])
@pytest.mark.parametrize("how", ["from the start", "gateway restarted", "numbers passed while away"])
def test_an_erased_journal_is_never_taken_up_whatever_its_numbers_are(
    opened: Open, tmp_path: Path, keyed: bool, how: str
) -> None:
    floor, shoe = served(opened, tmp_path, keyed, 12)
    away(floor, shoe)
    shoe.erase()
    if how == "numbers passed while away":
        shoe.log = [OTHER_BUTTON] * 30
    if how == "gateway restarted":
        floor.restart()
    for _ in range(6):
        shoe.log += [OTHER_BUTTON] * 3
        floor.run(5)
    assert len(shoe.log) > 12
    assert floor.stored() == list(range(1, 13))
    assert shoe.acked == 0
    assert floor.status()["state"] == "offline"
    assert "its journal was erased or the unit id is used twice" in floor.status()["problem"]
    assert names(floor) == ["log_lost"]
    assert UNIT in floor.alarms()[0]["say"]
    assert "12" in floor.alarms()[0]["say"]


def test_an_erased_journal_whose_numbers_are_still_low_is_an_alarm_once(opened: Open, tmp_path: Path) -> None:
    floor, shoe = served(opened, tmp_path, False, 12)
    away(floor, shoe)
    shoe.erase()
    shoe.press(3)
    floor.run(3)
    assert names(floor) == ["log_lost"]
    assert "would number its next event 4, but the ledger already holds 12" in floor.alarms()[0]["say"]
    floor.acknowledge()
    floor.run(5)
    assert names(floor) == []  # seen; the status still has it
    assert "already holds 12" in floor.status()["problem"]


def test_the_same_shoe_goes_on_after_every_kind_of_pause(opened: Open, tmp_path: Path) -> None:
    floor, shoe = served(opened, tmp_path, False, 5)
    for _ in range(3):
        away(floor, shoe)
        shoe.press(3)
        floor.run(3)
        floor.restart()
        shoe.press(3)
        floor.run(8)
    assert floor.stored() == list(range(1, 24))
    assert (shoe.acked, names(floor), floor.status()["state"]) == (23, [], "online")
    assert floor.app._tables["bac-01"].link.line_counters()["repeated"] == 0


def test_a_log_that_was_put_back_to_an_older_state_is_not_taken_up(opened: Open, tmp_path: Path) -> None:
    """The flash of a shoe, copied back from yesterday: the same beginning, another end."""
    floor, shoe = served(opened, tmp_path, False, 12)
    away(floor, shoe)
    shoe.log, shoe.acked = [CONFIRM] * 8 + [OTHER_BUTTON] * 10, 4
    floor.run(10)
    assert floor.stored() == list(range(1, 13))
    assert shoe.acked <= 8
    assert names(floor) == ["log_lost"]


def test_a_shoe_that_was_refused_is_served_again_when_its_own_log_is_back(opened: Open, tmp_path: Path) -> None:
    floor, shoe = served(opened, tmp_path, False, 12)
    whole = list(shoe.log)
    away(floor, shoe)
    shoe.erase()
    shoe.log = [OTHER_BUTTON] * 20
    floor.run(5)
    away(floor, shoe)
    shoe.log = [*whole, CONFIRM]
    floor.run(5)
    assert (floor.stored(), floor.status()["state"]) == (list(range(1, 14)), "online")


def test_a_shoe_that_keeps_only_what_is_not_acknowledged_goes_on(opened: Open, tmp_path: Path) -> None:
    floor, shoe = served(opened, tmp_path, False, 5)
    away(floor, shoe)
    shoe.oldest = 6
    shoe.press(3)
    floor.run(5)
    assert (floor.stored(), names(floor)) == (list(range(1, 9)), [])


def test_a_shoe_that_takes_the_event_for_acknowledged_goes_on_a_little_later(opened: Open, tmp_path: Path) -> None:
    """It never goes back behind what was acknowledged: no erased journal does that, for nobody acknowledged to it."""
    floor, shoe = served(opened, tmp_path, False, 5)
    shoe.never_back = True
    away(floor, shoe)
    shoe.press(3)
    floor.run(8)
    assert (floor.stored(), shoe.acked, names(floor)) == (list(range(1, 9)), 8, [])


@pytest.mark.parametrize("keyed", [False, True], ids=["no key", "key"])
def test_a_shoe_whose_commands_are_known_is_not_asked_for_its_log_again(
    opened: Open, tmp_path: Path, keyed: bool
) -> None:
    shoe = LogShoe(key=KEY if keyed else None)
    shoe.obeys = True
    floor = opened(shoe, keys=key_file(tmp_path) if keyed else None)
    for _ in range(3):
        shoe.press(40)
        floor.run(4)
        shoe.sent.clear()
        floor.restart()
        floor.run(8)
        assert shoe.sent == list(range(shoe.sent[0], len(shoe.log) + 1))
        assert len(shoe.sent) < 5
    assert floor.stored() == list(range(1, len(shoe.log) + 1))
    assert (floor.status()["state"], names(floor)) == ("online", [])


def test_an_erased_journal_that_was_never_seen_with_low_numbers_is_known_by_its_commands(
    opened: Open, tmp_path: Path
) -> None:
    shoe = LogShoe()
    shoe.obeys = True
    floor = opened(shoe)
    shoe.log = [CONFIRM] * 30
    floor.run(4)
    stored = floor.stored()
    away(floor, shoe)
    shoe.erase()
    shoe.log = [CONFIRM] * 5 + [OTHER_BUTTON] * 60  # the first five are the same by chance
    floor.run(8)
    assert floor.stored() == stored
    assert shoe.acked <= 5
    assert names(floor) == ["log_lost"]


def frame_of(event_no: int, kind: str = "button", **data: object) -> bytes:
    return event_frame(event_no, kind, **(data or {"shoe_no": 1, "coup_no": 1, "button": "confirm"}))


def held(event_no: int) -> bytes | None:
    """The ledger holds events 6 and 7; 5 was pruned."""
    return None if event_no == 5 else frame_of(event_no)


@pytest.mark.parametrize(
    ("event_no", "raw", "verdict"),
    [
        (6, frame_of(6), "same"),
        (6, b"\x02\x01\x77\x77" + frame_of(6)[4:], "same"),  # flags and seq are of the session
        (6, frame_of(6, shoe_no=1, coup_no=1, button="tie"), "another_log"),
        (6, frame_of(6)[:4] + b"\x01" + frame_of(6)[5:], "another_log"),
        (6, frame_of(6)[:-1], "another_log"),
        (6, event_frame(6, "damaged"), "same"),
        (5, frame_of(5, shoe_no=1, coup_no=1, button="tie"), "same"),  # pruned: nothing contradicts it
        (7, frame_of(7), "same"),
        (7, event_frame(7, "key", on=1), "another_log"),
        (8, frame_of(8), "missing"),
        (30, frame_of(30), "missing"),
    ],
)
def test_what_an_event_proves(event_no: int, raw: bytes, verdict: Verdict) -> None:
    assert Proof(4, 7, held).compare(event_no, raw) == verdict


def test_a_proof_ends_with_the_last_event_of_the_ledger() -> None:
    proof = Proof(4, 7, held)
    arrived = (5, 8, 5, 7)  # 6 was lost on the way
    judged = [(proof.compare(no, frame_of(no)), proof.same_no, proof.done()) for no in arrived]
    assert judged == [("same", 5, False), ("missing", 5, False), ("same", 5, False), ("same", 7, True)]


def test_a_proof_ends_for_a_shoe_that_begins_behind_it_three_times() -> None:
    proof = Proof(4, 7, held)
    judged = [(proof.compare(no, frame_of(no)), proof.done()) for no in (8, 9, 8, 9, 8)]
    assert judged == [("missing", False)] * 4 + [("missing", True)]
    proof = Proof(4, 7, held)
    judged = [
        (proof.compare(no, frame_of(no)), proof.done()) for no in (6, 8, 8, 8, 8)
    ]  # and has sent what is before it
    assert judged == [("same", False)] + [("missing", False)] * 4
    assert proof.stuck()


class Known:
    """A ledger that holds event 7, and knows of these starts and commands."""

    def __init__(self, boot: int | None, command: int | None) -> None:
        self._boot = None if boot is None else event_frame(1, "boot", boot_count=boot, cause="power")
        done: dict[str, object] = {"command_id": command, "command": "confirm", "outcome": "done", "data": {}}
        self._command = None if command is None else event_frame(2, "command_done", **done)

    def frame_of(self, unit: str, event_no: int) -> bytes | None:
        return frame_of(7) if event_no == 7 else None

    def newest_event(self, unit: str, kinds: Sequence[int], within: int) -> bytes | None:
        return self._boot if kinds == [1] else self._command


@pytest.mark.parametrize(
    ("oldest", "boots", "command", "known", "asks"),
    [
        (1, 5, 3, Known(5, 3), False),
        (1, 6, 4, Known(5, 3), False),
        (1, 5, 2, Known(5, 3), True),  # fewer commands than the ledger has
        (4, 5, 2, Known(5, 3), True),
        (1, 4, 3, Known(5, 3), True),  # fewer starts
        (1, 2, 3, Known(65535, 3), False),  # they are counted from 0 again
        (1, 1, 0, Known(1, None), True),  # nothing is known, and nothing was overwritten
        (2, 1, 0, Known(1, None), False),
        (1, 1, 3, Known(None, 3), False),
        (8, 1, 0, Known(5, 3), False),  # the shoe no longer has what the ledger has
    ],
)
def test_which_shoe_has_to_send_its_log_again(oldest: int, boots: int, command: int, known: Known, asks: bool) -> None:
    body = {"oldest_event_no": oldest, "boot_count": boots, "last_command_id": command}
    found = proof(UNIT, body, 7, known)
    assert (found is not None) is asks
    assert found is None or (found.same_no, found.last_no) == (oldest - 1, 7)


def test_a_ledger_that_was_pruned_has_nothing_to_compare() -> None:
    assert proof(UNIT, {"oldest_event_no": 1, "boot_count": 0, "last_command_id": 0}, 9, Known(5, 3)) is None


# Lost parts


def test_a_part_of_the_log_that_nobody_can_have_is_an_alarm_at_once(opened: Open, tmp_path: Path) -> None:
    floor, shoe = served(opened, tmp_path, False, 5)
    away(floor, shoe)
    shoe.press(20)
    shoe.oldest = 26
    floor.run(3)
    assert names(floor) == ["log_lost"]
    assert f"Events 6 to 25 of shoe {UNIT} are in no ledger here" in floor.alarms()[0]["say"]
    assert (floor.status()["state"], floor.status()["problem"]) == ("online", floor.alarms()[0]["say"])
    shoe.press(2)
    floor.run(2)
    assert floor.stored() == [*range(1, 6), 26, 27]
    assert names(floor) == ["log_lost"]


# Bounds


@pytest.mark.parametrize("keyed", [False, True], ids=["no key", "key"])
@pytest.mark.parametrize("oldest", [MOST_AHEAD + 7, 2**30 - 3])
def test_a_hello_from_nowhere_does_not_bar_the_shoe(opened: Open, tmp_path: Path, keyed: bool, oldest: int) -> None:
    floor, shoe = served(opened, tmp_path, keyed, 5)
    before = [(entry.unit, entry.event_no) for entry in floor.entries()]
    away(floor, shoe)
    honest = shoe.key
    shoe.key = None
    shoe.hello = {"oldest_event_no": oldest, "next_event_no": oldest + 2}
    floor.run(8)
    assert floor.status()["state"] == "offline"
    assert ("has a key here" if keyed else "no shoe logs so much between two visits") in floor.status()["problem"]
    assert [(entry.unit, entry.event_no) for entry in floor.entries()] == before
    assert names(floor) == []
    away(floor, shoe)
    shoe.key, shoe.hello = honest, {}
    shoe.press(3)
    floor.run(4)
    assert (floor.stored(), floor.status()["state"]) == (list(range(1, 9)), "online")


@pytest.mark.parametrize(
    ("oldest", "next_no", "durable", "authenticated", "says"),
    [
        (1, 1, 0, False, None),
        (0, 1, 0, False, None),
        (1, 13, 12, False, None),
        (13, 13, 12, False, None),
        (MOST_AHEAD + 12, MOST_AHEAD + 12, 12, False, None),
        (1, 12, 12, True, "already holds 12"),
        (1, 1, 12, True, "already holds 12"),
        (0, 0, 0, True, "begins at 0 and ends before 0"),
        (3, 2, 0, True, "begins at 3 and ends before 2"),
        (1, MOST_AHEAD + 13, 12, False, "no shoe logs so much"),
        (MOST_AHEAD + 13, MOST_AHEAD + 13, 12, False, "no shoe logs so much"),
        (2**30 - 1, 2**30 - 1, 12, True, None),
        (2**30 - 1, 2**30 - 1, 0, False, "no shoe logs so much"),
    ],
)
def test_the_numbers_of_a_hello(oldest: int, next_no: int, durable: int, authenticated: bool, says: str | None) -> None:
    found = wrong_numbers(UNIT, oldest, next_no, durable, authenticated=authenticated)
    assert found is None if says is None else says in str(found)
