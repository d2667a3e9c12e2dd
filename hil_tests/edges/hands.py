"""Hands: a dealer and a supervisor who make mistakes by chance, as lines of `sabot play`; seeded."""

import random
from collections.abc import Callable
from typing import Any, Final

from sabot_protocol import rulebooks
from sabot_protocol.cards import DECK
from sabot_protocol.irregularities import CASES

Line = dict[str, Any]
Answer = dict[str, Any]

UNREAD: Final = ("blank", "columns", "doubtful", "not_in_set", "spacing")  # the card is on the table
STILL_IN: Final = ("short_pull", "pushed_back", "pushed_back_midway", "double", "half_drawn")  # it is drawn again
JERKED: Final = "pushed_back_midway"  # this one is out, too; but the next card takes its slot
CUT: Final = "cut"
CONFIRM: Final[Line] = {"button": "confirm"}
CYCLE: Final[Line] = {"power": "cycle"}
_MISDEALS = ("bad_order", "banker_got_players_card")
_COMMANDS = ("void_coup", "burn_card", "card_returned", "lock", "unlock", "confirm", "clear_fault")
_PEOPLE = ("authorise", "authorise", "no_bet", "no_bet", "key_card", "key_card", "key")  # acts of a supervisor
_MOST_STEPS = 300  # then the supervisor closes the shoe


def settings(rng: random.Random, book: str) -> dict[str, str]:
    """Return random settings for a table with this rulebook."""
    return {axis: rng.choice(choice.values) for axis, choice in rulebooks.load(book).shoe.choice.items()}


class Hands:
    """A share of the lines, `_carelessness`, are mistakes."""

    def __init__(self, rng: random.Random, book: str) -> None:
        self._rng, self._carelessness = rng, rng.choice((0.05, 0.15, 0.35))
        self._burns = [*str(rulebooks.load(book).switch["burn_modes"].value).split(), "none"]
        self._stock: list[str] = []  # the next card is the last
        self._unread: str | None = None  # the card on the table that the shoe could not read
        self._surplus: list[str] = []  # cards drawn after the coup, which may go back
        self._lid_open = self._key_on = self._entered = False
        self._result_first, self._winner = book == "star-rapid", ""
        self._steps = 0

    def next(self, answer: Answer) -> Line:
        """Return the next line."""
        self._steps += 1
        for event in answer["events"]:
            if event["type"] == "coup" and event["kind"] != "void":
                self._winner, self._entered = event["winner"], False
        if not self._stock and self._steps == 1:
            return self._open()
        if self._steps > _MOST_STEPS:
            return self._rng.choice(({"command": "void_coup"}, {"command": "close_shoe"}, self._repair(answer)))
        if self._rng.random() < self._carelessness:
            return self._careless(answer)
        return self._sensible(answer)

    def _open(self) -> Line:
        """Open with new cards: few decks, so that shoes end; sometimes a surplus card; the cutting card anywhere."""
        rng = self._rng
        decks = rng.choice((1, 1, 1, 2, 2, 4, 8))
        self._stock = rng.sample(list(DECK) * decks, 52 * decks)
        if rng.random() < 0.15:
            self._stock.insert(rng.randrange(len(self._stock)), rng.choice(DECK))
        if rng.random() < 0.8:
            self._stock.insert(rng.randrange(7, len(self._stock) if rng.random() < 0.4 else 25), CUT)
        return {"command": "open_shoe", "decks": decks, "burn": rng.choice(self._burns)}

    def _sensible(self, answer: Answer) -> Line:
        if self._lid_open:
            return self._lid(False)
        if answer["fault"]:
            return self._repair(answer)
        if answer["due"] is None:
            return self._confirm()
        return self._release() if answer["locked"] else self._draw()

    def _confirm(self) -> Line:
        self._surplus = []
        self._entered = self._result_first and not self._entered
        return {"button": self._winner} if self._entered else CONFIRM

    def _repair(self, answer: Answer) -> Line:
        rng = self._rng
        if self._unread is not None and answer["fault"] == "card" and rng.random() < 0.7:
            if rng.random() < 0.4:
                return {"command": "authorise"}
            card, self._unread = self._unread, None
            return {"command": "key_card", "card": card}
        ways: list[Callable[[], Line]] = [lambda: {"command": "clear_fault"}, self._key]
        if answer["fault"] == "decision":
            ways += [lambda: {"command": "confirm"}, lambda: {"command": "burn_card"}, self._discrepancy]
        return rng.choice(ways)()

    def _release(self) -> Line:
        return self._rng.choice(({"command": "authorise"}, {"command": "unlock"}, self._key()))

    def _draw(self, **notes: bool) -> Line:
        """Draw the next card; the supervisor closes an empty shoe."""
        if not self._stock:
            return {"command": "close_shoe"}
        card = self._stock.pop()
        if card == CUT:
            return {"cut": True}
        return {"card": card, **notes}

    def _careless(self, answer: Answer) -> Line:
        rng = self._rng
        ways: tuple[tuple[int, Callable[[], Line]], ...] = (
            (10, lambda: self._too_early(answer)),
            (4, lambda: self._draw(face_up=True)),
            (5, self._not_read),
            (5, lambda: {"unreadable": rng.choice(STILL_IN)}),
            (1, lambda: {"unreadable": rng.choice(("foreign", "lid_open", "noise", "not_due"))}),
            (6, lambda: self._report(rng.choice(_MISDEALS))),
            (5, lambda: self._report(rng.choice(list(CASES)))),
            (3, lambda: {"button": rng.choice(("player", "banker", "tie", "confirm"))}),
            (2, lambda: self._lid(not self._lid_open)),
            (2, self._key),
            (5, self._some_command),
            (8, self._some_act),
            (4, lambda: CYCLE),
        )
        return rng.choices([way for _, way in ways], [weight for weight, _ in ways])[0]()

    def _too_early(self, answer: Answer) -> Line:
        """Draw a card though the exit may be locked."""
        rng = self._rng
        line = self._draw(**({} if rng.random() < 0.5 else {"exposed": rng.random() < 0.5}))
        if "card" in line and answer["due"] is None:
            self._surplus.append(line["card"])
        return line

    def _not_read(self) -> Line:
        line = self._draw()
        if "card" not in line:
            return line
        self._unread = line["card"]
        return {"unreadable": self._rng.choice(UNREAD)}

    def _report(self, case: str) -> Line:
        rng = self._rng
        facts = {fact: rng.random() < 0.5 for fact in CASES[case]}
        return {"command": "irregularity", "case": case, "facts": facts}

    def _discrepancy(self) -> Line:
        return self._report("scan_discrepancy")

    def _some_command(self) -> Line:
        """Return a command that may not be allowed now; a returned card goes back into the stock."""
        name = self._rng.choice(_COMMANDS)
        if name == "card_returned" and self._surplus:
            self._stock.append(self._surplus.pop())
        return {"command": name}

    def _some_act(self) -> Line:
        """Return an act of a supervisor, at the right moment or not; a card is keyed in though none may be out."""
        rng = self._rng
        match rng.choice(_PEOPLE):
            case "authorise":
                return {"command": "authorise", "times": rng.choice((1, 1, 1, 2))}
            case "no_bet":
                return {"command": "no_bet", **({"kind": "live"} if rng.random() < 0.2 else {})}
            case "key_card":
                return {"command": "key_card", "card": rng.choice(DECK)}
        return self._key()

    def _lid(self, is_open: bool) -> Line:
        self._lid_open = is_open
        return {"lid": "open" if is_open else "shut"}

    def _key(self) -> Line:
        self._key_on = not self._key_on
        return {"key": self._key_on}
