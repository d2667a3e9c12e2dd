"""What locks the exit: an unread card, a wrong result button, the lid."""

from books import number_of
from desk import BOTH_STAND, NATURAL, Desk


def test_a_card_that_could_not_be_read_locks_the_exit():
    for reason in ("blank", "columns", "doubtful", "not_in_set", "spacing"):
        desk = Desk("star-rapid").open()
        desk.draw("9S")
        assert desk.reject(reason)[1:] == ["misread_card MANUAL_ENTRY", "fault card"]  # 11.8.12
        assert desk.shoe.locked()
    for reason in ("short_pull", "pushed_back", "double", "pushed_back_midway", "half_drawn"):
        desk = Desk().open()
        assert desk.reject(reason)[1:] == ["fault card"]
        assert desk.shoe.locked()


def test_a_card_after_one_that_was_not_read_begins_the_next_coup():
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


def test_a_due_card_takes_its_slot_whatever_fault_locks_the_exit():
    for reason in ("short_pull", "pushed_back", "double", "pushed_back_midway", "half_drawn"):
        desk = Desk().open()
        desk.draw("9S")
        desk.reject(reason)
        assert desk.draw("5D") == ["banker_1 5D"]
        assert desk.state.fault
    desk = Desk().open("one")
    desk.shoe.lid(0, True)
    desk.logged()
    assert desk.draw("5D") == ["burn 5D", "burn one 1"]
    assert desk.draw("6D") == ["player_1 6D"]


def test_a_wrong_result_button_is_a_discrepancy_and_no_edit():
    for book, code in (("star-baccarat", "CONFIRM"), ("crown-baccarat", "NO_RULE")):
        desk = Desk(book).open()
        desk.draw(NATURAL)
        assert desk.press("banker")
        assert desk.logged() == ["scan_discrepancy " + code, "fault decision"]  # 12.13, silent
        assert not desk.press("confirm")
        assert desk.press("player")
        assert desk.logged() == []
        assert not desk.press("confirm")
        assert desk.state.coup.winner() == 1


def test_a_discrepancy_is_confirmed_or_void():
    desk = Desk().open()
    desk.draw(NATURAL)
    desk.press("tie")
    desk.logged()
    assert desk.report("scan_discrepancy", "confirmed") == "done"
    assert desk.logged() == ["scan_discrepancy CONFIRM", "cleared decision command"]
    assert desk.confirm() == []
    desk.draw(BOTH_STAND)
    desk.press("tie")
    desk.logged()
    assert desk.report("scan_discrepancy") == "done"
    assert desk.logged() == ["scan_discrepancy VOID", "void 2 discrepancy go_on 4", "cleared decision command"]
    assert desk.where() == "dealing player_1"


def test_the_right_result_button_changes_nothing():
    desk = Desk().open()
    desk.draw(NATURAL)
    assert desk.press("player")
    assert not desk.press("player")  # once is enough
    assert desk.logged() == []
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
    assert desk.logged() == ["lid 1", "fault lid"]
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


def test_an_open_lid_is_a_fault_when_the_fault_before_it_is_over():
    desk = Desk().open()
    desk.draw(NATURAL)
    desk.press("banker")
    desk.shoe.lid(0, True)
    desk.logged()
    assert desk.cmd("void_coup", 1, 1) == "done"
    assert desk.logged()[-2:] == ["cleared decision command", "fault lid"]
    desk.restart()
    desk.shoe.lid(0, False)
    assert desk.cmd("clear_fault", number_of("fault", "lid")) == "done"
    assert not desk.shoe.locked()


def test_opening_the_lid_does_not_hide_the_card_to_be_keyed_in():
    desk = Desk().open()
    desk.reject("doubtful")
    desk.shoe.lid(0, True)
    desk.shoe.lid(0, False)
    assert desk.cmd("key_card", 8, 0) == "done"
    assert desk.logged()[-2:] == ["player_1 9C keyed", "cleared card command"]
