"""Irregularities of a coup or a shoe: burn missed, misdeal, wrong shoe, cut missed, foreign card."""

from books import number_of
from desk import BOTH_STAND, NATURAL, Desk

BOOKS = ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")


def test_burn_missed():
    for book in BOOKS:  # 12.8, 14.8, 12.7, 11.8.8
        desk = Desk(book).open("one")
        if book != "crown-baccarat":
            assert desk.report("burn_missed") == "done"
            assert desk.logged() == ["burn_missed PLAY_ON", "burn one 0 missed"]
            assert desk.where() == "dealing player_1"


def test_crown_may_begin_the_shoe_anew_before_the_first_coup_is_over():
    desk = Desk("crown-baccarat").open()
    desk.draw("9S 2H")
    assert desk.report("burn_missed") == "done"
    assert desk.logged() == ["burn_missed RESTART_SHOE", "fault decision"]
    assert desk.where() == "dealing player_2"
    assert desk.shoe.locked()
    assert desk.cmd("burn_card") == "done"  # the supervisor's choice
    assert desk.logged() == ["cleared decision command"]
    assert desk.where() == "burning"
    assert desk.state.cards_out == 0
    assert desk.draw("9S")[0] == "burn 9S"
    assert desk.where() == "dealing player_1"
    assert desk.draw(NATURAL)[-1] == "coup 1 player 9-4 live"
    assert desk.report("burn_missed") == "done"  # too late
    assert desk.logged() == ["burn_missed PLAY_ON"]
    assert desk.where() == "complete"


def test_crown_may_also_play_on_without_the_burn():
    desk = Desk("crown-baccarat").open()
    desk.draw("9S 2H")
    desk.report("burn_missed")
    assert desk.cmd("clear_fault", number_of("fault", "decision")) == "done"  # 10.1
    assert desk.cmd("burn_card") == "not_now"
    assert desk.draw("TD 2D")[-1] == "coup 1 player 9-4 live"


def test_the_first_coup_again_raises_no_foreign_card_in_one_deck():
    desk = Desk("crown-baccarat").open(decks=1)
    desk.draw("9S 2H TD")
    desk.report("burn_missed")
    desk.restart()
    assert desk.cmd("burn_card") == "done"
    desk.restart()
    assert desk.logged()[-1] == "cleared decision command"
    assert desk.draw("9S") == ["burn 9S", "burn none 1"]
    assert desk.draw("2H TD 2D 5C 3C")[-1] == "coup 1 player 7-5 live"
    assert not desk.state.fault


def test_a_misdeal_is_void_or_counts_by_the_book():
    for book, code in (
        ("star-baccarat", "RECON_WITHDRAW"),  # 12.1.1
        ("star-premium", "RECON_WITHDRAW"),  # 14.1.1
        ("nz-baccarat", "RECON_BINDING"),  # 12.6
        ("crown-baccarat", "RECON_BINDING"),  # 10.11
    ):
        desk = Desk(book).open()
        desk.draw("9S 2H")
        assert desk.report("bad_order", "reconstructible", "notified_before_next") == "done"
        assert desk.logged() == ["bad_order " + code]
        assert desk.report("bad_order", "notified_before_next") == "done"
        assert desk.logged() == ["bad_order VOID", "void 1 misdeal go_on 2"]
        assert desk.where() == "dealing player_1"
        assert desk.state.coup_no == 2
        assert desk.report("bad_order") == "done"
        assert desk.logged() == ["bad_order PLAY_ON"]
    desk = Desk("star-rapid").open()
    desk.draw("9S 2H")
    desk.report("bad_order", "reconstructible", "notified_before_next")
    assert desk.logged()[0] == "bad_order VOID"  # 11.8.1.3


def test_a_misdeal_of_a_complete_coup_is_void_before_confirm():
    desk = Desk("star-rapid").open()
    desk.draw(NATURAL)
    assert desk.report("bad_order", "notified_before_next") == "done"
    assert desk.logged() == ["bad_order VOID", "void 1 misdeal go_on 4"]
    assert desk.where() == "dealing player_1"


def test_wrong_shoe_of_two():
    desk = Desk("star-rapid").open()
    desk.draw("9S 2H")
    desk.report("wrong_shoe")
    assert desk.logged() == ["wrong_shoe VOID", "void 1 wrong_shoe go_on 2"]  # 11.8.2
    desk = Desk().open()
    desk.draw("9S 2H")
    desk.report("wrong_shoe")
    assert desk.logged() == ["wrong_shoe NO_RULE"]


def test_cut_missed_finishes_the_coup_and_ends_the_shoe():
    for book in ("star-baccarat", "star-premium", "star-rapid"):  # 12.7, 14.7, 11.8.7
        desk = Desk(book).open()
        desk.draw("9S 2H")
        desk.report("cut_missed")
        assert desk.logged() == ["cut_missed FINISH_RESHUFFLE"]
        assert desk.state.last_coup()
        desk.draw("TD 2D")
        assert desk.confirm() == ["closed 1 coups 1 last_coup"]


def test_a_foreign_card():
    for book in ("star-baccarat", "star-premium", "star-rapid"):  # 12.11, 14.11, 11.8.10
        desk = Desk(book).open()
        desk.draw("9S 2H")
        logged = desk.reject("foreign")
        assert logged[1] == "missing_or_foreign_card VOID_CHECK"
        assert logged[-1] == "closed 1 coups 1 new_cards"
        assert "void 1 foreign_card new_cards 2" in logged
        assert not desk.state.fault
    desk = Desk("crown-baccarat").open()
    assert desk.reject("foreign")[1:] == ["missing_or_foreign_card NO_RULE", "fault composition"]
    assert desk.cmd("key_card", 3, 0) == "not_now"


def test_a_foreign_card_while_burning_ends_the_shoe_without_a_coup():
    desk = Desk().open("one")
    logged = desk.reject("foreign")
    assert logged[1] == "missing_or_foreign_card VOID_CHECK"
    assert logged[-1] == "closed 1 coups 0 new_cards"
    assert not any(text.startswith("void") for text in logged)


def test_a_misdeal_reported_after_confirm_voids_the_coup_that_was_dealt():
    for book in BOOKS:  # 12.1(b), 14.1(b), 12.6, 10.11, 11.8.1.2
        for cut, after in ((False, ""), (True, ""), (False, " 8C")):
            desk = Desk(book).open()
            desk.draw(BOTH_STAND)
            desk.confirm()
            desk.draw("9S 2H CUT TD 2D" if cut else NATURAL + after)
            desk.cmd("authorise", 1)
            desk.confirm()
            where, left = desk.where(), desk.state.coups_left
            assert left == cut
            desk.restart()
            assert desk.report("bad_order", "notified_before_next") == "done"
            assert desk.logged()[-2:] == ["bad_order VOID", "void 2 misdeal go_on 4"]
            assert (desk.where(), desk.state.coup_no, desk.state.coups_left) == (where, 3, left)
            assert desk.report("bad_order", "notified_before_next") == ("done" if after else "not_now")  # once


def test_a_misdeal_reported_after_the_next_card_is_not_about_the_previous_coup():
    for book in BOOKS:
        desk = Desk(book).open()
        desk.draw(NATURAL)
        desk.confirm()
        desk.draw("4S")
        desk.report("bad_order")
        assert desk.logged()[-1] == "bad_order PLAY_ON"
        desk.report("bad_order", "notified_before_next")
        assert desk.logged() == ["bad_order VOID", "void 2 misdeal go_on 1"]


def test_no_coup_is_void_that_was_not_dealt():
    for book in BOOKS:
        for burn in ("none", "one"):
            desk = Desk(book).open(burn)
            assert desk.report("bad_order", "notified_before_next") == "not_now"
            assert desk.report("insufficient_cards") == "not_now"
            desk.shoe.lid(0, True)
            assert desk.cmd("void_coup", 1, 1) == "not_now"
            assert not any(text.startswith("void") for text in desk.logged())


def test_a_complete_coup_counts_when_a_foreign_card_comes_after_it():
    for book in ("star-baccarat", "star-premium", "star-rapid"):  # 12.11.1, 14.11.1, 11.8.10.1
        desk = Desk(book).open()
        desk.draw(NATURAL)
        assert desk.reject("foreign")[1:] == ["missing_or_foreign_card VOID_CHECK", "lock 1"]
        desk.restart()
        assert desk.where() == "complete"
        assert desk.confirm() == ["closed 1 coups 1 new_cards"]
        desk = Desk(book).open()
        desk.draw(NATURAL)
        desk.confirm()
        assert desk.report("missing_or_foreign_card") == "done"  # between two coups
        assert desk.logged() == ["missing_or_foreign_card VOID_CHECK", "lock 1", "closed 1 coups 1 new_cards"]
        desk = Desk(book).open()
        assert "void 1 foreign_card new_cards 0" in desk.reject("foreign")  # its first card: 12.11.2


def test_the_unused_card_of_a_last_coup_drops_no_other():
    desk = Desk("crown-baccarat", on=("cut_first_card_is_last_coup",)).open()
    desk.draw("CUT " + "5S 7H TD KD 2C")
    assert desk.draw("8C 3D") == [
        "player_1 8C surplus",
        "banker_overdraw NEXT_NO_BET",  # 10.6.2
        "unused 3D surplus",
        "excess_card NOT_USED",  # 10.2
    ]
    assert desk.cmd("card_returned") == "done"  # that is the three of diamonds
    assert desk.draw("3D")[0] == "unused 3D returned surplus"
    desk.cmd("authorise", 1)
    desk.restart()
    assert desk.confirm() == ["kind 2 dummy"]
    assert desk.where() == "dealing banker_1"
    assert desk.state.coup.cards[1] == 7
    assert desk.state.counts[15] == 1
