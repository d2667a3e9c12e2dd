"""The scene of one read: card, hand, sensors and wiring, and the switches of the inputs that follow."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from sabot_protocol.cardcode import CARD_UM, PINS, SENSORS_UM, set_words
from sabot_protocol.cards import DECK

from sabot_sim.optics import strip
from sabot_sim.optics.dirt import soiled
from sabot_sim.optics.motion import LEFT_UM, MOTIONS, Path, Way, duration_us, legs_of, rests_of
from sabot_sim.optics.profiles import Profile
from sabot_sim.optics.sensor import Sensor, bounces_us, hover_us, switch_places_um, switch_times_us
from sabot_sim.optics.strip import Strip, Tracks
from sabot_sim.stack import CUT

ENTRY, A, B, EXIT = (1 << PINS[name] for name in ("entry", "a", "b", "exit"))
SENSOR_PINS = (ENTRY, A, B, EXIT)

Switch = tuple[int, int]  # time in us, the inputs that change

_CUT_SHARE = 0.01
_HOVER_UM = 15  # a mark edge that rests this near the switching point chatters
_STUCK_AFTER_US = 5_000


@dataclass(slots=True)
class Scene:
    """What happens in one read."""

    profile: Profile
    rng: random.Random
    card_set: int
    card: str
    word: str  # of the leading card; empty for a cutting card, a blank one, or no card
    tracks: Tracks
    presence: Strip
    path: Path
    pull: str  # what the hand does, as text
    skew_um: float
    crosstalk: dict[int, float]
    lost: int = 0  # inputs that do not follow their sensor
    stuck: int = 0  # those of the lost inputs that stay on
    answerable: bool = True  # a card of this set leaves whole and alone
    kinds: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    switches: list[Switch] = field(default_factory=list)  # caused by the wiring, not by the sensors

    def note(self, text: str, kind: str = "") -> None:
        """Note what was done, and the kind that the read gets by it."""
        self.notes.append(text)
        if kind:
            self.kinds.add(kind)

    def spoil(self, text: str, kind: str) -> None:
        """Note something after which no card is a right answer."""
        self.note(text, kind)
        self.answerable = False

    def draw(self, path: Path, pull: str) -> None:
        """Replace the profile's motion."""
        self.path, self.pull = path, pull

    def print_card(self, card: str, card_set: int) -> tuple[str, Tracks]:
        """Return code word and tracks of a card, or of the cutting card, as this profile prints them."""
        if card == CUT:
            return "", strip.solid()
        word = words(card_set)[card]
        return word, strip.printed(word, self.profile.print_tolerance_um, self.profile.palest_mark, self.rng)

    def pulse(self, t_us: float, width_us: float, pins: int) -> None:
        """Invert inputs for a while."""
        start_us = max(0, int(t_us))
        self.switches += [(start_us, pins), (start_us + max(1, round(width_us)), pins)]

    def spike(self, from_us: float, to_us: float, pin: int = 0) -> None:
        """Add an electrical spike at some time, on this or any input."""
        pin = pin or self.rng.choice(SENSOR_PINS)
        self.pulse(self.rng.uniform(from_us, to_us), self.rng.uniform(*self.profile.spike_us), pin)


@cache
def words(card_set: int) -> dict[str, str]:
    """Return the code words of a set by card."""
    return set_words(card_set)


def set_up(profile: Profile, rng: random.Random, card_set: int, card: str | None = None) -> Scene:
    """Return the scene of this card, or of a random one, drawn as the profile describes."""
    card = next_card(rng) if card is None else card
    motion = profile.motions[int(rng.random() * len(profile.motions))]
    path = MOTIONS[motion](rng, *profile.speed_m_s)
    skew_um = profile.skew_um * (2 * rng.random() - 1)
    crosstalk = {A: rng.uniform(*profile.crosstalk), B: rng.uniform(*profile.crosstalk)}
    presence: Strip = [(0.0, 1.0), (CARD_UM, 0.0)]
    speeds_m_s = [way.speed_m_s for way in path]
    pull = f"{motion}, {min(speeds_m_s):.2f} to {max(speeds_m_s):.2f} m/s"
    scene = Scene(profile, rng, card_set, card, "", strip.blank(), presence, path, pull, skew_um, crosstalk)
    scene.word, scene.tracks = scene.print_card(card, card_set)
    return scene


def next_card(rng: random.Random) -> str:
    """Return any of the 52 cards, or sometimes the cutting card."""
    return CUT if rng.random() < _CUT_SHARE else any_card(rng)


def any_card(rng: random.Random) -> str:
    """Return any of the 52 cards."""
    return DECK[int(rng.random() * len(DECK))]


def seen(scene: Scene) -> list[Switch]:
    """Return every switch of every input, in no order."""
    if scene.presence:
        scene.tracks = soiled(scene.tracks, scene.profile, scene.rng)
    run_out(scene)
    legs, rests = legs_of(scene.path), rests_of(scene.path)
    for sensor, under, other in _sensors(scene):
        if not sensor.pin & scene.lost:
            places_um = switch_places_um(sensor, under, other)
            times_us = switch_times_us(sensor, places_um, legs, scene.rng)
            if scene.profile.chatter_share:
                times_us += _chatter(scene, sensor, times_us) + hover_us(places_um, rests, _HOVER_UM, scene.rng)
            pin = sensor.pin
            scene.switches += [(int(t_us), pin) for t_us in times_us]
    _disturb(scene)
    return scene.switches


def run_out(scene: Scene) -> None:
    """Extend a pull that takes the first card out until a following card is out too."""
    last = scene.path[-1]
    behind_um = scene.presence[-1][0] - CARD_UM if scene.presence else 0
    if behind_um > 0 and last.x_um >= LEFT_UM:
        scene.path = [*scene.path, Way(last.x_um + behind_um, last.speed_m_s)]


def _sensors(scene: Scene) -> Iterator[tuple[Sensor, Strip, Strip]]:
    """Yield each sensor of this read, the strip under it, and the strip of the other track."""
    profile, rng = scene.profile, scene.rng
    spot_um, lamp = rng.uniform(*profile.spot_um), rng.uniform(*profile.lamp_gain)
    window = rng.uniform(*profile.window_gain)
    gain_a, gain_b = (lamp * window, lamp) if rng.random() < 0.5 else (lamp, lamp * window)
    a, b = scene.tracks
    yield _sensor(scene, ENTRY, SENSORS_UM["entry"], spot_um, lamp), scene.presence, []
    yield _sensor(scene, A, SENSORS_UM["a"], spot_um, gain_a), a, b
    yield _sensor(scene, B, SENSORS_UM["b"] + scene.skew_um, spot_um, gain_b), b, a
    yield _sensor(scene, EXIT, SENSORS_UM["exit"], spot_um, lamp), scene.presence, []


def _sensor(scene: Scene, pin: int, at_um: float, spot_um: float, gain: float) -> Sensor:
    profile, chance = scene.profile, scene.rng.random
    threshold = profile.threshold * (1 + profile.threshold_drift * (2 * chance() - 1))
    quickest_us, slowest_us = profile.response_us
    response_us = quickest_us + (slowest_us - quickest_us) * chance()
    return Sensor(pin, at_um, spot_um, threshold, gain, response_us, profile.jitter_us, scene.crosstalk.get(pin, 0.0))


def _chatter(scene: Scene, sensor: Sensor, times_us: list[float]) -> list[float]:
    """Return bounces at some of the presence edges."""
    share, rng = scene.profile.chatter_share, scene.rng
    if not sensor.pin & (ENTRY | EXIT):
        return []
    return [more_us for t_us in times_us if rng.random() < share for more_us in bounces_us(t_us, rng)]


def _disturb(scene: Scene) -> None:
    """Add the profile's spikes, and inputs that stay on."""
    if scene.rng.random() < scene.profile.spike_share:
        end_us = duration_us(scene.path)
        for _ in range(scene.rng.randint(*scene.profile.spikes)):
            scene.spike(0, end_us)
    if scene.stuck:
        scene.pulse(0, duration_us(scene.path) + _STUCK_AFTER_US, scene.stuck)
