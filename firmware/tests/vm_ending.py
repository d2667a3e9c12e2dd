"""The end of a shoe: cutting card, last coup, dummy coups after it, too few cards."""

from books import number_of
from desk import NATURAL, Desk

NINES = ("9S", "9H", "9D", "9C")


def coups_after(cards, book="star-baccarat", confirm_at=-1):
    """Return how many coups are dealt when these cards come first; only the last one counts as the last."""
    desk = Desk(book, off=("post_cut_dummy_coups",)).open()
    desk.draw(cards)
    coups = 0
    while desk.where() != "closed":
        while desk.where() != "complete":
            desk.draw(NINES[desk.state.cards_out % 4])
        coups += 1
        last = desk.state.last_coup()
        logged = desk.confirm()
        assert last == (logged == ["closed 1 coups %d last_coup" % coups])
    assert desk.shoe.locked()
    return coups


def test_cutting_card_in_mid_coup_leaves_one_more():
    for book in ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid"):
        assert coups_after("9S CUT", book) == 2


def test_cutting_card_as_first_card():
    for book in ("star-baccarat", "star-premium", "nz-baccarat", "star-rapid"):  # 4.10, 4.10, 11.2(a), 3.14
        assert coups_after("CUT", book) == 1
    assert coups_after("CUT", "crown-baccarat") == 2  # 4.1.1(b), A-17


def test_cutting_card_before_or_among_the_burn_is_the_first_coup_s():
    for book, last in (("star-baccarat", 1), ("crown-baccarat", 2)):  # 4.10; 4.1.1(b), A-17
        desk = Desk(book, off=("post_cut_dummy_coups",)).open("one")
        assert desk.draw("CUT KS") == ["cut 1 first", "burn KS", "burn one 1"]
        for coup in range(1, last + 1):
            assert desk.draw(NATURAL)[-1].endswith(" last") == (coup == last)
            logged = desk.confirm()
        assert logged == ["closed 1 coups %d last_coup" % last]
    desk = Desk("nz-baccarat").open("face_up")
    assert desk.draw("2S 3H CUT 4D") == ["burn 2S", "burn 3H", "cut 1 first", "burn 4D", "burn face_up 3"]
    assert desk.draw(NATURAL)[-1] == "coup 1 player 9-4 live last"  # 11.2(a)


def test_cutting_card_after_a_complete_coup_is_the_next_one_s_first():
    assert coups_after(NATURAL + " CUT") == 2
    assert coups_after(NATURAL + " CUT", "crown-baccarat") == 3


def test_cutting_card_after_a_surplus_card_is_in_the_next_coup():
    desk = Desk().open()
    desk.draw(NATURAL + " 3S")
    assert desk.draw("CUT") == ["cut 2 mid"]
    assert desk.state.coups_left == 3


def test_a_second_cutting_card_changes_nothing():
    assert coups_after("9S CUT 9H CUT") == 2  # New Zealand 7.6 allows one at the very back


def test_the_last_coup_is_logged_as_the_last():
    desk = Desk().open()
    assert desk.draw("CUT " + NATURAL)[-1] == "coup 1 player 9-4 live last"


def test_dummy_coups_after_the_last_where_crown_allows_them():
    desk = Desk("crown-baccarat").open()
    desk.draw("2H CUT")
    desk.draw("9S 2D TD")
    while desk.where() != "complete":
        desk.draw("KD")
    desk.confirm()
    desk.draw(NATURAL)
    assert desk.cmd("authorise", 2) == "done"
    for coup in (3, 4):
        assert desk.cmd("no_bet", number_of("kind", "dummy")) == "done"
        assert desk.confirm() == ["kind %d dummy" % coup]
        assert desk.draw(NATURAL)[-1] == "coup %d player 9-4 dummy last" % coup
    assert desk.confirm() == ["closed 1 coups 4 last_coup"]


def test_no_coup_after_the_last_where_the_book_has_none():
    desk = Desk().open()
    desk.draw("CUT " + NATURAL)
    assert desk.cmd("no_bet", number_of("kind", "no_bet")) == "done"
    assert desk.confirm() == ["closed 1 coups 1 last_coup"]


# A deck of which every coup takes four cards.
FOUR_EACH = (
    "6C 9S JH 7S KD TC 6S 8C 4D AS 5D AC QH QD 8H KC 2H 2D KS 6D JD 9D 9C 3S JS 3D "
    "TS 5S 9H QC JC 2C AH AD 3C 7H 5C KH 4S 2S TH 4H 8D QS 5H 3H 4C 7C TD 7D 8S 6H"
)
DECK = " ".join(rank + suit for suit in "CDHS" for rank in "A3579JQ2468TK")


def play_out(desk):
    """Deal one deck until the shoe is closed; return what was logged last."""
    desk.open("none", 1)
    logged = []
    for card in DECK.split():
        if desk.where() == "complete":
            desk.confirm()
        logged = desk.draw(card) or logged
    return logged


def test_too_few_cards_for_the_coup():
    for book, code in (
        ("star-baccarat", "VOID"),  # 12.6
        ("star-premium", "VOID"),  # 14.6
        ("nz-baccarat", "VOID_NEW_CARDS"),  # 12.5
        ("crown-baccarat", "VOID"),  # 10.10
        ("star-rapid", "VOID"),  # 11.8.6
    ):
        desk = Desk(book)
        logged = play_out(desk)
        if desk.where() == "complete":
            logged = desk.confirm()
            assert logged[-1].endswith("no_cards")
            continue
        coup = desk.state.coup_no
        cards = logged[-2].split()[-1]
        assert logged[1:] == [
            "insufficient_cards " + code,
            "void %d short_shoe new_cards %s" % (coup, cards),
            "closed 1 coups %d new_cards" % coup,
        ], book


def test_no_cards_left_between_two_coups():
    desk = Desk().open("none", 1)
    for card in FOUR_EACH.split():
        if desk.where() == "complete":
            desk.confirm()
        desk.draw(card)
    assert desk.confirm() == ["closed 1 coups 13 no_cards"]
    assert desk.shoe.locked()


def test_a_continuous_shuffler_has_no_end_and_no_composition():
    desk = Desk(on=("continuous",)).open("none", 1)
    for coup in range(1, 21):
        assert desk.draw("9S 2H TD 2D")[-1] == "coup %d player 9-4 live" % coup
        assert desk.confirm() == []
    assert desk.where() == "dealing player_1"
