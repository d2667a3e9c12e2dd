"""Angel Eye tables at 4800 baud without a pause, gateway and broker killed: what two of three copies brought is stored.

`make angel-kills` plays 200 tables; hil_tests/angel_kills/README.md has the results.
"""

from contextlib import ExitStack
from pathlib import Path

from angel_kills.run import Round, Run, rounds
from angel_kills.truth import Connection, misses_a_change, whole
from sabot_tools.bench.angel_lines import Line, Sent, line
from sabot_tools.bench.angel_load import AngelPlan
from support.oracle import coup

KILLS = [Round(2.5, ("gateway",), 0.1), Round(3.0, ("broker", "gateway"), 0.2)]


def test_nothing_is_lost_that_two_of_three_copies_brought(tmp_path: Path) -> None:
    with ExitStack() as stack:
        outcome = Run(stack, tmp_path, AngelPlan(8, 11.0, spoilt=0.5), say=print).play(KILLS)
    print(outcome)
    assert outcome.findings == []
    assert outcome.kills == {"gateway": 2, "broker": 1}
    assert outcome.counts.messages > 8 * 100
    assert outcome.counts.verified > 8 * 10
    assert outcome.counts.cut >= 8


def test_a_line_is_dealt_by_the_printed_tables() -> None:
    made = line(3, 60.0, 0.5, 0.1)
    for dealt in made.coups:
        stock = [
            card for place in range(3) for hand in (dealt.player, dealt.banker) for card in hand[place : place + 1]
        ]
        played = coup(stock)
        assert stock == []
        assert all(played[key] == getattr(dealt, key) for key in ("player", "banker", "winner", "banker_pair"))
    assert len(made.coups) > 150
    assert {dealt.shoe for dealt in made.coups} == {1, 2, 3}


def test_at_least_two_copies_of_each_message_are_good_and_the_order_is_the_shoes() -> None:
    made = line(3, 60.0, 0.5, 0.1)
    assert {len(message.good) for message in made.messages} == {2, 3}
    assert all(made.data[start:end] == message.frame for message in made.messages for start, end in message.good)
    ends = [message.good[0][1] for message in made.messages]
    assert ends == sorted(ends)
    assert sum(later < message.good[-1][1] for message, later in zip(made.messages, ends[1:], strict=False)) > 50


THREE = Line(b"", [Sent(b"a", [(0, 8), (8, 16), (16, 24)]), Sent(b"b", [(24, 32), (40, 48)])], [], [0, 24])


def test_a_client_gets_what_begins_after_it_came_and_must_keep_what_came_twice_in_good_time() -> None:
    client = Connection(offset=9, safe=40, most=48)
    assert client.order(THREE) == [0, 1]
    assert not client.brought(THREE, 0)  # one copy only
    assert not client.brought(THREE, 1)  # the second came too late
    assert Connection(8, 48, 48).brought(THREE, 0)
    assert Connection(8, 48, 48).brought(THREE, 1)
    assert Connection(17, 48, 48).order(THREE) == [1]
    assert Connection(0, 0, 31).order(THREE) == [0]


def test_a_coup_is_whole_only_with_every_message_in_order() -> None:
    made = line(0, 20.0, 0.0)
    first, second = made.coups[:2]
    numbers = list(range(first.first, second.last + 1))
    assert whole(made, numbers) == [first, second]
    assert whole(made, numbers[1:]) == [second]
    assert whole(made, numbers[:-1]) == [first]
    assert whole(made, [number for number in numbers if number != first.first + 2]) == [second]
    assert whole(made, [first.first, first.first - 1, *numbers[1:]]) == [first, second]  # stand-by, mixed with its card
    assert whole(made, [numbers[1], numbers[0], *numbers[2:]]) == [second]


def test_a_change_of_cards_is_known_by_its_first_burn_card_or_by_a_start_after_the_cutting_card() -> None:
    made = line(0, 40.0, 0.0)
    numbers = set(range(len(made.messages)))
    letters = [message.frame[2:3] for message in made.messages]
    start, cut = letters.index(b"S", 1), letters.index(b"C")
    assert not misses_a_change(made, numbers)
    assert not misses_a_change(made, numbers - {start, cut})
    assert not misses_a_change(made, numbers - {start + 2})
    assert misses_a_change(made, numbers - {start + 2, start})
    assert misses_a_change(made, numbers - {start + 2, cut})
    assert not misses_a_change(made, set(range(cut)))


def test_a_plan_kills_both_alone_and_together_and_is_the_same_for_a_seed() -> None:
    assert rounds(1, 12, 120.0) == rounds(1, 12, 120.0) != rounds(2, 12, 120.0)
    assert {one.victims for one in rounds(1, 6, 60.0)} == {("gateway",), ("broker",), ("broker", "gateway")}
    assert sum(one.peace_s + one.away_s for one in rounds(3, 12, 120.0)) < 120.0
