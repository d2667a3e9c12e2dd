"""A shoe's log with the incidents that follow from it: by hand, for any rulebook."""

from typing import Any

from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.incidents.openings import Opening
from sabot_gateway.verify import Record, Source, Verifier
from sabot_gateway.verify.deciders import Decider
from sabot_protocol import incidents
from sabot_protocol.incidents import Opener
from sabot_protocol.topics import IncidentMessage, Step
from shoe_events import UNIT
from verified_log import Log

GATEWAY = "6a7e000000000001"
SMITH = Decider("A. Smith", "12.13", "2026-01-01T00:00:09.000Z", f"{GATEWAY}-5", "casino_supervisor")


class IncidentLog(Log):
    """`incidents` has every message, `book` the open ones; `person` requested the commands that the shoe logs."""

    def __init__(self, rulebook: str = "star-baccarat", most: int = 100, **choices: str) -> None:
        self.person: Decider | None = None
        self.incidents: list[IncidentMessage] = []
        self.most = most
        super().__init__(rulebook, 8, "none", **choices)

    def __call__(self, kind: str, /, **data: Any) -> list[Record]:
        """Take one more event; return its records and those of the incidents that follow."""
        if not hasattr(self, "open_book"):
            self.open_book = IncidentBook("bac-01", self.book, lambda *_: self.person, self.most)
            self.verifier = Verifier("bac-01", self.book, self.profile, lambda *_: self.person)
        records = super().__call__(kind, **data)
        event = self.last_event
        source = Source(event.unit, event.event_no, self.time(event.event_no))
        return [*records, *self._kept(self.open_book.follow(records, source, self.verifier.state, event))]

    def reported(self, case: str, code: str, **facts: bool) -> None:
        """A person reports an irregularity."""
        self.command("irregularity", case=case, facts={})
        self.irregularity(case, code, **facts)

    @staticmethod
    def time(number: int) -> str:
        """One event a second."""
        return f"2026-01-01T00:{number // 60:02}:{number % 60:02}.000Z"

    def voided(
        self, coup_no: int = 1, role: str = "casino_supervisor", reason: str = "misdeal", cards: int = 4
    ) -> None:
        """A person of this role voids a coup of shoe 1."""
        self.person = SMITH._replace(role=role)
        self.command("void_coup", reason=reason, then="go_on")
        self("coup_void", shoe_no=1, coup_no=coup_no, reason=reason, then="go_on", cards=cards)

    def own(self, records: list[Record], number: int, person: Decider | None = None) -> None:
        """Take records of the gateway's own: a decision, an acknowledgement."""
        source = Source(GATEWAY, number, self.time(number))
        self._kept(self.open_book.follow(records, source, self.verifier.state, person=person))

    def decide(self, coup: str, verdict: Any, number: int = 50) -> None:
        """Decide a disputed coup for A. Smith."""
        source = Source(GATEWAY, number, self.time(number))
        disputed = self.verifier.disputes.find(coup)
        self.own(self.verifier.decide(disputed, verdict, SMITH, source), number, SMITH)

    def acknowledge_all(self, number: int = 40) -> None:
        """Acknowledge every alarm."""
        for offset, alarm in enumerate(self.verifier.active()):
            source = Source(GATEWAY, number + offset, self.time(number + offset))
            self.own(self.verifier.acknowledge(alarm.alarm, "A. Smith", source), number + offset)

    def opening(self, name: str, *, report: bool = False) -> Opening:
        """Return an opening by an act, or by a report."""
        opener = Opener(report=name) if report else Opener(act=name)
        return Opening(incidents.kind_of(self.book.id, opener), opener, UNIT, 1, 1, "", {})

    def _kept(self, records: list[Record]) -> list[Record]:
        self.incidents += [record.message for record in records if isinstance(record.message, IncidentMessage)]
        return records

    def one(self) -> IncidentMessage:
        """Return the newest state of the only incident."""
        assert len({incident.incident for incident in self.incidents}) == 1, self.incidents
        return self.incidents[-1]

    def states(self) -> list[tuple[str, str, list[str]]]:
        """Return of each message kind, state, and the steps that are open."""
        return [(one.kind, one.state, [step.name for step in one.steps if not step.done]) for one in self.incidents]

    def step(self, name: str) -> Step:
        """Return a step of the only incident."""
        (step,) = (step for step in self.one().steps if step.name == name)
        return step


__all__ = ["GATEWAY", "SMITH", "UNIT", "IncidentLog"]
