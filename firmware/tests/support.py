"""Shared by the firmware's tests: vectors, cards pulled past the sensors, flash in memory."""

import json

from sabot.wire import CARD_OF, SET_OF, WORDS

RANKS = "A23456789TJQK"
SUITS = "CDHS"
ENTRY, A, B, EXIT = 1, 2, 4, 8


def vectors(name):
    """Return a file of protocol/vectors."""
    with open("protocol/vectors/" + name + ".json") as file:
        return json.load(file)


def golden_coups():
    """Yield the coups of protocol/vectors: together they do not fit into the heap."""
    with open("protocol/vectors/coups.jsonl") as file:
        for line in file:
            yield json.loads(line)


def golden_frames(expect, layer=None):
    """Yield the frames of protocol/vectors to accept, or those to refuse in a layer."""
    with open("protocol/vectors/frames.jsonl") as file:
        for line in file:
            found = json.loads(line)
            if found["expect"] == expect and found.get("layer") == layer:
                yield found


def number(card):
    """Return the number 0..51 of a card such as `8H`."""
    return SUITS.index(card[1]) * 13 + RANKS.index(card[0])


def word(card, set_no=1):
    """Return a card's ten columns as track levels, from the first."""
    at = next(i for i in range(len(SET_OF)) if SET_OF[i] == set_no and CARD_OF[i] == card)
    value = WORDS[2 * at] | WORDS[2 * at + 1] << 8
    columns = []
    for _ in range(10):
        columns.insert(0, (A, B, A | B)[value % 3])
        value //= 3
    return columns


def pull(columns, us_per_mm=1000):
    """Return the edges [(t_us, pins)] of a card with these columns: 88 mm long, code sensors at 12 mm, exit at 50."""
    marks = []
    for column, tracks in enumerate(columns):
        marks.append((18000 + 2000 * column, tracks))
        marks.append((19000 + 2000 * column, 0))
    return edges(marks, us_per_mm)


def pull_cutting_card(us_per_mm=1000):
    """Return the edges of the cutting card: solid on both tracks."""
    return edges([(12000, A | B), (100000, 0)], us_per_mm)


def edges(marks, us_per_mm=1000):
    """Return the levels of all inputs by time for track levels by travel in micrometres."""
    found = []
    for um in sorted({0, 50000, 88000, 138000} | {um for um, _ in marks}):
        tracks = 0
        for at, level in marks:
            if at <= um:
                tracks = level
        ends = (ENTRY if um < 88000 else 0) | (EXIT if 50000 <= um < 138000 else 0)
        found.append((um * us_per_mm // 1000, ends | tracks))
    return found


def moved(marks, way):
    """Return the edges of a card whose leading edge goes through these places (um) at 1 m/s."""
    switches = {0: 1, 50000: 8, 88000: 1, 138000: 8}  # entry, exit
    for um, tracks in marks:
        switches[um] = switches.get(um, 0) | tracks
    found = []
    pins = t_us = 0
    here = way[0]
    for there in way[1:]:
        forwards = there > here
        for um in sorted(switches, reverse=not forwards):
            if here < um <= there or there < um <= here:
                pins ^= switches[um]
                found.append((t_us + abs(um - here), pins))
        t_us += abs(there - here)
        here = there
    return found


def strip(columns):
    """Return where the tracks change: (travel in um, tracks that change)."""
    switches = []
    for column, tracks in enumerate(columns):
        switches += [(18000 + 2000 * column, tracks), (19000 + 2000 * column, tracks)]
    return switches


def read(reader, pulled, start_us=0, still_us=2000):
    """Feed edges and a pause; return the last answer that was not NOTHING, and how many such answers came."""
    last = count = 0
    for t_us, pins in pulled + [(pulled[-1][0] + still_us, pulled[-1][1])]:
        answer = reader.feed((start_us + t_us) & 0x3FFFFFFF, pins)
        if answer:
            last = answer
            count += 1
    return last, count


class Memory:
    """Flash in memory: a medium for journal and store."""

    def __init__(self, sectors=3, sector_bytes=1024):
        self.sectors = sectors
        self.sector_bytes = sector_bytes
        self.data = bytearray(b"\xff" * (sectors * sector_bytes))
        self.erases = 0

    def read(self, at, buf):
        """Fill buf from this address on."""
        for i in range(len(buf)):
            buf[i] = self.data[at + i]

    def program(self, at, buf):
        """Clear the bits that are 0 in buf."""
        assert at // 256 == (at + len(buf) - 1) // 256
        for i in range(len(buf)):
            assert not buf[i] & ~self.data[at + i]
            self.data[at + i] = buf[i]

    def erase(self, sector):
        """Set all bits of a sector."""
        self.erases += 1
        for at in range(sector * self.sector_bytes, (sector + 1) * self.sector_bytes):
            self.data[at] = 0xFF
