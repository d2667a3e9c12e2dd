"""A desk for tests: one table with a served shoe, the entries it commits, and the answers it gives."""

from dataclasses import dataclass, field
from typing import Any

import msgspec
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.jackpots.recording import TableJackpots
from sabot_gateway.operator import dealt_coups
from sabot_gateway.operator.desk import Desk
from sabot_gateway.operator.local_roles import NOT_CHECKED
from sabot_gateway.operator.requests import TableRequest, parse
from sabot_gateway.own_entries import OwnEntries
from sabot_gateway.screens.state import ScreenState
from sabot_gateway.shoe.link import ShoeLink
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Record, Verifier
from sabot_protocol.topics import CoupMessage
from sabot_service.messages import Answer, Request
from sabot_service.moment import Moment
from shoe_events import BOOK, PROFILE, Shoe, cards, event, result, sent, who_nonce

GATEWAY = "6a7e000000000001"
TIME = "2026-01-02T03:04:05.006Z"
DISPUTED = [*cards(2, "9S 2H TD 3C"), result(6, "banker", 9, 5, natural=True)]  # the Player's nine wins
CLAUSES = {"decide": "12.13", "void": "12.1.2", "export-coup": "13.2"}  # of BOOK, where a verb needs one
VOID = {"reason": "misdeal", "then": "go_on"}


@dataclass
class Table:
    """A table session as the desk sees it."""

    name: str = "bac-01"
    link: ShoeLink = field(default_factory=lambda: ShoeLink(PROFILE, lambda unit: 0))
    verifier: Verifier = field(default_factory=lambda: Verifier("bac-01", BOOK, PROFILE))

    def __post_init__(self) -> None:
        self.shoe = Shoe()
        self.next_no = 1
        self.fault = "none"
        self.jackpots: TableJackpots | None = None
        self.incidents = IncidentBook("bac-01", BOOK)
        self.screens = ScreenState()

    def find_coup(self, shoe: int, coup: int) -> tuple[CoupMessage | None, str]:
        last = self.verifier.disputes.last
        return (last, "") if last and (last.shoe, last.coup) == (shoe, coup) else (None, "")

    def why_not_dealt(self, shoe: int, coup: int) -> str:
        return dealt_coups.why_not(None, self.name, self.verifier.state, shoe, coup)

    def serve(self) -> None:
        """Connect the shoe."""
        nonce = who_nonce(self.link, 0.0)
        self.link.receive(self.shoe.hello(nonce, next_event_no=1) + self.shoe.say("alive"), 0.0)
        sent(self.link)

    def follow(self, *events: Event) -> None:
        """Let the verifier follow events that the desk does not see."""
        for one in events:
            self.verifier.take(one, TIME)

    def open(self) -> None:
        self.follow(event(1, "shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none"))

    def dispute(self) -> None:
        """Open the shoe and deal a coup that is disputed."""
        self.open()
        self.follow(*DISPUTED)


class DeskBench:
    """A desk, a table, and the answers given."""

    def __init__(self) -> None:
        self.own = OwnEntries(GATEWAY, 7)
        self.desk = Desk(self.own)
        self.table, self.answers = Table(), list[Answer]()
        self.records = list[Record]()  # of the shoe's events
        self.granted = NOT_CHECKED  # the role of the account at the socket
        self.other = Verifier("bac-02", BOOK, PROFILE)  # of another table
        self.table.verifier = Verifier("bac-01", BOOK, PROFILE, self.desk.attempts.decider_of)

    def request(self, verb: str, now_s: float = 0.0, **more: Any) -> None:
        """Send a request; nothing is committed yet."""
        given = {"verb": verb, "table": "bac-01", "by": "A. Smith", "clause": CLAUSES.get(verb, "")}
        line = msgspec.json.encode(Request(**{**given, **more}))
        request = parse(line)
        assert isinstance(request, TableRequest)
        table = self.table if request.table == "bac-01" else None
        self.desk.take(request, "floor", table, self.answers.append, Moment(now_s, TIME), granted=self.granted)

    def send(self, verb: str, **more: Any) -> None:
        """Send a request and commit its attempt and its command."""
        self.request(verb, **more)
        self.commit()
        self.commit()

    def answer_to(self, verb: str, **more: Any) -> str:
        """Send a request that needs no shoe; return the answer."""
        self.send(verb, **more)
        return self.answers.pop().say

    def coups(self) -> list[CoupMessage]:
        """The coups that the shoe's events made."""
        return [record.message for record in self.records if isinstance(record.message, CoupMessage)]

    def commit(self, now_s: float = 0.0) -> list[tuple[int | None, str, dict[str, Any]]]:
        """Make the waiting entries durable; return number, topic and payload of each."""
        entries = [(entry.event_no, entry.topic, msgspec.json.decode(entry.payload)) for entry in self.own.waiting]
        assert {entry.unit for entry in self.own.waiting} <= {GATEWAY}
        self.own.waiting.clear()
        self.desk.committed(Moment(now_s, TIME))
        return entries

    def commands_sent(self, now_s: float) -> list[tuple[int, str, dict[str, Any]]]:
        """The commands that go out to the shoe now."""
        self.table.link.tick(now_s)
        bodies = [frame.body for frame in sent(self.table.link) if frame.type == "command"]
        return [(body["command_id"], body["kind"], body["data"]) for body in bodies]

    def shoe_logs(self, kind: str, **data: Any) -> None:
        """An event of the shoe comes in."""
        frame = self.table.shoe.event(self.table.next_no, kind, **data)
        self.table.next_no += 1
        for one in self.table.link.receive(frame, 0.0):
            self.records += self.table.verifier.take(one, TIME)
            self.desk.follow(self.table, one, Moment(0.0, TIME))
        self.desk.withdraw_outdated(self.table, Moment(0.0, TIME))
