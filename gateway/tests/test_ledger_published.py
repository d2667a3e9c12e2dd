"""Which entry of a ledger was published last: the place of the next one after a restart."""

from contextlib import closing
from pathlib import Path

from ledger_entries import UNIT, at, card, shoe
from sabot_gateway.ledger import Entry, Ledger
from sabot_gateway.publish.outgoing import outgoing


def own(number: int, topic: str, table: str = "bac-01") -> Entry:
    return Entry("0123456789abcdef", number, table, topic, b'{"id":"g"}', b"", at(5))


def written(path: Path) -> Ledger:
    """1 a shoe, 2 nothing, 3 a request, 4 its command, 5 its answer, 6 a request to no table, 7 a card, 8 nothing."""
    ledger = Ledger(path)
    ledger.append([shoe(1, 1, 1, "open"), Entry(UNIT, 2, "bac-01", "", b"", bytes(8), at(2))])
    ledger.append([own(1, "attempt"), own(2, "sent"), own(3, "outcome"), own(4, "attempt", "")])
    ledger.append([card(3, 3, 1, 1), Entry(UNIT, 4, "bac-01", "", b"", bytes(8), at(4))])
    return ledger


def test_the_last_published_entry_up_to_any_other(tmp_path: Path) -> None:
    with closing(written(tmp_path / "ledger.db")) as ledger:
        assert [ledger.last_published(seq) for seq in range(10)] == [0, 1, 1, 3, 3, 5, 5, 7, 7, 7]


def test_wherever_a_gateway_goes_on_after_a_restart_every_message_has_the_same_place(tmp_path: Path) -> None:
    with closing(written(tmp_path / "ledger.db")) as ledger:
        whole = {one.first_seq: one.payload for one in outgoing(ledger.since(0, 99), "ab", 0)}
        assert list(whole) == [1, 3, 5, 7]
        for cursor in range(8):
            again = outgoing(ledger.since(cursor, 99), "ab", ledger.last_published(cursor))
            assert {one.first_seq: one.payload for one in again} == {
                seq: payload for seq, payload in whole.items() if seq > cursor
            }


def test_the_last_shoe_is_an_entry(tmp_path: Path) -> None:
    with closing(written(tmp_path / "ledger.db")) as ledger:
        found = ledger.last_shoe("bac-01", 8)
        assert found is not None
        assert found.seq == 1
        assert ledger.last_shoe("bac-02", 8) is None
