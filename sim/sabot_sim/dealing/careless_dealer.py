"""A careless dealer and the supervisor behind him, card by card: they see what the shoe tells, and err by chance.

`CarelessDealer.next(told)` is the next step for firmware/bench/play.py; the same seed and answers give the same steps.
"""

import random
from collections.abc import Callable
from typing import Any, Final

from sabot_protocol import rulebooks
from sabot_protocol.fields import Button, CardFlags, Case, CoupKind, Fault, RejectReason, Then, VoidReason
from sabot_protocol.messages import CommandKind, Profile, profile_hash

from sabot_sim.rigs.play import StepAnswer

Step = tuple[Any, ...]

POWER_CYCLE: Final[Step] = ("power",)
CLOSED, BURNING, DEALING, COMPLETE, CHECKING = range(5)
CUT: Final = -1  # the cutting card among the cards
WAY_OUT_STEPS: Final = 12
_COMMANDS = CommandKind.encmapping
_BUTTONS, _FAULTS, _REASONS = Button.encmapping, Fault.encmapping, RejectReason.encmapping
_FACE_UP = CardFlags.flags["face_up"]
_OUT_UNREAD = ("blank", "columns", "doubtful", "not_in_set", "spacing")  # the card is on the table
_STILL_IN = ("short_pull", "pushed_back", "pushed_back_midway", "double", "half_drawn")  # it comes again
_ENDS = ("open_shoe", "close_shoe")  # commands that end a shoe, and are said less often
_NO_CARD = 0xFF
_MOST_CHECKED = 30  # cards fed through in a check; a whole one takes as long as a shoe


def random_profile(rng: random.Random, rulebook: str) -> dict[str, Any]:
    """The profile of a table with this book, its choices by chance."""
    book = rulebooks.load(rulebook)
    choices = {axis: rng.choice(choice.values) for axis, choice in book.shoe.choice.items()}
    return book.profile(None, 1, choices)


def profile_bytes(profile: dict[str, Any]) -> bytes:
    """As the shoe is given it."""
    return bytes(profile_hash(profile) + Profile.build(profile))


def command(name: str, *data: int) -> Step:
    """A command of the gateway."""
    return "command", _COMMANDS[name], bytes(data).hex()


class CarelessDealer:
    """`carelessness` is the share of steps that are not what the table wants."""

    def __init__(
        self, rng: random.Random, profile: dict[str, Any], carelessness: float = 0.06, power: bool = True
    ) -> None:
        self.rng, self.carelessness = rng, carelessness
        self._profile, self._power = profile, power
        self._continuous = profile["switches"]["continuous"]
        self.stock: list[int] = []  # the next card is the last
        self.closing = 0  # steps so far on the way out of this shoe
        self._leaves_after = 0
        self._lid_open = self._key_on = False
        self._unread: int | None = None
        self._surplus: int | None = None  # a card that was not due, before the next step
        self._returned: int | None = None  # the one that is being put back
        self._word_said = False

    def next(self, told: StepAnswer) -> Step:
        """What the dealer or the supervisor does now."""
        self._put_back(told)
        self._leaves_after -= 1
        if self.closing or (self._leaves_after == 0 and told.state != CLOSED):
            return self._way_out(told)
        if self.rng.random() < self.carelessness:
            return self._mistake(told)
        return self._sensible(told)

    # The cards

    def load(self, decks: int) -> None:
        """Shuffle new cards: sometimes one is missing or too many, and the cutting card is anywhere."""
        rng = self.rng
        self.stock = rng.sample([*range(52)] * decks, 52 * decks)
        if rng.random() < 0.05:
            self.stock.pop()
        if rng.random() < 0.03:
            self.stock.insert(rng.randrange(len(self.stock)), rng.randrange(52))
        if rng.random() < 0.02:
            self.stock[-20:] = range(20)  # not shuffled
        if not self._continuous and rng.random() < 0.9:
            usual = rng.randint(7, 30)
            self.stock.insert(usual if rng.random() < 0.9 else rng.randrange(len(self.stock)), CUT)

    def _put_back(self, told: StepAnswer) -> None:
        """The surplus card goes back into the shoe where that was allowed."""
        if self._returned is not None and told.outcome == 0:
            self.stock.append(self._returned)
        self._returned = None

    def _open(self) -> Step:
        rng = self.rng
        if rng.random() < 0.3:
            self.load(self._profile["decks"])
            step: Step = ("button", _BUTTONS["new_shoe"])
        else:
            decks = rng.choice((8, 8, 8, 8, 6, 6, 2, 1))
            self.load(decks)
            step = command("open_shoe", decks, rng.choice((1, 1, 0, rng.randint(0, 3))))
        self._leaves_after = rng.randint(1, 400) if rng.random() < 0.05 else 0
        self._unread = None
        return step

    def _draw(self, careless: bool = False) -> Step:
        """The next card out of the shoe; without one, the supervisor ends it."""
        rng = self.rng
        if not self.stock:
            return self._way_out(None)
        card = self.stock.pop()
        if card == CUT:
            return ("cut",)
        if careless and rng.random() < 0.4:
            self._unread = card
            return "reject", _REASONS[rng.choice(_OUT_UNREAD)]
        flags = _FACE_UP if careless and rng.random() < 0.6 else 0
        return "card", card, flags, rng.choice((-1, -1, -1, 0, 1))

    # What lets the game go on

    def _sensible(self, told: StepAnswer) -> Step:
        if self._lid_open:
            return self._lid(False)
        if told.state == CLOSED:
            return self._begin_check() if self.rng.random() < 0.04 else self._open()
        if told.state == CHECKING:
            return self._check()
        if told.fault:
            return self._repair(told)
        if told.state == COMPLETE:
            return self._after_coup()
        return self._release(told) if told.locked else self._draw()

    def _after_coup(self) -> Step:
        """A surplus card is put back, or not; then the confirm."""
        surplus, self._surplus = self._surplus, None
        if surplus is not None and self.rng.random() < 0.4:
            self._returned = surplus
            return command("card_returned")
        return "button", _BUTTONS["confirm"]

    def _repair(self, told: StepAnswer) -> Step:
        """A supervisor sees to a fault."""
        if self._unread is not None and told.fault == _FAULTS["card"]:
            return self._key_in(self._unread)
        if told.fault == _FAULTS["decision"] and self.rng.random() < 0.7:
            confirmed = self.rng.choice((0, 0x80))
            return self.rng.choice((command("confirm"), self._report("scan_discrepancy", confirmed)))
        if self.rng.random() < 0.2:
            return self._key(not self._key_on)
        return command("clear_fault", told.fault)

    def _key_in(self, card: int) -> Step:
        """The card by hand, with the supervisor's word first where that may be needed."""
        self._word_said = not self._word_said
        if self._word_said:
            return command("authorise", 1)
        self._unread = None
        return command("key_card", card, self.rng.choice((0, 0, 2, 4)))

    def _release(self, told: StepAnswer) -> Step:
        """A card is due and the exit is held: a word is missing, or it was locked by command."""
        ways = (lambda: command("authorise", 1), lambda: command("unlock"), lambda: self._key(not self._key_on))
        return self.rng.choice(ways)()

    def _begin_check(self) -> Step:
        self.load(1)
        return command("deck_check", 1, 1)

    def _check(self) -> Step:
        if not self.stock or len(self.stock) % _MOST_CHECKED == 0:
            self.stock = []
            return command("deck_check", 0, 0)
        card = self.stock.pop()
        return ("cut",) if card == CUT else ("card", card, 0, -1)

    def _way_out(self, told: StepAnswer | None) -> Step:
        """The supervisor ends this shoe, whatever it is in."""
        fault = told.fault if told else 0
        steps: tuple[Callable[[], Step], ...] = (
            lambda: self._lid(False),
            lambda: command("clear_fault", fault),
            lambda: command("unlock"),
            lambda: command("deck_check", 0, 0),
            lambda: command("void_coup", VoidReason.encmapping["supervisor"], Then.encmapping["new_cards"]),
            lambda: command("close_shoe"),
        )
        self.closing += 1
        return steps[(self.closing - 1) % len(steps)]()

    def shoe_is_closed(self) -> None:
        """Whoever watches the log says so."""
        self.closing = 0

    # What goes wrong

    def _mistake(self, told: StepAnswer) -> Step:
        rng = self.rng
        ways: tuple[tuple[int, Callable[[], Step]], ...] = (
            (8, lambda: self._draw(careless=True)),
            (6, lambda: self._too_early(told)),
            (3, self._stays_in),
            (4, lambda: ("button", rng.choice((1, 2, 3, 4)))),
            (2, lambda: self._lid(not self._lid_open)),
            (2, lambda: self._key(not self._key_on)),
            (8, lambda: self._some_command(told)),
            (1, lambda: POWER_CYCLE if self._power else self._key(not self._key_on)),
        )
        return rng.choices([way for _, way in ways], [weight for weight, _ in ways])[0]()

    def _too_early(self, told: StepAnswer) -> Step:
        """A card is drawn though the exit is locked, or the confirm is forgotten; when none is due, the cut comes."""
        if told.state == CLOSED and self.rng.random() < 0.5:
            return self.rng.choice((("cut",), ("reject", _REASONS["noise"])))
        step = self._draw()
        self._surplus = step[1] if step[0] == "card" and told.state == COMPLETE else None
        return step

    def _stays_in(self) -> Step:
        """Not a card that counts: pushed back, half drawn, two together, noise, one of another set."""
        rng = self.rng
        reason = rng.choice((*_STILL_IN, *_STILL_IN, *_STILL_IN, "noise", "noise", "lid_open", "not_due", "foreign"))
        return "reject", _REASONS[reason]

    def _lid(self, is_open: bool) -> Step:
        self._lid_open = is_open
        return "lid", int(is_open)

    def _key(self, on: bool) -> Step:
        self._key_on = on
        return "key", int(on)

    def _report(self, case: str, facts: int) -> Step:
        return command("irregularity", Case.encmapping[case], facts & 0xFF, facts >> 8)

    def _some_command(self, told: StepAnswer) -> Step:
        """One that fits now, or one that does not."""
        name = self.rng.choice([*_COMMANDS, "irregularity", "irregularity", "burn_card", "import_coup", "export_coup"])
        if name in _ENDS and self.rng.random() < 0.8:
            name = "authorise"
        if name == "open_shoe":
            return self._open()
        return command(name, *self._data(name, told))

    def _data(self, name: str, told: StepAnswer) -> list[int]:
        rng, unwagered = self.rng, CoupKind.encmapping[self._profile["unwagered"]]
        made: dict[str, Callable[[], list[int]]] = {
            "clear_fault": lambda: [rng.choice((told.fault, rng.randint(0, 9)))],
            "void_coup": lambda: [rng.randint(1, 7), rng.choice((1, 1, 1, 1, 2))],
            "no_bet": lambda: [rng.choice((1, unwagered, rng.randint(1, 5)))],
            "key_card": lambda: [rng.randrange(52), rng.choice((0, 2, 4, 6))],
            "authorise": lambda: [rng.choice((1, 1, 2, 255, 0))],
            "irregularity": lambda: [rng.randint(1, len(Case.encmapping)), rng.randrange(256), rng.randrange(2)],
            "import_coup": lambda: [7, 0, rng.choice((1, unwagered)), *self._hand(), 8, 80, 0, rng.randint(0, 2), 0],
            "deck_check": lambda: [rng.choice((0, 1, 1)), 1],
            "set_time": lambda: [1, 2, 3, 4, 5, 0],
        }
        return made[name]() if name in made else []

    def _hand(self) -> list[int]:
        """Cards of a coup from another shoe."""
        count = self.rng.randint(0, 5)
        return [self.rng.randrange(52) if place < count else _NO_CARD for place in range(6)]
