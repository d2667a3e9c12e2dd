"""Rules of change: how long a book wants a sign displayed before a change begins (D-30, D-40, D-41)."""

from typing import Final, NamedTuple

from sabot_protocol import rulebooks
from sabot_protocol.rulebooks.sign import Change

NOTICE_S: Final = 20 * 60
_MINUTE_S: Final = 60


class NoticeRule(NamedTuple):
    """What must pass before a change: a time, or a number of coups; nothing where the book is silent."""

    seconds: int = 0
    coups: int = 0
    clause: str = ""


def _rule(book: str, change: Change) -> NoticeRule:
    notice = rulebooks.load(book).sign.notice.get(change) if book in rulebooks.ids() else None
    return NoticeRule(notice.minutes * _MINUTE_S, notice.coups, notice.clause) if notice else NoticeRule()


def to_raise(book: str) -> NoticeRule:
    """Return the notice before a higher minimum."""
    return _rule(book, "minimum")


def to_change_game(book: str) -> NoticeRule:
    """Return the notice before another game, unless all players agree."""
    return _rule(book, "game")


def to_close(book: str) -> NoticeRule:
    """Return the notice before a table with players is closed."""
    return _rule(book, "closure")
