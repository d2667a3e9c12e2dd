"""Every stream of the emulated Angel Eye is read back into exactly what it sent and dealt."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from sabot_protocol.angel_eye.decoder import Decoder
from sabot_protocol.angel_eye.messages import Message
from sabot_protocol.angel_eye.repeats import RepeatFilter
from sabot_sim import stack
from sabot_sim.angel_eye.dealer import FLAT_OUT, AngelEyeDealer, Pace
from sabot_sim.angel_eye.mishaps import MISHAPS
from sabot_sim.angel_eye.settings import CYCLES, LineFaults, Settings
from sabot_sim.angel_eye.shoe import AngelEyeShoe
from sabot_sim.angel_eye.table import AngelEyeTable
from sabot_sim.scenarios import draw_tables

BAD_LINE = LineFaults(flipped=0.1, cut=0.05, lost=0.05, noise=0.1)


def table(
    seed: int, settings: Settings | None = None, *, mishaps: float = 0.0, pace: Pace | None = None
) -> AngelEyeTable:
    rng = random.Random(seed)
    shoe = AngelEyeShoe(settings or Settings(), rng)
    dealer = AngelEyeDealer(shoe, lambda: stack.shuffled(8, rng), rng, pace or Pace(), 3.0, mishaps, MISHAPS)
    return AngelEyeTable(shoe, dealer)


def received(stream: list[tuple[float, bytes]]) -> tuple[list[Message], Decoder, RepeatFilter]:
    """Return what a gateway takes of these bytes, repeats left out."""
    decoder, repeats = Decoder(), RepeatFilter()
    found = [
        message for at_s, data in stream for message in decoder.feed(data, at_s) if not repeats.is_repeat(message, at_s)
    ]
    return found, decoder, repeats


def coups_of(messages: list[Message]) -> list[tuple[list[str], list[str], str]]:
    """Return hands and result of each coup with a result, by places alone; a kept card is Player's first."""
    found: list[tuple[list[str], list[str], str]] = []
    hands: dict[str, list[str]] = {"player": [], "banker": []}
    kept: list[str] = []
    for message in messages:
        if message.t == "R":
            kept = [str(message.card)]
        elif message.t == "D" and message.target in ("player", "banker"):
            if (message.target, message.index) == ("banker", 1) and not hands["player"]:
                hands["player"], kept = kept, []
            hands[str(message.target)].append(str(message.card))
        elif message.t == "G":
            found.append((hands["player"], hands["banker"], str(message.result)))
            hands = {"player": [], "banker": []}
    return found


@pytest.mark.parametrize("cycle", CYCLES.values())
def test_a_sound_line_brings_every_message_in_three_copies_and_every_coup(cycle: str) -> None:
    played = table(1, Settings(cycle=cycle))
    messages, decoder, repeats = received(list(played.stream(100)))
    truth = played.shoe.truth
    assert [message.raw for message in messages] == [sent.frame for sent in truth.sent]
    assert {sent.good for sent in truth.sent} == {3}
    assert (repeats.count, decoder.rejected, decoder.cut_off) == (2 * len(messages), {}, 0)
    assert coups_of(messages) == [(coup.player, coup.banker, coup.result) for coup in truth.coups]
    assert truth.shoes == 2
    for coup in truth.coups:
        cards = [card for pair in zip(coup.player[:2], coup.banker[:2], strict=True) for card in pair]
        cards += coup.player[2:] + coup.banker[2:]
        assert (coup.player, coup.banker) == draw_tables.hands([*cards, "AC", "AC"])
        assert coup.result == draw_tables.winner(coup.player, coup.banker)
        assert coup.player_pair == (coup.player[0][0] == coup.player[1][0])
        assert coup.banker_pair == (coup.banker[0][0] == coup.banker[1][0])


@pytest.mark.parametrize("cycle", CYCLES.values())
def test_the_sequence_goes_round_and_a_start_does_not_advance_it(cycle: str) -> None:
    messages, _, _ = received(list(table(2, Settings(cycle=cycle)).stream(100)))
    for before, after in pairwise(messages):
        if after.t == "S":
            assert after.seq == cycle[0]
        elif before.t == "S":
            assert after.seq == before.seq
        else:
            assert after.seq == cycle[(cycle.index(str(before.seq)) + 1) % len(cycle)]


@pytest.mark.parametrize("seed", range(12))
def test_a_bad_line_with_mishaps_brings_what_has_one_good_copy(seed: int) -> None:
    settings = Settings(faults=BAD_LINE, interleaved=bool(seed % 2), gap_s=(0.02, 0.2))
    played = table(seed, settings, mishaps=0.1)
    messages, decoder, _ = received(list(played.stream(60)))
    truth = played.shoe.truth
    assert [message.raw for message in messages] == truth.received()
    assert decoder.rejected["bcc"] > 50
    assert len([sent for sent in truth.sent if sent.good == 0]) < len(truth.sent) / 50
    assert set(truth.received(2)) <= set(truth.received())


@pytest.mark.parametrize("seed", range(4))
def test_mishaps_on_a_sound_line_keep_every_coup(seed: int) -> None:
    played = table(seed, replace(Settings(flat_out=True), boot_s=1.5), mishaps=0.15, pace=FLAT_OUT)
    messages, decoder, _ = received(list(played.stream(150)))
    truth = played.shoe.truth
    assert not decoder.rejected
    assert coups_of(messages) == [(coup.player, coup.banker, coup.result) for coup in truth.coups]


def test_every_mishap_happens_and_some_messages_are_lost_on_a_bad_line() -> None:
    played = table(1, Settings(faults=BAD_LINE, flat_out=True), mishaps=0.2, pace=FLAT_OUT)
    messages, _, _ = received(list(played.stream(500)))
    truth = played.shoe.truth
    mishaps = [note.partition(": ") for note in played.dealer.notes if note.startswith("mishap ")]
    assert len({say for _, _, say in mishaps}) == len(MISHAPS)
    assert {where.split()[1] for where, _, _ in mishaps} == {"in", "before"}
    assert {message.t for message in messages} == set("SPDdRGCEeLM")
    assert {message.code for message in messages if message.t == "E"} == set(range(1, 8))
    flags = {"error_inside", "restart_inside", "carried_first_card", "cutting_card_inside", "result_mismatch"}
    assert {flag for coup in truth.coups for flag in coup.flags} == flags
    assert len(truth.received(3)) < len(truth.received(2)) < len(truth.received()) < len(truth.sent)


@pytest.mark.parametrize("place", [20, 23, 26, 31])
def test_one_coup_begins_after_the_cutting_card(place: int) -> None:
    rng = random.Random(place)
    shoe = AngelEyeShoe(Settings(), rng)

    def deck() -> list[str]:
        cards = [card for card in stack.shuffled(8, rng) if card != stack.CUT]
        return [*cards[:place], stack.CUT, *cards[place:]]

    messages, _, _ = received(list(AngelEyeTable(shoe, AngelEyeDealer(shoe, deck, rng)).stream(12)))
    kinds = "".join("1" if (message.target, message.index) == ("player", 1) else message.t for message in messages)
    _, *others = kinds.split("C")
    assert others
    for shoe_after in others:
        before_start = shoe_after.partition("S")[0]
        assert before_start.count("1") == 1 or "S" not in shoe_after


def test_what_is_out_was_sent_before_a_restart_however_seldom_the_table_is_stepped() -> None:
    played = table(5, mishaps=0.3)
    played.dealer.mishaps = {"restart": MISHAPS["restart"]}
    played.dealer.begin(0.0)
    for tick in range(400):
        played.step(tick * 3.0)
    played.shoe.output(5000.0)
    truth = played.shoe.truth
    assert len([coup for coup in truth.coups if "restart_inside" in coup.flags]) > 5
    assert {sent.good for sent in truth.sent} == {3}


@pytest.mark.parametrize(("first", "ending", "keeps"), [("8S", False, True), ("JC", False, False), ("8S", True, False)])
def test_a_supervisor_keeps_a_card_only_if_the_line_can_show_it(first: str, ending: bool, keeps: bool) -> None:
    """Twenty supervisors, half of whom keep a card when they can."""
    kept = 0
    for seed in range(20):
        shoe = AngelEyeShoe(Settings(burn="none"), random.Random(seed))
        cards = [first, "6C", "AH" if first == "8S" else "8H", "2D", "JC"]
        dealer = AngelEyeDealer(shoe, lambda: list(cards), random.Random(seed), patience_s=1.0)  # noqa: B023
        dealer.begin(0.0)
        for at_s in (10.0, 11.0, 12.0, 13.0):
            dealer.act(at_s)
        dealer.ending = ending
        dealer.draw(14.0)
        assert shoe.overdrawn is not None
        dealer.act(15.0)
        dealer.act(17.0)
        assert shoe.error is None
        kept += shoe.kept == "JC"
    assert (kept > 0) == keeps


def test_the_same_seed_gives_the_same_bytes_at_the_same_times() -> None:
    settings = Settings(faults=BAD_LINE, interleaved=True)
    first, second = (list(table(7, settings, mishaps=0.1).stream(20)) for _ in range(2))
    assert first == second
    assert first != list(table(8, settings, mishaps=0.1).stream(20))


def test_a_line_at_4800_baud_takes_its_time() -> None:
    played = table(1)
    at = [at_s for at_s, _ in played.stream(5)]
    assert all(before < after for before, after in pairwise(at))
    # S begins at 1.2 s: six characters of ten bits; the second copy 50 ms later.
    assert at[:2] == [pytest.approx(1.2 + 60 / 4800), pytest.approx(1.25 + 120 / 4800)]
