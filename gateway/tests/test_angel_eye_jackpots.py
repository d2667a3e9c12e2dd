"""Jackpots at a table with an Angel Eye: its confirmed coups contribute as those of our own shoe do."""

from pathlib import Path

from angel_eye_log import NINE, TIME, UNIT
from angel_eye_session import messages_of, new_session, numbered, take
from jackpot_edge import Edge, lucky_tie
from sabot_gateway.angel_eye.events import connect
from sabot_gateway.jackpots.derivation import _HANDED_OVER, _KIND_AT
from sabot_gateway.ledger import Entry

ANGEL_EYE = "bac-01"


def test_each_confirmed_coup_contributes_once_and_a_disputed_or_void_one_does_not(tmp_path: Path) -> None:
    edge = Edge(tmp_path / "ledger.db", lucky_tie())
    words = f"+ S {NINE} G=player {NINE} G=banker B1=2H P2=TD B2=3C G=player P1=9S + {NINE} G=player"
    edge.jackpots.append(take(new_session("crown-baccarat"), numbered(messages_of(words))))
    found = edge.increments(table=ANGEL_EYE)
    assert [(one.coup, one.unit, one.kind) for one in found] == [(1, UNIT, "live"), (5, UNIT, "live")]
    assert len({one.id for one in found}) == 2
    edge.ledger.close()


def test_a_frame_of_an_angel_eye_is_not_read_as_one_of_ours(tmp_path: Path) -> None:
    edge = Edge(tmp_path / "ledger.db", lucky_tie())
    frame = connect().raw[:_KIND_AT].ljust(_KIND_AT, b" ") + _HANDED_OVER
    edge.jackpots.append([Entry(UNIT, 1, ANGEL_EYE, "", b"", frame, TIME, "")])
    edge.commit()
    assert edge.one.session.verifier.active() == []
    edge.ledger.close()
