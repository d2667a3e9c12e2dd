"""The shoe under random inputs: whatever comes, it goes on, and a cut after any event leads to the very same state.

SABOT_STEPS sets how many inputs each table gets.
"""

import importlib.util
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from sabot_gateway import rules
from sabot_protocol import cards, fields, messages, rulebooks
from sabot_sim.rigs import firmware
from sabot_sim.rigs.vm import firmware_dir

states = firmware.module("sabot.dealing.state")
wire = firmware.module("sabot.wire")
shoes = firmware.module("sabot.dealing.shoe")
profiles = firmware.module("sabot.profile")
panel = firmware.module("sabot.panel")

STEPS = int(os.environ.get("SABOT_STEPS", "300"))
CAPACITY = 120  # a quarter of it calls for a checkpoint
KEPT = 600  # events that are still there
NAMES = list(cards.INDEX)
COMMANDS = messages.CommandKind.encmapping
BURN = fields.Burn.encmapping
KINDS = fields.CoupKind.encmapping
SIZES = {name: definition.sizeof() for name, definition in messages.COMMANDS.items()}
OFTEN = ("irregularity",) * 6 + ("card_returned", "burn_card", "deck_check", "no_bet", "export_coup") * 2
CHECKPOINT = ("composition", "checkpoint")

# Fields of the state that a restart need not bring back. Alarms are counted only for the buzzer.
NEVER = {"profile", "coup", "alarms", "_ahead", "coups_ahead"}
WHEN_FIRST_COUP_OVER = {
    *("burn_mode", "burnt", "burn_missed", "burn_by_value", "first_cards", "first_count", "ordered_set_logged"),
}
WHEN_NOT_PENDING = {
    "pending_open": {"open_decks", "open_burn"},
    "pending_keyed": {"keyed_card", "keyed_flags"},
    "pending_void": {"void_then"},
}
WHEN_CLOSED = {
    *("shoe_no", "closed_no", "phase", "fault", "pending_fault", "pending_clear", "key_on", "lid_open", "locked"),
    *("lock_logged", "journal_full_logged", "last_command_id", "pending_open", "check_next", "replay_from"),
    *("authorisations", "awaiting_authorisation", "pending_close", "pending_void", "pending_keyed", "pending_export"),
    *("pending_import", "case_count", "coups_left", "coup_no"),
}


class Log:
    """A journal in memory; of a cut one, the events up to the cut."""

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
        """What a power cut before this event leaves."""
        cut = Log(self.records[: next_no - 1])
        cut.acked, cut.keep_no = min(self.acked, next_no - 1), self.keep_no
        return cut


def event(record: bytes) -> tuple[str, dict[str, Any]]:
    """Kind and fields, as the gateway's own definition reads them."""
    kind = messages.EventKind.decmapping[record[8]]
    return kind, messages.EVENTS[kind].parse(record[10 : 10 + record[9]])


def known(state: Any) -> dict[str, Any]:
    """Return every field of a state that counts for what comes next."""
    found = {name: value for name, value in vars(state).items() if name not in NEVER}
    found["first_cards"] = bytes(state.first_cards[: state.first_count])
    found["surplus"] = bytes(state.surplus[: state.surplus_count])
    found["_cases"] = bytes(state._cases[: state.case_count])
    found["_facts"] = bytes(state._facts[: 2 * state.case_count])
    for pending, names in WHEN_NOT_PENDING.items():
        if not found[pending]:
            found = {name: value for name, value in found.items() if name not in names}
    if state.check_next == wire.NO_CARD and state.phase != states.CHECKING:
        found.pop("check_differences")
    if state.phase == states.CLOSED:
        return {name: found[name] for name in WHEN_CLOSED}
    if state.first_coup_over:
        found = {name: value for name, value in found.items() if name not in WHEN_FIRST_COUP_OVER}
    coup = state.coup
    return found | {"coup": (bytes(coup.cards[1:]), coup.due, coup.player_points, coup.banker_points)}


class Witness:
    """What the log alone says, by the gateway's own rules: shoes, coups and their cards."""

    def __init__(self) -> None:
        self.shoe_no = 0
        self.open = self.checking = self.check_due = False
        self._start()

    def _start(self) -> None:
        self.coup_no = 0
        self.out: Counter[str] = Counter()
        self.hands: dict[int, dict[str, str]] = {}
        self.surplus: list[tuple[int, str]] = []  # the coup that each card too many begins, 0 where it is not used
        self.reported = False  # by people: the next irregularity

    def see(self, kind: str, data: Any) -> None:
        """One event."""
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
        """The last card too many begins no coup."""
        coup, card = self.surplus.pop()
        if coup:
            self.hands[coup].popitem()
        return card

    def use_surplus(self) -> None:
        """The next coup takes the cards that begin it; what it does not take begins the one after it."""
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


def buffer(rulebook: str, choices: dict[str, str]) -> bytes:
    """The body of a set_profile."""
    profile = rulebooks.load(rulebook).profile(None, 1, choices)
    return messages.profile_hash(profile) + bytes(messages.Profile.build(profile))


def tables() -> Iterator[Any]:
    """Every book with every choice a table has."""
    for rulebook in rulebooks.ids():
        choice = rulebooks.load(rulebook).shoe.choice
        for values in product(*(choice[name].values for name in choice)):
            chosen = dict(zip(choice, values, strict=True))
            yield pytest.param(rulebook, chosen, id="-".join((rulebook, *values)))


class Table:
    """A shoe, its log, and somebody who does anything at all to it."""

    def __init__(self, seed: str, profile: bytes) -> None:
        self.rng = random.Random(seed)
        self.log = Log()
        self.profile = profiles.Profile(6)
        assert self.profile.load(profile, 0)
        self.shoe = shoes.Shoe(self.log, self.profile)
        self.lamps = panel.Lamps(self.shoe)
        self.witness = Witness()
        self.stock: list[int] = []
        self.now_ms = 0
        self.seen: Counter[str] = Counter()

    # Inputs

    def card(self) -> None:
        if not self.stock or self.rng.random() < 0.01:
            self.stock = self.rng.sample([*range(52)] * self.rng.choice((1, 6, 8)), 52)
        flags = 2 if self.rng.random() < 0.05 else 0
        self.shoe.card(self.now_ms, self.stock.pop(), 1000, 80, flags, self.rng.choice((-1, -1, 0, 1)))

    def cut(self) -> None:
        self.shoe.cutting_card(self.now_ms, 1000, 80)

    def reject(self) -> None:
        reason = self.rng.choice([*fields.RejectReason.encmapping.values()])
        self.shoe.reject(self.now_ms, reason, 9, 0, 70000, 3)

    def noise(self) -> None:
        self.shoe.noise(self.now_ms, 3)

    def press(self) -> None:
        self.shoe.press(self.now_ms, self.rng.randint(1, 5))

    def confirm(self) -> None:
        self.shoe.press(self.now_ms, 4)

    def new_shoe(self) -> None:
        self.shoe.press(self.now_ms, 5)

    def clear_fault(self) -> None:
        self.send("clear_fault", bytes([self.shoe.state.fault]))

    def key(self) -> None:
        self.shoe.key(self.now_ms, self.rng.random() < 0.3)

    def lid(self) -> None:
        self.shoe.lid(self.now_ms, self.rng.random() < 0.2)

    def command(self) -> None:
        name = self.rng.choice([*COMMANDS, *OFTEN])
        sense = self.rng.random() < 0.9 or name == "set_time"
        self.send(name, self.data(name) if sense else self.rng.randbytes(SIZES[name]))

    def send(self, name: str, data: bytes) -> int:
        command_id = self.shoe.state.last_command_id + 1
        outcome: int = self.shoe.command(self.now_ms, command_id, COMMANDS[name], b"?" + data, 1, len(data))
        return outcome

    def data(self, name: str) -> bytes:
        """Values that make sense, now or at some other time."""
        rng, state = self.rng, self.shoe.state
        made: dict[str, Callable[[], list[int]]] = {
            "open_shoe": lambda: [rng.choice((1, 1, 2, 8)), rng.choice((0, 0, 1, 2, 3))],
            "clear_fault": lambda: [state.fault],
            "void_coup": lambda: [rng.randint(1, 8), rng.choice((1, 1, 2))],
            "no_bet": lambda: [rng.choice((1, self.profile.unwagered, rng.randint(1, 5)))],
            "key_card": lambda: [rng.randrange(52), rng.choice((0, 2, 4, 6))],
            "authorise": lambda: [rng.choice((1, 1, 2, 255))],
            "irregularity": lambda: [rng.randint(1, 21), rng.randrange(256), rng.randrange(2)],
            "import_coup": lambda: [7, 0, rng.choice((1, self.profile.unwagered)), *self.hand(), *self.place()],
            "deck_check": lambda: [rng.randint(0, 1), rng.choice((1, 8))],
            "set_time": lambda: [1, 2, 3, 4, 5, 0],
        }
        return bytes(made[name]()) if name in made else b""

    def hand(self) -> list[int]:
        count = self.rng.randint(0, 5)
        return [self.rng.randrange(52) if place < count else 255 for place in range(6)]

    def place(self) -> list[int]:
        """Decks, cards out, coups left, and whether a word is awaited."""
        return [self.rng.choice((1, 8)), self.rng.randrange(60), 0, self.rng.randint(0, 2), self.rng.randint(0, 1)]

    def step(self) -> None:
        """Something, mostly what a dealer would do."""
        self.now_ms += self.rng.choice((10, 1000, 70_000))
        if self.rng.random() < 0.75:
            self.sensible()
        elif self.rng.random() < 0.3:
            self.tempting()
        else:
            weighted = [self.cut, self.reject, self.noise, self.key, self.key, self.lid, self.press, self.card]
            self.rng.choice([*weighted, *[self.command] * 12])()

    def step_twice(self) -> None:
        """The same step, here and after a restart, is answered by the same events."""
        before_no, live = self.log.next_no, (self.shoe, self.log)
        dice, now_ms, stock = self.rng.getstate(), self.now_ms, [*self.stock]
        twin = self.restored(before_no)
        twin._noise_ms = self.shoe._noise_ms
        self.step()
        self.rng.setstate(dice)
        self.now_ms, self.stock = now_ms, stock
        self.shoe, self.log = twin, twin.journal
        self.step()
        self.shoe, self.log = live
        assert bodies(twin.journal, before_no) == bodies(self.log, before_no)

    def tempting(self) -> None:
        """What is seldom asked for when it can be had."""
        state = self.shoe.state
        if state.phase == states.COMPLETE:
            self.send("card_returned", b"") if state.surplus_count and self.rng.random() < 0.6 else self.card()
        elif state.phase == states.CLOSED or state.phase == states.CHECKING:
            self.send("deck_check", bytes([state.phase == states.CLOSED, 1]))
        elif state.phase == states.BURNING or (
            state.phase == states.DEALING and state.coup_no == 1 and not state.coup_cards()
        ):
            self.send("import_coup", self.data("import_coup"))
        elif state.phase == states.DEALING and not state.coup_cards():
            self.send("burn_card", b"")
        else:
            self.send("irregularity", self.data("irregularity"))

    def sensible(self) -> None:
        """What lets the game go on."""
        state = self.shoe.state
        if state.lid_open:
            self.shoe.lid(self.now_ms, False)
        elif state.fault:
            self.rng.choice((self.key, lambda: self.send("key_card", self.data("key_card")), self.clear_fault))()
        elif state.phase == states.CLOSED:
            self.rng.choice((lambda: self.send("open_shoe", self.data("open_shoe")), self.new_shoe))()
        elif state.awaiting_authorisation:
            self.send("authorise", b"\1")
        elif state.locked:
            self.send("unlock", b"")
        elif state.phase == states.COMPLETE:
            self.confirm()
        else:
            self.card()

    # What must hold

    def check(self, before_no: int) -> None:
        state = self.shoe.state
        for record in self.log.records[before_no - 1 :]:
            kind, data = self.parsed(record)
            self.seen[data.case if kind == "irregularity" else kind] += 1
            self.witness.see(kind, data)
        held = state.fault or state.locked or state.lid_open or state.awaiting_authorisation or self.log.full()
        assert self.shoe.locked() == bool(held or not state.card_due())
        assert state.shoe_no == self.witness.shoe_no
        assert not self.witness.check_due
        assert (state.phase not in (states.CLOSED, states.CHECKING)) == self.witness.open
        if self.witness.open and not self.profile.on(128):
            assert {NAMES[i]: count for i, count in enumerate(state.counts) if count} == {
                card: min(15, count) for card, count in self.witness.out.items() if count
            }
        self.shoe.log_consequences(self.now_ms)
        self.lamps.outputs(self.shoe, self.now_ms)

    def parsed(self, record: bytes) -> tuple[str, Any]:
        """An event."""
        return event(record)

    def restored(self, next_no: int) -> Any:
        """A shoe that starts with the log up to there."""
        return shoes.Shoe(self.log.until(next_no), self.profile)

    def check_restart(self) -> None:
        """(a) It is where it was."""
        again = self.restored(self.log.next_no)
        assert known(again.state) == known(self.shoe.state)
        again.journal.acked = self.log.acked
        assert again.locked() == self.shoe.locked()
        assert again.idle() == self.shoe.idle()
        next_no = again.journal.next_no
        again.log_consequences(self.now_ms)
        assert again.journal.next_no == next_no, "a restart had something left to say"

    def check_cuts(self, before_no: int) -> None:
        """(b) A cut between the events of one input changes nothing."""
        cuts = range(before_no + 1, self.log.next_no)
        for cut_no in self.rng.sample(cuts, min(len(cuts), 5)):
            again = self.restored(cut_no)
            again.log_consequences(self.now_ms)
            assert bodies(again.journal, before_no) == bodies(self.log, before_no)
            assert known(again.state) == known(self.shoe.state)

    def check_way_out(self) -> None:
        """(c) A supervisor gets a new shoe out of whatever this is, in twelve steps."""
        shoe, now_ms = self.restored(self.log.next_no), self.now_ms
        number = shoe.state.shoe_no

        def send(name: str, *data: int) -> None:
            shoe.command(now_ms, 1, COMMANDS[name], bytes(data), 0, len(data))

        shoe.lid(now_ms, False)
        shoe.key(now_ms, False)
        shoe.key(now_ms, True)
        send("clear_fault", shoe.state.fault)
        send("unlock")
        send("deck_check", 0, 0)
        send("void_coup", 1, 2)
        send("close_shoe")
        send("open_shoe", 8, BURN["none"])
        shoe.journal.acked = shoe.journal.next_no - 1
        assert shoe.state.phase == states.DEALING
        assert shoe.state.shoe_no == number + 1
        assert not shoe.locked()


def bodies(log: Log, first_no: int) -> list[bytes]:
    """Kind and body of every event from there on, but for checkpoints."""
    kinds = [messages.EventKind.encmapping[kind] for kind in CHECKPOINT]
    return [record[8 : 10 + record[9]] for record in log.records[first_no - 1 :] if record[8] not in kinds]


def walk(table: Table, steps: int) -> None:
    """Some steps, each with all checks."""
    for number in range(steps):
        before_no = table.log.next_no
        table.step_twice()
        table.check(before_no)
        table.check_restart()
        table.check_cuts(before_no)
        table.log.keep_no = table.shoe.state.replay_from
        if number % 5 == 0:
            table.check_way_out()
        if table.rng.random() < 0.5:
            table.log.acked = table.log.next_no - 1


@pytest.mark.parametrize(("rulebook", "choices"), list(tables()))
def test_anything_at_all(rulebook: str, choices: dict[str, str]) -> None:
    table = Table(f"{rulebook} {choices}", buffer(rulebook, choices))
    walk(table, STEPS)
    assert table.seen["coup"] > STEPS / 100
    assert table.seen["shoe_opened"]
    assert table.seen["checkpoint"]


def test_the_books_of_the_firmware_s_tests_are_the_gateway_s() -> None:
    books = import_path(firmware_dir() / "tests" / "books.py")
    for rulebook in rulebooks.ids():
        head, codes = books.BOOKS[rulebook]
        assert bytes.fromhex(head + codes) == buffer(rulebook, {})[16:]
    assert fields.Switches.flags == books.SWITCHES
    assert fields.Facts.flags == books.FACTS
    assert fields.CardFlags.flags == books.CARD_FLAGS


def test_the_names_of_the_firmware_s_tests_are_the_protocol_s() -> None:
    books = import_path(firmware_dir() / "tests" / "books.py")
    tables = {
        "event": messages.EventKind,
        "command": messages.CommandKind,
        "slot": fields.Slot,
        "case": fields.Case,
        "code": fields.Consequence,
        "fault": fields.Fault,
        "cleared": fields.ClearedBy,
        "kind": fields.CoupKind,
        "void": fields.VoidReason,
        "then": fields.Then,
        "close": fields.CloseReason,
        "outcome": fields.Outcome,
        "winner": fields.Winner,
        "pattern": fields.Pattern,
        "button": fields.Button,
        "burn": fields.Burn,
        "reject": fields.RejectReason,
    }
    assert books.NAMES.keys() == tables.keys()
    for table, mapping in tables.items():
        named = dict(enumerate(books.NAMES[table].split()))
        assert {number: name for number, name in named.items() if name != "-"} == mapping.decmapping


def import_path(path: Path) -> Any:
    """A module of the firmware's tests."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
