"""The floor of the demo: which rulebook each table has, its area and limits, and the addresses of the pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from sabot_protocol import rulebooks

MIXED: Final = "mixed"
_WANTED: Final = ("starlette", "uvicorn", "argon2")
_ONE_BOOK_AREAS: Final = ("Main floor", "River room", "High limit")
_TABLES_OF_AN_AREA: Final = 4
EVERY: Final = 3  # with --trouble: the first table of three


def books(rulebook: str, tables: int) -> tuple[str, ...]:
    """Return the rulebook of each table; `mixed` gives all in turn."""
    order = rulebooks.in_order()
    return tuple(order[number % len(order)] if rulebook == MIXED else rulebook for number in range(tables))


def area(number: int, found: Sequence[str]) -> str:
    """Return the area of a table: by its rulebook if there are several, else four tables to an area."""
    if len(set(found)) > 1:
        return rulebooks.load(found[number]).demo.area
    return _ONE_BOOK_AREAS[min(number // _TABLES_OF_AN_AREA, len(_ONE_BOOK_AREAS) - 1)]


def tables_text(names: Sequence[str], found: Sequence[str]) -> str:
    """Return the `[[table]]` entries of the floor's config: area and limits of each table."""
    return "".join(_table_text(name, area(number, found), found[number]) for number, name in enumerate(names))


def _table_text(name: str, place: str, book: str) -> str:
    demo = rulebooks.load(book).demo
    values = {
        "name": name, "area": place, "currency": demo.currency, "minimum": demo.minimum, "maximum": demo.maximum,
    }  # fmt: skip
    rows = "".join(f'{key} = "{value}"\n' for key, value in values.items())
    pairs = f'[table.wager.pair]\nminimum = "{demo.pair_minimum}"\nmaximum = "{demo.pair_maximum}"\n'
    return f"\n[[table]]\n{rows}{pairs}"


def missing_packages() -> str:
    """Return why pages cannot be served, and the next step; empty if they can."""
    missing = [name for name in _WANTED if find_spec(name) is None]
    if not missing:
        return ""
    return f"none: {', '.join(missing)} is not installed; pip install 'sabot[floor]', or .[demo] in a checkout"


@dataclass(frozen=True)
class Pages:
    """Where a browser on this machine finds each page."""

    port: int

    def url(self, path: str) -> str:
        """Return the address of a page."""
        return f"http://127.0.0.1:{self.port}/{path}"

    def lines(self, table: str, jackpots: Sequence[str]) -> list[str]:
        """Return the addresses of the main pages for the terminal, the wall first."""
        named = [
            (f"display/{table}", "Winning Result Display"),
            (f"sign/{table}", "table sign"),
            (f"dealer/{table}", "Dealer Terminal; log in as dealer"),
            ("pit", "pit console; log in as supervisor"),
            *((f"jackpot/{name}", "Jackpot Display") for name in jackpots),
        ]
        if jackpots:
            named.append(("console/jackpots", "Jackpot Management Console; log in as manager"))
        first = f"wall     {self.url('wall'):<44}  all tables; begin here"
        return [first, *(f"page     {self.url(path):<44}  {what}" for path, what in named)]
