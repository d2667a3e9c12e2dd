"""Cards: those of the coup on the table as staff see them, each with its notes."""

from collections import deque

from sabot_protocol.table_states import HandCard
from sabot_protocol.topics import CardMessage

from sabot_gateway.verify.state import ShoeState

_MOST = 40  # more than a coup and the surplus cards that the shoe remembers
SURPLUS = "surplus"
_UNUSED = "unused"


class HandCards:
    """The newest cards that left the shoe; which of them are on the table is for the verifier's state to show."""

    def __init__(self) -> None:
        self._newest: deque[CardMessage] = deque(maxlen=_MOST)

    def card(self, message: CardMessage) -> None:
        """Take a card; a burn card is not of a coup."""
        if message.slot != "burn":
            self._newest.append(message)

    def on_table(self, state: ShoeState, coup: int) -> list[HandCard]:
        """Return the cards of this coup in the order drawn, then those that are not used or begin a later coup."""
        unit, shoe = state.unit, state.shoe_no
        of_shoe = [one for one in self._newest if one.coup >= coup and one.shoe == shoe and one.unit == unit]
        own = [_hand_card(of_shoe, coup, slot, card, begun=True) for slot, card in state.dealt.get(coup, ())]
        unused = [one for one in of_shoe if (one.coup, one.slot) == (coup, _UNUSED)]
        later = [(number, *dealt) for number in sorted(state.dealt) if number > coup for dealt in state.dealt[number]]
        return [
            *own,
            *(HandCard(slot=_UNUSED, card=one.card, notes=one.notes) for one in unused),
            *(_hand_card(of_shoe, number, slot, card, begun=False) for number, slot, card in later),
        ]


def _hand_card(newest: list[CardMessage], coup: int, slot: str, card: str, *, begun: bool) -> HandCard:
    """Return a card with its notes; a surplus card is an ordinary one once the coup that it begins is on the table."""
    seen = ((one.coup, one.slot, one.card) == (coup, slot, card) and one.notes for one in reversed(newest))
    notes = next((notes for notes in seen if notes is not False), [])
    return HandCard(slot=slot, card=card, notes=[note for note in notes if not begun or note != SURPLUS])
