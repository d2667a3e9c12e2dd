"""Irregularities with a card too many: case, consequence and the next coup, by the book."""

from desk import BANKER_STANDS, BOTH_STAND, NATURAL, PLAYER_STANDS, SIX_CARDS, Desk

BOOKS = ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")
UNWAGERED = {
    "star-baccarat": "no_bet",
    "star-premium": "no_bet",
    "nz-baccarat": "void_hand",
    "crown-baccarat": "dummy",
    "star-rapid": "dummy",
}
LIVE, NO_BET, NOT_USED = "NEXT_LIVE", "NEXT_NO_BET", "NOT_USED"


def test_the_case_of_a_surplus_card():
    for cards, case in (
        (NATURAL, "player_overdraw"),
        (BOTH_STAND, "player_overdraw"),
        (BOTH_STAND + " 3S", "banker_overdraw"),
        (BANKER_STANDS, "banker_overdraw"),
        (PLAYER_STANDS, "excess_card"),
        (SIX_CARDS, "excess_card"),
        (BOTH_STAND + " 3S 8H", "excess_card"),
    ):
        desk = Desk().open()
        desk.draw(cards)
        assert desk.draw("8C")[-1].split()[0] == case, cards


def consequences(cards, expected):
    """Undisclosed, disclosed, and both in the last coup: the codes of each book."""
    for book in BOOKS:
        for i in range(4):
            desk = Desk(book, off=("cut_first_card_is_last_coup",) if i < 2 else ()).open()
            desk.draw(("" if i < 2 else "CUT ") + cards)
            if i >= 2 and book == "crown-baccarat":  # one more, wherever the cutting card came
                desk.confirm()
                desk.draw(cards)
            code = desk.draw("8C", exposed=i & 1)[-1].split()[1]
            assert code == expected[book][i], (book, i, code)


def test_player_overdraw_by_the_book():
    consequences(
        BOTH_STAND,
        {
            "star-baccarat": (LIVE, NO_BET, NOT_USED, NOT_USED),  # 12.2, 12.3, A-19
            "star-premium": (LIVE, NO_BET, NOT_USED, NOT_USED),  # 14.2, 14.3
            "nz-baccarat": (LIVE, NO_BET, NOT_USED, NOT_USED),  # 12.1(b)
            "crown-baccarat": (NO_BET, NO_BET, NO_BET, NO_BET),  # 10.6.1(b), 7.3.4(d)
            "star-rapid": (NO_BET, NO_BET, NOT_USED, NOT_USED),  # 11.8.3, 11.8.13
        },
    )


def test_banker_overdraw_by_the_book():
    consequences(
        BANKER_STANDS,
        {
            "star-baccarat": (NO_BET, NO_BET, NOT_USED, NOT_USED),  # 12.3
            "star-premium": (NO_BET, NO_BET, NOT_USED, NOT_USED),  # 14.3
            "nz-baccarat": (LIVE, NO_BET, NOT_USED, NOT_USED),  # 12.2
            "crown-baccarat": (NO_BET, NO_BET, NO_BET, NO_BET),  # 10.6.2
            "star-rapid": (NO_BET, NO_BET, NOT_USED, NOT_USED),  # 11.8.4
        },
    )


def test_excess_card_by_the_book():
    consequences(
        SIX_CARDS,
        {
            "star-baccarat": (LIVE, NO_BET, NOT_USED, NOT_USED),  # 12.3
            "star-premium": (LIVE, NO_BET, NOT_USED, NOT_USED),  # 14.3
            "nz-baccarat": (LIVE, NO_BET, NOT_USED, NOT_USED),  # 12.2
            "crown-baccarat": (LIVE, NO_BET, NOT_USED, NO_BET),  # 10.2, A-20
            "star-rapid": (NO_BET, NO_BET, NOT_USED, NOT_USED),  # 11.8.13
        },
    )


def test_the_surplus_card_begins_the_next_live_coup():
    desk = Desk().open()
    desk.draw(BOTH_STAND)
    assert desk.draw("8C") == ["player_1 8C surplus", "player_overdraw NEXT_LIVE"]
    assert desk.shoe.locked()
    assert desk.confirm() == []
    assert desk.where() == "dealing banker_1"
    assert desk.draw("2H KC 3H")[-1] == "coup 2 player 8-5 live"


def test_the_surplus_card_begins_a_coup_without_wagers():
    for book in BOOKS:
        desk = Desk(book).open()
        desk.draw(BOTH_STAND)
        desk.draw("8C", exposed=1)
        assert desk.confirm() == ["kind 2 " + UNWAGERED[book]]
        authorised = book == "star-rapid"  # 11.8.13; Crown 10.6.1(b) orders it itself
        assert desk.shoe.locked() == authorised
        if authorised:
            assert desk.cmd("authorise", 1) == "done"
        assert not desk.shoe.locked()
        assert desk.draw("2H KC 3H")[-1] == "coup 2 player 8-5 " + UNWAGERED[book]
        assert desk.confirm() == []
        assert desk.state.kind == 1


def test_a_report_of_exposure_overrides_the_dealing_style():
    for style, exposed, code in (((), -1, LIVE), ((), 1, NO_BET), (("dealt_face_up",), -1, NO_BET)):
        desk = Desk(on=style).open()
        desk.draw(BOTH_STAND)
        assert desk.draw("8C", exposed=exposed)[-1] == "player_overdraw " + code
    desk = Desk(on=("dealt_face_up",)).open()
    desk.draw(BOTH_STAND)
    assert desk.draw("8C", exposed=0)[-1] == "player_overdraw NEXT_LIVE"


def test_a_surplus_card_that_lies_face_up_is_exposed():
    desk = Desk().open()
    desk.draw(BOTH_STAND)
    assert desk.draw("8C", flags=2) == ["player_1 8C face_up surplus", "player_overdraw NEXT_NO_BET"]


def test_the_dealer_corrects_the_case():
    desk = Desk().open()
    desk.draw(BANKER_STANDS + " 8C")
    assert desk.report("player_overdraw") == "done"
    assert desk.logged()[-1] == "player_overdraw NEXT_LIVE"
    assert desk.confirm() == []  # live
    desk = Desk().open()
    desk.draw(BOTH_STAND + " 8C")
    assert desk.report("player_overdraw", "exposed") == "done"
    assert desk.confirm()[-1] == "kind 2 no_bet"


def test_a_second_surplus_card_does_not_make_the_next_coup_live_again():
    desk = Desk().open()
    desk.draw(BANKER_STANDS)
    assert desk.draw("8C 2H") == [
        "player_1 8C surplus",
        "banker_overdraw NEXT_NO_BET",
        "banker_1 2H surplus",
        "excess_card NEXT_LIVE",
    ]
    assert desk.confirm() == ["kind 2 no_bet"]
    assert desk.where() == "dealing player_2"


def test_an_overdrawn_card_becomes_the_banker_s_third_if_the_banker_draws():
    for book in BOOKS:
        desk = Desk(book).open()
        desk.draw("6S 5H TD KD")
        assert desk.where() == "dealing banker_3"
        assert desk.report("player_overdraw", "banker_draws") == "done"
        assert desk.logged() == ["player_overdraw BANKER_THIRD"]
        assert desk.draw("3C")[-1] == "coup 1 banker 6-8 live"


def test_a_surplus_card_of_the_last_coup_is_not_used():
    desk = Desk().open()
    desk.draw("CUT " + BOTH_STAND)
    assert desk.draw("8C") == ["unused 8C surplus", "player_overdraw NOT_USED"]
    assert desk.confirm() == ["closed 1 coups 1 last_coup"]


def test_surplus_cards_that_fill_the_last_coup_begin_none_after_it():
    for book in BOOKS:
        desk = Desk(book, on=("continuous",)).open()
        desk.draw("9S CUT 2H TD 2D")  # one more coup
        slots = [desk.draw(card)[0].split()[0] for card in "6S 7H TD KD 8D".split()]
        assert slots == ["player_1", "banker_1", "player_2", "banker_2", "unused"], book
        desk.cmd("authorise", 1)
        assert desk.confirm()[-1].startswith("coup 2 banker 6-7")
        assert desk.confirm() == ["closed 1 coups 2 last_coup"]


def test_a_card_too_many_in_the_burn_begins_the_first_coup_though_that_is_the_last():
    desk = Desk().open("one")
    desk.draw("CUT")
    desk.reject("doubtful")
    assert desk.draw("8C")[:2] == ["player_1 8C surplus", "excess_card NEXT_LIVE"]


def test_the_cards_may_be_replaced_before_a_coup_that_begins_with_an_unseen_card():
    for command in (("close_shoe",), ("open_shoe", 8, 0)):  # New Zealand 12.1(b), 12.2(a)
        desk = Desk("nz-baccarat").open()
        desk.draw(BOTH_STAND)
        assert desk.draw("8C")[-1] == "player_overdraw NEXT_LIVE"
        desk.confirm()
        desk.restart()
        assert desk.cmd(*command) == "done"
        assert desk.logged()[0] == "closed 1 coups 1 " + ("command" if len(command) == 1 else "replaced")
        desk = Desk("nz-baccarat").open()
        desk.draw(BOTH_STAND + " 8C")
        desk.confirm()
        desk.draw("2H")
        assert desk.cmd(*command) == "not_now"


def test_crown_deals_the_dummy_coup_of_an_overdraw_after_the_last_one():
    desk = Desk("crown-baccarat", on=("cut_first_card_is_last_coup",)).open()
    desk.draw("CUT " + BOTH_STAND + " 8C")
    desk.cmd("authorise", 1)
    assert desk.confirm() == ["kind 2 dummy"]
    assert desk.draw("2H KC 3H")[-1] == "coup 2 player 8-5 dummy last"
    assert desk.confirm() == ["closed 1 coups 2 last_coup"]


def test_surplus_cards_that_fill_one_coup_begin_the_one_after_it():
    desk = Desk(on=("continuous",)).open()
    desk.draw(SIX_CARDS)
    logged = desk.draw("9S 2H TD 2D 3S 4S")
    slots = ["player_1", "banker_1", "player_2", "banker_2", "player_1", "banker_1"]
    assert [text.split()[0] for text in logged[::2]] == slots
    assert set(logged[1::2]) == {"excess_card NEXT_LIVE"}
    assert desk.confirm() == ["coup 2 player 9-4 live"]
    assert desk.where() == "complete"
    assert desk.draw("5S") == ["player_2 5S surplus", "player_overdraw NEXT_LIVE"]
    desk.restart()
    assert desk.confirm() == []
    assert desk.where() == "dealing banker_2"
    assert desk.draw("7H")[-1] == "coup 3 player 8-1 live"


def test_no_new_shoe_at_the_button_while_a_card_in_excess_waits():
    for book in BOOKS:  # 12.2, 14.2, Crown 10.2, 11.8.3; New Zealand replaces the cards by the gateway's command
        desk = Desk(book).open()
        desk.draw(BOTH_STAND + " 8C")
        assert not desk.press("new_shoe"), book
        desk.confirm()
        assert not desk.press("new_shoe"), book


def test_a_disclosed_card_that_begins_the_coup_after_the_next_leaves_the_next_as_it_is():
    for book in BOOKS[:4]:  # 12.3, 14.3, NZ 12.2(b), Crown 10.8.1 with 10.6
        desk = Desk(book, on=("continuous",)).open()
        desk.draw(SIX_CARDS)
        desk.draw("9S 2H TD 2D")  # coup 2, complete, nobody has seen it
        assert desk.draw("3S", exposed=1) == ["player_1 3S exposed surplus", "excess_card NEXT_NO_BET"]
        desk.restart()
        assert desk.confirm() == ["coup 2 player 9-4 live"], book
        assert desk.confirm() == ["kind 3 " + UNWAGERED[book]], book
        assert desk.state.awaiting_authorisation == (book == "crown-baccarat")  # 10.8.2


def test_no_new_shoe_at_the_button_while_a_card_put_back_waits_for_its_dummy_coup():
    desk = Desk("crown-baccarat").open()  # 7.1.5(a), (b)
    desk.draw(BOTH_STAND)
    desk.draw("8C", exposed=1)
    assert desk.cmd("card_returned") == "done"
    for _ in range(2):
        assert not desk.press("new_shoe")
        if desk.where() == "complete":
            desk.confirm()
    assert desk.cmd("authorise", 1) == "done"
    assert desk.draw("8C") == ["player_1 8C returned"]
    desk.draw("2H KC 3H")
    desk.confirm()
    assert desk.press("new_shoe")
    desk = Desk("crown-baccarat").open()
    desk.draw(BOTH_STAND)
    desk.draw("8C", exposed=1)
    desk.cmd("card_returned")
    assert desk.cmd("close_shoe") == "done"
    assert desk.press("new_shoe")
