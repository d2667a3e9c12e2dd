"""The demo's tables while people do anything there at any moment: no act ends them, and they deal on after it."""

import os
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from sabot_service.client import ask
from sabot_service.messages import Answer, Request
from sabot_sim import stack
from sabot_sim.world.books import BOOKS, rule
from support.patience import PATIENCE_S
from support.site_watcher import SiteWatcher, WatchSite

BY = "A. Smith"
TABLE = "bac-01"
EVERY_BOOK = "SABOT_EVERY_BOOK" in os.environ  # `make demo-acts`; else one without troubles and one with them, in short
CASES = [one for one in enumerate(BOOKS) if EVERY_BOOK or one[0] in (1, 2)]
ACTS = 20 if EVERY_BOOK else 8
RANKS, SUITS = "A23456789TJQK", "CDHS"


class Acts:
    """Random acts at a table, one at a time while the site goes on."""

    def __init__(self, watcher: SiteWatcher, seed: int) -> None:
        self._watcher, self._rng, self._one = watcher, random.Random(seed), ThreadPoolExecutor(1)
        self.answers: list[Answer] = []

    def close(self) -> None:
        self._one.shutdown()

    def __call__(self, verb: str, clause: str = "", **args: Any) -> Answer:
        """Have it done."""
        site = self._watcher.site
        request = Request(verb, TABLE, BY, clause=clause, args=args)
        asked: Future[Answer] = self._one.submit(ask, site.gateway_socket, request)
        self._watcher.run_until(lambda _: asked.done())
        self.answers.append(asked.result())
        return self.answers[-1]

    def void(self, **args: Any) -> Answer:
        """Void the coup on the table."""
        return self("void", rule("ordered_void", self._watcher.site.plan.rulebook).clause, **args)

    def any(self) -> None:
        """Do something, whether it fits or not."""
        rng, state = self._rng, self._watcher.newest(f"{TABLE}/status")
        card = rng.choice(RANKS) + rng.choice(SUITS)
        made: list[Callable[[], Answer]] = [
            self.void,
            lambda: self.void(then="new_cards"),
            lambda: self("this-no-bet", rule("ordered_void", self._watcher.site.plan.rulebook).clause),
            lambda: self("no-bet"),
            lambda: self("authorise", times=1),
            lambda: self("key-card", card=card),
            lambda: self("clear-fault", fault=state.get("fault") or "card"),
            lambda: self("open-shoe"),
            lambda: self("close-shoe"),
            lambda: self("lock"),
            lambda: self("unlock"),
            lambda: self("deck-check", on=1),
            lambda: self("deck-check", on=0),
            lambda: self("export-coup"),
            lambda: self("reboot"),
            lambda: self("burn-card"),
            lambda: self("confirm"),
            lambda: self("ack-alarm", alarm="all"),
        ]
        rng.choice(made)()

    def settle(self) -> None:
        """Do what lets the table deal again, as a supervisor who wants that."""
        fault = self._watcher.newest(f"{TABLE}/status").get("fault")
        self("ack-alarm", alarm="all")
        if fault is not None:
            self("clear-fault", fault=fault)
        self("unlock")
        self("deck-check", on=0)
        self("authorise", times=1)
        self.void(then="new_cards")
        self("close-shoe")


@pytest.fixture
def acts() -> Iterator[Callable[[SiteWatcher, int], Acts]]:
    made: list[Acts] = []

    def make(watcher: SiteWatcher, seed: int) -> Acts:
        made.append(Acts(watcher, seed))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize(("seed", "book"), CASES)
def test_any_act_at_any_moment_leaves_a_table_that_deals_on(
    watch_site: WatchSite, acts: Callable[..., Acts], seed: int, book: str
) -> None:
    watcher = watch_site(attended=True, rulebook=book, seed=seed, troubled=(TABLE,) * (seed % 2))
    watcher.run_for_coups(2)
    person = acts(watcher, seed)
    for _ in range(ACTS):
        person.any()
        for _ in range(random.Random(seed).randrange(40)):
            watcher.step()
        for table in watcher.site.tables.values():
            assert table.coup_received() >= 0.0  # also where no result is known
    assert any(answer.ok for answer in person.answers), person.answers
    goal, give_up_s = len(watcher.messages("coup")) + 2, time.monotonic() + PATIENCE_S
    while len(watcher.messages("coup")) < goal:
        assert time.monotonic() < give_up_s, (watcher.newest(f"{TABLE}/status"), person.answers[-9:])
        for table in watcher.site.tables.values():
            table.dealer.release()  # type: ignore[union-attr]
        person.settle()
        for _ in range(60):
            watcher.step()


def test_a_table_of_the_demo_deals_to_the_end_of_several_shoes(watch_site: WatchSite) -> None:
    def short(rng: random.Random) -> list[str]:
        return stack.shuffled(1, rng)

    watcher = watch_site(attended=True, deck=short)
    watcher.run_until(lambda now: any(coup["shoe"] == 4 for coup in now.messages("coup")))


def test_a_voided_coup_at_an_untroubled_table_is_no_latency_of_another(
    watch_site: WatchSite, acts: Callable[..., Acts]
) -> None:
    watcher = watch_site(attended=True, speed=20.0)
    table = watcher.site.tables[TABLE]
    watcher.run_for_coups(1)
    table.coup_received()
    person = acts(watcher, 1)
    give_up_s = time.monotonic() + PATIENCE_S
    while not person.void().ok:
        assert time.monotonic() < give_up_s, person.answers[-1]
    watcher.run_until(lambda now: any(coup["kind"] == "void" for coup in now.messages("coup")))
    table.coup_voided()
    assert table.coup_received() == table.last_played()
