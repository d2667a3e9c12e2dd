"""Screen state: what the topics `history` and `hand` need beside the verifier: results, cards, what was called."""

from collections.abc import Callable
from typing import Any

from sabot_protocol.topics import CardMessage
from sabot_protocol.wagers.closing import Known

from sabot_gateway.screens.calls import TOPICS, CallMessage
from sabot_gateway.screens.cards import HandCards
from sabot_gateway.screens.results import ShoeResults
from sabot_gateway.verify.records import Record
from sabot_gateway.verify.state import NO_COUP

Called = tuple[str, int, int]  # unit, shoe and coup
_SEEN = frozenset(("exposed", "face_up", "keyed"))  # notes of a card whose face a person has seen
_THIRD = ("player_3", "banker_3")  # dealt only when the first four are turned


class ScreenState:
    """Follows the records of one table, in the order of the ledger."""

    def __init__(self, results: ShoeResults | None = None, wagers: "WagersNow | None" = None) -> None:
        self.results, self.cards = results or ShoeResults(), HandCards()
        self.wagers = wagers or WagersNow()
        self._take: dict[str | None, Callable[[Any], None]] = {
            "cards": self._card,
            "coup": self.results.coup,
            "confirmed": self.results.confirmed,
            "shoe": self.results.shoe,
            **dict.fromkeys(TOPICS.values(), self.called),
        }

    def follow(self, record: Record) -> None:
        """Take a record; most kinds change nothing here."""
        take = self._take.get(record.topic)
        if take is not None:
            take(record.message)

    def recall(self, record: Record) -> None:
        """Take a card from before a restart; the results are in the ledger, with what people decided since."""
        if isinstance(record.message, CardMessage):
            self._card(record.message)

    def _card(self, message: CardMessage) -> None:
        if message.coup > self.results.dealt_no:
            self.results.card(message)
        self.cards.card(message)
        turned = message.slot in _THIRD or not _SEEN.isdisjoint(message.notes)
        if turned and "surplus" not in message.notes and message.slot not in NO_COUP:
            self.wagers.exposed = (message.unit, message.shoe, message.coup)

    def called(self, message: CallMessage) -> None:
        """Take what a person has called or recorded about wagers."""
        self.wagers.follow(message)


class WagersNow:
    """The newest coup for which no more bets was called, wagers were reopened, or a card was exposed."""

    def __init__(self) -> None:
        self.called: Called | None = None
        self.reopened: Called | None = None
        self.exposed: Called | None = None

    def follow(self, message: CallMessage) -> None:
        """Take one message; what is reopened needs another call."""
        coup = (message.unit, message.shoe, message.coup)
        setattr(self, message.act, coup)
        if message.act == "reopened":
            self.called = None

    def known(self, coup: Called, *, cards: bool, face_up: bool) -> Known:
        """Return what is known of a coup; where cards are dealt face up, each one is exposed."""
        exposed = coup == self.exposed or (cards and face_up)
        return Known(coup == self.called, cards, coup == self.reopened, exposed)
