"""The bench of screens: a table's messages by the printed rules, readers that split a stream, delays by coup."""

import socket

import pytest
from sabot_protocol.table_states import HandMessage, HistoryMessage
from sabot_tools.bench.figures import screens
from sabot_tools.bench.figures.screens import Load
from sabot_tools.bench.screen_readers import Reader, Seen, newest_coup
from sabot_tools.bench.table_story import COUPS_OF_A_SHOE, TableStory


def histories(story: TableStory, coups: int) -> list[HistoryMessage]:
    found = [one.message for _ in range(coups) for one in story.coup()]
    return [message for message in found if isinstance(message, HistoryMessage)]


def test_a_coup_goes_from_bets_over_no_more_bets_to_its_result() -> None:
    found = histories(TableStory("bac-01"), 1)
    assert [(one.phase, one.results.count(" ") + bool(one.results)) for one in found] == [
        ("bets", 0),
        ("no_more_bets", 0),
        ("bets", 1),
    ]
    assert found[-1].coups == [1]


def test_cards_come_one_by_one_and_the_result_is_that_of_the_cards() -> None:
    story = TableStory("bac-01")
    for _ in range(50):
        hands = [one.message for one in story.coup() if isinstance(one.message, HandMessage)]
        dealt = [one for one in hands if one.phase == "dealing"]
        assert [len(one.cards) for one in dealt] == list(range(1, len(dealt) + 1))
        assert hands[-1].result is not None
        assert story.last is not None
        points = (story.last.player_points, story.last.banker_points)
        winner = "tie" if points[0] == points[1] else "player" if points[0] > points[1] else "banker"
        assert hands[-1].result.winner == story.last.winner == winner


def test_a_new_shoe_begins_after_the_last_coup_and_coups_are_counted_on() -> None:
    found = histories(TableStory("bac-01"), COUPS_OF_A_SHOE + 1)
    assert max(len(one.coups) for one in found) == COUPS_OF_A_SHOE
    assert (found[-1].shoe, found[-1].coups) == (2, [COUPS_OF_A_SHOE + 1])


def test_the_same_seed_gives_the_same_table() -> None:
    first, again = TableStory("bac-01", 3), TableStory("bac-01", 3)
    assert histories(first, 20) == histories(again, 20)


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_a_reader_takes_events_however_they_are_cut(size: int) -> None:
    sent = b'HTTP/1.1 200 OK\r\n\r\n2a\r\nevent: state\ndata: {"coup":7,"last":{"coup":6}}\n\n\r\n'
    sent += b'1b\r\nevent: beat\ndata: {"coup":99}\n\n\r\n2a\r\nevent: state\ndata: {"coup":8}\n\n'
    here, there = socket.socketpair()
    with here, there:
        here.setblocking(False)
        reader = Reader("display/bac-01", here)
        found: list[Seen] = []
        for at in range(0, len(sent), size):
            there.sendall(sent[at : at + size])
            found += reader.read()
        assert [(one.channel, one.coup) for one in found] == [("display/bac-01", 7), ("display/bac-01", 8)]
        there.close()
        reader.read()
        assert reader.ended


def test_the_newest_coup_of_an_event() -> None:
    assert newest_coup(b'data: {"coup":12,"coups":[99],"last":{"coup":11}}') == 12
    assert newest_coup(b"data: {}") == 0


def test_a_delay_is_from_the_acknowledgement_of_that_coup() -> None:
    load = Load.__new__(Load)
    load.acknowledged = {("bac-01", 5): 10.0, ("bac-02", 5): 11.0}
    seen = [Seen("display/bac-01", 5, 10.25), Seen("display/bac-02", 5, 10.9), Seen("display/bac-01", 4, 9.0)]
    assert load.delays_ms(seen) == [250.0, 0.0]


def test_a_delay_over_the_goal_is_not_ok() -> None:
    assert screens._delay("x", [1.0] * 200, "").ok
    assert not screens._delay("x", [1.0] * 190 + [200.0] * 10, "").ok
