"""Wrong cards: face up, foreign, missing, unshuffled, too few."""

from sabot_protocol.cards import DECK

from sabot_sim.scenarios.catalogue import scenario
from sabot_sim.scenarios.example_coups import BANKER, FIVE, FOUR, PLAYER, SIX
from sabot_sim.scenarios.script import Script
from sabot_sim.scenarios.whole_shoes import size


def _cards_checked(s: Script) -> None:
    """Let a person record that the decks were checked at the table (The Star 12.11)."""
    s.command("record", "3.11", act="verify_cards")


@scenario(
    "irregularities/face-up-first",
    "The first card of a coup is face up: it is keyed in, and the coup is a No Bet Coup (The Star 12.3).",
    "face_up_first",
    "unreadable",
)
def first(s: Script) -> None:
    s.open()
    s.unread("blank", "9S", "blank")
    s.key_in("9S", "12.3", face_up=True)
    s.irregular("first_card_face_up")
    s.coup("2H KD 5C", "no_bet", after="9S")
    s.confirm()
    s.coups(FIVE)


@scenario(
    "irregularities/face-up-later",
    "A second card and a third card are face up: both are played (The Star 12.5).",
    "face_up_later",
    "unreadable",
)
def later(s: Script) -> None:
    """Keyed in, and the coup stays live."""
    s.open()
    s.pull("2S")
    s.unread("blank", "KH", "blank")
    s.key_in("KH", "12.5", face_up=True)
    s.irregular("second_to_fourth_card_face_up")
    s.pull("2D 3C")
    s.unread("blank", "5S", "blank")
    s.key_in("5S", "12.5", face_up=True)
    s.irregular("third_card_face_up")
    s.coup("4H", after="2S KH 2D 3C 5S")
    s.confirm()


@scenario(
    "irregularities/face-up-later-international",
    "International Baccarat: a face-up card among the first four makes a Void Hand (New Zealand 15.11).",
    "face_up_later",
    rulebook="nz-baccarat",
    options={"style": "international"},
)
def international(s: Script) -> None:
    s.open()
    s.pull("9S")
    s.unread("blank", "2H", "blank")
    s.key_in("2H", "15.11", face_up=True)
    s.irregular("second_to_fourth_card_face_up")
    s.coup("KD 5C", "void_hand", after="9S 2H")
    s.confirm()


@scenario(
    "irregularities/foreign-card",
    "A readable card of another set comes: the coup is void and the cards are checked (The Star 12.11).",
    "other_set",
    "missing_or_surplus",
)
def foreign(s: Script) -> None:
    s.open()
    s.pull("9S 2H")
    s.foreign("KD", 2)
    s.alarms("exit_locked")
    s.void("9S", "2H")
    _cards_checked(s)
    s.open("4C")
    s.coups(FOUR)


@scenario(
    "irregularities/foreign-card-crown",
    "The same at Crown, whose book has no rule for it: the exit is locked until a supervisor clears the fault.",
    "other_set",
    rulebook="crown-baccarat",
    quick=True,
)
def foreign_crown(s: Script) -> None:
    """The card is put aside and the coup continues."""
    s.open()
    s.pull("9S 2H")
    s.foreign("KD", 3, "fault_composition")
    s.key()
    s.coup("KD 5C", after="9S 2H")
    s.confirm()


@scenario(
    "irregularities/surplus-copy",
    "The fourth ace of spades of three decks: the coup is void, earlier ones count, the decks are checked (12.11).",
    "missing_or_surplus",
    decks=3,
)
def surplus(s: Script) -> None:
    s.open()
    s.coups("AS 2H 8D 5C", "AS KH 7D 3C", "9S AS KD 6C")
    s.pull("3H AS")
    s.irregular("missing_or_foreign_card")
    s.alarms("exit_locked")
    s.void("3H", "AS")


@scenario(
    "irregularities/deck-check",
    "Hours later a card is missed: one deck is fed through; a seven is missing, and there is a second queen.",
    "missing_or_surplus",
    "cards_missing",
    "drawn_while_held",
)
def deck_check(s: Script) -> None:
    """After a coup, and five hours without play."""
    s.open()
    s.coups(FOUR)
    s.wait(5 * 3600)
    s.command("close-shoe")
    s.command("deck-check", on=1, decks=1)
    s.pull(" ".join(["QD" if card == "7H" else card for card in s.rng.sample(DECK, len(DECK))]))
    s.command("deck-check", on=0, decks=1)
    s.alarms("decks_differ", "exit_locked")


@scenario(
    "irregularities/too-few-cards",
    "Without a cutting card the cards of three decks run out in mid-coup: the coup is void (The Star 12.6).",
    "too_few_cards",
    decks=3,
)
def too_few(s: Script) -> None:
    stack = _short_stack(s, 3)
    s.open(stack.pop(0))
    while len(stack) > 5:
        taken = size(stack)
        s.coups(" ".join(stack[:taken]))
        del stack[:taken]
    s.pull(" ".join(stack))
    s.irregular("insufficient_cards")
    s.void(" ".join(stack[::2]), " ".join(stack[1::2]))


def _short_stack(s: Script, decks: int) -> list[str]:
    """Return a shuffled stack that leaves two or three cards for the last coup."""
    while True:
        stack = s.rng.sample(DECK * decks, len(DECK) * decks)
        at = 1
        while len(stack) - at > 5:
            at += size(stack[at:])
        if len(stack) - at in (2, 3):
            return stack


@scenario(
    "irregularities/ordered-sets",
    "Four sets that were not shuffled: consecutive cards, one rank, one suit, a repeated sequence.",
    "ordered_set",
)
def ordered(s: Script) -> None:
    """Each is noticed within the first coup of its shoe."""
    sets = {"AS": "2H 3C 4D 5S", "KD": "7S 7H 7D 7C 9S", "KS": "2S 6S 3S JS 4S", "QH": "2H 9D QH 2H 9D 4C"}
    for burn, cards in sets.items():
        s.open(burn)
        s.coups(cards)
        s.alarms("ordered_set")


@scenario(
    "irregularities/lid-opened-set-swapped",
    "The lid is opened between two coups and shut again; the next card belongs to another set.",
    "lid_swap",
    "other_set",
)
def lid_swap(s: Script) -> None:
    """The supervisor clears the lid fault; the next card shows the swap."""
    s.open()
    s.coups(SIX)
    s.lid()
    s.rejected("lid_open")
    s.alarms("fault_lid")
    s.wait(20)
    s.lid()
    s.key()
    s.foreign("8D", 4)
    s.alarms("exit_locked")
    s.void("", "")
    _cards_checked(s)
    s.open("4C")
    s.coups(PLAYER, BANKER)
