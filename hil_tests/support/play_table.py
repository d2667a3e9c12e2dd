"""A running `sabot play`, and the codes of irregularities as they were read from the books by hand."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import Any

import pytest
from sabot_protocol.irregularities import CASES, advise

Answer = dict[str, Any]
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

# The codes where the books differ, read by hand from the printed rules: one for each book, in the order of BOOKS.
# A card that came after the last coup begins none, unless a Dummy Coup may follow it (Crown 7.3.4(d)).
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
    """Return the code that was read by hand, if there is one."""
    for when, codes in PRINTED.get(case, ()):
        if when.items() <= facts.items():
            return codes[BOOKS.index(book)]
    return None


class Table:
    """A running `sabot play`; every irregularity that it logs is compared with the book."""

    def __init__(self, book: str, *settings: str) -> None:
        self.book = book
        args = [sys.executable, "-m", "sabot_tools", "play", "--rulebook", book]
        args += [part for pair in settings for part in ("--set", pair)]
        self._winner = ""
        self._process = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> "Table":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        assert self._process.returncode == 0

    def __call__(self, **step: Any) -> Answer:
        """Give a line; where Confirm needs the result before it (7.7.4.9), the result of the coup is pressed first."""
        if step == {"button": "confirm"} and self._winner and self.book == RAPID:
            self.alone(button=self._winner)
        answer = self.alone(**step)
        for event in of("coup", answer):
            self._winner = event["winner"] or ""
        return answer

    def alone(self, **step: Any) -> Answer:
        """Give this line only."""
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
        adapted = {
            "VOID_CHECK": "No coup is void",
            "NEXT_LIVE": "Settle the coup on the table and keep the card face down",
        }
        assert event["say"] == advice.say or event["say"].startswith(adapted.get(advice.code, advice.say))
        assert event["code"] == (printed(self.book, case, facts) or event["code"]), (case, facts)

    def fresh(self, decks: int = 8, burn: str = "none") -> None:
        """Open a shoe with new cards, whatever was before."""
        self(command="void_coup", then="new_cards")
        self(command="close_shoe")
        self(key=False)
        answer = self(command="open_shoe", decks=decks, burn=burn)
        assert answer["outcome"] == "done"

    def deal(self, cards: list[str]) -> Answer:
        """Draw these cards; return the last answer."""
        return [self(card=card) for card in cards][-1]

    def last_coup(self) -> None:
        """Play until the next coup is the last."""
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


Tables = Callable[..., Table]
every_book = pytest.mark.parametrize("book", BOOKS)


def shared_tables() -> Iterator[Tables]:
    """Yield a function that starts a table once for each book and its settings; all must end without an error."""
    with ExitStack() as stack:
        yield cache(lambda *wanted: stack.enter_context(Table(*wanted)))


def check_kind(table: Table, answer: Answer, wagers: bool, case: str) -> None:
    """A coup without wagers has the book's own name, and waits where it must be authorised."""
    named = "live" if wagers else UNWAGERED[table.book]
    assert (answer["kind"], answer["named"]) == ("live" if wagers else "no_bet", named)
    waits = not wagers and table.book in UNDER_A_SUPERVISOR and case in (UNDER_A_SUPERVISOR[table.book] or CASES)
    assert answer["locked"] == waits
    if waits:
        assert not table(command="authorise")["locked"]
