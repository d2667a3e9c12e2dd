"""A coup that moves to another shoe: export and import."""

from books import number_of
from desk import BOTH_STAND, NATURAL, SIX_CARDS, Desk
from support import number

NO_CARD = 255


def kind(called):
    return number_of("kind", called)


def cards_of(text):
    """Six bytes of a coup in progress."""
    cards = [number(card) for card in text.split()]
    return cards + [NO_CARD] * (6 - len(cards))


def coup_of(coup_no, called, cards, cards_out, coups_left=0, awaiting=0, decks=8):
    """A coup on its way to another shoe."""
    return [coup_no, 0, kind(called)] + cards_of(cards) + [decks, cards_out, 0, coups_left, awaiting]


def test_a_coup_goes_on_at_another_shoe():
    one, other = Desk("star-rapid").open(), Desk("star-rapid").open()
    assert one.cmd("export_coup") == "not_now"
    one.draw("TS KH JD QC 3C")
    assert one.report("shoe_not_reading") == "done"
    assert one.logged() == ["shoe_not_reading SWAP_SHOE"]  # 11.8.15
    assert one.cmd("export_coup") == "done"
    assert one.logged() == ["export 1 live TS KH JD QC 3C -- of 8 5 0 0", "closed 1 coups 0 handed_over"]
    assert one.where() == "closed"
    assert other.cmd("import_coup", *coup_of(1, "live", "TS KH JD QC 3C", 5)) == "done"
    assert other.logged() == ["import 1 live TS KH JD QC 3C -- of 8 5 0 0"]
    assert other.where() == "dealing banker_3"
    assert other.draw("4D")[-1] == "coup 1 banker 3-4 live"
    assert other.state.cards_out == 6


def test_a_coup_keeps_its_number_and_its_place_in_the_shoe():
    one, other = Desk("star-rapid").open(), Desk("star-rapid").open("one")
    for coup in range(11):
        one.deal(" ".join(rank + "SHDC"[coup % 4] for rank in "67TK")).confirm()
    one.draw("TS CUT KH")
    one.logged()
    assert one.cmd("export_coup") == "done"
    assert one.logged() == ["export 12 live TS KH -- -- -- -- of 8 46 2 0", "closed 1 coups 11 handed_over"]
    assert other.where() == "burning"  # no second burn
    assert other.cmd("import_coup", *coup_of(12, "live", "TS KH", 46, 2)) == "done"
    assert other.logged() == ["import 12 live TS KH -- -- -- -- of 8 46 2 0"]
    assert other.draw("JD QC 3C 4D")[-1] == "coup 12 banker 3-4 live"
    assert other.confirm() == []
    assert other.deal(BOTH_STAND).logged() == []
    assert other.state.last_coup()
    assert other.confirm() == ["closed 1 coups 13 last_coup"]


def test_an_exported_coup_takes_its_fault_with_it():
    desk = Desk("star-rapid").open()
    desk.draw("TS")
    desk.reject("doubtful")
    assert desk.cmd("export_coup") == "done"
    logged = desk.logged()
    assert logged == [
        "export 1 live TS -- -- -- -- -- of 8 1 0 0",
        "cleared card command",
        "closed 1 coups 0 handed_over",
    ]
    assert desk.cmd("open_shoe", 8, 0) == "done"


def test_the_cards_that_are_left_moved_too():
    desk = Desk().open(decks=8)
    assert desk.cmd("import_coup", *coup_of(2, "live", "TS KH", 51, decks=1)) == "done"
    logged = desk.draw("JD")[-3:]
    assert logged == ["insufficient_cards VOID", "void 2 short_shoe new_cards 3", "closed 1 coups 2 new_cards"]


def test_as_many_cards_can_be_out_as_the_decks_have():
    for out in (2, 52):
        desk = Desk().open(decks=8)
        assert desk.cmd("import_coup", *coup_of(2, "live", "TS KH", out, decks=1)) == "done"
    assert Desk().open().cmd("import_coup", *coup_of(2, "live", "TS KH", 53, decks=1)) == "bad_value"


def test_of_a_continuous_shoe_more_cards_can_be_out_than_the_decks_have():
    desk = Desk(on=("continuous",)).open()
    assert desk.cmd("import_coup", *coup_of(2, "live", "TS KH", 60, decks=1)) == "done"
    desk = Desk(on=("continuous",)).open()
    assert desk.cmd("import_coup", *coup_of(2, "live", "TS KH", 1, decks=1)) == "bad_value"


def test_a_dummy_coup_stays_one_at_another_shoe():
    for awaiting in (0, 1):
        desk = Desk("star-rapid").open()
        assert desk.cmd("import_coup", *coup_of(3, "dummy", "TS", 1, awaiting=awaiting)) == "done"
        assert desk.logged()[-1] == "kind 3 dummy"
        assert desk.shoe.locked() == bool(awaiting)


def test_a_coup_that_awaits_authorisation_awaits_it_at_another_shoe():
    desk = Desk("star-rapid").open()
    desk.draw("8C", flags=2)
    desk.logged()
    assert desk.cmd("export_coup") == "done"
    assert desk.logged()[0] == "export 1 dummy 8C -- -- -- -- -- of 8 1 0 1"


def test_only_a_shoe_that_has_dealt_nothing_imports_a_coup():
    coup = coup_of(12, "live", "TS KH", 2)
    desk = Desk("star-rapid")
    assert desk.cmd("import_coup", *coup) == "not_now"  # closed
    desk.open()
    desk.deal(BOTH_STAND).confirm()
    assert desk.cmd("import_coup", *coup) == "not_now"


def test_only_a_coup_in_progress_is_imported():
    desk = Desk().open()
    place = (8, 1, 0, 0, 0)
    for cards in ("", NATURAL, SIX_CARDS):
        assert desk.cmd("import_coup", 1, 0, 1, *cards_of(cards), *place) == "bad_value"
    gap = cards_of("9S 2H")
    gap[1] = NO_CARD
    gap[2] = 3
    assert desk.cmd("import_coup", 1, 0, 1, *gap, *place) == "bad_value"
    assert desk.cmd("import_coup", 1, 0, 1, 52, *cards_of("9S")[:5], *place) == "bad_value"
    assert desk.cmd("import_coup", 1, 0, 0, *cards_of("9S"), *place) == "bad_value"
    assert desk.cmd("import_coup", 0, 0, 1, *cards_of("9S"), *place) == "bad_value"
    for wrong in ((0, 1, 0, 0, 0), (9, 1, 0, 0, 0), (8, 1, 0, 3, 0), (8, 1, 0, 0, 2)):
        assert desk.cmd("import_coup", 1, 0, 1, *cards_of("9S"), *wrong) == "bad_value"
    for out in (0, 1, 8 * 52 + 1, 500):  # two cards on the table, of eight decks
        wrong = (8, out & 255, out >> 8, 0, 0)
        assert desk.cmd("import_coup", 1, 0, 1, *cards_of("9S 2H"), *wrong) == "bad_value"
    assert desk.cmd("import_coup", 1, 0, kind("dummy"), *cards_of("9S"), *place) == "not_permitted"
    desk.draw("9S")
    assert desk.cmd("import_coup", 1, 0, 1, *cards_of("9S"), *place) == "not_now"
