"""The history of a jackpot as text: increments that count, and those that do not."""

import msgspec
from jackpot_desk import Desk, time_of
from sabot_floor.jackpots.engine import Applied, logged
from sabot_floor.jackpots.engine import entries as entry
from sabot_floor.store import Stored
from sabot_protocol.jackpots.messages import IncrementMessage
from sabot_tools.text import jackpot_history


def _line(desk: Desk, message: IncrementMessage) -> str:
    """Return the line of an increment, without its time."""
    result = desk.send(message)
    assert isinstance(result, Applied)
    payload = msgspec.json.encode(logged(desk.state, result))
    stored = Stored("jackpot/lucky-tie", 1, "i", "increment", payload, time_of(1), bytes(32))
    return jackpot_history.line(stored, "AUD").split("increment ")[1].strip()


def test_an_increment_of_a_withdrawn_table_did_not_count() -> None:
    desk = Desk()
    assert _line(desk, desk.increment()) == "bac-01 1/1 contributed AUD 0.25; display AUD 1,000.25"
    desk.withdraw()
    missed = desk.increment()
    assert _line(desk, missed) == (
        "bac-01 1/2 AUD 0.25 not counted: table withdrawn: display dark; display AUD 1,000.25"
    )
    back = desk.increment(amount=-25, reverses=missed.id)
    assert _line(desk, back) == (
        "bac-01 1/2 AUD -0.25 not counted: it takes back what was not counted; display AUD 1,000.25"
    )
    desk.restore()
    assert _line(desk, desk.increment()) == "bac-01 1/3 contributed AUD 0.25; display AUD 1,000.50"


def test_an_increment_of_a_coup_that_was_made_good_did_not_count() -> None:
    desk = Desk()
    desk.coup()
    desk.coup(coup=3)
    desk.done(entry.Proposed(time=time_of(9), table="bac-01", unit="bac-01-u", shoe=1, coup=2))
    assert isinstance(desk.made_good("bac-01/bac-01-u/1/2"), Applied)
    line = _line(desk, desk.increment(coup=2))
    assert line == "bac-01 1/2 AUD 0.25 not counted: made good before; display AUD 1,000.75"
