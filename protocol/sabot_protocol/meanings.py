"""What each irregularity case, consequence and fact means, in one line; numbers.py holds their numbers."""

from typing import Final

CASES: Final = {
    "player_overdraw": "a third card was drawn to the Player in error",
    "banker_overdraw": "a third card was drawn to the Banker in error",
    "excess_card": "any other card was drawn in excess",
    "first_card_face_up": "the first card of the coup was face up in the shoe",
    "second_to_fourth_card_face_up": "the second, third or fourth card of the coup was face up in the shoe",
    "third_card_face_up": "a third card of a hand was face up in the shoe",
    "insufficient_cards": "the shoe ran out of cards during the coup",
    "burn_missed": "the burn was forgotten",
    "cut_missed": "the cards were not cut properly",
    "not_shuffled_after_cutting_card": "the cards were not shuffled after the cutting card and the last coup",
    "bad_order": "cards were dealt in the wrong order",
    "banker_got_players_card": "the Banker was given a card that was due to the Player",
    "missing_or_foreign_card": "a card is missing, surplus or from another set",
    "scan_discrepancy": "the shoe's result and the cards on the table differ",
    "wrong_shoe": "a card was drawn from the wrong shoe",
    "wrong_area": "cards were placed in the wrong area of the table",
    "wrong_recipient": "cards were passed to the wrong person",
    "misread_card": "the shoe could not read a card",
    "shoe_not_reading": "the shoe has stopped reading cards",
    "first_card_exposed": "the first card of the coup was seen as it left the shoe, though cards are dealt face down",
    "unauthorised_coup": "a coup without wagers was dealt before it was authorised",
}

CODES: Final = {
    "BANKER_THIRD": "the card becomes the Banker's third card",
    "PLAYER_THIRD": "the card becomes the Player's third card",
    "NEXT_LIVE": "the card is the first card of the next coup, with wagers",
    "NEXT_NO_BET": "the card is the first card of the next coup, without wagers",
    "NOT_USED": "the card is not used",
    "THIS_NO_BET": "this coup is dealt without wagers",
    "PLAY_ON": "play continues, results stand",
    "VOID": "the coup is void",
    "VOID_NEW_CARDS": "the coup is void, and the cards are replaced or shuffled",
    "VOID_CHECK": "the coup is void, and the remaining cards are removed and checked",
    "RECON_WITHDRAW": "the coup is reconstructed, and each player may withdraw",
    "RECON_BINDING": "the coup is reconstructed and binds house and players",
    "CONFIRM": "a supervisor confirms the actual outcome",
    "CHOICE": "a supervisor chooses: complete the coup, complete it after an option to withdraw, or no bet",
    "WITHDRAW_OPTION": "players may withdraw their wagers",
    "FINISH_RESHUFFLE": "this coup is finished, then the cards are shuffled",
    "RESTART_SHOE": "the first coup may be reconstructed and the shoe started again",
    "MANUAL_ENTRY": "the card is keyed in by hand",
    "SWAP_SHOE": "the cards are moved to another shoe",
    "NO_RULE": "the rulebook has no rule: a supervisor decides",
}

FACTS: Final = {
    "banker_draws": "the Banker must draw a third card",
    "exposed": "the card was seen",
    "last_coup": "the coup is the last of the shoe",
    "international": "International Baccarat is played",
    "first_coup_complete": "the first coup of the shoe is complete",
    "reconstructible": "the order of the cards can be reconstructed",
    "notified_before_next": "the error was reported before the next coup began",
    "confirmed": "a supervisor has confirmed the outcome from the cards",
    "disadvantage": "the fault put the house or a player at a disadvantage",
}
