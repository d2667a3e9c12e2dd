"""Whole shoes of the real firmware through the gateway's verification: no false discrepancy, also with gaps in the log.

SABOT_SHOES=500 .venv/bin/pytest hil_tests/test_6_verify.py plays more careless shoes.
"""

import random
from collections import Counter

import pytest
from msgspec.structs import replace
from sabot_protocol.cards import DECK
from support.firmware_logs import BOOKS, SHOES, at, careless_log, clean_log, every_book, verify


@every_book
@pytest.mark.parametrize("part", range(max(1, SHOES // 100)))
def test_a_careless_shoe_has_no_discrepancy_but_the_dealers_own(book: str, part: int) -> None:
    shoes = -(-SHOES // len(BOOKS) // max(1, SHOES // 100))
    profile, log = careless_log(book, part, shoes)
    alarms, coups = verify(book, profile, log)
    wrong = [alarm for alarm in alarms if alarm.name == "discrepancy" and "the dealer says" not in alarm.shoe_says]
    assert [(alarm.id, alarm.say, alarm.shoe_says, alarm.cards_say) for alarm in wrong] == []
    assert not {alarm.name for alarm in alarms} & {"shoe_clock", "gateway_clock", "cards_too_fast"}
    assert len({message.id for message in [*alarms, *coups]}) == len(alarms) + len(coups)
    results = sum(event.kind == "coup" for event in log)
    seen = Counter(coup.status for coup in coups)
    print(f"{shoes} shoes, {len(log)} events, {results} coups, {len(alarms)} alarms, {dict(seen)}")
    assert results > 10 * shoes
    assert seen["verified"] >= 0.9 * results


@every_book
def test_a_clean_shoe_has_no_alarm(book: str) -> None:
    profile, log = clean_log(book)
    alarms, coups = verify(book, profile, log)
    assert alarms == []
    assert [coup.status for coup in coups] == ["verified"] * len(coups)
    assert len(coups) > 140


@every_book
@pytest.mark.parametrize("slot", ["player_1", "banker_2"])
def test_a_damaged_record_puts_one_coup_in_doubt_and_no_more(book: str, slot: str) -> None:
    profile, log = clean_log(book)
    tampered = list(log)
    place = at(tampered, "card", 20, slot=slot)
    tampered[place] = replace(tampered[place], kind="damaged", data={})
    alarms, coups = verify(book, profile, tampered)
    number = log[place].data["coup_no"]
    assert [alarm.name for alarm in alarms] == ["log_damaged", "discrepancy"]
    assert [coup.coup for coup in coups if coup.status == "disputed"] == [number]
    assert len(coups) == sum(event.kind == "coup" for event in log)


@every_book
def test_a_result_that_is_lost_is_published_from_its_cards_and_disputed(book: str) -> None:
    profile, log = clean_log(book)
    tampered = list(log)
    place = at(tampered, "coup", 20)
    lost = tampered[place].data
    tampered[place] = replace(tampered[place], kind="damaged", data={})
    alarms, coups = verify(book, profile, tampered)
    assert [alarm.name for alarm in alarms] == ["log_damaged", "discrepancy"]
    (disputed,) = [coup for coup in coups if coup.status == "disputed"]
    assert (disputed.coup, disputed.winner) == (lost["coup_no"], None)
    assert (disputed.player_points, disputed.banker_points) == (lost["player_points"], lost["banker_points"])


@every_book
def test_gaps_in_a_careless_log_put_no_other_coup_in_doubt(book: str) -> None:
    profile, log = careless_log(book, 1, 3)
    rng = random.Random(book)
    for _ in range(5):
        tampered, near, at_place = list(log), set(), (0, 0)
        missing = set(rng.sample(range(len(log)), 10))
        for place, event in enumerate(log):
            at_place = (event.data.get("shoe_no", at_place[0]), event.data.get("coup_no", at_place[1]))
            if place in missing:
                tampered[place] = replace(event, kind="damaged", data={})
                near |= {(at_place[0], at_place[1] + step) for step in (-1, 0, 1)}
        alarms, _ = verify(book, profile, tampered)
        differ = [one for one in alarms if one.name == "discrepancy" and "dealer" not in one.shoe_says]
        assert [(one.say, one.shoe, one.coup) for one in differ if (one.shoe, one.coup) not in near] == []
        assert {one.say.split(" of ")[0] for one in differ} <= {"Part", "The shoe's result"}


@every_book
def test_a_log_in_any_order_never_stops_the_verification(book: str) -> None:
    profile, log = careless_log(book, 1, 2)
    rng = random.Random(book)
    for _ in range(5):
        alarms, _ = verify(book, profile, rng.choices(log, k=len(log)))
        assert any(alarm.name == "discrepancy" for alarm in alarms)


def test_every_card_of_a_deck_is_in_the_logs() -> None:
    _, log = clean_log(BOOKS[0])
    assert {event.data["card"] for event in log if event.kind == "card"} == set(DECK)
