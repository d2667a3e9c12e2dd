"""The card path allocates nothing: sampler, reader, shoe, journal and frame with the heap locked."""

import micropython
from sabot import panel
from sabot.card import CARD, CUT, Reader
from sabot.frame import encode
from sabot.journal import RECORD, Count, Journal
from sabot.link import Link
from sabot.profile import Profile
from sabot.sampler import Sampler
from sabot.shoe import COMPLETE, Shoe
from support import Memory, moved, number, pull, pull_cutting_card, strip, word


def deal(samples, sampler, reader, shoe, buttons, link):
    """The loop of main.py on recorded samples: every coup is confirmed, every event sent."""
    count = 0
    for i in range(0, len(samples), 2):
        sampler.put(samples[i], samples[i + 1])
        while sampler.get():
            answer = reader.feed(sampler.t_us, sampler.pins)
            if answer == CARD:
                shoe.card(sampler.now_ms, reader.card, reader.speed_mm_s, reader.margin_pct)
                count += 1
            elif answer == CUT:
                shoe.cutting_card(sampler.now_ms, reader.speed_mm_s, reader.margin_pct)
            buttons.feed(sampler.pins)
            if shoe.state == COMPLETE:
                panel.outputs(shoe)
                shoe.confirm(sampler.now_ms)
        link.pump(sampler.now_ms)
        link.sent(link.tx_size)
    return count


def samples_of(cards):
    """Times and pins, one after the other."""
    flat = []
    start_us = 0
    for card in cards:
        edges = pull_cutting_card() if card == "CUT" else pull(word(number(card)))
        for t_us, pins in edges:
            flat.append(start_us + t_us)
            flat.append(pins)
        start_us += 300000
    return flat + [start_us, 0]


def test_the_card_path_allocates_nothing():
    sampler, reader, buttons = Sampler(), Reader(), panel.Buttons()
    journal = Journal(Memory(512, RECORD), 512)
    profile = Profile(6)
    profile.load(bytes(16) + bytes([1, 8, 1, 1]), 0)
    shoe = Shoe(journal, profile, Count(Memory(1, 4), 0))
    link = Link(bytes(8), 1, 1, journal, profile, sampler, None)
    shoe.new_shoe(0)
    samples = samples_of(["4S", "9S", "2H", "TD", "2D", "3S", "4S", "2D", "TC", "CUT", "8H", "KD", "6C", "5C"])
    micropython.heap_lock()
    try:
        count = deal(samples, sampler, reader, shoe, buttons, link)
    finally:
        micropython.heap_unlock()
    assert count == 13
    assert shoe.coup_no > 1


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
    """Feed edges and note the reasons; how long it took."""
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
