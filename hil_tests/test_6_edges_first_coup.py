"""Cards of the first coup and of the one after the next, through `sabot play`: burns, cards put back or not used."""

import pytest
from edges.run import Table as EdgesTable
from edges.run import replay
from support.play_table import CROWN, FIVE, FOUR, Answer, every_book

MISSED: Answer = {"command": "irregularity", "case": "burn_missed", "facts": {"first_coup_complete": False}}


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_burn_is_not_missed_while_it_goes_on(at: int) -> None:
    """The card that was drawn in it for the first coup stays there (Crown 10.1.1 has no burn to make good)."""
    lines: list[Answer] = [{"command": "open_shoe", "decks": 8, "burn": "face_up"}, {"unreadable": "doubtful"}]
    lines += [{"card": "TD"}, {"key": True}, {"key": False}]
    burn: list[Answer] = [{"card": card} for card in ("2C", "3C", "4C")]
    lines += [*burn[:at], MISSED, *burn[at:], *({"card": card} for card in FIVE)]
    assert replay(EdgesTable(CROWN, {}), lines) is None


@pytest.mark.parametrize("first", ["in the burn", "unread"])
@pytest.mark.parametrize("again", [False, True])
def test_a_missed_burn_waits_for_a_supervisor_while_a_card_of_the_first_coup_is_out(first: str, again: bool) -> None:
    """Crown 10.1.1: the coup is dealt again, or play goes on with that card."""
    lines: list[Answer] = [{"unreadable": "doubtful"}, {"key": True}, {"key": False}, MISSED]
    if first == "in the burn":
        lines[1:1] = [{"card": "TD"}]
        lines[-1:] = [{"card": card} for card in ("2C", "3C", "4C")] + [MISSED]
    begin: Answer = {"command": "open_shoe", "decks": 8, "burn": "none" if first == "unread" else "face_up"}
    decided: Answer = {"command": "burn_card"} if again else {"command": "clear_fault", "fault": "decision"}
    burnt: list[Answer] = [{"card": "AC"}, {"card": "KD"}] if again else []
    dealt: list[Answer] = [{"card": card} for card in FIVE]
    assert replay(EdgesTable(CROWN, {}), [begin, *lines, decided, *burnt, *dealt]) is None


AHEAD = ["9D", "2C", "TS", "3H"]  # unseen: the whole of the next coup


@every_book
@pytest.mark.parametrize("more", [0, 1])
def test_a_card_taken_from_the_coup_after_the_next_leaves_it_its_wagers(book: str, more: int) -> None:
    """Not used, or at Crown in the shoe again (7.1.5): only what waits and was seen takes the wagers of that coup."""
    seen: Answer = {"command": "irregularity", "case": "excess_card", "facts": {"exposed": True}}
    unused: Answer = {**seen, "facts": {"exposed": True, "last_coup": True}}
    taken: Answer = {"command": "card_returned"} if book == CROWN else unused
    ahead: list[Answer] = [{"card": "8D"}, seen, *([{"card": "7S"}, seen] if more else [])]
    begin: list[Answer] = [{"command": "open_shoe", "decks": 8, "burn": "none"}, *({"card": card} for card in FOUR)]
    lines = [*begin, *({"card": card} for card in AHEAD), *ahead, taken, {"command": "confirm"}]
    end: list[Answer] = [{"command": "authorise", "times": 2}, {"command": "confirm"}, *({"card": c} for c in FOUR)]
    assert replay(EdgesTable(book, {}), [*lines, *end, {"command": "confirm"}]) is None
