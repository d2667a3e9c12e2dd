"""Play of an Angel Eye as a line of words: what the shoe sends in, what a tracker makes of it out.

P1:8S B2:KD     card of a hand              F:4H N:4 U1:9C   first burn card, burn count, burn card
R.P1:8S         card sent again             X1:8S            card for a target that is not defined
G:player+pb     result, with its pairs      G:end G:?        forced end, undefined result
E:2 E:2- e:2    error, error that does not stand, error cancelled
d:error2:5H     card outside the game       L:1 L:0          locked, unlocked by the key
S P C M Z       one letter; Z is a type that is not known
connect         the line was opened         =                a late copy of the message before
lock/ack        outcome of a command
"""

from collections.abc import Iterator
from itertools import cycle
from typing import Any

from sabot_gateway.angel_eye.coup import TrackedCoup
from sabot_gateway.angel_eye.steps import CoupClosed, Step
from sabot_gateway.angel_eye.tracker import Tracker
from sabot_protocol.angel_eye import build
from sabot_protocol.angel_eye.messages import Message, fact, stored

_TARGETS: dict[str, str | int] = {"P": "player", "B": "banker", "U": "burn", "X": 3}
_RESULTS: dict[str, str | int] = {"end": "forced_end", "?": 3}
_SEQUENCE = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _frame(seq: str, word: str) -> bytes:
    head, _, rest = word.partition(":")
    if word.startswith("R."):
        return _card(seq, word[2:], "R")
    if head in ("F", "N") or (head[0] in _TARGETS and ":" in word):
        return _card(seq, word, "D")
    if head == "G":
        winner, _, pairs = rest.partition("+")
        named = _RESULTS.get(winner, winner)
        return build.result(seq, named, player_pair="p" in pairs, banker_pair="b" in pairs)
    if head == "E":
        return build.error(seq, int(rest.rstrip("-")), in_error_mode=not rest.endswith("-"))
    if head == "e":
        return build.error_cancelled(seq, int(rest))
    if head == "L":
        return build.lock(seq, locked=rest == "1")
    if head == "d":
        mode, _, card = rest.partition(":")
        return build.card_outside(seq, mode[:-1], int(mode[-1]), card or None)
    return build.preset(seq, "01", "0010") if head == "M" else build.frame(seq, head)


def _card(seq: str, word: str, letter: str) -> bytes:
    place, _, card = word.partition(":")
    if place == "F":
        return build.card(seq, "burn_first", 0, card or None, letter)
    if place == "N":
        return build.card(seq, "burn_count", int(card), None, letter)
    return build.card(seq, _TARGETS[place[0]], int(place[1]), card or None, letter)


def messages(script: str) -> Iterator[Message]:
    """Return the messages of a script."""
    sequence, last = cycle(_SEQUENCE), None
    for word in script.split():
        if word == "=":
            assert last is not None
        elif word == "connect":
            last = fact("connect")
        elif "/" in word:
            command, outcome = word.split("/")
            last = fact("command", id=1, command=command, data={}, outcome=outcome)
        else:
            last = stored(_frame(next(sequence), word))
        yield last


def steps(script: str, tracker: Tracker | None = None) -> list[Step]:
    """Return the steps of a script."""
    tracker = tracker or Tracker()
    return [step for message in messages(script) for step in tracker.take(message)]


def coups(script: str, tracker: Tracker | None = None) -> list[str]:
    """Return the coups of a script in short, the open one too: shoe, hands, result, status, flags."""
    tracker = tracker or Tracker()
    closed = [step.coup for step in steps(script, tracker) if isinstance(step, CoupClosed)]
    still_open = tracker.open_coup()
    found = closed + ([still_open] if still_open else [])
    assert [coup.n for coup in found] == list(range(1, len(found) + 1))
    return [short(coup) for coup in found]


def final(script: str) -> dict[str, Any]:
    """Return the final state of a script."""
    tracker = Tracker()
    steps(script, tracker)
    return tracker.final()


def short(coup: TrackedCoup) -> str:
    """Return a coup as one line."""
    hands = " / ".join(" ".join(card or "--" for card in hand) for hand in (coup.player, coup.banker))
    pairs = "+" + "p" * coup.player_pair + "b" * coup.banker_pair
    return " ".join(
        filter(None, [f"{coup.shoe}:", hands, f"{coup.result}{pairs.rstrip('+')}", coup.status, ",".join(coup.flags)])
    )
