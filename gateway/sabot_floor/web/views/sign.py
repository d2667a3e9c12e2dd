"""The table sign: game, limits, wagers with odds, notices; what is announced, and when."""

import msgspec
from sabot_service.moment import Moment

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
    found: dict[str, SignWager] = {}
    for one in wagers:
        own, first = _other_hand(one.id, "banker", "player"), found.get(_other_hand(one.id, "banker", "player"))
        both = _both(first, one) if first is not None and own != one.id else None
        found[own if both else one.id] = both or one
    return list(found.values())


def _other_hand(text: str, own: str, other: str) -> str:
    """Return a text with the hands exchanged."""
    return other.join(part.replace(other, own) for part in text.split(own))


def _both(one: SignWager, other: SignWager) -> SignWager | None:
    if one.main or _limits(one) != _limits(other) or len(one.pays) != len(other.pays):
        return None
    for mine, its in zip(one.pays, other.pays, strict=True):
        if mine.odds != its.odds or _other_hand(mine.when, "Banker", "Player") != its.when:
            return None
    pays = tuple(Pays(_of_either(mine.when), mine.odds) for mine in one.pays)
    return msgspec.structs.replace(one, title=one.title.replace("Player", "Player, Banker", 1), pays=pays)


def _of_either(when: str) -> str:
    own, other = ("Player", "Banker") if when.find("Player") >= 0 else ("Banker", "Player")
    return capital(when.replace(own, "the hand").replace(other, "the other"))


def _limits(one: SignWager) -> tuple[str, str, str, bool, str]:
    return one.minimum, one.maximum, one.payout, one.restricted, one.note
