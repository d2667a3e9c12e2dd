"""What a gateway must have of a line: reckoned from what the player sent, when a client came and when it was killed."""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from sabot_tools.bench.angel_lines import Dealt, Line
from sabot_tools.bench.angel_player import Join, Played

# What came less than this before a kill may be lost with it: bytes wait for the loop's turn, and then for the commit.
# A machine that is too slow for its tables needs longer.
COMMITTED_WITHIN_S: Final = 2.0
_LETTER: Final = 2  # byte of a frame
_TO_FIRST_BURN: Final = 2  # messages from the start to the first card to burn


@dataclass(frozen=True)
class Connection:
    """One client of a line; positions are bytes of the line."""

    offset: int  # sent before it came
    safe: int  # what was sent up to here must be in the ledger
    most: int  # what was sent up to here can be

    def order(self, line: Line) -> list[int]:
        """Return the numbers of the messages in the order in which their first good copies came."""
        ends = list[tuple[int, int]]()
        first = max(bisect_right(line.starts, self.offset) - 4, 0)  # copies of messages that began before
        for number in range(first, len(line.messages)):
            if line.starts[number] >= self.most:
                break
            come = [end for start, end in line.messages[number].good if start >= self.offset and end <= self.most]
            ends += [(come[0], number)] if come else []
        return [number for _, number in sorted(ends)]

    def brought(self, line: Line, number: int) -> bool:
        """Return True if two copies of a message came in good time."""
        good = [end for start, end in line.messages[number].good if start >= self.offset and end <= self.safe]
        return len(good) > 1


def connections(played: Played, number: int, kills_s: Sequence[float], within_s: float) -> list[Connection]:
    """Return the clients of a line, each up to its kill, or to the end of the play."""
    times, offsets = played.writes(number)

    def sent_by(at_s: float) -> int:
        place = bisect_right(times, at_s)
        return offsets[place - 1] if place else 0

    found = []
    for join in joins(played, number):
        until_s = min((at_s for at_s in kills_s if at_s > join.at_s), default=None)
        if until_s is None:
            found.append(Connection(join.offset, offsets[-1], offsets[-1]))
        else:
            most = offsets[min(bisect_right(times, until_s), len(offsets) - 1)]  # and a write at that very moment
            found.append(Connection(join.offset, sent_by(until_s - within_s), most))
    return found


def joins(played: Played, number: int) -> list[Join]:
    """Return the clients that came to a line, in order."""
    return [join for join in played.joins if join.line == number]


def whole(line: Line, numbers: Sequence[int]) -> list[Dealt]:
    """Return the coups of which every message is here, in the shoe's order; a late copy of stand-by changes nothing."""
    place = {number: at for at, number in enumerate(numbers)}
    found = []
    for coup in line.coups:
        here = numbers[place[coup.first] : place[coup.last] + 1] if {coup.first, coup.last} <= place.keys() else ()
        if [number for number in here if number >= coup.first] == [*range(coup.first, coup.last + 1)]:
            found.append(coup)
    return found


def misses_a_change(line: Line, stored: Collection[int]) -> bool:
    """Return True if the cards were changed and a gateway with these messages cannot know it.

    It knows by the first card to burn, or by the start after a cutting card.
    """
    upto, cut = max(stored, default=0), False
    for number, message in enumerate(line.messages[: upto + 1]):
        letter = message.frame[_LETTER : _LETTER + 1]
        cut = (cut or letter == b"C") and (letter != b"C" or number in stored)
        if letter == b"S" and number and not (cut and number in stored) and number + _TO_FIRST_BURN not in stored:
            return True
        cut = cut and letter != b"S"
    return False
