"""The profile: what makes sense is taken, the rest is not; the answer of every book to every case with every fact."""

import tidy  # noqa: F401
from books import BOOKS, FACTS, NAMES, SWITCHES, name, number_of
from desk import profile
from sabot import wire
from sabot.profile import Profile

CASES = {
    "player_overdraw": ("banker_draws", "exposed", "last_coup"),
    "banker_overdraw": ("exposed", "last_coup"),
    "excess_card": ("exposed", "last_coup"),
    "second_to_fourth_card_face_up": ("international",),
    "burn_missed": ("first_coup_complete",),
    "bad_order": ("reconstructible", "notified_before_next"),
    "banker_got_players_card": ("reconstructible", "notified_before_next"),
    "scan_discrepancy": ("confirmed",),
    "wrong_area": ("international",),
    "wrong_recipient": ("international",),
    "shoe_not_reading": ("disadvantage",),
}


def body(book="star-baccarat"):
    """The body of a set_profile."""
    head, codes = BOOKS[book]
    text = head + codes
    return bytearray(bytes(16) + bytes(int(text[i : i + 2], 16) for i in range(0, len(text), 2)))


def test_a_profile_of_every_book_is_taken():
    for book in BOOKS:
        made = Profile(6)
        assert not made.known
        assert len(body(book)) == wire.SET_PROFILE_BODY_SIZE
        assert made.load(body(book), 0)
        assert made.known
        assert made.decks == 8


def test_what_makes_no_sense_is_not_taken_and_changes_nothing():
    last_code = wire.PROFILE_CODES + wire.PROFILE_CODES_BYTES - 1
    for field, value in (
        (wire.PROFILE_CARD_SET, 0),
        (wire.PROFILE_CARD_SET, 7),
        (wire.PROFILE_DECKS, 0),
        (wire.PROFILE_DECKS, 9),
        (wire.PROFILE_BURN, 4),
        (wire.PROFILE_UNWAGERED, 0),
        (wire.PROFILE_UNWAGERED, 1),
        (wire.PROFILE_UNWAGERED, 6),
        (wire.PROFILE_CODES, 0),
        (wire.PROFILE_CODES, 21),
        (last_code, 0),
    ):
        wrong = body()
        wrong[wire.SET_PROFILE_PROFILE_HASH_BYTES + field] = value
        wrong[0] = 99
        made = Profile(6)
        assert not made.load(wrong, 0)
        assert not made.known
        made.load(body("nz-baccarat"), 0)
        assert not made.load(wrong, 0)
        assert made.known
        assert made.unwagered == 3
        assert made.digest[0] == 0


def test_it_may_stand_anywhere_in_a_frame():
    made = Profile(6)
    text = body()
    text[0] = 7
    assert made.load(b"\xff" * 8 + text, 8)
    assert made.digest[0] == 7


def test_every_switch_is_its_own():
    for switch in SWITCHES:
        made = profile("star-baccarat", on=(switch,), off=[other for other in SWITCHES if other != switch])
        assert [other for other in SWITCHES if made.on(SWITCHES[other])] == [switch]


def test_burn_modes():
    star, rapid = profile("star-baccarat"), profile("star-rapid")
    assert [star.permits_burn(mode) for mode in range(5)] == [True, True, True, True, False]
    assert [rapid.permits_burn(mode) for mode in range(5)] == [True, True, False, False, False]


def code(made, case, *facts):
    """The name of what follows."""
    return name("code", made.code(number_of("case", case), sum(FACTS[fact] for fact in facts)))


def test_answers_as_the_books_print_them():
    star, zealand, crown = profile("star-baccarat"), profile("nz-baccarat"), profile("crown-baccarat")
    rapid, premium = profile("star-rapid"), profile("star-premium")
    assert code(star, "player_overdraw", "banker_draws", "exposed") == "BANKER_THIRD"  # 12.2
    assert code(star, "player_overdraw") == "NEXT_LIVE"
    assert code(star, "player_overdraw", "exposed") == "NEXT_NO_BET"
    assert code(zealand, "banker_overdraw") == "NEXT_LIVE"  # 12.2
    assert code(crown, "excess_card", "last_coup") == "NOT_USED"  # 10.2
    assert code(crown, "excess_card", "last_coup", "exposed") == "NEXT_NO_BET"
    assert code(zealand, "insufficient_cards") == "VOID_NEW_CARDS"  # 12.5
    assert code(crown, "burn_missed") == "RESTART_SHOE"  # 10.1.1
    assert code(crown, "burn_missed", "first_coup_complete") == "PLAY_ON"  # 10.1
    assert code(crown, "banker_got_players_card", "reconstructible", "notified_before_next") == "PLAYER_THIRD"  # 10.3
    assert code(rapid, "banker_got_players_card", "reconstructible", "notified_before_next") == "VOID"  # 11.8.1.3
    assert code(zealand, "wrong_area", "international") == "WITHDRAW_OPTION"  # 15.10(a)
    assert code(premium, "wrong_recipient") == "CHOICE"  # 14.12.2
    assert code(star, "wrong_recipient") == "PLAY_ON"  # 12.15
    assert code(rapid, "misread_card") == "MANUAL_ENTRY"  # 11.8.12
    assert code(rapid, "shoe_not_reading") == "SWAP_SHOE"  # 11.8.15
    assert code(rapid, "shoe_not_reading", "disadvantage") == "NO_RULE"


def test_facts_of_other_cases_change_no_answer():
    for book in BOOKS:
        made = profile(book)
        for case in NAMES["case"].split()[1:]:
            own = sum(FACTS[fact] for fact in CASES.get(case, ()))
            for facts in (0, own, own & 2, own & 32):
                number = number_of("case", case)
                assert made.code(number, facts) == made.code(number, facts | 511 & ~own), (book, case)
