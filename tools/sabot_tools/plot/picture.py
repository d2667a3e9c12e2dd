"""Writes a picture of boxes, lines and texts as SVG or PNG."""

from dataclasses import dataclass
from html import escape
from io import BytesIO
from typing import Any

Point = tuple[float, float]

_PNG_SCALE = 2
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}  # Pillow's names


@dataclass(frozen=True)
class Box:
    """A filled rectangle; `outline` is the colour of its outline, if it has one."""

    x: float
    y: float
    wide: float
    high: float
    fill: str
    outline: str = ""


@dataclass(frozen=True)
class Line:
    """A line through points."""

    points: tuple[Point, ...]
    colour: str
    width: float = 1.0


@dataclass(frozen=True)
class Text:
    """A text on its baseline; the anchor is start, middle or end."""

    x: float
    y: float
    text: str
    size: int = 12
    colour: str = "#333333"
    anchor: str = "start"


Shape = Box | Line | Text


def svg(shapes: list[Shape], wide: int, high: int) -> str:
    """Return the picture as SVG."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}"'
    parts = [head + ' font-family="sans-serif">', f'<rect width="{wide}" height="{high}" fill="white"/>']
    return "\n".join([*parts, *map(_svg_of, shapes), "</svg>"]) + "\n"


def _svg_of(shape: Shape) -> str:
    if isinstance(shape, Box):
        outline = f' stroke="{shape.outline}" stroke-width="1.5"' if shape.outline else ""
        place = f'x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.wide:.1f}" height="{shape.high:.1f}"'
        return f'<rect {place} fill="{shape.fill}"{outline}/>'
    if isinstance(shape, Line):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
        return f'<polyline points="{points}" fill="none" stroke="{shape.colour}" stroke-width="{shape.width}"/>'
    place = f'x="{shape.x:.1f}" y="{shape.y:.1f}" font-size="{shape.size}" text-anchor="{shape.anchor}"'
    return f'<text {place} fill="{shape.colour}">{escape(shape.text)}</text>'


def png(shapes: list[Shape], wide: int, high: int) -> bytes:
    """Return the picture as PNG, two dots per unit; needs Pillow."""
    from PIL import Image, ImageDraw  # type: ignore[import-not-found,unused-ignore]

    image = Image.new("RGB", (wide * _PNG_SCALE, high * _PNG_SCALE), "white")
    pen = ImageDraw.Draw(image)
    for shape in shapes:
        _paint(pen, shape)
    out = BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _paint(pen: Any, shape: Shape) -> None:
    from PIL import ImageFont

    def dots(*values: float) -> list[int]:
        return [round(value * _PNG_SCALE) for value in values]

    if isinstance(shape, Box):
        corners = dots(shape.x, shape.y, shape.x + shape.wide, shape.y + shape.high)
        pen.rectangle(corners, fill=shape.fill, outline=shape.outline or None, width=_PNG_SCALE)
    elif isinstance(shape, Line):
        pen.line([tuple(dots(*point)) for point in shape.points], shape.colour, max(1, *dots(shape.width)))
    else:
        font = ImageFont.load_default(shape.size * _PNG_SCALE)
        pen.text(tuple(dots(shape.x, shape.y)), shape.text, shape.colour, font, _ANCHORS[shape.anchor])
