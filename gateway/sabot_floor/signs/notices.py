"""Notices: what the book demands on the sign beside limits and odds; each with its rows of the requirements."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from sabot_protocol.rulebooks.model import Price, Rulebook, Wager
from sabot_protocol.topics import TableSetup

from sabot_floor.signs.amounts import written
from sabot_floor.signs.limits import TableLimits
from sabot_floor.signs.odds import title, words


class Notice(msgspec.Struct, frozen=True):
    """A sentence of the sign, and the clause that demands it; `names` are wagers, or a game, that stand in it."""

    say: str
    clause: str = ""
    names: tuple[str, ...] = ()


class _Offer(NamedTuple):
    """What notices are made of."""

    book: Rulebook
    setup: TableSetup
    limits: TableLimits
    wagers: tuple[str, ...]


def notices(book: Rulebook, setup: TableSetup, limits: TableLimits, wagers: tuple[str, ...]) -> list[Notice]:
    """Return the notices of a table that offers these wagers, in the order of the requirements."""
    offer = _Offer(book, setup, limits, wagers)
    return [
        *_amount_notices(offer),
        *_restrictions(offer),
        *_game_notices(offer),
        *_option_notices(offer),
        *_insurance(offer),
        *([Notice(limits.notice)] if limits.notice else []),
    ]


def _money(offer: _Offer, key: str) -> str:
    return written(offer.limits.amount(key) or 0, offer.limits.currency)


def _amount_notices(offer: _Offer) -> Iterator[Notice]:
    """Yield unit and multiples (D-26, D-29) and the Ante (D-50)."""
    limits = offer.limits
    if limits.unit:
        yield Notice(f"Above the minimum, wagers are made in units of {_money(offer, 'unit')}.")
    if limits.multiple_of:
        yield Notice(f"Wagers are made in multiples of {_money(offer, 'multiple_of')}.")
    if limits.ante and offer.book.money.ante:
        waived = f" It is waived for a wager of {_money(offer, 'ante_waived_from')} or more."
        yield Notice(
            f"Ante Up Baccarat: the Ante is {_money(offer, 'ante')}.{waived if limits.ante_waived_from else ''}",
            "14.3, 14.4" if limits.ante_waived_from else "14.3",
        )


def _restrictions(offer: _Offer) -> Iterator[Notice]:
    """Yield which wagers only players with a main wager may place (D-36)."""
    rules = offer.book.authority.act["restrict_side_wagers"]
    names = _titles(offer, [wager for wager in offer.wagers if offer.limits.is_restricted(wager)])
    if names:
        listed = ", ".join(names)
        say = f"Only players who also wager on Player, Banker or Tie may wager on: {listed}."
        yield Notice(say, rules.clause, names)


def _titles(offer: _Offer, wagers: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(title(offer.book, wager) for wager in wagers))


def _game_notices(offer: _Offer) -> Iterator[Notice]:
    """Yield the book's own sentences: Even Money (D-37), the games offered (D-45), Banker six (D-44), Tiger (D-45)."""
    game, style = offer.setup.game, offer.setup.shoe.get("style", "")
    title_of_game = offer.book.game[game].title
    for sentence in offer.book.sign.sentence:
        if sentence.fits(game, style, offer.wagers):
            names = (title_of_game,) if "{game}" in sentence.say else ()
            yield Notice(sentence.say.replace("{game}", title_of_game), sentence.clause, names)


def _option_notices(offer: _Offer) -> Iterator[Notice]:
    """Yield the options that price a wager of this table (D-38, D-39, D-46, D-47, D-51)."""
    book, chosen = offer.book, offer.setup.options
    known = {wager.id: wager for wager in book.wagers(offer.setup.game)}
    prices = [price for name in offer.wagers if name in known for price in _prices(known[name])]
    used = {name for price in prices for name in (*price.odds_by, price.percent_of or "")}
    for name, text in words()["option"].items():
        option = book.option.get(name)
        if option is None or name not in used:
            continue
        value = chosen.get(name, option.values[0])
        numbers = words()["numbers"] if "Pay Scale" in text else {}
        yield Notice(text.format(value=numbers.get(value, value)), option.clause)


def _prices(wager: Wager) -> list[Price]:
    return [*wager.win.values(), *wager.push.values()]


def _insurance(offer: _Offer) -> Iterator[Notice]:
    """Yield which insurance wagers there are, and whether their pay-out is limited (D-48)."""
    rules = offer.book.sign.insurance
    found = [wager for wager in offer.wagers if wager.startswith("insurance")]
    if rules is None or not found:
        return
    names = _titles(offer, found)
    yield Notice(f"Insurance Wagers offered: {', '.join(names)}.", rules.offered, names)
    if offer.limits.insurance_capped:
        yield Notice("An Insurance Wager pays at most the corresponding initial wager.", rules.capped)
