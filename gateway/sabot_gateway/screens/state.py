"""Screen state: what the topics `history` and `hand` need beside the verifier: results, cards, the dealer's call."""

from collections.abc import Callable
from typing import Any

from sabot_protocol.topics import CardMessage

from sabot_gateway.screens.calls import CALL, CallMessage
from sabot_gateway.screens.cards import HandCards
from sabot_gateway.screens.results import ShoeResults
from sabot_gateway.verify.records import Record

Called = tuple[str, int, int]  # unit, shoe and coup


class ScreenState:
    """Follows the records of one table, in the order of the ledger."""

    def __init__(self, results: ShoeResults | None = None, call: Called | None = None) -> None:
        self.results, self.cards = results or ShoeResults(), HandCards()
        self.call = call  # the coup for which the dealer has called no more bets
        self._take: dict[str | None, Callable[[Any], None]] = {
            "cards": self._card,
            "coup": self.results.coup,
            "confirmed": self.results.confirmed,
            "shoe": self.results.shoe,
            CALL: self.called,
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

    def called(self, message: CallMessage) -> None:
        """The dealer has called no more bets."""
        self.call = (message.unit, message.shoe, message.coup)
