"""The shoe: opened, burnt and dealt; lock and due at every card."""

from books import number_of
from desk import BANKER_STANDS, BOTH_STAND, NATURAL, PLAYER_STANDS, SIX_CARDS, Desk, Log
from sabot.dealing.shoe import Shoe
from sabot.profile import Profile


def test_no_shoe_before_a_profile():
    shoe = Shoe(Log(), Profile(6))
    assert not shoe.press(0, 5)
    assert shoe.command(0, 1, number_of("command", "open_shoe"), b"\x08\x00", 0, 2) != 0
    assert shoe.state.phase == 0
    assert shoe.locked()


def test_opened_with_set_decks_and_burn():
    desk = Desk()
    assert desk.press("new_shoe")
    assert desk.logged() == ["opened 1 set 1 decks 8 one"]
    assert desk.where() == "burning"
    assert not desk.shoe.locked()


def test_a_second_new_shoe_while_burning_or_in_a_coup_means_nothing():
    desk = Desk()
    assert desk.press("new_shoe")
    assert not desk.press("new_shoe")
    desk.draw("9S")
    assert desk.press("new_shoe")  # no card of the coup is out
    desk.draw("9S 2H")
    assert not desk.press("new_shoe")
    assert desk.where() == "dealing banker_1"


def test_burn_of_one_card_down_or_shown():
    for mode in ("one", "shown"):
        desk = Desk().open(mode)
        assert desk.draw("9S") == ["burn 9S", "burn %s 1" % mode]
        assert desk.where() == "dealing player_1"


def test_burn_by_the_value_of_the_first_card():
    for first, more in (("AS", 1), ("5D", 5), ("9C", 9), ("TC", 10), ("JH", 10), ("QH", 10), ("KH", 10)):
        desk = Desk().open("face_up")
        desk.draw(first)
        for card in "2C 4D 6H 8S TC QD AH 3S 5C 7D".split()[:more]:
            assert desk.where() == "burning"
            assert not desk.shoe.locked()
            desk.draw(card)
        assert desk.logged() == []
        assert desk.where() == "dealing player_1"
        assert desk.state.burnt == 1 + more


def test_burn_modes_by_the_book():
    permitted = {
        "star-baccarat": ("one", "shown", "face_up"),  # 4.7
        "star-premium": ("one", "shown", "face_up"),  # 4.7
        "nz-baccarat": ("one", "shown", "face_up"),  # 7.7
        "crown-baccarat": ("one", "shown", "face_up"),  # 4.3.1
        "star-rapid": ("one",),  # 3.12
    }
    for book in permitted:
        for mode in ("one", "shown", "face_up"):
            outcome = Desk(book).cmd("open_shoe", 8, number_of("burn", mode))
            assert outcome == ("done" if mode in permitted[book] else "not_permitted"), (book, mode)


def test_a_card_burnt_before_any_coup_where_crown_allows_it():
    desk = Desk("crown-baccarat").open()
    desk.deal(NATURAL)
    desk.confirm()
    assert desk.cmd("burn_card") == "done"
    assert desk.where() == "dealing burn"
    assert desk.draw("5D") == ["burn 5D"]
    assert desk.draw(NATURAL)[-1] == "coup 2 player 9-4 live"
    for book in ("star-baccarat", "star-premium", "nz-baccarat", "star-rapid"):
        assert Desk(book).open().cmd("burn_card") == "not_permitted"


def test_no_card_is_burnt_in_mid_coup():
    desk = Desk("crown-baccarat").open()
    desk.draw("9S")
    assert desk.cmd("burn_card") == "not_now"


def test_slots_due_and_lock_through_every_shape_of_coup():
    third = "dealing player_3", "dealing banker_3"
    for cards, dues, logged in (
        (NATURAL, (), "coup 1 player 9-4 live"),
        (BOTH_STAND, (), "coup 1 banker 6-7 live"),
        (BANKER_STANDS, third[:1], "coup 1 tie 7-7 live"),
        (PLAYER_STANDS, third[1:], "coup 1 banker 6-8 live"),
        (SIX_CARDS, third, "coup 1 banker 3-4 live"),
    ):
        desk = Desk().open()
        expected = ("dealing player_1", "dealing banker_1", "dealing player_2", "dealing banker_2") + dues
        for due, card in enumerate(cards.split()):
            assert desk.where() == expected[due]
            assert not desk.shoe.locked()
            last = desk.draw(card)[-1]
        assert last == logged
        assert desk.where() == "complete"
        assert desk.shoe.locked()
        desk.confirm()
        assert desk.where() == "dealing player_1"
        assert not desk.shoe.locked()


def test_locked_while_the_journal_is_full():
    desk = Desk(capacity=60).open()
    while not desk.log.full():
        assert not desk.shoe.locked()
        desk.draw(("KS", "KH", "QD", "QC", "JS", "JH", "JC")[desk.state.cards_out % 7])
        if desk.where() == "complete":
            desk.confirm()
    assert desk.shoe.locked()
    assert desk.shoe.waits_for_gateway()
    desk.shoe.watch_room(0)
    desk.shoe.watch_room(0)
    assert desk.logged()[-1:] == ["fault journal_full"]
    desk.log.acked = desk.log.next_no - 1
    desk.shoe.watch_room(0)
    assert desk.logged() == ["cleared journal_full itself"]
    assert not desk.shoe.locked()


def test_a_card_out_of_a_closed_shoe_is_logged_and_nothing_else():
    desk = Desk()
    assert desk.draw("3S CUT") == ["reject not_due", "reject not_due"]
    assert desk.where() == "closed"
    assert desk.reject("short_pull") == ["reject short_pull"]
    assert desk.press("new_shoe")


def test_noise_is_logged_once_a_minute_and_locks_nothing():
    desk = Desk().open()
    for now_ms in (0, 59_999, 60_000, 60_001, 120_000):
        desk.shoe.noise(now_ms, 3)
    assert desk.logged() == ["reject noise"] * 3
    assert not desk.shoe.locked()


def test_rejects_leave_room_in_a_full_journal():
    desk = Desk(capacity=16)
    for _ in range(50):
        desk.reject("short_pull")
    assert desk.log.next_no - 1 <= 15
