"""Engine: atheris with coverage of our own packages: `python -m fuzzing.engine TARGET SCRIPT [options] FOLDER…`.

SCRIPT runs this with what is added behind it: libFuzzer calls it to minimise a corpus.
"""

import sys
from collections.abc import Callable

import atheris

_OURS = [
    "sabot_protocol",
    "sabot_service",
    "sabot_gateway",
    "sabot_floor",
    "sabot_tools.text",
    "sabot_tools.actions.inspect",
]


def main() -> None:
    """Fuzz until libFuzzer's options end it."""
    name, script, *options = sys.argv[1:]
    with atheris.instrument_imports(include=_OURS):
        from fuzzing import oracle, targets

        target = targets.load(name)
        list(target.seeds())  # imports what is imported late
    mutate = getattr(target, "mutate", None)

    def once(data: bytes) -> None:
        target.run(data)
        oracle.check_log()

    with oracle.watched():
        custom = {"custom_mutator": _mutator(mutate)} if mutate else {}
        atheris.Setup([script, f"-max_len={target.MOST_BYTES}", *options], once, **custom)
        atheris.Fuzz()


def _mutator(mutate: Callable[[bytes, int, int], bytes | None]) -> Callable[[bytes, int, int], bytes]:
    """Return a mutator that asks the target's own three times of four."""

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        made = mutate(data, most, seed) if seed % 4 else None
        return atheris.Mutate(data, most) if made is None else made

    return mutated


if __name__ == "__main__":
    main()
