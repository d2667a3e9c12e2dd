"""Results: the coups of the shoe on the table, from messages on `coup` and `confirmed`, and which of them are out."""

from typing import NamedTuple

from sabot_protocol.roads.results import of_coup
from sabot_protocol.topics import CardMessage, ConfirmedMessage, CoupMessage, ShoeMessage

from sabot_gateway.verify.state import NO_COUP

MOST = 1000  # of a shoe, the newest: a shoe with a continuous shuffler has no end
Place = tuple[str, int]  # unit and shoe number


class Results(NamedTuple):
    """What everybody may know: the results that are out, the coups in dispute, the newest coup that is out."""

    text: str = ""
    coups: tuple[int, ...] = ()
    undecided: tuple[int, ...] = ()
    last: CoupMessage | None = None


class ShoeResults:
    """Messages in, in the order of the ledger; a correction replaces what it corrects, whenever it comes."""

    def __init__(self) -> None:
        self.place: Place = ("", 0)
        self._begin(self.place)

    def _begin(self, place: Place) -> None:
        self.place, self._closed = place, False
        self.dealt_no = 0  # the newest coup of which a card that was due is out
        self._coups: dict[int, CoupMessage] = {}  # the newest message about each coup that is not void
        self._texts: dict[int, str] = {}  # of those of these coups that have a result
        self._numbers: dict[str, int] = {}  # the coup of each of these messages, by its id
        self._confirmed: set[int] = set()
        self._known: Results | None = None

    def shoe(self, message: ShoeMessage) -> None:
        """A shoe was opened or closed; with a closed shoe every result is out."""
        place = (message.unit, message.shoe)
        if message.state == "open" or place != self.place:
            self._begin(place)
        self._closed, self._known = message.state == "closed", None

    def card(self, message: CardMessage) -> None:
        """The first card of a coup brings the results of those before it out."""
        if message.coup > self.dealt_no and message.slot not in NO_COUP and "surplus" not in message.notes:
            self.dealt((message.unit, message.shoe), message.coup)

    def dealt(self, place: Place, coup: int) -> None:
        """Note that a card of this coup, which was due, has left the shoe."""
        if place == self.place and coup > self.dealt_no:
            self.dealt_no, self._known = coup, None

    def coup(self, message: CoupMessage) -> None:
        """Take a result, or what corrects one; of another shoe only if that one is on the table now."""
        number = self._numbers.pop(message.corrects, None) if message.corrects else self._first_of(message)
        if number is None:
            return
        self._known = None
        before = self._coups.pop(number, None)
        if before is not None:
            self._numbers.pop(before.id, None)
        self._texts.pop(number, None)
        if message.kind == "void":
            self._confirmed.discard(number)
            return
        self._coups[number], self._numbers[message.id] = message, number
        if message.status != "disputed" and message.winner:
            self._texts[number] = _text(message)
        if len(self._coups) > MOST:
            self._drop(min(self._coups))

    def _first_of(self, message: CoupMessage) -> int | None:
        """Return the number of a coup that corrects none; a shoe whose opening was not seen begins with it."""
        place = (message.unit, message.shoe)
        if place != self.place:
            if message.unit == self.place[0] and message.shoe < self.place[1]:
                return None  # of the shoe before, and known only now
            self._begin(place)
        self._confirmed.discard(message.coup)
        return message.coup

    def _drop(self, number: int) -> None:
        del self._numbers[self._coups.pop(number).id]
        self._texts.pop(number, None)
        self._confirmed.discard(number)

    def confirmed(self, message: ConfirmedMessage) -> None:
        """A result is confirmed."""
        self.confirm(message.coup_id)

    def confirm(self, coup_id: str) -> None:
        """Bring out the result of this message on `coup`, if it is of this shoe."""
        number = self._numbers.get(coup_id)
        if number is not None:
            self._confirmed.add(number)
            self._known = None

    def current(self) -> Results:
        """Return the results as they are now."""
        if self._known is None:
            self._known = self._results()
        return self._known

    def _results(self) -> Results:
        out = tuple(number for number in sorted(self._texts) if self.is_out(number))
        return Results(
            " ".join(map(self._texts.__getitem__, out)),
            out,
            tuple(number for number in sorted(self._coups) if self._coups[number].status == "disputed"),
            self._coups[out[-1]] if out else None,
        )

    def is_out(self, number: int) -> bool:
        """Return True if everybody may know the result of this coup."""
        return self._closed or number in self._confirmed or number < self.dealt_no


def _text(coup: CoupMessage) -> str:
    result = of_coup(coup.kind, coup.winner, coup.banker_pair, coup.player_pair, coup.natural)
    assert result is not None  # neither void nor disputed
    return result.text()
