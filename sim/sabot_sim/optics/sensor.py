"""One light sensor: where along the card its comparator switches, and when.

The spot of light averages the card over its width, so the edge of a mark is a ramp of that width; the comparator
switches where the ramp reaches the threshold. It is worked out from the knots of the ramps: nothing is sampled.
"""

import random
from bisect import bisect
from collections.abc import Sequence
from typing import NamedTuple

from sabot_protocol.cardcode import CARD_UM

from sabot_sim.optics.motion import Leg, Way, crossing_times_us
from sabot_sim.optics.strip import Strip

_BOUNCE_US = (2.0, 80.0)
_BOUNCES = (1, 4)
_HOVER_BOUNCES = (2, 12)


class Sensor(NamedTuple):
    """A sensor in one read. Signals are shares of the signal of a full mark with a new lamp."""

    pin: int
    at_um: float
    spot_um: float
    threshold: float
    gain: float
    response_us: float
    jitter_us: float
    crosstalk: float = 0.0  # share of the other track's signal that is added to its own


def switch_places_um(sensor: Sensor, strip: Strip, other: Strip) -> list[float]:
    """Return the places at which the comparator switches, ascending: on, off, on, …"""
    if not sensor.crosstalk:
        apart = _of_steps_apart(sensor, strip)
        if apart is not None:
            return apart
    knots = _knots(strip, sensor.spot_um, sensor.gain)
    if sensor.crosstalk:
        knots += _knots(other, sensor.spot_um, sensor.gain * sensor.crosstalk)
    knots.sort()
    return _crossings(knots, sensor.threshold, sensor.at_um)


def _of_steps_apart(sensor: Sensor, strip: Strip) -> list[float] | None:
    """Return the same several times faster if no two steps are under the spot together; otherwise None."""
    spot_um, needed, found = sensor.spot_um, sensor.threshold / sensor.gain, []
    shift_um, clear_um, before = sensor.at_um - spot_um / 2, float(-CARD_UM), 0.0
    for place_um, dark in strip:
        if place_um < clear_um:
            return None
        if (dark > needed) != (before > needed):
            found.append(place_um + shift_um + spot_um * (needed - before) / (dark - before))
        clear_um, before = place_um + spot_um, dark
    return found


def _knots(strip: Strip, spot_um: float, full: float) -> list[tuple[float, float]]:
    """Return (place, change of slope) of the signal: a step in darkness is a ramp as wide as the spot."""
    knots = []
    half_um, scale, before = spot_um / 2, full / spot_um, 0.0
    for place_um, dark in strip:
        slope = (dark - before) * scale
        knots.append((place_um - half_um, slope))
        knots.append((place_um + half_um, -slope))
        before = dark
    return knots


def _crossings(knots: list[tuple[float, float]], threshold: float, at_um: float) -> list[float]:
    """Return where the piecewise linear signal crosses the threshold."""
    found = []
    signal = slope = here_um = 0.0
    above = False
    for place_um, change in knots:
        reached = signal + slope * (place_um - here_um)
        if (reached > threshold) != above:
            found.append(at_um + here_um + (threshold - signal) / slope)
            above = not above
        signal, here_um = reached, place_um
        slope += change
    return found


def switch_times_us(sensor: Sensor, places_um: Sequence[float], legs: Sequence[Leg], rng: random.Random) -> list[float]:
    """Return when the output switches: each crossing delayed by the response time, plus or minus the jitter."""
    late_us, spread_us, chance = sensor.response_us - sensor.jitter_us, 2 * sensor.jitter_us, rng.random
    times = [t_us + late_us + spread_us * chance() for t_us in crossing_times_us(places_um, legs)]
    times.sort()
    return settled(times, sensor.response_us)


def settled(times_us: list[float], response_us: float) -> list[float]:
    """Return the times without pulses shorter than the response time."""
    kept: list[float] = []
    for t_us in times_us:
        if kept and t_us - kept[-1] < response_us:
            kept.pop()
        else:
            kept.append(t_us)
    return kept


def bounces_us(t_us: float, rng: random.Random) -> list[float]:
    """Return chatter just after an edge, as switch times."""
    return _pulses(t_us, rng.randint(*_BOUNCES), rng)


def hover_us(
    places_um: Sequence[float], rests: Sequence[tuple[float, Way]], near_um: float, rng: random.Random
) -> list[float]:
    """Return chatter while the card rests with an edge under the spot, as switch times."""
    times = []
    for arrival_us, way in rests:
        if bisect(places_um, way.x_um - near_um) < bisect(places_um, way.x_um + near_um):
            for _ in range(rng.randint(*_HOVER_BOUNCES)):
                times += _pulses(arrival_us + rng.random() * way.pause_us, 1, rng)
    return times


def _pulses(t_us: float, count: int, rng: random.Random) -> list[float]:
    times = []
    for _ in range(2 * count):
        t_us += rng.uniform(*_BOUNCE_US)
        times.append(t_us)
    return times
