"""Compare the roads of random shoes with a slow reference, corrections included: `make roads SHOES=100000 SEED=1`.

Each shoe is dealt coup by coup and now and then a past coup is corrected or voided. After the last coup and after each
correction the module, the lines of `sabot roads` and the reference must agree.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from roads_reference import consecutive, reference
from sabot_protocol.roads import Roads, counts, dragon_tail, parse

COMMAND = [str(Path(sys.executable).with_name("sabot")), "roads", "--json"]


class Shoe(NamedTuple):
    """Results after some coups and corrections."""

    results: list[str]
    rows: int


class Tally(NamedTuple):
    """What a run compared."""

    shoes: int
    states: int
    coups: int
    corrections: int


def random_result(chance: random.Random, side: str) -> str:
    mark = chance.choices([side, "T", "X"], [0.85, 0.1, 0.05])[0]
    if mark == "X":
        return mark
    return mark + chance.choices(["", "b", "p", "bp"], [0.85, 0.07, 0.07, 0.01])[0] + "n" * (chance.random() < 0.3)


def correct(chance: random.Random, results: list[str]) -> None:
    """Correct one coup of the past: another result, or void."""
    at = chance.randrange(len(results))
    if chance.random() < 0.3:
        del results[at]
    else:
        results[at] = random_result(chance, chance.choice("BP"))


def states_of(chance: random.Random) -> Iterator[Shoe]:
    """Deal one shoe with short or long streaks; yield it after each correction and at its end."""
    rows = chance.choice([6, 6, 6, 6, 1, 2, 3, 9])
    stay, side, results = chance.choice([0.3, 0.5, 0.8, 0.95]), "B", list[str]()
    for _ in range(chance.randrange(90)):
        side = side if chance.random() < stay else "P" if side == "B" else "B"
        results.append(random_result(chance, side))
        if chance.random() < 0.015:
            correct(chance, results)
            yield Shoe(list(results), rows)
    yield Shoe(results, rows)


def in_form_of_an_answer(roads: Roads) -> dict[str, Any]:
    """Return the module's roads in the form of `sabot roads`."""
    beads = list(zip(roads.bead, roads.results, strict=True))
    answer: dict[str, Any] = {
        "bead": [list(cell) for cell in roads.bead],
        "bead_pairs": [
            [cell.row, cell.column, "b" * one.banker_pair + "p" * one.player_pair]
            for cell, one in beads
            if one.banker_pair or one.player_pair
        ],
        "bead_naturals": [[cell.row, cell.column] for cell, one in beads if one.natural],
        "big": [[cell.row, cell.column, cell.mark, cell.ties] for cell in roads.big],
        "leading_ties": roads.leading_ties,
        "ask": {side: list(roads.ask(side)) for side in "BP"},
    }
    for name, road in zip(("big_eye", "small", "cockroach"), roads.derived, strict=True):
        answer[name] = road.marks()
        answer[f"{name}_cells"] = [list(cell) for cell in road.cells]
    return answer


def check_counts(results: list[str]) -> None:
    """Compare counts and Dragon Tail Indicator with counting by letters."""
    parsed = [parse(result) for result in results]
    expected = [sum(result[0] == mark for result in results) for mark in "BPT"]
    expected += [sum(letter in result for result in results) for letter in "bpnX"]
    assert list(counts(parsed)) == expected, results
    tail = dragon_tail(parsed)
    assert {"B": tail.banker, "P": tail.player} == consecutive(results), results
    assert tail.late_waits == (6 in consecutive(results).values()), results


class DifferenceError(AssertionError):
    """Two ways to draw one shoe disagree."""


def same(name: str, shoe: Shoe, found: dict[str, Any], expected: dict[str, Any]) -> None:
    for road, cells in expected.items():
        if found.get(road) != cells:
            raise DifferenceError(f"{name} {road}: {found.get(road)}, reference {cells}; {shoe}")


def check(shoes: int, seed: int) -> Tally:
    """Compare module, command and reference on this many shoes; raise DifferenceError at the first that disagrees."""
    chance = random.Random(seed)
    states = coups = 0
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as command:
        assert command.stdin
        assert command.stdout
        for _ in range(shoes):
            dealt = list(states_of(chance))
            roads = Roads(dealt[0].rows)
            for shoe in dealt:
                ask(command.stdin, shoe)
                expected = reference(shoe.results, shoe.rows)
                roads = roads.updated([parse(result) for result in shoe.results])
                same("module", shoe, in_form_of_an_answer(roads), expected)
                same("sabot roads", shoe, json.loads(command.stdout.readline()), expected)
                check_counts(shoe.results)
            states, coups = states + len(dealt), coups + len(dealt[-1].results)
        command.stdin.close()
        if rest := command.stdout.read():
            raise DifferenceError(f"sabot roads answered more lines than were asked: {rest[:200]!r}")
    return Tally(shoes, states, coups, corrections=states - shoes)


def ask(stdin: IO[bytes], shoe: Shoe) -> None:
    """Send one line to the command, which computes its answer while the reference does."""
    line = {"id": 0, "results": shoe.results, "rows": shoe.rows}
    stdin.write(json.dumps(line).encode() + b"\n")
    stdin.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shoes", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began = time.monotonic()
    tally = check(options.shoes, options.seed)
    print(
        f"{tally.shoes} shoes, {tally.coups} coups, {tally.corrections} corrections: module, sabot roads and reference "
        f"agree in {tally.states} states ({time.monotonic() - began:.0f} s, seed {options.seed})"
    )


if __name__ == "__main__":
    main()
