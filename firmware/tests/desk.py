"""A shoe on a desk: any book, a log in memory, hands that deal, and what was logged in plain words."""

import tidy  # noqa: F401
from books import BOOKS, CARD_FLAGS, FACTS, SWITCHES, name, number_of
from sabot.dealing.shoe import BY_STYLE, Shoe
from sabot.profile import Profile
from support import RANKS, SUITS, number

BODY = 10
STATES = ("closed", "burning", "dealing", "complete", "checking")
UNTOLD = ("button", "command_done", "command_refused", "composition", "checkpoint")

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
        """How many events it says it holds."""
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
        record[8] = kind
        record[9] = size
        self._records.append(bytes(record))
        self.next_no += 1

    def damage(self, event_no):
        """As the journal tells a record that fails its check."""
        self._records[event_no - 1] = self._records[event_no - 1][:8] + bytes([10]) + bytes(23)

    def read(self, event_no, buf):
        """As the journal's."""
        for i in range(32):
            buf[i] = self._records[event_no - 1][i]
        return True


def profile(book, on=(), off=()):
    """The profile of a book, with switches turned by name."""
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
    """One shoe, and who sits at it."""

    def __init__(self, book="star-baccarat", on=(), off=(), capacity=4000):
        self.log = Log(capacity)
        self.profile = profile(book, on, off)
        self._told_no = 0
        self._record = bytearray(32)
        self.now_ms = 0
        self.restart()

    def restart(self):
        """Switch it on, for the first time or again."""
        self.shoe = Shoe(self.log, self.profile)
        self.state = self.shoe.state
        self.shoe.log_consequences(self.now_ms)

    # Hands

    def open(self, burn="none", decks=8):
        """A new shoe by command; its own events are not told."""
        assert self.cmd("open_shoe", decks, number_of("burn", burn)) == "done"
        self.told()
        return self

    def draw(self, cards, flags=0, exposed=BY_STYLE):
        """Cards, and CUT, leave the exit; what was logged for them."""
        for card in cards.split():
            if card == "CUT":
                self.shoe.cutting_card(self.now_ms, 1000, 100)
            else:
                self.shoe.card(self.now_ms, number(card), 1000, 100, flags, exposed)
        return self.told()

    def deal(self, cards):
        """A coup, each card while the exit is open, and held afterwards."""
        for card in cards.split():
            assert not self.shoe.locked(), card
            self.draw(card)
        assert self.shoe.locked()
        return self

    def press(self, button):
        """A button of the dealer; whether it meant something."""
        return self.shoe.press(self.now_ms, number_of("button", button))

    def confirm(self):
        """The dealer's Confirm, and what was logged for it."""
        assert self.press("confirm")
        return self.told()

    def reject(self, reason):
        """Something that is no certain card."""
        self.shoe.reject(self.now_ms, number_of("reject", reason), 0, 0, 1000, 0)
        return self.told()

    def key(self, on):
        """The supervisor's key."""
        self.shoe.key(self.now_ms, on)

    def cmd(self, command, *data):
        """A command of the gateway: its outcome."""
        command_id = self.state.last_command_id + 1
        buf = b"\xee\xee" + bytes(data)  # data do not begin where the buffer does
        outcome = self.shoe.command(self.now_ms, command_id, number_of("command", command), buf, 2, len(data))
        return name("outcome", outcome)

    def report(self, case, *facts):
        """The dealer or a supervisor reports a case: its outcome."""
        bits = sum(FACTS[fact] for fact in facts)
        return self.cmd("irregularity", number_of("case", case), bits & 0xFF, bits >> 8)

    # Eyes

    def where(self):
        """State and slot that is due, if any."""
        state = self.state
        if state.phase != 2:
            return STATES[state.phase]
        return STATES[state.phase] + " " + name("slot", 0 if state.burn_next else state.coup.due)

    def told(self):
        """What was logged since the last time, in words; buttons, commands and checkpoints aside."""
        words = []
        for event_no in range(self._told_no + 1, self.log.next_no):
            self.log.read(event_no, self._record)
            kind = name("event", self._record[8])
            if kind not in UNTOLD:
                words.append(told(kind, self._record[BODY : BODY + self._record[9]]))
        self._told_no = self.log.next_no - 1
        return words


def told(kind, b):
    """An event in words."""
    teller = TELLERS.get(kind)
    return teller(b) if teller else kind


def told_card(b):
    """Slot, card, and flags that are set."""
    words = [name("slot", b[4]), card_name(b[5])]
    for flag in ("keyed", "face_up", "exposed", "returned", "surplus"):
        if b[9] & CARD_FLAGS[flag]:
            words.append(flag)
    return " ".join(words)


def told_coup(b):
    """Number, winner, points, kind, and `last` of the last."""
    last = " last" if b[7] & 8 else ""
    return "coup %d %s %d-%d %s%s" % (b[2], name("winner", b[4]), b[5], b[6], name("kind", b[8]), last)


def told_void(b):
    """Number, why, what then, how many cards."""
    return "void %d %s %s %d" % (b[2], name("void", b[4]), name("then", b[5]), b[6])


def told_handed(b):
    """Which way, the coup and its cards; then decks, cards out, coups left, and whether a word is awaited."""
    way = "import" if b[5] else "export"
    cards = " ".join(card_name(card) for card in b[6:12])
    place = "of %d %d %d %d" % (b[12], b[13] | b[14] << 8, b[15], b[16])
    return "%s %d %s %s %s" % (way, b[2], name("kind", b[4]), cards, place)


TELLERS = {
    "card": told_card,
    "coup": told_coup,
    "coup_void": told_void,
    "handed_over": told_handed,
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
