"""Mishaps beyond dirt and wear: each changes the scene of one read."""

from collections.abc import Callable
from typing import NamedTuple

from sabot_protocol.cardcode import CARD_UM, COLUMNS, LETTERS, LID_PIN, MARK_UM, SETS

from sabot_sim.optics import pulls, strip
from sabot_sim.optics.motion import LEFT_UM, crossing_times_us, duration_us, legs_of, log_uniform
from sabot_sim.optics.scene import ENTRY, EXIT, SENSOR_PINS, A, B, Scene, any_card, next_card
from sabot_sim.optics.strip import Tracks
from sabot_sim.stack import CUT

LID = 1 << LID_PIN

# The kind of a read is the first of these that applies; otherwise it is a card or the cutting card.
KINDS = (
    *("noise", "double", "lid_open", "foreign", "blank"),
    *("pushed_back", "pushed_back_midway", "short_pull", "half_drawn"),
    *("lost_presence", "lost_track", "missing_mark", "extra_mark", "jerk_back"),
)

_NAMES = dict(zip(SENSOR_PINS, ("entry", "A", "B", "exit"), strict=True))
_OFFSET_UM = (15_000, 80_000)
_GAP_UM = (500, 40_000)
_FLICKER_US = (100, 50_000)
_JUST_UM = 1_000.0  # inside entry or exit by more than the width of any spot


class Mishap(NamedTuple):
    """A mishap and its aspect: two mishaps of a read never share an aspect; those without one may repeat."""

    befall: Callable[[Scene], None]
    aspects: frozenset[str] = frozenset()


def befall(scene: Scene) -> None:
    """Draw mishaps of the profile and apply them to the scene."""
    profile, rng = scene.profile, scene.rng
    drawn = rng.sample(profile.mishaps, rng.randint(*profile.mishap_count))
    taken = set[str]()
    for mishap in (MISHAPS[name] for name in sorted(drawn, key=_ORDER.__getitem__)):
        if taken.isdisjoint(mishap.aspects):
            mishap.befall(scene)
            taken |= mishap.aspects


def noise(scene: Scene) -> None:
    """No card: bursts, and light that flickers on one or two sensors."""
    scene.word, scene.tracks, scene.presence = "", strip.blank(), []
    scene.draw(scene.path, "nothing drawn")
    scene.spoil("no card", "noise")
    for _ in range(scene.rng.randint(0, 3)):
        width_us = log_uniform(scene.rng, *_FLICKER_US)
        scene.pulse(scene.rng.uniform(0, duration_us(scene.path)), width_us, scene.rng.choice(SENSOR_PINS))
    burst(scene)


def foreign(scene: Scene) -> None:
    """A good card of another set."""
    others = [card_set for card_set in range(1, SETS + 1) if card_set != scene.card_set]
    card_set, card = scene.rng.choice(others), any_card(scene.rng)
    scene.word, scene.tracks = scene.print_card(card, card_set)
    scene.spoil(f"{card} of set {card_set}", "foreign")


def blank(scene: Scene) -> None:
    """A face-up card, or any that shows no marks."""
    scene.word, scene.tracks = "", strip.blank()
    scene.spoil("no marks", "blank")


def double(scene: Scene) -> None:
    """Two cards that overlap; the one on the face side hides the strip of the other where it covers it.

    Two cards exactly on top of each other are no case here: these four sensors see one card then.
    """
    offset_um, second_on_face = scene.rng.uniform(*_OFFSET_UM), scene.rng.random() < 0.5
    text, tracks = _second(scene)
    scene.tracks = strip.over(scene.tracks, tracks, offset_um, second_on_face)
    scene.presence = [(0.0, 1.0), (CARD_UM + offset_um, 0.0)]
    face = "second" if second_on_face else "first"
    scene.spoil(f"{text} {offset_um / 1000:.1f} mm behind, {face} on the face side", "double")


def following(scene: Scene) -> None:
    """A second card that comes in before the first has left."""
    gap_um = log_uniform(scene.rng, *_GAP_UM)
    text, tracks = _second(scene)
    start_um = CARD_UM + gap_um
    scene.tracks = strip.over(scene.tracks, tracks, start_um, second_on_face=False)
    scene.presence = [(0.0, 1.0), (CARD_UM, 0.0), (start_um, 1.0), (start_um + CARD_UM, 0.0)]
    scene.spoil(f"{text} follows {gap_um / 1000:.1f} mm behind", "double")


def _second(scene: Scene) -> tuple[str, Tracks]:
    card = next_card(scene.rng)
    return card, scene.print_card(card, scene.card_set)[1]


def missing_mark(scene: Scene) -> None:
    """A mark of the word is not printed."""
    marks = [(column, track) for column, letter in enumerate(scene.word) for track in (0, 1) if _has(letter, track)]
    if marks:
        column, track = scene.rng.choice(marks)
        _change_track(scene, track, strip.without_mark(scene.tracks[track], column))
        scene.note(f"no mark in column {column} on {'AB'[track]}", "missing_mark")


def extra_mark(scene: Scene) -> None:
    """A surplus mark: at a free place of the grid, or one pitch outside the code, or off the grid."""
    if scene.presence and (scene.word or scene.card != CUT):
        track = scene.rng.randrange(2)
        on_grid = scene.rng.random() < 0.6
        start_um = _free_um(scene, track) if on_grid else scene.rng.uniform(0, CARD_UM - 2_000)
        length_um = MARK_UM if on_grid else scene.rng.uniform(300, 1_500)
        _change_track(scene, track, strip.with_mark(scene.tracks[track], start_um, length_um))
        scene.note(f"mark of {length_um:.0f} um at {start_um / 1000:.1f} mm on {'AB'[track]}", "extra_mark")


def _free_um(scene: Scene, track: int) -> float:
    taken = {column for column, letter in enumerate(scene.word) if _has(letter, track)}
    return strip.column_um(scene.rng.choice([column for column in range(-1, COLUMNS + 1) if column not in taken]))


def _has(letter: str, track: int) -> bool:
    return letter in (LETTERS[track], LETTERS[2])


def _change_track(scene: Scene, track: int, changed: strip.Strip) -> None:
    scene.tracks = Tracks(changed, scene.tracks.b) if track == 0 else Tracks(scene.tracks.a, changed)


def lost_track(scene: Scene) -> None:
    """One code sensor is dead, or stuck, for the whole read."""
    _lose(scene, scene.rng.choice((A, B)), "lost_track")


def lost_presence(scene: Scene) -> None:
    """Entry or exit sensor is dead, or stuck, for the whole read."""
    _lose(scene, scene.rng.choice((ENTRY, EXIT)), "lost_presence")


def _lose(scene: Scene, pin: int, kind: str) -> None:
    scene.lost |= pin
    how = scene.rng.choice(("stuck", "dead"))
    if how == "stuck":
        scene.stuck |= pin
    scene.note(f"{_NAMES[pin]} {how}", kind)


def total_crosstalk(scene: Scene) -> None:
    """One code sensor, or both, sees the other track nearly as well as its own."""
    for pin in scene.rng.choice(((A,), (B,), (A, B))):
        scene.crosstalk[pin] = scene.rng.uniform(0.5, 1.0)
    scene.note(f"crosstalk {scene.crosstalk[A]:.2f} into A, {scene.crosstalk[B]:.2f} into B")


def strong_skew(scene: Scene) -> None:
    """The card is tilted: 0.3 to 0.5 mm between the tracks."""
    scene.skew_um = scene.rng.choice((-1, 1)) * scene.rng.uniform(300, 500)
    scene.note(f"skew {scene.skew_um:.0f} um")


def burst(scene: Scene) -> None:
    """Dozens of spikes within some ms, on some inputs or all."""
    rng = scene.rng
    pins = rng.sample(SENSOR_PINS, rng.randint(1, len(SENSOR_PINS)))
    start_us = rng.uniform(0, duration_us(scene.path))
    length_us, count = log_uniform(rng, 500, 20_000), rng.randint(5, 60)
    for _ in range(count):
        scene.spike(start_us, start_us + length_us, rng.choice(pins))
    scene.note(f"burst of {count} at {start_us / 1000:.1f} ms")


def lid_open(scene: Scene) -> None:
    """The lid is opened while the card is on its way, and perhaps closed again."""
    rng = scene.rng
    start_us = int(rng.uniform(*_on_its_way_us(scene)))
    scene.switches.append((start_us, LID))
    if rng.random() < 0.5:
        scene.switches.append((start_us + rng.randint(200_000, 2_000_000), LID))
    scene.spoil(f"lid opened at {start_us / 1000:.1f} ms", "lid_open")


def _on_its_way_us(scene: Scene) -> tuple[float, float]:
    """Return the times when the card last came in and when it left, or the end if it did not leave."""
    legs = legs_of(scene.path)
    came_us, left_us = crossing_times_us([_JUST_UM], legs), crossing_times_us([LEFT_UM - _JUST_UM], legs)
    return (came_us or [0.0])[-1], (left_us or [duration_us(scene.path)])[-1]


_CARD, _HAND, _SENSOR = frozenset({"card"}), frozenset({"hand"}), frozenset({"sensor"})

# In the order in which they are applied: the card, then the hand, then what needs the duration of the read.
MISHAPS = {
    "noise": Mishap(noise, _CARD | _HAND),
    "foreign": Mishap(foreign, _CARD),
    "blank": Mishap(blank, _CARD),
    "double": Mishap(double, _CARD),
    "following": Mishap(following, _CARD),
    "missing_mark": Mishap(missing_mark),
    "extra_mark": Mishap(extra_mark),
    "pushed_back": Mishap(pulls.pushed_back, _HAND),
    "pushed_back_midway": Mishap(pulls.pushed_back_midway, _HAND),
    "short_pull": Mishap(pulls.short_pull, _HAND),
    "half_drawn": Mishap(pulls.half_drawn, _HAND),
    "jerk_back": Mishap(pulls.jerk_back, _HAND),
    "pauses": Mishap(pulls.pauses, _HAND),
    "lost_track": Mishap(lost_track, _SENSOR),
    "lost_presence": Mishap(lost_presence, _SENSOR),
    "total_crosstalk": Mishap(total_crosstalk),
    "strong_skew": Mishap(strong_skew),
    "burst": Mishap(burst),
    "lid_open": Mishap(lid_open),
}
_ORDER = {name: order for order, name in enumerate(MISHAPS)}
