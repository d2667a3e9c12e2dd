"""The result of a coup as the roads take it: B, P or T, b and p for pairs, n for a natural; X without wagers."""

import re
from typing import NamedTuple

from sabot_protocol.topics import WAGERED, CoupKind, Winner

NO_BET = "X"  # a coup without wagers
_LETTERS: dict[Winner, str] = {"banker": "B", "player": "P", "tie": "T"}
_RESULT = re.compile(r"([BPT])(|b|p|bp|pb)(n?)|X")


class ResultError(ValueError):
    """A text that is not a result."""


class RoadResult(NamedTuple):
    """One coup: `mark` is B, P, T or X."""

    mark: str
    banker_pair: bool = False
    player_pair: bool = False
    natural: bool = False

    def text(self) -> str:
        """Return the text that `parse` reads, such as `Bbn`."""
        return self.mark + "b" * self.banker_pair + "p" * self.player_pair + "n" * self.natural


def parse(text: str) -> RoadResult:
    """Return the result of a text such as `Bb` or `Pbpn`; raise ResultError for any other text."""
    found = _RESULT.fullmatch(text)
    if not found:
        raise ResultError(
            f"{text!r} is not a result: expected B, P or T, then b, p or bp for pairs, then n for a natural; "
            "or X without wagers"
        )
    side, pairs, natural = found.groups(default="")
    return RoadResult(side or NO_BET, "b" in pairs, "p" in pairs, bool(natural))


def of_coup(
    kind: CoupKind, winner: Winner | None, banker_pair: bool, player_pair: bool, natural: bool = False
) -> RoadResult | None:
    """Return a coup's result for the roads, None for a void coup."""
    if kind == "void" or winner is None:
        return None
    if kind not in WAGERED:
        return RoadResult(NO_BET)
    return RoadResult(_LETTERS[winner], banker_pair, player_pair, natural)
