"""Every cell of both tables, and whole shoes of every rulebook: cards in, MQTT out."""

import random
from itertools import cycle

import pytest
from sabot_protocol import rulebooks
from sabot_sim.stack import CUT, shuffled
from support.oracle import COMPARED, GOLDEN, coup, golden_shoes
from support.site_watcher import WatchSite


def test_every_golden_coup_over_the_wire(watch_site: WatchSite) -> None:
    shoes = golden_shoes()
    stacks = cycle(shoes)
    watcher = watch_site(deck=lambda rng: list(next(stacks)))
    watcher.run_until(lambda watcher: len(watcher.messages("coup")) >= len(GOLDEN))
    coups = watcher.messages("coup")[: len(GOLDEN)]
    for got, golden in zip(coups, GOLDEN, strict=True):
        assert {key: got[key] for key in COMPARED} == {key: golden[key] for key in COMPARED}, golden["state"]
        assert got["status"] == "verified"
    assert sum(message["last_coup"] for message in coups) == len(shoes) > 1
    assert {alarm["name"] for alarm in watcher.messages("alarm")} <= {"ordered_set"}  # golden coups are not shuffled


@pytest.mark.parametrize("rulebook", rulebooks.ids())
def test_a_whole_shuffled_shoe(watch_site: WatchSite, rulebook: str) -> None:
    watcher = watch_site(rulebook=rulebook, seed=7, card_set=3)
    watcher.run_until(lambda watcher: any(message["state"] == "closed" for message in watcher.messages("shoe")))
    watcher.run_until(lambda watcher: bool(watcher.messages("coup")[-1]["last_coup"]))
    coups = [message for message in watcher.messages("coup") if message["shoe"] == 1]
    cards = [message for message in watcher.messages("cards") if message["shoe"] == 1]
    assert [message["coup"] for message in coups] == list(range(1, len(coups) + 1))
    assert len(coups) > 60
    stock = [message["card"] for message in cards]
    assert cards[0]["slot"] == "burn"
    assert stock == first_shoe(seed=7)[: len(stock)]
    stock.pop(0)
    for message in coups:
        assert {key: message[key] for key in COMPARED} == coup(stock)
    assert stock == []
    assert [message["last_coup"] for message in coups] == [False] * (len(coups) - 1) + [True]
    assert [
        alarm for alarm in watcher.messages("alarm") if alarm["shoe_says"] != "noise"
    ] == []  # a spike stops nothing
    watcher.run_until(lambda watcher: len(watcher.messages("health")) >= 4)
    assert [message["sensor"] for message in watcher.messages("health")[:4]] == ["entry", "a", "b", "exit"]
    for message in watcher.messages("health")[:4]:
        assert (message["shoe"], message["reads"], message["rejects"]) == (1, len(cards), 0)
        assert 100 < message["speed_least_mm_s"] < message["speed_most_mm_s"] < 2100
        assert message["margin_mean"] > 0.6


def first_shoe(seed: int) -> list[str]:
    """The cards that the seed puts into the first shoe, without the cutting card."""
    return [card for card in shuffled(8, random.Random(f"{seed}-bac-01")) if card != CUT]


@pytest.mark.parametrize(("rulebook", "coups"), [("star-baccarat", 3), ("crown-baccarat", 4)])
def test_cutting_card_first_ends_the_shoe_by_the_house_rule(watch_site: WatchSite, rulebook: str, coups: int) -> None:
    natural = ["9S", "2H", "KD", "3C"]
    watcher = watch_site(
        rulebook=rulebook, deck=lambda rng: ["5H", *natural, *natural, CUT, *natural, *natural, *natural]
    )
    watcher.run_until(lambda watcher: any(message["state"] == "closed" for message in watcher.messages("shoe")))
    assert len([message for message in watcher.messages("coup") if message["shoe"] == 1]) == coups


def test_four_tables_at_once(watch_site: WatchSite) -> None:
    watcher = watch_site(tables=4)
    tables = watcher.site.plan.table_names()
    watcher.run_until(lambda watcher: all(len(watcher.messages("coup", table)) >= 20 for table in tables))
    units = {watcher.messages("coup", table)[0]["unit"] for table in tables}
    assert len(units) == 4
    for table in tables:
        assert [message["coup"] for message in watcher.messages("coup", table)[:20]] == list(range(1, 21))
        assert watcher.messages("alarm", table) == []
