"""Coups without wagers: face-up and exposed cards, and the authorisation that they need."""

from desk import BANKER_STANDS, BOTH_STAND, SIX_CARDS, Desk
from support import number

BOOKS = ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")
UNWAGERED = {"star-baccarat": "no_bet", "star-premium": "no_bet", "nz-baccarat": "void_hand"}


def test_a_first_card_face_up_makes_this_coup_one_without_wagers():
    for book in BOOKS:  # 12.3, 14.3, 12.3, 10.5.1, 11.8.4
        kind = UNWAGERED.get(book, "dummy")
        desk = Desk(book).open()
        logged = desk.draw("8C", flags=2)
        assert logged[-2:] == ["first_card_face_up THIS_NO_BET", "kind 1 " + kind], logged
        awaits = book == "star-rapid"  # 11.8.14; Crown 10.5.1 orders it itself
        assert desk.shoe.locked() == awaits
        if awaits:
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


def test_a_second_face_up_card_needs_no_second_authorisation():
    desk = Desk("nz-baccarat", on=("international", "dummy_needs_authorisation")).open()
    desk.draw("5S")
    assert desk.draw("7H", flags=2)[-1] == "kind 1 void_hand"
    desk.cmd("authorise", 2)
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
        logged = desk.draw("8C", exposed=1)
        assert logged[:2] == ["player_1 8C exposed", "first_card_exposed " + code], logged
        assert logged[2:] == ([] if kind == "live" else ["kind 1 " + kind])
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
    assert desk.logged()[:2] == ["player_1 8C keyed exposed", "first_card_exposed THIS_NO_BET"]


def test_a_dummy_coup_that_the_book_orders_needs_no_authorisation():
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


def test_a_dummy_coup_that_was_ordered_once_stays_ordered():
    desk = Desk("crown-baccarat").open()
    desk.draw(BOTH_STAND)
    assert desk.draw("8C")[-1] == "player_overdraw NEXT_NO_BET"
    assert desk.draw("9C")[-1] == "banker_overdraw NEXT_NO_BET"
    assert desk.draw("7C", exposed=1)[-1] == "excess_card NEXT_NO_BET"
    desk.confirm()
    assert not desk.shoe.locked()


def test_a_card_of_a_dummy_coup_without_authorisation_is_an_irregularity_once():
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


def test_authorisation_in_time_is_no_irregularity():
    for turned in (True, False):
        desk = Desk("star-rapid").open()
        assert desk.draw("8C", flags=2)[-1] == "kind 1 dummy"
        if turned:
            desk.key(True)
            desk.logged()
        else:
            assert desk.cmd("authorise", 1) == "done"
        assert desk.draw("2H") == ["banker_1 2H exposed"]
