"""What an authorisation is for: what waits when it is given, and coups that people order; never a later prompt."""

from books import number_of
from desk import BOTH_STAND, NATURAL, Desk
from support import number

DUMMY = number_of("kind", "dummy")


def overdrawn(book="star-rapid"):
    """Return a shoe with a complete coup and a card too many, after which the next coup has no wagers."""
    desk = Desk(book).open()
    desk.draw(BOTH_STAND)
    assert "player_overdraw NEXT_NO_BET" in desk.draw("8C", exposed=1)
    return desk


def test_a_stray_authorisation_frees_no_later_prompt():
    for times in (1, 2, 255):
        desk = Desk("star-rapid").open()
        assert desk.cmd("authorise", times) == "done"
        assert desk.draw("8C", flags=2)[-1] == "kind 1 dummy"  # 11.8.4, 11.8.14
        assert desk.shoe.locked()
        desk.reject("doubtful")
        assert desk.cmd("key_card", number("2H"), 0) == "not_authorised"  # 11.8.12


def test_an_authorisation_given_twice_frees_one_prompt():
    desk = overdrawn()
    desk.confirm()
    assert desk.shoe.locked()
    assert desk.cmd("authorise", 1) == desk.cmd("authorise", 1) == "done"
    assert not desk.shoe.locked()
    desk.draw("2H KC 3H")
    desk.draw("9C")
    desk.confirm()
    assert desk.shoe.locked()


def test_an_authorisation_for_the_next_coup_may_be_given_before_confirm():
    desk = overdrawn()
    assert desk.cmd("authorise", 1) == "done"
    assert desk.state.authorisations == 0
    desk.restart()
    desk.confirm()
    assert not desk.shoe.locked()


def test_an_authorisation_for_a_card_ends_with_the_card():
    desk = Desk("star-rapid").open()
    desk.reject("doubtful")
    assert desk.cmd("authorise", 1) == desk.cmd("authorise", 1) == "done"
    assert desk.cmd("clear_fault", number_of("fault", "card")) == "done"
    desk.reject("doubtful")
    assert desk.cmd("key_card", number("2H"), 0) == "not_authorised"


def test_a_coup_that_the_book_orders_waits_for_nobody_though_a_person_orders_it_too():
    for authorised in ("authorise", "key"):
        desk = overdrawn("crown-baccarat")  # 10.6.1(b)
        if authorised == "key":
            desk.key(True)
        else:
            assert desk.cmd("authorise", 1) == "done"
        assert desk.cmd("no_bet", DUMMY) == "done"
        desk.key(False)
        assert desk.confirm()[-1] == "kind 2 dummy"
        assert not desk.shoe.locked()
        assert desk.state.authorisations == (authorised == "authorise")  # the book's coup needed none


def test_a_coup_that_a_person_orders_uses_the_authorisation_at_once():
    for book in ("crown-baccarat", "star-rapid"):
        desk = Desk(book).open()
        desk.draw(NATURAL)
        assert desk.cmd("authorise", 1) == "done"
        assert desk.cmd("no_bet", DUMMY) == "done"
        assert desk.state.authorisations == 0
        assert desk.cmd("no_bet", DUMMY) == "not_authorised"
        desk.confirm()
        assert not desk.shoe.locked()


def test_a_first_coup_that_is_dealt_again_still_waits():
    desk = Desk("crown-baccarat", on=("dummy_needs_authorisation",)).open()
    desk.key(True)
    assert desk.cmd("no_bet", DUMMY) == "done"
    desk.key(False)
    desk.draw("9S")
    assert desk.report("burn_missed") == "done"
    assert desk.cmd("burn_card") == "done"
    desk.draw("KS")
    assert not desk.shoe.locked()  # it was authorised with the order


def test_an_authorisation_for_a_card_that_the_key_let_in_is_no_other_card_s():
    desk = Desk("star-rapid").open()
    desk.reject("doubtful")
    desk.reject("blank")
    assert desk.cmd("authorise", 2) == "done"
    desk.key(True)
    assert desk.cmd("key_card", number("2H"), 0) == "done"
    assert desk.state.card_authorisations == 1
    assert desk.cmd("authorise", 1) == "done"
    assert desk.state.authorisations == 1
