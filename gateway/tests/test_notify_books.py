"""Who is notified by which rulebook, and by when: rows P-74 to P-92 of the requirements about people."""

from pathlib import Path

import pytest
from notify_parts import BEGIN_S, Worker, incident
from sabot_floor.notify.channels import Syslog
from sabot_floor.store import open_store
from sabot_protocol import incidents
from sabot_protocol.incidents import Facts, Opener
from sabot_service.moment import utc

PARTIES = ("surveillance", "inspector", "nicc")
FOREIGN, SHOE_VOID = Opener(alarm="missing_or_foreign_card"), Opener(act="void_shoe")
PAYMENT, COMPROMISED = Opener(verb="payment"), Opener(report="promotion_compromised")
# 12:00Z on 17 November 2026 is 23:00 in Sydney; a gaming day and a month end at 06:00 there, 19:00Z.
DAY, MONTH, IN_48_HOURS = "2026-11-17T19:00:00.000Z", "2026-11-30T19:00:00.000Z", "2026-11-19T12:00:00.000Z"


@pytest.mark.parametrize(
    ("row", "book", "opener", "facts", "expected"),
    [
        ("P-74", "star-baccarat", SHOE_VOID, {}, {"inspector": DAY}),
        ("P-74", "star-premium", SHOE_VOID, {}, {"inspector": DAY}),
        ("P-75", "star-baccarat", FOREIGN, {}, {"surveillance": DAY, "inspector": DAY}),
        ("P-75", "star-premium", FOREIGN, {}, {"surveillance": DAY, "inspector": DAY}),
        ("P-75", "star-rapid", FOREIGN, {}, {}),
        ("P-76", "star-baccarat", Opener(act="deal_unwagered"), {"marker": False}, {"surveillance": ""}),
        ("P-76", "star-baccarat", Opener(act="deal_unwagered"), {"marker": True}, {}),
        ("P-78", "star-premium", Opener(act="decide_misdelivery"), {}, {"inspector": MONTH}),
        ("P-79", "star-baccarat", PAYMENT, {"amount_cents": 100_001}, {"nicc": MONTH}),
        ("P-79", "star-baccarat", PAYMENT, {"amount_cents": 100_000}, {}),
        ("P-79", "star-premium", PAYMENT, {"amount_cents": 100_001}, {"nicc": MONTH}),
        ("P-90", "star-rapid", Opener(act="withhold_winnings"), {}, {"inspector": ""}),
        ("P-92", "star-baccarat", COMPROMISED, {}, {"inspector": IN_48_HOURS}),
        ("P-92", "star-premium", COMPROMISED, {}, {"inspector": IN_48_HOURS}),
        ("P-92", "star-rapid", COMPROMISED, {}, {"inspector": ""}),
    ],
)
def test_a_rulebook_notifies_whom_it_names(
    tmp_path: Path, row: str, book: str, opener: Opener, facts: Facts, expected: dict[str, str]
) -> None:
    kind = incidents.kind_of(book, opener)
    assert kind, row
    steps = incidents.steps(book, kind, opener, facts, utc(BEGIN_S))
    with open_store(str(tmp_path / "floor.db")) as store:
        channels = (Syslog(name=party, to=(party,)) for party in PARTIES)
        worker = Worker(store, *channels, zone="Australia/Sydney")
        sent = worker.take(incident(*steps, kind=kind))
    assert {one.channel: one.until for one in sent} == expected
    assert all(one.clause and one.occasion == "opened" for one in sent)
