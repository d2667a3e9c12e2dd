"""The table sign: game, limits, wagers with odds, notices; what is announced, and when."""

import msgspec
from sabot_protocol.service.moment import Moment

from sabot_floor.signs.limits import without_side
from sabot_floor.signs.odds import Pays, capital
from sabot_floor.signs.sign import Sign, SignWager, sign
from sabot_floor.web.site_state import Link, SiteState


class SignView(msgspec.Struct, frozen=True):
    """A sign; `known` is False if neither the floor's config nor a gateway has the table."""

    link: Link
    known: bool
    sign: Sign


def view(site: SiteState, key: str, at: Moment) -> SignView:
    """Return the sign of a table; what is wrong with it is for staff."""
    table = site.tables.get(key)
    status = table.status if table is not None else None
    found = sign(site.signs.context(key, status, site.newest(key)), at.time)
    shown = msgspec.structs.replace(found, wagers=tuple(paired(found.wagers)), problems=())
    return SignView(site.link(key), status is not None or key in site.signs.limits, shown)


def paired(wagers: tuple[SignWager, ...]) -> list[SignWager]:
    """Return the wagers with those on either hand as one where they differ in nothing but the hand."""
    found: list[SignWager] = []
    for one in wagers:
        if found and (both := _both(found[-1], one)) is not None:
            found[-1] = both
        else:
            found.append(one)
    return found


def _both(one: SignWager, other: SignWager) -> SignWager | None:
    hands = one.id.endswith("_player") and other.id.endswith("_banker")
    if one.main or not hands or without_side(one.id) != without_side(other.id):
        return None
    for mine, its in zip(one.pays, other.pays, strict=False):
        if mine.odds != its.odds or mine.when.replace("Player", "Banker") != its.when:
            return None
    if _limits(one) != _limits(other) or len(one.pays) != len(other.pays):
        return None
    pays = tuple(Pays(capital(mine.when.replace("Player", "the hand")), mine.odds) for mine in one.pays)
    title = f"{one.title.replace('Player', 'Player, Banker', 1)}"
    return msgspec.structs.replace(one, id=without_side(one.id), title=title, pays=pays)


def _limits(one: SignWager) -> tuple[str, str, str, bool, str]:
    return one.minimum, one.maximum, one.payout, one.restricted, one.note
