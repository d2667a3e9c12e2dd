"""Irregularities in every book through `sabot play`, and every coup of six point values on the VM."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sabot_gateway import rules
from sabot_protocol import rulebooks
from sabot_protocol.cards import DECK
from sabot_protocol.irregularities import CASES, advise, combinations
from sabot_sim.rigs.vm import HEAP, firmware_dir, micropython
from support.oracle import coup as by_the_tables

Answer = dict[str, Any]
ROOT = Path(__file__).parents[1]
STAR, PREMIUM, NZ, CROWN, RAPID = "star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid"
BOOKS = (STAR, PREMIUM, NZ, CROWN, RAPID)
UNWAGERED = {STAR: "no_bet", PREMIUM: "no_bet", NZ: "void_hand", CROWN: "dummy", RAPID: "dummy"}
# Where a coup without wagers waits for a supervisor: 11.8.13, 11.8.14. Crown 10.5.1 and 10.6 order it themselves;
# a card in excess that was disclosed begins one by direction alone (10.8.1(a), A-56).
UNDER_A_SUPERVISOR = {RAPID: None, CROWN: ("excess_card",)}
THIS_NO_BET = (STAR, PREMIUM, CROWN)  # a coup in progress may become one without wagers: 12.1.1; 14.12.6; 10.4, 10.7

# Coups of four, five and six cards, as drawn; the next card is one too many.
FOUR = ["9S", "2H", "KD", "5C"]
FIVE = ["2S", "KH", "2D", "7C", "3S"]
SIX = ["2S", "KH", "2D", "3C", "5S", "4H"]
PLAYER_STANDS = ["6S", "KH", "KD", "3C", "4S"]  # the fifth is the Banker's

# What shared/rulebooks/irregularities.md, section 1, says where the books differ, by hand: a code a book, in the order
# of BOOKS. A card that came after the last coup begins none, unless a Dummy Coup may follow it (Crown 7.3.4(d)).
LIVE, NO_BET, UNUSED = "NEXT_LIVE", "NEXT_NO_BET", "NOT_USED"
PRINTED: dict[str, list[tuple[dict[str, bool], tuple[str, ...]]]] = {
    "player_overdraw": [
        ({"banker_draws": True}, ("BANKER_THIRD",) * 5),
        ({"last_coup": True}, (UNUSED, UNUSED, UNUSED, NO_BET, UNUSED)),
        ({"exposed": True}, (NO_BET,) * 5),
        ({}, (LIVE, LIVE, LIVE, NO_BET, NO_BET)),
    ],
    "banker_overdraw": [
        ({"last_coup": True}, (UNUSED, UNUSED, UNUSED, NO_BET, UNUSED)),
        ({"exposed": True}, (NO_BET,) * 5),
        ({}, (NO_BET, NO_BET, LIVE, NO_BET, NO_BET)),
    ],
    "excess_card": [
        ({"last_coup": True, "exposed": True}, (UNUSED, UNUSED, UNUSED, NO_BET, UNUSED)),
        ({"last_coup": True}, (UNUSED,) * 5),
        ({"exposed": True}, (NO_BET,) * 5),
        ({}, (LIVE, LIVE, LIVE, LIVE, NO_BET)),
    ],
    "first_card_face_up": [({}, ("THIS_NO_BET",) * 5)],
    "second_to_fourth_card_face_up": [
        ({"international": True}, ("PLAY_ON", "PLAY_ON", "THIS_NO_BET", "PLAY_ON", "PLAY_ON")),
        ({}, ("PLAY_ON",) * 5),
    ],
    "third_card_face_up": [({}, ("PLAY_ON",) * 5)],
    "insufficient_cards": [({}, ("VOID", "VOID", "VOID_NEW_CARDS", "VOID", "VOID"))],
    "burn_missed": [
        ({"first_coup_complete": False}, ("PLAY_ON", "PLAY_ON", "PLAY_ON", "RESTART_SHOE", "PLAY_ON")),
        ({}, ("PLAY_ON",) * 5),
    ],
    "missing_or_foreign_card": [({}, ("VOID_CHECK", "VOID_CHECK", "NO_RULE", "NO_RULE", "VOID_CHECK"))],
    "scan_discrepancy": [
        ({"confirmed": True}, ("CONFIRM", "CONFIRM", "NO_RULE", "NO_RULE", "CONFIRM")),
        ({}, ("VOID", "VOID", "NO_RULE", "NO_RULE", "VOID")),
    ],
    "wrong_shoe": [({}, ("NO_RULE", "NO_RULE", "NO_RULE", "NO_RULE", "VOID"))],
    "misread_card": [({}, ("NO_RULE", "NO_RULE", "NO_RULE", "NO_RULE", "MANUAL_ENTRY"))],
}


def printed(book: str, case: str, facts: dict[str, bool]) -> str | None:
    """The code that was read from the matrix by hand, where it has one."""
    for when, codes in PRINTED.get(case, ()):
        if when.items() <= facts.items():
            return codes[BOOKS.index(book)]
    return None


class Table:
    """A running `sabot play`; every irregularity it tells is compared with the book."""

    def __init__(self, book: str, *settings: str) -> None:
        self.book = book
        args = [sys.executable, "-m", "sabot_tools", "play", "--rulebook", book]
        args += [part for pair in settings for part in ("--set", pair)]
        self._process = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> "Table":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        assert self._process.returncode == 0

    def __call__(self, **step: Any) -> Answer:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(step) + "\n")
        self._process.stdin.flush()
        answer: Answer = json.loads(self._process.stdout.readline())
        assert "error" not in answer, answer
        for event in of("irregularity", answer):
            self._check(event)
        return answer

    def _check(self, event: Answer) -> None:
        case, facts = event["case"], event["facts"]
        advice = advise(self.book, case, facts)
        assert (event["code"], event["rule"]) == (advice.code, advice.clause)
        assert event["say"] == advice.say or (
            advice.code == "VOID_CHECK" and event["say"].startswith("No coup is void")
        )
        assert event["code"] == (printed(self.book, case, facts) or event["code"]), (case, facts)

    def fresh(self, decks: int = 8, burn: str = "none") -> None:
        """New cards, whatever was before."""
        self(command="void_coup", then="new_cards")
        self(command="close_shoe")
        self(key=False)
        answer = self(command="open_shoe", decks=decks, burn=burn)
        assert answer["outcome"] == "done"

    def deal(self, cards: list[str]) -> Answer:
        """Draw these; the last answer."""
        return [self(card=card) for card in cards][-1]

    def last_coup(self) -> None:
        """Go to before the first card of the last coup."""
        answer = self(cut=True)
        if not answer["last_coup"]:
            self.deal(FOUR)
            answer = self(button="confirm")
        assert answer["last_coup"]


def of(kind: str, answer: Answer) -> list[Answer]:
    return [event for event in answer["events"] if event["type"] == kind]


def one(kind: str, answer: Answer) -> Answer:
    (event,) = of(kind, answer)
    return event


@pytest.fixture(scope="module")
def tables() -> Iterator[Callable[..., Table]]:
    """Makes a table, once for each book and its settings; all must end well."""
    with ExitStack() as stack:
        yield cache(lambda *wanted: stack.enter_context(Table(*wanted)))


Tables = Callable[..., Table]
every_book = pytest.mark.parametrize("book", BOOKS)


def test_the_books_are_those_of_the_matrix() -> None:
    assert sorted(BOOKS) == rulebooks.ids()
    for book in BOOKS:
        for case in PRINTED:
            for facts in combinations(case):
                assert printed(book, case, facts) == advise(book, case, facts).code, (book, case, facts)


# A card too many


@every_book
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("exposed", [False, True])
@pytest.mark.parametrize(("case", "coup"), [("player_overdraw", FOUR), ("banker_overdraw", FIVE), ("excess_card", SIX)])
def test_a_card_too_many(tables: Tables, book: str, case: str, coup: list[str], exposed: bool, last: bool) -> None:
    table = tables(book)
    table.fresh()
    if last:
        table.last_coup()
    before = one("coup", table.deal(coup))
    answer = table(card="8D", exposed=exposed)
    found = one("irregularity", answer)
    assert (found["case"], found["facts"]["exposed"], found["facts"]["last_coup"]) == (case, exposed, last)
    assert (answer["state"], answer["locked"], answer["due"]) == ("complete", True, None)
    check_what_follows(table, found["code"], answer, before["coup"])


def check_what_follows(table: Table, code: str, answer: Answer, coup: int) -> None:
    """The next coup: its kind, its first card, and whether it waits for a supervisor."""
    card, then = one("card", answer), table(button="confirm")
    assert card["surplus"]
    if code == UNUSED:
        assert card["slot"] == "unused"
        assert one("shoe_closed", then)["reason"] == "last_coup"
        return
    assert (card["slot"], card["coup"]) == ("player_1", coup + 1)
    assert (then["state"], then["due"]) == ("dealing", "banker_1")
    check_kind(table, then, code == LIVE, one("irregularity", answer)["case"])
    told = one("coup", table.deal(["KH", "KC", "9H"]))
    assert (told["player"], told["banker"]) == (["8D", "KC"], ["KH", "9H"])
    assert told["kind"] == ("live" if code == LIVE else "no_bet")
    assert (told["coup"], told["winner"]) == (coup + 1, "banker")


def check_kind(table: Table, answer: Answer, wagers: bool, case: str) -> None:
    """A coup without wagers has the book's own name, and waits where a supervisor must speak."""
    named = "live" if wagers else UNWAGERED[table.book]
    assert (answer["kind"], answer["named"]) == ("live" if wagers else "no_bet", named)
    waits = not wagers and table.book in UNDER_A_SUPERVISOR and case in (UNDER_A_SUPERVISOR[table.book] or CASES)
    assert answer["locked"] == waits
    if waits:
        assert not table(command="authorise")["locked"]


@every_book
def test_the_style_of_dealing_says_whether_a_card_was_exposed(tables: Tables, book: str) -> None:
    for dealing in rulebooks.load(book).shoe.choice["dealing"].values:
        table = tables(book, f"dealing={dealing}")
        table.fresh()
        answer = table.deal([*FOUR, "8D"])
        assert one("irregularity", answer)["facts"]["exposed"] == (dealing == "face_up")


@every_book
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("exposed", [False, True])
def test_a_card_too_many_for_the_player_is_the_bankers_third(
    tables: Tables, book: str, exposed: bool, last: bool
) -> None:
    table = tables(book)
    table.fresh()
    table.deal(PLAYER_STANDS[:4])
    answer = table(card=PLAYER_STANDS[4], exposed=exposed)
    told = one("coup", answer)
    assert (one("card", answer)["slot"], told["banker"]) == ("banker_3", ["KH", "3C", "4S"])
    facts = {"banker_draws": True, "exposed": exposed, "last_coup": last}
    answer = table(command="irregularity", case="player_overdraw", facts=facts)
    assert one("irregularity", answer)["code"] == "BANKER_THIRD"
    assert (answer["state"], of("coup", answer)) == ("complete", [])


@every_book
def test_three_cards_too_many(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    cases = [
        one("irregularity", answer)["case"]
        for answer in (table.deal(FOUR[:3]), *(table(card=card) for card in (FOUR[3], "8D", "7D", "6D")))
        if of("irregularity", answer)
    ]
    assert cases == ["player_overdraw", "banker_overdraw", "excess_card"]
    then = table(button="confirm")
    assert then["due"] == "banker_2"
    check_kind(table, then, book == NZ, "player_overdraw")  # elsewhere one of them asks for a coup without
    told = one("coup", table.deal(["2H"]))
    assert (told["player"], told["banker"]) == (["8D", "6D"], ["7D", "2H"])


# Face up


@every_book
def test_the_first_card_face_up(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    answer = table(card=FOUR[0], face_up=True)
    assert one("irregularity", answer)["case"] == "first_card_face_up"
    check_kind(table, answer, False, "first_card_face_up")
    told = one("coup", table.deal(FOUR[1:]))
    assert (told["kind"], told["winner"], told["player"]) == ("no_bet", "player", ["9S", "KD"])
    assert table(button="confirm")["kind"] == "live"


STYLES = [*((book, "") for book in BOOKS), (NZ, "style=international")]


@pytest.mark.parametrize(("book", "style"), STYLES)
@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_later_card_of_the_first_four_face_up(tables: Tables, book: str, style: str, place: int) -> None:
    table = tables(book, *([style] if style else []))
    table.fresh()
    table.deal(FOUR[:place])
    answer = table(card=FOUR[place], face_up=True)
    found = one("irregularity", answer)
    assert (found["case"], found["facts"]) == ("second_to_fourth_card_face_up", {"international": bool(style)})
    assert answer["kind"] == ("no_bet" if style else "live")
    told = one("coup", answer if place == 3 else table.deal(FOUR[place + 1 :]))
    assert (told["kind"], told["named"]) == (("no_bet", "void_hand") if style else ("live", "live"))


@every_book
@pytest.mark.parametrize("place", [4, 5])
def test_a_third_card_face_up(tables: Tables, book: str, place: int) -> None:
    table = tables(book)
    table.fresh()
    table.deal(SIX[:place])
    found = one("irregularity", table(card=SIX[place], face_up=True))
    assert (found["case"], found["code"]) == ("third_card_face_up", "PLAY_ON")
    assert table(state=True)["kind"] == "live"


# Cards that are not there, or should not be


def short_deck() -> list[str]:
    """A deck whose last card leaves a coup unfinished."""
    for seed in range(100):
        deck = random.Random(seed).sample(DECK, len(DECK))
        rest = list(deck)
        while len(rest) >= 6:
            by_the_tables(rest)
        if len(rest) == 3:
            return deck
    raise AssertionError("no such deck")


@every_book
def test_a_short_shoe(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh(decks=1)
    answers = []
    for card in short_deck():
        answers.append(table(card=card))
        if answers[-1]["state"] == "complete":
            table(button="confirm")
    assert one("irregularity", answers[-1])["case"] == "insufficient_cards"
    void = one("coup", answers[-1])
    assert (void["kind"], void["winner"], void["reason"]) == ("void", None, "short_shoe")
    assert (void["player"] + void["banker"]) == [short_deck()[49], short_deck()[51], short_deck()[50]]
    assert one("shoe_closed", answers[-1])["reason"] == "new_cards"
    assert sum(len(of("irregularity", answer)) for answer in answers) == 1
    assert table(card="8H")["state"] == "closed"


@every_book
def test_the_ninth_copy_of_a_card(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    assert one("coup", table.deal(["AS"] * 6))["winner"] == "tie"
    table(button="confirm")
    assert of("irregularity", table.deal(["AS"] * 2)) == []
    answer = table(card="AS")
    assert one("irregularity", answer)["case"] == "missing_or_foreign_card"
    check_foreign(table, answer)


@every_book
def test_a_card_of_another_set(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR[:2])
    answer = table(unreadable="foreign")
    assert one("irregularity", answer)["case"] == "missing_or_foreign_card"
    check_foreign(table, answer)


def check_foreign(table: Table, answer: Answer) -> None:
    """The coup is void and the cards go, or, where no book says so, somebody must see to it."""
    if one("irregularity", answer)["code"] == "NO_RULE":
        assert (answer["state"], answer["locked"], of("coup", answer)) == ("fault", True, [])
        cleared = table(command="clear_fault")
        assert (cleared["state"], cleared["locked"]) == ("dealing", False)
        return
    void = one("coup", answer)
    assert (void["kind"], void["winner"], void["reason"], void["then"]) == ("void", None, "foreign_card", "new_cards")
    assert (one("shoe_closed", answer)["reason"], answer["state"]) == ("new_cards", "closed")


@every_book
def test_two_legal_copies_under_a_continuous_shuffler(tables: Tables, book: str) -> None:
    if "continuous" not in rulebooks.load(book).shoe.choice["shuffler"].values:
        pytest.skip("never shuffled by a machine")
    table = tables(book, "shuffler=continuous")
    table.fresh(decks=1)
    for _ in range(20):
        table.deal(["AS"] * 6)
        assert of("irregularity", table(button="confirm")) == []


# The burn and the cut


@every_book
def test_the_burn_missed_before_any_card(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh(burn="one")
    answer = table(command="irregularity", case="burn_missed")
    assert one("irregularity", answer)["facts"] == {"first_coup_complete": False}
    if book == CROWN:
        assert answer["due"] == "burn"
        return
    assert one("burn", answer)["missed"]
    assert (answer["state"], answer["due"]) == ("dealing", "player_1")


@every_book
def test_the_burn_missed_in_the_first_coup(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR[:2])
    answer = table(command="irregularity", case="burn_missed")
    if book != CROWN:
        assert (answer["due"], of("coup", answer)) == ("player_2", [])
        return
    assert (answer["fault"], answer["locked"], of("coup", answer)) == ("decision", True, [])  # it *may* be rebuilt
    answer = table(command="burn_card")
    assert (answer["state"], answer["due"], of("coup", answer)) == ("burning", "burn", [])
    assert one("card", table(card="8C"))["slot"] == "burn"
    told = one("coup", table.deal(SIX))
    assert (told["coup"], told["player"]) == (1, ["2S", "2D", "5S"])


def test_the_first_coup_need_not_be_rebuilt(tables: Tables) -> None:
    table = tables(CROWN)
    table.fresh()
    table.deal(FOUR[:2])
    table(command="irregularity", case="burn_missed")
    assert table(command="clear_fault")["state"] == "dealing"  # 10.1: play goes on
    told = one("coup", table.deal(FOUR[2:]))
    assert (told["coup"], told["player"]) == (1, ["9S", "KD"])


@every_book
def test_the_burn_missed_and_a_coup_is_complete(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR)
    table(button="confirm")
    answer = table(command="irregularity", case="burn_missed")
    found = one("irregularity", answer)
    assert (found["code"], found["facts"]) == ("PLAY_ON", {"first_coup_complete": True})
    assert answer["due"] == "player_1"


@every_book
@pytest.mark.parametrize("case", ["cut_missed", "not_shuffled_after_cutting_card"])
def test_not_cut_or_not_shuffled(tables: Tables, book: str, case: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR[:3])
    answer = table(command="irregularity", case=case)
    last = book not in (NZ, CROWN)
    assert one("irregularity", answer)["code"] == ("FINISH_RESHUFFLE" if last else "NO_RULE")
    assert one("coup", table(card=FOUR[3]))["last_coup"] == last
    assert table(button="confirm")["state"] == ("closed" if last else "dealing")


# What a person must report


BY_WORD = ("bad_order", "banker_got_players_card", "wrong_shoe", "wrong_area", "wrong_recipient", "shoe_not_reading")


@every_book
@pytest.mark.parametrize("case", BY_WORD)
def test_a_case_that_somebody_reports(tables: Tables, book: str, case: str) -> None:
    table = tables(book)
    for facts in combinations(case):
        table.fresh()
        table.deal(FOUR[:3])
        answer = table(command="irregularity", case=case, facts=facts)
        found = one("irregularity", answer)
        assert (found["case"], found["facts"]) == (case, facts)
        if found["code"] == "VOID":
            check_void(table, answer, "wrong_shoe" if case == "wrong_shoe" else "misdeal")
        else:
            assert (answer["due"], of("coup", answer)) == ("banker_2", [])


@every_book
def test_every_case_with_every_combination_of_its_facts(tables: Tables, book: str) -> None:
    table = tables(book)
    for case in CASES:
        for facts in combinations(case):
            table.fresh()
            table.deal(FOUR[:3])
            found = one("irregularity", table(command="irregularity", case=case, facts=facts))
            assert (found["case"], found["facts"]) == (case, facts)


def check_void(table: Table, answer: Answer, reason: str) -> None:
    void = one("coup", answer)
    assert (void["kind"], void["winner"], void["reason"], void["then"]) == ("void", None, reason, "go_on")
    assert (void["player"], void["banker"]) == (["9S", "KD"], ["2H"])
    assert (answer["state"], answer["due"], answer["kind"]) == ("dealing", "player_1", "live")
    assert one("coup", table.deal(FIVE))["coup"] == void["coup"] + 1


def test_every_case_is_provoked_or_reported() -> None:
    reported = {"cut_missed", "not_shuffled_after_cutting_card", "first_card_exposed", "unauthorised_coup", *BY_WORD}
    assert set(PRINTED) | reported == set(CASES)


@every_book
def test_a_shoe_that_does_not_read_hands_its_coup_over(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR[:3])
    table(command="irregularity", case="shoe_not_reading", facts={"disadvantage": False})
    answer = table(command="export_coup")
    assert one("handed_over", answer)["cards"] == {"player_1": "9S", "banker_1": "2H", "player_2": "KD"}
    assert of("coup", answer) == []  # it is not void
    assert (one("shoe_closed", answer)["reason"], answer["state"]) == ("handed_over", "closed")
    for burn in ("none", "one"):  # there is no second burn
        other = tables(book, "card_set=2")
        other.fresh(burn=burn)
        came = other(command="import_coup", coup=12, player=["9S", "KD"], banker=["2H"], coups_left=2)
        assert (came["due"], one("handed_over", came)["coup"]) == ("banker_2", 12)
        told = one("coup", other(card="5C"))
        assert (told["player"], told["banker"], told["winner"]) == (["9S", "KD"], ["2H", "5C"], "player")
        assert (told["coup"], told["kind"], told["last_coup"]) == (12, "live", False)
        other(button="confirm")
        assert one("coup", other.deal(FIVE))["last_coup"]
        assert other(button="confirm")["state"] == "closed"


@every_book
def test_this_coup_goes_on_without_wagers_where_the_book_says_so(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR[:3])
    answer = table(command="this_no_bet")
    if book not in THIS_NO_BET:
        assert (answer["outcome"], answer["kind"]) == ("not_permitted", "live")
        return
    assert (answer["outcome"], answer["named"], answer["locked"]) == ("done", UNWAGERED[book], False)
    assert one("coup", table(card=FOUR[3]))["named"] == UNWAGERED[book]
    assert table(button="confirm")["kind"] == "live"


@every_book
def test_a_first_card_that_was_seen_before_its_time(tables: Tables, book: str) -> None:
    for dealing in rulebooks.load(book).shoe.choice["dealing"].values:
        table = tables(book, f"dealing={dealing}")
        table.fresh()
        answer = table(card="9S", exposed=True)
        no_bet = book in (STAR, PREMIUM) and dealing == "face_down"  # 12.3, 14.3; A-58
        assert answer["kind"] == ("no_bet" if no_bet else "live")
        assert [event["case"] for event in of("irregularity", answer)] == ["first_card_exposed"] * (
            dealing == "face_down"
        )
        assert not answer["locked"]


def test_a_dummy_hand_that_nobody_has_authorised(tables: Tables) -> None:
    table = tables(RAPID)
    table.fresh()
    table.deal([*FOUR, "8D"])
    assert table(button="confirm")["locked"]
    answer = table(card="KH")
    assert (one("irregularity", answer)["case"], answer["locked"]) == ("unauthorised_coup", True)
    assert of("irregularity", table(card="KC")) == []
    assert not table(command="authorise")["locked"]
    assert one("coup", table(card="9H"))["named"] == "dummy"


# What the shoe reads, and what the dealer says


@every_book
def test_a_card_that_cannot_be_read(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR[:3])
    answer = table(unreadable=True)
    assert one("irregularity", answer)["case"] == "misread_card"
    assert (answer["state"], answer["locked"], answer["due"]) == ("fault", True, "banker_2")
    if book == RAPID:
        assert table(command="key_card", card=FOUR[3])["outcome"] == "not_authorised"
        table(command="authorise")
    answer = table(command="key_card", card=FOUR[3])
    assert (one("card", answer)["keyed"], one("card", answer)["slot"]) == (True, "banker_2")
    told = one("coup", answer)
    assert (told["banker"], told["winner"], answer["state"]) == (["2H", "5C"], "player", "complete")


@every_book
@pytest.mark.parametrize("confirmed", [True, False])
def test_the_dealer_reads_another_result(tables: Tables, book: str, confirmed: bool) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR)
    answer = table(button="banker")
    found = one("irregularity", answer)
    assert (found["case"], found["facts"]) == ("scan_discrepancy", {"confirmed": True})
    assert (answer["state"], answer["locked"]) == ("fault", True)
    assert table(button="confirm")["outcome"] == "not_now"
    answer = table(command="irregularity", case="scan_discrepancy", facts={"confirmed": confirmed})
    if one("irregularity", answer)["code"] == "VOID":
        void = one("coup", answer)
        assert (void["kind"], void["winner"], void["reason"]) == ("void", None, "discrepancy")
        assert (answer["state"], answer["due"]) == ("dealing", "player_1")
    else:
        assert of("coup", answer) == []


@every_book
def test_the_right_result_is_no_discrepancy(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR)
    assert of("irregularity", table(button="player")) == []
    assert table(button="confirm")["state"] == "dealing"


# The last coup


@every_book
@pytest.mark.parametrize("place", [0, 1, 3])
def test_the_cutting_card(tables: Tables, book: str, place: int) -> None:
    table = tables(book)
    table.fresh()
    for card in FOUR[:place]:
        table(card=card)
    table(cut=True)
    this_is_last = place == 0 and book != CROWN
    assert one("coup", table.deal(FOUR[place:]))["last_coup"] == this_is_last
    if not this_is_last:
        assert table(button="confirm")["last_coup"]
        assert one("coup", table.deal(FOUR))["last_coup"]
    assert one("shoe_closed", table(button="confirm"))["reason"] == "last_coup"


def test_dummy_coups_may_follow_the_last_one_at_crown(tables: Tables) -> None:
    table = tables(CROWN)
    table.fresh()
    table.last_coup()
    table.deal(FOUR)
    for _ in range(3):
        table(command="authorise")
        assert table(command="no_bet")["outcome"] == "done"
        answer = table(button="confirm")
        assert (answer["state"], answer["named"], answer["locked"]) == ("dealing", "dummy", False)
        assert one("coup", table.deal(FOUR))["kind"] == "no_bet"
    assert table(button="confirm")["state"] == "closed"


# Every coup

PART = 100_000


def expected(number: int) -> bytes:
    """The gateway's own reading of the coup whose points as drawn are the digits of a number, as the VM tells it."""
    played = rules.play([f"{'TA23456789'[int(points)]}C" for points in f"{number:06}"])
    thirds = ("player_3" in played.slots) | ("banker_3" in played.slots) << 1
    winner = 1 + ("player", "banker", "tie").index(played.winner)
    told = thirds << 6 | winner << 4 | played.natural << 1 | 1
    return bytes((told, played.player_points << 4 | played.banker_points))


@pytest.mark.parametrize("first", range(0, 1_000_000, PART))
def test_every_coup_of_six_point_values(first: int) -> None:
    program = ROOT / "firmware" / "tests" / "all_coups.py"
    args = [micropython(), "-X", HEAP, str(program), str(first), str(first + PART)]
    env = {**os.environ, "MICROPYPATH": f"{firmware_dir()}:.frozen"}
    with subprocess.Popen(args, env=env, stdout=subprocess.PIPE) as vm:
        assert vm.stdout
        for number in range(first, first + PART):
            assert vm.stdout.read(2) == expected(number), f"{number:06}"
        assert vm.stdout.read() == b""
    assert vm.returncode == 0
