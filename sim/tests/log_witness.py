"""A log in memory, and a witness: what the log alone implies by the gateway's own rules."""

from collections import Counter
from typing import Any

from sabot_gateway import rules
from sabot_protocol import cards, fields, messages

CAPACITY = 120  # events; a quarter of them calls for a checkpoint
KEPT = 600  # events that can still be read
NAMES = list(cards.INDEX)
_CHECKPOINT = ("composition", "checkpoint")


class Log:
    """A journal in memory."""

    def __init__(self, records: list[bytes] | None = None) -> None:
        self.records = records or []  # from the first event on
        self.record = bytearray(32)
        self.acked = self.keep_no = 0

    @property
    def next_no(self) -> int:
        return len(self.records) + 1

    def oldest(self) -> int:
        return max(1, min(self.next_no - KEPT, self.keep_no))

    def capacity(self) -> int:
        return CAPACITY

    def full(self, margin: int = 8) -> bool:
        return self.next_no - self.acked > CAPACITY - margin

    def housekeep(self) -> None:
        """As the journal's."""

    def append(self, now_ms: int, kind: int, size: int) -> None:
        head = self.next_no.to_bytes(4, "little") + now_ms.to_bytes(4, "little") + bytes([kind, size])
        self.record[:10] = head
        assert size <= 20
        self.records.append(bytes(self.record))

    def read(self, event_no: int, buf: bytearray) -> bool:
        buf[:] = self.records[event_no - 1]
        return True

    def until(self, next_no: int) -> "Log":
        """Return what a power cut before this event leaves."""
        cut = Log(self.records[: next_no - 1])
        cut.acked, cut.keep_no = min(self.acked, next_no - 1), self.keep_no
        return cut


def event(record: bytes) -> tuple[str, Any]:
    """Return kind and fields, parsed by the gateway's definition."""
    kind = messages.EventKind.decmapping[record[8]]
    return kind, messages.EVENTS[kind].parse(record[10 : 10 + record[9]])


def bodies(log: Log, first_no: int) -> list[bytes]:
    """Return kind and data of every event from there on, without checkpoints."""
    kinds = [messages.EventKind.encmapping[kind] for kind in _CHECKPOINT]
    return [record[8 : 10 + record[9]] for record in log.records[first_no - 1 :] if record[8] not in kinds]


class Witness:
    """Shoes, coups and their cards, as the events imply them."""

    def __init__(self) -> None:
        self.shoe_no = 0
        self.open = self.checking = self.check_due = False
        self._start()

    def _start(self) -> None:
        self.coup_no = 0
        self.out: Counter[str] = Counter()
        self.hands: dict[int, dict[str, str]] = {}
        self.surplus: list[tuple[int, str]] = []  # the coup that each surplus card begins, 0 if it is not used
        self.reported = False  # by a person: the next irregularity

    def see(self, kind: str, data: Any) -> None:
        """Take one event."""
        handler = getattr(self, f"_{kind}", None)
        if handler:
            handler(data)

    def _shoe_opened(self, data: Any) -> None:
        assert not self.open
        assert data.shoe_no == self.shoe_no + 1
        self._start()
        self.shoe_no, self.open, self.decks = data.shoe_no, True, data.decks

    def _shoe_closed(self, data: Any) -> None:
        assert self.open
        assert data.shoe_no == self.shoe_no
        self.open = False

    def _command_done(self, data: Any) -> None:
        assert data.outcome == "done"
        if data.command == "deck_check":
            self.checking = bool(data.data.on)
            self.check_due = not self.checking
            if self.checking:
                self._start()
                self.decks, self.differences = data.data.decks, 0
        elif data.command == "card_returned":
            self.out[self.withdrawn()] -= 1
        elif data.command == "burn_card" and self.hands:
            for hand in self.hands.values():
                self.out.subtract(hand.values())
            self.coup_no, self.hands, self.surplus = 0, {}, []
        elif data.command == "confirm":
            self.use_surplus()
        self.reported = data.command == "irregularity"

    def withdrawn(self) -> str:
        """Take the last surplus card out of its coup; return the card."""
        coup, card = self.surplus.pop()
        if coup:
            self.hands[coup].popitem()
        return card

    def use_surplus(self) -> None:
        """Begin the next coup with surplus cards; those that it does not take begin the one after it."""
        taken = min(self.hands, default=0)
        self.surplus = [(coup, card) for coup, card in self.surplus if coup > taken]

    def _deck_check(self, data: Any) -> None:
        assert (data.seen, data.expected) == (self.out[data.card], self.decks)
        assert data.seen != data.expected
        self.differences += 1

    def _checked(self, data: Any) -> None:
        assert data.cards == self.out.total()
        assert data.differences == self.differences == sum(self.out[card] != self.decks for card in NAMES)
        self.check_due = False

    def _card(self, data: Any) -> None:
        assert self.open or self.checking
        self.out[data.card] += 1
        if data.flags.surplus:
            self.surplus.append((0 if data.slot == "unused" else data.coup_no, data.card))
        if data.slot in ("burn", "unused"):
            return
        if not data.flags.surplus:
            assert data.coup_no in (self.coup_no, self.coup_no + 1)
            self.coup_no = data.coup_no
        hand = self.hands.setdefault(data.coup_no, {})
        assert data.slot not in hand, "a slot was dealt twice"
        hand[data.slot] = data.card

    def _handed_over(self, data: Any) -> None:
        cards_in = {slot: card for slot, card in data.cards.items() if slot != "_io" and card != fields.NO_CARD}
        if data["import"]:
            assert self.coup_no == 0, "a coup came to a shoe that had dealt one"
            self.coup_no = data.coup_no
            self.hands[data.coup_no] = cards_in
        else:
            assert self.hands.pop(data.coup_no) == cards_in

    def _coup(self, data: Any) -> None:
        hand = self.hands.pop(data.coup_no)
        played = rules.play([hand[slot] for slot in sorted(hand, key=list(fields.Slot.encmapping).index)])
        assert set(played.slots) == set(hand)
        assert (data.winner, data.player_points, data.banker_points) == (
            played.winner,
            played.player_points,
            played.banker_points,
        )
        flags = data.flags
        assert (flags.natural, flags.player_pair, flags.banker_pair) == (
            played.natural,
            played.player_pair,
            played.banker_pair,
        )

    def _coup_void(self, data: Any) -> None:
        hand = self.hands.pop(data.coup_no, {})
        assert len(hand) in (0, data.cards)  # 0: it was complete, and has been seen
        self.coup_no = data.coup_no
        self.use_surplus()

    def _irregularity(self, data: Any) -> None:
        if data.code == "NOT_USED" and self.reported and self.surplus:
            self.surplus.append((0, self.withdrawn()))
        self.reported = False

    def _button(self, data: Any) -> None:
        if data.button == "confirm":
            self.use_surplus()
