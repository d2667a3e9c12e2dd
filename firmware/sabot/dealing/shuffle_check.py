"""Shuffle check: find patterns in the first cards of a shoe that a shuffle would not leave."""

from micropython import const

from sabot import wire

_RANKS = const(13)
RUN = const(5)  # cards of rising or falling rank; one less if they are of one suit
ONE_RANK = const(4)  # cards in a row of one rank
ONE_SUIT = const(6)  # cards in a row of one suit
REPEATED = const(3)  # cards in a row that come again in the same order


def pattern(cards, count):
    """Return the pattern that these cards end in, or 0."""
    if _runs(cards, count, 1) or _runs(cards, count, _RANKS - 1):
        return wire.PATTERN_RUNS
    if count >= ONE_RANK and _alike(cards, count, ONE_RANK, 1):
        return wire.PATTERN_ONE_RANK
    if count >= ONE_SUIT and _alike(cards, count, ONE_SUIT, 0):
        return wire.PATTERN_ONE_SUIT
    if count >= 2 * REPEATED and _again(cards, count):
        return wire.PATTERN_REPEATED
    return 0


def _runs(cards, count, step):
    if count >= RUN and _steps(cards, count, RUN, step):
        return True
    return count >= RUN - 1 and _steps(cards, count, RUN - 1, step) and _alike(cards, count, RUN - 1, 0)


def _steps(cards, count, least, step):
    for i in range(count - least, count - 1):
        if (cards[i + 1] - cards[i]) % _RANKS != step:
            return False
    return True


def _alike(cards, count, least, by_rank):
    last = cards[count - 1]
    for i in range(count - least, count - 1):
        if by_rank and cards[i] % _RANKS != last % _RANKS:
            return False
        if not by_rank and cards[i] // _RANKS != last // _RANKS:
            return False
    return True


def _again(cards, count):
    """Return True if the last cards came before in the same order."""
    for start in range(count - 2 * REPEATED + 1):
        same = 0
        for i in range(REPEATED):
            same += cards[start + i] == cards[count - REPEATED + i]
        if same == REPEATED:
            return True
    return False
