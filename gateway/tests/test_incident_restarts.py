"""Incidents over restarts: a book that is restored at any point goes on as one that was never stopped."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from incident_log import IncidentLog
from sabot_gateway.incidents.book import REMEMBERED, IncidentBook
from sabot_gateway.verify import NotThereError
from sabot_protocol.topics import IncidentMessage

BOOKS = ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")
ACTS = ("coup", "disputed", "misdeal", "foreign", "void", "new shoe", "no bet", "decide", "wrong area", "acknowledge")


def restart(log: IncidentLog) -> None:
    """Forget the book and take it from what the ledger would give: the last message of each incident."""
    last: dict[str, IncidentMessage] = {}
    for one in log.incidents:
        last[one.incident] = msgspec.json.decode(msgspec.json.encode(one), type=IncidentMessage)
    newest = list(last)[-REMEMBERED:]
    log.open_book = IncidentBook("bac-01", log.book, lambda *_: log.person)
    log.open_book.restore(one for key, one in last.items() if one.state == "open" or key in newest)


def play(log: IncidentLog, act: str, number: int) -> None:
    match act:
        case "coup":
            log.coup()
        case "disputed":
            log.deal()
            log.result("banker")
            log.coup_no += 1
        case "misdeal":
            log.deal()
            log.reported("bad_order", "VOID", reconstructible=False, notified_before_next=True)
        case "foreign":
            log.reported("missing_or_foreign_card", "VOID_CHECK")
        case "void":
            log("coup_void", shoe_no=1, coup_no=log.coup_no, reason="misdeal", then="go_on", cards=4)
        case "new shoe":
            log("shoe_closed", shoe_no=1, coups=log.coup_no, reason="command")
            log("shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none")
        case "no bet":
            log.command("no_bet", kind="no_bet")
        case "wrong area":
            log.irregularity("wrong_area", "CHOICE")
        case "acknowledge":
            log.acknowledge_all(1000 + 100 * number)
        case "decide":
            for coup in log.verifier.disputed()[:1]:
                log.decide(coup.id, "void", 500 + number)


@settings(max_examples=30, deadline=None)
@given(
    book=st.sampled_from(BOOKS),
    acts=st.lists(st.tuples(st.sampled_from(ACTS), st.booleans()), max_size=14),
)
def test_a_restart_changes_nothing(book: str, acts: list[tuple[str, bool]]) -> None:
    logs = [IncidentLog(book), IncidentLog(book)]
    for number, (act, stop) in enumerate(acts):
        for log in logs:
            play(log, act, number)
        if stop:
            restart(logs[1])
    assert logs[0].incidents == logs[1].incidents
    assert logs[0].open_book.open() == logs[1].open_book.open()
    for one in logs[0].incidents:
        assert (one.state == "closed") == all(step.done for step in one.steps)
    open_now = {one.incident for one in logs[0].open_book.open()}
    newest = {one.incident: one.state for one in logs[0].incidents}
    assert open_now == {incident for incident, state in newest.items() if state == "open"}
    ids = [one.id for one in logs[0].incidents]
    assert len(ids) == len(set(ids))


@settings(max_examples=20, deadline=None)
@given(acts=st.lists(st.sampled_from(ACTS), max_size=12))
def test_a_closed_incident_stays_closed(acts: list[str]) -> None:
    log = IncidentLog()
    for number, act in enumerate(acts):
        play(log, act, number)
    closed: set[str] = set()
    for one in log.incidents:
        assert one.incident not in closed
        closed |= {one.incident} if one.state == "closed" else set()
    for incident in closed:
        try:
            log.open_book.find(incident)
        except NotThereError:
            continue
        raise AssertionError(incident)
