"""The Rapid's two presses: the winning result, then Confirm; either alone settles nothing (7.7.4.9, 7.7.4.10, 8.1)."""

from desk import NATURAL, Desk


def complete():
    desk = Desk("star-rapid").open()
    desk.draw(NATURAL)
    return desk


def test_confirm_alone_does_nothing():
    desk = complete()
    assert not desk.press("confirm")
    assert desk.logged() == []
    assert desk.where() == "complete"
    assert desk.shoe.locked()


def test_the_result_alone_settles_nothing_and_then_confirm_does():
    desk = complete()
    assert desk.press("player")
    assert (desk.logged(), desk.where()) == ([], "complete")
    assert desk.press("confirm")
    assert desk.where() == "dealing player_1"


def test_the_result_may_be_pressed_again_before_confirm():
    desk = complete()
    for button in ("banker", "tie", "player"):
        assert desk.press(button)
        assert (desk.logged(), desk.state.fault) == ([], 0)
    assert desk.press("confirm")
    assert (desk.logged(), desk.where()) == ([], "dealing player_1")


def test_confirm_with_another_result_is_a_discrepancy():
    desk = complete()
    desk.press("banker")
    assert desk.press("confirm")
    assert desk.logged() == ["scan_discrepancy CONFIRM", "fault decision"]  # 11.8.11
    assert desk.where() == "complete"
    assert not desk.press("confirm")
    assert desk.cmd("confirm") == "done"  # a supervisor
    assert desk.where() == "dealing player_1"


def test_after_the_key_the_right_result_is_pressed():
    desk = complete()
    desk.press("banker")
    desk.press("confirm")
    desk.key(True)
    desk.key(False)
    desk.logged()
    assert desk.press("player")
    assert desk.press("confirm")
    assert (desk.logged(), desk.where()) == ([], "dealing player_1")


def test_the_result_of_one_coup_is_none_of_the_next():
    desk = complete()
    desk.press("player")
    desk.press("confirm")
    desk.draw(NATURAL)
    assert not desk.press("confirm")


def test_a_restart_keeps_the_result():
    desk = complete()
    desk.press("player")
    desk.restart()
    assert desk.press("confirm")
    assert desk.where() == "dealing player_1"


def test_the_other_books_need_no_result():
    for book in ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat"):
        desk = Desk(book).open()
        desk.draw(NATURAL)
        assert desk.press("confirm")
