"""Derivation: the increments that follow from the entries of one commit, each right behind its cause."""

from collections.abc import Iterable

import msgspec
import structlog
from sabot_protocol import messages
from sabot_protocol.jackpots.contributions import Contribution, ContributionError, contribution, reversal
from sabot_protocol.jackpots.messages import IncrementMessage
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.jackpots.signing import sign
from sabot_protocol.jackpots.triggers import recognise
from sabot_protocol.topics import UNWAGERED, WAGERED, ConfirmedMessage, CoupKind, CoupMessage, Message, increment_name

from sabot_gateway.angel_eye.events import is_unit
from sabot_gateway.jackpots.entries import StakesMessage
from sabot_gateway.jackpots.increments import Draft, Increments, Problem
from sabot_gateway.jackpots.stored import Counted, StoredJackpots
from sabot_gateway.ledger import Entry, LedgerError
from sabot_gateway.screens.calls import CallMessage
from sabot_gateway.shoe import parse

_KIND_AT = 12  # of an event's frame
_HANDED_OVER = bytes([messages.EventKind.encmapping["handed_over"]])
_MOST = 2**62  # of a count or a sum: SQLite holds twice as much

_decode_confirmed = msgspec.json.Decoder(ConfirmedMessage).decode
_decode_call = msgspec.json.Decoder(CallMessage).decode
_decode_coup = msgspec.json.Decoder(CoupMessage).decode
_decode_stakes = msgspec.json.Decoder(StakesMessage).decode
_encode = msgspec.json.Encoder().encode

log: structlog.stdlib.BoundLogger = structlog.get_logger()


def derive(entries: Iterable[Entry], increments: Increments, stored: StoredJackpots) -> Draft:
    """Return the entries with the increments that follow from them; an error in one coup stops no other entry."""
    derivation = Derivation(increments, stored)
    draft, tables = derivation.draft, increments.tables
    for entry in entries:
        draft.entries.append(entry)
        if entry.table in tables:
            try:
                derivation.follow(entry)
            except LedgerError:
                raise
            except Exception as error:
                log.exception("an increment could not be derived; report it with this log", table=entry.table)
                draft.problems.append(
                    Problem(entry.table, 0, 0, "", f"internal error ({type(error).__name__}: {error})")
                )
    return draft


class Derivation:
    """One commit; what it finds goes into `draft`."""

    def __init__(self, increments: Increments, stored: StoredJackpots) -> None:
        self._increments, self._stored, self.draft = increments, stored, Draft()
        self._decisions: dict[str, str] = {}  # of this commit, by the id of the message: that which it corrects

    def follow(self, entry: Entry) -> None:
        """Add what follows from an entry of a table that has a jackpot."""
        match entry.topic:
            case "confirmed":
                self._confirmed(entry, _decode_confirmed(entry.payload))
            case "coup":
                self._coup(entry, _decode_coup(entry.payload))
            case "stakes":
                self._take_stakes(entry, _decode_stakes(entry.payload))
            case "wagers_reopened":
                self._reopened(entry, _decode_call(entry.payload))
            case _ if entry.frame[_KIND_AT : _KIND_AT + 1] == _HANDED_OVER and not is_unit(entry.unit):
                self._handed_over(entry)

    # Causes

    def _confirmed(self, entry: Entry, message: ConfirmedMessage) -> None:
        """A confirmed coup contributes once; one that corrects another first takes back what that contributed."""
        if message.id in self.draft.corrected:
            return
        stakes = self._stakes_of(message)
        unit = self._dealing_unit(message)
        taken_back = self._take_back(entry, message, unit, message.corrects)
        if stakes is not None and stakes.table == message.table:
            self._take_back(entry, message, unit, stakes.id)
        if message.corrects and not taken_back:
            self.draft.corrected.add(message.corrects)
        if message.kind == "void":
            return
        counted = self._jackpots_of(message)
        for parameters in self._increments.running.get(message.table, ()):
            if parameters.id not in counted and (parameters.unwagered or message.kind not in UNWAGERED):
                self._contribute(entry, message, unit, parameters, message.kind, stakes)

    def _coup(self, entry: Entry, message: CoupMessage) -> None:
        """A void coup takes back what its stakes have contributed."""
        if message.unit == self._increments.gateway:
            self._decisions[message.id] = message.corrects
        if message.kind == "void":
            stakes = self._stakes_of(message)
            if stakes is not None:
                self._take_back(entry, message, stakes.unit, stakes.id)

    def _take_stakes(self, entry: Entry, message: StakesMessage) -> None:
        """Stakes replace those recorded before for the coup; they contribute now, if they do after "no more bets"."""
        before = self._stakes_of(message)
        if before is not None:
            self._take_back(entry, message, message.unit, before.id)
        self.draft.stakes.append(message)
        for parameters in self._increments.running.get(message.table, ()):
            if parameters.takes_at_the_call:
                self._contribute(entry, message, message.unit, parameters, "live", message)

    def _reopened(self, entry: Entry, message: CallMessage) -> None:
        """Wagers that may change take back what their stakes have contributed."""
        stakes = self._stakes_of(message)
        if stakes is not None:
            self._take_back(entry, message, message.unit, stakes.id)

    def _handed_over(self, entry: Entry) -> None:
        """A coup that leaves takes back what its stakes have contributed: it contributes where it is confirmed."""
        event = parse.event(entry.unit, parse.frame(entry.frame))
        if event.data["import"]:
            return
        stakes = self._find_stakes(entry.table, entry.unit, event.data["shoe_no"], event.data["coup_no"])
        if stakes is not None:
            left = msgspec.structs.replace(stakes, id=f"{entry.unit}-{event.event_no}", time=entry.time)
            self._take_back(entry, left, entry.unit, stakes.id)

    # Look-ups: this commit first, then the ledger

    def _stakes_of(self, message: Message) -> StakesMessage | None:
        """Return the stakes recorded for a coup, here or at the table where it began."""
        began = getattr(message, "began", "")
        found = self._find_stakes(message.table, message.unit, message.shoe, message.coup)
        if found is None and began:
            table, unit, shoe, coup = began.split("/")
            found = self._find_stakes(table, unit, int(shoe), int(coup))
        return found

    def _find_stakes(self, table: str, unit: str, shoe: int, coup: int) -> StakesMessage | None:
        kept = self._increments.stakes(table)
        for one in (*reversed(self.draft.stakes), *reversed(kept.values())):
            same_unit = unit in (one.unit, self._increments.gateway)  # of a decision: any
            if same_unit and (one.table, one.shoe, one.coup) == (table, shoe, coup):
                return one
        return None

    def _dealing_unit(self, message: ConfirmedMessage) -> str:
        """Return the shoe that dealt the coup, also if a person decided it."""
        gateway, coup_id = self._increments.gateway, message.coup_id
        if message.unit != gateway:
            return message.unit
        while coup_id in self._decisions:
            coup_id = self._decisions[coup_id]
        return self._stored.dealing_unit(coup_id, gateway) or message.unit

    def _jackpots_of(self, message: ConfirmedMessage) -> set[str]:
        """Return the jackpots that have an increment from this message."""
        made = {one.jackpot for one in self.draft.made if one.coup_id == message.id and not one.reverses}
        return made | self._stored.jackpots_of(message.table, message.id)

    def _standing(self, table: str, coup_id: str) -> list[IncrementMessage]:
        """Return the increments from this message that are not reversed."""
        made = [one for one in self.draft.made if (one.table, one.coup_id) == (table, coup_id) and not one.reverses]
        found = [*self._stored.standing(table, coup_id), *made]
        return [one for one in found if one.id not in self.draft.reversed]

    def _counted(self, jackpot: str, table: str, currency: str) -> Counted:
        """Each currency is counted apart, so that no sum has two."""
        return self.draft.counted.get((jackpot, table, currency)) or self._increments.counted(jackpot, table, currency)

    # Increments

    def _contribute(
        self,
        entry: Entry,
        cause: ConfirmedMessage | StakesMessage,
        unit: str,
        parameters: Parameters,
        kind: CoupKind,
        stakes: StakesMessage | None,
    ) -> None:
        """Add an increment, or the problem why there is none."""
        if parameters.funding != "operator" and kind in WAGERED and stakes is None:
            self._fail(cause, parameters.id, "no stakes were recorded for it")
            return
        wagers = stakes.stakes if stakes is not None else {}
        try:
            before = self._counted(parameters.id, cause.table, parameters.currency)
            made = contribution(parameters, kind, wagers, before.carry)
            trigger = _trigger(parameters, cause)
        except ContributionError as error:
            self._fail(cause, parameters.id, str(error).removeprefix(f"jackpot {parameters.id}: "))
            return
        fields = {
            "id": f"{cause.id}-jackpot-{parameters.id}",
            "parameters": parameters.digest,
            "coup_id": cause.id,
            "kind": kind,
            "stakes": wagers,
            "trigger": trigger,
            "began": cause.began if isinstance(cause, ConfirmedMessage) else "",
        }
        self._add(entry, cause, unit, (parameters.id, parameters.currency), made, **fields)

    def _take_back(self, entry: Entry, cause: Message, unit: str, coup_id: str) -> bool:
        """Reverse every increment that followed from this message; return whether there was one."""
        found = self._standing(cause.table, coup_id) if coup_id else []
        for first in found:
            parameters = self._increments.parameters_of(first)
            carry = self._counted(first.jackpot, first.table, first.currency).carry
            made = (
                reversal(parameters, first.kind, first.stakes, first.amount, carry)
                if parameters
                else Contribution(-first.amount, -first.operator, carry)
            )
            fields = {name: getattr(first, name) for name in ("parameters", "kind", "stakes", "began")}
            fields |= {"coup_id": cause.id, "reverses": first.id, "id": f"{cause.id}-jackpot-{first.jackpot}-reversal"}
            self._add(entry, cause, unit, (first.jackpot, first.currency), made, **fields)
            self.draft.reversed.add(first.id)
        return bool(found)

    def _add(
        self, entry: Entry, cause: Message, unit: str, of: tuple[str, str], made: Contribution, **fields: object
    ) -> None:
        """Add an increment of a jackpot, in a currency."""
        jackpot, currency = of
        before = self._counted(jackpot, cause.table, currency)
        after = Counted(before.count + 1, before.total + made.amount, made.carry)
        if abs(after.total) > _MOST:
            self._fail(cause, jackpot, f"the sum of this table's increments would be {after.total}")
            return
        common = {
            "unit": unit,
            "event_no": cause.event_no,
            "table": cause.table,
            "shoe": cause.shoe,
            "coup": cause.coup,
            "time": cause.time,
            "rulebook": cause.rulebook,
            "gateway": self._increments.gateway,
            "jackpot": jackpot,
            "currency": currency,
        }
        sums = {"amount": made.amount, "operator": made.operator, "count": after.count, "total": after.total}
        message = msgspec.convert({**common, **sums, "carry": str(made.carry), **fields}, IncrementMessage)
        message = sign(message, self._increments.key)
        self.draft.made.append(message)
        self.draft.counted[jackpot, cause.table, currency] = after
        topic, payload = increment_name(jackpot), _encode(message)
        self.draft.entries.append(Entry(entry.unit, None, cause.table, topic, payload, b"", entry.time, entry.rulebook))

    def _fail(self, cause: Message, jackpot: str, why: str) -> None:
        self.draft.problems.append(Problem(cause.table, cause.shoe, cause.coup, jackpot, why))


def _trigger(parameters: Parameters, cause: ConfirmedMessage | StakesMessage) -> str:
    """Return the outcome of the trigger that a confirmed coup gives; empty if none."""
    if isinstance(cause, StakesMessage):
        return ""
    found = recognise(parameters, cause.kind, cause.player, cause.banker, cause.winner)
    return found.outcome if found else ""
