"""The shoe: burn, coups, cutting card, lock, and what is logged."""

from sabot import panel
from sabot.journal import BODY, RECORD, Count, Journal
from sabot.profile import Profile
from sabot.shoe import BURNING, CLOSED, COMPLETE, DEALING, FAULT, Shoe
from support import Memory, number

KINDS = ("", "boot", "profile_set", "shoe_opened", "card", "cutting_card", "coup", "reject", "button", "shoe_closed")
SLOT = BODY + 4


def shoe(burn=0, cut_first=True, slots=256):
    journal = Journal(Memory(slots, RECORD), slots)
    profile = Profile(6)
    assert profile.load(bytes(16) + bytes([1, 8, burn, 1 if cut_first else 0]), 0)
    return Shoe(journal, profile, Count(Memory(1, 4), 0)), journal


def draw(shoe, cards):
    for card in cards.split():
        if card == "CUT":
            shoe.cutting_card(0, 1000, 100)
        else:
            shoe.card(0, number(card), 1000, 100)


def logged(journal):
    """The kinds logged so far, and the slots of the cards."""
    buf = bytearray(RECORD)
    kinds, slots = [], []
    for event_no in range(journal.oldest(), journal.next_no):
        journal.read(event_no, buf)
        kinds.append(KINDS[buf[8]])
        if kinds[-1] == "card":
            slots.append(buf[SLOT])
    return kinds, slots


def test_no_shoe_before_a_profile():
    journal = Journal(Memory(16, RECORD), 16)
    bare = Shoe(journal, Profile(6), Count(Memory(1, 4), 0))
    bare.new_shoe(0)
    assert bare.state == CLOSED
    assert bare.locked()
    assert journal.next_no == 1


def test_a_profile_that_makes_no_sense_is_not_taken():
    for fields in ((0, 8, 1, 0), (7, 8, 1, 0), (1, 0, 1, 0), (1, 8, 4, 0)):
        profile = Profile(6)
        assert not profile.load(bytes(16) + bytes(fields), 0)
        assert not profile.known


def test_burn_one_then_the_first_coup():
    it, journal = shoe(burn=1)
    it.new_shoe(0)
    assert it.state == BURNING
    assert not it.locked()
    draw(it, "9S")
    assert it.state == DEALING
    assert it.coup_no == 1
    assert logged(journal) == (["button", "shoe_opened", "card"], [0])


def test_burn_by_the_value_of_the_first_card():
    for first, more in (("5D", 5), ("AS", 1), ("QH", 10), ("TC", 10)):
        it, journal = shoe(burn=3)
        it.new_shoe(0)
        draw(it, first)
        for _ in range(more):
            assert it.state == BURNING
            draw(it, "2C")
        assert it.state == DEALING
        assert len(logged(journal)[1]) == 1 + more


def test_locked_between_coups_and_open_after_confirm():
    it, journal = shoe()
    it.new_shoe(0)
    draw(it, "9S 2H TD 2D")
    assert it.state == COMPLETE
    assert it.locked()
    it.confirm(0)
    assert not it.locked()
    assert it.coup_no == 2
    assert logged(journal) == (
        ["button", "shoe_opened", "card", "card", "card", "card", "coup", "button"],
        [1, 2, 3, 4],
    )


def last_after(cards, cut_first):
    """How many coups the shoe lets be played when these cards come first."""
    it, _ = shoe(cut_first=cut_first)
    it.new_shoe(0)
    draw(it, cards)
    coups = 0
    while it.state != CLOSED:
        while it.state == DEALING:
            draw(it, "9S")
        last = it.last_coup()
        coups += 1
        it.confirm(0)
        assert last == (it.state == CLOSED)
    return coups


def test_cutting_card_in_mid_coup_leaves_one_more():
    assert last_after("9S CUT", cut_first=True) == 2
    assert last_after("9S CUT", cut_first=False) == 2


def test_cutting_card_first_by_profile():
    assert last_after("CUT", cut_first=True) == 1
    assert last_after("CUT", cut_first=False) == 2


def test_a_second_cutting_card_changes_nothing():
    assert last_after("9S CUT 9H CUT", cut_first=True) == 2


def test_a_card_while_locked_is_a_fault_until_a_new_shoe():
    it, journal = shoe()
    it.new_shoe(0)
    draw(it, "9S 2H TD 2D 3S")
    assert it.state == FAULT
    assert it.locked()
    it.confirm(0)
    assert it.state == FAULT
    it.new_shoe(0)
    assert it.state == DEALING
    assert logged(journal)[0][-4:] == ["reject", "button", "shoe_closed", "shoe_opened"]


def test_new_shoe_in_mid_coup_is_ignored():
    it, journal = shoe()
    it.new_shoe(0)
    draw(it, "9S")
    before = journal.next_no
    it.new_shoe(0)
    assert journal.next_no == before
    assert it.state == DEALING


def test_locked_while_the_journal_is_full():
    it, journal = shoe(slots=16)
    it.new_shoe(0)
    while not journal.full():
        assert not it.locked()
        draw(it, "KS")
        if it.state == COMPLETE:
            it.confirm(0)
    assert it.state == DEALING
    assert it.locked()
    assert panel.outputs(it) == 1 | 256
    journal.acknowledge(journal.next_no - 1)
    assert not it.locked()
    assert panel.outputs(it) == 0


def test_lamps():
    it, _ = shoe()
    assert panel.outputs(it) == 1
    it.new_shoe(0)
    assert panel.outputs(it) == 0
    draw(it, "9S 2H 9D 2D")
    assert panel.outputs(it) == 1 | 2 | 16 | 32
    it.confirm(0)
    draw(it, "CUT 2S 9H KD TD")
    assert panel.outputs(it) == 1 | 4 | 128


def test_buttons_count_once_a_press():
    buttons = panel.Buttons()
    assert buttons.feed(panel.CONFIRM) == panel.CONFIRM
    assert buttons.feed(panel.CONFIRM | panel.NEW_SHOE) == panel.NEW_SHOE
    assert buttons.feed(0) == 0
    assert buttons.feed(panel.CONFIRM) == panel.CONFIRM


def test_a_reject_while_closed_is_logged_and_the_shoe_stays_closed():
    it, journal = shoe()
    it.reject(0, 5, 0, 0, 0, 0)
    assert it.state == CLOSED
    it.new_shoe(0)
    assert it.state == DEALING
    assert logged(journal)[0] == ["reject", "button", "shoe_opened"]


def test_a_card_after_the_last_coup_does_not_close_the_shoe_twice():
    it, journal = shoe()
    it.new_shoe(0)
    draw(it, "CUT 9S 2H TD 2D")
    it.confirm(0)
    assert it.state == CLOSED
    draw(it, "3S")
    it.new_shoe(0)
    assert logged(journal)[0].count("shoe_closed") == 1


def test_rejects_leave_room_in_a_full_journal():
    it, journal = shoe(slots=16)
    for _ in range(50):
        it.reject(0, 5, 0, 0, 0, 0)
    assert journal.next_no - 1 - journal.acked <= 16
