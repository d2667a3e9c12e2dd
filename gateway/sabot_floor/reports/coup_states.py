"""Coup states: the messages about each coup, joined by their corrections; the newest one is its state."""

from collections.abc import Iterator
from typing import NamedTuple

from sabot_floor.reports.source import Scope, Source, parts
from sabot_floor.store.rows import Coup

UNWAGERED = ("no_bet", "void_hand", "free_hand", "dummy")  # kinds of coups without wagers
_MOST_CORRECTIONS = 100  # of one coup that are followed


class CoupState(NamedTuple):
    """A coup: its messages, oldest first. It belongs to the time of the first one."""

    messages: tuple[Coup, ...]

    @property
    def first(self) -> Coup:
        """Return the message that nothing came before."""
        return self.messages[0]

    @property
    def current(self) -> Coup:
        """Return the message that nothing corrects."""
        return self.messages[-1]

    @property
    def is_void(self) -> bool:
        """Return True if the coup has no result."""
        return is_void(self.current)


def is_void(coup: Coup) -> bool:
    """Return True if a message makes a coup void, or says that it never had a result."""
    return coup.status == "void" or (coup.kind == "void" and coup.status != "disputed")


def coup_states(source: Source, scope: Scope, earlier: list[Coup] | None = None) -> Iterator[CoupState]:
    """Yield the coups of a time, each once, with all corrections, however late they came.

    `earlier` gets the corrections of the time that are about coups of before it.
    """
    seen: set[int] = set()  # each table has ids of its own, whatever another names
    for part in parts(source.coups(scope)):
        new = [coup for coup in part if hash((coup.table, coup.id)) not in seen]
        seen.update(hash((coup.table, coup.id)) for coup in new)
        if earlier is not None:
            earlier += _of_before(source, [coup for coup in new if coup.corrects], scope.span.begin)
        yield from with_corrections(source, [coup for coup in new if not coup.corrects or _is_alone(source, coup)])


def _of_before(source: Source, corrections: list[Coup], begin: str) -> Iterator[Coup]:
    """Yield the corrections whose coup is of before a time."""
    for coup in corrections:
        root = first_message(source, coup)
        if root.time < begin:
            yield _of_unit(coup, root)


def with_corrections(source: Source, firsts: list[Coup]) -> Iterator[CoupState]:
    """Yield each coup with the messages that correct it, one after the other."""
    chains = {(coup.table, coup.id): [coup] for coup in firsts}
    root_of = {key: key for key in chains}
    due, left = [own_id for _, own_id in chains], _MOST_CORRECTIONS
    while due and left:
        found = [coup for part in parts(due) for coup in source.corrections(part)]
        due, left = [], left - 1
        for coup in found:
            key, corrected = (coup.table, coup.id), (coup.table, coup.corrects)
            if key not in root_of and corrected in root_of:
                root_of[key] = root_of[corrected]
                chain = chains[root_of[key]]
                chain.append(_of_unit(coup, chain[0]))
                due.append(coup.id)
    return (CoupState(tuple(chain)) for chain in chains.values())


def _of_unit(coup: Coup, first: Coup) -> Coup:
    """Return a correction with the unit that dealt the coup: a decision at a gateway has the gateway's id there."""
    return coup._replace(unit=first.unit) if coup.unit == coup.gateway else coup


def _is_alone(source: Source, coup: Coup) -> bool:
    """Return True if nothing of what a message corrects is in the store: it is the first that is known."""
    if source.reading.coup_by_id(coup.corrects, coup.table) is not None:
        return False
    others = source.reading.coup(coup.table, coup.unit, coup.shoe, coup.coup)
    return next((one for one in others if one.gateway == coup.gateway), coup).id == coup.id


def first_message(source: Source, coup: Coup) -> Coup:
    """Return the first message about the same coup that is in the store."""
    for _ in range(_MOST_CORRECTIONS):
        before = source.reading.coup_by_id(coup.corrects, coup.table) if coup.corrects else None
        if before is None:
            break
        coup = before
    return coup
