"""Results of a shoe, from messages alone: which are out, bounded, and of which shoe."""

from typing import Any

from sabot_gateway.screens import results
from sabot_gateway.screens.results import ShoeResults
from sabot_protocol.topics import CardMessage, CoupMessage, ShoeMessage

UNIT = "5ab0000000000001"


def fields(coup: int, shoe: int, event_no: int) -> dict[str, Any]:
    place = {"unit": UNIT, "table": "bac-01", "shoe": shoe, "coup": coup}
    return {**place, "id": f"{UNIT}-{event_no}", "event_no": event_no, "time": "", "rulebook": ""}


def coup(number: int, shoe: int = 1, **changes: Any) -> CoupMessage:
    hands = {"player": ["9S", "TD"], "banker": ["2H", "3C"], "player_points": 9, "banker_points": 5}
    flags = {"player_pair": False, "banker_pair": False, "natural": True, "last_coup": False, "shoe_time_ms": 0}
    about = {"kind": "live", "status": "verified", "winner": "player"}
    return CoupMessage(**{**fields(number, shoe, shoe * 10_000 + number), **hands, **flags, **about, **changes})


def shoe(number: int, state: str) -> ShoeMessage:
    about: Any = {"state": state, "decks": 8, "card_set": 1, "burn": "none"}
    return ShoeMessage(**fields(0, number, number), **about)


def card(number: int, slot: str = "player_1", *notes: str) -> CardMessage:
    read: Any = {"speed_mm_s": 1, "margin": 1.0, "shoe_time_ms": 0, "notes": list(notes)}
    return CardMessage(**fields(number, 1, 7), slot=slot, card="AS", **read)


def test_the_first_card_of_the_next_coup_brings_a_result_out() -> None:
    made = ShoeResults()
    made.shoe(shoe(1, "open"))
    made.coup(coup(1))
    for other in (card(1), card(2, "player_1", "surplus"), card(2, "unused"), card(2, "burn")):
        made.card(other)
        assert made.current().text == ""
    made.card(card(2))
    assert made.current()[:2] == ("Pn", (1,))


def test_a_closed_shoe_brings_every_result_out() -> None:
    made = ShoeResults()
    made.shoe(shoe(1, "open"))
    made.coup(coup(1))
    made.shoe(shoe(1, "closed"))
    assert made.current()[:2] == ("Pn", (1,))


def test_a_shoe_whose_opening_was_not_seen_begins_with_its_first_coup() -> None:
    made = ShoeResults()
    for number, message in ((1, coup(5, 1)), (2, coup(6, 2))):
        made.coup(message)
        made.confirm(message.id)
        assert (made.place, made.current().coups) == ((UNIT, number), (message.coup,))


def test_what_is_known_late_of_the_shoe_before_changes_nothing() -> None:
    made = ShoeResults()
    made.shoe(shoe(1, "open"))
    made.coup(coup(1))
    made.shoe(shoe(2, "open"))
    made.coup(coup(2, 1, status="disputed"))
    made.coup(coup(1, 1, id="decided", corrects=coup(1).id))
    made.confirm(coup(1).id)
    assert made.current() == results.Results()


def test_only_the_newest_results_are_kept() -> None:
    made = ShoeResults()
    made.shoe(shoe(1, "open"))
    for number in range(1, results.MOST + 11):
        made.coup(coup(number))
        made.confirm(coup(number).id)
    assert made.current().coups == tuple(range(11, results.MOST + 11))
    made.coup(coup(1, id="decided", corrects=coup(1).id, status="confirmed"))
    assert len(made._numbers) == len(made._confirmed) == len(made.current().coups) == results.MOST
