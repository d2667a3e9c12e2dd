"""The plan of the kills: what is killed when, alone or together, and in which order it comes back; made by a seed."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_PEACE_S, _BETWEEN_S, _AWAY_S = 12.0, 0.5, 4.0  # the longest
_EARLY = 0.2  # share of the rounds
_SPARED, _SPARE = "gateway", 0.6  # it takes longest to start: so often it is spared


@dataclass(frozen=True)
class Round:
    """One round: peace, kills with a pause between them, time away, restarts in an order of their own."""

    early: bool  # it begins while the parts of the last round still start
    peace_s: float
    victims: tuple[str, ...]
    between_s: float
    away_s: float
    back: tuple[str, ...]

    def __str__(self) -> str:
        """Return the round as a line of text."""
        start = "at once" if self.early else "when all goes on"
        return (
            f"{start}, after {self.peace_s:.1f} s: kill {', '.join(self.victims)} ({self.between_s:.1f} s apart), "
            f"{self.away_s:.1f} s away, start {', '.join(self.back)}"
        )


def rounds(seed: int, victims: Sequence[str], pace: float = 1.0) -> Iterator[Round]:
    """Yield rounds without end: one victim mostly, several, now and then all; times are divided by the pace."""
    rng = random.Random(seed)
    while True:
        count = rng.choice((1, 1, 1, 2, 2, len(victims)))
        among = [name for name in victims if name != _SPARED] if rng.random() < _SPARE else victims
        yield _round(rng, rng.sample(among, min(count, len(among))), pace)


def each(seed: int, victims: Sequence[str], times: int, pace: float = 1.0) -> list[Round]:
    """Return rounds that kill everybody this many times: alone, and the last time together."""
    rng = random.Random(seed)
    alone = rng.sample([victim for victim in victims for _ in range(times - 1)], len(victims) * (times - 1))
    return [
        _round(rng, chosen, pace) for chosen in [*([victim] for victim in alone), rng.sample(victims, len(victims))]
    ]


def _round(rng: random.Random, chosen: list[str], pace: float) -> Round:
    peace_s, away_s = rng.uniform(0.1, _PEACE_S) / pace, rng.choice((0.05, rng.uniform(0.05, _AWAY_S))) / pace
    between_s = rng.choice((0.0, rng.uniform(0.0, _BETWEEN_S))) / pace
    return Round(
        rng.random() < _EARLY, peace_s, tuple(chosen), between_s, away_s, tuple(rng.sample(chosen, len(chosen)))
    )
