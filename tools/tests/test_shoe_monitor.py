"""The notes of a simulated shoe about its gateway: one that does not accept it, and a check that only asks."""

from sabot_gateway.shoe.link import ShoeLink
from sabot_protocol import rulebooks
from sabot_tools.stand.shoe_monitor import ShoeMonitor
from sabot_tools.stand.shoe_state import TableState
from sabot_tools.text.coups import Painter


def notes(asks_for_s: int, *, until_s: int) -> list[str]:
    """Return the notes if a gateway asks for so long, once a second, and goes no further."""
    book = rulebooks.load("star-baccarat")
    link = ShoeLink(book.profile(8, 1), lambda unit: 0)
    monitor = ShoeMonitor("bac-01", "pty", book.id, TableState(unit="5ab0000000000001"), Painter(colour=False))
    for now_s in range(until_s):
        if now_s < asks_for_s:
            link.tick(float(now_s))
            asked = link.output()
            link.written(len(asked))
            assert asked, now_s
            monitor.from_gateway(asked, float(now_s))
        monitor.tick(float(now_s))
    return monitor.notes


def test_a_gateway_that_asks_again_and_again_does_not_accept_this_shoe() -> None:
    (note,) = notes(10, until_s=10)
    assert " does not accept this shoe: `sabot gateway status` on that machine shows why" in note


def test_a_check_that_asks_who_is_there_and_leaves_is_not_noted() -> None:
    assert notes(2, until_s=20) == []
