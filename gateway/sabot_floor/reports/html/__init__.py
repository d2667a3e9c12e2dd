"""Reports as printable HTML: one file that refers to nothing outside itself and runs no script."""

from sabot_floor.reports.html.page import render

__all__ = ["render"]
