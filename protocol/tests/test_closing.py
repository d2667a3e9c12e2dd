"""Closing: what closes the wagers of a coup, each case from the text of its book."""

import pytest
from sabot_protocol import rulebooks
from sabot_protocol.rulebooks.model import StyleClosing
from sabot_protocol.wagers.closing import Cause, Known, closed_by, reopening, stated

NOTHING, CALLED, CARDS, SEEN = Known(), Known(called=True), Known(cards=True), Known(cards=True, exposed=True)
AGAIN = Known(cards=True, reopened=True)


def rule(book: str, style: str = "") -> StyleClosing:
    return rulebooks.load(book).closing.at(style)


@pytest.mark.parametrize(
    ("book", "style", "after_a_card", "clause"),
    [
        ("star-baccarat", "", "first_card", "5.4"),  # removed from the card shoe
        ("star-premium", "", "", "5.5"),  # after any card of the coup has been exposed
        ("nz-baccarat", "", "", "5.14"),  # called and removed
        ("nz-baccarat", "standard", "", "5.14"),
        ("nz-baccarat", "international", "", "15.4(b)"),  # called after the four cards are face down
        ("crown-baccarat", "", "first_card", "5.4"),  # dealt
        ("star-rapid", "", "first_card", "7.3"),  # drawn before the period is over
    ],
)
def test_a_card_that_nobody_has_seen(book: str, style: str, after_a_card: Cause, clause: str) -> None:
    at = rule(book, style)
    assert (closed_by(at, CARDS), at.clause) == (after_a_card, clause)


@pytest.mark.parametrize("book", rulebooks.ids())
def test_the_call_and_an_exposed_card_close_in_every_book(book: str) -> None:
    at = rule(book)
    assert [closed_by(at, known) for known in (NOTHING, CALLED, SEEN)] == ["", "called", "exposed"]
    assert closed_by(at, SEEN._replace(reopened=True)) == "exposed"
    assert closed_by(at, AGAIN._replace(called=True)) == "called"


@pytest.mark.parametrize("book", ["star-baccarat", "crown-baccarat", "star-rapid", "nz-baccarat"])
def test_what_is_reopened_is_open_until_it_is_called_again(book: str) -> None:
    assert closed_by(rule(book), AGAIN) == ""


@pytest.mark.parametrize(
    ("book", "clause", "facts"),
    [
        ("star-baccarat", "12.12", {"method_a": False}),
        ("nz-baccarat", "5.14", {}),
        ("crown-baccarat", "10.9.1", {"dealer_holds_shoe": True}),
        ("star-rapid", "4.2.8", {}),
    ],
)
def test_who_reopens_states_what_the_gateway_cannot_know(book: str, clause: str, facts: dict[str, bool]) -> None:
    found = reopening(rulebooks.load(book))
    assert found is not None
    assert (found.clause, stated(found)) == (clause, facts)


def test_premium_reopens_nothing() -> None:
    assert reopening(rulebooks.load("star-premium")) is None
