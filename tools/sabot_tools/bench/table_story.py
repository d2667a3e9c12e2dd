"""A table as screens see it: the messages that a gateway publishes while shoes are dealt, coup by coup, by a seed."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

import msgspec
from sabot_protocol.cards import DECK
from sabot_protocol.table_states import HandCard, HandMessage, HandPhase, HandResult, HistoryMessage, LastHand
from sabot_protocol.topics import AlarmMessage, AlarmsMessage, StatusMessage
from sabot_sim.scenarios import draw_tables

TIME: Final = "2026-01-01T12:00:00.000Z"
COUPS_OF_A_SHOE: Final = 72
BOOK: Final = "crown-baccarat"
_SLOTS: Final = ("player_1", "banker_1", "player_2", "banker_2", "player_3", "banker_3")
_LETTERS: Final = {"player": "P", "banker": "B", "tie": "T"}
_ALARM_SHARE: Final = 0.1
Topic = Literal["status", "history", "hand", "alarms"]


class Published(NamedTuple):
    """A message of a table, below its own topic."""

    topic: Topic
    message: msgspec.Struct


@dataclass
class TableStory:
    """`coup` yields the messages of the next coup; a shoe has COUPS_OF_A_SHOE, then the next one begins."""

    table: str
    seed: int = 1
    number: int = 0  # of the coup, over all shoes
    shoe: int = 1
    results: list[str] = field(default_factory=list)
    last: LastHand | None = None

    def __post_init__(self) -> None:
        """Seed the cards."""
        self._rng = random.Random(f"{self.seed}-{self.table}")

    def begin(self) -> Iterator[Published]:
        """Yield what is retained before the first coup."""
        yield Published("status", StatusMessage(state="online", time=TIME, unit="5ab0", rulebook=BOOK))
        yield Published("alarms", AlarmsMessage(table=self.table, time=TIME, alarms=[]))
        yield Published("history", self._history("bets"))
        yield Published("hand", self._hand("bets"))

    def coup(self) -> Iterator[Published]:
        """Yield the messages of one coup: bets, each card, the result, sometimes an alarm that comes and goes."""
        self._next()
        yield Published("history", self._history("bets"))
        yield Published("hand", self._hand("bets"))
        cards = self._rng.choices(DECK, k=6)
        player, banker = draw_tables.hands(cards)
        drawn = self._in_order(player, banker)
        yield Published("history", self._history("no_more_bets"))
        for count in range(1, len(drawn) + 1):
            due = drawn[count].slot if count < len(drawn) else ""
            yield Published("hand", self._hand("dealing", drawn[:count], due))
        winner: Any = draw_tables.winner(player, banker)
        points: dict[str, Any] = {
            "player_points": draw_tables.points(player),
            "banker_points": draw_tables.points(banker),
        }
        found = HandResult(id=f"5ab0-{self.number}", status="verified", winner=winner, **points)
        yield Published("hand", self._hand("complete", drawn, result=found))
        if self._rng.random() < _ALARM_SHARE:
            yield Published("alarms", AlarmsMessage(table=self.table, time=TIME, alarms=[self._alarm()]))
            yield Published("alarms", AlarmsMessage(table=self.table, time=TIME, alarms=[]))
        self.last = LastHand(
            coup=self.number, kind="live", winner=winner, player=player, banker=banker, **points, time=TIME
        )
        self.results.append(_LETTERS[winner])
        yield Published("history", self._history("bets"))

    def result_only(self) -> Published:
        """Return the message with the next result: one change of what everybody sees."""
        *_, last = self.coup()
        return last

    def _next(self) -> None:
        self.number += 1
        if len(self.results) >= COUPS_OF_A_SHOE:
            self.results, self.last, self.shoe = [], None, self.shoe + 1

    def _in_order(self, player: Sequence[str], banker: Sequence[str]) -> list[HandCard]:
        by_slot = {f"player_{place}": card for place, card in enumerate(player, 1)}
        by_slot |= {f"banker_{place}": card for place, card in enumerate(banker, 1)}
        return [HandCard(slot=slot, card=by_slot[slot]) for slot in _SLOTS if slot in by_slot]

    def _history(self, phase: Literal["bets", "no_more_bets"]) -> HistoryMessage:
        first = self.number - len(self.results) + (self.last is not None and self.last.coup == self.number)
        return HistoryMessage(
            table=self.table, time=TIME, unit="5ab0", shoe=self.shoe, state="open", results=" ".join(self.results),
            coups=list(range(first, first + len(self.results))), phase=phase, coup=self.number, last=self.last,
        )  # fmt: skip

    def _hand(
        self, phase: HandPhase, cards: list[HandCard] | None = None, due: str = "", result: HandResult | None = None
    ) -> HandMessage:
        return HandMessage(
            table=self.table, time=TIME, unit="5ab0", shoe=self.shoe, phase=phase, coup=self.number,
            cards=cards or [], due=due or ("player_1" if phase == "bets" else ""), locked=not due, result=result,
        )  # fmt: skip

    def _alarm(self) -> AlarmMessage:
        return AlarmMessage(
            id=f"a-{self.number}", unit="5ab0", event_no=self.number, table=self.table, shoe=self.shoe,
            coup=self.number, time=TIME, rulebook="", name="reject", say="A card was pulled a little and released.",
            clause="", shoe_says="short pull", cards_say="", alarm=f"a-{self.number}", severity="warning",
            state="raised",
        )  # fmt: skip
