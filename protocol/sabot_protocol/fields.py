"""The parts that messages are made of: enumerations with what each value means, bounds, cards, places."""

from typing import Any, Final

from construct import Bytes, Construct, FlagsEnum, Int8ul, Int16ul, Int32ul, Mapping, Struct, Validator

from sabot_protocol import numbers
from sabot_protocol.cards import INDEX

HASH_BYTES: Final = 8
UNIT_BYTES: Final = 8
NONCE_BYTES: Final = 8


class AtMost(Validator):  # type: ignore[misc]
    """A whole number that is refused above its bound, both ways."""

    def __init__(self, subcon: Construct, most: int) -> None:
        super().__init__(subcon)
        self.most = most

    def _validate(self, obj: int, context: Any, path: str) -> bool:
        return obj <= self.most


def named(**values: tuple[int, str]) -> Mapping:
    """A byte whose values have names; what each means stands beside its number."""
    mapping = Mapping(Int8ul, {name: number for name, (number, _) in values.items()})
    mapping.meanings = {name: meaning for name, (_, meaning) in values.items()}
    return mapping


def flags(part: Construct = Int8ul, **values: tuple[int, str]) -> FlagsEnum:
    """A number whose bits have names; what each means stands beside its bit."""
    bits = FlagsEnum(part, **{name: bit for name, (bit, _) in values.items()})
    bits.meanings = {name: meaning for name, (_, meaning) in values.items()}
    return bits


def said(part: Construct, text: str) -> Construct:
    """The part, with what it is for; no wrapper of construct's own, which would show in the place of an error."""
    part.docs = text
    return part


Hash = Bytes(HASH_BYTES)
Unit = Bytes(UNIT_BYTES)
Nonce = Bytes(NONCE_BYTES)
Card = Mapping(Int8ul, INDEX)
Slot = named(
    burn=(0, "burnt, before the first coup"),
    player_1=(1, "the Player's first card"),
    banker_1=(2, "the Banker's first card"),
    player_2=(3, "the Player's second card"),
    banker_2=(4, "the Banker's second card"),
    player_3=(5, "the Player's third card"),
    banker_3=(6, "the Banker's third card"),
    unused=(7, "came out though none was due, and is not played"),
)
Winner = named(player=(1, "the Player wins"), banker=(2, "the Banker wins"), tie=(3, "both have the same points"))
Burn = named(
    none=(0, "no card is burnt"),
    one=(1, "one card, face down"),
    shown=(2, "one card, shown"),
    face_up=(3, "the first card face up, then as many as its value"),
)
Button = named(
    player=(1, "the dealer says: the Player wins"),
    banker=(2, "the dealer says: the Banker wins"),
    tie=(3, "the dealer says: a tie"),
    confirm=(4, "the result is read; on to the next coup"),
    new_shoe=(5, "new cards are in"),
)
RejectReason = named(
    blank=(1, "no marks: the card lay face up, or is no card of ours"),
    columns=(2, "not ten columns"),
    doubtful=(3, "a column that is neither clearly marked nor clearly empty: `doubtful` says which"),
    not_in_set=(4, "ten clear columns that are no card of any set"),
    short_pull=(5, "drawn a little and let go"),
    pushed_back=(6, "moved against the direction of dealing, at the exit"),
    double=(7, "two cards together, or one that stopped where its length is measured"),
    not_due=(8, "a card came out while the exit was locked"),
    foreign=(9, "a card of another set"),
    pushed_back_midway=(10, "its columns passed the sensors back and forth"),
    half_drawn=(11, "left in the path"),
    spacing=(12, "ten columns, but not where a card has them"),
    noise=(13, "the sensors saw something, and no card passed"),
    lid_open=(14, "the lid was opened"),
)
Sensor = named(
    entry=(0, "presence at the entry"), a=(1, "code track A"), b=(2, "code track B"), exit=(3, "presence at the exit")
)
CloseReason = named(
    last_coup=(1, "the last coup was confirmed"),
    replaced=(2, "New shoe was pressed"),
    command=(3, "the gateway said so"),
    no_cards=(4, "no cards were left"),
    new_cards=(5, "the cards must be replaced or checked before play goes on"),
    handed_over=(6, "its cards go on at another shoe, with the coup in progress"),
)
ResetCause = named(
    power=(1, "switched on"),
    watchdog=(2, "the program did not come round in time"),
    command=(3, "the gateway said so"),
    error=(4, "the program met an error it does not know"),
)
Fault = named(
    none=(0, "no fault"),
    card=(1, "something left the exit that is no certain card: the reject before says what"),
    decision=(2, "a supervisor must say how the coup goes on"),
    lid=(3, "the lid is open"),
    journal_full=(4, "no gateway takes the log, and it has no more room: no card is released"),
    composition=(5, "a card came that the decks cannot have"),
    sensor=(6, "a sensor still sees a card after a person has seen to the path"),
    journal=(7, "the journal fails its check"),
    image=(8, "the program in flash is not the one that was released"),
    program=(9, "the program met an error it does not know, and started again"),
)
ClearedBy = named(
    key=(1, "the supervisor's key"),
    command=(2, "a command of the gateway"),
    itself=(3, "the cause is gone"),
    new_shoe=(4, "new cards are in"),
)
CoupKind = named(
    live=(1, "wagers are settled by its result"),
    no_bet=(2, "No Bet Coup of both Star books"),
    void_hand=(3, "Void Hand of New Zealand"),
    free_hand=(4, "Free Hand of New Zealand: wagers are allowed"),
    dummy=(5, "Dummy Coup of Crown and of Rapid"),
)
VoidReason = named(
    supervisor=(1, "a supervisor said so"),
    short_shoe=(2, "too few cards were left"),
    misdeal=(3, "the cards were dealt in a wrong order, or to a wrong place"),
    foreign_card=(4, "a card is missing, surplus or of another set"),
    wrong_shoe=(5, "the cards came from the wrong shoe of two"),
    discrepancy=(6, "result and cards differ and cannot be confirmed"),
    face_up=(7, "a card lay face up"),
)
Then = named(
    go_on=(1, "the next coup is dealt from this shoe"), new_cards=(2, "the cards are replaced or shuffled first")
)
CardFlags = flags(
    keyed=(1, "keyed in by hand, not read"),
    face_up=(2, "lay face up in the shoe"),
    exposed=(4, "was seen before it was due"),
    returned=(8, "was put back and comes out again"),
    surplus=(16, "came out though none was due: it begins the next coup, or is not used"),
)
Tests = flags(
    image=(1, "the program is the one that was released"),
    journal=(2, "the journal is sound"),
    flash=(4, "flash takes a record and gives it back"),
    sensors=(8, "no sensor sees a card where none is"),
)
Pattern = named(
    runs=(1, "cards follow each other in rank"),
    one_rank=(2, "too many of one rank"),
    one_suit=(3, "too many of one suit"),
    repeated=(4, "a sequence comes again"),
)
Case = named(**{case: (number, case.replace("_", " ")) for case, number in numbers.CASES.items()})
Consequence = named(**{code: (number, code.lower().replace("_", " ")) for code, number in numbers.CODES.items()})
FACTS: Final = tuple(numbers.FACTS)
Facts = flags(Int16ul, **{fact: (bit, fact.replace("_", " ")) for fact, bit in numbers.FACTS.items()})
Outcome = named(
    done=(0, "done"),
    not_now=(1, "not in this state of the shoe"),
    not_permitted=(2, "the profile does not permit it"),
    not_authorised=(3, "the supervisor's key or an authorisation is missing"),
    bad_value=(4, "a value that makes no sense"),
    unknown=(5, "this shoe does not know the command"),
)
CoupFlags = flags(
    player_pair=(1, "the Player's first two cards are of one rank"),
    banker_pair=(2, "the Banker's first two cards are of one rank"),
    natural=(4, "eight or nine on two cards"),
    last_coup=(8, "the shoe ends with this coup"),
)
Switches = flags(
    Int16ul,
    cut_first_card_is_last_coup=(1, "a cutting card before the first card of a coup makes that coup the last"),
    post_cut_dummy_coups=(2, "coups without wagers may follow the last one"),
    mid_shoe_burn=(4, "a card may be burnt before any coup"),
    card_may_return_to_shoe=(8, "a card may be put back and come out again"),
    manual_entry_needs_authorisation=(16, "a card is keyed in only with a supervisor's word"),
    dummy_needs_authorisation=(32, "a coup without wagers needs a supervisor's word, unless the book orders it"),
    dealt_face_up=(64, "a card is exposed as soon as it is out"),
    continuous=(128, "a continuous shuffler: no cutting card, and cards come again"),
    international=(256, "International Baccarat of New Zealand is played"),
    this_no_bet=(512, "a coup in progress may become one without wagers"),
)
BurnModes = flags(
    one=(2, "one card, face down"),
    shown=(4, "one card, shown"),
    face_up=(8, "the first card face up, then as many as its value"),
)
# Cases in which a coup without wagers may be what follows; each bit is its number's.
OrderedBy = flags(
    player_overdraw=(1, "a third card to the Player in error"),
    banker_overdraw=(2, "a third card to the Banker in error"),
    excess_card=(4, "any other card in excess"),
    first_card_face_up=(8, "the first card lay face up in the shoe"),
)

Small30 = AtMost(Int32ul, 2**30 - 1)
EventNo = Small30
Points = AtMost(Int8ul, 9)
Percent = AtMost(Int8ul, 100)
ShoeNo = said("shoe_no" / Int16ul, "counts shoes of this unit")
CoupPlace = (ShoeNo, said("coup_no" / Int16ul, "0 is before the first coup of the shoe"))
Speed = Int16ul
ReadSpeed = said("speed_mm_s" / Speed, "from entry to exit; 0 if the card did not get there")
Margin = said("margin_pct" / Percent, "how far the worse track was from doubt")

Bool = AtMost(Int8ul, 1)
Millis = AtMost(Int16ul, 999)
NO_CARD: Final = "--"
CoupCards = Struct(
    *(slot / Mapping(Int8ul, {**INDEX, NO_CARD: 0xFF}) for slot in Slot.encmapping if slot not in ("burn", "unused")),
)
