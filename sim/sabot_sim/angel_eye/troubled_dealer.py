"""A dealer at an Angel Eye to whom something happens now and then; then he stands still until it is settled."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sabot_sim.angel_eye.dealer import LOOK_AGAIN_S, AngelEyeDealer
from sabot_sim.angel_eye.mishaps import MISHAPS
from sabot_sim.dealing.trouble_order import Trouble, TroubleOrder
from sabot_sim.dealing.troubled_dealer import people_decide

# By the name of the mishap: what happens, in words.
TROUBLES: Final = {
    "overdraw": "a card too many is drawn",
    "unreadable": "the shoe cannot read a card",
    "reverse_exit": "a card is pushed back at the exit",
    "locked": "the shoe is locked by its key, and a card is drawn all the same",
    "restart": "the shoe restarts in mid-coup",
    "wrong_result": "the shoe gives a wrong result",
    "link_cut": "the line to the shoe is lost in mid-coup",
}
DISPUTED: Final = ("wrong_result", "link_cut")  # needs a clause by which people decide a coup


@dataclass
class TroubledAngelEyeDealer(AngelEyeDealer):
    """An AngelEyeDealer with troubles of these names, each before one comes again; `release` lets him go on."""

    troubles: Sequence[str] = ()
    first: int = 0  # coups before anything goes wrong
    happened: list[Trouble] = field(default_factory=list)  # the caller takes them
    held: bool = False

    def __post_init__(self) -> None:
        """Choose the first trouble and when it comes."""
        self._order = TroubleOrder(self.troubles, self.rng, self.first)

    def release(self) -> None:
        """Go on dealing: people have settled what happened."""
        self.held = False

    def act(self, now_s: float) -> float:
        """Do what is next, or provoke what is due; return the seconds until the next act."""
        shoe = self.shoe
        shoe.advance(now_s)
        if self.held and not self.script:
            return LOOK_AGAIN_S
        name = self._order.due(self.coups_seen)
        busy = self.script or shoe.error is not None or shoe.locked() or not shoe.ready()
        if not name or busy or not MISHAPS[name].now(self):
            return super().act(now_s)
        MISHAPS[name].act(self, now_s)
        self.happened.append(Trouble(name))
        self.held = True
        self._order.choose(self.coups_seen)
        return self._between_cards()


def possible(book: str) -> tuple[str, ...]:
    """Return the troubles that people can settle by this rulebook."""
    decides = people_decide(book)
    return tuple(name for name in TROUBLES if decides or name not in DISPUTED)
