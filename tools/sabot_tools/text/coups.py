"""Coups as text: one line each, with suit symbols and colour on a terminal, and a running summary."""

from collections import Counter, deque
from dataclasses import dataclass, field
from statistics import median

from sabot_protocol.inputs.plain_text import printable
from sabot_protocol.topics import Result

_SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_RESET, _RED, _BLUE, _GREEN, _DIM, _BOLD = "\033[0m", "\033[31m", "\033[34m", "\033[32m", "\033[2m", "\033[1m"
_RESULT_COLOUR = {"player": _BLUE, "banker": _RED, "tie": _GREEN, "void": _DIM, "none": _DIM}
_HAND_WIDTH = 11


@dataclass(frozen=True)
class Painter:
    """Formats cards and coups, with colour or without."""

    colour: bool

    def paint(self, text: str, *codes: str) -> str:
        """Return the text in these colours."""
        return f"{''.join(codes)}{text}{_RESET}" if self.colour else text

    def card(self, card: str) -> str:
        """Return `TD` as 10♦, red suits in red."""
        text = card[0].replace("T", "10") + _SUITS[card[1]]
        return self.paint(text, _RED) if card[1] in "DH" else text

    def hand(self, cards: list[str]) -> str:
        """Return the cards, padded to the width of three."""
        width = sum(len(card[0].replace("T", "10")) + 1 for card in cards) + len(cards) - 1
        return " ".join(map(self.card, cards)) + " " * (_HAND_WIDTH - width)

    def line(self, coup: Result, latency_s: float | None) -> str:
        """Return one coup as one line."""
        result = _result(coup)
        winner = self.paint(f"{result.upper():<6}", _BOLD, _RESULT_COLOUR[result])
        latency = "" if latency_s is None else self.paint(f"{latency_s * 1000:6.1f} ms", _DIM)
        return (
            f"{printable(coup.table)}  shoe {coup.shoe} coup {coup.coup:>3}   "
            f"Player {self.hand(coup.player)} {coup.player_points}   "
            f"Banker {self.hand(coup.banker)} {coup.banker_points}   "
            f"{winner} {_remarks(coup):<24} {latency}"
        ).rstrip()


def _result(coup: Result) -> str:
    """Return the winner; `void`, or `none` for a coup that is not void and has no result yet."""
    return coup.winner or ("none" if coup.status == "disputed" else "void")


def _remarks(coup: Result) -> str:
    remarks = {
        "DISPUTED": coup.status == "disputed",
        coup.kind.replace("_", " "): coup.kind not in ("live", "void"),
        "natural": coup.natural,
        "player pair": coup.player_pair,
        "banker pair": coup.banker_pair,
        "last coup": coup.last_coup,
    }
    return ", ".join(remark for remark, applies in remarks.items() if applies)


@dataclass
class Summary:
    """Counts of the coups seen so far."""

    winners: Counter[str] = field(default_factory=Counter)
    pairs: int = 0
    disputed: int = 0
    alarms: int = 0
    latencies_s: deque[float] = field(default_factory=lambda: deque(maxlen=10_000))

    def add(self, coup: Result, latency_s: float | None) -> None:
        """Count a coup."""
        self.winners[_result(coup)] += 1
        self.pairs += coup.player_pair + coup.banker_pair
        self.disputed += coup.status == "disputed"
        if latency_s is not None:
            self.latencies_s.append(latency_s)

    def coups(self) -> int:
        """Return the number of coups."""
        return self.winners.total()

    def text(self) -> str:
        """Return the counts as one line."""
        parts = [
            f"{self.coups()} coup{'s' * (self.coups() != 1)}",
            *(f"{name.title()} {self.winners[name]}" for name in ("player", "banker", "tie")),
            *(f"{name.title()} {self.winners[name]}" for name in ("void", "none") if self.winners[name]),
            f"pairs {self.pairs}",
            f"disputed {self.disputed}",
            f"alarms {self.alarms}",
        ]
        if self.latencies_s:
            middle_ms, longest_ms = median(self.latencies_s) * 1000, max(self.latencies_s) * 1000
            parts.append(f"latency {middle_ms:.1f} ms median, {longest_ms:.1f} ms longest")
        return " · ".join(parts)
