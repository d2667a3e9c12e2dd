"""Irregularities of other kinds: face-up cards, burn missed, misdeal, misread, discrepancy, wrong shoe, faults."""

from books import number_of
from desk import BANKER_STANDS, BOTH_STAND, NATURAL, SIX_CARDS, Desk
from support import number

BOOKS = ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")
UNWAGERED = {"star-baccarat": "no_bet", "star-premium": "no_bet", "nz-baccarat": "void_hand"}


def test_a_first_card_face_up_makes_this_coup_one_without_wagers():
    for book in BOOKS:  # 12.3, 14.3, 12.3, 10.5.1, 11.8.4
        kind = UNWAGERED.get(book, "dummy")
        desk = Desk(book).open()
        told = desk.draw("8C", flags=2)
        assert told[-2:] == ["first_card_face_up THIS_NO_BET", "kind 1 " + kind], told
        needs_word = book == "star-rapid"  # 11.8.14; Crown 10.5.1 orders it itself
        assert desk.shoe.locked() == needs_word
        if needs_word:
            desk.key(True)
            desk.key(False)
        assert not desk.shoe.locked()
        assert desk.draw("2H KC 3H")[-1] == "coup 1 player 8-5 " + kind


def test_a_later_card_face_up_is_played():
    for book in BOOKS:  # 12.5, 14.5, 12.4, 10.5.2, 11.8.5
        desk = Desk(book).open()
        desk.draw("5S")
        assert desk.draw("7H", flags=2)[-1] == "second_to_fourth_card_face_up PLAY_ON"
        desk.draw("TD KD")
        assert desk.draw("2C", flags=2)[-2:] == ["third_card_face_up PLAY_ON", "coup 1 tie 7-7 live"]


def test_a_boxed_card_of_international_baccarat_is_a_void_hand():
    desk = Desk("nz-baccarat", on=("international",)).open()
    desk.draw("5S 7H TD")
    assert desk.draw("KD", flags=2)[1:] == ["second_to_fourth_card_face_up THIS_NO_BET", "kind 1 void_hand"]
    assert desk.draw("2C", flags=2)[-2:] == ["third_card_face_up PLAY_ON", "coup 1 tie 7-7 void_hand"]


def test_a_second_face_up_card_wants_no_second_word():
    desk = Desk("nz-baccarat", on=("international", "dummy_needs_authorisation")).open()
    desk.cmd("authorise", 2)
    desk.draw("5S")
    assert desk.draw("7H", flags=2)[-1] == "kind 1 void_hand"
    assert desk.draw("TD", flags=2)[-1] == "second_to_fourth_card_face_up THIS_NO_BET"
    assert desk.state.authorisations == 1
    assert not desk.shoe.locked()


def test_a_first_card_that_was_seen_before_its_time():
    codes = {  # 12.3, 14.3, 12.10(a), 10.9.1
        "star-baccarat": ("THIS_NO_BET", "no_bet"),
        "star-premium": ("THIS_NO_BET", "no_bet"),
        "nz-baccarat": ("PLAY_ON", "live"),
        "crown-baccarat": ("PLAY_ON", "live"),
    }
    for book in codes:
        code, kind = codes[book]
        desk = Desk(book).open()
        told = desk.draw("8C", exposed=1)
        assert told[:2] == ["player_1 8C exposed", "first_card_exposed " + code], told
        assert told[2:] == ([] if kind == "live" else ["kind 1 " + kind])
        assert not desk.shoe.locked()
        assert desk.draw("2H KC 3H", exposed=1)[-1] == "coup 1 player 8-5 " + kind


def test_a_first_card_that_is_dealt_face_up_is_exposed_in_its_time():
    for book, style in (("star-rapid", ()), ("star-baccarat", ("dealt_face_up",)), ("nz-baccarat", ("dealt_face_up",))):
        desk = Desk(book, on=style).open()
        assert desk.draw("8C") == desk.draw("", exposed=1) + ["player_1 8C exposed"]
        assert desk.draw("2H KC 3H")[-1] == "coup 1 player 8-5 live"


def test_a_keyed_first_card_that_was_seen():
    desk = Desk().open()
    desk.reject("doubtful")
    assert desk.cmd("key_card", number("8C"), 4) == "done"
    assert desk.told()[:2] == ["player_1 8C keyed exposed", "first_card_exposed THIS_NO_BET"]


def test_the_book_itself_orders_a_dummy_coup_and_no_word_is_awaited():
    for cards, case in ((BOTH_STAND, "player_overdraw"), (BANKER_STANDS, "banker_overdraw")):  # 10.6.1(b), 10.6.2
        desk = Desk("crown-baccarat").open()
        desk.draw(cards)
        assert case + " NEXT_NO_BET" in desk.draw("8C")
        assert desk.confirm() == ["kind 2 dummy"]
        assert not desk.shoe.locked()
        assert "unauthorised_coup PLAY_ON" not in desk.draw("2H KC 3H")


def test_a_disclosed_excess_card_waits_for_a_direction():
    desk = Desk("crown-baccarat").open()
    desk.draw(SIX_CARDS)
    assert desk.draw("8C", exposed=1)[-1] == "excess_card NEXT_NO_BET"  # 10.8.1(a), A-20, A-56
    desk.confirm()
    assert desk.shoe.locked()


def test_what_is_ordered_once_stays_ordered():
    desk = Desk("crown-baccarat").open()
    desk.draw(BOTH_STAND)
    assert desk.draw("8C")[-1] == "player_overdraw NEXT_NO_BET"
    assert desk.draw("9C")[-1] == "banker_overdraw NEXT_NO_BET"
    assert desk.draw("7C", exposed=1)[-1] == "excess_card NEXT_NO_BET"
    desk.confirm()
    assert not desk.shoe.locked()


def test_a_dummy_hand_without_the_word_is_an_irregularity_once():
    desk = Desk("star-rapid").open()  # 11.8.13, 11.8.14
    desk.draw(BOTH_STAND)
    desk.draw("8C")
    desk.confirm()
    assert desk.shoe.locked()
    alarms = desk.state.alarms
    assert desk.draw("2H") == ["banker_1 2H exposed", "unauthorised_coup PLAY_ON"]
    assert desk.state.alarms == alarms + 1
    assert desk.draw("KC") == ["player_2 KC exposed"]
    assert desk.shoe.locked()
    assert desk.cmd("authorise", 1) == "done"
    assert not desk.shoe.locked()
    assert desk.draw("3H")[-1] == "coup 2 player 8-5 dummy"


def test_a_word_said_in_time_is_no_irregularity():
    for first in (True, False):
        desk = Desk("star-rapid").open()
        if first:
            assert desk.cmd("authorise", 1) == "done"
        assert desk.draw("8C", flags=2)[-1] == "kind 1 dummy"
        if not first:
            desk.key(True)
            desk.told()
        assert desk.draw("2H") == ["banker_1 2H exposed"]


def test_burn_missed():
    for book in BOOKS:  # 12.8, 14.8, 12.7, 11.8.8
        desk = Desk(book).open("one")
        if book != "crown-baccarat":
            assert desk.report("burn_missed") == "done"
            assert desk.told() == ["burn_missed PLAY_ON", "burn one 0 missed"]
            assert desk.where() == "dealing player_1"


def test_crown_may_begin_the_shoe_anew_before_the_first_coup_is_over():
    desk = Desk("crown-baccarat").open()
    desk.draw("9S 2H")
    assert desk.report("burn_missed") == "done"
    assert desk.told() == ["burn_missed RESTART_SHOE", "fault decision"]
    assert desk.where() == "dealing player_2"
    assert desk.shoe.locked()
    assert desk.cmd("burn_card") == "done"  # the supervisor's choice
    assert desk.told() == ["cleared decision command"]
    assert desk.where() == "burning"
    assert desk.state.cards_out == 0
    assert desk.draw("9S")[0] == "burn 9S"
    assert desk.where() == "dealing player_1"
    assert desk.draw(NATURAL)[-1] == "coup 1 player 9-4 live"
    assert desk.report("burn_missed") == "done"  # too late, whatever the report says
    assert desk.told() == ["burn_missed PLAY_ON"]
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
    assert desk.told()[-1] == "cleared decision command"
    assert desk.draw("9S") == ["burn 9S", "burn none 1"]
    assert desk.draw("2H TD 2D 5C 3C")[-1] == "coup 1 player 7-5 live"
    assert not desk.state.fault


def test_a_misdeal_is_void_or_stands_by_the_book():
    for book, code in (
        ("star-baccarat", "RECON_WITHDRAW"),  # 12.1.1
        ("star-premium", "RECON_WITHDRAW"),  # 14.1.1
        ("nz-baccarat", "RECON_BINDING"),  # 12.6
        ("crown-baccarat", "RECON_BINDING"),  # 10.11
    ):
        desk = Desk(book).open()
        desk.draw("9S 2H")
        assert desk.report("bad_order", "reconstructible", "notified_before_next") == "done"
        assert desk.told() == ["bad_order " + code]
        assert desk.report("bad_order", "notified_before_next") == "done"
        assert desk.told() == ["bad_order VOID", "void 1 misdeal go_on 2"]
        assert desk.where() == "dealing player_1"
        assert desk.state.coup_no == 2
        assert desk.report("bad_order") == "done"
        assert desk.told() == ["bad_order PLAY_ON"]
    desk = Desk("star-rapid").open()
    desk.draw("9S 2H")
    desk.report("bad_order", "reconstructible", "notified_before_next")
    assert desk.told()[0] == "bad_order VOID"  # 11.8.1.3


def test_a_misdeal_of_a_complete_coup_is_void_before_confirm():
    desk = Desk("star-rapid").open()
    desk.draw(NATURAL)
    assert desk.report("bad_order", "notified_before_next") == "done"
    assert desk.told() == ["bad_order VOID", "void 1 misdeal go_on 4"]
    assert desk.where() == "dealing player_1"


def test_wrong_shoe_of_two():
    desk = Desk("star-rapid").open()
    desk.draw("9S 2H")
    desk.report("wrong_shoe")
    assert desk.told() == ["wrong_shoe VOID", "void 1 wrong_shoe go_on 2"]  # 11.8.2
    desk = Desk().open()
    desk.draw("9S 2H")
    desk.report("wrong_shoe")
    assert desk.told() == ["wrong_shoe NO_RULE"]


def test_cut_missed_finishes_the_coup_and_ends_the_shoe():
    for book in ("star-baccarat", "star-premium", "star-rapid"):  # 12.7, 14.7, 11.8.7
        desk = Desk(book).open()
        desk.draw("9S 2H")
        desk.report("cut_missed")
        assert desk.told() == ["cut_missed FINISH_RESHUFFLE"]
        assert desk.state.last_coup()
        desk.draw("TD 2D")
        assert desk.confirm() == ["closed 1 coups 1 last_coup"]


def test_a_foreign_card():
    for book in ("star-baccarat", "star-premium", "star-rapid"):  # 12.11, 14.11, 11.8.10
        desk = Desk(book).open()
        desk.draw("9S 2H")
        told = desk.reject("foreign")
        assert told[1] == "missing_or_foreign_card VOID_CHECK"
        assert told[-1] == "closed 1 coups 1 new_cards"
        assert "void 1 foreign_card new_cards 2" in told
        assert not desk.state.fault
    desk = Desk("crown-baccarat").open()
    assert desk.reject("foreign")[1:] == ["missing_or_foreign_card NO_RULE", "fault composition"]
    assert desk.cmd("key_card", 3, 0) == "not_now"


def test_a_foreign_card_while_burning_ends_the_shoe_without_a_coup():
    desk = Desk().open("one")
    told = desk.reject("foreign")
    assert told[1] == "missing_or_foreign_card VOID_CHECK"
    assert told[-1] == "closed 1 coups 0 new_cards"
    assert not any(word.startswith("void") for word in told)


def test_a_card_that_could_not_be_read_holds_the_exit():
    for reason in ("blank", "columns", "doubtful", "not_in_set", "spacing"):
        desk = Desk("star-rapid").open()
        desk.draw("9S")
        assert desk.reject(reason)[1:] == ["misread_card MANUAL_ENTRY", "fault card"]  # 11.8.12
        assert desk.shoe.locked()
    for reason in ("short_pull", "pushed_back", "double", "pushed_back_midway", "half_drawn"):
        desk = Desk().open()
        assert desk.reject(reason)[1:] == ["fault card"]
        assert desk.shoe.locked()


def test_a_card_behind_one_that_was_not_read_begins_the_next_coup():
    for book, code, kind in (("star-baccarat", "NEXT_LIVE", "live"), ("star-rapid", "NEXT_NO_BET", "dummy")):
        desk = Desk(book).open()
        desk.draw("9S")
        desk.reject("doubtful")
        assert desk.draw("5D")[1] == "excess_card " + code
        desk.cmd("authorise", 2)
        assert desk.cmd("key_card", 1, 0) == "done"
        assert desk.draw("KD 5C")[-1].startswith("coup 1 player 9-7")
        desk.restart()
        desk.confirm()
        assert desk.where() == "dealing banker_1"
        assert desk.draw("2H KC 3H 2C")[-1] == "coup 2 player 7-5 " + kind


def test_a_due_card_takes_its_place_whatever_fault_holds_the_exit():
    for reason in ("short_pull", "pushed_back", "double", "pushed_back_midway", "half_drawn"):
        desk = Desk().open()
        desk.draw("9S")
        desk.reject(reason)
        assert desk.draw("5D") == ["banker_1 5D"]
        assert desk.state.fault
    desk = Desk().open("one")
    desk.shoe.lid(0, True)
    desk.told()
    assert desk.draw("5D") == ["burn 5D", "burn one 1"]
    assert desk.draw("6D") == ["player_1 6D"]


def test_a_misdeal_told_after_confirm_voids_the_coup_that_was_dealt():
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
            assert desk.told()[-2:] == ["bad_order VOID", "void 2 misdeal go_on 4"]
            assert (desk.where(), desk.state.coup_no, desk.state.coups_left) == (where, 3, left)
            assert desk.report("bad_order", "notified_before_next") == ("done" if after else "not_now")  # once


def test_a_misdeal_told_after_the_next_card_is_not_about_the_coup_before():
    for book in BOOKS:
        desk = Desk(book).open()
        desk.draw(NATURAL)
        desk.confirm()
        desk.draw("4S")
        desk.report("bad_order")
        assert desk.told()[-1] == "bad_order PLAY_ON"
        desk.report("bad_order", "notified_before_next")
        assert desk.told() == ["bad_order VOID", "void 2 misdeal go_on 1"]


def test_no_coup_is_void_that_was_not_dealt():
    for book in BOOKS:
        for burn in ("none", "one"):
            desk = Desk(book).open(burn)
            assert desk.report("bad_order", "notified_before_next") == "not_now"
            assert desk.report("insufficient_cards") == "not_now"
            desk.shoe.lid(0, True)
            assert desk.cmd("void_coup", 1, 1) == "not_now"
            assert not any(word.startswith("void") for word in desk.told())


def test_a_foreign_card_behind_a_complete_coup_lets_it_stand():
    for book in ("star-baccarat", "star-premium", "star-rapid"):  # 12.11.1, 14.11.1, 11.8.10.1
        desk = Desk(book).open()
        desk.draw(NATURAL)
        assert desk.reject("foreign")[1:] == ["missing_or_foreign_card VOID_CHECK"]
        desk.restart()
        assert desk.where() == "complete"
        assert desk.confirm() == ["closed 1 coups 1 new_cards"]
        desk = Desk(book).open()
        desk.draw(NATURAL)
        desk.confirm()
        assert desk.report("missing_or_foreign_card") == "done"  # between two coups
        assert desk.told() == ["missing_or_foreign_card VOID_CHECK", "closed 1 coups 1 new_cards"]
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


def test_a_wrong_result_button_is_a_discrepancy_and_no_edit():
    for book, code in (("star-baccarat", "CONFIRM"), ("crown-baccarat", "NO_RULE"), ("star-rapid", "CONFIRM")):
        desk = Desk(book).open()
        desk.draw(NATURAL)
        assert desk.press("banker")
        assert desk.told() == ["scan_discrepancy " + code, "fault decision"]  # 12.13, silent, 11.8.11
        assert not desk.press("confirm")
        assert desk.press("player")
        assert desk.told() == []
        assert not desk.press("confirm")
        assert desk.state.coup.winner() == 1


def test_a_discrepancy_is_confirmed_or_void():
    desk = Desk().open()
    desk.draw(NATURAL)
    desk.press("tie")
    desk.told()
    assert desk.report("scan_discrepancy", "confirmed") == "done"
    assert desk.told() == ["scan_discrepancy CONFIRM", "cleared decision command"]
    assert desk.confirm() == []
    desk.draw(BOTH_STAND)
    desk.press("tie")
    desk.told()
    assert desk.report("scan_discrepancy") == "done"
    assert desk.told() == ["scan_discrepancy VOID", "void 2 discrepancy go_on 4", "cleared decision command"]
    assert desk.where() == "dealing player_1"


def test_the_right_result_button_changes_nothing():
    desk = Desk().open()
    desk.draw(NATURAL)
    assert desk.press("player")
    assert not desk.press("player")  # once is enough
    assert desk.told() == []
    assert desk.confirm() == []


def test_a_result_button_before_the_end_means_nothing():
    desk = Desk().open()
    desk.draw("9S")
    for button in ("player", "banker", "tie", "confirm", "new_shoe"):
        assert not desk.press(button)


def test_the_lid():
    desk = Desk().open()
    desk.draw("9S")
    desk.shoe.lid(0, True)
    assert desk.told() == ["lid 1", "fault lid"]
    assert desk.shoe.locked()
    assert desk.cmd("clear_fault", number_of("fault", "lid")) == "not_now"
    desk.shoe.lid(0, False)
    assert desk.shoe.locked()
    assert desk.cmd("clear_fault", number_of("fault", "lid")) == "done"
    assert desk.where() == "dealing banker_1"
    assert not desk.shoe.locked()


def test_the_lid_of_a_closed_shoe_is_for_new_cards():
    desk = Desk()
    desk.shoe.lid(0, True)
    assert desk.press("new_shoe")
    assert desk.shoe.locked()
    desk.shoe.lid(0, False)
    assert not desk.shoe.locked()


def test_opening_the_lid_does_not_hide_the_card_to_be_keyed_in():
    desk = Desk().open()
    desk.reject("doubtful")
    desk.shoe.lid(0, True)
    desk.shoe.lid(0, False)
    assert desk.cmd("key_card", 8, 0) == "done"
    assert desk.told()[-2:] == ["player_1 9C keyed", "cleared card command"]
