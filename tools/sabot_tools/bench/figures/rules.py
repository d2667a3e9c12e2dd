"""rules: settlement through the command, exact odds, and simulated shoes against a plain loop over the same rules."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from functools import partial

from sabot_gateway.rules import play
from sabot_protocol import rulebooks
from sabot_protocol.cards import DECK
from sabot_sim.odds.simulation import Simulation
from sabot_sim.stack import CUT, shuffled

from sabot_tools.actions.simulate import simulation
from sabot_tools.bench.figure import Figure, at_least, best_s

_RULEBOOK = "crown-baccarat"


def figures() -> Iterator[Figure]:
    """Measure with one rulebook, eight decks; exact odds with every rulebook."""
    rate = _settle_rate()
    yield at_least("rules.settle_over_60000_a_second", rate / 60_000, 1, f"{rate:,.0f} coups a second, start included")
    times = {book: best_s(partial(_sabot, "odds", "--rulebook", book, "--json"), 3) for book in rulebooks.ids()}
    book = max(times, key=times.__getitem__)
    what = f"{times[book]:.2f} s for {book}, 8 decks, the slowest of {len(times)} rulebooks"
    yield at_least("rules.odds_1_second_over_time", 1 / times[book], 1, what)
    vectorised, plain = _simulated_coup_s(), best_s(_plain_shoe, 5) / _plain_shoe()
    what = f"{1 / plain:,.0f} coups a second in the loop"
    yield at_least("rules.simulate_over_plain_loop", plain / vectorised, 100, what)
    what = f"{1 / vectorised:,.0f} coups a second, main bets, one process"
    yield at_least("rules.simulate_over_20_million", 1 / vectorised / 20e6, 1, what)


def _simulated_coup_s(rounds: int = 7) -> float:
    """Return the time of a simulated coup, of the fastest round."""
    deal: Simulation = simulation(rulebooks.load(_RULEBOOK), 8, 1, pairs=False)
    deal.run(200_000)
    before = deal.coups
    return best_s(lambda: deal.run(deal.coups + 1_500_000), rounds) / ((deal.coups - before) / rounds)


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
