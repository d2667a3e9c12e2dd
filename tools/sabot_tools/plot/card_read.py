"""Draws one read of a card: the inputs over time, the decoded columns, and the code strip enlarged."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sabot_protocol.cardcode import CARD_UM, LID_PIN, PINS, SENSORS_UM
from sabot_sim.optics.signals import Edge

from sabot_tools.plot.picture import Box, Line, Shape, Text
from sabot_tools.plot.time_axis import LEFT, RIGHT, TimeAxis, round_step

Column = tuple[int, int, str, bool]  # start and end in us, letter, doubtful

WIDE = 1280
_INK, _GREY, _RULE, _RED, _GREEN = "#1b2a41", "#66707f", "#dfe4ea", "#c8102e", "#1a7f37"
_BAND = {"A": "#cfe3ff", "B": "#ffe0bd", "X": "#e2d3f6"}
_OTHER_BAND = "#e8e8e8"
_DOUBTFUL_BAND = "#ff9aa5"  # used where an outline does not fit
_OUTLINED_PX = 8
_TOO_FAST_M_S = 5.0
_LETTER_PX = 17
_TICKS_PX = 95

_PINS = {"entry": 1 << PINS["entry"], "A": 1 << PINS["a"], "B": 1 << PINS["b"], "exit": 1 << PINS["exit"]}
_LID = {"lid": 1 << LID_PIN}


@dataclass(frozen=True)
class Caption:
    """The text above the picture; `right` chooses the colour of the answer, None if it is not known."""

    title: str
    answer: str
    right: bool | None = None
    notes: str = ""


@dataclass
class Panel:
    """Some inputs, one below the other, on one time axis."""

    axis: TimeAxis
    lanes: dict[str, int]
    top: float
    lane_high: float
    shapes: list[Shape] = field(default_factory=list)

    @property
    def pitch(self) -> float:
        """Return the distance between two lanes."""
        return self.lane_high + 16

    @property
    def bottom(self) -> float:
        """Return the y below the last lane."""
        return self.top + self.pitch * len(self.lanes)

    def level_y(self, lane: int, on: bool) -> float:
        """Return the y of a trace at this level."""
        return self.top + self.pitch * lane + (4 if on else self.lane_high)


def read_shapes(edges: Sequence[Edge], columns: Sequence[Column], caption: Caption) -> tuple[list[Shape], int, int]:
    """Return the whole picture, its width and its height."""
    travel, behind = _travel_mm(edges, 0), _travel_mm(edges, SENSORS_UM["a"])
    whole = _whole(edges, 168 if travel else 124)
    shapes = [*_caption(caption), *_panel(whole, edges, columns, travel, "travel of the leading edge, mm")]
    span = _code_span(edges, columns)
    if span is None:
        return shapes, WIDE, int(whole.bottom + 50)
    axis = TimeAxis.of([t_us for t_us, _ in edges], *span)
    code = Panel(axis, {name: _PINS[name] for name in "AB"}, whole.bottom + (138 if behind else 96), 52)
    shapes += _zoom(whole, code)
    shapes += _panel(code, edges, columns, behind, "the code strip: mm behind the leading edge")
    shapes += _letters(code, columns)
    return shapes, WIDE, int(code.bottom + 50)


def _whole(edges: Sequence[Edge], top: float) -> Panel:
    """Return the panel of all inputs, from before the first edge to after the last."""
    lanes = _PINS | (_LID if any(level & _LID["lid"] for _, level in edges) else {})
    times = [t_us for t_us, _ in edges] or [0]
    margin_us = max(1.0, (times[-1] - times[0]) * 0.015)
    return Panel(TimeAxis.of(times, times[0] - margin_us, times[-1] + margin_us), lanes, top, 26)


def speeds_m_s(edges: Sequence[Edge]) -> list[float]:
    """Return the mean speeds between the four presence edges; empty if they are out of order or one is a spike."""
    on = {name: _changes(edges, _PINS[name]) for name in ("entry", "exit")}
    if not all(on.values()):
        return []
    times = [on["entry"][0], on["exit"][0], on["entry"][-1], on["exit"][-1]]
    places = [SENSORS_UM["entry"], SENSORS_UM["exit"], SENSORS_UM["entry"] + CARD_UM, SENSORS_UM["exit"] + CARD_UM]
    if any(late <= early for early, late in pairwise(times)) or edges[-1][1] & (_PINS["entry"] | _PINS["exit"]):
        return []
    ways = [there - here for here, there in pairwise(places)]
    speeds = [way_um / (late - early) for way_um, (early, late) in zip(ways, pairwise(times), strict=True)]
    return speeds if max(speeds) < _TOO_FAST_M_S else []


def speed_text(edges: Sequence[Edge]) -> str:
    """Return the speed as text."""
    speeds = speeds_m_s(edges)
    if not speeds:
        return ""
    if _steady(speeds):
        return f"{sum(speeds) / len(speeds):.2f} m/s"
    return f"{min(speeds):.2f} to {max(speeds):.2f} m/s"


def _steady(speeds: Sequence[float]) -> bool:
    return bool(speeds) and max(speeds) / min(speeds) < 1.03


def _changes(edges: Sequence[Edge], pin: int) -> list[int]:
    levels = [0, *(level for _, level in edges)]
    return [t_us for (t_us, level), before in zip(edges, levels, strict=False) if (level ^ before) & pin]


def _travel_mm(edges: Sequence[Edge], sensor_um: int) -> tuple[float, float] | None:
    """Return (time of 0 mm, us per mm) if the speed is constant, else None."""
    speeds = speeds_m_s(edges)
    if not _steady(speeds):
        return None
    entry = _changes(edges, _PINS["entry"])
    us_per_mm = (entry[-1] - entry[0]) / (CARD_UM / 1000)
    return entry[0] + sensor_um / 1000 * us_per_mm, us_per_mm


def _code_span(edges: Sequence[Edge], columns: Sequence[Column]) -> tuple[float, float] | None:
    """Return the time span of the code strip: of the columns, or of all changes of the code sensors."""
    times = [t_us for column in columns for t_us in column[:2]] or _changes(edges, _PINS["A"] | _PINS["B"])
    if not times or min(times) == max(times):
        return None
    margin_us = (max(times) - min(times)) * 0.06
    return max(0.0, min(times) - margin_us), max(times) + margin_us


def _caption(caption: Caption) -> list[Shape]:
    colour = {None: _INK, True: _GREEN, False: _RED}[caption.right]
    return [
        Text(24, 36, caption.title, 20, _INK),
        Text(24, 62, f"answer: {caption.answer}", 16, colour),
        Text(24, 84, caption.notes, 12, _GREY),
    ]


def _panel(
    panel: Panel, edges: Sequence[Edge], columns: Sequence[Column], travel: tuple[float, float] | None, travel_name: str
) -> Iterator[Shape]:
    yield from _bands(panel, columns)
    yield from _time_ticks(panel)
    if travel is not None:
        yield from _travel_ticks(panel, travel, travel_name)
    for lane, (name, pin) in enumerate(panel.lanes.items()):
        yield Text(LEFT - 14, panel.level_y(lane, False) - 6, name, 14, _INK, "end")
        yield Line(((LEFT, panel.level_y(lane, False)), (RIGHT, panel.level_y(lane, False))), _RULE)
        yield _trace(panel, edges, lane, pin)
    yield from _cut_marks(panel)


def _trace(panel: Panel, edges: Sequence[Edge], lane: int, pin: int) -> Line:
    first_us, last_us = panel.axis.pieces[0][0], panel.axis.pieces[-1][1]
    on = False
    points = [(float(LEFT), panel.level_y(lane, on))]
    for t_us, level in edges:
        if t_us < first_us:
            on = bool(level & pin)
            points = [(float(LEFT), panel.level_y(lane, on))]
        elif t_us <= last_us and bool(level & pin) != on:
            x = panel.axis.x(t_us)
            points += [(x, panel.level_y(lane, on)), (x, panel.level_y(lane, not on))]
            on = not on
    return Line((*points, (float(RIGHT), panel.level_y(lane, on))), _INK, 1.6)


def _bands(panel: Panel, columns: Sequence[Column]) -> Iterator[Shape]:
    """Shade the columns over both tracks."""
    names = list(panel.lanes)
    top = panel.level_y(names.index("A"), True) - 8
    bottom = panel.level_y(names.index("B"), False) + 5
    for start_us, end_us, letter, doubtful in columns:
        if panel.axis.holds(start_us) or panel.axis.holds(end_us):
            left, right = panel.axis.x(start_us), panel.axis.x(end_us)
            narrow = right - left < _OUTLINED_PX
            fill = _DOUBTFUL_BAND if doubtful and narrow else _BAND.get(letter, _OTHER_BAND)
            outline = _RED if doubtful and not narrow else ""
            yield Box(left, top, max(right - left, 1.5), bottom - top, fill, outline)


def _letters(panel: Panel, columns: Sequence[Column]) -> Iterator[Shape]:
    y, free = panel.level_y(0, True) - 14, 0.0
    for start_us, end_us, letter, doubtful in columns:
        x = (panel.axis.x(start_us) + panel.axis.x(end_us)) / 2
        if x < free:
            continue
        free = x + _LETTER_PX
        yield Text(x, y, f"{letter}?" if doubtful else letter, 16, _RED if doubtful else _INK, "middle")


def _time_ticks(panel: Panel) -> Iterator[Shape]:
    y = panel.bottom - 8
    for from_us, to_us, left, right in panel.axis.pieces:
        step_us = round_step((to_us - from_us) / max(1.0, (right - left) / _TICKS_PX))
        digits = max(0, -math.floor(math.log10(step_us / 1000)))
        for number in range(math.ceil(from_us / step_us), math.floor(to_us / step_us) + 1):
            x = panel.axis.x(number * step_us)
            yield Line(((x, panel.top - 6), (x, y)), _RULE)
            yield Text(x, y + 16, f"{number * step_us / 1000:.{digits}f}", 11, _GREY, "middle")
    yield Text(LEFT - 14, y + 16, "ms", 11, _GREY, "end")


def _travel_ticks(panel: Panel, travel: tuple[float, float], name: str) -> Iterator[Shape]:
    zero_us, us_per_mm = travel
    from_us, to_us = panel.axis.pieces[0][0], panel.axis.pieces[-1][1]
    step_mm = round_step((to_us - from_us) / us_per_mm / ((RIGHT - LEFT) / 70))
    y = panel.top - 32
    yield Line(((LEFT, y), (RIGHT, y)), _GREY, 0.8)
    yield Text(LEFT, y - 22, name, 11, _GREY)
    for number in range(math.ceil((from_us - zero_us) / us_per_mm / step_mm), 10_000):
        t_us = zero_us + number * step_mm * us_per_mm
        if t_us > to_us:
            break
        if panel.axis.holds(t_us):
            x = panel.axis.x(t_us)
            yield Line(((x, y - 4), (x, y)), _GREY, 0.8)
            yield Text(x, y - 7, f"{number * step_mm:g}", 11, _GREY, "middle")


def _cut_marks(panel: Panel) -> Iterator[Shape]:
    """Mark where time is cut out, and how much."""
    for before, after in pairwise(panel.axis.pieces):
        left, right = before[3], after[2]
        yield Box(left, panel.top - 6, right - left, panel.bottom - panel.top, "#f1f1f1")
        middle = (left + right) / 2
        yield Text(middle, panel.bottom - 13, f"{(after[0] - before[1]) / 1000:.0f} ms", 10, _INK, "middle")
        for x in (left, right):
            steps = range(int(panel.bottom - panel.top) // 6)
            zigzag = tuple((x + (3 if step % 2 else -3), panel.top - 6 + 6 * step) for step in steps)
            yield Line(zigzag, _GREY)


def _zoom(whole: Panel, code: Panel) -> Iterator[Shape]:
    """Mark the part of the upper panel that the lower one shows."""
    first_us, last_us = code.axis.pieces[0][0], code.axis.pieces[-1][1]
    y, below = whole.bottom + 16, whole.bottom + 40
    left, right = whole.axis.x(first_us), whole.axis.x(last_us)
    yield Line(((left, y), (left, y + 6), (LEFT, below)), _GREY, 0.8)
    yield Line(((right, y), (right, y + 6), (RIGHT, below)), _GREY, 0.8)
    yield Line(((left, y), (right, y)), _GREY, 0.8)
