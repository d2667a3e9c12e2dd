"""Tracker of an Angel Eye shoe under any messages in any order: bounded, consistent, and no card from nowhere."""

from angel_eye_coups import Book
from hypothesis import given, settings
from hypothesis import strategies as st
from sabot_gateway.angel_eye import coup as flags
from sabot_gateway.angel_eye.coup import DISPUTES, TrackedCoup
from sabot_gateway.angel_eye.steps import (
    CardKept,
    CardPlaced,
    CardSame,
    CoupClosed,
    CoupOpened,
    LateCopy,
    ShoeClosed,
    ShoeOpened,
    Step,
)
from sabot_gateway.angel_eye.tracker import Tracker
from sabot_protocol.angel_eye import build
from sabot_protocol.angel_eye.messages import Message, fact, report, stored

FLAGS = DISPUTES | {
    flags.FIRST_CARD_MISSING,
    flags.CARRIED_FIRST_CARD,
    flags.CUTTING_CARD_INSIDE,
    flags.RESTART_INSIDE,
    flags.ERROR_INSIDE,
    flags.LINK_LOST_INSIDE,
}
EXAMPLES = settings(max_examples=100, derandomize=True, deadline=None)
# Few cards and sequences, so that equal cards, equal frames and naturals are frequent.
SEQ = st.sampled_from("12")
CARD = st.sampled_from(["8S", "AH", "TC", "3D", "6S"])
HAND = st.sampled_from(["player", "banker"])
PLACES = st.tuples(HAND, st.integers(1, 3))
BURNS = st.sampled_from(["burn", "burn_first", 3])
ANY_CARD = CARD | st.none()
BYTES = st.one_of(
    st.builds(lambda seq, place, card: build.card(seq, place[0], place[1], card), SEQ, PLACES, CARD),
    st.builds(lambda seq, place, card: build.card(seq, place[0], place[1], card, "R"), SEQ, PLACES, CARD),
    st.builds(lambda seq, card, letter: build.card(seq, "player", 1, card, letter), SEQ, CARD, st.sampled_from("DR")),
    st.builds(build.card, SEQ, BURNS, st.integers(0, 10), ANY_CARD, st.sampled_from("DDR")),
    st.builds(lambda seq, count: build.card(seq, "burn_count", count, None), SEQ, st.integers(1, 10)),
    st.builds(build.card_outside, SEQ, st.integers(0, 7), st.integers(0, 15), ANY_CARD),
    st.builds(
        lambda seq, code, pairs: build.result(seq, code, player_pair=pairs[0], banker_pair=pairs[1]),
        SEQ,
        st.integers(0, 7),
        st.tuples(st.booleans(), st.booleans()),
    ),
    st.builds(build.frame, SEQ, st.sampled_from("SSCCPZ")),
    st.builds(
        lambda seq, code, mode: build.error(seq, code, in_error_mode=mode), SEQ, st.integers(0, 9), st.booleans()
    ),
    st.builds(build.error_cancelled, SEQ, st.integers(0, 9)),
    st.builds(lambda seq, locked: build.lock(seq, locked=locked), SEQ, st.booleans()),
    st.sampled_from([build.ack(), build.nak(2), build.preset("1", "01", "0010"), build.stx_frame("A", with_stx=True)]),
)
COMMANDS = st.sampled_from(["lock", "unlock", "clear_error", "void_coup"])
FACTS = st.one_of(
    st.just(fact("connect")),
    st.builds(lambda name: fact("command", id=1, command=name, data={}, outcome="ack"), COMMANDS),
    st.just(fact("command", id=2, command="open_shoe", data={}, outcome="done")),
    st.just(fact("zz", command=[])),
)
MESSAGES = st.lists(BYTES.map(stored) | BYTES.map(stored) | BYTES.map(stored) | FACTS, max_size=60)
FROM_SHOE = st.lists(BYTES.map(stored) | st.just(fact("connect")), max_size=60)


def all_steps(tracker: Tracker, messages: list[Message]) -> list[Step]:
    return [step for message in messages for step in tracker.take(message)]


def places(coup: TrackedCoup) -> set[tuple[str, int, str]]:
    hands = (("player", coup.player), ("banker", coup.banker))
    return {(side, index, card) for side, hand in hands for index, card in enumerate(hand, 1) if card}


def closed(found: list[Step]) -> list[TrackedCoup]:
    return [step.coup for step in found if isinstance(step, CoupClosed)]


def check_coup(coup: TrackedCoup, carried: set[tuple[str, str | None, int | None, str | None]]) -> None:
    """Check what holds for each coup; `carried` are the cards that messages have carried."""
    assert set(coup.flags) <= FLAGS
    assert len(set(coup.flags)) == len(coup.flags)
    first_is_carried = flags.CARRIED_FIRST_CARD in coup.flags
    for side, index, card in places(coup):
        letter = "R" if first_is_carried and (side, index) == ("player", 1) else "D"
        assert (letter, side, index, card) in carried
    if flags.FIRST_CARD_MISSING in coup.flags:
        assert not coup.player or coup.player[0] is None
    if coup.status == "complete":
        assert None not in coup.player + coup.banker
        assert DISPUTES.isdisjoint(coup.flags)
        assert coup.result in ("player", "banker", "tie")
    if coup.status == "disputed":
        assert not DISPUTES.isdisjoint(coup.flags)
    assert (coup.result is None) == (coup.status in ("incomplete", "open"))
    assert (coup.result == "forced_end") == (coup.status == "forced_end")


@EXAMPLES
@given(MESSAGES)
def test_coups_hold_only_cards_that_came_for_their_places(messages: list[Message]) -> None:
    tracker, carried = Tracker(), set()
    for message in messages:
        if message.t in "DR":
            carried.add((message.t, message.target, message.index, message.card))
        found = tracker.take(message)
        still_open = tracker.open_coup()
        for coup in closed(found) + ([still_open] if still_open else []):
            check_coup(coup, carried)  # type: ignore[arg-type]


@EXAMPLES
@given(MESSAGES)
def test_every_coup_is_opened_and_closed_once_in_the_shoe_of_its_time(messages: list[Message]) -> None:
    tracker = Tracker(shoe=5, coups=100, shoe_coups=3)
    now, shoe, n, number = None, 5, 100, 3
    for step in all_steps(tracker, messages):
        match step:
            case CoupOpened():
                assert now is None
                n, number = n + 1, number + 1
                assert step[:3] == (n, number, shoe)
                now = step
            case CoupClosed(coup):
                assert now is not None
                assert (coup.n, coup.number, coup.shoe) == now[:3]
                now = None
            case CardPlaced():
                assert now is not None
                assert step.n == n
            case ShoeClosed():
                assert now is None
                assert step == (shoe, number)
            case ShoeOpened():
                shoe, number = shoe + 1, 0
                assert step.shoe == shoe
    assert (tracker.shoe, tracker.coups, tracker.shoe_coups) == (shoe, n, number)
    assert (tracker.coup is None) == (now is None)


@EXAMPLES
@given(MESSAGES)
def test_two_trackers_agree_when_one_reads_the_ledger(messages: list[Message]) -> None:
    live, again = Tracker(), Tracker()
    stored_messages = [stored(message.raw) for message in messages]
    assert all_steps(live, messages) == all_steps(again, stored_messages)
    assert (live.final(), live.open_coup(), live.kept) == (again.final(), again.open_coup(), again.kept)


@EXAMPLES
@given(MESSAGES)
def test_a_late_copy_of_each_message_changes_nothing(messages: list[Message]) -> None:
    once, twice = Tracker(), Tracker()
    for message in messages:
        expected = once.take(message)
        assert twice.take(message) == expected
        if message.t not in ("S", "SYN") and message.seq:
            assert twice.take(message) == [LateCopy(message.t)]
    assert (once.final(), once.open_coup(), once.kept) == (twice.final(), twice.open_coup(), twice.kept)


@EXAMPLES
@given(st.lists(BYTES.map(stored), max_size=30), st.sampled_from("DR"), PLACES, CARD)
def test_a_card_sent_again_with_another_sequence_changes_nothing(
    messages: list[Message], letter: str, place: tuple[str, int], card: str
) -> None:
    tracker = Tracker()
    all_steps(tracker, messages)
    first = tracker.take(stored(build.card("8", *place, card, letter)))
    if not any(isinstance(step, CardPlaced | CardKept | CardSame) for step in first):
        return
    before = tracker.open_coup(), tracker.kept, tracker.final()
    if place == ("player", 1) and letter == "D" and tracker.coup and len(tracker.coup.cards) > 1:
        return  # it opens the next coup
    found = tracker.take(stored(build.card("9", *place, card, letter)))
    assert [type(step) for step in found] in ([CardSame], [LateCopy])
    assert (tracker.open_coup(), tracker.kept, tracker.final()) == before


@EXAMPLES
@given(FROM_SHOE)
def test_the_reference_has_the_same_coups(messages: list[Message]) -> None:
    tracker, book = Tracker(), Book()
    coups = []
    for message in messages:
        coups += closed(tracker.take(message))
        if message.t == "SYN":
            book.connect()
        else:
            book.take(report(message))
    still_open = tracker.open_coup()
    found = coups + ([still_open] if still_open else [])
    assert [coup.report() for coup in found] == book.report()
    assert tracker.final() == book.final()


@EXAMPLES
@given(st.lists(BYTES.map(stored), max_size=20))
def test_a_restart_or_a_connect_leaves_nothing_known_of_lock_and_error(messages: list[Message]) -> None:
    for last in (stored(build.frame("1", "S")), fact("connect")):
        tracker = Tracker()
        all_steps(tracker, [*messages, last])
        assert (tracker.condition.locked, tracker.condition.error, tracker.condition.error_known) == (None, None, False)


def test_memory_does_not_grow() -> None:
    tracker = Tracker()
    frames = [build.card("1", "player", 1, "8S"), build.card("2", "player", 1, "9S"), build.frame("3", "C")]
    for message in [stored(raw) for raw in frames] * 1000:
        tracker.take(message)
    assert tracker.coups == 2000
    assert tracker.coup is not None
    assert (len(tracker.coup.cards), len(tracker.coup.flags)) == (1, 1)
