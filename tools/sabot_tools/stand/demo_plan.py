"""The plan of the demo's site: rulebooks, jackpots, pages, and the tables where something goes wrong."""

from dataclasses import replace

from sabot_protocol import rulebooks

from sabot_tools.stand import demo_floor
from sabot_tools.stand.demo_jackpots import DemoJackpot, stacked_cards
from sabot_tools.stand.local_site import SitePlan


class NoPagesError(RuntimeError):
    """The pages are needed and cannot be served; the message gives the next step."""


def with_jackpots(plan: SitePlan, hand: str | None) -> SitePlan:
    """Return the plan with the jackpots of its rulebooks, and with a shoe stacked; RulebookError for an unknown one."""
    books = demo_floor.books(plan.rulebook, plan.tables)
    for book in set(books):
        rulebooks.load(book)
    top = stacked_cards(books[0], hand) if hand else ()
    tables = {
        book: [name for name, other in zip(plan.table_names(), books, strict=True) if other == book] for book in books
    }
    text = "\n".join(jackpot.text(names) for book, names in tables.items() if (jackpot := DemoJackpot.of(book)))
    return replace(plan, books=books, top=top, jackpots=text)


def with_pages(plan: SitePlan, web_port: int, *, trouble: bool) -> SitePlan:
    """Return the plan with pages if they can be served, and with trouble at some tables."""
    missing = demo_floor.missing_packages()
    if missing:
        if trouble:
            raise NoPagesError(f"--trouble needs the pages; {missing}")
        return plan
    troubled = tuple(plan.table_names()[:: demo_floor.EVERY]) if trouble else ()
    return replace(
        plan, web_port=web_port, floor_tables=demo_floor.tables_text(plan.table_names(), plan.books), troubled=troubled
    )
