"""An edge for tests: a real ledger, the jackpots of a gateway, and tables whose shoes' logs are written by hand."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from sabot_gateway.config import Table
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.jackpots.jackpots import Jackpots
from sabot_gateway.ledger import Entry, Ledger
from sabot_gateway.operator.desk import Desk
from sabot_gateway.operator.requests import TableRequest, parse
from sabot_gateway.own_entries import OwnEntries
from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.ports import Line
from sabot_gateway.table_session import TableSession
from sabot_gateway.verify import Record, Verifier
from sabot_gateway.verify.moves import Moves
from sabot_protocol import rulebooks
from sabot_protocol.jackpots.messages import IncrementMessage, RecordedMessage
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.topics import AlarmMessage, ConfirmedMessage
from sabot_service.messages import Answer
from sabot_service.moment import Moment
from shoe_events import event
from verified_log import FOUR, Log

TIME = "2026-11-17T12:00:00.000Z"
SUITED = "8H 8H 8H 8H"  # the order drawn; always a tie of six
COLOURED = "8H 8D 8H 8D"
MIXED = "8H 8S 8D 8C"
TIE = ("tie", (6, 6))


def lucky_tie(**changes: Any) -> Parameters:
    """A Lucky Tie of Crown, option 1: 250 for each coup."""
    fields: dict[str, Any] = {
        "id": "lucky-tie",
        "title": "Lucky Tie",
        "rulebook": "crown-baccarat",
        "currency": "AUD",
        "in_force": "2025-01-01",
        "tables": ["bac-01", "bac-02"],
        "increment": 250,
        "base": 1_000_000,
        "unreasonable": 250,
        "rounding": 500,
        "qualifying": ["tie"],
        "equipment": ["console", "display", "handset"],
        "trigger": {"kind": "lucky_tie", "option": "option_1", "percent": {"suited": 100, "coloured": 15}},
    }
    return msgspec.convert(fields | changes, Parameters)


def from_wagers(**changes: Any) -> Parameters:
    """A jackpot of New Zealand from wagers: 1.5 per cent of each stake on a tie; a perfect pair of the Player wins."""
    fields: dict[str, Any] = {
        "id": "pairs",
        "title": "Pairs",
        "rulebook": "nz-baccarat",
        "currency": "NZD",
        "funding": "wager",
        "increment": 0,
        "wager_increment": {"tie": "1.5%"},
        "unreasonable": 100_000,
        "rounding": 100,
        "qualifying": ["tie"],
        "trigger": {"kind": "outcome", "wager": "perfect_pair_player", "percent": {"perfect": 100}},
    }
    return lucky_tie(**(fields | changes))


class TableLog(Log):
    """A table: each call is one event of its shoe, which waits for the next commit of the edge."""

    def __init__(self, edge: "Edge", name: str, number: int) -> None:
        self.edge, self.name, self.unit = edge, name, f"5ab00000000000{number:02x}"
        self.pending: list[Entry] = []
        super().__init__(edge.book)

    @property
    def session(self) -> TableSession:
        return self.edge.sessions[self.name]

    def __call__(self, kind: str, /, *, ms: int = 1000, time: str = "", unit: str = "", **data: Any) -> list[Record]:
        """Take one more event."""
        self.no, self.ms = self.no + 1, self.ms + ms
        made = replace(event(self.no, kind, **data), time_ms=self.ms % 2**30, unit=self.unit)
        records = self.session.verifier.take(made, TIME)
        self.records += records
        for position, record in enumerate(records):
            number, frame = (None, b"") if position else (made.event_no, made.raw)
            payload = msgspec.json.encode(record.message) if record.message else b""
            digest = self.session.verifier.digest
            self.pending.append(Entry(self.unit, number, self.name, record.topic or "", payload, frame, TIME, digest))
        return records

    def play(self, dealt: str = FOUR, winner: str = "player", points: tuple[int, int] = (9, 5), **more: Any) -> str:
        """Deal a coup, confirm it and commit; return the id of the message on `confirmed`."""
        self.deal(dealt)
        self.result(winner, points, **{"natural": points[0] > 7 or points[1] > 7, **more})
        self.confirm()
        self.edge.commit()
        (confirmed,) = [one.message for one in self.records[-1:] if isinstance(one.message, ConfirmedMessage)]
        return confirmed.id

    def tie(self, dealt: str = SUITED) -> str:
        """Four eights and a tie."""
        return self.play(dealt, *TIE, player_pair=True, banker_pair=True)

    def void(self, coup: int) -> None:
        """The shoe reports that a coup is void."""
        self("coup_void", shoe_no=1, coup_no=coup, reason="misdeal", then="go_on", cards=4)
        self.edge.commit()

    def dispute(self) -> None:
        """A card that is not of the next coup: the coup that was confirmed last is disputed."""
        self.coup_no += 3
        self.card("9S", "player_1")
        self.edge.commit()

    def kind(self, kind: str) -> None:
        """The next coup is of this kind."""
        self.command("authorise", times=1)
        self.command("no_bet", kind=kind)
        self("coup_kind", shoe_no=1, coup_no=self.coup_no, kind=kind)


class Edge:
    """A gateway without ports and broker: `commit` stores what waits, as the daemon does."""

    def __init__(
        self,
        path: Path,
        *parameters: Parameters,
        tables: tuple[str, ...] = ("bac-01", "bac-02"),
        book: str = "crown-baccarat",
        key: bytes = b"",
    ) -> None:
        self.path, self.book, self.names, self.key = path, book, tables, key
        self.sessions: dict[str, TableSession] = {}
        self.tables: dict[str, TableLog] = {}
        self._start(parameters)
        self.tables |= {name: TableLog(self, name, number) for number, name in enumerate(tables, 1)}
        self.one = self.tables[tables[0]]
        self.answers: list[Answer] = []

    def _start(self, parameters: tuple[Parameters, ...]) -> None:
        self.ledger = Ledger(self.path)
        self.own = OwnEntries(self.ledger.gateway_id().hex(), self.ledger.next_own_no())
        self.desk, moves = Desk(self.own), Moves()
        book = rulebooks.load(self.book)
        profile = book.profile(8, 1)
        for name in self.names:
            verifier = Verifier(name, book, profile, self.desk.attempts.decider_of, moves)
            link, config = ShoeLink(profile, lambda unit: 0), Table(name, "/dev/null", self.book)
            incidents = IncidentBook(name, book, self.desk.attempts.decider_of)
            self.sessions[name] = TableSession(config, Line("/dev/null", 9600), link, verifier, incidents)
            self.sessions[name].catch_up(self.ledger)
        self.jackpots = Jackpots(self.ledger, self.own, self.sessions)
        self.configure(*parameters)

    def configure(self, *parameters: Parameters) -> None:
        """Take the jackpots of a file, as a start and SIGHUP do."""
        self.parameters = parameters
        self.jackpots.configure(parameters, self.key, TIME)
        self.step()

    def step(self) -> None:
        if self.jackpots.due:
            self.jackpots.step(Moment(0.0, TIME))

    def restart(self) -> None:
        """End as a kill does, and start again; the shoes send again what was not stored."""
        self.ledger.close()
        for table in self.tables.values():
            table.pending.clear()
        self._start(self.parameters)

    def commit(self) -> None:
        """Store what waits in one transaction, and carry out what people requested, until nothing waits."""
        while self.own.waiting or any(table.pending for table in self.tables.values()):
            entries = [entry for table in self.tables.values() for entry in table.pending] + self.own.waiting
            self.jackpots.append(entries)
            for table in self.tables.values():
                table.pending.clear()
            self.own.waiting.clear()
            self.jackpots.raise_alarms(Moment(0.0, TIME))
            self.desk.committed(Moment(0.0, TIME))

    def ask(self, verb: str, table: str = "bac-01", *, time: str = TIME, clause: str = "", **args: Any) -> Answer:
        """Request something as a person does; return the answer."""
        self.take(verb, table, time=time, clause=clause, **args)
        self.commit()
        return self.answers.pop()

    def take(self, verb: str, table: str = "bac-01", *, time: str = TIME, clause: str = "", **args: Any) -> None:
        """Request something; it waits for a commit."""
        line = {"verb": verb, "table": table, "by": "D. Ealer", "clause": clause, "args": args}
        request = parse(msgspec.json.encode(line))
        assert isinstance(request, TableRequest)
        self.desk.take(request, "floor", self.sessions.get(table), self.answers.append, Moment(0.0, time))

    def increments(self, jackpot: str = "lucky-tie", table: str = "") -> list[IncrementMessage]:
        """Return the increments of the ledger, in its order."""
        entries = self.ledger.entries("WHERE topic = ?", (f"jackpot/{jackpot}",))
        found = [msgspec.json.decode(entry.payload, type=IncrementMessage) for entry in entries]
        return [one for one in found if table in ("", one.table)]

    def sums(self, jackpot: str = "lucky-tie", table: str = "") -> list[tuple[int, int, int]]:
        """Return amount, count and total of each increment."""
        return [(one.amount, one.count, one.total) for one in self.increments(jackpot, table)]

    def records(self, jackpot: str = "lucky-tie") -> list[RecordedMessage]:
        """Return the recorded wins of the ledger."""
        entries = self.ledger.entries("WHERE topic = ?", (f"jackpot/{jackpot}/recorded",))
        return [msgspec.json.decode(entry.payload, type=RecordedMessage) for entry in entries]

    def alarms(self, table: str = "bac-01") -> list[AlarmMessage]:
        """Return the active alarms about jackpots."""
        return self.sessions[table].verifier.alarms.named("jackpot_not_incremented")
