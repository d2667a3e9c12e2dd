"""The five books as a shoe gets them, with a table's first choices, and the names of numbers: as the gateway's."""

# Card set, decks, burn, burn modes, switches, unwagered, ordered; then what follows, by case and facts.
BOOKS = {
    "star-baccarat": (
        "0108010e0102020f",
        "030504050101010104050405030504050607070708070710100708070b0708070b0a080d140b0b07071414140614",
    ),
    "star-premium": (
        "0108010e0102020f",
        "030504050101010104050405030504050607070708070710100708070b0708070b0a080d140e0e0e0e1414140614",
    ),
    "nz-baccarat": (
        "0108010e0100030f",
        "030504050101010103050405030504050607060709070714140708070c0708070c141414140c0f0c0f1414140714",
    ),
    "crown-baccarat": (
        "0108010e2e02050b",
        "040404040101010104040404030504040607070708110714140708070c07080702141414140e0e0e0e1414140707",
    ),
    "star-rapid": (
        "0108010271040500",
        "0405040501010101040504050405040506070707080707101007080708070807080a080d08080814141213140607",
    ),
}
SWITCHES = {
    "cut_first_card_is_last_coup": 1,
    "post_cut_dummy_coups": 2,
    "mid_shoe_burn": 4,
    "card_may_return_to_shoe": 8,
    "manual_entry_needs_authorisation": 16,
    "dummy_needs_authorisation": 32,
    "dealt_face_up": 64,
    "continuous": 128,
    "international": 256,
    "this_no_bet": 512,
    "result_before_confirm": 1024,
}
FACTS = {
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
CARD_FLAGS = {"keyed": 1, "face_up": 2, "exposed": 4, "returned": 8, "surplus": 16}
NAMES = {
    "event": (
        "- boot profile_set shoe_opened card cutting_card coup reject button shoe_closed damaged sensor self_test burn "
        "coup_kind coup_void handed_over fault fault_cleared key lid lock command_done health irregularity time_set "
        "ordered_set deck_check composition checkpoint checked command_refused"
    ),
    "command": (
        "- set_time open_shoe close_shoe lock unlock confirm clear_fault void_coup no_bet key_card authorise "
        "irregularity export_coup import_coup self_test reboot burn_card card_returned deck_check this_no_bet "
        "switch_image"
    ),
    "slot": "burn player_1 banker_1 player_2 banker_2 player_3 banker_3 unused",
    "case": (
        "- player_overdraw banker_overdraw excess_card first_card_face_up second_to_fourth_card_face_up "
        "third_card_face_up insufficient_cards burn_missed cut_missed not_shuffled_after_cutting_card bad_order "
        "banker_got_players_card missing_or_foreign_card scan_discrepancy wrong_shoe wrong_area wrong_recipient "
        "misread_card shoe_not_reading first_card_exposed unauthorised_coup"
    ),
    "code": (
        "- BANKER_THIRD PLAYER_THIRD NEXT_LIVE NEXT_NO_BET NOT_USED THIS_NO_BET PLAY_ON VOID VOID_NEW_CARDS VOID_CHECK "
        "RECON_WITHDRAW RECON_BINDING CONFIRM CHOICE WITHDRAW_OPTION FINISH_RESHUFFLE RESTART_SHOE MANUAL_ENTRY "
        "SWAP_SHOE NO_RULE"
    ),
    "fault": "none card decision lid journal_full composition sensor journal image program",
    "cleared": "- key command itself new_shoe",
    "kind": "- live no_bet void_hand free_hand dummy",
    "void": "- supervisor short_shoe misdeal foreign_card wrong_shoe discrepancy face_up",
    "then": "- go_on new_cards",
    "close": "- last_coup replaced command no_cards new_cards handed_over",
    "outcome": "done not_now not_permitted not_authorised bad_value unknown",
    "winner": "- player banker tie",
    "pattern": "- runs one_rank one_suit repeated",
    "button": "- player banker tie confirm new_shoe",
    "burn": "none one shown face_up",
    "reject": (
        "- blank columns doubtful not_in_set short_pull pushed_back double not_due foreign pushed_back_midway "
        "half_drawn spacing noise lid_open"
    ),
}


def name(table, number):
    """What a number is called."""
    return NAMES[table].split()[number]


def number_of(table, called):
    """The number of a name."""
    return NAMES[table].split().index(called)
