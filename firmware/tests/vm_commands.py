"""Commands of the gateway: when each is accepted, when not, and with values that make no sense."""

from books import name, number_of
from desk import BOTH_STAND, NATURAL, Desk
from support import number


def kind(called):
    return number_of("kind", called)


def test_open_shoe_checks_decks_and_burn():
    for decks, burn, outcome in ((0, 0, "bad_value"), (9, 0, "bad_value"), (8, 4, "bad_value"), (8, 255, "bad_value")):
        assert Desk().cmd("open_shoe", decks, burn) == outcome
    assert Desk().cmd("open_shoe", 6, 1) == "done"


def test_open_in_mid_coup_waits_for_a_fault():
    desk = Desk().open()
    desk.draw("9S")
    assert desk.cmd("open_shoe", 8, 0) == "not_now"
    desk.reject("doubtful")
    assert desk.cmd("open_shoe", 8, 0) == "done"
    assert desk.logged() == [
        "cleared card new_shoe",
        "void 1 supervisor new_cards 1",
        "closed 1 coups 1 replaced",
        "opened 2 set 1 decks 8 none",
    ]


def test_close():
    desk = Desk()
    assert desk.cmd("close_shoe") == "not_now"
    desk.open("one")
    assert desk.cmd("close_shoe") == "done"
    assert desk.logged() == ["closed 1 coups 0 command"]
    desk.open()
    desk.draw("9S")
    assert desk.cmd("close_shoe") == "not_now"
    desk.draw("2H TD 2D")
    assert desk.cmd("close_shoe") == "done"
    assert desk.logged() == ["closed 2 coups 1 command"]


def test_lock_and_unlock():
    desk = Desk().open()
    assert desk.cmd("lock") == "done"
    assert desk.cmd("lock") == "done"
    assert desk.logged() == ["lock 1"]
    assert desk.shoe.locked()
    assert desk.cmd("unlock") == "done"
    assert desk.logged() == ["lock 0"]
    assert not desk.shoe.locked()


def test_confirm_is_the_same_as_the_dealer_s_button():
    desk = Desk().open()
    assert desk.cmd("confirm") == "not_now"
    desk.draw(NATURAL)
    assert desk.cmd("confirm") == "done"
    assert desk.where() == "dealing player_1"


def test_void_and_continue_or_new_cards():
    desk = Desk().open()
    assert desk.cmd("void_coup", 1, 1) == "not_now"
    desk.draw("9S 2H")
    for reason, then in ((0, 1), (9, 1), (1, 0), (1, 3)):
        assert desk.cmd("void_coup", reason, then) == "bad_value"
    assert desk.cmd("void_coup", 1, 1) == "done"
    assert desk.logged() == ["void 1 supervisor go_on 2"]
    assert desk.where() == "dealing player_1"
    desk.draw(NATURAL)
    assert desk.cmd("void_coup", 3, 2) == "done"
    assert desk.logged() == ["void 2 misdeal new_cards 4", "closed 1 coups 2 new_cards"]


def test_a_void_coup_of_the_last_one_ends_the_shoe():
    desk = Desk().open()
    desk.draw("CUT 9S 2H")
    assert desk.cmd("void_coup", 1, 1) == "done"
    assert desk.logged() == ["void 1 supervisor go_on 2", "closed 1 coups 1 last_coup"]


def test_each_book_has_its_own_kinds_of_coup():
    own = {
        "star-baccarat": ("live", "no_bet"),
        "star-premium": ("live", "no_bet"),
        "nz-baccarat": ("live", "void_hand", "free_hand"),
        "crown-baccarat": ("live", "dummy"),
        "star-rapid": ("live", "dummy"),
    }
    for book in own:
        desk = Desk(book).open()
        desk.key(True)
        for called in ("live", "no_bet", "void_hand", "free_hand", "dummy"):
            outcome = desk.cmd("no_bet", kind(called))
            assert outcome == ("done" if called in own[book] else "not_permitted"), (book, called)
        assert desk.cmd("no_bet", 0) == "bad_value"
        assert desk.cmd("no_bet", 6) == "bad_value"


def test_a_coup_declared_before_its_first_card_or_for_the_next():
    desk = Desk().open()
    assert desk.cmd("no_bet", kind("no_bet")) == "done"
    assert desk.logged() == ["kind 1 no_bet"]
    assert desk.cmd("no_bet", kind("live")) == "done"
    assert desk.logged() == ["kind 1 live"]
    desk.draw("9S")
    assert desk.cmd("no_bet", kind("no_bet")) == "done"
    assert desk.draw("2H TD 2D")[-1] == "coup 1 player 9-4 live"
    assert desk.confirm() == ["kind 2 no_bet"]
    assert Desk().cmd("no_bet", kind("no_bet")) == "not_now"


def test_a_dummy_coup_needs_authorisation_where_the_book_asks_for_it():
    for book in ("crown-baccarat", "star-rapid"):  # 10.8.2, 11.8.13
        desk = Desk(book).open()
        assert desk.cmd("no_bet", kind("dummy")) == "not_authorised"
        assert desk.cmd("authorise", 1) == "done"
        assert desk.cmd("no_bet", kind("dummy")) == "done"
        assert not desk.shoe.locked()
        assert desk.state.authorisations == 0
        desk = Desk(book).open()
        desk.key(True)
        assert desk.cmd("no_bet", kind("dummy")) == "done"
        desk.key(False)
        assert not desk.shoe.locked()


def test_authorisations_are_counted_and_end_with_the_shoe():
    desk = Desk("crown-baccarat")
    assert desk.cmd("authorise", 1) == "not_now"
    desk.open()
    assert desk.cmd("authorise", 0) == "not_now"
    for _ in range(3):
        assert desk.cmd("authorise", 255) == "done"
    assert desk.state.authorisations == 255
    assert desk.cmd("close_shoe") == "done"
    assert desk.open().state.authorisations == 0


def test_a_keyed_card():
    desk = Desk().open()
    assert desk.cmd("key_card", 3, 0) == "not_now"
    desk.draw("9S")
    desk.reject("doubtful")
    assert desk.cmd("key_card", 52, 0) == "bad_value"
    assert desk.cmd("key_card", number("2H"), 0) == "done"
    assert desk.logged() == ["banker_1 2H keyed", "cleared card command"]
    assert desk.draw("TD 2D")[-1] == "coup 1 player 9-4 live"


def test_a_keyed_card_needs_authorisation_where_the_book_asks_for_it():
    desk = Desk("star-rapid").open()  # 11.8.12
    desk.reject("doubtful")
    assert desk.cmd("key_card", 3, 0) == "not_authorised"
    assert desk.cmd("authorise", 1) == "done"
    assert desk.cmd("key_card", 3, 0) == "done"
    assert desk.state.authorisations == 0


def test_a_keyed_card_with_the_supervisor_s_key():
    for turned_first in (False, True):
        desk = Desk("star-rapid").open()
        if turned_first:
            desk.key(True)
        desk.reject("doubtful")
        if not turned_first:
            desk.key(True)
        assert desk.cmd("key_card", number("8H"), 0) == "done"
        assert "player_1 8H keyed exposed" in desk.logged()
        assert desk.where() == "dealing banker_1"


def test_a_keyed_card_lay_face_up():
    desk = Desk().open()
    desk.reject("blank")
    assert desk.cmd("key_card", number("8H"), 2) == "done"
    assert desk.logged() == [
        "player_1 8H keyed face_up",
        "first_card_face_up THIS_NO_BET",
        "cleared card command",
        "kind 1 no_bet",
    ]


def test_a_keyed_card_after_a_complete_coup_is_a_surplus_card():
    for flags, code in ((0, "NEXT_LIVE"), (4, "NEXT_NO_BET")):
        desk = Desk().open()
        desk.draw(BOTH_STAND)
        desk.reject("doubtful")
        assert desk.cmd("key_card", number("8C"), flags) == "done"
        assert "player_overdraw " + code in desk.logged()
        desk.confirm()
        assert desk.where() == "dealing banker_1"


def test_a_keyed_burn_card():
    desk = Desk().open("face_up")
    desk.reject("doubtful")
    assert desk.cmd("key_card", number("2H"), 0) == "done"
    assert desk.where() == "burning"
    assert desk.draw("3S 9D")[-1] == "burn face_up 3"


def test_a_report_needs_an_open_shoe_and_a_known_case():
    assert Desk().report("bad_order") == "not_now"
    desk = Desk().open()
    assert desk.cmd("irregularity", 0, 0, 0) == "bad_value"
    assert desk.cmd("irregularity", 22, 0, 0) == "bad_value"


def test_this_coup_goes_on_without_wagers():
    for book, called in (("star-baccarat", "no_bet"), ("star-premium", "no_bet"), ("crown-baccarat", "dummy")):
        desk = Desk(book).open()  # 12.1.1; 14.12.6; 10.4, 10.7, 10.9.2
        assert desk.cmd("this_no_bet") == "not_now"
        desk.draw("9S 2H")
        assert desk.cmd("this_no_bet") == "done"
        assert desk.logged() == ["kind 1 " + called]
        assert not desk.shoe.locked()
        assert desk.draw("TD 2D")[-1] == "coup 1 player 9-4 " + called
        assert desk.cmd("this_no_bet") == "not_now"
        assert desk.confirm() == []
        assert desk.state.kind == kind("live")


def test_a_book_without_a_clause_for_it_refuses_this_no_bet():
    for book in ("nz-baccarat", "star-rapid"):
        desk = Desk(book).open()
        desk.draw("9S 2H")
        assert desk.cmd("this_no_bet") == "not_permitted"


def test_this_no_bet_after_a_burnt_card():
    desk = Desk("crown-baccarat").open()  # 10.4.1
    assert desk.cmd("burn_card") == "done"
    assert desk.cmd("this_no_bet") == "not_now"
    desk.draw("KC")
    assert desk.cmd("this_no_bet") == "done"
    assert desk.draw(NATURAL)[-1] == "coup 1 player 9-4 dummy"
    desk.confirm()
    assert desk.cmd("this_no_bet") == "not_now"


def test_an_unknown_command_is_refused_and_logged():
    desk = Desk().open()
    for number_sent, size, expected in ((0, 0, (0, "unknown")), (22, 0, (0, "unknown")), (255, 3, (0, "unknown"))):
        assert refused(desk, number_sent, size) == expected
    assert refused(desk, number_of("command", "lock"), 1) == (number_of("command", "lock"), "bad_value")
    assert refused(desk, number_of("command", "key_card"), 1) == (number_of("command", "key_card"), "bad_value")
    assert not desk.shoe.locked()


def refused(desk, command, size):
    """Send a command by its number with so much data; return command and outcome as they were logged."""
    desk.shoe.command(0, desk.state.last_command_id + 1, command, bytes(size), 0, size)
    record = bytearray(32)
    desk.log.read(desk.log.next_no - 1, record)
    assert (record[8], record[9]) == (number_of("event", "command_refused"), 6)
    return record[14], name("outcome", record[15])


def test_a_deck_check_only_between_shoes():
    desk = Desk().open()
    assert desk.cmd("deck_check", 1, 8) == "not_now"
    desk = Desk()
    assert desk.cmd("deck_check", 0, 0) == "not_now"
    for on, decks in ((1, 0), (1, 9), (2, 8)):
        assert desk.cmd("deck_check", on, decks) == "bad_value"


def test_every_command_is_logged_with_its_outcome():
    desk = Desk()
    desk.cmd("confirm")
    desk.cmd("open_shoe", 6, 2)
    record = bytearray(32)
    logged = []
    for event_no in range(1, desk.log.next_no):
        desk.log.read(event_no, record)
        if name("event", record[8]) in ("command_done", "command_refused"):
            logged.append(
                (record[10], name("command", record[14]), name("outcome", record[15]), record[16 : 10 + record[9]])
            )
    assert logged == [(1, "confirm", "not_now", b""), (2, "open_shoe", "done", b"\x06\x02")]
    assert desk.state.last_command_id == 2
