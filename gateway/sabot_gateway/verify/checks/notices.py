"""Notices: the kind of the coup on the table and of the next, as soon as the log shows it; it finds nothing."""

from dataclasses import dataclass, field

from sabot_protocol.topics import CoupKind

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Findings
from sabot_gateway.verify.state import ShoeState


@dataclass
class KindNotices:
    """Coups without wagers, and free hands, must be shown at once: The Star 7.4, NZ 12.1 and 15.4, Crown 10.8.3."""

    state: ShoeState
    unwagered: CoupKind  # what the rulebook calls a coup without wagers
    _kinds: dict[int, CoupKind] = field(default_factory=dict)  # of coups that are not over
    _by_cards: dict[int, set[int]] = field(default_factory=dict)  # of a later coup: which of its cards made it so
    _by_person: bool = False  # the next irregularity was reported by a person, who may correct the shoe

    def kind_of(self, coup_no: int) -> CoupKind:
        """Return the kind of a coup that is not over."""
        return self._kinds.get(coup_no, "live")

    def shoe_opened(self, event: Event) -> Findings:
        """Start with nothing announced."""
        self._kinds.clear()
        self._by_cards.clear()
        return NONE

    def coup_kind(self, event: Event) -> Findings:
        """The shoe has announced the kind of a coup."""
        self._kinds[event.data["coup_no"]] = event.data["kind"]
        return NONE

    def checkpoint(self, event: Event) -> Findings:
        """A checkpoint names the kind of the next coup."""
        return self.coup_kind(event)

    def handed_over(self, event: Event) -> Findings:
        """A coup keeps its kind at the other shoe."""
        return self.coup_kind(event) if event.data["import"] else NONE

    def irregularity(self, event: Event) -> Findings:
        """Some consequences decide the kind of this coup, or of a later one, which the shoe announces then."""
        number, code = event.data["coup_no"], event.data["code"]
        following = self.state.next_of_case(event.data["case"], number)
        by_person, self._by_person = self._by_person, False
        if code == "THIS_NO_BET":
            self._kinds[number] = self.unwagered
        elif code == "NEXT_NO_BET":
            if following == self.state.waited_for():
                self._by_cards.setdefault(following, set()).add(self.state.surplus.count(following))
            self._kinds[following] = self.unwagered
        elif (code == "NEXT_LIVE" and by_person) or (code == "NOT_USED" and self.state.waited_for()):
            self._with_wagers(following)
        return NONE

    def _with_wagers(self, number: int) -> None:
        """The last surplus card takes no wagers from its coup; another card that waits for it still does."""
        cards = self._by_cards.get(number, set())
        if number == self.state.waited_for():
            cards.discard(self.state.surplus.count(number))
        if not cards or number != self.state.waited_for():
            self._kinds.pop(number, None)

    def by_last_card(self) -> int:
        """Return the coup from which only the last surplus card takes wagers, while it waits for it; else 0."""
        number = self.state.waited_for()
        return number if self._by_cards.get(number) == {self.state.surplus.count(number)} else 0

    def command_done(self, event: Event) -> Findings:
        """A person decides the kind of the coup in progress, or of the next that has no card."""
        command, state = event.data["command"], self.state
        self._by_person = command == "irregularity"
        if command == "this_no_bet":
            self._kinds[state.next_coup_no()] = self.unwagered
        elif command == "card_returned" and state.waited_for():
            self._with_wagers(state.waited_for())
        elif command == "no_bet":
            self._kinds[state.unbegun_coup_no()] = event.data["data"]["kind"]
        return NONE

    def coup(self, event: Event) -> Findings:
        """Keep the kind of the coup until the next is on the table; forget those before."""
        if self._kinds:
            self._kinds = {number: kind for number, kind in self._kinds.items() if number >= event.data["coup_no"]}
        return NONE

    def coup_void(self, event: Event) -> Findings:
        """Keep the kind of the void coup, as that of one with a result."""
        return self.coup(event)
