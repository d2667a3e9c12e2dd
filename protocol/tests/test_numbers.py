"""Numbers on the wire never change their meaning: those given so far, typed here a second time, in their order."""

from collections.abc import Mapping
from typing import get_args

import pytest
from sabot_protocol import fields, irregularities, messages, numbers

GIVEN: dict[str, tuple[Mapping[str, int], str]] = {
    "events": (
        numbers.EVENTS,
        "boot profile_set shoe_opened card cutting_card coup reject button shoe_closed damaged sensor self_test burn "
        "coup_kind coup_void handed_over fault fault_cleared key lid lock command_done health irregularity time_set "
        "ordered_set deck_check composition checkpoint checked command_refused",
    ),
    "commands": (
        numbers.COMMANDS,
        "set_time open_shoe close_shoe lock unlock confirm clear_fault void_coup no_bet key_card authorise "
        "irregularity export_coup import_coup self_test reboot burn_card card_returned deck_check "
        "this_no_bet",
    ),
    "cases": (
        numbers.CASES,
        "player_overdraw banker_overdraw excess_card first_card_face_up second_to_fourth_card_face_up "
        "third_card_face_up insufficient_cards burn_missed cut_missed not_shuffled_after_cutting_card bad_order "
        "banker_got_players_card missing_or_foreign_card scan_discrepancy wrong_shoe wrong_area wrong_recipient "
        "misread_card shoe_not_reading first_card_exposed unauthorised_coup",
    ),
    "codes": (
        numbers.CODES,
        "BANKER_THIRD PLAYER_THIRD NEXT_LIVE NEXT_NO_BET NOT_USED THIS_NO_BET PLAY_ON VOID VOID_NEW_CARDS VOID_CHECK "
        "RECON_WITHDRAW RECON_BINDING CONFIRM CHOICE WITHDRAW_OPTION FINISH_RESHUFFLE RESTART_SHOE MANUAL_ENTRY "
        "SWAP_SHOE NO_RULE",
    ),
}
FACTS = (
    "banker_draws exposed last_coup international first_coup_complete reconstructible notified_before_next confirmed "
    "disadvantage"
)


@pytest.mark.parametrize(("table", "given"), GIVEN.values(), ids=GIVEN)
def test_numbers_are_unique_without_a_gap_and_unchanged(table: Mapping[str, int], given: str) -> None:
    for number, name in enumerate(given.split(), 1):
        assert table[name] == number
    assert sorted(table.values()) == list(range(1, len(table) + 1))


def test_frame_types_are_unique_and_unchanged() -> None:
    assert list(map(numbers.FRAMES.get, ["hello", "event", "alive", "busy"])) == [1, 2, 3, 4]
    from_gateway = ["who", "welcome", "ack", "set_profile", "command", "resend"]
    assert list(map(numbers.FRAMES.get, from_gateway)) == [0x80, 0x81, 0x82, 0x83, 0x84, 0x85]
    assert len(set(numbers.FRAMES.values())) == len(numbers.FRAMES)


def test_facts_are_one_bit_each_and_unchanged() -> None:
    for bit, fact in enumerate(FACTS.split()):
        assert numbers.FACTS[fact] == 1 << bit
    assert sorted(numbers.FACTS.values()) == [1 << bit for bit in range(len(numbers.FACTS))]


def test_every_name_has_a_number_and_every_number_a_name() -> None:
    assert set(numbers.FRAMES) == set(messages.FRAMES)
    assert set(numbers.EVENTS) == set(messages.EVENTS)
    assert set(numbers.COMMANDS) == set(messages.COMMANDS)
    assert set(numbers.CASES) == set(irregularities.CASES)
    assert set(numbers.CODES) == set(get_args(irregularities.Code))
    assert set(numbers.FACTS) == {fact for facts in irregularities.CASES.values() for fact in facts}


def test_the_definition_has_these_numbers() -> None:
    assert messages.FrameType.encmapping == numbers.FRAMES
    assert messages.EventKind.encmapping == numbers.EVENTS
    assert messages.CommandKind.encmapping == numbers.COMMANDS
    assert fields.Case.encmapping == numbers.CASES
    assert fields.Consequence.encmapping == numbers.CODES
    assert fields.Facts.flags == numbers.FACTS


def test_the_order_of_a_table_decides_nothing() -> None:
    for table in (numbers.CASES, numbers.CODES, numbers.FACTS):
        backwards = dict(reversed(table.items()))
        assert list(backwards) != list(table)
        assert numbers.in_order(backwards) == numbers.in_order(table)


def test_codes_of_a_case_follow_those_of_the_case_before() -> None:
    """Counted by hand: 8 combinations of three facts, 4 of two, 4, one without facts."""
    assert list(irregularities.code_offsets().values())[:5] == [0, 8, 12, 16, 17]
    assert irregularities.code_offsets()["unauthorised_coup"] == messages.CODES_BYTES - 1
