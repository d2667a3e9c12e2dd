"""Confirmations: which results may be settled, each told once, and again when it is corrected (Rapid 7.7.4.9, 8.1)."""

from collections.abc import Mapping
from typing import Literal

from msgspec.structs import asdict, replace
from sabot_protocol.topics import ConfirmedMessage, CoupMessage

from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.records import Record, Source

# Clauses of the books that settle no coup before the dealer has confirmed it.
CONFIRM_FIRST: Mapping[str, str] = {"star-rapid": "7.7.4.9, 7.7.4.10, 8.1"}
MOST = 200  # more than are disputed, or decided and recalled, at a time


class Confirmations:
    """By the id of the newest message on `coup`: the id of the newest on `confirmed`."""

    def __init__(self) -> None:
        self._said: dict[str, str] = {}  # of the newest coups
        self._in_doubt: dict[str, str] = {}  # and of those that are disputed since

    def awaited(self, coup: CoupMessage) -> bool:
        """Return True if this coup has a result that nobody has confirmed, voided or disputed."""
        return coup.status == "verified" and coup.kind != "void" and coup.id not in self._said

    def confirm(self, coup: CoupMessage, decider: Decider, source: Source) -> Record:
        """The dealer or a supervisor confirms the coup on the table."""
        at = {"id": source.id, "unit": source.unit, "event_no": source.event_no, "time": source.time}
        return self._tell(_of(replace(coup, **at, **decider.fields()), coup.id, "confirmed"))

    def follow(self, coup: CoupMessage) -> list[Record]:
        """A coup is told: by a decision that confirms it, or after it was confirmed, that is told here too."""
        before = self._said.pop(coup.corrects, "") or self._in_doubt.pop(coup.corrects, "")
        if coup.status == "disputed" and before:
            _keep(self._in_doubt, coup.id, before)
        if coup.status in ("disputed", "verified") or (coup.status == "void" and not before):
            return []
        status: Literal["confirmed", "void"] = "void" if coup.status == "void" else "confirmed"
        said = replace(_of(coup, coup.id, status), id=result_id(coup))
        return [self._tell(replace(said, corrects=before))]

    def restore(self, said: dict[str, str]) -> None:
        """What the ledger has of coups that are disputed."""
        for coup_id, message_id in said.items():
            _keep(self._in_doubt, coup_id, message_id)

    def recall(self, decision: CoupMessage) -> None:
        """A decision from before a restart."""
        if decision.status == "confirmed":
            _keep(self._said, decision.id, result_id(decision))

    def _tell(self, said: ConfirmedMessage) -> Record:
        _keep(self._said, said.coup_id, said.id)
        return Record("confirmed", said)


def result_id(coup: CoupMessage) -> str:
    """The id of the message on `confirmed` that follows from a decision."""
    return f"{coup.id}-result"


def _keep(known: dict[str, str], coup_id: str, message_id: str) -> None:
    known[coup_id] = message_id
    if len(known) > MOST:
        del known[next(iter(known))]


def _of(coup: CoupMessage, coup_id: str, status: Literal["confirmed", "void"]) -> ConfirmedMessage:
    return ConfirmedMessage(**{**asdict(coup), "status": status, "corrects": ""}, coup_id=coup_id)
