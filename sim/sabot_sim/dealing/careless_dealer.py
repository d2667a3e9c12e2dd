"""A careless dealer and a supervisor, card by card: they see the shoe's answers and make mistakes by chance.

`CarelessDealer.next(answer)` is the next step for firmware/bench/play.py; the same seed and answers give the same
steps.
"""

import random
from collections.abc import Callable
from typing import Any, Final

from sabot_protocol import rulebooks
from sabot_protocol.fields import Button, CardFlags, Fault, RejectReason, Then, VoidReason
from sabot_protocol.messages import Profile, profile_hash

from sabot_sim.dealing.random_commands import Step, command, random_data, random_name, report
from sabot_sim.rigs.play import StepAnswer

POWER_CYCLE: Final[Step] = ("power",)
CLOSED, BURNING, DEALING, COMPLETE, CHECKING = range(5)
CUT: Final = -1  # the cutting card among the cards
WAY_OUT_STEPS: Final = 12
_BUTTONS, _FAULTS, _REASONS = Button.encmapping, Fault.encmapping, RejectReason.encmapping
_FACE_UP = CardFlags.flags["face_up"]
_OUT_UNREAD = ("blank", "columns", "doubtful", "not_in_set", "spacing")  # the card is on the table
_STILL_IN = ("short_pull", "pushed_back", "pushed_back_midway", "double", "half_drawn")  # it is drawn again
_MOST_CHECKED = 30  # cards fed through in a deck check; a whole one takes as long as a shoe


def random_profile(rng: random.Random, rulebook: str) -> dict[str, Any]:
    """Return the profile of a table with this rulebook, its choices made by chance."""
    book = rulebooks.load(rulebook)
    choices = {axis: rng.choice(choice.values) for axis, choice in book.shoe.choice.items()}
    return book.profile(None, 1, choices)


def profile_bytes(profile: dict[str, Any]) -> bytes:
    """Return a profile as the gateway sends it to a shoe."""
    return bytes(profile_hash(profile) + Profile.build(profile))


def random_stock(rng: random.Random, decks: int, *, continuous: bool) -> list[int]:
    """Return shuffled cards, the next one last: a card may be missing or surplus, the cutting card anywhere."""
    stock = rng.sample([*range(52)] * decks, 52 * decks)
    if rng.random() < 0.05:
        stock.pop()
    if rng.random() < 0.03:
        stock.insert(rng.randrange(len(stock)), rng.randrange(52))
    if rng.random() < 0.02:
        stock[-20:] = range(20)  # not shuffled
    if not continuous and rng.random() < 0.9:
        usual = rng.randint(7, 30)
        stock.insert(usual if rng.random() < 0.9 else rng.randrange(len(stock)), CUT)
    return stock


class CarelessDealer:
    """`carelessness` is the share of steps that are mistakes; without `power` the plug stays in."""

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
        self._returned: int | None = None  # the card that is being put back
        self._authorised = self._entered = False

    def next(self, answer: StepAnswer) -> Step:
        """Return what the dealer or the supervisor does now."""
        self._put_back(answer)
        self._leaves_after -= 1
        if self.closing or (self._leaves_after == 0 and answer.state != CLOSED):
            return self._way_out(answer.fault)
        if self.rng.random() < self.carelessness:
            return self._mistake(answer)
        return self._sensible(answer)

    def shoe_is_closed(self) -> None:
        """Stop closing: the caller has seen that the shoe is closed."""
        self.closing = 0

    # The cards

    def _load(self, decks: int) -> None:
        self.stock = random_stock(self.rng, decks, continuous=self._continuous)

    def _put_back(self, answer: StepAnswer) -> None:
        """Put the surplus card back into the shoe if that command was accepted."""
        if self._returned is not None and answer.outcome == 0:
            self.stock.append(self._returned)
        self._returned = None

    def _open(self) -> Step:
        rng = self.rng
        if rng.random() < 0.3:
            self._load(self._profile["decks"])
            step: Step = ("button", _BUTTONS["new_shoe"])
        else:
            decks = rng.choice((8, 8, 8, 8, 6, 6, 2, 1))
            self._load(decks)
            step = command("open_shoe", decks, rng.choice((1, 1, 0, rng.randint(0, 3))))
        self._leaves_after = rng.randint(1, 400) if rng.random() < 0.05 else 0
        self._unread = None
        return step

    def _draw(self, careless: bool = False) -> Step:
        """Draw the next card; the supervisor closes an empty shoe."""
        rng = self.rng
        if not self.stock:
            return self._way_out(0)
        card = self.stock.pop()
        if card == CUT:
            return ("cut",)
        if careless and rng.random() < 0.4:
            self._unread = card
            return "reject", _REASONS[rng.choice(_OUT_UNREAD)]
        flags = _FACE_UP if careless and rng.random() < 0.6 else 0
        return "card", card, flags, rng.choice((-1, -1, -1, 0, 1))

    # Steps that continue the game

    def _sensible(self, answer: StepAnswer) -> Step:
        if self._lid_open:
            return self._lid(False)
        if answer.state == CLOSED:
            return self._check(begin=True) if self.rng.random() < 0.04 else self._open()
        if answer.state == CHECKING:
            return self._check()
        if answer.fault:
            return self._repair(answer.fault)
        if answer.state == COMPLETE:
            return self._after_coup()
        return self._release() if answer.locked else self._draw()

    def _after_coup(self) -> Step:
        """Put a surplus card back, or not; then confirm."""
        surplus, self._surplus = self._surplus, None
        if surplus is not None and self.rng.random() < 0.4:
            self._returned = surplus
            return command("card_returned")
        self._entered = self._profile["switches"]["result_before_confirm"] and not self._entered
        if self._entered:
            return "button", self.rng.choice((1, 2, 3))  # it may be wrong
        return "button", _BUTTONS["confirm"]

    def _repair(self, fault: int) -> Step:
        """Handle a fault as a supervisor."""
        if self._unread is not None and fault == _FAULTS["card"]:
            return self._key_in(self._unread)
        if fault == _FAULTS["decision"] and self.rng.random() < 0.7:
            confirmed = self.rng.choice((0, 0x80))
            return self.rng.choice((command("confirm"), report("scan_discrepancy", confirmed)))
        if self.rng.random() < 0.2:
            return self._key(not self._key_on)
        return command("clear_fault", fault)

    def _key_in(self, card: int) -> Step:
        """Key in a card; authorise first, where that may be needed."""
        self._authorised = not self._authorised
        if self._authorised:
            return command("authorise", 1)
        self._unread = None
        return command("key_card", card, self.rng.choice((0, 0, 2, 4)))

    def _release(self) -> Step:
        """Unlock the exit while a card is due: an authorisation is missing, or a command locked it."""
        ways = (lambda: command("authorise", 1), lambda: command("unlock"), lambda: self._key(not self._key_on))
        return self.rng.choice(ways)()

    def _check(self, begin: bool = False) -> Step:
        """Begin a deck check, feed its next card, or end it."""
        if begin:
            self._load(1)
            return command("deck_check", 1, 1)
        if not self.stock or len(self.stock) % _MOST_CHECKED == 0:
            self.stock = []
            return command("deck_check", 0, 0)
        card = self.stock.pop()
        return ("cut",) if card == CUT else ("card", card, 0, -1)

    def _way_out(self, fault: int) -> Step:
        """Return the next step by which the supervisor closes this shoe, whatever its state."""
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

    # Mistakes

    def _mistake(self, answer: StepAnswer) -> Step:
        rng = self.rng
        ways: tuple[tuple[int, Callable[[], Step]], ...] = (
            (8, lambda: self._draw(careless=True)),
            (6, lambda: self._too_early(answer.state)),
            (3, self._stays_in),
            (4, lambda: ("button", rng.choice((1, 2, 3, 4)))),
            (2, lambda: self._lid(not self._lid_open)),
            (2, lambda: self._key(not self._key_on)),
            (8, lambda: self._some_command(answer.fault)),
            (1, lambda: POWER_CYCLE if self._power else self._key(not self._key_on)),
        )
        return rng.choices([way for _, way in ways], [weight for weight, _ in ways])[0]()

    def _too_early(self, state: int) -> Step:
        """Draw a card though the exit is locked or the coup is not confirmed; from a closed shoe, perhaps the cut."""
        if state == CLOSED and self.rng.random() < 0.5:
            return self.rng.choice((("cut",), ("reject", _REASONS["noise"])))
        step = self._draw()
        self._surplus = step[1] if step[0] == "card" and state == COMPLETE else None
        return step

    def _stays_in(self) -> Step:
        """Return a reject after which no card counts: pushed back, half drawn, two together, noise, another set."""
        rng = self.rng
        reason = rng.choice((*_STILL_IN, *_STILL_IN, *_STILL_IN, "noise", "noise", "lid_open", "not_due", "foreign"))
        return "reject", _REASONS[reason]

    def _lid(self, is_open: bool) -> Step:
        self._lid_open = is_open
        return "lid", int(is_open)

    def _key(self, on: bool) -> Step:
        self._key_on = on
        return "key", int(on)

    def _some_command(self, fault: int) -> Step:
        name = random_name(self.rng)
        if name == "open_shoe":
            return self._open()
        return command(name, *random_data(self.rng, name, self._profile, fault))
