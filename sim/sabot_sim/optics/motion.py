"""How a hand moves a card: waypoints, made into monotone legs, so that each crossing of a place has its time.

Places are the travel of the leading edge past the entry sensor, in micrometres; a speed of 1 m/s is 1 um a microsecond.
"""

import math
import random
from bisect import bisect
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from sabot_protocol.cardcode import CARD_UM, SENSORS_UM

LEFT_UM = SENSORS_UM["exit"] + CARD_UM  # the trailing edge leaves the exit sensor here

_SLOW_M_S, _FAST_M_S = 0.1, 3.0
_GENTLE = 2.0  # most that the speed changes in a gentle pull
_WAVER, _WAVER_STEP_UM = 0.1, 6_000
_BELL = tuple((place / 6, math.sin(math.pi * place / 6) ** 2) for place in range(7))


class Way(NamedTuple):
    """A waypoint: place, speed there, and how long the card rests there."""

    x_um: float
    speed_m_s: float
    pause_us: float = 0.0


class Leg(NamedTuple):
    """A stretch at constant acceleration in one direction; `bend` is the change of squared speed per um."""

    start_us: float
    from_um: float
    to_um: float
    speed_m_s: float
    bend: float


Path = list[Way]


def arrivals_us(path: Path) -> list[float]:
    """Return when the card reaches each waypoint, from the start of the motion."""
    times = [0.0]
    for here, there in pairwise(path):
        way_um = abs(there.x_um - here.x_um)
        moving_us = 2 * way_um / (here.speed_m_s + there.speed_m_s) if way_um else 0.0
        times.append(times[-1] + here.pause_us + moving_us)
    return times


def duration_us(path: Path) -> float:
    """Return the duration of the motion, pauses included."""
    return arrivals_us(path)[-1] + path[-1].pause_us


def rests_of(path: Path) -> list[tuple[float, Way]]:
    """Return the waypoints at which the card rests, each with the time it arrives."""
    if not any(way.pause_us for way in path):
        return []
    return [(t_us, way) for t_us, way in zip(arrivals_us(path), path, strict=True) if way.pause_us]


def legs_of(path: Path) -> list[Leg]:
    """Return the legs between the waypoints, timed from the start of the motion."""
    legs = []
    for arrival_us, (here, there) in zip(arrivals_us(path), pairwise(path), strict=False):
        way_um = abs(there.x_um - here.x_um)
        if way_um:
            bend = (there.speed_m_s**2 - here.speed_m_s**2) / way_um
            legs.append(Leg(arrival_us + here.pause_us, here.x_um, there.x_um, here.speed_m_s, bend))
    return legs


def crossing_times_us(places_um: Sequence[float], legs: Sequence[Leg]) -> list[float]:
    """Return when each place is crossed, in either direction, in time order; the places ascend."""
    times: list[float] = []
    sqrt = math.sqrt
    for start_us, from_um, to_um, speed, bend in legs:
        first, last = bisect(places_um, from_um), bisect(places_um, to_um)
        if first <= last:
            ways_um = [place_um - from_um for place_um in places_um[first:last]]
        else:
            ways_um = [from_um - place_um for place_um in places_um[last:first][::-1]]
        squared = speed * speed  # `abs` below: a leg that ends at rest may round to just below 0
        times += [start_us + 2 * way_um / ((speed + sqrt(abs(squared + bend * way_um))) or 1.0) for way_um in ways_um]
    return times


def constant(rng: random.Random, slow_m_s: float, fast_m_s: float) -> Path:
    """Constant speed from before the entry until the card has left."""
    return _straight(rng, *[log_uniform(rng, slow_m_s, fast_m_s)] * 2)


def accelerating(rng: random.Random, slow_m_s: float, fast_m_s: float) -> Path:
    """Gently faster, at constant acceleration."""
    return _straight(rng, *_two_speeds(rng, slow_m_s, fast_m_s))


def decelerating(rng: random.Random, slow_m_s: float, fast_m_s: float) -> Path:
    """Gently slower, at constant acceleration."""
    return _straight(rng, *_two_speeds(rng, slow_m_s, fast_m_s)[::-1])


def from_rest(rng: random.Random, slow_m_s: float, fast_m_s: float) -> Path:
    """From rest a few mm before the entry, at constant acceleration; the entry is passed at the slow speed at least."""
    lead_um = rng.uniform(3_000, 8_000)
    end_um = LEFT_UM + rng.uniform(2_000, 8_000)
    gain = math.sqrt((end_um + lead_um) / lead_um)
    last_m_s = log_uniform(rng, min(slow_m_s * gain, fast_m_s), fast_m_s)
    return [Way(-lead_um, 0.0), Way(end_um, last_m_s)]


def s_shaped(rng: random.Random, slow_m_s: float, fast_m_s: float) -> Path:
    """Smoothly faster to the middle and slower again."""
    low_m_s, high_m_s = _two_speeds(rng, slow_m_s, fast_m_s)
    start_um, way_um = _reach(rng)
    return [Way(start_um + way_um * share, low_m_s + (high_m_s - low_m_s) * rise) for share, rise in _BELL]


def wavering(rng: random.Random, slow_m_s: float, fast_m_s: float) -> Path:
    """One speed that wavers by up to a tenth, in waves of 20 to 160 mm."""
    start_um, way_um = _reach(rng)
    speed_m_s = log_uniform(rng, slow_m_s / (1 - _WAVER), fast_m_s / (1 + _WAVER))
    wave_um, phase = rng.uniform(20_000, 160_000), rng.uniform(0, math.tau)
    depth_m_s = speed_m_s * rng.uniform(0, _WAVER)
    parts = math.ceil(way_um / _WAVER_STEP_UM)
    places_um = [start_um + way_um * part / parts for part in range(parts + 1)]
    return [Way(x_um, speed_m_s + depth_m_s * math.sin(math.tau * x_um / wave_um + phase)) for x_um in places_um]


def erratic(rng: random.Random, slow_m_s: float, fast_m_s: float) -> Path:
    """Always forwards, at a speed that changes at random on the way."""
    start_um, way_um = _reach(rng)
    parts = rng.randint(3, 6)
    speed_m_s = log_uniform(rng, slow_m_s, fast_m_s)
    path = []
    for part in range(parts + 1):
        path.append(Way(start_um + way_um * part / parts, speed_m_s))
        speed_m_s = min(max(speed_m_s * rng.uniform(0.5, 2.0), slow_m_s), fast_m_s)
    return path


def through(rng: random.Random, rests_um: Sequence[tuple[float, float]], end_um: float, stay: bool = False) -> Path:
    """Move from rest to rest (place, pause in us), each move with its own speed; end at `end_um`, at rest if asked."""
    hand_m_s2 = rng.uniform(20, 80)
    path = [Way(-rng.uniform(2_000, 8_000), 0.0)]
    for x_um, pause_us in rests_um:
        path += move(path[-1].x_um, x_um, log_uniform(rng, _SLOW_M_S, _FAST_M_S), hand_m_s2, pause_us)
    last_m_s = log_uniform(rng, _SLOW_M_S, _FAST_M_S)
    return path + move(path[-1].x_um, end_um, last_m_s, hand_m_s2, stop=stay)


def move(
    from_um: float, to_um: float, speed_m_s: float, hand_m_s2: float, pause_us: float = 0.0, stop: bool = True
) -> Path:
    """Move from rest to a place: accelerate, continue, and stop there or pass it."""
    way_um = abs(to_um - from_um)
    if not way_um:
        return [Way(to_um, 0.0, pause_us)]
    run_um = min(speed_m_s**2 / (2e-6 * hand_m_s2), way_um / 2)
    peak_m_s = math.sqrt(2e-6 * hand_m_s2 * run_um)
    step_um = math.copysign(run_um, to_um - from_um)
    speeds = [Way(from_um + step_um, peak_m_s), Way(to_um - step_um, peak_m_s)]
    return [*speeds, Way(to_um, 0.0 if stop else peak_m_s, pause_us)]


def log_uniform(rng: random.Random, low: float, high: float) -> float:
    """Return a log-uniform number: as often between 1 and 2 as between 2 and 4."""
    return float(low * (high / low) ** rng.random())


def _two_speeds(rng: random.Random, slow_m_s: float, fast_m_s: float) -> tuple[float, float]:
    low_m_s = log_uniform(rng, slow_m_s, fast_m_s)
    return low_m_s, min(low_m_s * rng.uniform(1.0, _GENTLE), fast_m_s)


def _straight(rng: random.Random, first_m_s: float, last_m_s: float) -> Path:
    start_um, way_um = _reach(rng)
    return [Way(start_um, first_m_s), Way(start_um + way_um, last_m_s)]


def _reach(rng: random.Random) -> tuple[float, float]:
    """Return where a whole pull begins, and how long it is."""
    start_um = -rng.uniform(2_000, 8_000)
    return start_um, LEFT_UM + rng.uniform(2_000, 8_000) - start_um


MOTIONS = {
    "constant": constant,
    "accelerating": accelerating,
    "decelerating": decelerating,
    "from_rest": from_rest,
    "s_shaped": s_shaped,
    "wavering": wavering,
    "erratic": erratic,
}
