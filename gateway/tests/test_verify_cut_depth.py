"""Verify: the depth of the cutting card, by the printed books: at least 20 cards from the end, at Crown also 13."""

import pytest
from sabot_protocol.cards import DECK
from verified_log import Log

CLAUSES = {
    "star-baccarat": "4.6",
    "star-premium": "4.6",
    "nz-baccarat": "7.6",
    "crown-baccarat": "4.2.4",
    "star-rapid": "3.11",
}


def cut(book: str, behind: int, decks: int = 1, **choices: str) -> Log:
    """Return a log whose cutting card comes when so many cards are left in the shoe."""
    log = Log(book, decks=decks, **choices)
    for card in (DECK * decks)[: 52 * decks - behind]:
        log.card(card, "burn")
    log("cutting_card", shoe_no=1, coup_no=1, before_first_card=1)
    return log


@pytest.mark.parametrize("book", CLAUSES)
@pytest.mark.parametrize("behind", [0, 1, 12, 13, 14, 19, 20, 21, 52])
def test_the_cutting_card_is_as_deep_as_the_book_has_it(book: str, behind: int) -> None:
    found = cut(book, behind).alarms("cut_depth")
    allowed = behind >= 20 or (behind == 13 and book == "crown-baccarat")
    assert [alarm.clause for alarm in found] == ([] if allowed else [CLAUSES[book]])
    assert all(f"came {behind} cards from the end" in alarm.say for alarm in found)


def test_a_second_cutting_card_at_the_very_back_is_no_finding() -> None:
    log = cut("nz-baccarat", 20)  # 3.4(b), 7.6
    log("cutting_card", shoe_no=1, coup_no=1, before_first_card=1)
    assert log.alarms("cut_depth") == []


def test_with_part_of_the_log_missing_the_depth_is_not_known() -> None:
    log = Log(decks=1)
    log("damaged")
    log("cutting_card", shoe_no=1, coup_no=1, before_first_card=1)
    assert log.alarms("cut_depth") == []
