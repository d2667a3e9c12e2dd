"""The result of a coup as the roads take it: B, P or T, b for a banker pair, p for a player pair; X without wagers."""

from typing import NamedTuple

from sabot_protocol.topics import WAGERED, CoupKind, Winner

NO_BET = "X"  # a coup without wagers
_LETTERS: dict[Winner, str] = {"banker": "B", "player": "P", "tie": "T"}


class ResultError(ValueError):
    """A text that is not a result."""


class RoadResult(NamedTuple):
    """One coup: `mark` is B, P, T or X."""

    mark: str
    banker_pair: bool = False
    player_pair: bool = False


def parse(text: str) -> RoadResult:
    """Return the result of a text such as `Bb`; raise ResultError for any other text."""
    mark, pairs = text[:1], text[1:]
    if text == NO_BET or (mark in ("B", "P", "T") and pairs in ("", "b", "p", "bp", "pb")):
        return RoadResult(mark, "b" in pairs, "p" in pairs)
    raise ResultError(f"{text!r} is not a result: expected B, P or T, then b, p or bp for pairs; or X without wagers")


def of_coup(kind: CoupKind, winner: Winner | None, banker_pair: bool, player_pair: bool) -> RoadResult | None:
    """Return a coup's result for the roads, None for a void coup."""
    if kind == "void" or winner is None:
        return None
    return RoadResult(_LETTERS[winner], banker_pair, player_pair) if kind in WAGERED else RoadResult(NO_BET)
