"""Composition of the shoe: a card too many, a card put back, a deck check, an ordered set."""

from books import number_of
from desk import BOTH_STAND, Desk

DECK = " ".join(rank + suit for suit in "CDHS" for rank in "A3579JQ2468TK")


def eight_aces(desk):
    """Eight aces of spades come out, each with three kings, and a coup each."""
    for i in range(8):
        desk.draw("AS KH KD KC" if i < 4 else "AS QH QD QC")
        while desk.where() != "complete":
            desk.draw("8H" if i < 4 else "8D")
        assert "irregularity" not in " ".join(desk.logged())
        desk.confirm()


def test_the_ninth_ace_of_spades_of_eight_decks():
    for book in ("star-baccarat", "star-premium", "star-rapid"):  # 12.11, 14.11, 11.8.10
        desk = Desk(book).open()
        eight_aces(desk)
        logged = desk.draw("2H AS")
        assert logged[-4:] == [
            "missing_or_foreign_card VOID_CHECK",
            "lock 1",
            "void 9 foreign_card new_cards 2",
            "closed 1 coups 9 new_cards",
        ], logged


def test_the_ninth_ace_where_the_book_has_no_rule_is_a_fault():
    for book in ("nz-baccarat", "crown-baccarat"):
        desk = Desk(book).open()
        eight_aces(desk)
        assert desk.draw("2H AS")[-2:] == ["missing_or_foreign_card NO_RULE", "fault composition"]
        assert desk.shoe.locked()
        assert desk.cmd("clear_fault", number_of("fault", "composition")) == "done"
        assert desk.where() == "dealing player_2"
        assert not desk.shoe.locked()


def test_a_coup_that_its_last_card_voids_has_no_result():
    desk = Desk().open("none", 1)
    desk.draw("9S 2H TD")
    assert desk.draw("TD") == [
        "banker_2 TD",
        "missing_or_foreign_card VOID_CHECK",
        "lock 1",
        "void 1 foreign_card new_cards 4",
        "closed 1 coups 1 new_cards",
    ]


def test_a_card_that_crown_puts_back_is_no_duplicate():
    desk = Desk("crown-baccarat").open("none", 1)
    desk.draw(BOTH_STAND)
    assert desk.draw("3S", exposed=1) == ["player_1 3S exposed surplus", "player_overdraw NEXT_NO_BET"]
    assert desk.cmd("authorise", 1) == "done"
    assert desk.cmd("card_returned") == "done"
    assert desk.state.cards_out == 4
    assert desk.confirm() == ["kind 2 dummy"]
    assert desk.where() == "dealing player_1"
    assert desk.draw("3S") == ["player_1 3S returned"]
    assert desk.draw("3S")[-2:] == ["missing_or_foreign_card NO_RULE", "fault composition"]


def test_only_crown_puts_a_card_back():
    for book in ("star-baccarat", "star-premium", "nz-baccarat", "star-rapid"):
        desk = Desk(book).open()
        desk.draw(BOTH_STAND + " 3S")
        assert desk.cmd("card_returned") == "not_permitted"
    desk = Desk("crown-baccarat").open()
    desk.draw(BOTH_STAND)
    assert desk.cmd("card_returned") == "not_now"


def test_a_deck_check_logs_every_card_that_is_missing_or_too_many():
    desk = Desk()
    assert desk.cmd("deck_check", 1, 1) == "done"
    assert desk.where() == "checking"
    assert not desk.shoe.locked()
    for card in DECK.split():
        if card != "8H":
            desk.draw(card)
    desk.draw("AS KC")
    assert desk.cmd("deck_check", 0, 0) == "done"
    assert desk.logged() == ["check KC 2 of 1", "check 8H 0 of 1", "check AS 2 of 1", "checked 53 differences 3"]
    assert desk.where() == "closed"


def test_a_deck_check_that_ends_with_a_difference_ends():
    desk = Desk()
    desk.cmd("deck_check", 1, 1)
    assert desk.cmd("deck_check", 0, 0) == "done"
    logged = desk.logged()
    assert len(logged) == 53
    assert logged[-2:] == ["check KS 0 of 1", "checked 0 differences 52"]


def test_a_complete_deck_has_no_differences_and_nothing_counts_as_a_coup():
    desk = Desk()
    assert desk.cmd("deck_check", 1, 1) == "done"
    for card in DECK.split():
        assert desk.draw(card) == ["burn " + card]
    assert not desk.press("new_shoe")
    assert desk.cmd("open_shoe", 8, 0) == "not_now"
    assert desk.cmd("deck_check", 0, 1) == "done"
    assert desk.logged() == ["checked 52 differences 0"]
    assert desk.open().state.shoe_no == 1


def test_an_unread_card_locks_a_deck_check_until_the_fault_is_cleared():
    desk = Desk()
    desk.cmd("deck_check", 1, 1)
    assert desk.reject("doubtful") == ["reject doubtful", "fault card"]
    assert desk.shoe.locked()
    assert desk.cmd("clear_fault", 1) == "done"
    assert not desk.shoe.locked()


def test_an_ordered_set_is_logged_before_the_first_coup_is_over():
    for cards, logged in (
        ("AH 2D 3S 4C 5H", "ordered runs 5"),
        ("9S 9H 9D 9C", "ordered one_rank 4"),  # 9 and 9: the coup is over with the fourth
        ("KH QH 2H 3H 9H 5H", "ordered one_suit 6"),
        ("KH 3D QC KH 3D QC", "ordered repeated 6"),
    ):
        desk = Desk(on=("continuous",)).open()
        seen = []
        for card in cards.split():
            seen += desk.draw(card)
        assert seen.count(logged) == 1, (cards, seen)
        coups = [text for text in seen if text.startswith("coup ")]
        assert not coups or seen.index(logged) < seen.index(coups[0])


def test_an_ordered_set_is_logged_once_and_only_of_the_first_cards():
    desk = Desk(on=("continuous",)).open()
    desk.draw("9S 2H TD 2D")
    desk.confirm()
    assert not any(text.startswith("ordered") for text in desk.draw("9S 9H 9D 9C"))
    desk = Desk(on=("continuous",)).open("face_up")
    seen = desk.draw("5H 6H 7H 8H 9H TH JH QH")
    assert len([text for text in seen if text.startswith("ordered")]) == 1


# Cards in doubt: The Star 12.11, Premium 14.11, Rapid 11.8.10; New Zealand and Crown have no rule

IN_DOUBT = ("star-baccarat", "star-premium", "star-rapid")
BOOKS = IN_DOUBT + ("nz-baccarat", "crown-baccarat")


def foreign(book, cards="9S 2H"):
    """Return a shoe that has found a foreign card."""
    desk = Desk(book).open()
    desk.draw(cards)
    desk.reject("foreign")
    return desk


def test_after_a_foreign_card_the_exit_is_locked_until_the_gateway_releases_it():
    for book in BOOKS:
        desk = foreign(book)
        desk.restart()
        assert desk.state.locked == (book in IN_DOUBT), book
        assert desk.press("new_shoe") == (book not in IN_DOUBT), book
        if book in IN_DOUBT:
            desk.key(True)  # the supervisor's key clears faults, and is no check of the cards
            desk.restart()
            assert not desk.press("new_shoe")
            assert desk.cmd("unlock") == "done"
            assert desk.press("new_shoe")
            assert not desk.shoe.locked()


def test_a_foreign_card_after_a_complete_coup_locks_too():
    for book in IN_DOUBT:
        desk = foreign(book, BOTH_STAND)
        desk.cmd("clear_fault", 1)
        assert desk.confirm()[-1] == "closed 1 coups 1 new_cards"
        assert not desk.press("new_shoe")


def test_a_void_for_a_foreign_card_locks_as_well():
    for book in BOOKS:
        desk = Desk(book).open()
        desk.draw("9S 2H")
        assert desk.cmd("void_coup", 4, 1) == "done"  # foreign_card, and go on
        assert desk.shoe.locked() == (book in IN_DOUBT), book


def test_the_lock_lasts_while_the_decks_are_checked_and_does_not_hinder_that():
    desk = foreign("star-baccarat")
    assert desk.cmd("deck_check", 1, 1) == "done"
    assert not desk.shoe.locked()
    desk.draw("8H")
    assert desk.cmd("deck_check", 0, 0) == "done"
    assert not desk.press("new_shoe")
