"""What the printed rulebooks say about each irregularity and who decides it, written by hand; no code reads it back."""

from dataclasses import dataclass
from typing import Final

STAR, PREMIUM, NZ, CROWN, RAPID = BOOKS = (
    "star-baccarat",
    "star-premium",
    "nz-baccarat",
    "crown-baccarat",
    "star-rapid",
)
UNWAGERED: Final = dict(zip(BOOKS, ("no_bet", "no_bet", "void_hand", "dummy", "dummy"), strict=True))
DEALT_FACE_UP: Final = (RAPID,)  # so every surplus card is seen


@dataclass(frozen=True)
class Rule:
    """What follows from a situation, and the clause; `silent` where the book has no rule."""

    situation: str
    follows: str
    clause: str = ""


# One row a situation, one cell a book in the order of BOOKS: what follows, then the clause; a dash where it is silent.
_RULES: Final = {
    # A card too many, not seen (at the Rapid every card is)
    "player_overdraw": ("live 12.2", "live 14.2", "live 12.1(b)", "unwagered 10.6.1(b)", "approved 11.8.3"),
    "bankers_third": ("play_on 12.2", "play_on 14.2", "play_on 12.1(a)", "play_on 10.6.1(a)", "play_on 11.8.3"),
    "banker_overdraw": ("unwagered 12.3", "unwagered 14.3", "live 12.2(a)", "unwagered 10.6.2", "approved 11.8.4"),
    "card_returned": ("-", "-", "-", "unwagered 7.1.5(a)", "-"),
    "not_approved": ("-", "-", "-", "-", "approved 11.8.14"),
    "excess_card": ("live 12.3", "live 14.3", "live 12.2(a)", "live 10.2", "approved 11.8.13"),
    # Cards face up in the shoe
    "first_card_face_up": (
        "this_unwagered 12.3", "this_unwagered 14.3", "this_unwagered 12.3", "this_unwagered 10.5.1",
        "this_approved 11.8.4",
    ),
    "second_to_fourth_card_face_up": (
        "play_on 12.5", "play_on 14.5", "play_on 12.4", "play_on 10.5.2", "play_on 11.8.5",
    ),
    "third_card_face_up": ("play_on 12.5", "play_on 14.5", "play_on 12.4", "play_on 10.5.2", "play_on 11.8.5"),
    # Wrong cards, and cards that are not read
    "missing_or_foreign_card": ("void_check 12.11", "void_check 14.11", "-", "-", "void_check 11.8.10"),
    "surplus_copy": ("void_check 12.11", "void_check 14.11", "-", "-", "void_check 11.8.10"),
    "misread_card": ("-", "-", "-", "-", "approved 11.8.12"),
    "insufficient_cards": ("void 12.6", "void 14.6", "void 12.5", "void 10.10", "void 11.8.6"),
    # Order of cards
    "reconstructible": ("play_on 12.1.1", "play_on 14.1.1", "play_on 12.6", "play_on 10.11", "void 11.8.1.3"),
    "not_reconstructible": ("void 12.1.2", "void 14.1.2", "void 12.6", "void 10.11", "void 11.8.1.3"),
    "ordered_void": ("void 12.1.2", "void 14.1.2", "void 12.6", "void 10.11", "void 11.8.1.3"),
    "too_late": ("play_on 12.1.4", "play_on 14.1.4", "play_on 12.8", "play_on 10.12", "play_on 11.8.1.5"),
    "players_card": ("play_on 12.1.1", "play_on 14.1.1", "play_on 12.6", "play_on 10.3", "void 11.8.1.3"),
    "wrong_area": ("play_on 12.1.1", "choice 14.12.1", "play_on 12.6", "choice 10.7.1", "void 11.8.1.3"),
    "wrong_recipient": ("play_on 12.15", "choice 14.12.2", "play_on 12.6", "choice 10.7.2", "-"),
    "all_withdrawn": ("this_unwagered 12.1.1", "this_unwagered 14.1.1", "-", "this_unwagered 10.7", "-"),
    "wrong_shoe": ("-", "-", "-", "-", "void 11.8.2"),
    # Forgotten
    "burn_missed": ("play_on 12.8", "play_on 14.8", "play_on 12.7", "play_on 10.1", "play_on 11.8.8"),
    "cut_missed": ("last 12.7", "last 14.7", "-", "-", "last 11.8.7"),
    "not_shuffled": ("last 12.9", "last 14.9", "-", "-", "last 11.8.9"),
    # The shoe's result is not that of the cards
    "discrepancy": ("decide 12.13", "decide 14.13", "-", "-", "decide 11.8.11"),
    "settled_at_shoe": ("decide 12.13", "decide 14.13", "-", "-", "decide 11.8.11"),
    "other_winner": ("decide 12.13", "decide 14.13", "-", "-", "decide 11.8.11"),
    # Players and their money
    "dispute": ("settle 14.14", "settle 15.13", "-", "settle 15.10", "settle 12.11"),
    "barred": ("record 14.4.2", "record 15.3.2", "-", "record 15.2.2", "record 12.3.2"),
    "closure": ("announce 14.10", "announce 15.9", "-", "announce 15.8", "announce 12.8"),
    "wrong_payment": ("register 12.18", "register 14.15", "-", "-", "-"),
    # Coups without wagers that a person orders
    "ordered": ("unwagered 7.4", "unwagered 7.4", "unwagered 8.3", "approved 7.4", "approved 11.8.14"),
    # Checks of cards in play
    "deck_check": ("check 3.11", "check 3.11", "-", "-", "check 3.7"),
    # The shoe itself: no book has a rule
    "pushed_back": ("-", "-", "-", "-", "-"),
    "lid": ("-", "-", "-", "-", "-"),
    "lock": ("-", "-", "-", "-", "-"),
    # A person who may not
    "lower_role": ("-", "-", "-", "-", "-"),
}  # fmt: skip


def rule(situation: str, book: str) -> Rule:
    """Return what the book says about a situation."""
    follows, _, clause = _RULES[situation][BOOKS.index(book)].partition(" ")
    return Rule(situation, "silent" if follows == "-" else follows, clause)


# People at a table: dealer, supervisor, manager, and who decides for the operator; roles as in 1.1 and Crown 1.2.
DEALER: Final = "dealer"
_SUPERVISORS: Final = (
    "gaming_supervisor", "gaming_supervisor", "casino_supervisor", "higher_duties_dealer", "casino_supervisor",
)  # fmt: skip
_MANAGERS: Final = (
    "assistant_gaming_manager", "gaming_manager", "casino_supervisor", "area_manager", "assistant_gaming_manager",
)  # fmt: skip
_OPERATORS: Final = ("operator", "operator", "casino_supervisor", "casino_manager", "operator")
OPERATOR: Final = dict(zip(BOOKS, _OPERATORS, strict=True))
SUPERVISOR: Final = dict(zip(BOOKS, _SUPERVISORS, strict=True))
MANAGER: Final = dict(zip(BOOKS, _MANAGERS, strict=True))

# Acts that need more than the table's supervisor: a manager decides (P-37, P-39 of people.md).
BY_MANAGER: Final = {
    PREMIUM: ("ordered",),  # 7.4: Assistant Gaming Manager
    RAPID: ("void",),  # 11.8.1.3: Assistant Gaming Manager
}
