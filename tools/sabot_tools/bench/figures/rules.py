"""rules: settlement through the command, exact odds, and simulated shoes against a plain loop over the same rules."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator

from sabot_gateway.rules import play
from sabot_protocol import rulebooks
from sabot_protocol.cards import DECK
from sabot_sim.dealing.stack import CUT, shuffled

from sabot_tools.actions.simulate import simulation
from sabot_tools.bench.figure import Figure, at_least, best_s

_RULEBOOK = "crown-baccarat"


def figures() -> Iterator[Figure]:
    """Measure with one rulebook, eight decks."""
    rate = _settle_rate()
    yield at_least("rules.settle_over_20000_a_second", rate / 20_000, 1, f"{rate:,.0f} coups a second, start included")
    took = best_s(lambda: _sabot("odds", "--rulebook", _RULEBOOK, "--json"), 3)
    yield at_least("rules.odds_3_seconds_over_time", 3 / took, 1, f"{took:.2f} s for a whole rulebook, 8 decks")
    deal = simulation(rulebooks.load(_RULEBOOK), 8, 1, pairs=False)
    deal.run(200_000)
    before = deal.coups
    vectorised = best_s(lambda: deal.run(deal.coups + 1_500_000), 3) / ((deal.coups - before) / 3)
    plain = best_s(_plain_shoe, 5) / _plain_shoe()
    what = f"{1 / plain:,.0f} coups a second in the loop"
    yield at_least("rules.simulate_over_plain_loop", plain / vectorised, 25, what)
    yield at_least("rules.simulate_over_5_million", 1 / vectorised / 5e6, 1, f"{1 / vectorised:,.0f} coups a second")


def _sabot(*args: str, lines: bytes = b"") -> None:
    command = [sys.executable, "-m", "sabot_tools", *args]
    subprocess.run(command, input=lines, stdout=subprocess.DEVNULL, check=True)


def _settle_rate(coups: int = 60_000) -> float:
    rng = random.Random(1)
    lines = [{"id": number, "stock": rng.sample(DECK * 8, 6)} for number in range(coups)]
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    return coups / best_s(lambda: _sabot("settle", "--rulebook", _RULEBOOK, lines=text), 3)


def _plain_shoe() -> int:
    """Deal one shoe coup by coup with the gateway's rules; return the number of coups."""
    cards = shuffled(8, random.Random(1))
    cut = cards.index(CUT)
    cards.remove(CUT)
    at, coups = 1, 0
    while at <= cut:
        at += len(play(cards[at : at + 6]).slots)
        coups += 1
    return coups
