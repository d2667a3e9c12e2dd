"""What the four sensors see of a card that is pulled past them at constant speed."""

from collections.abc import Iterator

from sabot_protocol.cardcode import CARD_UM, FIRST_MARK_UM, MARK_UM, PINS, PITCH_UM, SENSORS_UM

Edge = tuple[int, int]  # time in microseconds since the leading edge reached the entry sensor, level of all inputs

_TRACKS = {"A": ("a",), "B": ("b",), "X": ("a", "b")}


def card_edges(word: str, speed_um_per_ms: int) -> list[Edge]:
    """A card with this code word: each change of the inputs."""
    marks = [(FIRST_MARK_UM + column * PITCH_UM, MARK_UM, track) for column, track in enumerate(word)]
    return _edges(marks, speed_um_per_ms)


def cutting_card_edges(speed_um_per_ms: int) -> list[Edge]:
    """The cutting card: solid on both tracks from end to end."""
    return _edges([(0, CARD_UM, "X")], speed_um_per_ms)


def _edges(marks: list[tuple[int, int, str]], speed_um_per_ms: int) -> list[Edge]:
    changes: dict[int, int] = {}
    for travel_um, pin in _switches(marks):
        t_us = travel_um * 1000 // speed_um_per_ms
        changes[t_us] = changes.get(t_us, 0) ^ 1 << PINS[pin]
    level, edges = 0, []
    for t_us in sorted(changes):
        level ^= changes[t_us]
        edges.append((t_us, level))
    return edges


def _switches(marks: list[tuple[int, int, str]]) -> Iterator[tuple[int, str]]:
    """Every place, by travel of the leading edge, at which one input changes."""
    for pin in ("entry", "exit"):
        yield SENSORS_UM[pin], pin
        yield SENSORS_UM[pin] + CARD_UM, pin
    for start_um, length_um, track in marks:
        for pin in _TRACKS[track]:
            yield SENSORS_UM[pin] + start_um, pin
            yield SENSORS_UM[pin] + start_um + length_um, pin
