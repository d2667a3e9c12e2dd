"""The troubled dealer at an Angel Eye: each trouble comes once before one comes again, and he waits after each."""

import random

import pytest
from sabot_sim import stack
from sabot_sim.angel_eye.settings import Settings
from sabot_sim.angel_eye.shoe import AngelEyeShoe
from sabot_sim.angel_eye.table import AngelEyeTable
from sabot_sim.angel_eye.troubled_dealer import TROUBLES, TroubledAngelEyeDealer, possible

ERRORS = {"overdraw": 2, "unreadable": 1, "reverse_exit": 4}


def made(*troubles: str) -> AngelEyeTable:
    rng = random.Random(3)
    shoe = AngelEyeShoe(Settings(), rng)
    return AngelEyeTable(shoe, TroubledAngelEyeDealer(shoe, lambda: stack.shuffled(8, rng), rng, troubles=troubles))


def play(table: AngelEyeTable, now_s: float, seconds: float) -> float:
    """Let this time pass; return the time."""
    end_s = now_s + seconds
    while now_s < end_s:
        table.step(now_s)
        now_s = max(now_s, min(end_s, table.next_s()))
    return now_s


@pytest.mark.parametrize("name", TROUBLES)
def test_he_waits_after_each_until_he_is_released(name: str) -> None:
    table = made(name)
    dealer, shoe = table.dealer, table.shoe
    assert isinstance(dealer, TroubledAngelEyeDealer)
    dealer.begin(0.0)
    now_s = play(table, 0.0, 120.0)
    assert [trouble.name for trouble in dealer.happened] == [name]
    assert dealer.held
    assert 2 <= dealer.coups_seen <= 5
    assert shoe.error == ERRORS.get(name)
    assert not shoe.locked()  # the key is turned back
    assert len(shoe.truth.outside) == (1 if name in ("overdraw", "unreadable", "locked") else 0)
    assert shoe.ready()
    drawn = len(dealer.drawn)
    now_s = play(table, now_s, 60.0)
    assert len(dealer.drawn) == drawn
    shoe.clear(now_s, keep=False if name == "overdraw" else None)
    dealer.release()
    play(table, now_s, 60.0)
    assert len(dealer.drawn) > drawn


def test_every_trouble_comes_before_one_comes_again() -> None:
    table = made(*TROUBLES)
    dealer = table.dealer
    assert isinstance(dealer, TroubledAngelEyeDealer)
    dealer.begin(0.0)
    now_s, seen = 0.0, list[str]()
    while len(seen) < 2 * len(TROUBLES):
        now_s = play(table, now_s, 5.0)
        if dealer.happened:
            seen += [trouble.name for trouble in dealer.happened]
            dealer.happened.clear()
            now_s = play(table, now_s, 5.0)
            table.shoe.clear(now_s, keep=False if table.shoe.overdrawn else None)
            dealer.release()
    assert sorted(seen[: len(TROUBLES)]) == sorted(seen[len(TROUBLES) :]) == sorted(TROUBLES)


def test_a_book_without_a_rule_for_disputes_has_none() -> None:
    assert possible("star-baccarat") == tuple(TROUBLES)
    assert possible("nz-baccarat") == ("overdraw", "unreadable", "reverse_exit", "locked", "restart")
