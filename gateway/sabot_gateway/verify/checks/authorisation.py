"""Authorisation: a coup without wagers waits for a supervisor's authorisation, where the book asks for one."""

from dataclasses import dataclass, field

from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Findings
from sabot_gateway.verify.state import NO_COUP, ShoeState

_MOST_AUTHORISATIONS = 255


@dataclass
class AuthorisationCheck:
    """Authorisations that are not used, and the coup that waits for one."""

    state: ShoeState
    book: Rulebook
    _unused: int = 0
    _key: bool | None = None  # turned; None until the log shows it
    awaiting: bool = False  # the coup on the table waits
    _reported: bool = False  # a card of the coup came without it
    _no_bet_coup: int = -1  # the coup without wagers
    _by_the_book: set[int] = field(default_factory=set)  # coups that the book orders: they need no authorisation
    _certain: bool = False  # the log shows every authorisation of this shoe, and the key when it was opened

    def log_gap(self, event: Event) -> Findings:
        """An authorisation may be in the missing part of the log."""
        self._certain = False
        return NONE

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
        self._by_the_book.clear()
        return NONE

    def _over(self) -> None:
        self.awaiting, self._no_bet_coup = False, -1

    def shoe_closed(self, event: Event) -> Findings:
        """Authorisations end with the shoe."""
        self._over()
        self._unused = 0
        return NONE

    def coup(self, event: Event) -> Findings:
        """The coup is over; a coup before it may be void after it began."""
        if event.data["coup_no"] >= self._no_bet_coup:
            self._over()
        return NONE

    def coup_void(self, event: Event) -> Findings:
        """A void coup is over, too."""
        return self.coup(event)

    def key(self, event: Event) -> Findings:
        """The supervisor's key authorises while it is turned."""
        self._key = bool(event.data["on"])
        self.awaiting &= not self._key
        return NONE

    def command_done(self, event: Event) -> Findings:
        """Count authorisations, and what uses one."""
        command, data = event.data["command"], event.data["data"]
        if command == "authorise":
            used = int(self.awaiting)
            self.awaiting = False
            self._unused = min(_MOST_AUTHORISATIONS, self._unused + data["times"] - used)
        elif command == "key_card" and self.book.switch["manual_entry"].value != "silent" and not self._key:
            self._unused -= self._unused > 0
        elif command == "this_no_bet":
            self._by_the_book.add(self.state.next_coup_no())
        return NONE

    def irregularity(self, event: Event) -> Findings:
        """A coup without wagers that the book orders needs no authorisation."""
        data = event.data
        if data["case"] in str(self.book.switch["dummy_ordered_by"].value).split():
            if data["code"] == "THIS_NO_BET":
                self._by_the_book.add(data["coup_no"])
            elif data["code"] == "NEXT_NO_BET":
                self._by_the_book.add(data["coup_no"] + 1)
        return NONE

    def handed_over(self, event: Event) -> Findings:
        """A coup that waited for its authorisation at one shoe waits at the next."""
        if event.data["import"] and not event.data["awaiting"]:
            self._by_the_book.add(event.data["coup_no"])
        return NONE

    def coup_kind(self, event: Event) -> Findings:
        """A coup without wagers waits, unless an authorisation is there."""
        number = event.data["coup_no"]
        if event.data["kind"] == "live":
            self._over()
        elif number != self._no_bet_coup:
            self._no_bet_coup, self._reported = number, False
            needed = bool(self.book.switch["dummy_needs_authorisation"].value) and number not in self._by_the_book
            self.awaiting = needed and not self._key and not self._unused
            self._unused -= needed and not self._key and self._unused > 0
        self._by_the_book = {coup for coup in self._by_the_book if coup >= number}
        return NONE

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
