"""In play: the shoe on a table is the one of its gateway's last entry, whatever the clock of its PC did."""

import pytest
from projection_rows import GATEWAY, attempt, card, confirmed, coup, shoe, time
from sabot_floor.projection.gateway_log import GatewayLog
from sabot_floor.projection.gateways import Bound, Named
from sabot_floor.projection.reading import Reading
from sabot_floor.projection.writing import insert
from sabot_floor.store import Store
from sabot_floor.store.rows import Row
from sabot_protocol import rulebooks

BOOK = rulebooks.load("crown-baccarat").digest().hex()  # deals face down
CLOSED, OPEN = shoe(10, "closed", rulebook=BOOK), shoe(11, "open", shoe=2, rulebook=BOOK)


def holding(store: Store, *rows: Row) -> Reading:
    with store.writing("projection"):
        insert(store, rows)
    return Reading(store)


@pytest.mark.parametrize("opened", [time(10), time(11), time(3)])  # with the next shoe, after it, by a clock set back
def test_the_cards_of_the_next_shoe_are_hidden(store: Store, opened: str) -> None:
    dealt = coup(12, shoe=2, coup=1, rulebook=BOOK, winner="player", player_points=8)
    found = holding(store, shoe(1, "open", rulebook=BOOK), CLOSED, OPEN._replace(time=opened), dealt)
    (now,) = found.shoe("t1", "u1", 2).coups
    assert (now.player, now.banker, now.winner, now.player_points) == ("", "", "", 0)


def test_they_are_shown_once_the_result_is_confirmed(store: Store) -> None:
    dealt = coup(12, shoe=2, coup=1, rulebook=BOOK)
    found = holding(store, CLOSED, OPEN._replace(time=time(10)), dealt, confirmed(13, dealt.id, shoe=2, coup=1))
    assert found.shoe("t1", "u1", 2).coups[0].player == dealt.player


@pytest.mark.parametrize("next_coup", [False, True])
def test_a_coup_that_a_person_voids_is_hidden_until_the_next_as_any_other(store: Store, next_coup: bool) -> None:
    """Its correction is the gateway's own message, with the gateway's id as its unit."""
    dealt = coup(12, shoe=2, coup=1, rulebook=BOOK, status="disputed")
    void = coup(13, id="g-1", corrects=dealt.id, unit=GATEWAY, shoe=2, coup=1, rulebook=BOOK, kind="void", winner="")
    rows = (dealt, void, coup(15, shoe=2, coup=2, rulebook=BOOK)) if next_coup else (dealt, void)
    found = holding(store, CLOSED, OPEN._replace(time=time(10)), *rows)
    cards = [one.player for one in found.coups(time(0), time(99)) if one.coup == 1]
    assert cards == [dealt.player if next_coup else ""] * 2


@pytest.mark.parametrize("entry", [12, 14])
def test_a_card_that_was_keyed_in_is_hidden_in_the_coup_in_play_alone(store: Store, entry: int) -> None:
    """The clock is set back an hour after the coup before: the request has an earlier time than that one."""
    before = coup(13, shoe=2, coup=1, rulebook=BOOK, time=time(63))
    keyed = attempt(entry, verb="key-card", args='{"card":"8H"}', time=time(14))
    rows = (OPEN, before, confirmed(13, before.id, shoe=2, coup=1, time=time(63)), keyed)
    (shown,) = holding(store, *rows).decisions(time(0), time(99), "t1")
    assert (shown.attempt.args == "{}") is (entry == 14)


@pytest.mark.parametrize("message", ["confirmed", "coup"])
def test_a_confirmation_at_another_table_shows_none_of_its_cards(store: Store, message: str) -> None:
    """A neighbour, or a copy of the shoe, has messages of the same ids."""
    dealt = coup(12, shoe=2, coup=1, rulebook=BOOK)
    other: list[Row] = [confirmed(13, dealt.id, shoe=2, coup=1, table="t2", gateway="0000")]
    if message == "coup":
        corrected = coup(14, id="n-1", corrects=dealt.id, shoe=2, coup=1, table="t2", gateway="0000")
        other = [corrected, confirmed(15, "n-1", shoe=2, coup=1, table="t2", gateway="0000")]
    found = holding(store, CLOSED, OPEN._replace(time=time(10)), dealt, *other)
    assert found.shoe("t1", "u1", 2).coups[0].player == ""


@pytest.mark.parametrize("tables", [["t1"], []], ids=["a new ledger", "the table has moved"])
def test_the_last_shoe_of_a_gateway_before_hides_nothing_less(store: Store, tables: list[str]) -> None:
    """Its clock was a day ahead: its shoe seems to be closed after the one that is on the table."""
    before = [shoe(10, "closed", rulebook=BOOK, gateway="0000", time=time(10).replace("03-01", "03-02"))]
    log, name = GatewayLog(store), "pit-1" if tables else "pit-2"
    named = Named(time=time(0), name=name, gateway="0000", tables=["t1"])
    log.append(lambda state: [named, Bound(time=time(0), table="t1", gateway="0000", how="named")])
    log.append(lambda state: [Named(time=time(1), name=name, gateway="0000", tables=tables)])
    log.append(lambda state: [Named(time=time(1), name="pit-1", gateway=GATEWAY, tables=["t1"])])
    log.append(lambda state: [Bound(time=time(1), table="t1", gateway=GATEWAY, how="named")])
    dealt = coup(12, shoe=2, coup=1, rulebook=BOOK)
    found = holding(store, *before, OPEN, dealt)
    assert found.shoe("t1", "u1", 2).coups[0].player == ""


# A table that came from another gateway

AHEAD = "2027-03-01T00:00:00.000Z"  # by the clock of the gateway that had the table before
OTHER = "fedcba9876543210"


def moved(store: Store, *rows: Row, tables: list[str], name: str) -> Reading:
    """Return the store after the table has gone to another gateway; `tables`: what the one before names since."""
    log, bound = (
        GatewayLog(store),
        [Bound(time=AHEAD, table="t1", gateway=one, how="named") for one in (OTHER, GATEWAY)],
    )
    log.append(lambda _: [_named(OTHER, "pit-0", ["t1"]), bound[0]])
    log.append(lambda _: [_named(OTHER, "pit-0", tables), _named(GATEWAY, name, ["t1"]), bound[1]])
    return holding(store, *rows)


def _named(gateway: str, name: str, tables: list[str]) -> Named:
    return Named(time=AHEAD, name=name, gateway=gateway, tables=tables)


@pytest.mark.parametrize("state", ["closed", "open"])
def test_the_cards_are_hidden_though_the_gateway_before_had_a_clock_far_ahead(store: Store, state: str) -> None:
    left = shoe(90, state, shoe=7, unit="u0", gateway=OTHER, time=AHEAD, rulebook=BOOK)
    dealt, seen = coup(12, shoe=2, coup=1, rulebook=BOOK, winner="player"), card(13, shoe=2, coup=1)
    found = moved(store, left, OPEN, dealt, seen, tables=[], name="pit-1").shoe("t1", "u1", 2)
    assert (found.coups[0].player, found.coups[0].winner, found.cards[0].card) == ("", "", "")


@pytest.mark.parametrize(("tables", "name"), [([], "pit-1"), (["t1"], "pit-0")])  # it went, or its ledger was replaced
def test_the_last_coup_of_a_gateway_that_has_gone_is_shown(store: Store, tables: list[str], name: str) -> None:
    """Nobody can confirm it any more, and the table plays on; a later shoe of the same number is another unit's."""
    left: list[Row] = [
        shoe(80, "open", unit="u0", gateway=OTHER, rulebook=BOOK),
        coup(90, unit="u0", gateway=OTHER, coup=5),
    ]
    new: list[Row] = [shoe(11, "open", rulebook=BOOK), coup(12, coup=1, rulebook=BOOK)]
    found = moved(store, *left, *new, tables=tables, name=name)
    assert found.shoe("t1", "u0", 1).coups[0].player == "8HTD"
    assert found.shoe("t1", "u1", 1).coups[0].player == ""
