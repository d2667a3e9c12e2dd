"""The card path allocates nothing: sampler, reader, shoe, panel, journal and link with the heap locked."""

import micropython
from desk import profile
from sabot import panel, wire
from sabot.dealing.shoe import Shoe
from sabot.link.frame import encode
from sabot.link.link import Link
from sabot.reading.reader import CARD, CUT, NOISE, NOTHING, Reader
from sabot.reading.sampler import Sampler
from sabot.storage.journal import RECORD, Journal
from sabot.wire import PROTOCOL_HASH
from support import Memory, moved, number, pull, pull_cutting_card, strip, word

PLAYER, CONFIRM, NEW_SHOE, KEY, LID = 1 << 4, 1 << 7, 1 << 8, 1 << 9, 1 << 10


class Path:
    """All stages in the order of main.py; every event is sent to a gateway."""

    def __init__(self, book, on=()):
        self.sampler, self.reader, self.buttons = Sampler(), Reader(), panel.Buttons()
        self.key, self.lid = panel.key(), panel.lid()
        self.journal = Journal(Memory(4, 4096))
        made = profile(book, on)
        self.shoe = Shoe(self.journal, made)
        self.lamps = panel.Lamps(self.shoe)
        self.link = Link(bytes(8), 1, 1, self.journal, made, self.sampler, bytes)
        self.cards = 0
        self.sent = 0
        self._welcome()

    def _welcome(self):
        """Begin a session: the gateway asks and accepts the offer."""
        self._receive(b"\x80\0\0\0\0\0\0\0" + bytes(8) + b"gateway1")
        nonce = bytes(self.link._offer.shoe_nonce)
        self._receive(b"\x81\0\0\0\0\0\0\0" + PROTOCOL_HASH + nonce + bytes(4))
        assert self.link._welcomed

    def _receive(self, text):
        body, out = bytearray(64), bytearray(200)
        body[: len(text)] = text
        self.link.receive(out, encode(body, len(text), out, 0), 0)

    def turn(self):
        """Do one turn of the loop."""
        while self.sampler.get():
            self.sample()
        now_ms = self.sampler.now_ms
        self.shoe.watch_room(now_ms)
        self.lamps.outputs(self.shoe, now_ms)
        self.link._received_ms = now_ms
        self.link.pump(now_ms)
        self.sent += self.link.tx_size
        self.link.sent(self.link.tx_size)
        self.journal.acknowledge(self.journal.next_no - 1)
        self.journal.housekeep()

    def sample(self):
        """Process one change of the inputs."""
        sampler, reader, shoe = self.sampler, self.reader, self.shoe
        answer = reader.feed(sampler.t_us, sampler.pins)
        if answer != NOTHING:
            self.read(answer, reader)
        if self.lid.feed(sampler.t_us, sampler.pins):
            shoe.lid(sampler.now_ms, self.lid.on)
        if self.key.feed(sampler.t_us, sampler.pins):
            shoe.key(sampler.now_ms, self.key.on)
        pressed = self.buttons.feed(sampler.t_us, sampler.pins)
        if pressed:
            shoe.press(sampler.now_ms, pressed)

    def read(self, answer, reader):
        """Log what the reader returned."""
        now_ms, shoe = self.sampler.now_ms, self.shoe
        if answer == CARD:
            self.cards += 1
            shoe.card(now_ms, reader.card, reader.speed_mm_s, reader.margin_pct)
        elif answer == CUT:
            shoe.cutting_card(now_ms, reader.speed_mm_s, reader.margin_pct)
        elif answer == NOISE:
            shoe.noise(now_ms, reader.columns)
        else:
            shoe.reject(now_ms, reader.reason, reader.columns, reader.doubtful, reader.speed_mm_s, reader.margin_pct)

    def run(self, samples):
        """Play recorded samples with the heap locked."""
        micropython.heap_lock()
        try:
            for i in range(0, len(samples), 2):
                self.sampler.put(samples[i], samples[i + 1])
                self.turn()
        finally:
            micropython.heap_unlock()


EDGES = {
    "CUT": pull_cutting_card(),
    "CONFIRM": [(0, CONFIRM), (60_000, 0)],
    "PLAYER": [(0, PLAYER), (60_000, 0)],
    "NEW": [(0, NEW_SHOE), (60_000, 0)],
    "KEY": [(0, KEY), (100_000, KEY), (160_000, 0)],
    "LID": [(0, LID), (100_000, LID), (160_000, 0)],
    "BLANK": pull([]),
    "NOISE": [(0, 2), (300, 0), (400, 1), (500, 0), (90_000, 0)],
    "FOREIGN": pull(word(3, 2)),
}


def samples_of(steps):
    """Return times and pins, one after the other."""
    flat = []
    start_us = 0
    for step in steps.split():
        edges = EDGES[step] if step in EDGES else pull(word(number(step)))
        for t_us, pins in edges + [(250_000, 0)]:
            flat.append(start_us + t_us)
            flat.append(pins)
        start_us += 300_000
    return flat


def kinds(path):
    """Return the kinds of the events logged so far."""
    record = bytearray(RECORD)
    found = []
    for event_no in range(1, path.journal.next_no):
        path.journal.read(event_no, record)
        found.append(record[8])
    return found


def test_coups_burn_cutting_card_and_the_last_coup():
    path = Path("star-baccarat")
    coups = "NEW 4S 9S 2H TD 2D PLAYER CONFIRM 3S 4S 2D TC 5C 5D CONFIRM CUT 9H KD TC 5H CONFIRM CONFIRM"
    path.run(samples_of(coups))
    assert path.cards == 15
    found = kinds(path)
    assert found.count(wire.EV_COUP) == 3
    assert wire.EV_SHOE_CLOSED in found
    assert path.sent > 20 * path.journal.next_no


def test_every_irregularity_that_a_card_can_be():
    path = Path("crown-baccarat")
    path.run(samples_of("NEW 4S 6S 7H TD KD 8C 3S KEY CONFIRM KEY 2H CUT KC 3H CONFIRM"))
    found = kinds(path)
    assert found.count(wire.EV_IRREGULARITY) == 2
    assert wire.EV_COUP_KIND in found
    assert wire.EV_CUTTING_CARD in found


def test_faults_key_lid_noise_and_a_wrong_button():
    path = Path("star-baccarat")
    path.run(samples_of("NEW 4S 9S BLANK KEY NOISE LID KEY 2H 5S TD 2D 2C 2S PLAYER CONFIRM KEY CONFIRM NEW FOREIGN"))
    found = kinds(path)
    for kind in (
        wire.EV_FAULT,
        wire.EV_FAULT_CLEARED,
        wire.EV_KEY,
        wire.EV_LID,
        wire.EV_REJECT,
        wire.EV_IRREGULARITY,
        wire.EV_SHOE_CLOSED,
    ):
        assert kind in found, kind


def test_ordered_set_short_shoe_ninth_card_and_void():
    path = Path("star-baccarat")
    path.shoe.command(0, 1, wire.CMD_OPEN_SHOE, b"\x01\x00", 0, 2)
    path.run(samples_of("9S 9H 9D 9C CONFIRM 9S"))
    found = kinds(path)
    for kind in (wire.EV_ORDERED_SET, wire.EV_COUP_VOID, wire.EV_SHOE_CLOSED):
        assert kind in found, kind
    path.shoe.command(0, 2, wire.CMD_OPEN_SHOE, b"\x01\x00", 0, 2)
    path.shoe.state.cards_out = 50
    path.run(samples_of("2H 7D"))
    assert kinds(path)[-3:] == [wire.EV_IRREGULARITY, wire.EV_COUP_VOID, wire.EV_SHOE_CLOSED]


def test_a_checkpoint():
    path = Path("star-baccarat", on=("continuous",))
    path.shoe.command(0, 1, wire.CMD_OPEN_SHOE, b"\x08\x00", 0, 2)
    samples = samples_of("9S TH KD QC CONFIRM")
    for _ in range(30):
        path.run(samples)
    assert wire.EV_CHECKPOINT in kinds(path)


def test_a_deck_check():
    path = Path("star-baccarat")
    path.shoe.command(0, 1, wire.CMD_DECK_CHECK, b"\x01\x01", 0, 2)
    path.run(samples_of("9S TH KD BLANK QC"))
    assert path.shoe.state.cards_out == 4


def test_the_reader_allocates_nothing_whatever_it_sees():
    lid = 1024
    marks = strip(word(8))
    pulls = [
        pull(word(3)),
        pull(word(3), 10000),
        pull(word(3, 2)),
        pull([]),
        pull(word(3)[:9]),
        pull_cutting_card(),
        moved(marks, [-1000, 39500, 5000, 139000]),
        moved(marks, [-1000, 60000, -1000]),
        moved(marks, [-1000, 30000, -1000]),
        [(t_us + (30000 if t_us >= 88000 else 0), pins) for t_us, pins in pull(word(8))],
        pull(word(3))[:-2] + [(9000000, 0)],
        [(0, 2), (300, 0), (400, 1), (500, 0)],
        [(0, lid), (50000, 0)],
        [(t_us, pins ^ 2) for t_us, pins in pull(word(5))] + [(200000, 0)],
        [(i * 90, i % 16) for i in range(150)] + [(60000, 0)],
    ]
    reader = Reader()
    record = bytearray(64)
    seen = bytearray(16)
    start_us = 0x3FFFFFFF - 1000000
    micropython.heap_lock()
    try:
        for i in range(len(pulls)):
            start_us = (start_us + read_locked(reader, pulls[i], start_us, seen)) & 0x3FFFFFFF
        for sensor in range(4):
            reader.pack_wear(record, 0, 1, sensor)
    finally:
        micropython.heap_unlock()
    assert [reason for reason in range(16) if seen[reason]] == [0, 1, 2, 5, 6, 7, 9, 10, 11, 13, 14]


def read_locked(reader, pulled, start_us, seen):
    """Feed edges and note the reasons; return how long it took."""
    reader.reason = 0
    for i in range(len(pulled)):
        if reader.feed((start_us + pulled[i][0]) & 0x3FFFFFFF, pulled[i][1]):
            seen[reader.reason] = 1
            reader.reason = 0
    for still_us in (2000, 62000):
        if reader.feed((start_us + pulled[-1][0] + still_us) & 0x3FFFFFFF, 0):
            seen[reader.reason] = 1
            reader.reason = 0
    return pulled[-1][0] + 100000


def test_encoding_a_frame_allocates_nothing():
    body, out = bytearray(64), bytearray(200)
    micropython.heap_lock()
    try:
        end = encode(body, 40, out, 0)
    finally:
        micropython.heap_unlock()
    assert end == 40 + 2 + 1 + 1


def test_the_lock_would_catch_an_allocation():
    micropython.heap_lock()
    caught = False
    try:
        bytearray(64)
    except MemoryError:
        caught = True
    finally:
        micropython.heap_unlock()
    assert caught
