"""Which card may be keyed in: one that left the shoe and was not read, until that is settled."""

from books import number_of
from desk import BOTH_STAND, Desk
from support import number
from vm_hand_over import coup_of

BOOKS = ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")
LEFT = ("blank", "columns", "doubtful", "not_in_set", "spacing", "pushed_back_midway")
NOT_KNOWN = ("short_pull", "pushed_back", "half_drawn", "double", "not_due", "lid_open", "noise", "foreign")


def key_in(desk, card="2H"):
    """Key a card in with an authorisation where the book asks for one."""
    if desk.state.phase not in (0, 4):
        desk.cmd("authorise", 1)
    return desk.cmd("key_card", number(card), 0)


def unread(book="star-baccarat", reason="doubtful"):
    """Return a shoe with a card of a coup on the table that was not read."""
    desk = Desk(book).open()
    desk.draw("9S")
    desk.reject(reason)
    return desk


def test_a_card_that_left_may_be_keyed_in_once():
    for book in BOOKS:
        for reason in LEFT:
            desk = unread(book, reason)
            assert key_in(desk) == "done", (book, reason)
            assert desk.state.fault == 0
            assert key_in(desk, "3C") == "not_now"


def test_a_card_that_did_not_leave_for_certain_may_not():
    for book in BOOKS:
        for reason in NOT_KNOWN:
            desk = unread(book, reason)
            assert key_in(desk) == "not_now", (book, reason)
            desk.key(True)
            assert key_in(desk) == "not_now", (book, reason)


def test_the_supervisor_s_key_alone_is_no_card():
    desk = Desk("star-rapid").open()
    desk.key(True)
    assert key_in(desk) == "not_now"
    desk.draw("9S")
    assert key_in(desk) == "not_now"


def test_the_key_clears_the_fault_and_the_card_may_be_keyed_in_while_it_is_turned():
    desk = unread()
    desk.key(True)
    assert desk.state.fault == 0
    assert key_in(desk) == "done"
    desk = unread()
    desk.key(True)
    desk.key(False)
    assert key_in(desk) == "not_now"


def test_a_card_drawn_in_its_place_settles_it():
    desk = unread()
    desk.key(True)
    desk.logged()
    assert desk.draw("2H") == ["banker_1 2H"]
    assert key_in(desk) == "not_now"


def test_what_settles_an_unread_card():
    fault = number_of("fault", "card")
    for settle in (("clear_fault", fault), ("void_coup", 1, 1), ("void_coup", 1, 2), ("export_coup",)):
        desk = unread()
        assert desk.cmd(*settle) == "done"
        assert key_in(desk) == "not_now", settle
        desk.key(True)
        assert key_in(desk) == "not_now", settle


def test_nothing_is_keyed_in_after_the_coup_or_the_shoe():
    desk = Desk().open()
    desk.draw(BOTH_STAND)
    desk.reject("blank")
    desk.key(True)
    desk.confirm()
    assert key_in(desk) == "not_now"
    desk = unread()
    assert desk.cmd("open_shoe", 8, 0) == "done"
    desk.key(True)
    assert key_in(desk) == "not_now"


def test_not_in_a_deck_check():
    desk = Desk()
    assert desk.cmd("deck_check", 1, 8) == "done"
    desk.reject("doubtful")
    desk.key(True)
    assert key_in(desk) == "not_now"


def test_two_cards_that_left_are_both_keyed_in_before_the_exit_is_free():
    desk = unread()
    desk.reject("blank")
    assert key_in(desk) == "done"
    assert desk.shoe.locked()
    assert desk.where() == "dealing player_2"
    assert key_in(desk, "TD") == "done"
    assert desk.where() == "dealing banker_2"
    assert not desk.shoe.locked()
    assert key_in(desk, "3C") == "not_now"


def test_the_power_changes_nothing():
    for turned in (False, True):
        desk = unread()
        if turned:
            desk.key(True)
        desk.restart()
        assert key_in(desk) == "done"
        desk.restart()
        assert key_in(desk) == "not_now"
    desk = unread(reason="short_pull")
    desk.restart()
    assert key_in(desk) == "not_now"


def test_a_coup_that_came_from_another_shoe_has_no_unread_card_here():
    desk = Desk("star-rapid").open()
    desk.reject("doubtful")
    assert desk.cmd("import_coup", *coup_of(3, "live", "TS KH", 12)) == "done"
    assert key_in(desk, "KD") == "not_now"


def test_a_second_card_that_left_in_the_burn_is_the_first_of_the_coup():
    for book in BOOKS:
        for burn in ("one", "shown", "face_up") if book != "star-rapid" else ("one",):
            desk = Desk(book)
            if desk.cmd("open_shoe", 8, number_of("burn", burn)) != "done":
                continue
            desk.reject("doubtful")
            desk.reject("blank")
            assert key_in(desk, "AS") == "done"
            if burn == "face_up":  # an ace: one more card is burnt
                assert desk.where() == "burning"
                desk.reject("blank")
                assert key_in(desk, "TD") == "done"
            assert desk.where() == "dealing player_1", (book, burn)
            assert desk.shoe.locked()
            desk.restart()
            assert key_in(desk, "9H") == "done", (book, burn)
            assert desk.where() == "dealing banker_1"
            assert not desk.shoe.locked()
            assert key_in(desk, "3C") == "not_now"


def test_a_first_card_that_may_be_out_can_be_voided_with_its_coup():
    """Cards that cannot be keyed in are void with the coup: 12.1.2, 14.1.2, NZ 12.6, Crown 10.11, 11.8.1."""
    for book in BOOKS:
        for reason in ("pushed_back", "pushed_back_midway", "half_drawn", "double"):
            for turned in (False, True):
                desk = Desk(book).open()
                desk.reject(reason)
                desk.key(turned)
                desk.restart()
                desk.logged()
                assert desk.cmd("void_coup", 1, 1) == "done", (book, reason)
                assert "void 1 supervisor go_on 0" in desk.logged()
                assert desk.where() == "dealing player_1"
                assert desk.cmd("void_coup", 1, 1) == "not_now"


def test_a_first_card_that_was_not_drawn_voids_no_coup():
    for book in BOOKS:
        for reason in ("short_pull", "lid_open", "noise"):
            desk = Desk(book).open()
            desk.reject(reason)
            assert desk.cmd("void_coup", 1, 1) == "not_now", (book, reason)
