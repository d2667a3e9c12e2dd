"""Hashes of entries in the projection: as messages name them, and as a ledger has them, in both kinds of store."""

import json

import pytest
from projection_ledger import COUP, GATEWAY, message
from sabot_floor.inbox import Arrived
from sabot_floor.projection import dump
from sabot_floor.projection.feed import Feed
from sabot_floor.projection.reading import Reading
from sabot_floor.projection.rebuild import LedgerEntry, LedgerSpan, rebuild
from sabot_floor.reports.source import Source
from sabot_floor.store import Store
from sabot_floor.store.rows import EntryHash

TRUE, FORGED = "0a" * 32, "ff" * 32
DEALT = message(5, 3, **COUP)
ALARM = message(
    6, 3, name="n", say="s", clause="", shoe_says="", cards_say="", alarm="a", severity="critical", state="raised"
)


def sent(digest: str, entry: int = 6, topic: str = "coup", body: object = DEALT) -> Arrived:
    """A message of this entry, written as a gateway writes it; one of an older release names no hash."""
    named = f'"hash":"{digest}",' if digest else ""
    text = f'{{"gateway":"{GATEWAY}","entry":{entry},"after":{entry - 1},{named}{json.dumps(body)[1:]}'
    return Arrived(f"sabot/v1/sydney/bac-01/{topic}", text.encode())


def hashes(store: Store) -> list[bytes]:
    return [line for line in dump.lines(store) if b'"in":"entry_hashes"' in line]


def test_the_hash_of_an_entry_is_kept_and_dumped(store: Store) -> None:
    confirmed = DEALT | {"id": "f", "status": "confirmed", "coup_id": "c"}
    Feed(store, "sydney").take([sent(TRUE), sent("0b" * 32, 7, "confirmed", confirmed)])
    line = '{"in":"entry_hashes","gateway":"0123456789abcdef","entry":%d,"hash":"%s"}'
    assert hashes(store) == [(line % one).encode() for one in ((6, "0a" * 32), (7, "0b" * 32))]
    assert Reading(store).hashes(GATEWAY, range(9000)) == [
        EntryHash(GATEWAY, 6, TRUE),
        EntryHash(GATEWAY, 7, "0b" * 32),
    ]
    assert Reading(store).hashes("other", [6]) == Reading(store).hashes(GATEWAY, []) == []
    assert Source(store).tables_of(GATEWAY) == {"bac-01"}  # a hash has neither table nor time
    assert Source(store).time_beside(GATEWAY, 7, before=True) == "2026-05-01T10:03:00.000Z"


@pytest.mark.parametrize(
    "without",
    [
        sent(""),
        sent("0A" * 32),  # not as a gateway writes it
        sent("0a" * 31),
        sent(TRUE, topic="alarm", body=ALARM),  # no gateway names the hash of any other entry
        sent(TRUE, body={"not": "a coup"}),
    ],
)
def test_any_other_message_gives_no_hash(store: Store, without: Arrived) -> None:
    Feed(store, "sydney").take([without])
    assert hashes(store) == []


def test_the_first_hash_of_an_entry_stays_until_a_rebuild(store: Store) -> None:
    feed = Feed(store, "sydney")
    for digest in ("", FORGED, TRUE):
        feed.take([sent(digest)])
    assert Reading(store).hashes(GATEWAY, [6]) == [EntryHash(GATEWAY, 6, FORGED)]
    entry = LedgerEntry(6, "bac-01", "coup", json.dumps(DEALT).encode(), TRUE)
    assert rebuild(store, LedgerSpan(GATEWAY, 0, 6), [entry]).rows == 1
    assert Reading(store).hashes(GATEWAY, [6]) == [EntryHash(GATEWAY, 6, TRUE)]
