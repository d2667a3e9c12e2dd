"""One table of a day: its dealer deals from a stack, people act, and the truth is written down as it happens."""

import random
from typing import Any, Final

from sabot_protocol.cards import DECK, INDEX
from sabot_protocol.fields import Button, RejectReason

from sabot_sim.scenarios import draw_tables
from sabot_sim.world.acts import Act, AtGateway, AtShoe, Timed
from sabot_sim.world.books import CROWN, DEALER, MANAGER, OPERATOR, RAPID, SUPERVISOR, UNWAGERED, Rule, rule
from sabot_sim.world.truth import Alarm, Coup, Decision, Incident, Irregularity, Person, Shoe, Truth

DECKS: Final = 8
Shape = tuple[int, int]  # cards of the Player and of the Banker
FOUR, PLAYER_DRAWS, BANKER_DRAWS, SIX = (2, 2), (3, 2), (2, 3), (3, 3)
# Until the shoe ends them
LASTING: Final = (
    "fault_card", "fault_decision", "fault_lid", "fault_composition", "exit_locked", "awaiting_authorisation",
)  # fmt: skip
_FOREIGN: Final = "missing_or_foreign_card"
_KEPT: Final = (
    *LASTING,
    "decks_differ",
    "discrepancy",
    "cards_left",
    "decided_by_word",
)  # a new shoe does not end them
_AT_ONCE_SHARE: Final = 0.4
_LOCAL_SHARE: Final = 0.25  # of the requests, made at the table PC and not through the floor service
_FIRST: Final = 17  # cards of a shoe that are looked at


def looks_ordered(cards: list[str]) -> bool:
    """Return True if the last cards are of one rank or suit, follow each other in rank, or came before."""
    ranks = [DECK.index(card) % 13 for card in cards]
    steps = {(later - rank) % 13 for rank, later in zip(ranks[-4:], ranks[-3:], strict=False)}
    suits, again = {card[1] for card in cards[-6:]}, "".join(cards[-3:])
    return (
        steps in ({0}, {1}, {12})
        or (len(cards) >= 6 and len(suits) == 1)
        or any("".join(cards[at : at + 3]) == again for at in range(len(cards) - 5))
    )


class Staff:
    """The people of one table: dealer, supervisor, manager and operator, with the roles of its rulebook."""

    def __init__(self, table: str, book: str, names: list[str]) -> None:
        roles = (DEALER, SUPERVISOR[book], MANAGER[book], OPERATOR[book])
        people = [
            Person(f"{table}-{number}", name, role)
            for number, (name, role) in enumerate(zip(names, roles, strict=True), 1)
        ]
        self.dealer, self.supervisor, self.manager, self.operator = people


class Table:
    """`acts` is what people do, `truth` what comes of it; recipes of irregularities play on these methods.

    One class because cards, clock and truth of a table change together with each act.
    """

    def __init__(self, name: str, book: str, staff: Staff, rng: random.Random, start_s: float, truth: Truth) -> None:
        self.name, self.book, self.staff, self.rng, self.truth = name, book, staff, rng, truth
        self.now_s = start_s
        self.acts: list[Timed] = []
        self.stack: list[str] = []
        self.out: list[str] = []  # cards of this shoe that were drawn
        self.shoe: Shoe | None = None
        self.shoes = self.coup_no = 0
        self.hand: list[str] = []  # of the coup on the table, as drawn
        self.kind = "live"
        self.authorised: Decision | None = None
        self.ahead: list[str] = []  # surplus cards that begin the next coup
        self.ahead_kind = "live"
        self.dealt_s = 0.0  # when the coup on the table was complete; 0 before
        self.active: list[Alarm] = []
        self.reshuffle: Incident | None = None  # that the next shoe settles

    # Time and acts

    def wait(self, low_s: float, high_s: float) -> None:
        """Let time pass, in whole milliseconds."""
        self.now_s = round(self.now_s + self.rng.uniform(low_s, high_s), 3)

    def _act(self, act: Act) -> None:
        self.acts.append(Timed(self.now_s, self.name, len(self.acts), act))

    def at_shoe(self, *step: Any) -> None:
        """Do something at the shoe, after a moment."""
        self.wait(0.4, 2.0)
        self._act(AtShoe(step))

    def press(self, button: str) -> None:
        """Press a button of the shoe."""
        self.at_shoe("button", Button.encmapping[button])

    def turn_key(self) -> None:
        """Turn the supervisor's key, and back."""
        self.at_shoe("key", 1)
        self.at_shoe("key", 0)

    def ask(
        self,
        by: Person,
        verb: str,
        clause: str = "",
        *,
        asks: Person | None = None,
        refused: bool = False,
        at_page: bool = False,
        **args: Any,
    ) -> Decision:
        """Have a person ask the gateway for something, or approve what another asks; some do it at the table PC."""
        self.wait(3.0, 40.0)
        local = not refused and self.rng.random() < _LOCAL_SHARE and not at_page
        asks = None if local else asks
        self._act(AtGateway(by, verb, clause, args, refused, local, asks))
        decision = Decision(self.name, self.now_s, verb, by, clause, refused, local, asks, *self.place())
        self.truth.decisions.append(decision)
        return decision

    def report(self, case: str, clause: str = "", by: Person | None = None, **facts: bool) -> None:
        """Report an irregularity at the gateway; its alarm is raised."""
        self.ask(by or self.staff.supervisor, "irregularity", clause, case=case, facts=facts)
        self.raised(case, clause)

    # What must be reported

    def place(self) -> tuple[int, int]:
        """Return shoe and coup; without a card on the table it is the coup before."""
        return self.shoes, self.coup_no if self.hand or self.coup_no < 2 else self.coup_no - 1

    def raised(self, name: str, clause: str = "") -> None:
        """Note that this alarm is raised now; a fault's names the coup that is due, as its reject does."""
        at_place = name in _KEPT and not name.startswith("fault_")
        shoe, coup = self.place() if at_place else (self.shoes, self.coup_no)
        alarm = Alarm(self.name, name, shoe, coup, self.now_s, clause)
        self.truth.alarms.append(alarm)
        self.active.append(alarm)

    def over(self, *names: str, by: str = "") -> None:
        """Note that the cause of these alarms is gone, or that a person ended them."""
        for alarm in [alarm for alarm in self.active if alarm.name in names]:
            alarm.over_s, alarm.over_by = self.now_s, by
            self.active.remove(alarm)

    def see(self, by: Person | None = None) -> None:
        """Have the supervisor acknowledge every alarm at a page, since some are about an act that another must see.

        Those of a fault or a disputed coup stay until that is over.
        """
        if not self.active:
            return
        by = by or self.staff.supervisor
        self.ask(by, "ack-alarm", at_page=True, alarm="all")
        for alarm in self.active:
            if not alarm.seen_s:
                alarm.seen_s, alarm.seen_by = self.now_s, by.name
        checked = rule(_FOREIGN, self.book).follows == "void_check"  # then only the check of the cards ends its alarm
        stay = (*LASTING, "discrepancy", *([_FOREIGN, "decks_differ"] if checked else []))
        seen = [alarm.name for alarm in self.active if alarm.name not in stay]
        self.over(*seen, by=by.name)

    def perhaps_see(self) -> None:
        """Have the supervisor acknowledge at once, before anything is done about it, in some cases."""
        if self.rng.random() < _AT_ONCE_SHARE:
            self.see()

    def note(self, found: Rule, number: int, coup: int = 0) -> None:
        """Note an irregularity that is provoked now, at this coup or at that on the table, or else the next."""
        place = (self.name, self.book, self.shoes, coup or self.coup_no)
        self.truth.irregularities.append(
            Irregularity(number, found.situation, *place, self.now_s, found.follows, found.clause)
        )

    # Shoes

    def open_shoe(self, *, burn: bool = True) -> None:
        """Put new cards in, press New shoe and burn one; or open it without a burn at the gateway."""
        self.wait(60.0, 240.0)
        self.stack, self.out = self.rng.sample(DECK * DECKS, len(DECK) * DECKS), []
        while self._looks_unshuffled():
            self.rng.shuffle(self.stack)
        self.shoes, self.ahead, self.hand = self.shoes + 1, [], []
        self.kind = self.ahead_kind = "live"
        if burn:
            self.press("new_shoe")
        else:
            self.ask(self.staff.supervisor, "open-shoe", decks=DECKS, burn="none")
        self.over(*(alarm.name for alarm in self.active if alarm.name not in _KEPT))
        if self.reshuffle:
            self.reshuffle.do("reshuffle", self.now_s)
        self.reshuffle = None
        self.shoe, self.coup_no = Shoe(self.name, self.shoes, DECKS, self.now_s), 0
        self.truth.shoes.append(self.shoe)
        if burn:
            self.take()
        self.coup_no = 1

    def end_shoe(self) -> None:
        """Let the cutting card end the shoe, or a supervisor."""
        if self.rng.random() < 0.5:
            self.ask(self.staff.supervisor, "close-shoe")
        else:
            self.at_shoe("cut")
            self.coup()
            if self.book == CROWN:  # 4.1.1(b), A-17: one more
                self.coup()
        self.closed()

    def closed(self) -> None:
        """Note that the shoe has come to its end."""
        assert self.shoe is not None
        self.shoe.closed_s, self.shoe = self.now_s, None

    # Cards

    def arrange(self, shape: Shape) -> None:
        """Put the cards in the shoe into an order in which the next coup has so many cards on each side."""
        while tuple(map(len, draw_tables.hands(self.hand + self.stack[:6]))) != shape or self._looks_unshuffled():
            self.rng.shuffle(self.stack)

    def _looks_unshuffled(self) -> bool:
        """Return True if the first cards of the shoe are in an order that the shoe reports, by chance."""
        first = (self.out + self.stack)[:_FIRST]
        return any(looks_ordered(first[:count]) for count in range(4, _FIRST + 1)) and len(self.out) < _FIRST

    def next_card(self) -> str:
        """Take the next card out of the stack; it is on its way."""
        self.out.append(self.stack.pop(0))
        return self.out[-1]

    def take(self) -> str:
        """Draw the next card, which the shoe reads."""
        card = self.next_card()
        self.at_shoe("card", INDEX[card], 0, -1)
        return card

    def draw(self) -> None:
        """Draw the next card of the coup."""
        self.hand.append(self.take())
        if self.complete():
            self.dealt_s = self.now_s

    def reject(self, reason: str) -> None:
        """Let something pass that the shoe does not read; it reports that."""
        self.at_shoe("reject", RejectReason.encmapping[reason])
        self.raised("reject")

    def complete(self) -> bool:
        """Return True if the coup on the table has all its cards."""
        try:
            return sum(map(len, draw_tables.hands(self.hand))) == len(self.hand)
        except IndexError:
            return False

    # Coups

    def deal(self, cards: int = 6) -> None:
        """Draw until the coup is complete, or has so many cards."""
        while not self.complete() and len(self.hand) < cards:
            self.draw()

    def coup(self, shape: Shape | None = None) -> None:
        """Deal a whole coup and confirm it."""
        if shape:
            self.arrange(shape)
        self.deal()
        self.confirm()

    def confirm(self) -> None:
        """Pay, then press Confirm; at the Rapid the result first (7.7.4.9)."""
        self.wait(3.0, 15.0)
        if self.book == RAPID:
            self.press(self.winner())
        self.press("confirm")
        self.settled("confirmed")

    def winner(self) -> str:
        """Return who wins the coup on the table."""
        return draw_tables.winner(*draw_tables.hands(self.hand))

    def settled(self, status: str, by: str = "", clause: str = "") -> None:
        """Note the final state of the coup on the table; the next one begins with the surplus cards."""
        assert self.shoe is not None
        kept = status == "confirmed" or self.dealt_s > 0
        player, banker = draw_tables.hands(self.hand) if kept else (self.hand[::2], self.hand[1::2])
        self.truth.coups.append(
            Coup(
                self.name, self.shoe.shoe, self.coup_no, self.kind if status == "confirmed" else "void",
                list(player), list(banker), self.winner() if status == "confirmed" else None, status, self.now_s,
                self.dealt_s, by, clause, self.now_s if by else 0.0, self.authorised,
            )
        )  # fmt: skip
        self.shoe.coups, self.coup_no = self.shoe.coups + 1, self.coup_no + 1
        self.hand, self.kind, self.authorised = self.ahead, self.ahead_kind, None
        self.ahead, self.ahead_kind, self.dealt_s = [], "live", 0.0

    def without_wagers(self, by: Decision | None = None, *, ahead: bool = False) -> None:
        """Note that the coup on the table, or the next one, has no wagers; `by` if a person decided that."""
        if ahead:
            self.ahead_kind = UNWAGERED[self.book]
        else:
            self.kind, self.authorised = UNWAGERED[self.book], by
