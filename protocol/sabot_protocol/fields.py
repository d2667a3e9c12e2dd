"""The parts of messages: enumerations with the meaning of each value, bounded numbers, cards, common fields."""

from typing import Any, Final

from construct import Bytes, Construct, FlagsEnum, Int8ul, Int16ul, Int32ul, Mapping, Struct, Validator

from sabot_protocol import meanings, numbers
from sabot_protocol.cards import INDEX

HASH_BYTES: Final = 8
UNIT_BYTES: Final = 8
NONCE_BYTES: Final = 8


class AtMost(Validator):  # type: ignore[misc]
    """A whole number that parse and build refuse above its bound."""

    def __init__(self, subcon: Construct, most: int) -> None:
        super().__init__(subcon)
        self.most = most

    def _validate(self, obj: int, context: Any, path: str) -> bool:
        return obj <= self.most


def named(**values: tuple[int, str]) -> Mapping:
    """Return a byte whose values have names: name=(number, meaning)."""
    mapping = Mapping(Int8ul, {name: number for name, (number, _) in values.items()})
    mapping.meanings = {name: meaning for name, (_, meaning) in values.items()}
    return mapping


def flags(part: Construct = Int8ul, **values: tuple[int, str]) -> FlagsEnum:
    """Return a number whose bits have names: name=(bit, meaning)."""
    bits = FlagsEnum(part, **{name: bit for name, (bit, _) in values.items()})
    bits.meanings = {name: meaning for name, (_, meaning) in values.items()}
    return bits


def described(part: Construct, text: str) -> Construct:
    """Attach a description to a part and return it; construct's own `*` would add a level to error paths."""
    part.docs = text
    return part


Hash = Bytes(HASH_BYTES)
Unit = Bytes(UNIT_BYTES)
Nonce = Bytes(NONCE_BYTES)
Card = Mapping(Int8ul, INDEX)
Slot = named(
    burn=(0, "burnt"),
    player_1=(1, "the Player's first card"),
    banker_1=(2, "the Banker's first card"),
    player_2=(3, "the Player's second card"),
    banker_2=(4, "the Banker's second card"),
    player_3=(5, "the Player's third card"),
    banker_3=(6, "the Banker's third card"),
    unused=(7, "drawn when no card was due, and not played"),
)
Winner = named(player=(1, "the Player wins"), banker=(2, "the Banker wins"), tie=(3, "equal points"))
Burn = named(
    none=(0, "no card is burnt"),
    one=(1, "one card, face down"),
    shown=(2, "one card, shown to the players"),
    face_up=(3, "one card face up, then as many cards as its value"),
)
Button = named(
    player=(1, "dealer's entry: the Player wins"),
    banker=(2, "dealer's entry: the Banker wins"),
    tie=(3, "dealer's entry: tie"),
    confirm=(4, "confirms the result; the next coup may begin"),
    new_shoe=(5, "new cards are loaded"),
)
RejectReason = named(
    blank=(1, "no marks: the card was face up, or has no code"),
    columns=(2, "the number of columns is not ten"),
    doubtful=(3, "a column is neither clearly marked nor clearly empty; `doubtful` has its bit"),
    not_in_set=(4, "ten clear columns that no card of any set has"),
    short_pull=(5, "pulled a little and released"),
    pushed_back=(6, "moved backwards at the exit"),
    double=(7, "two cards together, or a card that stopped while its length was measured"),
    not_due=(8, "a card was drawn while the exit was locked"),
    foreign=(9, "a card of another set"),
    pushed_back_midway=(10, "moved backwards over the code sensors"),
    half_drawn=(11, "left half way in the card path"),
    spacing=(12, "ten columns, but not at a card's spacing"),
    noise=(13, "the sensors saw signals, but no card passed"),
    lid_open=(14, "the lid was opened"),
)
Sensor = named(
    entry=(0, "presence at the entry"), a=(1, "code track A"), b=(2, "code track B"), exit=(3, "presence at the exit")
)
CloseReason = named(
    last_coup=(1, "the last coup was confirmed"),
    replaced=(2, "New shoe was pressed"),
    command=(3, "by command"),
    no_cards=(4, "the shoe is empty"),
    new_cards=(5, "the cards must be replaced or checked before play continues"),
    handed_over=(6, "its cards moved to another shoe, with the coup in progress"),
)
ResetCause = named(
    power=(1, "switched on"),
    watchdog=(2, "the main loop hung and the watchdog restarted the controller"),
    command=(3, "by command"),
    error=(4, "unexpected error in the firmware"),
    reverted=(5, "a new image did not confirm itself: the one before it runs again"),
)
Fault = named(
    none=(0, "no fault"),
    card=(1, "something left the exit that was not read as a card; the `reject` event before it has the reason"),
    decision=(2, "a supervisor must decide how the coup continues"),
    lid=(3, "the lid is open"),
    journal_full=(4, "the journal is full because no gateway stores its events; no card is released"),
    composition=(5, "more copies of a card than the decks hold"),
    sensor=(6, "a sensor still sees a card after the card path was cleared"),
    journal=(7, "the journal failed its check"),
    image=(8, "the program in flash is not the one that was flashed"),
    program=(9, "unexpected error in the firmware; the shoe has restarted"),
)
ClearedBy = named(
    key=(1, "the supervisor's key"),
    command=(2, "a command"),
    itself=(3, "cleared itself: the cause is gone"),
    new_shoe=(4, "new cards are loaded"),
)
CoupKind = named(
    live=(1, "with wagers, settled by its result"),
    no_bet=(2, "no bet coup (The Star, Premium)"),
    void_hand=(3, "Void Hand (New Zealand)"),
    free_hand=(4, "Free Hand (New Zealand): wagers are allowed"),
    dummy=(5, "Dummy Coup (Crown), dummy hand (Rapid)"),
)
VoidReason = named(
    supervisor=(1, "decided by a supervisor"),
    short_shoe=(2, "too few cards left"),
    misdeal=(3, "cards dealt in the wrong order or to the wrong place"),
    foreign_card=(4, "a card is missing, surplus or from another set"),
    wrong_shoe=(5, "cards drawn from the wrong shoe"),
    discrepancy=(6, "result and cards differ, and the outcome could not be confirmed"),
    face_up=(7, "a card was face up in the shoe"),
)
Then = named(
    go_on=(1, "the next coup is dealt from this shoe"),
    new_cards=(2, "the cards are replaced or shuffled first"),
)
CardFlags = flags(
    keyed=(1, "keyed in by hand, not read"),
    face_up=(2, "was face up in the shoe"),
    exposed=(4, "was seen before it should have been"),
    returned=(8, "had been put back and was drawn again"),
    surplus=(16, "drawn when no card was due: first card of the next coup, or not used"),
)
Tests = flags(
    image=(1, "the program in flash is the one that was flashed"),
    journal=(2, "the journal is sound"),
    flash=(4, "flash stores a record and returns it"),
    sensors=(8, "no sensor sees a card in the empty path"),
)
Pattern = named(
    runs=(1, "cards in rank order"),
    one_rank=(2, "too many cards of one rank"),
    one_suit=(3, "too many cards of one suit"),
    repeated=(4, "the same sequence twice"),
)
Case = named(**{case: (numbers.CASES[case], meaning) for case, meaning in meanings.CASES.items()})
Consequence = named(**{code: (numbers.CODES[code], meaning) for code, meaning in meanings.CODES.items()})
FACTS: Final = tuple(numbers.FACTS)
Facts = flags(Int16ul, **{fact: (numbers.FACTS[fact], meaning) for fact, meaning in meanings.FACTS.items()})
Outcome = named(
    done=(0, "done"),
    not_now=(1, "not allowed in this state of the shoe"),
    not_permitted=(2, "the profile does not permit it"),
    not_authorised=(3, "the supervisor's key or an authorisation is missing"),
    bad_value=(4, "a value is out of range"),
    unknown=(5, "unknown command"),
)
CoupFlags = flags(
    player_pair=(1, "the Player's first two cards have the same rank"),
    banker_pair=(2, "the Banker's first two cards have the same rank"),
    natural=(4, "a hand has eight or nine points with two cards"),
    last_coup=(8, "the shoe ends with this coup"),
)
Switches = flags(
    Int16ul,
    cut_first_card_is_last_coup=(1, "a cutting card before the first card of a coup makes that coup the last"),
    post_cut_dummy_coups=(2, "coups without wagers may follow the last one"),
    mid_shoe_burn=(4, "a card may be burnt before any coup"),
    card_may_return_to_shoe=(8, "a card may be put back and drawn again"),
    manual_entry_needs_authorisation=(16, "keying in a card needs an authorisation"),
    dummy_needs_authorisation=(
        32,
        "a coup without wagers needs an authorisation, unless the rulebook orders it",
    ),
    dealt_face_up=(64, "cards are dealt face up"),
    continuous=(128, "continuous shuffler: no cutting card, and cards are drawn again"),
    international=(256, "International Baccarat of New Zealand is played"),
    this_no_bet=(512, "a coup in progress may become a coup without wagers"),
    result_before_confirm=(1024, "Confirm needs the dealer's entry of the result, which counts as it is then"),
)
BurnModes = flags(
    one=(2, "one card, face down"),
    shown=(4, "one card, shown to the players"),
    face_up=(8, "one card face up, then as many cards as its value"),
)
# Cases whose consequence may be a coup without wagers; bit n-1 is case n.
OrderedBy = flags(
    player_overdraw=(1, "a third card drawn to the Player in error"),
    banker_overdraw=(2, "a third card drawn to the Banker in error"),
    excess_card=(4, "any other card drawn in excess"),
    first_card_face_up=(8, "the first card was face up in the shoe"),
)

UpdateState = named(
    idle=(0, "no update is in progress: send `update`"),
    checking=(1, "the signature is being checked"),
    receiving=(2, "waits for `update_data` from `received` on"),
    unpacking=(3, "all is received: the files are hashed and written"),
    ready=(4, "the other slot holds the image: `switch_image` starts it"),
    shoe_open=(5, "a shoe is open, or a card is in the path: dealing comes first; send `update` again later"),
    no_slots=(6, "the board has no slots: flash it with `sabot flash`"),
    no_key=(7, "the shoe has no public key of a publisher: flash it with `--firmware-key`"),
    on_trial=(8, "the running image has not confirmed itself yet"),
    older=(9, "the image is older than the running one, and `allow_older` is 0"),
    bad_signature=(10, "the publisher has not signed this image"),
    bad_image=(11, "what was received is not what was signed, or cannot be unpacked; it is removed"),
    no_room=(12, "the flash cannot be written"),
)

Small30 = AtMost(Int32ul, 2**30 - 1)
EventNo = Small30
Points = AtMost(Int8ul, 9)
Percent = AtMost(Int8ul, 100)
ShoeNo = described("shoe_no" / Int16ul, "shoe number, per unit")
CoupPlace = (ShoeNo, described("coup_no" / Int16ul, "coup number, per shoe; 0 before the first coup"))
Speed = Int16ul
ReadSpeed = described("speed_mm_s" / Speed, "from entry to exit; 0 if the card did not reach the exit")
Margin = described("margin_pct" / Percent, "distance of the worse track from doubt; 100 is best")

BootCount = described("boot_count" / Int16ul, "number of starts of this unit")
LinkCounters = (
    described("crc_errors" / Int16ul, "frames received damaged"),
    described("resends" / Int16ul, "times it sent again from the first event not acknowledged"),
    described("refused" / Int16ul, "frames refused: wrong MAC, repeated, or unknown"),
    described("sample_overruns" / Int16ul, "sensor changes lost because the buffer was full"),
)

Bool = AtMost(Int8ul, 1)
Millis = AtMost(Int16ul, 999)
NO_CARD: Final = "--"
CoupCards = Struct(
    *(slot / Mapping(Int8ul, {**INDEX, NO_CARD: 0xFF}) for slot in Slot.encmapping if slot not in ("burn", "unused")),
)
