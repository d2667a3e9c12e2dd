"""Whole shoes of the real firmware through the gateway's verification: no false discrepancy, and no tampering unseen.

SABOT_SHOES=500 .venv/bin/pytest hil_tests/test_6_verify.py plays more careless shoes.
"""

import os
import random
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
from sabot_gateway.shoe import parse
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Verifier
from sabot_protocol import rulebooks
from sabot_protocol.cards import DECK
from sabot_protocol.topics import AlarmMessage, CoupMessage
from sabot_sim.dealing.careless_dealer import (
    CLOSED,
    COMPLETE,
    CUT,
    POWER_CYCLE,
    CarelessDealer,
    profile_bytes,
    random_profile,
)
from sabot_sim.dealing.random_commands import command
from sabot_sim.rigs.play import StepAnswer, VmPlay

SHOES = int(os.environ.get("SABOT_SHOES", "20"))
BOOKS = sorted(rulebooks.ids())
UNIT = "5ab0000000000001"
START_S = 1_800_000_000
CONFIRM = 4  # of the buttons
Log = list[Event]


class Recorder:
    """Turns what the shoe logs into events, as the wire carries them."""

    def __init__(self) -> None:
        self.log: Log = []

    def take(self, told: StepAnswer) -> StepAnswer:
        """The records of a step."""
        for event_no, kind, body in told.records:
            head = bytes((2, 0, 0, 0)) + bytes(4) + event_no.to_bytes(4, "little") + bytes((kind,))
            self.log.append(parse.event(UNIT, parse.frame(head + bytes.fromhex(body))))
        return told


def careless_log(book: str, part: int, shoes: int) -> tuple[dict[str, Any], Log]:
    """So many shoes with a careless dealer, some of which end before their time; and the table's profile."""
    rng = random.Random(f"{book} {part} verify")
    profile = random_profile(rng, book)
    dealer = CarelessDealer(rng, profile, rng.choice((0.02, 0.05, 0.12)), power=part % 2 == 1)
    recorder = Recorder()
    with VmPlay(profile_bytes(profile)) as vm:
        told = recorder.take(vm.step("state"))
        while sum(event.kind == "shoe_closed" for event in recorder.log) < shoes:
            step = dealer.next(told)
            if step == POWER_CYCLE:
                vm.power_cycle()
                step = ("state",)
            told = recorder.take(vm.step(*step))
            if told.state == CLOSED:
                dealer.shoe_is_closed()
    return profile, recorder.log


@cache
def clean_log(book: str) -> tuple[dict[str, Any], Log]:
    """Two shoes of eight decks without a mistake."""
    rng, recorder = random.Random(book), Recorder()
    profile = rulebooks.load(book).profile(8, 1)
    with VmPlay(profile_bytes(profile)) as vm:
        for _ in range(2):
            stock = rng.sample([*range(52)] * 8, 52 * 8)
            stock.insert(10, CUT)
            told = recorder.take(vm.step(*command("open_shoe", 8, 1)))
            while told.state != CLOSED:
                if told.state == COMPLETE:
                    told = recorder.take(vm.step("button", CONFIRM))
                else:
                    card = stock.pop()
                    told = recorder.take(vm.step("cut") if card == CUT else vm.step("card", card, 0, -1))
    return profile, recorder.log


def verify(book: str, profile: dict[str, Any], log: Log) -> tuple[list[AlarmMessage], list[CoupMessage]]:
    """The alarms that were raised, and every coup as told; the events are numbered and timed as a shoe would."""
    verifier, said = Verifier("bac-01", rulebooks.load(book), profile), []
    for place, event in enumerate(log):
        time = datetime.fromtimestamp(START_S + place / 2, UTC).isoformat()
        numbered = event._replace(event_no=place + 1, time_ms=500 * place)
        said += [record.message for record in verifier.take(numbered, time)]
    alarms = [message for message in said if isinstance(message, AlarmMessage) and message.state == "raised"]
    return alarms, [message for message in said if isinstance(message, CoupMessage)]


every_book = pytest.mark.parametrize("book", BOOKS)


# Nothing that is not so


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


# Nothing that is so goes unseen


def at(log: Log, kind: str, number: int = 0, **data: Any) -> int:
    """Where the number-th event of this kind is, with these values."""
    places = [i for i, event in enumerate(log) if event.kind == kind and data.items() <= event.data.items()]
    return places[number]


def change(log: Log, place: int, **data: Any) -> None:
    """This event, with other values."""
    event = log[place]
    log[place] = event._replace(data={**deepcopy(event.data), **data})


def flag(log: Log, place: int, name: str, on: bool) -> None:
    change(log, place, flags={**log[place].data["flags"], name: on})


def another_winner(log: Log) -> None:
    place = at(log, "coup", 10)
    change(log, place, winner="tie" if log[place].data["winner"] != "tie" else "player")


def other_points(log: Log) -> None:
    place = at(log, "coup", 10)
    change(log, place, player_points=(log[place].data["player_points"] + 1) % 10)


def a_changed_card(log: Log) -> None:
    place = next(
        i for i, event in enumerate(log) if event.data.get("slot") == "player_1" and event.data["card"][0] == "3"
    )
    change(log, place, card="4" + log[place].data["card"][1])


def a_swapped_slot(log: Log) -> None:
    change(log, at(log, "card", 8, slot="player_1"), slot="banker_1")


def a_missing_card(log: Log) -> None:
    del log[at(log, "card", 8, slot="player_2")]


def a_ninth_copy(log: Log) -> None:
    """A card of the same rank takes the place of another, so that no result changes."""
    seen: Counter[str] = Counter()
    for place, event in enumerate(log):
        if event.kind == "card":
            card = event.data["card"]
            full = [card[0] + suit for suit in "CDHS" if seen[card[0] + suit] == 8]
            if full and event.data["slot"] != "burn":
                change(log, place, card=full[0])
                return
            seen[card] += 1
    raise AssertionError("no card was out eight times")


def a_jump_of_the_coup_number(log: Log) -> None:
    first = at(log, "card", 0, coup_no=20)
    for place in range(first, len(log)):
        if log[place].data.get("coup_no", 0) >= 20:
            change(log, place, coup_no=log[place].data["coup_no"] + 1)
        if log[place].kind == "shoe_closed":
            return


def a_jump_of_the_shoe_number(log: Log) -> None:
    for place in range(at(log, "shoe_opened", 1), len(log)):
        if "shoe_no" in log[place].data:
            change(log, place, shoe_no=7)


def a_wrong_kind(log: Log) -> None:
    change(log, at(log, "coup", 10), kind="free_hand")


def a_last_coup_that_is_none(log: Log) -> None:
    flag(log, at(log, "coup", 10), "last_coup", True)


def no_last_coup(log: Log) -> None:
    flag(log, at(log, "shoe_closed") - 2, "last_coup", False)


def a_coup_after_the_last(log: Log) -> None:
    """The closing is left out, and the second coup of the shoe is dealt once more under the next number."""
    closed, number = at(log, "shoe_closed"), log[at(log, "shoe_closed")].data["coups"] + 1
    again = [event for event in log[:closed] if event.data.get("coup_no") == 2]
    log[closed : closed + 1] = [event._replace(data={**event.data, "coup_no": number}) for event in again]


def cards_after_the_end(log: Log) -> None:
    log.insert(at(log, "shoe_closed") + 1, log[at(log, "card", 0, slot="player_1")])


def a_natural_that_is_none(log: Log) -> None:
    place = at(log, "coup", 10)
    flag(log, place, "natural", not log[place].data["flags"]["natural"])


def a_pair_that_is_none(log: Log) -> None:
    place = at(log, "coup", 10)
    flag(log, place, "banker_pair", not log[place].data["flags"]["banker_pair"])


def another_burn(log: Log) -> None:
    change(log, at(log, "burn"), cards=2)


def no_burn(log: Log) -> None:
    del log[at(log, "card", 0, slot="burn") : at(log, "burn") + 1]


def a_wrong_button_that_the_shoe_ignores(log: Log) -> None:
    place = at(log, "coup", 10)
    said = "tie" if log[place].data["winner"] != "tie" else "player"
    log.insert(place + 1, log[place + 1]._replace(kind="button", data={"shoe_no": 1, "coup_no": 11, "button": said}))


def other_counts(log: Log) -> None:
    place = at(log, "composition")
    change(log, place, counts=bytes(13))


def other_cards_out(log: Log) -> None:
    place = at(log, "checkpoint", 1)
    change(log, place, cards_out=log[place].data["cards_out"] + 1)


def two_shoes_at_once(log: Log) -> None:
    del log[at(log, "shoe_closed")]


def a_cutting_card_elsewhere(log: Log) -> None:
    place = at(log, "cutting_card")
    change(log, place, before_first_card=1 - log[place].data["before_first_card"])


def no_cutting_card(log: Log) -> None:
    del log[at(log, "cutting_card")]


def other_coups_at_the_end(log: Log) -> None:
    place = at(log, "shoe_closed")
    change(log, place, coups=log[place].data["coups"] + 1)


def a_surplus_card_that_nobody_tells(log: Log) -> None:
    place = at(log, "button", 3, button="confirm")
    surplus = {"flags": {**log[place + 1].data["flags"], "surplus": True}}
    card = log[place + 1]
    log[place : place + 2] = [card._replace(data={**card.data, **surplus}), log[place]]


def another_set(log: Log) -> None:
    change(log, at(log, "shoe_opened"), card_set=2)


RESULT = "The shoe's result does not match the cards."
NUMBER = "The coup's number is not the next one."
PLACE = "A card is in the wrong place."
LAST = "The shoe and the cutting card do not agree on the last coup."
TAMPERED: list[tuple[Callable[[Log], None], str, bool]] = [  # what it says, and whether a coup is disputed
    (another_winner, RESULT, True),
    (other_points, RESULT, True),
    (a_changed_card, "", True),
    (a_swapped_slot, PLACE, True),
    (a_missing_card, PLACE, True),
    (a_ninth_copy, "The shoe did not report an irregularity.", True),
    (a_jump_of_the_coup_number, NUMBER, True),
    (a_jump_of_the_shoe_number, "The shoe's number is not the next one.", False),
    (a_wrong_kind, "The coup is not of the kind that was announced.", True),
    (a_last_coup_that_is_none, LAST, True),
    (no_last_coup, LAST, True),
    (a_coup_after_the_last, "", True),
    (cards_after_the_end, "A card was dealt, but no shoe is open.", False),
    (a_natural_that_is_none, RESULT, True),
    (a_pair_that_is_none, RESULT, True),
    (another_burn, "The wrong number of cards was burnt.", False),
    (no_burn, "The first coup began before the burn was complete.", False),
    (a_wrong_button_that_the_shoe_ignores, "The dealer's result does not match the cards.", True),
    (other_counts, "The shoe's count of each card does not match its log.", False),
    (other_cards_out, "The shoe's total of cards does not match its log.", False),
    (two_shoes_at_once, "A shoe was opened before the last one was closed.", False),
    (a_cutting_card_elsewhere, "The cutting card did not come where the shoe reports it.", True),
    (no_cutting_card, LAST, True),
    (other_coups_at_the_end, "The shoe's number of coups does not match its log.", False),
    (a_surplus_card_that_nobody_tells, "The shoe did not report an irregularity.", True),
    (another_set, "The shoe reads its cards as another card set than the table's.", False),
]


@every_book
@pytest.mark.parametrize(("tamper", "says", "disputed"), TAMPERED, ids=lambda value: getattr(value, "__name__", ""))
def test_tampering_is_found_and_named(book: str, tamper: Callable[[Log], None], says: str, disputed: bool) -> None:
    profile, log = clean_log(book)
    tampered = list(log)
    tamper(tampered)
    assert tampered != log
    alarms, coups = verify(book, profile, tampered)
    assert alarms, "nothing was found"
    assert {alarm.name for alarm in alarms} == {"discrepancy"}
    assert alarms[0].say.startswith(says)
    assert alarms[0].shoe_says != alarms[0].cards_say
    assert any(coup.status == "disputed" for coup in coups) == disputed
    assert sum(coup.status == "disputed" for coup in coups) < 0.1 * len(coups), "one lie does not put a shoe in doubt"


@every_book
def test_a_wrong_consequence_is_found(book: str) -> None:
    profile, log = careless_log(book, 0, 2)
    tampered = list(log)
    place = at(tampered, "irregularity", 1)
    change(tampered, place, code="SWAP_SHOE")
    alarms, _ = verify(book, profile, tampered)
    found = next(alarm for alarm in alarms if alarm.name == "discrepancy" and "dealer" not in alarm.shoe_says)
    assert (found.shoe_says, found.event_no) == ("SWAP_SHOE", place + 1)
    assert found.cards_say == log[place].data["code"]


def test_a_coup_of_rapid_that_nobody_confirmed_is_told_before_the_next_goes_on() -> None:
    profile, log = clean_log("star-rapid")
    tampered = list(log)
    place = at(tampered, "button", 9, button="confirm")
    del tampered[place]
    alarms, coups = verify("star-rapid", profile, tampered)
    assert [alarm.clause for alarm in alarms] == ["7.7.4.9, 7.7.4.10, 8.1"]
    assert alarms[0].event_no == place + 1
    (disputed,) = [coup for coup in coups if coup.status == "disputed"]
    assert (disputed.coup, disputed.corrects) == (10, f"{UNIT}-{place}")


@every_book
@pytest.mark.parametrize("slot", ["player_1", "banker_2"])
def test_a_damaged_record_puts_one_coup_in_doubt_and_no_more(book: str, slot: str) -> None:
    profile, log = clean_log(book)
    tampered = list(log)
    place = at(tampered, "card", 20, slot=slot)
    tampered[place] = tampered[place]._replace(kind="damaged", data={})
    alarms, coups = verify(book, profile, tampered)
    number = log[place].data["coup_no"]
    assert [alarm.name for alarm in alarms] == ["log_damaged", "discrepancy"]
    assert [coup.coup for coup in coups if coup.status == "disputed"] == [number]
    assert len(coups) == sum(event.kind == "coup" for event in log)


@every_book
def test_a_result_that_is_lost_is_told_from_its_cards_and_disputed(book: str) -> None:
    profile, log = clean_log(book)
    tampered = list(log)
    place = at(tampered, "coup", 20)
    told = tampered[place].data
    tampered[place] = tampered[place]._replace(kind="damaged", data={})
    alarms, coups = verify(book, profile, tampered)
    assert [alarm.name for alarm in alarms] == ["log_damaged", "discrepancy"]
    (disputed,) = [coup for coup in coups if coup.status == "disputed"]
    assert (disputed.coup, disputed.winner) == (told["coup_no"], None)
    assert (disputed.player_points, disputed.banker_points) == (told["player_points"], told["banker_points"])


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
                tampered[place] = event._replace(kind="damaged", data={})
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
