"""In play: the coup of each table whose result is not out yet, and rows without its cards (displays.md, rule 2)."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from sabot_protocol import rulebooks

from sabot_floor.projection.gateway_log import GatewayLog
from sabot_floor.projection.gateways import is_replaced
from sabot_floor.store import Store
from sabot_floor.store.rows import AlarmChange, Attempt, Card, Coup, Dealt, Outcome

_SEEN_IN_SHOE = frozenset(("face_up", "exposed"))  # notes of a card that everybody has seen
_WITHOUT_CARDS = ("reject",)  # alarms whose `shoe_says` names no card
_NAMES_CARDS = ("key-card", "import-coup", "export-coup")  # requests with cards
_MOST_CORRECTIONS = 20
_LAST_COUP = "L"
Known = frozenset[tuple[str, int, int]]  # table, shoe and coup whose cards are all turned
NOTHING_KNOWN: Known = frozenset()
NO_BOOKS: frozenset[str] = frozenset()


class Hidden(NamedTuple):
    """Coups of the shoe on a table from this one on, and requests after this entry of its gateway's ledger."""

    unit: str
    shoe: int
    coup: int
    gateway: str
    entry: int

    def is_after(self, attempt: Attempt) -> bool:
        """Return True if a request came since the last coup that is out; the table PC's clock may have jumped."""
        return attempt.gateway == self.gateway and attempt.entry > self.entry


class InPlay:
    """What is hidden at each table; read from the store when the first row of a table is asked for.

    `books`: those whose cards the reader may see before they are turned; `known`: coups whose cards are turned.
    """

    def __init__(self, store: Store, books: frozenset[str] = NO_BOOKS, known: Known = NOTHING_KNOWN) -> None:
        self._store, self._books, self._known = store, books, known
        self._tables: dict[str, tuple[Hidden, ...]] = {}

    def without_cards(self, row: Any) -> Any:
        """Return a row without the cards of a coup whose result is not out."""
        change = _CHANGES.get(type(row))
        if change is None:
            return row
        for hidden in self.at(row.table):
            row = change(row, hidden)
        return row

    def without_named_cards(self, attempt: Attempt, outcome: Outcome | None) -> Outcome | None:
        """Return the answer to a request, empty if the request names cards of a coup whose result is not out."""
        named = attempt.verb in _NAMES_CARDS and any(one.is_after(attempt) for one in self.at(attempt.table))
        return outcome._replace(say="") if outcome and named else outcome

    def at(self, table: str) -> tuple[Hidden, ...]:
        """Return what is hidden at a table."""
        if table not in self._tables:
            self._tables[table] = tuple(self._find(table))
        return self._tables[table]

    def _find(self, table: str) -> Iterator[Hidden]:
        """Yield what is hidden in the shoe on a table: its gateway's last entry shows which, whatever its clock did."""
        query = (
            'SELECT gateway, unit, shoe, state, rulebook, entry FROM shoes AS one WHERE "table" = ? AND entry = '
            '(SELECT max(entry) FROM shoes WHERE "table" = one."table" AND gateway = one.gateway)'
        )
        gateways = GatewayLog(self._store).state()
        for gateway, unit, shoe, state, rulebook, opened in self._store.select(query, (table,)):
            book = _books().get(rulebook, "")
            if state == "closed" or book in self._books or not _may_be_face_down(book):
                continue
            if not is_replaced(gateways, table, gateway):
                coup, entry = self._first_hidden(table, unit, shoe, opened)
                if (table, shoe, coup) not in self._known:
                    yield Hidden(unit, shoe, coup, gateway, entry)

    def _first_hidden(self, table: str, unit: str, shoe: int, opened: int) -> tuple[int, int]:
        """Return the first coup of a shoe whose result is not out, and the entry of the one before."""
        where = 'WHERE "table" = ? AND unit = ? AND shoe = ?'
        query = f"SELECT coup, entry, id FROM coups {where} ORDER BY coup DESC, entry LIMIT {_MOST_CORRECTIONS}"
        rows = self._store.select(query, (table, unit, shoe))
        newest = [row for row in rows if row[0] == rows[0][0]]
        if not newest:
            return 1, opened
        if self._is_confirmed(table, [row[2] for row in newest]):
            return newest[0][0] + 1, newest[0][1]
        before = [row[1] for row in rows if row[0] != rows[0][0]]
        return newest[0][0], max(before, default=opened)

    def _is_confirmed(self, table: str, ids: list[str]) -> bool:
        """Return True if one of these messages, or what corrects them, is confirmed at their table."""
        seen: list[str] = []
        while ids and len(seen) < _MOST_CORRECTIONS:
            seen += ids
            marks = ", ".join("?" * len(ids))
            found = self._store.select(
                f"SELECT id FROM coups WHERE corrects <> '' AND corrects IN ({marks}) AND \"table\" || '' = ?",
                (*ids, table),
            )
            ids = [row[0] for row in found if row[0] not in seen]
        marks = ", ".join("?" * len(seen))
        query = f"SELECT count(*) FROM confirmed WHERE status = 'confirmed' AND coup_id IN ({marks}) AND \"table\" = ?"
        return bool(self._store.select(query, (*seen, table))[0][0])


@cache
def _books() -> dict[str, str]:
    return {rulebooks.load(name).digest().hex(): name for name in rulebooks.ids()}


def _may_be_face_down(book: str) -> bool:
    return not book or "face_down" in rulebooks.load(book).shoe.choice["dealing"].values


def _is_hidden(row: Any, hidden: Hidden) -> bool:
    units = hidden.unit, hidden.gateway  # a correction has the gateway's, a card of a hand that of its coup
    own = getattr(row, "unit", hidden.unit) in units
    return bool(own and row.shoe == hidden.shoe and row.coup >= hidden.coup)


def _coup(row: Coup, hidden: Hidden) -> Coup:
    if not _is_hidden(row, hidden):
        return row
    letters, _, flags = row.flags.partition(" ")
    kept = " ".join(filter(None, (_LAST_COUP if _LAST_COUP in letters else "", flags)))
    return row._replace(winner="", player="", banker="", player_points=0, banker_points=0, flags=kept)


def _card(row: Card, hidden: Hidden) -> Card:
    seen = _SEEN_IN_SHOE & set(row.notes.split())
    return row if seen or not _is_hidden(row, hidden) else row._replace(card="")


def _dealt(row: Dealt, hidden: Hidden) -> Dealt:
    return row._replace(card="") if _is_hidden(row, hidden) else row


def _alarm(row: AlarmChange, hidden: Hidden) -> AlarmChange:
    if not _is_hidden(row, hidden):
        return row
    return row._replace(shoe_says=row.shoe_says if row.name in _WITHOUT_CARDS else "", cards_say="")


def _attempt(row: Attempt, hidden: Hidden) -> Attempt:
    names_cards = row.verb in _NAMES_CARDS and hidden.is_after(row)
    return row._replace(args="{}") if names_cards else row


_CHANGES: dict[type, Callable[[Any, Hidden], Any]] = {
    Coup: _coup, Card: _card, Dealt: _dealt, AlarmChange: _alarm, Attempt: _attempt,
}  # fmt: skip
