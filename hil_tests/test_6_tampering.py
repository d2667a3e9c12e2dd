"""Whole shoes of the real firmware with one change in their log: the gateway's verification finds each."""

from collections import Counter
from collections.abc import Callable

import pytest
from msgspec.structs import replace
from support.firmware_logs import UNIT, Log, at, careless_log, change, clean_log, every_book, flag, verify


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
    closed = at(log, "shoe_closed")
    flag(log, max(place for place in range(closed) if log[place].kind == "coup"), "last_coup", False)


def a_coup_after_the_last(log: Log) -> None:
    """The closing is left out, and the second coup of the shoe is dealt once more under the next number."""
    closed, number = at(log, "shoe_closed"), log[at(log, "shoe_closed")].data["coups"] + 1
    again = [event for event in log[:closed] if event.data.get("coup_no") == 2]
    log[closed : closed + 1] = [replace(event, data={**event.data, "coup_no": number}) for event in again]


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
    pressed = "tie" if log[place].data["winner"] != "tie" else "player"
    confirm = at(log, "button", 10, button="confirm")  # the entry counts as it is then
    log.insert(confirm, replace(log[confirm], data={"shoe_no": 1, "coup_no": 11, "button": pressed}))


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


def a_surplus_card_that_is_not_reported(log: Log) -> None:
    place = at(log, "button", 3, button="confirm")
    surplus = {"flags": {**log[place + 1].data["flags"], "surplus": True}}
    card = log[place + 1]
    log[place : place + 2] = [replace(card, data={**card.data, **surplus}), log[place]]


def another_set(log: Log) -> None:
    change(log, at(log, "shoe_opened"), card_set=2)


RESULT = "The shoe's result does not match the cards."
NUMBER = "The coup's number is not the next one."
PLACE = "A card is in the wrong place."
LAST = "The shoe and the cutting card do not agree on the last coup."
TAMPERED: list[tuple[Callable[[Log], None], str, bool]] = [  # the finding, and whether a coup is disputed
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
    (a_surplus_card_that_is_not_reported, "The shoe did not report an irregularity.", True),
    (another_set, "The shoe reads its cards as another card set than the table's.", False),
]


@every_book
@pytest.mark.parametrize(("tamper", "fact", "disputed"), TAMPERED, ids=lambda value: getattr(value, "__name__", ""))
def test_tampering_is_found_and_named(book: str, tamper: Callable[[Log], None], fact: str, disputed: bool) -> None:
    profile, log = clean_log(book)
    tampered = list(log)
    tamper(tampered)
    assert tampered != log
    alarms, coups = verify(book, profile, tampered)
    assert alarms, "nothing was found"
    assert {alarm.name for alarm in alarms} == {"discrepancy"}
    assert alarms[0].say.startswith(fact)
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


def test_a_coup_of_rapid_without_confirm_is_found_when_the_next_begins() -> None:
    profile, log = clean_log("star-rapid")
    tampered = list(log)
    place = at(tampered, "button", 9, button="confirm")
    del tampered[place]
    alarms, coups = verify("star-rapid", profile, tampered)
    assert [alarm.clause for alarm in alarms] == ["7.7.4.9, 7.7.4.10, 8.1"]
    assert alarms[0].event_no == place + 1
    (disputed,) = [coup for coup in coups if coup.status == "disputed"]
    assert (disputed.coup, disputed.corrects) == (10, f"{UNIT}-{at(log, 'coup', 9) + 1}")
