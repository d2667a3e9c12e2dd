"""Cards: too many, face up, unread, foreign, missing; and checks of the cards."""

from typing import Final

from sabot_protocol.cards import DECK, INDEX

from sabot_sim.world.books import Rule, rule
from sabot_sim.world.duties import do_step, duty
from sabot_sim.world.recipes.recipe import approve, approve_coup, decider, recipe, void
from sabot_sim.world.table import BANKER_DRAWS, DECKS, FOUR, PLAYER_DRAWS, SIX, Shape, Table
from sabot_sim.world.truth import Check, Incident, Keyed

FOREIGN: Final = "at the shoe: foreign card"  # nobody voids the coup: the rule does, when the card comes


# Cards too many


def _surplus(table: Table, shape: Shape, found: Rule, number: int) -> None:
    table.arrange(shape)
    table.deal()
    table.ahead.append(table.take())
    table.note(found, number)
    table.raised(found.situation, found.clause)
    if found.follows == "live":
        table.confirm()
        table.coup()
        return
    to_do = duty(table, "unwagered")
    table.without_wagers(ahead=True)
    table.confirm()
    if found.follows == "approved":
        approve_coup(table, "11.8.13", to_do)
    _deal_announced(table, to_do)


def _deal_announced(table: Table, to_do: Incident) -> None:
    """Deal the coup without wagers that was announced."""
    table.coup()
    to_do.do("announce", table.truth.coups[-1].dealt_s)


@recipe("player_overdraw")
def player_overdraw(table: Table, found: Rule, number: int) -> None:
    """Draw a fifth card though both hands stand."""
    _surplus(table, FOUR, found, number)


@recipe("banker_overdraw")
def banker_overdraw(table: Table, found: Rule, number: int) -> None:
    """Draw a sixth card though the Banker stands."""
    _surplus(table, PLAYER_DRAWS, found, number)


@recipe("excess_card")
def excess_card(table: Table, found: Rule, number: int) -> None:
    """Draw a seventh card."""
    _surplus(table, SIX, found, number)


@recipe("card_returned")
def card_returned(table: Table, found: Rule, number: int) -> None:
    """Put a surplus card back to the front of the shoe; the shoe reads it again as the first of a Dummy Coup."""
    table.arrange(FOUR)
    table.deal()
    card = table.take()
    table.note(found, number)
    table.raised("player_overdraw", rule("player_overdraw", table.book).clause)
    to_do = duty(table, "unwagered")
    table.ask(table.staff.supervisor, "card-returned", found.clause)
    table.stack.insert(0, card)
    table.out.pop()
    table.without_wagers(ahead=True)
    table.confirm()
    _deal_announced(table, to_do)


@recipe("not_approved")
def not_approved(table: Table, found: Rule, number: int) -> None:
    """Go on with a dummy hand before it is authorised."""
    over = rule("excess_card", table.book)
    table.arrange(SIX)
    table.deal()
    table.ahead.append(table.take())
    table.raised("excess_card", over.clause)
    to_do = duty(table, "unwagered")
    table.without_wagers(ahead=True)
    table.confirm()
    table.raised("awaiting_authorisation")
    table.draw()
    table.note(found, number)
    table.raised("unauthorised_coup", found.clause)
    table.authorised = approve(table, found.clause)
    to_do.do("authorise", table.now_s, table.authorised.by.name)
    table.over("awaiting_authorisation")
    table.coup()


@recipe("bankers_third")
def bankers_third(table: Table, found: Rule, number: int) -> None:
    """Give the Banker's third card to the Player first; the dealer's mistake is reported."""
    table.arrange(BANKER_DRAWS)
    table.deal()
    table.note(found, number)
    table.report("player_overdraw", found.clause, banker_draws=True)
    table.confirm()


# Cards that are face up, or cannot be read


def _unread(table: Table, found: Rule, number: int, *, face_up: bool) -> None:
    """Draw a card that the shoe cannot read, and key it in."""
    card, misread = table.next_card(), rule("misread_card", table.book)
    table.reject("blank")
    table.note(found, number)
    table.raised("misread_card", misread.clause)
    table.raised("fault_card")
    to_do = duty(table, "keyed_card")
    table.perhaps_see()
    if misread.follows == "approved":
        approve(table, misread.clause)
    asks = table.staff.dealer if misread.follows == "approved" else None  # 11.8.12: two people
    flags, by = {"face_up": face_up}, table.staff.supervisor
    keyed = table.ask(by, "key-card", found.clause, asks=asks, card=card, flags=flags)
    to_do.do("key_card", table.now_s, by.name)
    table.truth.keyed.append(Keyed(keyed, table.shoes, table.coup_no, card))
    table.over("fault_card", "reject", "misread_card")
    table.hand.append(card)
    if face_up:
        table.raised(found.situation, found.clause)
    if table.complete():
        table.dealt_s = table.now_s


@recipe("first_card_face_up")
def first_card_face_up(table: Table, found: Rule, number: int) -> None:
    """Find the first card of a coup face up."""
    _unread(table, found, number, face_up=True)
    table.without_wagers()
    to_do = duty(table, "unwagered")
    if found.follows == "this_approved":
        approve_coup(table, "11.8.14", to_do)
    _deal_announced(table, to_do)


@recipe("second_to_fourth_card_face_up")
def later_card_face_up(table: Table, found: Rule, number: int) -> None:
    """Find one of the next three cards face up."""
    table.deal(table.rng.randint(1, 3))
    _unread(table, found, number, face_up=True)
    table.coup()


@recipe("third_card_face_up")
def third_card_face_up(table: Table, found: Rule, number: int) -> None:
    """Find a third card face up."""
    table.arrange(SIX)
    table.deal(4)
    _unread(table, found, number, face_up=True)
    table.coup()


@recipe("misread_card")
def misread_card(table: Table, found: Rule, number: int) -> None:
    """Draw a card that cannot be read."""
    table.deal(table.rng.randint(0, 3))
    _unread(table, found, number, face_up=False)
    table.coup()


@recipe("pushed_back")
def pushed_back(table: Table, found: Rule, number: int) -> None:
    """Draw a card a little and let it go; the key clears the fault, and the card is drawn again."""
    table.deal(table.rng.randint(0, 3))
    table.reject("short_pull")
    table.note(found, number)
    table.raised("fault_card")
    table.at_shoe("key", 1)
    table.over("fault_card", "reject")
    table.at_shoe("key", 0)
    table.coup()


# Wrong cards


@recipe("missing_or_foreign_card")
def foreign_card(table: Table, found: Rule, number: int) -> None:
    """Draw a card of another set in mid-coup."""
    table.deal(table.rng.randint(1, 3))
    table.reject("foreign")
    table.note(found, number)
    table.raised("missing_or_foreign_card", found.clause)
    if found.follows == "silent":
        table.raised("fault_composition")
        table.at_shoe("key", 1)
        table.over("fault_composition", "reject")
        table.at_shoe("key", 0)
        table.coup()
        return
    table.raised("fault_card")
    _void_and_check(table, found)


@recipe("surplus_copy")
def surplus_copy(table: Table, found: Rule, number: int) -> None:
    """Draw one more copy of a card than the decks have; it is found at that very draw."""
    card = max(DECK, key=table.out.count)
    while table.out.count(card) < DECKS:
        table.stack.remove(card)
        table.stack.insert(table.rng.randint(0, 3), card)
        table.coup()
    table.deal(1)
    table.stack.insert(0, card)
    table.hand.append(table.take())
    table.note(found, number)
    table.raised("missing_or_foreign_card", found.clause)
    _void_and_check(table, found)


def _void_and_check(table: Table, found: Rule) -> None:
    """Let the coup be void, take the cards out, check them, and notify whom the book names.

    The exit is locked until the cards are good.
    """
    table.raised("exit_locked", found.clause)
    to_do = duty(table, "foreign_card")
    void(table, FOREIGN, found.clause)
    table.closed()
    table.over("fault_card", "reject")
    for name in ("void", "close_shoe"):
        to_do.do(name, table.now_s)
    _check_decks(table, rule("deck_check", table.book).clause, DECKS, found_wrong=False)
    table.over("missing_or_foreign_card", "exit_locked")
    to_do.do("check_cards", table.now_s)
    for name in [step.name for step in to_do.steps if not step.done_s]:
        do_step(table, to_do, name, table.staff.supervisor)


@recipe("deck_check")
def deck_check(table: Table, found: Rule, number: int) -> None:
    """Check one deck after the shoe; one time in two a card is missing and another is there twice."""
    table.ask(table.staff.supervisor, "close-shoe")
    table.closed()
    table.note(found, number, table.place()[1])
    wrong = table.rng.random() < 0.5
    _check_decks(table, found.clause, 1, found_wrong=wrong)
    if wrong and rule("missing_or_foreign_card", table.book).follows == "void_check":
        _check_decks(table, found.clause, DECKS, found_wrong=False)
        table.over("decks_differ", "exit_locked")


def _check_decks(table: Table, clause: str, decks: int, *, found_wrong: bool) -> None:
    cards = table.rng.sample(DECK * decks, len(DECK) * decks)
    missing, surplus = (cards[10], cards[20]) if found_wrong else ("", "")
    if found_wrong:
        cards[10] = surplus
    by = table.staff.supervisor
    begun = table.ask(by, "deck-check", clause, on=1, decks=decks)
    for card in cards:
        table.at_shoe("card", INDEX[card], 0, -1)
    ended = table.ask(by, "deck-check", clause, on=0, decks=decks)
    table.truth.checks.append(Check(begun, ended, missing, surplus))
    if found_wrong:
        table.raised("decks_differ")
    foreign = rule("missing_or_foreign_card", table.book)
    if found_wrong and foreign.follows == "void_check":
        table.raised("exit_locked", foreign.clause)


_MOST_OF_A_COUP: Final = 6


@recipe("insufficient_cards")
def insufficient_cards(table: Table, found: Rule, number: int) -> None:
    """Find the shoe empty in mid-coup; while by its log it is not, the coup is void as after a misdeal (P-39)."""
    table.deal(table.rng.randint(1, 3))
    table.note(found, number)
    enough = len(DECK) * DECKS - len(table.out) > _MOST_OF_A_COUP
    by = decider(table, "void") if enough else table.staff.supervisor
    table.report("insufficient_cards", found.clause, by)
    table.reshuffle = duty(table, "reshuffle/short")
    if enough:
        table.raised("cards_left")
    void(table, by.name, found.clause)
    table.closed()
