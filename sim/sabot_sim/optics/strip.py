"""Strips: what is on a card along one track, marks as printed and what covers them."""

import random
from bisect import bisect_left
from typing import NamedTuple

from sabot_protocol.cardcode import CARD_UM, COLUMNS, FIRST_MARK_UM, MARK_UM, PITCH_UM

# (place behind the leading edge in um, darkness from there on), ascending; white (0) before the first place.
Strip = list[tuple[float, float]]

_AROUND_UM = 300  # what a missing mark leaves out, on either side


class Tracks(NamedTuple):
    """The strips under the two code sensors."""

    a: Strip
    b: Strip


def blank() -> Tracks:
    """Return the tracks of a card without marks: face up, or not of any set."""
    return Tracks([], [])


def solid() -> Tracks:
    """Return the tracks of the cutting card."""
    return Tracks([(0.0, 1.0), (CARD_UM, 0.0)], [(0.0, 1.0), (CARD_UM, 0.0)])


def printed(word: str, tolerance_um: float, palest: float, rng: random.Random) -> Tracks:
    """Return a printed code word: mark edges off by up to the tolerance, contrast between the palest and full."""
    a: Strip = []
    b: Strip = []
    chance, spread_um, paler = rng.random, 2 * tolerance_um, 1 - palest
    start_um = FIRST_MARK_UM - tolerance_um
    for letter in word:
        if letter != "B":
            a.append((start_um + spread_um * chance(), 1 - paler * chance()))
            a.append((start_um + MARK_UM + spread_um * chance(), 0.0))
        if letter != "A":
            b.append((start_um + spread_um * chance(), 1 - paler * chance()))
            b.append((start_um + MARK_UM + spread_um * chance(), 0.0))
        start_um += PITCH_UM
    return Tracks(a, b)


def coated(strip: Strip, start_um: float, end_um: float, opacity: float, dark: float) -> Strip:
    """Return the strip with a layer over a stretch; at opacity 1 only the layer shows, at 0 only what is below."""
    first, last = bisect_left(strip, (start_um,)), bisect_left(strip, (end_um,))
    below = [(start_um, strip[first - 1][1] if first else 0.0), *strip[first:last]]
    layer = [(place_um, under * (1 - opacity) + dark * opacity) for place_um, under in below]
    return [*strip[:first], *layer, (end_um, below[-1][1]), *strip[last:]]


def clipped(strip: Strip, start_um: float, end_um: float) -> Strip:
    """Return only a stretch of the strip."""
    if start_um >= end_um:
        return []
    first, last = bisect_left(strip, (start_um,)), bisect_left(strip, (end_um,))
    return [(start_um, strip[first - 1][1] if first else 0.0), *strip[first:last], (end_um, 0.0)]


def shifted(strip: Strip, by_um: float) -> Strip:
    """Return the strip moved back."""
    return [(place_um + by_um, dark) for place_um, dark in strip]


def without_mark(strip: Strip, column: int) -> Strip:
    """Return the strip without one mark."""
    start_um = column_um(column)
    return coated(strip, start_um - _AROUND_UM, start_um + MARK_UM + _AROUND_UM, 1.0, 0.0)


def with_mark(strip: Strip, start_um: float, length_um: float = MARK_UM) -> Strip:
    """Return the strip with one mark more."""
    return coated(strip, start_um, start_um + length_um, 1.0, 1.0)


def column_um(column: int) -> float:
    """Return where a column's marks start; columns -1 and COLUMNS are one pitch outside the code."""
    if not -1 <= column <= COLUMNS:
        raise ValueError(f"column {column}: the code has 0 to {COLUMNS - 1}, and one pitch on either side")
    return FIRST_MARK_UM + column * PITCH_UM


def over(first: Tracks, second: Tracks, offset_um: float, second_on_face: bool) -> Tracks:
    """Return the strip of two overlapping cards, the second this far behind."""
    return Tracks(
        _over(first.a, second.a, offset_um, second_on_face),
        _over(first.b, second.b, offset_um, second_on_face),
    )


def _over(first: Strip, second: Strip, offset_um: float, second_on_face: bool) -> Strip:
    edge_um = offset_um if second_on_face else CARD_UM
    behind = clipped(shifted(second, offset_um), edge_um, offset_um + CARD_UM)
    return clipped(first, 0, edge_um) + behind
