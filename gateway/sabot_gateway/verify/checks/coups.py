"""Coups: every result is recomputed from its cards and compared with the shoe's and the dealer's."""

from dataclasses import dataclass
from typing import Any

from sabot_protocol import irregularities
from sabot_protocol.rulebooks import Rulebook

from sabot_gateway import rules
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.checks.numbering import draw_clause
from sabot_gateway.verify.confirmations import confirm_first
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import NO_COUP, RESULTS, Dealt, ShoeState

NO_ENTRY = "nothing"
_FLAGS = ("natural", "player_pair", "banker_pair")


@dataclass
class CoupCheck:
    """The coup on the table and its result by the cards."""

    state: ShoeState
    book: Rulebook
    winner: str = ""  # by the cards if all of them are known and they are a coup, else by the shoe

    def __post_init__(self) -> None:
        """Look up once which clause asks for Confirm before the next coup."""
        self._confirm_first = confirm_first(self.book)

    def coup(self, event: Event) -> Findings:
        """Compare the shoe's result with the cards."""
        data, state = event.data, self.state
        number = data["coup_no"]
        dealt = state.dealt.get(number, [])
        played = _played(dealt)
        known = None if isinstance(played, str) or state.gap_in == number else played
        self.winner = known.winner if known else data["winner"]
        if known and _agrees(data, dealt, known):
            return NONE
        says, cards = shoe_says(data), cards_say(dealt, played)
        if state.gap_in == number:
            fact = "Part of this coup's log is missing. Its result cannot be verified."
            return (Finding(fact, says, f"{cards}, as far as the cards are known", "", number),)
        fact = "The shoe's result does not match the cards."
        return (Finding(fact, says, cards, draw_clause(self.book, [card for _, card in dealt]), number),)

    def button(self, event: Event) -> Findings:
        """Compare the dealer's result with the cards; where it counts with Confirm only, as it is then."""
        data, entered = event.data, self.entry(event)
        if self.state.phase != "complete" or not entered or entered == self.winner:
            return NONE
        if entered == NO_ENTRY:
            fact, clause = (
                "The coup was confirmed without the dealer's result. It must not be settled.",
                self._confirm_first,
            )
            return (Finding(fact, "Confirm alone", f"the cards say {self.winner}", clause, data["coup_no"]),)
        advice = irregularities.advise(self.book.id, "scan_discrepancy", {"confirmed": True})
        fact, dealer = "The dealer's result does not match the cards.", f"the dealer says {entered}"
        return (Finding(fact, dealer, f"the cards say {self.winner}", advice.clause, data["coup_no"], entry=True),)

    def entry(self, event: Event) -> str:
        """Return the dealer's result that counts with this button; empty if none does."""
        pressed = event.data["button"]
        if not self.state.result_first:
            return pressed if pressed in RESULTS else ""
        return (self.state.entered or NO_ENTRY) if pressed == "confirm" else ""

    def card(self, event: Event) -> Findings:
        """Where the book asks for it, a coup begins only after the one before is confirmed."""
        data, clause = event.data, self._confirm_first
        if not clause or self.state.phase != "complete" or data["slot"] in NO_COUP or data["flags"].get("surplus"):
            return NONE
        number = self.state.coup_no
        fact = "A coup began before the last one was confirmed. The last one must not be settled."
        says = f"coup {data['coup_no']} is dealt"
        return (Finding(fact, says, f"coup {number} is not confirmed", clause, number),)


def _agrees(data: dict[str, Any], dealt: Dealt, played: rules.Coup) -> bool:
    """Return True if the shoe's result, and the order in which it drew, are those of the cards."""
    flags = data["flags"]
    return bool(
        data["winner"] == played.winner
        and data["player_points"] == played.player_points
        and data["banker_points"] == played.banker_points
        and bool(flags["natural"]) == played.natural
        and bool(flags["player_pair"]) == played.player_pair
        and bool(flags["banker_pair"]) == played.banker_pair
        and tuple([slot for slot, _ in dealt]) == played.slots
    )


def shoe_says(data: dict[str, Any]) -> str:
    """Return the shoe's result as text."""
    flags = [flag for flag in _FLAGS if data["flags"][flag]]
    return _as_text(data["winner"], data["player_points"], data["banker_points"], flags)


def cards_say(dealt: Dealt, coup: rules.Coup | str) -> str:
    """Return the result of the cards as text, or why they are no coup."""
    if isinstance(coup, str):
        return coup
    slots = tuple(slot for slot, _ in dealt)
    if slots != coup.slots:
        return f"drawn as {' '.join(slots)}, due were {' '.join(coup.slots)}"
    return _as_text(coup.winner, coup.player_points, coup.banker_points, [f for f in _FLAGS if getattr(coup, f)])


def _played(dealt: Dealt) -> rules.Coup | str:
    """Return the coup of these cards, or why they are none."""
    try:
        return rules.play([card for _, card in dealt])
    except rules.NotACoupError as error:
        return str(error)


def _as_text(winner: str, player_points: int, banker_points: int, flags: list[str]) -> str:
    return " ".join([f"{winner}, Player {player_points}, Banker {banker_points}", *flags])
