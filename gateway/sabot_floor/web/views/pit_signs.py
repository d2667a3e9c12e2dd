"""Changes of a table's sign from the pit: what is on it now, and the buttons that the book allows; pure."""

from collections.abc import Iterator

import msgspec
from sabot_protocol import rulebooks
from sabot_protocol.rulebooks.sign import without_side
from sabot_service.moment import Moment

from sabot_floor.signs import rules
from sabot_floor.signs.odds import title
from sabot_floor.signs.rules import NoticeRule
from sabot_floor.signs.sign import SignClosure, SignLimits, sign
from sabot_floor.signs.state import TableSigns
from sabot_floor.web.site_state import SiteState
from sabot_floor.web.views import pit_prefill
from sabot_floor.web.views.pit_moves import Move

_ACTS = {
    "minimum": "raise_minimum",
    "one-minimum": "alter_limits",
    "close": "close_table",
    "game": "change_game",
    "personal": "personal_limits",
    "restrict": "restrict_side_wagers",
}
_CANCELS = {"minimum": "alter_limits", "closure": "close_table", "game": "change_game"}
_WITH_NOTICE = ("raise_minimum", "close_table", "change_game")

Choices = list[tuple[str, str]]  # id and title


class SignMove(Move, frozen=True, kw_only=True, omit_defaults=True):
    """One button; `verb` is the change. The clause is the book's, and one person is enough."""

    sign: bool = False  # true in each of these: what is left at its default is not sent
    choices: dict[str, Choices] = msgspec.field(default_factory=dict)  # of a field
    notice_min: int = 0  # how long the sign is displayed before
    notice_coups: int = 0
    notice_clause: str = ""


class PitSign(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is on the sign of a table, and what may be changed."""

    currency: str = ""
    limits: SignLimits | None = None
    old: SignLimits | None = None
    coming: SignLimits | None = None
    closure: SignClosure | None = None
    next_game: str = ""
    next_game_at: str = ""
    personal: tuple[SignLimits, ...] = ()
    restricted: Choices = []
    moves: list[SignMove] = []


def of_table(site: SiteState, table: str, book: str, at: Moment) -> PitSign:
    """Return the sign of a table whose rulebook is known."""
    known = site.tables.get(table)
    context = site.signs.context(table, known.status if known else None, site.newest(table))
    shown, signs = sign(context, at.time), context.signs.at(at.time)
    wagers = dict(_wagers(book))
    restricted = [(name, wagers.get(name, name)) for name, on in sorted(signs.restricted.items()) if on]
    return PitSign(
        currency=shown.currency,
        limits=shown.limits,
        old=shown.old,
        coming=shown.coming,
        closure=shown.closure,
        next_game=shown.next_game,
        next_game_at=shown.next_game_at,
        personal=shown.personal,
        restricted=restricted,
        moves=[move for move in _moves(book, signs, restricted) if move.may],
    )


def _moves(book: str, signs: TableSigns, restricted: Choices) -> Iterator[SignMove]:
    if signs.limits is not None:
        at_once = () if pit_prefill.for_act(book, "raise_minimum", {"notice_given": False}).never else ("keep_old",)
        ask = ("minimum", "maximum_as_is", "sign_at", *at_once)
        yield _move(book, "minimum", "minimum", ask, rule=rules.to_raise(book))
    if signs.old is not None:
        yield _move(book, "one_minimum", "one-minimum")
    if signs.closure is None:
        closing = rules.to_close(book)
        yield _move(book, "close", "close", () if closing.coups else ("sign_at",), rule=closing)
    if len(games := _games(book)) > 1:
        ask, choices = ("game", "sign_at", "players_agree"), {"game": games}
        yield _move(book, "game", "game", ask, choices=choices, rule=rules.to_change_game(book))
    yield _move(book, "personal", "personal", ("place", "minimum", "maximum"))
    if signs.personal:
        places = [(place, place) for place in sorted(signs.personal)]
        yield _move(book, "personal_end", "personal", ("place",), {"end": True}, {"place": places})
    yield _move(book, "restrict", "restrict", ("wager", "notified"), choices={"wager": _wagers(book)})
    if restricted:
        yield _move(book, "restrict_end", "restrict", ("wager",), {"end": True}, {"wager": restricted})
    announced = {"minimum": signs.coming, "closure": signs.closure, "game": signs.game}
    for what in (name for name, one in announced.items() if one is not None):
        yield _move(book, f"cancel_{what}", "cancel", args={"what": what})


def _move(
    book: str,
    do: str,
    change: str,
    ask: tuple[str, ...] = (),
    args: dict[str, object] | None = None,
    choices: dict[str, Choices] | None = None,
    rule: NoticeRule | None = None,
) -> SignMove:
    given, rule = args or {}, rule or NoticeRule()
    act = _CANCELS[str(given["what"])] if change == "cancel" else _ACTS[change]
    found = pit_prefill.for_act(book, act, {"notice_given": True} if act in _WITH_NOTICE else {})
    return SignMove(
        sign=True,
        do=f"sign_{do}",
        verb=change,
        args=given,
        ask=ask,
        clause=found.clause,
        role=found.role,
        may=found.may,
        choices=choices or {},
        notice_min=rule.seconds // 60,
        notice_coups=rule.coups,
        notice_clause=rule.clause,
    )


def _games(book: str) -> Choices:
    """Return the games that a table may change to; those of tournaments are left out."""
    return [(name, one.title) for name, one in rulebooks.load(book).game.items() if not one.tournament_clause]


def _wagers(book: str) -> Choices:
    """Return the side wagers of a book; those on either hand are one."""
    known = rulebooks.load(book)
    found: dict[str, str] = {}
    for game in known.game:
        for wager in known.wagers(game):
            if wager.id not in ("player", "banker", "tie"):
                name = without_side(wager.id)
                found.setdefault(name, title(known, name).strip().removesuffix(" on"))
    return sorted(found.items(), key=lambda one: one[1])
