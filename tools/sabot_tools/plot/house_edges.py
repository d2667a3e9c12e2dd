"""Draws the house edges of wagers: one bar per wager, on one scale."""

from html import escape

from sabot_sim.odds.odds import WagerOdds

_ROW, _LEFT, _WIDE, _TOP = 22, 230, 620, 64
_MOST = 0.40  # a bar of this edge fills the width; longer ones are cut off, their figure is still printed


def edges_svg(title: str, found: dict[str, WagerOdds]) -> str:
    """Return the picture as SVG."""
    height = _TOP + _ROW * len(found) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDE + 90}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="100%" height="{height}" fill="white"/>',
        f'<text x="20" y="28" font-size="16">{escape(title)}</text>',
        '<text x="20" y="48" fill="#666">house edge, per cent of the stake</text>',
        *_grid(height),
    ]
    for row, (name, one) in enumerate(found.items()):
        parts += _bar(_TOP + row * _ROW, name, float(one.house_edge))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _grid(height: int) -> list[str]:
    lines = []
    for percent in range(0, int(_MOST * 100) + 1, 5):
        x = _LEFT + percent / 100 / _MOST * _WIDE
        lines.append(f'<line x1="{x:.1f}" y1="{_TOP - 6}" x2="{x:.1f}" y2="{height - 30}" stroke="#ddd"/>')
        lines.append(f'<text x="{x:.1f}" y="{height - 14}" text-anchor="middle" fill="#666">{percent}</text>')
    return lines


def _bar(y: int, name: str, edge: float) -> list[str]:
    wide = min(max(edge, 0.0), _MOST) / _MOST * _WIDE
    colour = "#2a7" if edge < 0 else "#37a" if edge < 0.02 else "#e92" if edge < 0.1 else "#c43"
    return [
        f'<text x="{_LEFT - 8}" y="{y + 14}" text-anchor="end">{escape(name)}</text>',
        f'<rect x="{_LEFT}" y="{y + 2}" width="{wide:.1f}" height="{_ROW - 7}" fill="{colour}"/>',
        f'<text x="{_LEFT + wide + 6:.1f}" y="{y + 14}">{edge * 100:.3f}</text>',
    ]
