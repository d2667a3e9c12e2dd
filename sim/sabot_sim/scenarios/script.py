"""The script of one recording: cards and coups on top of inputs and acts, and what must come of them."""

from dataclasses import dataclass, field, replace
from typing import Any, Final

from sabot_sim.optics import signals
from sabot_sim.optics.mishaps import MISHAPS
from sabot_sim.optics.profiles import PROFILES, Profile
from sabot_sim.optics.scene import seen, set_up
from sabot_sim.scenarios import draw_tables
from sabot_sim.scenarios.acts import Acts
from sabot_sim.scenarios.inputs import CLEAR_US
from sabot_sim.stack import CUT

HANDS: Final = replace(PROFILES["normal"], speed_m_s=(0.3, 2.0))
_STILL_US: Final = 5_500_000  # the shoe notices a card that is left in the path before this
_MISREAD: Final = ("blank", "columns", "doubtful", "not_in_set", "spacing")  # the card is out, and was not read


@dataclass
class Truth:
    """What the script did, and what the printed rules make of it."""

    cards: list[str] = field(default_factory=list)  # as they left the exit or were keyed in, the cutting card as CUT
    coups: list[dict[str, Any]] = field(default_factory=list)
    irregularities: list[str] = field(default_factory=list)
    rejects: list[str] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)  # in the order in which they are raised


class Script(Acts):
    """Cards and coups on top of inputs and acts, and the `truth` of all of it. The same seed gives the same hands."""

    def __init__(self, seed: int, hands: Profile = HANDS, card_set: int = 1, pause_factor: float = 1.0) -> None:
        super().__init__(seed, pause_factor)
        self.enters_result = False  # the rulebook wants the result before Confirm
        self.hands, self.card_set = hands, card_set
        self.truth = Truth()

    # Cards

    def pull(self, cards: str, hands: Profile | None = None) -> None:
        """Draw these cards one after the other: `9S 2H CUT KD`."""
        for card in cards.split():
            self._draw(card, self.card_set, hands or self.hands)
            self.truth.cards.append(card)

    def pull_while_closed(self, card: str) -> None:
        """Draw a card though no shoe is open."""
        self._draw(card, self.card_set, self.hands)
        self.rejected("not_due")

    def _draw(self, card: str, card_set: int, hands: Profile) -> None:
        self.think(0.15, 0.4)
        self.move(signals.pull(hands, self.rng, card, card_set))

    def mishap(self, name: str, card: str) -> None:
        """Draw a card with this mishap on its way."""
        self.think(0.15, 0.4)
        scene = set_up(self.hands, self.rng, self.card_set, card)
        MISHAPS[name].befall(scene)
        self.move(signals.edges_of(seen(scene)), _STILL_US if name == "half_drawn" else CLEAR_US)

    def unread(self, name: str, card: str, reason: str) -> None:
        """Draw a card with a mishap that the shoe rejects for this reason; it locks the exit with a card fault."""
        self.mishap(name, card)
        self.rejected(reason)
        if reason in _MISREAD:
            self.irregular("misread_card")
        self.alarms("fault_card")

    def foreign(self, card: str, card_set: int, fault: str = "fault_card") -> None:
        """Draw a readable card of another set; the shoe rejects it as foreign and locks the exit."""
        self._draw(card, card_set, self.hands)
        self.rejected("foreign")
        self.irregular("missing_or_foreign_card")
        self.alarms(fault)

    def key_in(self, card: str, clause: str = "", **flags: bool) -> None:
        """Key in the card that could not be read; it counts as drawn."""
        self.command("key-card", clause, card=card, flags=flags)
        self.truth.cards.append(card)

    def power_lost_drawing(self, card: str) -> None:
        """Pull the plug while this card is half out; it is on the table before the power is back."""
        edges = signals.pull(self.hands, self.rng, card, self.card_set)
        self.show(edges[: len(edges) // 2])
        self.act_now("power", state="off")
        self.back_on()

    # Coups

    def open(self, burn: str = "KS") -> None:
        """Put in new cards, press New shoe and burn."""
        self.press("new_shoe")
        self.pull(burn)

    def coup(self, cards: str, kind: str = "live", after: str = "") -> None:
        """Deal the rest of a coup; `after` names its cards that are out already."""
        self.pull(cards)
        self.complete(f"{after} {cards}", kind)

    def coups(self, *dealt: str) -> None:
        """Deal and confirm whole coups."""
        for cards in dealt:
            self.coup(cards)
            self.confirm()

    def confirm(self) -> None:
        """Pay the bets, then press Confirm; the result before it, where the rulebook wants that."""
        self.think(2.0, 5.0)
        if self.enters_result:
            self.press(self.truth.coups[-1]["winner"])
        self.press("confirm")

    def complete(self, cards: str, kind: str = "live") -> None:
        """Note that these cards are a whole coup; ValueError where the printed tables disagree."""
        dealt = [card for card in cards.split() if card != CUT]
        player, banker = draw_tables.hands(dealt)
        if len(player) + len(banker) != len(dealt):
            raise ValueError(f"{cards}: a coup of {len(player) + len(banker)} cards by the tables")
        found = {"player": player, "banker": banker, "winner": draw_tables.winner(player, banker)}
        self.truth.coups.append({**found, "kind": kind})

    def void(self, player: str, banker: str) -> None:
        """Note that the coup on the table, with these cards, is void, and that its alarm is raised."""
        self.alarms("coup_void")
        self.truth.coups.append({"player": player.split(), "banker": banker.split(), "winner": None, "kind": "void"})

    # What must come of it

    def report(self, case: str, clause: str = "", **facts: bool) -> None:
        """Report an irregularity at the gateway as a supervisor."""
        self.command("irregularity", clause, case=case, facts=facts)
        self.irregular(case)

    def irregular(self, *cases: str) -> None:
        """Expect these irregularities, each with its alarm."""
        self.truth.irregularities += cases
        self.truth.alarms += cases

    def rejected(self, *reasons: str) -> None:
        """Expect rejects for these reasons, each with its alarm."""
        self.truth.rejects += reasons
        self.truth.alarms += ["reject"] * len(reasons)

    def alarms(self, *names: str) -> None:
        """Expect these alarms."""
        self.truth.alarms += names
