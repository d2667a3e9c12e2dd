"""How much each port may bring: a table that is ahead waits, the others do not notice."""

from sabot_gateway.shoe.pace import Pace

FULL, SLOW = 4096, 256


def test_a_table_within_its_share_is_read_at_full_speed() -> None:
    pace = Pace(tables=5)
    pace.stored(50, ["a"] * 50)
    assert pace.most_bytes("a") == FULL
    assert not pace.rest("a", 0.0)


def test_a_table_beyond_its_share_is_read_slowly_and_the_others_are_not() -> None:
    pace = Pace(tables=5)
    pace.stored(52, ["a"] * 51 + ["b"])
    assert (pace.most_bytes("a"), pace.most_bytes("b")) == (SLOW, FULL)
    assert pace.rest("a", 10.0)
    assert not pace.rest("b", 10.0)
    assert pace.rested(10.04) == []
    assert pace.rested(10.05) == ["a"]
    assert pace.rested(10.05) == []


def test_it_is_read_again_at_once_when_the_broker_has_caught_up() -> None:
    pace = Pace(tables=5)
    pace.stored(51, ["a"] * 51)
    pace.stored(61, ["a"] * 10)
    assert pace.rest("a", 10.0)
    pace.published(50, connected=True)
    assert pace.rested(10.0) == []
    pace.published(51, connected=True)
    assert pace.rested(10.0) == ["a"]
    assert pace.most_bytes("a") == FULL


def test_without_a_broker_nobody_is_slowed() -> None:
    pace = Pace()
    pace.stored(10_000, ["a"] * 10_000)
    pace.published(0, connected=False)
    assert pace.most_bytes("a") == FULL


def test_the_share_of_many_tables_has_a_floor() -> None:
    pace = Pace(tables=1000)
    pace.stored(20, ["a"] * 20)
    assert not pace.ahead("a")
    pace.stored(21, ["a"])
    assert pace.ahead("a")


def test_a_broker_that_never_answers_is_not_counted_for_ever() -> None:
    pace = Pace()
    for seq in range(50_000):
        pace.stored(seq, ["a"])
    assert len(pace._commits) == 10_000
    assert pace._under_way["a"] == 10_000
