"""A shoe on a desk: any book, a log in memory, inputs by name, and what was logged as short texts."""

import tidy  # noqa: F401
from books import BOOKS, CARD_FLAGS, FACTS, SWITCHES, name, number_of
from sabot import wire
from sabot.dealing.shoe import BY_STYLE, Shoe
from sabot.profile import Profile
from support import RANKS, SUITS, number

PHASES = ("closed", "burning", "dealing", "complete", "checking")
NOT_SHOWN = ("button", "command_done", "command_refused", "composition", "checkpoint")

# Coups by their shape.
NATURAL = "9S 2H TD 2D"  # Player 9, Banker 4
BOTH_STAND = "6S 7H TD KD"  # Player 6, Banker 7
BANKER_STANDS = "5S 7H TD KD 2C"  # Player 7 with his third card, Banker 7
PLAYER_STANDS = "6S 5H TD KD 3C"  # Player 6, Banker 8 with his third card
SIX_CARDS = "TS KH JD QC 3C 4D"  # Player 3, Banker 4


class Log:
    """A journal in memory that keeps everything."""

    def __init__(self, capacity=4000):
        self._capacity = capacity
        self._records = []
        self.record = bytearray(32)
        self.next_no = 1
        self.acked = 0

    def oldest(self):
        """The first event."""
        return 1

    def capacity(self):
        """As the journal's."""
        return self._capacity

    def full(self, margin=8):
        """As the journal's."""
        return self.next_no - self.acked > self._capacity - margin

    def housekeep(self):
        """As the journal's."""

    def append(self, now_ms, kind, size):
        """As the journal's."""
        record = self.record
        for i in range(4):
            record[i] = self.next_no >> 8 * i & 0xFF
            record[4 + i] = now_ms >> 8 * i & 0xFF
        record[wire.RECORD_KIND] = kind
        record[wire.RECORD_DATA_SIZE] = size
        self._records.append(bytes(record))
        self.next_no += 1

    def damage(self, event_no):
        """Make a record one that fails its check, as the journal returns it."""
        self._records[event_no - 1] = (
            self._records[event_no - 1][: wire.RECORD_KIND] + bytes([wire.EV_DAMAGED]) + bytes(23)
        )

    def read(self, event_no, buf):
        """As the journal's."""
        for i in range(32):
            buf[i] = self._records[event_no - 1][i]
        return True


def profile(book, on=(), off=()):
    """Return the profile of a book, with these switches on and off."""
    head, codes = BOOKS[book]
    fields = bytearray(int(head[i : i + 2], 16) for i in range(0, len(head), 2))
    switches = fields[4] | fields[5] << 8
    for switch in on:
        switches |= SWITCHES[switch]
    for switch in off:
        switches &= ~SWITCHES[switch]
    fields[4], fields[5] = switches & 0xFF, switches >> 8
    made = Profile(6)
    assert made.load(bytes(16) + fields + bytes(int(codes[i : i + 2], 16) for i in range(0, len(codes), 2)), 0)
    return made


def card_name(card):
    """0..51 as `8H`."""
    return "--" if card == 255 else RANKS[card % 13] + SUITS[card // 13]


class Desk:
    """One shoe, its dealer and its supervisor."""

    def __init__(self, book="star-baccarat", on=(), off=(), capacity=4000):
        self.log = Log(capacity)
        self.profile = profile(book, on, off)
        self._shown_no = 0
        self._record = bytearray(32)
        self.now_ms = 0
        self.restart()

    def restart(self):
        """Switch the shoe on, for the first time or again."""
        self.shoe = Shoe(self.log, self.profile)
        self.state = self.shoe.state
        self.shoe.log_consequences(self.now_ms)

    # Inputs

    def open(self, burn="none", decks=8):
        """Open a shoe by command; its own events are skipped."""
        assert self.cmd("open_shoe", decks, number_of("burn", burn)) == "done"
        self.logged()
        return self

    def draw(self, cards, flags=0, exposed=BY_STYLE):
        """Draw cards, or CUT; return what was logged for them."""
        for card in cards.split():
            if card == "CUT":
                self.shoe.cutting_card(self.now_ms, 1000, 100)
            else:
                self.shoe.card(self.now_ms, number(card), 1000, 100, flags, exposed)
        return self.logged()

    def deal(self, cards):
        """Deal a coup: the exit is released for each card, and locked afterwards."""
        for card in cards.split():
            assert not self.shoe.locked(), card
            self.draw(card)
        assert self.shoe.locked()
        return self

    def press(self, button):
        """Press a button of the dealer; return True if it was accepted."""
        return self.shoe.press(self.now_ms, number_of("button", button))

    def confirm(self):
        """Press Confirm, and the result before it where the book asks for that; return what was logged for it."""
        if self.profile.on(SWITCHES["result_before_confirm"]) and not self.state.dealer_result:
            assert self.press(name("button", self.state.coup.winner()))
        assert self.press("confirm")
        return self.logged()

    def reject(self, reason):
        """Let something leave the exit that is no certain card; return what was logged for it."""
        self.shoe.reject(self.now_ms, number_of("reject", reason), 0, 0, 1000, 0)
        return self.logged()

    def key(self, on):
        """Turn the supervisor's key."""
        self.shoe.key(self.now_ms, on)

    def cmd(self, command, *data):
        """Send a command of the gateway; return its outcome."""
        command_id = self.state.last_command_id + 1
        buf = b"\xee\xee" + bytes(data)  # the data begin after the buffer does
        outcome = self.shoe.command(self.now_ms, command_id, number_of("command", command), buf, 2, len(data))
        return name("outcome", outcome)

    def report(self, case, *facts):
        """Report a case; return the outcome."""
        bits = sum(FACTS[fact] for fact in facts)
        return self.cmd("irregularity", number_of("case", case), bits & 0xFF, bits >> 8)

    # Results

    def where(self):
        """Return the phase, and the slot that is due in a coup."""
        state = self.state
        if state.phase != 2:
            return PHASES[state.phase]
        return PHASES[state.phase] + " " + name("slot", 0 if state.burn_next else state.coup.due)

    def logged(self):
        """Return what was logged since the last call, as texts; without buttons, commands and checkpoints."""
        texts = []
        for event_no in range(self._shown_no + 1, self.log.next_no):
            self.log.read(event_no, self._record)
            kind = name("event", self._record[wire.RECORD_KIND])
            if kind not in NOT_SHOWN:
                texts.append(text_of(kind, self._record[wire.RECORD_DATA :]))
        self._shown_no = self.log.next_no - 1
        return texts


def text_of(kind, b):
    """Return an event as a short text."""
    make_text = TEXTS.get(kind)
    return make_text(b) if make_text else kind


def card_text(b):
    """Slot, card, and flags that are set."""
    texts = [name("slot", b[4]), card_name(b[5])]
    for flag in ("keyed", "face_up", "exposed", "returned", "surplus"):
        if b[9] & CARD_FLAGS[flag]:
            texts.append(flag)
    return " ".join(texts)


def coup_text(b):
    """Number, winner, points, kind, and `last` of the last."""
    last = " last" if b[7] & 8 else ""
    return "coup %d %s %d-%d %s%s" % (b[2], name("winner", b[4]), b[5], b[6], name("kind", b[8]), last)


def void_text(b):
    """Number, reason, what follows, how many cards."""
    return "void %d %s %s %d" % (b[2], name("void", b[4]), name("then", b[5]), b[6])


def handed_text(b):
    """Which way, the coup and its cards; then decks, cards out, coups left, and whether authorisation is awaited."""
    way = "import" if b[5] else "export"
    cards = " ".join(card_name(card) for card in b[6:12])
    place = "of %d %d %d %d" % (b[12], b[13] | b[14] << 8, b[15], b[16])
    return "%s %d %s %s %s" % (way, b[2], name("kind", b[4]), cards, place)


TEXTS = {
    "card": card_text,
    "coup": coup_text,
    "coup_void": void_text,
    "handed_over": handed_text,
    "cutting_card": lambda b: "cut %d %s" % (b[2], "first" if b[4] else "mid"),
    "coup_kind": lambda b: "kind %d %s" % (b[2], name("kind", b[4])),
    "irregularity": lambda b: name("case", b[4]) + " " + name("code", b[7]),
    "fault": lambda b: "fault " + name("fault", b[0]),
    "fault_cleared": lambda b: "cleared %s %s" % (name("fault", b[0]), name("cleared", b[1])),
    "key": lambda b: "key %d" % b[0],
    "lid": lambda b: "lid %d" % b[0],
    "lock": lambda b: "lock %d" % b[0],
    "reject": lambda b: "reject " + name("reject", b[4]),
    "shoe_opened": lambda b: "opened %d set %d decks %d %s" % (b[0], b[2], b[3], name("burn", b[4])),
    "shoe_closed": lambda b: "closed %d coups %d %s" % (b[0], b[2], name("close", b[4])),
    "burn": lambda b: "burn %s %d%s" % (name("burn", b[2]), b[3], " missed" if b[4] else ""),
    "ordered_set": lambda b: "ordered %s %d" % (name("pattern", b[2]), b[3]),
    "deck_check": lambda b: "check %s %d of %d" % (card_name(b[2]), b[3], b[4]),
    "checked": lambda b: "checked %d differences %d" % (b[2] | b[3] << 8, b[4]),
}
