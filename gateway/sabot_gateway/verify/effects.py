"""Effects: how each kind of event changes the ShoeState, after its checks and its report."""

from collections.abc import Callable
from typing import Any

from sabot_protocol.fields import NO_CARD

from sabot_gateway.verify.state import NO_COUP, RESULTS, ShoeState

Data = dict[str, Any]
Effect = Callable[[ShoeState, Data], None]

_MOST_CARDS_OF_A_COUP = 12  # twice what a coup can have; a log with more is wrong
_MOST_SURPLUS = 16  # surplus cards that the shoe remembers
_MOST_CASES = 16  # irregularities, the newest
_UNREAD = ("blank", "columns", "doubtful", "not_in_set", "foreign", "spacing")  # a card left the shoe all the same


def shoe_opened(state: ShoeState, data: Data) -> None:
    """Start a shoe without cards out."""
    state.shoe_no, state.coup_no, state.decks = data["shoe_no"], 0, data["decks"]
    state.opened = {key: data[key] for key in ("decks", "card_set", "burn")}
    state.dealt, state.phase, state.whole, state.missed, state.gap_in = {}, "between", True, False, None
    state.surplus.clear()
    state.cases, state.spoiled = [], False
    state.burning, state.unread, state.returned = data["burn"] != "none", False, False


def shoe_closed(state: ShoeState, data: Data) -> None:
    """End the shoe."""
    state.shoe_no, state.dealt, state.phase, state.gap_in = data["shoe_no"], {}, "closed", None


def burn(state: ShoeState, data: Data) -> None:
    """End the burn of a new shoe; the first coup takes the cards drawn too many in it."""
    state.burning = False
    _use_surplus(state)


def lid(state: ShoeState, data: Data) -> None:
    """Note whether the lid is open."""
    state.lid_open = bool(data["open"])


def card(state: ShoeState, data: Data) -> None:
    """Add the card to its coup."""
    coup_no, slot, surplus = data["coup_no"], data["slot"], data["flags"].get("surplus")
    state.returned = False
    if surplus:
        state.surplus = [*state.surplus, 0 if slot in NO_COUP else coup_no][-_MOST_SURPLUS:]
    if slot in NO_COUP:
        return
    if state.phase == "unknown":
        state.shoe_no = data["shoe_no"]
        if slot != "player_1":
            state.gap_in = coup_no  # its first cards were not seen
    dealt = state.dealt.get(coup_no)
    if dealt is None:
        dealt = state.dealt[coup_no] = []
    if len(dealt) < _MOST_CARDS_OF_A_COUP:
        dealt.append((slot, data["card"]))
    if not surplus and (coup_no != state.coup_no or state.phase != "dealing"):
        _begin_coup(state, coup_no)


def reject(state: ShoeState, data: Data) -> None:
    """Note a card that left the shoe between two coups and was not read."""
    state.unread |= data["reason"] in _UNREAD and state.phase == "between" and not state.burning


def coup(state: ShoeState, data: Data) -> None:
    """Complete the coup."""
    _begin_coup(state, data["coup_no"])
    state.phase, state.gap_in = "complete", None
    state.winner, state.entered = data["winner"] or "", ""


def coup_void(state: ShoeState, data: Data) -> None:
    """End the coup without a result."""
    _begin_coup(state, data["coup_no"])
    state.dealt.pop(state.coup_no, None)
    state.phase, state.gap_in = "between", None
    _use_surplus(state)


def button(state: ShoeState, data: Data) -> None:
    """Confirm ends the coup, unless the dealer's entry holds it."""
    if data["button"] in RESULTS:
        state.entered = data["button"]
    elif data["button"] == "confirm" and not state.held_by_entry():
        _confirm(state)


def handed_over(state: ShoeState, data: Data) -> None:
    """A coup in progress leaves this shoe, or comes to it."""
    if data["import"]:
        state.dealt[data["coup_no"]] = [(slot, card) for slot, card in data["cards"].items() if card != NO_CARD]
        _begin_coup(state, data["coup_no"])
        state.decks, state.burning = data["decks"], False
    else:
        state.dealt.pop(data["coup_no"], None)
        state.phase, state.gap_in = "between", None


def irregularity(state: ShoeState, data: Data) -> None:
    """Note the case; some consequences take cards away from a coup."""
    state.cases = [*state.cases, (data["coup_no"], data["case"], data["code"])][-_MOST_CASES:]
    if data["code"] == "RESTART_SHOE" and state.restarts_at_once():
        _restart_shoe(state)
    if data["code"] == "NOT_USED" and state.surplus:
        _withdraw_surplus(state, state.surplus.pop())
        state.surplus.append(0)


def command_done(state: ShoeState, data: Data) -> None:
    """Some commands change the coup on the table."""
    command = data["command"]
    if command == "confirm":
        _confirm(state)
    elif command == "card_returned" and state.surplus:
        _withdraw_surplus(state, state.surplus.pop())
        state.returned = True
    elif command == "burn_card" and state.burn_restarts():
        _restart_shoe(state)
    elif command == "deck_check":
        state.phase, state.whole = ("checking", True) if data["data"]["on"] else ("closed", state.whole)


def log_gap(state: ShoeState, data: Data) -> None:
    """Part of the log is missing: the phase is unknown until a coup or a shoe begins."""
    if state.phase == "dealing":
        state.gap_in = state.coup_no
    state.whole, state.phase = False, "unknown"


def _begin_coup(state: ShoeState, coup_no: int) -> None:
    """Put this coup on the table and forget the cards of those before it."""
    if coup_no != state.coup_no:
        state.dealt = {number: cards for number, cards in state.dealt.items() if number >= coup_no}
        if state.surplus:
            state.surplus = [number for number in state.surplus if number > coup_no]
    state.coup_no, state.phase = coup_no, "dealing"


def _confirm(state: ShoeState) -> None:
    if state.phase == "complete":
        state.phase = "between"
        _use_surplus(state)


def _use_surplus(state: ShoeState) -> None:
    """The next coup takes the surplus cards that begin it; cards that are not used are gone."""
    state.unread = False
    if state.surplus:
        state.surplus = [number for number in state.surplus if number > state.coup_no + 1]


def _withdraw_surplus(state: ShoeState, coup_no: int) -> None:
    """The last surplus card begins no coup: it is not used, or is in the shoe again (Crown 7.1.5)."""
    cards = state.dealt.get(coup_no)
    if cards:
        cards.pop()
        if not cards:
            del state.dealt[coup_no]


def _restart_shoe(state: ShoeState) -> None:
    """The cards of the first coup go back, and it is dealt again (Crown 10.1.1)."""
    state.dealt.clear()
    state.surplus.clear()
    state.coup_no, state.phase, state.gap_in, state.burning = 0, "between", None, True
