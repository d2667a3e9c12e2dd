"""Authorisation: a coup without wagers waits for a supervisor's authorisation, where the book asks for one."""

from dataclasses import dataclass, field

from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.checks.notices import KindNotices
from sabot_gateway.verify.checks.unread import UnreadCheck
from sabot_gateway.verify.findings import NONE, Finding, Findings
from sabot_gateway.verify.state import NO_COUP, ShoeState

_MOST_AUTHORISATIONS = 255


@dataclass
class AuthorisationCheck:
    """What each authorisation is for, and the coup that waits for one.

    An authorisation is for what waits when it is given: the coup on the table, a card to be keyed in, the next coup.
    What is left is for coups that people order; it frees nothing that waits later.
    One class because every event that orders, voids or ends a coup changes the same count.
    """

    state: ShoeState
    book: Rulebook
    notices: KindNotices
    unread: UnreadCheck
    _unused: int = 0  # for coups that people order
    _key: bool | None = None  # turned; None until the log shows it
    awaiting: bool = False  # the coup on the table waits
    _dealt_without: bool = False  # it is complete, and nobody has authorised it yet
    _reported: bool = False  # a card of the coup came without it
    _no_bet_coup: int = -1  # the coup without wagers
    _settled: set[int] = field(default_factory=set)  # coups that need none: the book or a person has ordered them
    _prompted: set[int] = field(default_factory=set)  # coups that an irregularity makes wait
    _certain: bool = False  # the log shows every authorisation of this shoe, and the key when it was opened

    def log_gap(self, event: Event) -> Findings:
        """An authorisation may be in the missing part of the log."""
        self._certain = False
        return NONE

    def recall_key(self, *, on: bool) -> None:
        """Take from the ledger whether the key is turned before the first event."""
        self._key = on

    def boot(self, event: Event) -> Findings:
        """At its first event a shoe has its key at rest."""
        if event.event_no == 1:
            self._key = False
        return NONE

    def shoe_opened(self, event: Event) -> Findings:
        """No authorisation is given yet."""
        self.boot(event)
        self._over()
        self._unused, self._certain = 0, self._key is not None
        self._settled.clear()
        self._prompted.clear()
        return NONE

    def _over(self) -> None:
        self.awaiting, self._dealt_without, self._no_bet_coup = False, False, -1

    def _needed(self) -> bool:
        return bool(self.book.switch["dummy_needs_authorisation"].value)

    def shoe_closed(self, event: Event) -> Findings:
        """Authorisations end with the shoe."""
        self._over()
        self._unused = 0
        return NONE

    def coup(self, event: Event) -> Findings:
        """The coup is over; a coup before it may be void after it began."""
        if event.data["coup_no"] >= self._no_bet_coup:
            without = self.awaiting
            self._over()
            self._dealt_without = without
        return NONE

    def coup_void(self, event: Event) -> Findings:
        """A void coup is over, too."""
        return self.coup(event)

    def key(self, event: Event) -> Findings:
        """The supervisor's key authorises while it is turned."""
        self._key = bool(event.data["on"])
        self.awaiting &= not self._key
        self._dealt_without &= not self._key
        return NONE

    def command_done(self, event: Event) -> Findings:
        """Follow what an authorisation is used for; find a keyed card without one."""
        command, data = event.data["command"], event.data["data"]
        if command == "authorise":
            self._authorise(data["times"])
        elif command == "no_bet":
            self._ordered(data["kind"])
        elif command == "this_no_bet":
            self._settled.add(self.state.next_coup_no())
        elif command == "card_returned":
            self._forget(self.notices.by_last_card())
        elif command == "burn_card" and self.state.burn_restarts() and self.awaiting:
            self._prompted.add(1)  # the first coup is dealt again, and waits again
            self._over()
        elif command == "key_card" and self.book.switch["manual_entry"].value != "silent" and not self._key:
            return self._keyed(data["card"])
        return NONE

    def _authorise(self, times: int) -> None:
        if self.awaiting or (self._dealt_without and self.state.phase == "complete"):
            self.awaiting = self._dealt_without = False
            times -= 1
        if self.book.switch["manual_entry"].value != "silent":
            times -= self.unread.approve(times)
        if times and self._next_no() in self._prompted:
            self._settle(self._next_no())
            times -= 1
        self._unused = min(_MOST_AUTHORISATIONS, self._unused + times)

    def _settle(self, number: int) -> None:
        self._settled.add(number)
        self._prompted.discard(number)

    def _forget(self, number: int) -> None:
        """A coup has its wagers after all."""
        self._settled.discard(number)
        self._prompted.discard(number)

    def _next_no(self) -> int:
        """Return the coup after the one on the table; before the first card that is the one after the next."""
        state = self.state
        return state.coup_no + 1 + (state.phase == "between" and not state.burning)

    def _ordered(self, kind: str) -> None:
        """A person orders the coup before its first card, or the next: the authorisation is used now."""
        state = self.state
        before = state.phase == "between" and not state.burning and not state.dealt.get(state.coup_no + 1)
        number = state.coup_no + 1 if before else self._next_no()
        waits = self.awaiting if before else number in self._prompted
        self._prompted.discard(number)
        self.awaiting &= not before
        if kind == "live":
            self._settled.discard(number)
        elif waits or self.notices.kind_of(number) != kind:
            self._unused -= self._needed() and not self._key and self._unused > 0
            self._settled.add(number)

    def _keyed(self, card: str) -> Findings:
        if not self.unread.out or self.unread.use_approval() or not self._certain:
            return NONE
        fact = "A card was keyed in, and no supervisor had approved it."
        clause = self.book.switch["manual_entry"].clause
        return (
            Finding(fact, f"{card} keyed in", "no approval since it left the shoe", clause, self.state.next_coup_no()),
        )

    def irregularity(self, event: Event) -> Findings:
        """A coup without wagers that the book orders needs no authorisation; another one will wait."""
        case, code, number = event.data["case"], event.data["code"], event.data["coup_no"]
        by_the_book = case in str(self.book.switch["dummy_ordered_by"].value).split()
        following = self.state.next_of_case(case, number)
        number = following if code == "NEXT_NO_BET" else number
        if code in ("THIS_NO_BET", "NEXT_NO_BET"):
            if by_the_book:
                self._settle(number)
            elif self._needed() and number not in self._settled:
                self._prompted.add(number)
        elif code in ("NEXT_LIVE", "NOT_USED") and self.notices.kind_of(following) == "live":  # by a person
            self._forget(following)
        return NONE

    def handed_over(self, event: Event) -> Findings:
        """A coup that waited for its authorisation at one shoe waits at the next."""
        if event.data["import"]:
            (self._prompted if event.data["awaiting"] else self._settled).add(event.data["coup_no"])
        return NONE

    def coup_kind(self, event: Event) -> Findings:
        """A coup without wagers waits, unless the book or a person has ordered it, or it is authorised."""
        number = event.data["coup_no"]
        if event.data["kind"] == "live":
            self._over()
        elif number != self._no_bet_coup:
            self._no_bet_coup, self._reported = number, False
            self.awaiting = self._needed() and number not in self._settled and not self._key
            if self.awaiting and number not in self._prompted and self._unused:  # nothing shows who ordered it
                self.awaiting, self._unused = False, self._unused - 1
        self._settled = {coup for coup in self._settled if coup >= number}
        self._prompted = {coup for coup in self._prompted if coup > number}
        return NONE

    def checkpoint(self, event: Event) -> Findings:
        """Compare how many authorisations are left."""
        left = event.data["authorised"]
        if not self._certain or not event.data["coup_no"] or left == self._unused:
            return NONE
        fact = "The shoe's count of authorisations does not match its log."
        return (Finding(fact, f"{left} left", f"{self._unused} left"),)

    def certain(self) -> bool:
        """Return True if the log shows every authorisation of this shoe, the key included."""
        return self._certain

    def drawn_without(self, event: Event) -> bool:
        """Return True for the first card of a coup that came without authorisation."""
        data = event.data
        if data["slot"] in NO_COUP or data["flags"].get("surplus") or not (self.awaiting and self._certain):
            return False
        reported, self._reported = self._reported, True
        return not reported
