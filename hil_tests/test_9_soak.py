"""Whole shoes with a careless dealer on the MicroPython VM with the board's heap: it never stops, grows or miscounts.

SABOT_SHOES=1000 .venv/bin/pytest hil_tests/test_9_soak.py plays more. A table that fails is Table(book, part).play(n).
"""

import os
import random
from collections import Counter
from typing import Any

import pytest
from sabot_gateway import rules
from sabot_protocol import fields, messages, rulebooks
from sabot_protocol.cards import DECK
from sabot_sim.dealing.careless_dealer import (
    CHECKING,
    CLOSED,
    POWER_CYCLE,
    WAY_OUT_STEPS,
    CarelessDealer,
    profile_bytes,
    random_profile,
)
from sabot_sim.dealing.random_commands import Step
from sabot_sim.rigs.play import StepAnswer, VmPlay

SHOES = int(os.environ.get("SABOT_SHOES", "10"))
BOOKS = sorted(rulebooks.ids())
PARTS = max(1, SHOES // 250)  # tables a book
SHOES_A_TABLE = -(-SHOES // (len(BOOKS) * PARTS))
MOST_STEPS = 3000  # of a shoe
HEAP_BYTES = 96 * 1024 * 2  # 96 KiB of a 32-bit board; words are twice as long here
MOST_GROWTH_BYTES = 1024
SLOTS = list(fields.Slot.encmapping)
NO_COUP = ("burn", "unused")


class Witness:
    """Follows the log alone, by the gateway's own rules: shoes, coups and their cards."""

    def __init__(self, continuous: bool) -> None:
        self._continuous = continuous
        self.seen: Counter[str] = Counter()
        self.shoe_no = 0
        self.open = False
        self._start()

    def _start(self) -> None:
        self.out: Counter[str] = Counter()
        self._hands: dict[int, dict[str, str]] = {}
        self._surplus: list[tuple[int, str]] = []  # the coup that each card too many begins, 0 where it is not used
        self._reported = False  # by people: the next irregularity

    def see(self, number: int, body: str) -> tuple[str, Any]:
        """One event."""
        kind = messages.EventKind.decmapping[number]
        data = messages.EVENTS[kind].parse(bytes.fromhex(body))
        self.seen[kind] += 1
        handler = getattr(self, f"_{kind}", None)
        if handler:
            handler(data)
        return kind, data

    def _shoe_opened(self, data: Any) -> None:
        assert not self.open
        assert data.shoe_no == self.shoe_no + 1
        self._start()
        self.shoe_no, self.open = data.shoe_no, True

    def _shoe_closed(self, data: Any) -> None:
        assert self.open
        assert data.shoe_no == self.shoe_no
        self.open = False

    def _card(self, data: Any) -> None:
        self.out[data.card] += 1
        if data.flags.surplus:
            self._surplus.append((0 if data.slot in NO_COUP else data.coup_no, data.card))
        if data.slot in NO_COUP:
            return
        hand = self._hands.setdefault(data.coup_no, {})
        assert data.slot not in hand, "a slot was dealt twice"
        hand[data.slot] = data.card

    def _coup(self, data: Any) -> None:
        hand = self._hands.pop(data.coup_no)
        played = rules.play([hand[slot] for slot in sorted(hand, key=SLOTS.index)])
        assert set(played.slots) == set(hand)
        assert data.winner == played.winner
        assert (data.player_points, data.banker_points) == (played.player_points, played.banker_points)
        flags = (data.flags.natural, data.flags.player_pair, data.flags.banker_pair)
        assert flags == (played.natural, played.player_pair, played.banker_pair)
        self.seen[data.winner] += 1

    def _coup_void(self, data: Any) -> None:
        hand = self._hands.pop(data.coup_no, {})
        assert len(hand) in (0, data.cards)  # 0: it was complete, and has been seen
        self._use_surplus()

    def _handed_over(self, data: Any) -> None:
        cards = {slot: card for slot, card in data.cards.items() if slot != "_io" and card != fields.NO_CARD}
        if data["import"]:
            self._hands[data.coup_no] = cards
        else:
            assert self._hands[data.coup_no] == cards

    def _irregularity(self, data: Any) -> None:
        self.seen[data.case] += 1
        if data.code == "NOT_USED" and self._reported and self._surplus:
            self._surplus.append((0, self._withdrawn()))
        self._reported = False

    def _withdrawn(self) -> str:
        """Take back the last surplus card: it begins no coup."""
        coup, card = self._surplus.pop()
        if coup:
            self._hands[coup].popitem()
        return card

    def _command_done(self, data: Any) -> None:
        self.seen[data.command] += 1
        if data.command == "deck_check" and data.data.on:
            self._start()
        elif data.command == "card_returned":
            self.out[self._withdrawn()] -= 1
        elif data.command == "confirm":
            self._use_surplus()
        elif data.command == "burn_card" and self._hands:
            self._begin_again()
        self._reported = data.command == "irregularity"

    def _begin_again(self) -> None:
        """The cards of the first coup go back, where it is dealt again (Crown 10.1.1)."""
        for hand in self._hands.values():
            self.out.subtract(hand.values())
        self._hands.clear()
        self._surplus.clear()

    def _button(self, data: Any) -> None:
        if data.button == "confirm":
            self._use_surplus()

    def _use_surplus(self) -> None:
        """The next coup takes the cards that begin it; what it does not take begins the one after it."""
        taken = min(self._hands, default=0)
        self._surplus = [(coup, card) for coup, card in self._surplus if coup > taken]

    def _checked(self, data: Any) -> None:
        assert data.cards == self.out.total()

    def _composition(self, data: Any) -> None:
        counts = [count for byte in data.counts for count in (byte & 15, byte >> 4)]
        cards = DECK[26 * data.half : 26 * data.half + 26]
        assert counts == [0 if self._continuous else min(15, self.out[card]) for card in cards]

    def _checkpoint(self, data: Any) -> None:
        assert not data.coup_no or data.cards_out == self.out.total()


class Table:
    """A shoe on the VM, its dealer, and the witness; every second table has no power cuts, so that a heap can grow."""

    def __init__(self, book: str, part: int) -> None:
        rng = random.Random(f"{book} {part}")
        profile = random_profile(rng, book)
        self.dealer = CarelessDealer(rng, profile, rng.choice((0.02, 0.05, 0.12)), power=part % 2 == 1)
        self.witness = Witness(profile["switches"]["continuous"])
        self._profile = profile_bytes(profile)
        self.closed = self.whole = 0  # shoes
        self.steps = self._steps = 0  # in all, of this shoe
        self.heap: list[int] = []  # bytes in use at the end of each shoe
        self._next_no = 1

    def play(self, shoes: int) -> None:
        """Play this many whole shoes; some end before their time."""
        with VmPlay(self._profile) as self._vm:
            answer = self._vm.step("state")
            while self.whole < shoes:
                before, step = answer, self.dealer.next(answer)
                answer = self._do(step)
                self._check(before, step, answer)
                if self.closed > len(self.heap):
                    self._shoe_is_closed()

    def _do(self, step: Step) -> StepAnswer:
        if step != POWER_CYCLE:
            return self._vm.step(*step)
        self._vm.power_cycle()
        return self._vm.step("state")

    def _check(self, before: StepAnswer, step: Step, answer: StepAnswer) -> None:
        """Check what the step has logged, and that this shoe ends."""
        events = [self._event(*record) for record in answer.records]
        for reason in (data.reason for kind, data in events if kind == "shoe_closed"):
            self.closed += 1
            self.whole += reason in ("last_coup", "no_cards") or not self.dealer.stock
        drawn = [data.card for kind, data in events if kind == "card"]
        if step[0] == "card":
            assert drawn == ([DECK[step[1]]] if before.state != CLOSED else []), "a card was not counted, or twice"
        assert self.witness.open == (answer.state not in (CLOSED, CHECKING))
        assert step != POWER_CYCLE or (answer.records, answer.outcome) == ([], None), "a restart logged an event"
        self.steps, self._steps = self.steps + 1, self._steps + 1
        assert self._steps <= MOST_STEPS, f"shoe {self.witness.shoe_no} does not end: {answer}"
        assert self.dealer.closing <= WAY_OUT_STEPS, f"shoe {self.witness.shoe_no} cannot be closed: {answer}"
        if answer.state == CLOSED:
            self.dealer.shoe_is_closed()

    def _event(self, event_no: int, number: int, body: str) -> tuple[str, Any]:
        assert event_no == self._next_no
        self._next_no += 1
        return self.witness.see(number, body)

    def _shoe_is_closed(self) -> None:
        self._steps = 0
        in_use = self._vm.step("heap").outcome
        assert in_use is not None
        self.heap += [in_use] * (self.closed - len(self.heap))


def mean(values: list[int]) -> float:
    return sum(values) / len(values)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("book", BOOKS)
def test_whole_shoes_with_a_careless_dealer(book: str, part: int) -> None:
    table = Table(book, part)
    table.play(SHOES_A_TABLE)
    tenth = max(1, len(table.heap) // 10)
    growth = mean(table.heap[-tenth:]) - mean(table.heap[:tenth])
    seen = table.witness.seen
    print(
        f"{table.whole} whole shoes of {table.closed}, {table.steps} steps, {seen['coup']} coups, "
        f"{seen['coup_void']} void, {seen['fault']} faults, {seen['irregularity']} irregularities, "
        f"at most {max(table.heap)} of {HEAP_BYTES} bytes in use, {growth:+.0f} from the first tenth to the last"
    )
    assert growth < MOST_GROWTH_BYTES
    assert seen["coup"] > 10 * SHOES_A_TABLE
