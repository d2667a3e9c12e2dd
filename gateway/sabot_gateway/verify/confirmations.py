"""Confirmations: which results may be settled; each is published once, and again if corrected (Rapid 7.7.4.9, 8.1)."""

from typing import Any, Literal

from msgspec.structs import asdict
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.topics import ConfirmedMessage, CoupMessage

from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.records import Record, Source

MOST = 200  # more than can be disputed, or recalled after a restart


class Confirmations:
    """Maps the id of a coup's newest message on `coup` to the id of its newest on `confirmed`."""

    def __init__(self) -> None:
        self._confirmed: dict[str, str] = {}  # of the newest coups
        self._disputed: dict[str, str] = {}  # of those that were disputed after that

    def awaited(self, coup: CoupMessage) -> bool:
        """Return True if this coup has a result that nobody has confirmed, voided or disputed."""
        return coup.status == "verified" and coup.kind != "void" and coup.id not in self._confirmed

    def confirm(self, coup: CoupMessage, decider: Decider, source: Source) -> Record:
        """Confirm the coup on the table."""
        changes: dict[str, Any] = decider.fields()
        changes["id"], changes["unit"], changes["corrects"] = source.id, source.unit, ""
        changes["event_no"], changes["time"] = source.event_no, source.time
        return self._record(_of(coup, "confirmed", changes))

    def follow(self, coup: CoupMessage) -> list[Record]:
        """Return the record that follows from a message about a coup: it confirms, or corrects what was confirmed."""
        if not coup.corrects and coup.status == "verified":
            return []  # the first message about a coup, as most are
        before = self._confirmed.pop(coup.corrects, "") or self._disputed.pop(coup.corrects, "")
        if coup.status == "disputed" and before:
            _keep(self._disputed, coup.id, before)
        if coup.status in ("disputed", "verified") or (coup.status == "void" and not before):
            return []
        status: Literal["confirmed", "void"] = "void" if coup.status == "void" else "confirmed"
        return [self._record(_of(coup, status, {"id": result_id(coup), "corrects": before}))]

    def restore(self, disputed: dict[str, str]) -> None:
        """Take from the ledger the coups that were confirmed and are disputed now."""
        for coup_id, message_id in disputed.items():
            _keep(self._disputed, coup_id, message_id)

    def recall(self, decision: CoupMessage) -> None:
        """Take a decision from before a restart."""
        if decision.status == "confirmed":
            _keep(self._confirmed, decision.id, result_id(decision))

    def recall_result(self, coup_id: str, message_id: str) -> None:
        """Take from the ledger which message confirmed a coup; empty: none did."""
        if message_id:
            _keep(self._confirmed, coup_id, message_id)
        else:
            self._confirmed.pop(coup_id, None)

    def _record(self, message: ConfirmedMessage) -> Record:
        _keep(self._confirmed, message.coup_id, message.id)
        return Record("confirmed", message)


def confirm_first(book: Rulebook) -> str:
    """Return the clauses by which no coup is settled before the dealer has entered its result and confirmed it."""
    switch = book.switch["result_before_confirm"]
    return switch.clause if switch.value else ""


def result_id(coup: CoupMessage) -> str:
    """Return the id of the message on `confirmed` that follows from a decision."""
    return f"{coup.id}-result"


def _keep(known: dict[str, str], coup_id: str, message_id: str) -> None:
    known[coup_id] = message_id
    if len(known) > MOST:
        del known[next(iter(known))]


def _of(coup: CoupMessage, status: Literal["confirmed", "void"], changes: dict[str, Any]) -> ConfirmedMessage:
    fields = asdict(coup)
    fields.update(changes)
    fields["status"], fields["coup_id"] = status, coup.id
    return ConfirmedMessage(**fields)
