"""The script of one recording: hands, people and the world become edges and acts, and beside them what is true."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sabot_protocol.fields import Button
from sabot_protocol.recording import Act, Edge

from sabot_sim.dealing.stack import CUT
from sabot_sim.optics import signals
from sabot_sim.optics.mishaps import LID, MISHAPS
from sabot_sim.optics.profiles import PROFILES, Profile
from sabot_sim.optics.scene import seen, set_up
from sabot_sim.scenarios import draw_tables

HANDS: Final = replace(PROFILES["normal"], speed_m_s=(0.3, 2.0))
SUPERVISOR: Final = "A. Smith"
KEY: Final = 1 << 9
BUTTONS: Final = {name: 1 << 3 + number for name, number in Button.encmapping.items()}

_START_US = 1_000_000
_CLEAR_US = 2_000  # a path that is clear for so long is believed to be
_PRESS_US = 80_000
_TURN_US = 60_000  # a key or a lid that stays for so long is believed
_STILL_US = 5_500_000  # a card that is left in the path is noticed before this
_LOOK_US = 250_000
_MISREAD = ("blank", "columns", "doubtful", "not_in_set", "spacing")  # the card is out, and nobody knows it


@dataclass
class Truth:
    """What was done, by the one who did it; and what the printed rules make of it."""

    cards: list[str] = field(default_factory=list)  # as they left the exit or were keyed in, the cutting card as CUT
    coups: list[dict[str, Any]] = field(default_factory=list)
    irregularities: list[str] = field(default_factory=list)
    rejects: list[str] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)  # in the order in which they are raised


class Script:
    """Everything happens one behind the other; each hand is seeded."""

    def __init__(self, seed: int, hands: Profile = HANDS, card_set: int = 1, pause_factor: float = 1.0) -> None:
        self.rng, self.hands, self.card_set = random.Random(seed), hands, card_set
        self.pause_factor = pause_factor  # how long this dealer waits, compared with others
        self.records: list[Edge | Act] = []
        self.truth = Truth()
        self._t_us, self._held = _START_US, 0  # inputs that stay on: key, lid

    # Time

    def wait(self, seconds: float) -> None:
        """Nothing happens for a while."""
        self._t_us += int(seconds * 1e6)
        self._levels(0)

    def think(self, low_s: float, high_s: float) -> None:
        """People take their time."""
        self._t_us += int(self.rng.uniform(low_s, high_s) * self.pause_factor * 1e6)

    def _levels(self, levels: int, after_us: int = 0) -> None:
        self._t_us += after_us
        self.records.append(Edge(self._t_us, levels ^ self._held))

    def _move(self, edges: Sequence[signals.Edge], stay_us: int = _CLEAR_US) -> None:
        """What the sensors show from now on; then nothing is left in the path."""
        self._show(edges)
        self._levels(0, stay_us)
        self._levels(0, _CLEAR_US)

    def _show(self, edges: Sequence[signals.Edge]) -> None:
        start_us = self._t_us
        for t_us, levels in edges:
            self._t_us = start_us + t_us
            self._levels(levels)

    # Cards

    def pull(self, cards: str, hands: Profile | None = None) -> None:
        """These cards leave the exit one after the other: `9S 2H CUT KD`."""
        for card in cards.split():
            self._out(card, self.card_set, hands or self.hands)
            self.truth.cards.append(card)

    def pull_while_closed(self, card: str) -> None:
        """A card leaves the exit though no shoe is open."""
        self._out(card, self.card_set, self.hands)
        self.rejected("not_due")

    def _out(self, card: str, card_set: int, hands: Profile) -> None:
        self.think(0.15, 0.4)
        self._move(signals.pull(hands, self.rng, card, card_set))

    def mishap(self, name: str, card: str) -> None:
        """Something befalls this card on its way."""
        self.think(0.15, 0.4)
        scene = set_up(self.hands, self.rng, self.card_set, card)
        MISHAPS[name].befall(scene)
        self._move(signals.edges_of(seen(scene)), _STILL_US if name == "half_drawn" else _CLEAR_US)

    def unread(self, name: str, card: str, reason: str) -> None:
        """A mishap for which the shoe holds its exit: a reject with this reason, and a fault until somebody comes."""
        self.mishap(name, card)
        self.rejected(reason)
        if reason in _MISREAD:
            self.irregular("misread_card")
        self.alarms("fault_card")

    def foreign(self, card: str, card_set: int, fault: str = "fault_card") -> None:
        """A good card of another set; the shoe takes it for what it is, and holds its exit."""
        self._out(card, card_set, self.hands)
        self.rejected("foreign")
        self.irregular("missing_or_foreign_card")
        self.alarms(fault)

    def key_in(self, card: str, clause: str = "", **flags: bool) -> None:
        """The card that could not be read is keyed in, and counts as drawn."""
        self.command("key-card", clause, card=card, flags=flags)
        self.truth.cards.append(card)

    # Coups

    def coup(self, cards: str, kind: str = "live", after: str = "") -> None:
        """A whole coup is dealt, `after` those of its cards that are out already."""
        self.pull(cards)
        self.complete(f"{after} {cards}", kind)

    def coups(self, *dealt: str) -> None:
        """Whole coups, each dealt and confirmed."""
        for cards in dealt:
            self.coup(cards)
            self.confirm()

    def complete(self, cards: str, kind: str = "live") -> None:
        """These cards are a whole coup, by the tables."""
        dealt = [card for card in cards.split() if card != CUT]
        player, banker = draw_tables.hands(dealt)
        if len(player) + len(banker) != len(dealt):
            raise ValueError(f"{cards}: a coup of {len(player) + len(banker)} cards by the tables")
        found = {"player": player, "banker": banker, "winner": draw_tables.winner(player, banker)}
        self.truth.coups.append({**found, "kind": kind})

    def void(self, player: str, banker: str) -> None:
        """The coup on the table, with these cards, has no result; everybody hears of it."""
        self.alarms("coup_void")
        self.truth.coups.append({"player": player.split(), "banker": banker.split(), "winner": None, "kind": "void"})

    def open(self, burn: str = "KS") -> None:
        """New cards, and the burn."""
        self.press("new_shoe")
        self.pull(burn)

    def confirm(self) -> None:
        """Bets are paid, then the dealer confirms."""
        self.think(2.0, 5.0)
        self.press("confirm")

    # Buttons, key and lid

    def press(self, *buttons: str) -> None:
        """A button, or several at the same moment."""
        self._levels(sum(BUTTONS[name] for name in buttons), _LOOK_US)
        self._levels(0, _PRESS_US)
        self._levels(0, _PRESS_US)

    def bounce(self, button: str) -> None:
        """A worn contact: it closes and opens a few times before it stays."""
        for _ in range(self.rng.randint(3, 8)):
            self._levels(BUTTONS[button], self.rng.randint(300, 3_000))
            self._levels(0, self.rng.randint(300, 3_000))
        self.press(button)

    def key(self) -> None:
        """The supervisor turns the key and turns it back."""
        self.turn_key()
        self.turn_key()

    def turn_key(self) -> None:
        """The supervisor turns the key, or turns it back."""
        self._turn(KEY)

    def lid(self) -> None:
        """The lid is opened, or shut again."""
        self._turn(LID)

    def stick(self, sensor: int) -> None:
        """A sensor shows a card where none is, or is cleaned."""
        self._turn(sensor)

    def _turn(self, pin: int) -> None:
        self._held ^= pin
        self._levels(0, _LOOK_US)
        self._levels(0, _TURN_US)

    # People and the world

    def command(self, verb: str, clause: str = "", **args: Any) -> None:
        """A supervisor's word at the gateway."""
        self.think(1.0, 3.0)
        self.act("say", verb=verb, by=SUPERVISOR, clause=clause, args=args)

    def report(self, case: str, clause: str = "", **facts: bool) -> None:
        """A supervisor reports an irregularity."""
        self.command("irregularity", clause, case=case, facts=facts)
        self.irregular(case)

    def act(self, do: str, **fields: Any) -> None:
        """What the world does."""
        self._levels(0, _LOOK_US)
        self._act(do, **fields)

    def _act(self, do: str, **fields: Any) -> None:
        self.records.append(Act(self._t_us, {"do": do, **fields}))
        self._t_us += _LOOK_US

    def power_cycle(self) -> None:
        """The plug is pulled, and put back a little later."""
        self.act("power", state="off")
        self._back_on()

    def power_lost_drawing(self, card: str) -> None:
        """The plug is pulled while this card is half out; it is on the table before the power is back."""
        edges = signals.pull(self.hands, self.rng, card, self.card_set)
        self._show(edges[: len(edges) // 2])
        self._act("power", state="off")
        self._back_on()

    def _back_on(self) -> None:
        self.wait(5)
        self.act("power", state="on")

    # What is true of it

    def irregular(self, *cases: str) -> None:
        """These irregularities are told, each with its alarm."""
        self.truth.irregularities += cases
        self.truth.alarms += cases

    def rejected(self, *reasons: str) -> None:
        """No certain card, for these reasons, each with its alarm."""
        self.truth.rejects += reasons
        self.truth.alarms += ["reject"] * len(reasons)

    def alarms(self, *names: str) -> None:
        """These alarms are raised."""
        self.truth.alarms += names
