"""A gateway that restarts at any entry of an Angel Eye's log goes on with the same messages, numbers and ids."""

from pathlib import Path
from typing import Literal

import msgspec
import pytest
from angel_eye_log import NINE, TIME, UNIT
from angel_eye_session import (
    messages_of,
    new_session,
    numbered,
    open_ledger,
    random_line,
    restarted,
    shown,
    take,
)
from sabot_gateway.angel_eye.events import connect
from sabot_gateway.angel_eye.verifier import Settings
from sabot_gateway.ledger import Entry
from sabot_gateway.table_session import TableSession
from sabot_gateway.verify import Source, Verifier
from sabot_protocol.angel_eye.messages import Message, fact
from shoe_events import UNIT as OWN_UNIT
from shoe_events import event as own_event
from verified_log import Log

Confirm = Literal["result", "dealer"]


def contents(entries: list[Entry]) -> list[tuple[object, ...]]:
    return [(entry.event_no, entry.topic, entry.payload, entry.frame) for entry in entries]


def gone_on(line: list[Message], at: int, book: str, settings: Settings) -> tuple[list[tuple[object, ...]], object]:
    """Return the entries after a connect at this place, and what is shown then, of a gateway that never stopped."""
    session = new_session(book, settings)
    take(session, numbered(line[:at]))
    after = take(session, numbered([connect(), *line[at:]], at + 1))
    return contents(after), shown(session)


@pytest.mark.parametrize(
    ("seed", "book", "settings"),
    [
        (1, "star-baccarat", Settings()),
        (2, "crown-baccarat", Settings("dealer")),
        (3, "star-rapid", Settings(resent_card="ignore")),
    ],
)
def test_a_restart_at_any_entry_changes_nothing(tmp_path: Path, seed: int, book: str, settings: Settings) -> None:
    line = random_line(seed, 4)
    ledger, session = open_ledger(tmp_path), new_session(book, settings)
    for at, event in enumerate(numbered(line), 1):
        ledger.append(take(session, [event]))
        other = restarted(ledger, book, settings)
        rest = take(other, numbered([connect(), *line[at:]], at + 1))
        assert (contents(rest), shown(other)) == gone_on(line, at, book, settings), at
    ledger.close()


def test_ids_are_unique_and_the_ledger_accepts_its_entries(tmp_path: Path) -> None:
    ledger, session = open_ledger(tmp_path), new_session()
    entries = take(session, numbered(random_line(4, 60)))
    ledger.append(entries)
    ids = [entry.payload.partition(b'"id":"')[2].partition(b'"')[0] for entry in entries if entry.payload]
    assert len(set(ids)) == len(ids) > 400
    assert ledger.verify_chain() == len(entries)
    assert ledger.derived_difference() is None
    ledger.close()


def test_an_event_that_closes_one_shoe_and_opens_the_next_is_where_the_log_begins(tmp_path: Path) -> None:
    ledger, session = open_ledger(tmp_path), new_session()
    ledger.append(take(session, numbered(messages_of(f"+ S {NINE} C P1=9S B1=2H S P1=8H B1=2D"))))
    log = [entry.event_no for entry in ledger.this_shoe("bac-01")]
    assert log == [11, 12]  # Player 1 after the start of the shoe, and the next card
    other = restarted(ledger)
    assert (other.verifier.state.shoe_no, other.verifier.state.coup_no) == (2, 1)
    assert other.verifier.state.cards(1) == ["8H", "2D"]
    ledger.close()


@pytest.mark.parametrize("frame", [b"\x05?", b'\x16{"fact":"command","id":1,"command":"lock","outcome":"ack"}'])
def test_a_log_that_cannot_be_read_again_goes_on_with_the_next_shoe(tmp_path: Path, frame: bytes) -> None:
    ledger, session = open_ledger(tmp_path), new_session()
    entries = take(session, numbered(messages_of(f"+ S {NINE} G=player C S P1=8H")))
    ledger.append([*entries[:-1], entries[-1]._replace(frame=frame)])
    other = new_session()
    assert not other.catch_up(ledger)
    opened = take(other, numbered([connect()], 11))
    assert [(entry.topic, b'"shoe":3' in entry.payload) for entry in opened] == [("shoe", True)]
    ledger.close()


def test_after_a_log_that_cannot_be_read_a_line_that_stayed_open_begins_the_next_shoe() -> None:
    session = new_session()
    session.verifier.resume_after(4)
    entries = take(session, numbered(messages_of(NINE), 50))
    assert [entry.topic for entry in entries] == ["shoe", "cards", "cards", "cards", "cards"]
    assert all(b'"shoe":5' in entry.payload for entry in entries)
    assert "shoe" in session.verifier.unknown()


def test_a_table_that_changes_its_kind_of_shoe_reads_only_the_log_of_its_own(tmp_path: Path) -> None:
    ledger, session = open_ledger(tmp_path), new_session()
    ledger.append(take(session, numbered(messages_of(f"+ S {NINE} G=player"))))
    book, profile = session.verifier.book, session.verifier.profile
    config, incidents = session.config, session.incidents
    own = TableSession(config, session.line, session.link, Verifier("bac-01", book, profile), incidents)
    assert own.catch_up(ledger)
    assert (own.verifier.state.unit, own.verifier.state.phase) == ("", "unknown")
    log = Log()
    opened = log.records[0].message
    assert opened is not None
    frame = own_event(1, "shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none").raw
    entry = Entry(OWN_UNIT, 1, "bac-01", "shoe", msgspec.json.encode(opened), frame, "", "")
    ledger.append([entry])
    back = restarted(ledger)
    shoe, *_ = take(back, numbered([connect()], 8))
    assert (shoe.topic, b'"shoe":2' in shoe.payload) == ("shoe", True)
    ledger.close()


def test_a_fault_of_our_own_shoe_ends_when_an_angel_eye_takes_its_place(tmp_path: Path) -> None:
    ledger, session = open_ledger(tmp_path), new_session()
    own = Verifier("bac-01", session.verifier.book, session.verifier.profile)
    (fault,) = own.match_fault("lid", Source("0123456789abcdef", 1, TIME))
    ledger.append([Entry("0123456789abcdef", 1, "bac-01", "alarm", msgspec.json.encode(fault.message), b"", TIME)])
    other = restarted(ledger)
    assert [alarm.name for alarm in other.verifier.active()] == ["fault_lid"]
    take(other, numbered([connect()]))
    assert other.verifier.active() == []
    ledger.close()


@pytest.mark.parametrize(
    ("before", "after", "disputed"),
    [("result", "dealer", []), ("dealer", "result", ["not_confirmed"])],  # the Player's nine was confirmed, or not
)
def test_another_setting_confirms_no_coup_of_before_and_disputes_none_that_is_confirmed(
    tmp_path: Path, before: Confirm, after: Confirm, disputed: list[str]
) -> None:
    ledger, session = open_ledger(tmp_path), new_session(settings=Settings(before))
    ledger.append(take(session, numbered(messages_of(f"+ S {NINE} G=player"))))
    other = restarted(ledger, settings=Settings(after))
    assert other.verifier.state.phase == ("between" if before == "result" else "complete")
    take(other, numbered(messages_of("+ P1=8H"), 8))
    alarms = [alarm.name for alarm in other.verifier.active()]
    assert alarms == ["line_interrupted", *disputed]
    ledger.close()


def test_a_coup_that_waits_for_a_person_can_be_confirmed_under_another_setting(tmp_path: Path) -> None:
    ledger, session = open_ledger(tmp_path), new_session(settings=Settings("dealer"))
    ledger.append(take(session, numbered(messages_of(f"+ S {NINE} G=player"))))
    other = restarted(ledger, settings=Settings("result"))
    confirm = fact("command", id=1, command="confirm", data={}, outcome="done")
    assert [entry.topic for entry in take(other, numbered([connect(), confirm], 8))] == ["", "alarm", "confirmed"]
    ledger.close()


def test_pruning_keeps_the_event_that_opened_the_shoe_on_the_table(tmp_path: Path) -> None:
    ledger, session = open_ledger(tmp_path), new_session()
    *entries, card = take(session, numbered(messages_of(f"+ S {NINE} G=player C S P1=8H")))
    ledger.append([*entries, card._replace(time="2026-12-31T21:00:00.000Z")])
    ledger.move_cursor("mqtt", ledger.newest()[0])
    assert ledger.prune("2026-12-01T00:00:00.000Z").kept_by == "of the shoe on a table"
    other = restarted(ledger)
    assert (other.verifier.state.shoe_no, other.verifier.state.cards(1)) == (2, ["8H"])
    ledger.close()


def test_an_alarm_from_before_the_shoe_does_not_change_ids_after_a_restart(tmp_path: Path) -> None:
    ledger, session = open_ledger(tmp_path), new_session()
    line = messages_of(f"+ S {NINE} G=player L1 P1=9S")
    line.insert(-1, fact("command", id=1, command="open_shoe", data={"decks": 8, "burn": "one"}, outcome="done"))
    ledger.append(take(session, numbered([*line, connect()])))
    (disputed,) = session.verifier.disputed()
    other = restarted(ledger)
    (last,) = other.verifier.disputed()
    assert other.verifier.disputes.last == disputed == last
    ledger.close()


def test_a_shoe_that_is_not_used_any_more_keeps_no_entries_and_its_number_is_never_given_again(tmp_path: Path) -> None:
    ledger, session = open_ledger(tmp_path), new_session()
    ledger.append(take(session, numbered(messages_of(f"+ S {NINE} G=player C S {NINE} G=player"))))
    last = ledger.newest()[0]
    ledger.append([Entry("0123456789abcdef", 1, "bac-02", "", b"", b"", "2027-11-17T21:00:00.000Z")])
    ledger.move_cursor("mqtt", ledger.newest()[0])
    assert ledger.prune("2027-11-01T00:00:00.000Z").count == last
    assert (ledger.newest_shoe_nos("bac-01"), ledger.newest_shoe_nos("bac-02")) == ({UNIT: 2}, {})
    opened = take(restarted(ledger), numbered([connect()], 15))
    assert [(entry.topic, b'"shoe":3' in entry.payload) for entry in opened] == [("shoe", True)]
    assert ledger.derived_difference() is None
    ledger.close()
