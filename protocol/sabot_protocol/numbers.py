"""The wire number of every frame type, event, command, irregularity case, code and fact.

A number is never given to another name; a new name takes the next free number. Events, commands, cases and codes have
no gaps: the shoe uses the numbers of cases and commands as indexes.
"""

from collections.abc import Mapping
from typing import Final

# 0x00 to 0x7F come from the shoe, 0x80 to 0xFF from the gateway.
FRAMES: Final = {
    "hello": 0x01,
    "event": 0x02,
    "alive": 0x03,
    "busy": 0x04,
    "update_state": 0x05,
    "who": 0x80,
    "welcome": 0x81,
    "ack": 0x82,
    "set_profile": 0x83,
    "command": 0x84,
    "resend": 0x85,
    "update": 0x86,
    "update_data": 0x87,
}

EVENTS: Final = {
    "boot": 1,
    "profile_set": 2,
    "shoe_opened": 3,
    "card": 4,
    "cutting_card": 5,
    "coup": 6,
    "reject": 7,
    "button": 8,
    "shoe_closed": 9,
    "damaged": 10,
    "sensor": 11,
    "self_test": 12,
    "burn": 13,
    "coup_kind": 14,
    "coup_void": 15,
    "handed_over": 16,
    "fault": 17,
    "fault_cleared": 18,
    "key": 19,
    "lid": 20,
    "lock": 21,
    "command_done": 22,
    "health": 23,
    "irregularity": 24,
    "time_set": 25,
    "ordered_set": 26,
    "deck_check": 27,
    "composition": 28,
    "checkpoint": 29,
    "checked": 30,
    "command_refused": 31,
}

COMMANDS: Final = {
    "set_time": 1,
    "open_shoe": 2,
    "close_shoe": 3,
    "lock": 4,
    "unlock": 5,
    "confirm": 6,
    "clear_fault": 7,
    "void_coup": 8,
    "no_bet": 9,
    "key_card": 10,
    "authorise": 11,
    "irregularity": 12,
    "export_coup": 13,
    "import_coup": 14,
    "self_test": 15,
    "reboot": 16,
    "burn_card": 17,
    "card_returned": 18,
    "deck_check": 19,
    "this_no_bet": 20,
    "switch_image": 21,
}

CASES: Final = {
    "player_overdraw": 1,
    "banker_overdraw": 2,
    "excess_card": 3,
    "first_card_face_up": 4,
    "second_to_fourth_card_face_up": 5,
    "third_card_face_up": 6,
    "insufficient_cards": 7,
    "burn_missed": 8,
    "cut_missed": 9,
    "not_shuffled_after_cutting_card": 10,
    "bad_order": 11,
    "banker_got_players_card": 12,
    "missing_or_foreign_card": 13,
    "scan_discrepancy": 14,
    "wrong_shoe": 15,
    "wrong_area": 16,
    "wrong_recipient": 17,
    "misread_card": 18,
    "shoe_not_reading": 19,
    "first_card_exposed": 20,
    "unauthorised_coup": 21,
}

CODES: Final = {
    "BANKER_THIRD": 1,
    "PLAYER_THIRD": 2,
    "NEXT_LIVE": 3,
    "NEXT_NO_BET": 4,
    "NOT_USED": 5,
    "THIS_NO_BET": 6,
    "PLAY_ON": 7,
    "VOID": 8,
    "VOID_NEW_CARDS": 9,
    "VOID_CHECK": 10,
    "RECON_WITHDRAW": 11,
    "RECON_BINDING": 12,
    "CONFIRM": 13,
    "CHOICE": 14,
    "WITHDRAW_OPTION": 15,
    "FINISH_RESHUFFLE": 16,
    "RESTART_SHOE": 17,
    "MANUAL_ENTRY": 18,
    "SWAP_SHOE": 19,
    "NO_RULE": 20,
}

# Each fact is one bit.
FACTS: Final = {
    "banker_draws": 1,
    "exposed": 2,
    "last_coup": 4,
    "international": 8,
    "first_coup_complete": 16,
    "reconstructible": 32,
    "notified_before_next": 64,
    "confirmed": 128,
    "disadvantage": 256,
}


def in_order(table: Mapping[str, int]) -> list[str]:
    """Return the names by rising number."""
    return sorted(table, key=table.__getitem__)
