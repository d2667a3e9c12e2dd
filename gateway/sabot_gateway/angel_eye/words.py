"""Words: the texts of alarms about an Angel Eye: what happened, where, what to do now; with the book's clause.

`say` names no card: it may lie face down. `shoe_says` and `cards_say` have it.
"""

from typing import Final

from sabot_protocol import irregularities
from sabot_protocol.angel_eye.tables import ERROR_WORDS
from sabot_protocol.irregularities import Advice

from sabot_gateway.angel_eye.coup import (
    AGAIN_UNCLEAR,
    CONFLICT,
    FIRST_CARD_MISSING,
    LINK_LOST_INSIDE,
    PAIR_MISMATCH,
    RESULT_MISMATCH,
    THIRD_CARD_WRONG,
    TrackedCoup,
)
from sabot_gateway.verify.alarms.shoe_texts import CASES
from sabot_gateway.verify.alarms.wording import Text

OVERDRAW: Final = "overdraw"
CARD_CODE: Final = "card_code"
_FOREIGN: Final = "missing_or_foreign_card"
_COMPARE: Final = "Compare the cards on the table with those that the gateway shows."
_CHANGED: Final = (
    "Perhaps new cards are in and the change was not seen: then run `sabot table {table} open-shoe --by NAME`."
)
_NEW_CARDS: Final = "If new cards are in and the change was not seen, run `sabot table {table} open-shoe --by NAME`."

# By the name of an error: what happened, and what a person does at the shoe.
_ERRORS: Final = {
    "cannot_read": (
        "The shoe could not read a card.",
        "Do not deal. Call a supervisor: take the card out and follow the shoe's display",
    ),
    OVERDRAW: (
        "A card was drawn that was not due.",
        "Do not deal. Keep the card for the next coup or discard it, as the rulebook requires, and choose the same at "
        "the shoe",
    ),
    "wrong_button": (
        "A wrong button was pressed at the shoe.",
        "Compare the result with the cards on the table, then press the right button",
    ),
    "reverse_exit": ("A card was pushed back at the exit.", "Do not deal. Call a supervisor: take the card out"),
    "reverse_midway": (
        "A card was pushed back while it was drawn.",
        "Do not deal. Call a supervisor: take the card out",
    ),
    CARD_CODE: (
        "A card left the shoe whose code is not that of this card set.",
        "Do not deal. Call a supervisor: have the card checked",
    ),
    "draw_timeout": ("A card was not drawn to its end.", "Draw the card out, or take it out of the exit"),
}
_KEEP: Final = "Do not deal. Keep the card for the next coup, and choose the same at the shoe"
_NEXT: Final = "NEXT_"  # codes by which the next coup begins with the card, seen or not
# The book means the coup that follows; to clear the error from a page takes a person with the right to that.
_APPROVAL: Final = {
    " No approval is needed.": " That coup needs no approval.",
    "; no approval is needed.": ". That coup needs no approval.",
}
_UNKNOWN_ERROR: Final = ("The shoe reports an error without a known meaning.", "Read the shoe's display")

_MODES: Final = {
    "lock": "while the shoe was locked",
    "error": "while the shoe was in error",
    "setting": "while the shoe was being set up",
}

# By status or flag of a coup: why its result cannot be taken as it is.
_REASONS: Final = {
    LINK_LOST_INSIDE: (
        "The line to the shoe was interrupted in this coup, and its result was not seen. Coups that were dealt "
        "meanwhile are not published: compare the display with the score at the table."
    ),
    "incomplete": "The next coup or shoe began, and the shoe gave this coup no result.",
    FIRST_CARD_MISSING: (
        "The first card of this coup was not seen: its cards may belong to the coup before. Then void one of the two."
    ),
    "partial": "Not every card of this coup was seen, so its result cannot be verified.",
    "forced_end": "The shoe ended this coup without a result (forced end).",
    RESULT_MISMATCH: "The shoe's result does not match the cards.",
    PAIR_MISMATCH: "The shoe's pairs do not match the cards.",
    THIRD_CARD_WRONG: "The third cards of this coup are not those that the rules require.",
    CONFLICT: "The shoe reported two different cards for one place.",
    AGAIN_UNCLEAR: "The shoe sent a card again, and what it meant by that is not known.",
}


def next_step(error: str) -> str:
    """Return what a person does about a standing error, as a sentence."""
    fact, step = _ERRORS.get(error, _UNKNOWN_ERROR)
    return f"The shoe is in error. {fact} {step}. Then clear the error at the shoe."


def error(error: str, code: int, book_says: Advice | None) -> Text:
    """The shoe reported an error; `book_says` is what the rulebook has for it."""
    fact, step = _ERRORS.get(error, _UNKNOWN_ERROR)
    if error == OVERDRAW and book_says and book_says.code.startswith(_NEXT):
        step = _KEEP
    say = f"{fact} {step}. " + (book_says.say if book_says else "Then clear the error at the shoe.")
    return {"say": say, "shoe_says": _named(error, f"error {code}"), "clause": book_says.clause if book_says else ""}


def overdraw(book: str, cards: int, *, complete: bool, last_coup: bool) -> Advice:
    """Return what the book has for an overdraw with so many cards out; if it depends on that, also for a seen card."""
    drawn = {4: "player_overdraw", 5: "banker_overdraw"} if complete else {}
    case = drawn.get(cards, "excess_card")
    facts = {"banker_draws": False, "last_coup": last_coup}
    hidden, seen = (
        irregularities.advise(
            book, case, {name: (facts | {"exposed": exposed})[name] for name in irregularities.CASES[case]}
        )
        for exposed in (False, True)
    )
    if hidden == seen:
        return Advice(hidden.code, hidden.clause, _of_that_coup(hidden.say))
    clauses = [clause for advice in (hidden, seen) for clause in advice.clause.split(", ") if clause]
    clause = ", ".join(dict.fromkeys(clauses))
    say = f"If nobody saw the card: {hidden.say} If it was seen: {seen.say}"
    return Advice(hidden.code, clause, _of_that_coup(say))


def _of_that_coup(say: str) -> str:
    """Return the text with what needs no approval named."""
    for approval, named in _APPROVAL.items():
        say = say.replace(approval, named)
    return say


def foreign(book: str, *, stands: bool) -> Advice:
    """Return what the book has for a card that these decks cannot have."""
    return irregularities.advise_at_table(book, _FOREIGN, {}, stands=stands)


def too_often(table: str, card: str, decks: int, advice: Advice) -> Text:
    """A card came more often than the decks have it."""
    say = f"{CASES[_FOREIGN]} {_CHANGED.format(table=table)} Otherwise: {advice.say}"
    return {"say": say, "clause": advice.clause, "cards_say": f"{card} came more often than {decks} decks allow"}


def foreign_inside(advice: Advice) -> str:
    """A coup has its result, and one of its cards cannot be of these decks."""
    return f"A card that is not of these decks came in this coup. {advice.say}"


def after_last(table: str) -> str:
    """Return what else the cause can be if a coup begins after the last one of the shoe."""
    return _NEW_CARDS.format(table=table)


def reasons(coup: TrackedCoup) -> str:
    """Return why a coup is not verified, as sentences."""
    found = [_REASONS[name] for name in (*coup.flags, coup.status) if name in _REASONS]
    if LINK_LOST_INSIDE in coup.flags:
        found.remove(_REASONS["incomplete"])
    return " ".join(found)


def shoe_says(coup: TrackedCoup) -> str:
    """Return the shoe's result as text."""
    pairs = [f"{side}_pair" for side, on in (("player", coup.player_pair), ("banker", coup.banker_pair)) if on]
    return " ".join([(coup.result or "nothing").replace("_", " "), *pairs])


def conflict(place: str) -> str:
    """Two cards for one place."""
    where = place.replace("_", " card ")
    return f"The shoe reported two different cards for the same place ({where}). The gateway keeps the first."


def again(target: str, position: int | None) -> str:
    """A card that the shoe sent again."""
    where = f"{target.replace('_', ' ')} card {position}" if position else target.replace("_", " ")
    return f"The shoe sent a card again (for {where}), and what it meant by that is not known."


def outside(mode: str, card: str | None, error: str, code: str) -> Text:
    """A card left the shoe outside the game."""
    when = _MODES.get(mode, "and the shoe did not report a place for it")
    say = f"A card left the shoe {when}. It belongs to no coup. Put it aside and call a supervisor."
    if error == OVERDRAW:
        read = "" if card else " It was not read."
        say = f"This card was drawn in excess.{read} Do with it what the rulebook requires."
    return {"say": say, "shoe_says": ", ".join(filter(None, (card or "card not read", _named(error, code))))}


def _named(error: str, code: str) -> str:
    """Return the shoe's code of an error with its name, as far as it has one."""
    return f"{code} ({ERROR_WORDS[error]})" if code and error in ERROR_WORDS else code


def result_not_used(says: str, *, undefined: bool) -> Text:
    """A result that settles no coup."""
    if undefined:
        say = f"The shoe sent a result without a known meaning, so its coup is disputed. {_COMPARE}"
    else:
        say = (
            "The shoe sent a result, but no card of that coup was seen: the line was interrupted, or the gateway "
            "started in mid-coup. That coup is not published. Settle it by the cards on the table, with a supervisor."
        )
    return {"say": say, "shoe_says": says}


def kept(table: str, card: str, book_says: Advice | None) -> Text:
    """A card waits in the shoe for the next coup; `book_says` is what the rulebook has for the overdraw before it."""
    say = "The shoe keeps a card: it is the Player's first card of the next coup. Leave it where it is. "
    if book_says:
        say += f"By the rulebook, for the card drawn in excess: {book_says.say} "
    say += f"If that coup takes no wagers, announce it: `sabot table {table} no-bet --by NAME`."
    return {"say": say, "shoe_says": card, "clause": book_says.clause if book_says else ""}


def kept_forgotten(card: str) -> Text:
    """A kept card did not begin the next coup."""
    say = f"The shoe had kept a card for the next coup, but that coup did not begin with it. {_COMPARE}"
    return {"say": say, "shoe_says": card}


def locked(table: str, *, by_key: bool) -> Text:
    """The exit is locked."""
    if by_key:
        return {"say": "The shoe is locked with its key: no card can be drawn. To release it, turn the key back."}
    release = f"`sabot table {table} tell unlock --by NAME`, or the key at the shoe"
    return {"say": f"The shoe is locked by command: no card can be drawn. To release it, use {release}."}


def restarted(cards: list[str]) -> Text:
    """The shoe restarted; these cards are on the table."""
    say = f"The shoe restarted. Whether it is locked or in error is not known. {_COMPARE}"
    return {"say": say, "shoe_says": "communication start", "cards_say": " ".join(cards)}


def interrupted() -> Text:
    """The line was opened again while a shoe was in play."""
    say = (
        "The line to the shoe was interrupted. Coups and a change of cards meanwhile were not seen and are not "
        "published. Compare the coups on the display with the score at the table."
    )
    return {"say": say}


def line_lost(coup: str) -> str:
    """The line was lost while a shoe is in play; `coup` was on the table, empty if none was."""
    on_table = f"Coup {coup} was on the table: settle it with a supervisor. " if coup else ""
    return (
        f"The line to the shoe was lost. {on_table}While the table is offline, coups and a change of cards are not "
        "seen and are not published: call a technician. Then compare the coups on the display with the score at the "
        "table."
    )


def burn_count(count: int, required: int) -> str:
    """The shoe's number of cards to burn is not that of its first card."""
    return f"The shoe asks for {count} cards to be burnt. By the first card it is {required}."
