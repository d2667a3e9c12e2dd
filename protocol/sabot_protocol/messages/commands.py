"""The commands that a gateway sends to a shoe, by kind; numbers.py holds their numbers.

A command has an id, is done at most once, and ends as event command_done or command_refused.
"""

from typing import Final

from construct import Int8ul, Int16ul, Mapping, Struct

from sabot_protocol import numbers
from sabot_protocol.fields import (
    AtMost,
    Bool,
    Burn,
    Card,
    CardFlags,
    Case,
    CoupCards,
    CoupKind,
    Facts,
    Fault,
    Hash,
    Millis,
    Small30,
    Then,
    VoidReason,
    described,
)

Utc: Final = (
    described("utc_s" / Small30, "seconds since 2020-01-01 00:00 UTC"),
    described("utc_ms" / Millis, "milliseconds of that second"),
)
# What moves to another shoe together with the coup.
Moved: Final = (
    "decks" / AtMost(Int8ul, 8),
    described("cards_out" / Int16ul, "cards drawn from these decks so far, the coup's own included"),
    described("coups_left" / Int8ul, "coups left after the cutting card, this one included; 0 before the cutting card"),
    described("awaiting" / Bool, "1 if a supervisor must still authorise the coup"),
)

COMMANDS: Final = {
    "set_time": described(Struct(*Utc), "The gateway's clock now; logged as `time_set`."),
    "open_shoe": described(
        Struct("decks" / AtMost(Int8ul, 8), "burn" / Burn),
        "New cards are loaded: like the button New shoe, with these decks and this burn.",
    ),
    "close_shoe": described(Struct(), "Deal no more coups from this shoe."),
    "lock": described(Struct(), "Lock the exit until `unlock`."),
    "unlock": described(Struct(), "Release a `lock`."),
    "confirm": described(Struct(), "Like the dealer's Confirm button."),
    "clear_fault": described(
        Struct("fault" / Fault), "A supervisor has dealt with the fault; the coup goes on where it was."
    ),
    "void_coup": described(
        Struct("reason" / VoidReason, "then" / Then),
        "A supervisor has decided that the coup on the table is void.",
    ),
    "no_bet": described(Struct("kind" / CoupKind), "The next coup is of this kind."),
    "key_card": described(
        Struct("card" / Card, described("flags" / CardFlags, "only `face_up` and `exposed` are used")),
        "The value and suit of a card that the shoe could not read.",
    ),
    "authorise": described(
        Struct(described("times" / Int8ul, "number of coups or keyed cards authorised")),
        "A supervisor authorises what the rulebook requires it for: a dummy coup or a keyed card.",
    ),
    "irregularity": described(
        Struct("case" / Case, "facts" / Facts),
        "The dealer or a supervisor reports an irregularity, or corrects the case that the shoe has logged.",
    ),
    "export_coup": described(
        Struct(),
        "Move the coup in progress and all cards to another shoe; logged as `handed_over`, then the shoe closes.",
    ),
    "import_coup": described(
        Struct("coup_no" / Int16ul, "kind" / CoupKind, "cards" / CoupCards, *Moved),
        "Continue the coup of another shoe here, with its number and without a burn; opens a shoe if none is open.",
    ),
    "self_test": described(Struct(), "Run the self-test; logged as `self_test`."),
    "reboot": described(Struct(), "Restart, once this command is logged."),
    "burn_card": described(Struct(), "Burn the next card; allowed before the first card of a coup."),
    "card_returned": described(Struct(), "The surplus card was put back into the shoe and will be drawn again."),
    "deck_check": described(
        Struct(described("on" / Bool, "1 starts the check, 0 ends it"), "decks" / AtMost(Int8ul, 8)),
        "Every card is fed through once; missing and surplus cards are logged.",
    ),
    "this_no_bet": described(
        Struct(), "The coup in progress goes on without wagers, where the rulebook has a clause for it."
    ),
    "switch_image": described(
        Struct(described("image_hash" / Hash, "of an update that is `ready`")),
        "Restart with the image in the other slot; refused while a shoe is open.",
    ),
}
CommandKind = Mapping(Int8ul, numbers.COMMANDS)
# In command_refused: 0 is a number that this shoe does not know.
RefusedKind = Mapping(Int8ul, {"unknown": 0, **numbers.COMMANDS})
