"""Book rules: what each rulebook lays down about the parameters of a jackpot; a book that is not here has none."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from sabot_protocol.jackpots.parameters import Equipment, Funding


class BookRules(NamedTuple):
    """Funding that the book allows, equipment that a table must have, each with its clause."""

    funding: tuple[Funding, ...]
    funding_clause: str
    equipment: Mapping[Equipment, str]
    dated_clause: str = ""  # the parameters must have a date, because they are notified beforehand


BOOKS: Final[Mapping[str, BookRules]] = {
    "crown-baccarat": BookRules(
        ("operator",),
        "13.4.1",
        {"console": "2.4.2", "display": "2.4.3, 13.3.1(c)", "handset": "2.4.1, 13.4.4"},
        "13.4.1(a)",
    ),
    "nz-baccarat": BookRules(
        ("operator", "wager", "both"), "18.3", {"console": "3.5, 18.13", "display": "3.5, 18.8(b)"}
    ),
}
