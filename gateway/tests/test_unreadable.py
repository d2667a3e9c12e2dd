"""Events and frames that cannot be read: stored, raised as alarms, and never the silent end of a table's log."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from shoe_events import KEY, SLOTS, UNIT
from tcp_floor import CONFIRM, Floor, LogShoe, Open, body_of, floors
from test_app import key_file

OPENED = body_of("shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none")
CARDS = ["9S", "2H", "TD", "3C"]  # the Player has a natural nine
FLAGS = {"player_pair": False, "banker_pair": False, "natural": True, "last_coup": False}


def card(coup_no: int, position: int) -> bytes:
    seen = {"speed_mm_s": 900, "margin_pct": 80, "flags": {}}
    return body_of("card", shoe_no=1, coup_no=coup_no, slot=SLOTS[position], card=CARDS[position], **seen)


def coup(coup_no: int) -> list[bytes]:
    """A coup of four cards, its result and its confirmation: six events."""
    points = {"winner": "player", "player_points": 9, "banker_points": 5, "flags": FLAGS, "kind": "live"}
    return [
        *(card(coup_no, position) for position in range(4)),
        body_of("coup", shoe_no=1, coup_no=coup_no, **points),
        body_of("button", shoe_no=1, coup_no=coup_no, button="confirm"),
    ]


def with_byte(body: bytes, at: int, value: int) -> bytes:
    return body[:at] + bytes([value]) + body[at + 1 :]


# Kind and data of an event as they stand behind the number, and what is wrong with them; a card's margin is its byte 9.
BAD = {
    "margin": (with_byte(card(2, 1), 9, 101), "margin_pct is 101, which is too much"),
    "kind": (with_byte(card(2, 1), 0, 99), "kind is 99, which the protocol does not have"),
    "card": (with_byte(card(2, 1), 6, 77), "card is 77, which the protocol does not have"),
    "slot": (with_byte(card(2, 1), 5, 9), "slot is 9, which the protocol does not have"),
    "long": (card(2, 1) + b"more", "it is too long"),
    "longest": (card(2, 1) + bytes(89), "it is too long"),
    "short": (card(2, 1)[:-1], "it ends before flags"),
    "no kind": (b"", "it ends before kind"),
}


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    with floors(tmp_path) as make:
        yield make


def coups(floor: Floor) -> list[tuple[int, str]]:
    """Return number and status of every coup in the ledger."""
    messages = [msgspec.json.decode(entry.payload) for entry in floor.entries() if entry.topic == "coup"]
    return [(one["coup"], one["status"]) for one in messages]


def names(floor: Floor, table: int = 1) -> list[str]:
    return [alarm["name"] for alarm in floor.alarms(table)]


@pytest.mark.parametrize("keyed", [False, True], ids=["no key", "key"])
@pytest.mark.parametrize("bad", BAD)
def test_an_event_that_cannot_be_read_is_stored_raises_an_alarm_and_the_log_goes_on(
    opened: Open, tmp_path: Path, bad: str, keyed: bool
) -> None:
    body, why = BAD[bad]
    shoe = LogShoe(key=KEY if keyed else None)
    floor = opened(shoe, keys=key_file(tmp_path) if keyed else None)
    shoe.log = [OPENED, *coup(1), *coup(2), *coup(3)]
    shoe.log[8] = body  # event 9, the second card of coup 2
    floor.run(4)
    assert floor.stored() == list(range(1, 20))
    assert shoe.acked == 19
    kept = next(entry for entry in floor.entries() if entry.event_no == 9 and entry.unit == UNIT)
    assert kept.frame[8:] == (9).to_bytes(4, "little") + body
    assert (kept.topic, msgspec.json.decode(kept.payload)) == ("unreadable", {"why": why})
    assert coups(floor) == [(1, "verified"), (2, "disputed"), (3, "verified")]
    alarm = floor.alarms()[0]
    assert (alarm["name"], alarm["severity"], alarm["table"]) == ("unreadable_event", "critical", "bac-01")
    assert f"Event 9 of shoe {UNIT} cannot be read: {why}." in alarm["say"]
    assert (floor.status()["state"], floor.status()["problem"]) == ("online", alarm["say"])


def test_after_a_restart_the_coup_with_an_unreadable_event_is_still_disputed(opened: Open) -> None:
    shoe = LogShoe()
    floor = opened(shoe)
    shoe.log = [OPENED, *coup(1), *coup(2)[:3]]
    shoe.log[8] = BAD["kind"][0]
    floor.run(2)
    floor.restart()
    shoe.log += coup(2)[3:] + coup(3)
    floor.run(8)
    assert coups(floor) == [(1, "verified"), (2, "disputed"), (3, "verified")]
    assert "cannot be read" in floor.status()["problem"]
    assert floor.stored() == list(range(1, 20))


def test_the_problem_ends_when_somebody_has_seen_the_alarm(opened: Open) -> None:
    shoe = LogShoe()
    floor = opened(shoe)
    shoe.log = [CONFIRM, BAD["kind"][0]]
    floor.run(2)
    floor.acknowledge()
    floor.run(1)
    assert floor.status() == {**floor.status(), "state": "online", "unit": UNIT}
    assert "problem" not in floor.status()


def test_a_frame_damaged_on_the_way_is_asked_for_again_and_not_taken_for_the_event(opened: Open) -> None:
    """One in 65536 damaged frames has a right CRC; without a key only the repetition tells it from the shoe's own."""
    shoe = LogShoe()
    floor = opened(shoe)
    floor.run(2)
    shoe.log = [with_byte(CONFIRM, 0, 99)]
    shoe.turn()
    shoe.log = [CONFIRM]
    floor.run(3)
    assert [(entry.event_no, entry.topic) for entry in floor.entries()] == [(1, "")]
    assert names(floor) == []


def test_what_only_passes_for_an_event_of_a_keyed_shoe_changes_nothing(opened: Open, tmp_path: Path) -> None:
    shoe = LogShoe(key=KEY)
    floor = opened(shoe, keys=key_file(tmp_path))
    shoe.press(3)
    floor.run(2)
    seal, shoe._seal = shoe._seal, None
    shoe.say(bytes(8 * [0]).replace(b"\0", b"\x02", 1) + (4).to_bytes(4, "little") + b"\x63")
    shoe._seal = seal
    floor.run(1)
    assert floor.stored() == [1, 2, 3]
    assert names(floor) == []


def unnumbered(shoe: LogShoe) -> bytes:
    return shoe.header(2) + b"\x04\0\0"


def unknown_type(shoe: LogShoe) -> bytes:
    return shoe.header(0x44) + b"what"


@pytest.mark.parametrize("made", [unnumbered, unknown_type])
def test_frames_without_a_number_are_an_alarm_when_they_come_again_and_again(opened: Open, made: Any) -> None:
    shoe = LogShoe()
    floor = opened(shoe)
    floor.run(2)
    for _ in range(5):
        shoe.say(made(shoe))
        floor.run(1)
    assert names(floor) == []
    shoe.say(made(shoe))
    floor.run(1)
    assert names(floor) == ["unreadable_frames"]
    assert "6 frames came that cannot be read (6 unknown)" in floor.alarms()[0]["say"]
    assert floor.status()["problem"] == floor.alarms()[0]["say"]
    for _ in range(30):
        shoe.say(made(shoe))
        floor.run(1)
    assert names(floor) == ["unreadable_frames"]


def test_an_event_too_long_for_a_frame_is_an_alarm_and_so_is_the_stalled_log(opened: Open) -> None:
    shoe = LogShoe()
    floor = opened(shoe)
    shoe.log = [CONFIRM, CONFIRM, card(1, 0) + bytes(120), CONFIRM, CONFIRM]
    floor.run(40)
    assert floor.stored() == [1, 2]
    assert set(names(floor)) == {"unreadable_frames", "log_stalled"}
    assert f"Event 3 of shoe {UNIT} does not come" in floor.status()["problem"]
