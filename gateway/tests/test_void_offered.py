"""The irregularity assistant offers the void of a coup whose card is out, or may be, and cannot be keyed in."""

import pytest
from sabot_floor.web import dealer_assistant
from test_web_dealer import alarm, cards, rejected, site_with


@pytest.mark.parametrize("dealt", ["", "9S 2H TS"])
@pytest.mark.parametrize("book", ["star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid"])
@pytest.mark.parametrize(
    ("reason", "unread", "void"),
    [("pushed back", 0, True), ("half drawn", 0, True), ("double", 0, True),
     ("blank", 1, True), ("short pull", 0, False)],
)  # fmt: skip
def test_a_coup_is_void_whose_card_may_be_out(book: str, reason: str, unread: int, void: bool, dealt: str) -> None:
    """Also before any card of the coup is known."""
    phase = "dealing" if dealt else "bets"
    site = site_with(book, phase=phase, fault="card", unread=unread, cards=cards(dealt), alarms=[rejected(reason)])
    found = dealer_assistant.answer(site, "t", "misread_card", '{"disadvantage": false}', {book: "dealer"})
    names = [step.name for step in found.steps]
    assert ("key_card" in names) == bool(unread)
    if book == "star-rapid" and unread:
        return  # 11.8.12: it is keyed in
    assert ("void" in names) == (void or (bool(dealt) and book != "star-rapid"))


@pytest.mark.parametrize("book", ["star-baccarat", "star-premium", "star-rapid"])
def test_a_coup_whose_first_card_is_of_another_set_is_void_for_that_reason(book: str) -> None:
    alarms = [rejected("foreign"), alarm("missing_or_foreign_card", coup=17)]
    site = site_with(book, phase="bets", fault="card", unread=0, alarms=alarms)
    found = dealer_assistant.answer(site, "t", "missing_or_foreign_card", "", {book: "casino_supervisor"})
    assert [step.args["reason"] for step in found.steps if step.name == "void"] == ["foreign_card"]
    misread = dealer_assistant.answer(site, "t", "misread_card", "", {book: "casino_supervisor"})
    assert "void" not in [step.name for step in misread.steps]
