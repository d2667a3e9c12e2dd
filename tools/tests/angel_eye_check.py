"""Compare `sabot angel-eye decode` and `session` with the slow reference: `make angel-eye CASES=100000 SEED=1`.

First every single thing at every place of a coup, then random cases. The first case that differs is made as small as
possible and printed; its line or file can be given to the commands as it is.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, NamedTuple

import angel_eye_reference
from angel_eye_cases import Case, at_two_gateways, random_case, systematic_cases
from sabot_tools.actions.angel_eye import app
from typer.testing import CliRunner

Report = dict[str, Any]
BATCH = 200
PROGRESS_S = 10.0


class Difference(NamedTuple):
    """A case that the commands and the reference read differently, and the first part that differs."""

    case: Case
    part: str
    found: Any
    expected: Any


class Tally(NamedTuple):
    """What a run compared."""

    cases: int
    messages: int
    coups: int


def reference(case: Case) -> Report:
    """What the case means by the reference."""
    if case.vector:
        return angel_eye_reference.decode(case.vector)
    return angel_eye_reference.session(case.events)


def answers(cases: list[Case]) -> list[Report]:
    """What the cases mean by the commands: all vectors in one run of `decode`, each session in its own run."""
    vectors = iter(decoded([case.vector for case in cases if case.vector]))
    return [next(vectors) if case.vector else in_session(case.events) for case in cases]


def decoded(vectors: list[Report]) -> list[Report]:
    ran = CliRunner().invoke(app, ["decode"], input="".join(f"{json.dumps(vector)}\n" for vector in vectors))
    assert ran.exit_code == 0, ran.output
    return [json.loads(line) for line in ran.stdout.splitlines()]


def in_session(events: list[Report]) -> Report:
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(f"{json.dumps(event)}\n" for event in events)
        file.flush()
        ran = CliRunner().invoke(app, ["session", file.name])
    assert ran.exit_code == 0, ran.output
    answer: Report = json.loads(ran.stdout)
    return answer


def difference(case: Case, found: Report, expected: Report) -> Difference | None:
    for part, value in expected.items():
        if found.get(part) != value:
            return Difference(case, part, found.get(part), value)
    return None


def compare(cases: Iterable[Case], progress: Callable[[Tally], None]) -> tuple[Tally, Difference | None]:
    """Compare until the first difference; report progress after each batch."""
    tally, waiting = Tally(0, 0, 0), iter(cases)
    while batch := list(islice(waiting, BATCH)):
        for case, found in zip(batch, answers(batch), strict=True):
            expected = reference(case)
            if differs := difference(case, found, expected):
                return tally, differs
            counts = 1, len(expected["messages"]), len(expected["coups"])
            tally = Tally(*(before + more for before, more in zip(tally, counts, strict=True)))
        progress(tally)
    return tally, None


def pairs_agree(first: Case, second: Case) -> bool:
    """Two gateways with the same shoe: same frames, same coups, same end."""
    one, other = answers([first, second])
    frames = [[message for message in answer["messages"] if "seq" in message] for answer in (one, other)]
    return frames[0] == frames[1] and one["coups"] == other["coups"] and one["final"] == other["final"]


def smallest(case: Case) -> Case:
    """Leave out segments, events and bytes as long as a difference remains."""
    shrunk = True
    while shrunk:
        shrunk = False
        for smaller in smaller_cases(case):
            if difference(smaller, answers([smaller])[0], reference(smaller)):
                case, shrunk = smaller, True
                break
    return case


def smaller_cases(case: Case) -> Iterator[Case]:
    """The case with one stretch less, long ones first."""
    if case.vector:
        chunks = case.vector.get("chunks", [case.vector["hex"]])
        times = case.vector.get("at", [0.0] * len(chunks))
        pieces = [(at, byte) for at, chunk in zip(times, chunks, strict=True) for byte in chunk.split()]
        for left in without(pieces):
            chunks, times = [byte for _, byte in left], [at for at, _ in left]
            yield Case(case.name, {"id": case.name, "hex": " ".join(chunks), "chunks": chunks, "at": times}, [])
    else:
        for events in without(case.events):
            yield Case(case.name, None, events)


def without(items: list[Any]) -> Iterator[list[Any]]:
    length = len(items) // 2
    while length:
        for at in range(0, len(items), length):
            if left := items[:at] + items[at + length :]:
                yield left
        length //= 2


def printed(differs: Difference) -> str:
    """The difference in words, and the case as the commands take it."""
    head = f"{differs.case.name}: {differs.part}\n  sabot:     {differs.found}\n  reference: {differs.expected}\n"
    lines = [differs.case.vector] if differs.case.vector else differs.case.events
    return head + "\n".join(json.dumps(line) for line in lines)


def main() -> None:
    """Parse options, compare, print what was compared; exit 1 at a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = shown = time.monotonic()

    def progress(tally: Tally) -> None:
        nonlocal shown
        if time.monotonic() - shown > PROGRESS_S:
            shown = time.monotonic()
            print(f"{tally.cases} cases, {tally.coups} coups, {shown - started:.0f} s", flush=True)

    cases = chain(systematic_cases(options.seed), (random_case(options.seed, at) for at in range(options.cases)))
    tally, differs = compare(cases, progress)
    if differs:
        case = smallest(differs.case)
        again = difference(case, answers([case])[0], reference(case))
        sys.exit(f"difference after {tally.cases} cases, seed {options.seed}: {printed(again or differs)}")
    pairs = options.cases // 10
    for at in range(pairs):
        if not pairs_agree(*at_two_gateways(options.seed, at)):
            sys.exit(f"two gateways differ: pair {at} of seed {options.seed}")
    print(f"{tally.cases} cases, {tally.messages} messages, {tally.coups} coups, {pairs} pairs: no difference")


if __name__ == "__main__":
    main()
