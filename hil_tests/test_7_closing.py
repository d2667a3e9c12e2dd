"""Wagers close by each book's own rule: the real shoe, gateway and broker, cards face down, and people who call.

Expected by the printed rules: 000 5.4, 12.12; 001 5.3, 5.5; 002 5.14, 12.10; 003 5.4, 10.9.
"""

from collections.abc import Iterator

import pytest
from sabot_protocol import rulebooks
from sabot_sim.scenarios.example_coups import SIX
from sabot_tools.stand.broker import LocalBroker
from support.flow_steps import PEOPLE, books, supervised
from support.flow_table import DEALER, FlowTable
from support.play_table import CROWN, NZ, PREMIUM, STAR

FIRST_FOUR, THIRD = SIX[:11], SIX[12:]
CLAUSE = {STAR: "12.12", NZ: "5.14", CROWN: "10.9.1"}
FACTS = {STAR: {"method_a": False}, NZ: {}, CROWN: {"dealer_holds_shoe": True}}


@pytest.fixture
def table(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, server: LocalBroker
) -> Iterator[FlowTable]:
    """Yield a table of the rulebook that the test names, dealt face down."""
    book: str = request.param
    decks = min(rulebooks.load(book).decks.allowed)
    made = FlowTable(tmp_path_factory.mktemp(book), server, book, decks, dealing="face_down")
    yield made
    made.close()


def wagers(table: FlowTable) -> str:
    """Return the phase, the same for everybody and for staff."""
    phase = str(table.topic("history")["phase"])
    assert table.topic("hand")["wagers"] == phase
    return phase


@books(PREMIUM, NZ)
def test_wagers_stay_open_until_the_dealer_calls_or_a_card_is_exposed(table: FlowTable) -> None:
    table.begin()
    table.deal(FIRST_FOUR)
    assert wagers(table) == "bets"
    reply = table.ask(DEALER, "no-more-bets")
    assert (reply.ok, wagers(table)) == (True, "no_more_bets"), reply.say
    table.deal(THIRD)
    table.confirm()
    assert wagers(table) == "bets"
    table.deal(FIRST_FOUR)
    assert table.ask(DEALER, "card-exposed").ok
    assert wagers(table) == "no_more_bets"
    assert "a card of this coup is exposed" in table.ask(DEALER, "no-more-bets").say


@books(STAR, CROWN, NZ)
def test_wagers_are_reopened_by_the_role_of_the_book_while_nothing_is_exposed(table: FlowTable) -> None:
    table.begin()
    table.ask(DEALER, "no-more-bets")
    table.deal(FIRST_FOUR)
    assert wagers(table) == "no_more_bets"
    clause, facts = CLAUSE[table.book], FACTS[table.book]
    supervised(table, "reopen-wagers", clause, facts=facts)
    assert wagers(table) == "bets"
    (entry,) = table.entries("wagers_reopened")
    assert (entry["clause"], entry["coup"]) == (clause, 1)
    assert table.ask(DEALER, "no-more-bets").ok
    table.deal(THIRD)  # before a third card the first four are turned
    assert "is exposed" in table.ask(PEOPLE[table.book].supervisor, "reopen-wagers", facts=facts).say
    table.confirm()
    assert wagers(table) == "bets"
