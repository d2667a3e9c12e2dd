"""Commands of the gateway as steps for firmware/bench/play.py, with data drawn by chance."""

import random
from collections.abc import Callable
from typing import Any

from sabot_protocol.fields import Case, CoupKind
from sabot_protocol.messages import CommandKind

Step = tuple[Any, ...]

COMMANDS = CommandKind.encmapping
_NO_CARD = 0xFF
_ENDS = ("open_shoe", "close_shoe")  # commands that end a shoe, and are given less often
_FREQUENT = ("irregularity", "irregularity", "burn_card", "import_coup", "export_coup")


def command(name: str, *data: int) -> Step:
    """Return the step that gives this command."""
    return "command", COMMANDS[name], bytes(data).hex()


def report(case: str, facts: int) -> Step:
    """Return the step that reports an irregularity; bits of `facts` are its facts."""
    return command("irregularity", Case.encmapping[case], facts & 0xFF, facts >> 8)


def random_name(rng: random.Random) -> str:
    """Return the name of any command, whether it fits now or not."""
    name = rng.choice([*COMMANDS, *_FREQUENT])
    return "authorise" if name in _ENDS and rng.random() < 0.8 else name


def random_data(rng: random.Random, name: str, profile: dict[str, Any], fault: int) -> list[int]:
    """Return data for this command, plausible or not; `fault` is the shoe's."""
    unwagered = CoupKind.encmapping[profile["unwagered"]]
    made: dict[str, Callable[[], list[int]]] = {
        "clear_fault": lambda: [rng.choice((fault, rng.randint(0, 9)))],
        "void_coup": lambda: [rng.randint(1, 7), rng.choice((1, 1, 1, 1, 2))],
        "no_bet": lambda: [rng.choice((1, unwagered, rng.randint(1, 5)))],
        "key_card": lambda: [rng.randrange(52), rng.choice((0, 2, 4, 6))],
        "authorise": lambda: [rng.choice((1, 1, 2, 255, 0))],
        "irregularity": lambda: [rng.randint(1, len(Case.encmapping)), rng.randrange(256), rng.randrange(2)],
        "import_coup": lambda: [7, 0, rng.choice((1, unwagered)), *_hand(rng), 8, 80, 0, rng.randint(0, 2), 0],
        "deck_check": lambda: [rng.choice((0, 1, 1)), 1],
        "set_time": lambda: [1, 2, 3, 4, 5, 0],
    }
    return made[name]() if name in made else []


def _hand(rng: random.Random) -> list[int]:
    """Return the cards of a coup from another shoe, by position."""
    count = rng.randint(0, 5)
    return [rng.randrange(52) if position < count else _NO_CARD for position in range(6)]
