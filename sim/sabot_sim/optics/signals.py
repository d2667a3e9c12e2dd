"""The signals of the four sensors as edges: ideal ones at constant speed, or with hand, dirt, wear and wiring."""

import random
from collections.abc import Iterable
from typing import NamedTuple
from zlib import crc32

from sabot_protocol.cardcode import CARD_UM, FIRST_MARK_UM, MARK_UM, PITCH_UM, SENSORS_UM

from sabot_sim.optics import mishaps
from sabot_sim.optics.profiles import PROFILES, Profile
from sabot_sim.optics.scene import ENTRY, EXIT, A, B, Scene, seen, set_up
from sabot_sim.stack import CUT

Edge = tuple[int, int]  # time in microseconds, level of all inputs from then on; before the first edge all are 0

_TRACKS = {"A": A, "B": B, "X": A | B}
_AT_UM = SENSORS_UM["a"]  # both code sensors
_MASK = (1 << 64) - 1


class Read(NamedTuple):
    """One read: what was done, the edges of the inputs, and the only card that may be the answer."""

    profile: str
    number: int
    kind: str
    truth: str | None  # `8H` or `CUT`; None: every card is a wrong answer
    edges: list[Edge]
    word: str
    notes: tuple[str, ...]


def read(profile: str, seed: int, number: int, card_set: int = 1) -> Read:
    """Return the read of this number; the same arguments give the same read."""
    if profile not in PROFILES:
        raise ValueError(f"unknown profile {profile!r}: expected one of {', '.join(PROFILES)}")
    rng = random.Random(_mix(seed, crc32(profile.encode()), number))
    scene = set_up(PROFILES[profile], rng, card_set)
    if scene.profile.mishaps:
        mishaps.befall(scene)
    edges = edges_of(seen(scene))
    truth = scene.card if scene.answerable else None
    return Read(profile, number, _kind(scene), truth, edges, scene.word, (scene.pull, *scene.notes))


def pull(profile: Profile, rng: random.Random, card: str, card_set: int) -> list[Edge]:
    """Return the edges of this card, or of the cutting card."""
    return edges_of(seen(set_up(profile, rng, card_set, card)))


def card_edges(word: str, speed_um_per_ms: int) -> list[Edge]:
    """Return the edges of a card with this code word at constant speed; time 0 is when it reaches the entry."""
    marks = [(FIRST_MARK_UM + column * PITCH_UM, MARK_UM, _TRACKS[track]) for column, track in enumerate(word)]
    return _ideal(marks, speed_um_per_ms)


def cutting_card_edges(speed_um_per_ms: int) -> list[Edge]:
    """Return the edges of the cutting card, which is solid on both tracks."""
    return _ideal([(0, CARD_UM, A | B)], speed_um_per_ms)


def edges_of(switches: Iterable[tuple[int, int]]) -> list[Edge]:
    """Return the levels after each change; switches at the same time make one edge."""
    edges: list[Edge] = []
    level, last_us, before = 0, -1, 0
    for t_us, pins in sorted(switches):
        if t_us != last_us:
            if level != before:
                edges.append((last_us, level))
            last_us, before = t_us, level
        level ^= pins
    if level != before:
        edges.append((last_us, level))
    return edges


def _ideal(marks: list[tuple[int, int, int]], speed_um_per_ms: int) -> list[Edge]:
    places = [(SENSORS_UM["entry"], CARD_UM, ENTRY), (SENSORS_UM["exit"], CARD_UM, EXIT)]
    places += [(_AT_UM + start_um, length_um, pins) for start_um, length_um, pins in marks]
    ends = [(x_um, pins) for start_um, length_um, pins in places for x_um in (start_um, start_um + length_um)]
    return edges_of((x_um * 1000 // speed_um_per_ms, pins) for x_um, pins in ends)


def _kind(scene: Scene) -> str:
    plain = "cutting_card" if scene.card == CUT else "card"
    return next((kind for kind in mishaps.KINDS if kind in scene.kinds), plain)


def _mix(*numbers: int) -> int:
    """Return a 64-bit seed; any change of any number changes all of it."""
    mixed = 0
    for number in numbers:
        mixed = (mixed ^ number) * 0x9E3779B97F4A7C15 & _MASK
        mixed = (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9 & _MASK
        mixed ^= mixed >> 32
    return mixed
