"""A table on a real ledger whose shoe's log the test writes: what its screens show, also after a restart."""

from pathlib import Path
from typing import Any, cast

import msgspec
from sabot_gateway import rules
from sabot_gateway.app import _desk
from sabot_gateway.config import Config, Table
from sabot_gateway.ledger import Ledger
from sabot_gateway.operator.verbs.wagers import NoMoreBets
from sabot_gateway.own_entries import OwnEntries
from sabot_gateway.screens.hand import hand_message
from sabot_gateway.screens.history import history_message
from sabot_gateway.shoe import parse
from sabot_gateway.shoe.driver import Driver
from sabot_gateway.shoe.parse import Event
from sabot_gateway.table_builder import TableBuilder
from sabot_gateway.verify import Record
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.disputes import Decision
from sabot_protocol import messages
from sabot_protocol.table_states import HandMessage, HistoryMessage
from sabot_protocol.topics import Winner
from shoe_events import UNIT
from verified_log import Log

TIME = "2026-11-16T10:00:00.000Z"


class Tells:
    """A driver that has the next events to tell."""

    lost = greeting = unit = problem = None

    def __init__(self) -> None:
        self.events: list[Event] = []

    def receive(self, _data: bytes, _now_s: float) -> list[Event]:
        events, self.events = self.events, []
        return events


class ScreenLog(Log):
    """Each call is one event of the shoe; `commit` stores them, `restart` is a new process of the gateway."""

    shoe_no = 1

    def __init__(
        self, directory: Path, book: str = "star-baccarat", burn: str = "none", shoe: dict[str, str] | None = None
    ) -> None:
        self.ledger = Ledger(directory / "ledger.db")
        self._driver = Tells()
        self._config = Config(
            "test", str(directory / "ledger.db"), "mqtt://127.0.0.1:9", (Table("bac-01", "/x", book, shoe=shoe or {}),)
        )
        self.restart()
        super().__init__(book, burn=burn)
        self.verifier = self.session.verifier

    def restart(self) -> None:
        """Build the table anew from the ledger."""
        self.own = OwnEntries(self.ledger.gateway_id().hex(), self.ledger.next_own_no())
        desk = _desk(self.own, self.ledger)
        self.session = TableBuilder(self._config, self.ledger, desk, {}).build(self._config.table[0])
        self.session.link = cast(Driver, self._driver)
        self.verifier = self.session.verifier

    def __call__(
        self, kind: str, /, *, ms: int = 1000, time: str = TIME, unit: str = UNIT, **data: Any
    ) -> list[Record]:
        self.no, self.ms = self.no + 1, self.ms + ms
        if "shoe_no" in data and not kind.startswith("shoe_"):
            data["shoe_no"] = self.shoe_no
        body = {"event_no": self.no, "kind": kind, "data": data}
        whole = {"type": "event", "flags": 0, "seq": 0, "time_ms": self.ms % 2**30, "body": body}
        self._driver.events.append(parse.event(unit, parse.frame(bytes(messages.Frame.build(whole)))))
        self.session.receive(b"", 0.0, time)
        return []

    def play(self, cards: str, *, winner: str = "", kind: str = "live", **flags: bool) -> None:
        """Deal a coup to its result, which may name another winner than the cards do; it is not confirmed yet."""
        coup = rules.play(cards.split())
        for card, slot in zip(cards.split(), coup.slots, strict=True):
            self.card(card, slot)
        flags = {"natural": coup.natural, "player_pair": coup.player_pair, "banker_pair": coup.banker_pair, **flags}
        self.result(winner or coup.winner, (coup.player_points, coup.banker_points), kind, **flags)

    def decide(self, coup: int, verdict: Decision, winner: Winner | None = None) -> None:
        """A supervisor decides a disputed coup."""
        disputed = next(one for one in self.verifier.disputed() if one.coup == coup)
        source = self.own.new_source(TIME)
        records = self.verifier.decide(disputed, verdict, Decider("A. Smith", "12.13"), source, winner)
        self.commit()
        self.own.add_records(self.session, records, source)
        self.commit()

    def call(self) -> None:
        """The dealer calls no more bets."""
        effect = NoMoreBets().carry_out(self.session, Decider("A. Smith"), lambda: self.own.new_source(TIME))
        for source, records in effect.stored:
            self.own.add_records(self.session, records, source)

    def commit(self) -> None:
        """Store what the shoe logged, then what the gateway added."""
        self.ledger.append([*self.session.pending, *self.own.waiting])
        self.session.pending.clear()
        self.own.waiting.clear()

    def history(self) -> HistoryMessage:
        return history_message("bac-01", self.session.verifier, self.session.screens, TIME)

    def hand(self) -> HandMessage:
        session = self.session
        return hand_message("bac-01", session.verifier, session.screens, session.fault_fields(), TIME)

    def shown(self) -> tuple[str, list[int], list[int]]:
        """Return results, their coups, and the coups in dispute."""
        history = self.history()
        return history.results, history.coups, history.undecided

    def stored(self) -> list[tuple[str, dict[str, Any]]]:
        """Return topic and message of every entry of the ledger."""
        return [(one.topic, msgspec.json.decode(one.payload)) for one in self.ledger.entries() if one.payload]
