"""Authorised: which coup without wagers waits for a supervisor's word, and whether it was said in time."""

from dataclasses import dataclass, field

from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Findings
from sabot_gateway.verify.state import NO_COUP, ShoeState

_MOST_WORDS = 255


@dataclass
class AuthorisationCheck:
    """Words said and not used, and the coup that waits for one."""

    state: ShoeState
    book: Rulebook
    _words: int = 0
    _key: bool | None = None  # turned; None until the log shows it
    _awaiting: bool = False
    _told: bool = False  # that a card of the coup came without it
    _without: int = -1  # the coup that is one without wagers
    _by_the_book: set[int] = field(default_factory=set)  # coups that need no word of their own
    _sure: bool = False  # every word of this shoe is known, and where its key was when it was opened

    def log_gap(self, event: Event) -> Findings:
        """An authorisation may be in the missing part of the log."""
        self._sure = self._awaiting = False
        return NONE

    def boot(self, event: Event) -> Findings:
        """With its first event a shoe has its key at rest."""
        if event.event_no == 1:
            self._key = False
        return NONE

    def shoe_opened(self, event: Event) -> Findings:
        """No word is said."""
        self.boot(event)
        self._over()
        self._words, self._sure = 0, self._key is not None
        self._by_the_book.clear()
        return NONE

    def _over(self) -> None:
        self._awaiting, self._without = False, -1

    def shoe_closed(self, event: Event) -> Findings:
        """Words are for this shoe."""
        self._over()
        self._words = 0
        return NONE

    def coup(self, event: Event) -> Findings:
        """The coup is over."""
        self._over()
        return NONE

    coup_void = coup

    def key(self, event: Event) -> Findings:
        """The supervisor's key is his word while it is turned."""
        self._key = bool(event.data["on"])
        self._awaiting &= not self._key
        return NONE

    def command_done(self, event: Event) -> Findings:
        """Words, and what uses one up."""
        command, data = event.data["command"], event.data["data"]
        if command == "authorise":
            used = int(self._awaiting)
            self._awaiting = False
            self._words = min(_MOST_WORDS, self._words + data["times"] - used)
        elif command == "key_card" and self.book.switch["manual_entry"].value != "silent" and not self._key:
            self._words -= self._words > 0
        elif command == "this_no_bet":
            self._by_the_book.add(self.state.next_coup_no())
        return NONE

    def irregularity(self, event: Event) -> Findings:
        """A coup without wagers that the book itself orders needs no word."""
        data = event.data
        if data["case"] in str(self.book.switch["dummy_ordered_by"].value).split():
            if data["code"] == "THIS_NO_BET":
                self._by_the_book.add(data["coup_no"])
            elif data["code"] == "NEXT_NO_BET":
                self._by_the_book.add(data["coup_no"] + 1)
        return NONE

    def handed_over(self, event: Event) -> Findings:
        """The word that was missing at one shoe is missing at the next."""
        if event.data["import"] and not event.data["awaiting"]:
            self._by_the_book.add(event.data["coup_no"])
        return NONE

    def coup_kind(self, event: Event) -> Findings:
        """A coup becomes one without wagers: it waits unless a word is there."""
        number = event.data["coup_no"]
        if event.data["kind"] == "live":
            self._over()
        elif number != self._without:
            self._without, self._told = number, False
            needed = bool(self.book.switch["dummy_needs_authorisation"].value) and number not in self._by_the_book
            self._awaiting = needed and not self._key and not self._words
            self._words -= needed and not self._key and self._words > 0
        self._by_the_book = {coup for coup in self._by_the_book if coup >= number}
        return NONE

    def certain(self) -> bool:
        """Return True if the log shows every word of this shoe, the key included."""
        return self._sure

    def drawn_without(self, event: Event) -> bool:
        """This card is the first of its coup that came without the word."""
        data = event.data
        if data["slot"] in NO_COUP or data["flags"].get("surplus") or not (self._awaiting and self._sure):
            return False
        told, self._told = self._told, True
        return not told
