"""Rules of change: how long a book wants a sign displayed before a change begins (D-30, D-40, D-41)."""

from typing import Final, NamedTuple

NOTICE_S: Final = 20 * 60


class NoticeRule(NamedTuple):
    """What must pass before a change: a time, or a number of coups; nothing where the book is silent."""

    seconds: int = 0
    coups: int = 0
    clause: str = ""


_NONE = NoticeRule()
_RAISE = {
    "star-baccarat": NoticeRule(NOTICE_S, 0, "6.7"),
    "star-premium": NoticeRule(NOTICE_S, 0, "6.6"),
    "crown-baccarat": NoticeRule(NOTICE_S, 0, "6.7, s.66(2)"),
}
_GAME = {
    "star-baccarat": NoticeRule(NOTICE_S, 0, "14.9"),
    "star-premium": NoticeRule(NOTICE_S, 0, "15.8"),
}
_CLOSURE = {
    "star-baccarat": NoticeRule(NOTICE_S, 0, "14.10"),
    "star-premium": NoticeRule(NOTICE_S, 0, "15.9"),
    "star-rapid": NoticeRule(NOTICE_S, 0, "12.8"),
    "crown-baccarat": NoticeRule(0, 3, "15.8"),
}


def to_raise(book: str) -> NoticeRule:
    """Return the notice before a higher minimum."""
    return _RAISE.get(book, _NONE)


def to_change_game(book: str) -> NoticeRule:
    """Return the notice before another game, unless all players agree."""
    return _GAME.get(book, _NONE)


def to_close(book: str) -> NoticeRule:
    """Return the notice before a table with players is closed."""
    return _CLOSURE.get(book, _NONE)
