"""Offers in mid-coup; expected values by hand from Crown 1.1, 5.9, T4, T12 and New Zealand 11H.3, 11H.4."""

import json
from pathlib import Path

import pytest
from sabot_protocol import offers, rulebooks
from sabot_protocol.offers import Exposed
from sabot_protocol.wagers import bets
from sabot_protocol.wagers.facts import coup_facts
from sabot_protocol.wagers.table import Settings

VECTORS = Path(__file__).parents[1] / "vectors"


def due(
    book: str, game: str, player: str, banker: str, dealt: int = 0, wagers: tuple[str, ...] = (), **options: str
) -> list[str]:
    """Return the offers due, each as wager, odds, card and clause."""
    rules = rulebooks.load(book)
    exposed = Exposed(player.split(), banker.split(), dealt or len(f"{player} {banker}".split()))
    found = offers.due(rules, Settings.of(rules, {"game": game, **options}), wagers, exposed)
    return [f"{one.wager} {one.odds} before {one.before} ({one.clause})" for one in found]


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    [  # 5.9.1: 6 or 7 against 0 to 5; T12: 5 to 2 and 9 to 2
        ("2S 4S", "2H 3H", "shield_player 5 to 2 before 5 (5.9.1(a), 9.1 T12)"),
        ("3S 4S", "TH KH", "shield_player 9 to 2 before 5 (5.9.1(a), 9.1 T12)"),
        ("2S 3S", "2H 4H", "shield_banker 5 to 2 before 5 (5.9.1(b), 9.1 T12)"),
        ("AS TS", "9H 8H", "shield_banker 9 to 2 before 5 (5.9.1(b), 9.1 T12)"),
        ("2S 4S", "2H 4H", ""),  # 6 against 6: both stand
        ("3S 4S", "2H 4H", ""),
        ("2S 3S", "4H 4H", ""),  # a natural: no fifth card
        ("2S 3S", "2H 3H", ""),
        ("2S 4S", "2H", ""),  # three cards
        ("2S 4S", "2H 3H TD", ""),  # card 5 is out: too late (10.14)
    ],
)
def test_crown_shield(player: str, banker: str, expected: str) -> None:
    assert due("crown-baccarat", "traditional", player, banker) == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("player", "banker", "offered"),
    [  # 1.1, T4: the Banker has 6 and the Player must draw
        ("2S 3S", "2H 4H", True),
        ("TS KS", "9H 7H", True),
        ("2S 4S", "2H 4H", False),
        ("2S 3S", "2H 5H", False),
        ("9S TS", "2H 4H", False),
        ("2S 3S 4S", "2H 4H", False),
    ],
)
def test_crown_insurance_no_6(player: str, banker: str, offered: bool) -> None:
    expected = ["insurance_no_6 2 to 1 before 5 (5.5.4, 9.1 T4, A-28)"] if offered else []
    assert due("crown-baccarat", "crown", player, banker) == expected


def test_a_wager_of_another_game_or_not_on_this_table_is_not_offered() -> None:
    assert due("crown-baccarat", "crown", "2S 4S", "2H 3H") == []
    assert due("crown-baccarat", "traditional", "2S 3S", "2H 4H", wagers=("player", "banker", "tie")) == []
    assert len(due("crown-baccarat", "traditional", "2S 3S", "2H 4H", wagers=("player", "shield_banker"))) == 1


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    [  # 11H.3(a), (b), 11H.4(a)-(c): one hand is turned, four cards are dealt
        ("3S 4S", "", "insurance1_player 2 to 1 before 0 (11H.3(b), 11H.4(a))"),
        ("", "4S 4H", "insurance1_banker 7 to 1 before 0 (11H.3(a), 11H.4(b))"),
        ("4S 5S", "", "insurance1_player 8 to 1 before 0 (11H.3(b), 11H.4(c))"),
        ("2S 4S", "", ""),
        ("3S", "4S", ""),  # one card of each hand
        ("3S", "", ""),
    ],
)
def test_new_zealand_bet_1(player: str, banker: str, expected: str) -> None:
    assert due("nz-baccarat", "standard", player, banker, dealt=4) == ([expected] if expected else [])


def test_new_zealand_bet_1_needs_all_four_cards_dealt() -> None:
    assert due("nz-baccarat", "standard", "3S 4S", "", dealt=3) == []
    assert due("nz-baccarat", "standard", "4S 5S", "", dealt=4, ins1_nine="9")[0].startswith("insurance1_player 9 to 1")


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    [  # 11H.3(c), (d), 11H.4(d)-(j): four cards exposed, the hand leads, more cards to come
        ("2S TS", "4H TH", "insurance2_banker 3 to 2 before 5 (11H.3(c), 11H.4(d))"),
        ("2S TS", "5H TH", "insurance2_banker 2 to 1 before 5 (11H.3(c), 11H.4(e))"),
        ("2S TS", "6H TH", "insurance2_banker 3 to 1 before 5 (11H.3(c), 11H.4(f))"),
        ("5S TS", "7H TH", "insurance2_banker 4 to 1 before 5 (11H.3(c), 11H.4(g))"),
        ("6S TS", "7H TH", ""),  # both stand
        ("TS KS", "3H TH", ""),  # no row pays it
        ("5S TS", "4H TH", "insurance2_player 2 to 1 before 5 (11H.3(d), 11H.4(h))"),
        ("5S TS", "3H TH", ""),  # 11H.4(h): 5 against 4 only
        ("6S TS", "5H TH", "insurance2_player 3 to 1 before 5 (11H.3(d), 11H.4(i))"),
        ("7S TS", "5H TH", "insurance2_player 4 to 1 before 5 (11H.3(d), 11H.4(j))"),
        ("7S TS", "6H TH", ""),
        ("4S TS", "3H TH", ""),  # no row pays it
        ("4S TS", "4H TH", ""),
        ("8S TS", "4H TH", ""),  # a natural
    ],
)
def test_new_zealand_bet_2(player: str, banker: str, expected: str) -> None:
    assert due("nz-baccarat", "standard", player, banker) == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    [  # 11H.3(e), (f), 11H.4(k)-(p): five cards exposed, the hand leads, the sixth to come
        ("TS KS 4S", "3H TH", "insurance3_player 1 to 1 before 6 (11H.3(f), 11H.4(k))"),
        ("TS KS 5S", "3H TH", "insurance3_player 2 to 1 before 6 (11H.3(f), 11H.4(l))"),
        ("TS KS 6S", "3H TH", "insurance3_player 3 to 1 before 6 (11H.3(f), 11H.4(m))"),
        ("TS KS 7S", "3H TH", "insurance3_player 4 to 1 before 6 (11H.3(f), 11H.4(n))"),
        ("4S TS 4S", "2H TH", "insurance3_player 7 to 1 before 6 (11H.3(f), 11H.4(o))"),
        ("4S TS 5S", "2H TH", "insurance3_player 8 to 1 before 6 (11H.3(f), 11H.4(p), A-11)"),
        ("TS KS 8S", "3H TH", ""),  # the Banker stands on 3 against 8
        ("TS KS 2S", "AH TH", ""),  # no row pays a final 2
        ("AS TS", "AH TH 3H", "insurance3_banker 1 to 1 before 6 (11H.3(e), 11H.4(k))"),
        ("6S TS", "AH TH 7H", ""),  # the Player stands
        ("AS TS", "3H TH 3D", ""),  # on 3 the Banker waits for the Player's third card
        ("4S TS 2S", "5H 2H", ""),  # the Banker leads
    ],
)
def test_new_zealand_bet_3(player: str, banker: str, expected: str) -> None:
    assert due("nz-baccarat", "standard", player, banker) == ([expected] if expected else [])


def test_what_the_dealer_reads() -> None:
    book = rulebooks.load("crown-baccarat")
    settings = Settings.of(book, {"game": "traditional"})
    (one,) = offers.due(book, settings, (), Exposed(["2S", "4S"], ["2H", "3H"], 4))
    assert one.say == "Offer Player Shield to players with a Player wager, before card 5: 5 to 2 if the Banker wins."
    nz = rulebooks.load("nz-baccarat")
    (one,) = offers.due(nz, Settings.of(nz, {}), (), Exposed([], ["4S", "5S"], 4))
    assert one.say == (
        "Offer Banker Insurance, Bet 1 to players with a Banker wager, before the other hand is turned: "
        "8 to 1 if the Player ties with a natural 9."
    )


def test_books_without_such_wagers_offer_nothing() -> None:
    for book in ("star-baccarat", "star-premium", "star-rapid"):
        rules = rulebooks.load(book)
        for game in rules.game:
            assert due(book, game, "2S 4S", "2H 3H") == due(book, game, "2S 3S", "2H 4H") == []


def test_an_offer_is_due_exactly_where_the_wager_can_be_settled() -> None:
    """The settlement of a finished coup is a second reading of the same clauses."""
    coups = [json.loads(line) for line in (VECTORS / "coups.jsonl").read_text().splitlines()]
    for coup in coups:
        facts = coup_facts(coup["player"], coup["banker"])
        four = " ".join(coup["player"][:2]), " ".join(coup["banker"][:2])
        for side in ("player", "banker"):
            shield = any(f"shield_{side} " in one for one in due("crown-baccarat", "traditional", *four))
            assert shield is (bets.shield(facts, side) != bets.NOT_OFFERED), coup["state"]
        no_6 = bool(due("crown-baccarat", "crown", *four))
        assert no_6 is (bets.insurance_no_6(facts, "") != bets.NOT_OFFERED), coup["state"]
