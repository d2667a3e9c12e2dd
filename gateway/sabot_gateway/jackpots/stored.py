"""Stored: what the ledger holds about jackpots."""

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import msgspec
from sabot_protocol.jackpots.messages import IncrementMessage
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.topics import CoupKind, Winner

from sabot_gateway.jackpots.entries import ParametersEntry, StakesMessage
from sabot_gateway.ledger import Reader

MOST_STAKES = 32  # of a table, the newest
_LOOK_BACK = 1_000_000  # entries in which a coup is looked for: some days of hundreds of tables
_MOST_CORRECTIONS = 100  # of one coup
_UNREADABLE = (msgspec.MsgspecError, UnicodeError)  # of a file, which can hold anything


@dataclass(frozen=True)
class Counted:
    """What a table has contributed to a jackpot: number and sum of its messages, and the exact rest."""

    count: int = 0
    total: int = 0
    carry: Fraction = Fraction(0)


class Coup(NamedTuple):
    """A coup of a table as the ledger has it now; `confirmed` is empty if nobody has confirmed it."""

    id: str
    unit: str
    shoe: int
    coup: int
    kind: CoupKind
    status: str
    winner: Winner | None
    player: list[str]
    banker: list[str]
    confirmed: str

    @property
    def label(self) -> str:
        """Shoe and coup as a person reads and types them."""
        return f"{self.shoe}/{self.coup}"


class StoredJackpots:
    """Reads the ledger; what was pruned is in its checkpoint."""

    def __init__(self, ledger: Reader) -> None:
        self._ledger = ledger

    def tables(self) -> set[str]:
        """Return the tables of which increments are held."""
        return {table for (table,) in self._ledger.query("SELECT DISTINCT table_name FROM increments")}

    def counted(self, jackpot: str, table: str, currency: str) -> Counted:
        """Return what a table has contributed in a currency so far; no count is given again that may have been lost."""
        newest = "WHERE table_name = ? AND jackpot = ? AND currency = ? ORDER BY seq DESC LIMIT 1"
        found = self._ledger.query(
            f"SELECT seq, count, total, carry FROM increments {newest}", table, jackpot, currency
        )
        pruned = self._ledger.pruned()
        kept = pruned.last_increment(jackpot, table, currency) if pruned else None
        if found:
            seq, *row = found[0]
        elif pruned and kept:
            seq, row = pruned.seq, list(kept)
        else:
            (seq,) = self._ledger.query("SELECT min(seq) FROM jackpot_parameters WHERE jackpot = ?", jackpot)[0]
            row = [0, 0, "0"]
        return Counted(row[0] + self._lost_after(seq), row[1], Fraction(row[2]))

    def _lost_after(self, seq: int | None) -> int:
        """Return how many entries are missing behind this one, as people have accepted: the floor must see a gap."""
        if seq is None:
            return 0
        return sum(max(one.lost.entry - one.after, 0) for one in self._ledger.accepted() if one.after >= seq)

    def standing(self, table: str, coup_id: str) -> list[IncrementMessage]:
        """Return the increments that followed from this message and are not reversed."""
        where = "WHERE coup_id = ? AND table_name = ? AND reverses = '' AND reversed_by = '' ORDER BY seq"
        return self._increments(where, coup_id, table)

    def jackpots_of(self, table: str, coup_id: str) -> set[str]:
        """Return the jackpots that got an increment from this message, reversed or not."""
        where = "WHERE coup_id = ? AND table_name = ? AND reverses = ''"
        return {jackpot for (jackpot,) in self._ledger.query(f"SELECT jackpot FROM increments {where}", coup_id, table)}

    def _increments(self, where: str, *values: str) -> list[IncrementMessage]:
        payloads = self._ledger.query(
            f"SELECT payload FROM entries WHERE seq IN (SELECT seq FROM increments {where})", *values
        )
        return [msgspec.json.decode(payload, type=IncrementMessage) for (payload,) in payloads]

    def parameters(self) -> dict[tuple[str, str], Parameters]:
        """Return all parameters that were in force, by jackpot and digest, the newest of each jackpot last."""
        pruned = self._ledger.pruned()
        payloads = [payload.encode() for payload in pruned.parameters.values()] if pruned else []
        query = "SELECT payload FROM entries WHERE seq IN (SELECT seq FROM jackpot_parameters) ORDER BY seq"
        payloads += [payload for (payload,) in self._ledger.query(query)]
        found: dict[tuple[str, str], Parameters] = {}
        for payload in payloads:
            with suppress(*_UNREADABLE):
                entry = msgspec.json.decode(payload, type=ParametersEntry)
                found.pop((entry.jackpot, entry.digest), None)
                found[entry.jackpot, entry.digest] = entry.parameters
        return found

    def stakes(self, table: str) -> list[StakesMessage]:
        """Return the newest recorded stakes of a table, oldest first."""
        newest = "SELECT seq FROM stakes WHERE table_name = ? ORDER BY seq DESC LIMIT ?"
        found = []
        query = f"SELECT payload FROM entries WHERE seq IN ({newest}) ORDER BY seq"
        for (payload,) in self._ledger.query(query, table, MOST_STAKES):
            with suppress(*_UNREADABLE):
                found.append(msgspec.json.decode(payload, type=StakesMessage))
        return found

    def dealing_unit(self, coup_id: str, gateway: str) -> str:
        """Return the shoe that dealt a coup which a person decided; empty if the ledger does not hold it."""
        for _ in range(_MOST_CORRECTIONS):
            found = self._ledger.query("SELECT unit, corrects FROM coups WHERE id = ?", coup_id)
            if not found or found[0][0] != gateway:
                return found[0][0] if found else ""
            coup_id = found[0][1]
        return ""

    def coup(self, table: str, label: str) -> Coup | None:
        """Return the newest message about the coup with this id, or shoe and coup as 3/17; of all coups if empty."""
        names = "id, unit, shoe, coup, kind, status, winner, player, banker, confirmed"
        named = "AND (id = ?2 OR confirmed = ?2 OR shoe || '/' || coup = ?2)" if label else "AND ?2 = ''"
        newest = f"WHERE seq > ?3 AND table_name = ?1 AND corrected_by = '' {named} ORDER BY seq DESC LIMIT 1"
        since = self._ledger.newest()[0] - _LOOK_BACK
        found = self._ledger.query(f"SELECT {names} FROM coups {newest}", table, label, since)
        if not found:
            return None
        *head, winner, player, banker, confirmed = found[0]
        return Coup._make((*head, winner or None, player.split(), banker.split(), confirmed))

    def record_of(self, jackpot: str, coup_id: str) -> tuple[str, str, int] | None:
        """Return when and by whom a win was first recorded, and its entry; None if it was not."""
        where = "WHERE jackpot = ? AND coup_id = ? ORDER BY seq LIMIT 1"
        found = self._ledger.query(f"SELECT recorded, said_by, seq FROM recorded_wins {where}", jackpot, coup_id)
        return found[0] if found else None
